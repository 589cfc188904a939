"""The leak check: protected text does not leave.

sources    what wants to leave: files, stdin, the index, commits; `git` alone runs git, `lfs` knows its pointers
reading    its text
checker    who knows the protected documents
judging    what the policy makes of what was found; `allowing` knows what may leave all the same
checking   all of it together: a verdict
policy     what blocks and what warns; `config` puts it together from files, environment and command line
"""
