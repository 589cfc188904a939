"""The leak check: protected text does not leave.

sources    what wants to leave: files, stdin, the index, commits; `git` alone runs git, `lfs` knows its pointers
reading    its text; `unseen` knows forms that hide some
checker    who knows the protected documents
borders    where a passage really ends
public     what does not count: ignored texts, licences
judging    what the policy makes of what was found; `allowing` knows what may leave all the same
baseline   the file of passages that may leave
sarif, incidents   what becomes of a verdict elsewhere; `hooks` makes git ask for one
checking   all of it together, payload by payload; `verdict` adds them up
session    what every front end asks: a policy with its files, from payloads to a verdict
policy     what blocks and what warns; `config` puts it together from files, environment and command line
"""
