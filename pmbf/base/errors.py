"""All errors that pmbf raises on purpose, and the exit codes that its commands end with.

    PmbfError
    ├── ParameterError     (ValueError)         a value outside its range
    ├── NotFoundError      (LookupError)        no such collection, document or path
    ├── CorruptError       (OSError)            a file is damaged, cut short or belongs to another collection
    ├── UnsupportedError   (NotImplementedError) a newer format, an unknown kind, a missing extra
    ├── BusyError          (OSError)            another process is writing
    ├── IncompleteError    (RuntimeError)       an input was not read to its end: over a limit, broken, timed out
    └── WithheldError      (PermissionError)    a site has a document, and does not show its words

A message says where, what was found, what was expected, and what to do.

exit code   means
0           done; screen, compare: nothing found; guard: clean, or only warnings
1           screen, compare: something found; guard: blocked
2           wrong usage
3           an error; load: a file had a problem; check: problems;
            screen: nothing found, but not everything was read or compared,
            or nothing at all: no word in the text, no text in a folder, no document in the collection;
            guard: blocked only because not everything could be checked
130         stopped by Ctrl-C
141         the reader of our output has gone
"""

from __future__ import annotations

DONE, FOUND, USAGE, FAILED, STOPPED, PIPE_CLOSED = 0, 1, 2, 3, 130, 141
BLOCKED = FOUND


class PmbfError(Exception):
    """The base of all errors that pmbf raises on purpose."""


class ParameterError(PmbfError, ValueError):
    """A parameter is outside its documented range."""


class NotFoundError(PmbfError, LookupError):
    """A collection, document or path does not exist."""


class CorruptError(PmbfError, OSError):
    """A file of a collection is damaged, cut short, or belongs to another collection."""


class UnsupportedError(PmbfError, NotImplementedError):
    """A file's format is newer than this version, unknown, or needs an extra that is not installed.

    Args:
        message: Says where, and what to do.
        missing_extra: The name of the extra that reads such a file; None if no extra does.

    >>> UnsupportedError("a.pdf: reading pdf needs the extra 'pdf'", missing_extra="pdf").missing_extra
    'pdf'
    """

    def __init__(self, message: str, *, missing_extra: str | None = None) -> None:
        super().__init__(message)
        self.missing_extra = missing_extra


class NoTextError(UnsupportedError):
    """A file holds no text that pmbf reads: a picture, a program, an unknown archive.

    Args:
        message: Says which file.
        sha256: Of its bytes, hexadecimal; empty if the file is too small to be known by its checksum.
        is_gap: Whether the file may hold text all the same, in a format that is not read.
    """

    def __init__(self, message: str, *, sha256: str = "", is_gap: bool = False) -> None:
        super().__init__(message)
        self.sha256, self.is_gap = sha256, is_gap


class BusyError(PmbfError, OSError):
    """Another process holds the collection's writer lock."""


class IncompleteError(PmbfError, RuntimeError):
    """An input was not read to its end: no passage found in it does not mean that it holds none."""


class WithheldError(PmbfError, PermissionError):
    """A site has a document, and does not show its words; the message says whom to ask."""


def unexamined(error: Exception) -> str:
    """Return why an input could not be examined: an error of pmbf by its class and place, without any text.

    >>> unexamined(ValueError("words of a text"))
    'could not be examined: ValueError'
    """
    if isinstance(error, PmbfError):
        return str(error)
    place, traceback = "", error.__traceback__
    while traceback:
        module = traceback.tb_frame.f_globals.get("__name__", "")
        if module.partition(".")[0] == "pmbf":
            place = f" in {module}, line {traceback.tb_lineno}"
        traceback = traceback.tb_next
    return f"could not be examined: {type(error).__name__}{place}"
