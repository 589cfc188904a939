"""The exit codes of every command.

exit code   means
0           done; screen: nothing found; guard: clean, or only warnings
1           screen: something found; guard: blocked
2           wrong usage
3           an error; load: a file had a problem; check: problems;
            screen: nothing found, but not everything was read or compared,
            or nothing at all: no word in the text, no document in the collection;
            guard: blocked only because not everything could be checked
130         stopped by Ctrl-C
141         the reader of our output has gone
"""

DONE, FOUND, USAGE, FAILED, STOPPED, PIPE_CLOSED = 0, 1, 2, 3, 130, 141
BLOCKED = FOUND
