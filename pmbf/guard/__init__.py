"""The leak check: protected text does not leave.

sources    payloads: files, stdin, the index, commits; `git` alone runs git, `lfs` reads pointers of Git LFS
reading    the text of a payload; `unseen` reads forms that hide text, in a `cover`
checker    compares texts with the collection; `endpoint` compares them with an endpoint filter
borders    where a passage really ends
public     text that does not count: ignored files, licences, what counts up
judging    findings of a report under a policy; `allowing` tells which passages may leave
baseline   the file of passages that may leave
sarif, incidents   a verdict for code hosts and for a log; `hooks` makes git run the check
checking   payloads in, judged payloads out; `verdict` adds them up
session    the face for every front end: a policy with its files, from payloads to a verdict
policy     what blocks and what warns; `config` reads it from files, environment and command line
"""
