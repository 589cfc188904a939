"""The leak check: protected text does not leave.

sources    payloads: files, stdin, the index, commits; `git` alone runs git
reading    the text of a payload, with what it hides; `escaped` and `apart` read stretches anew
checker    compares texts with the collection, in `pieces`; `endpoint` compares them with an endpoint filter
judging    findings of a report under a policy; `allowing` tells what does not count, and which passages may leave
baseline   the file of passages that may leave
outputs    a verdict for code hosts and for a log; `hooks` makes git run the check
checking   payloads in, judged payloads out
session    the face for every front end: a policy with its files, from payloads to a verdict
policy     what blocks and what warns; `config` reads it from files, environment and command line
"""
