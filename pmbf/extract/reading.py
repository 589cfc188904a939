"""A document that is being read, in the child process: the reader of each kind, and the rest of the limits."""

from __future__ import annotations

import re
import secrets
from collections.abc import Callable
from dataclasses import dataclass, field
from importlib import import_module
from typing import cast

from pmbf.base.errors import IncompleteError, PmbfError, UnsupportedError
from pmbf.extract.formats import FORMATS
from pmbf.extract.kinds import guess_kind, hidden_after
from pmbf.extract.limits import Limits, Part, over_text
from pmbf.extract.unread import describe, is_media

BETWEEN = "!/"
"""Between the names of documents inside each other: `report.zip!/inner.docx`."""
MOST_PATH_CHARS = 40_000
"""The most characters of all paths together: one header takes them to the other process. Documents beyond that have no
name."""
MAX_PROBLEMS = 100
MAX_LABEL_CHARS = 200


class OverLimitError(IncompleteError):
    """A limit of the whole document is reached: the rest is not read."""


class PartMarks:
    """Marks around the texts of documents inside a document, while it is read; then they become `Part`s.

    The marks hold a random number, so no document can forge them.
    """

    def __init__(self) -> None:
        self._secret = secrets.token_hex(16)
        self._paths: list[str] = []
        self._n_chars = 0

    def around(self, text: str, path: str) -> str:
        """Return the text of a document inside, between its marks; without marks if the text is blank."""
        if not text.strip() or self._n_chars + len(path) > MOST_PATH_CHARS:
            return text
        self._n_chars += len(path)
        self._paths.append(path)
        return f"\ufdd0{self._secret}+{len(self._paths) - 1}\ufdd1{text}\ufdd0{self._secret}-\ufdd1"

    def taken_out(self, text: str) -> tuple[str, tuple[Part, ...]]:
        """Return a text without the marks, and the parts that they marked, by their start, outer ones first."""
        if not self._paths:
            return text, ()
        pieces, n_chars = list[str](), 0
        found: list[Part] = []
        open_: list[int] = []
        for number, piece in enumerate(re.split(f"\ufdd0{self._secret}([-+]\\d*)\ufdd1", text)):
            if number % 2 == 0:
                pieces.append(piece)
                n_chars += len(piece)
            elif piece.startswith("+"):
                open_.append(len(found))
                found.append(Part(n_chars, n_chars, self._paths[int(piece)]))
            else:
                at = open_.pop()
                found[at] = Part(found[at].start, n_chars, found[at].path)
        return "".join(pieces), tuple(found)


@dataclass
class _Spent:
    entries: int = 0
    expanded_bytes: int = 0
    text_chars: int = 0
    problems: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    marks: PartMarks = field(default_factory=PartMarks)


class Reading:
    """The rest of the limits while a document is read with all documents inside, and the problems so far."""

    def __init__(self, limits: Limits, *, unseen: bool = False, _outer: Reading | None = None, _name: str = "") -> None:
        self.limits = limits
        self.unseen: bool = _outer.unseen if _outer else unseen
        self._spent: _Spent = _outer._spent if _outer else _Spent()
        self._names: tuple[str, ...] = (*_outer._names, _name[:MAX_LABEL_CHARS]) if _outer else ()
        self._depth: int = _outer._depth + 1 if _outer else 0

    @property
    def problems(self) -> tuple[str, ...]:
        """The problems of this document and of the documents inside."""
        return tuple(self._spent.problems)

    @property
    def expanded_bytes(self) -> int:
        """Bytes that were unpacked so far."""
        return self._spent.expanded_bytes

    @property
    def notes(self) -> tuple[str, ...]:
        """Members that were left out because they hold no text."""
        return tuple(self._spent.notes)

    def problem(self, what: str) -> None:
        """Keep a problem: a part that could not be read. The first `MAX_PROBLEMS` are kept."""
        self._keep(self._spent.problems, what)

    def note(self, what: str) -> None:
        """Keep a note: a member without text that was left out. It is no gap."""
        self._keep(self._spent.notes, what)

    def _keep(self, kept: list[str], what: str) -> None:
        if len(kept) < MAX_PROBLEMS:
            kept.append("".join(f"{name}: " for name in self._names) + what[:500])
        elif len(kept) == MAX_PROBLEMS:
            kept.append("more, not listed")

    def spend_entries(self, n_entries: int) -> None:
        """Count members or parts. Raises OverLimitError beyond the limit."""
        self._spent.entries += n_entries
        if self._spent.entries > self.limits.max_entries:
            raise OverLimitError(f"{self._spent.entries} parts, limit {self.limits.max_entries} (max_entries)")

    def spend_expanded(self, n_bytes: int) -> None:
        """Count bytes that were unpacked. Raises OverLimitError beyond the limit."""
        self._spent.expanded_bytes += n_bytes
        if self._spent.expanded_bytes > self.limits.max_expanded_bytes:
            raise OverLimitError(f"expands beyond {self.limits.max_expanded_bytes} bytes (max_expanded_bytes)")

    def spend_text(self, n_chars: int) -> None:
        """Count characters of text. Raises OverLimitError beyond the limit."""
        self._spent.text_chars += n_chars
        if self._spent.text_chars > self.limits.max_text_bytes:
            raise OverLimitError(over_text(self.limits))

    def inside(self, name: str) -> Reading | None:
        """Return the reading of a document inside this one; if it is too deep, keep a problem and return None."""
        if self._depth >= self.limits.max_depth:
            self.problem(f"{name}: skipped: more than {self.limits.max_depth} documents inside each other (max_depth)")
            return None
        return Reading(self.limits, _outer=self, _name=name)

    def part(self, text: str, name: str) -> str:
        """Return the text of a document inside this one, marked with its name."""
        return self._spent.marks.around(text, BETWEEN.join((*self._names, name[:MAX_LABEL_CHARS])))

    def finished(self, text: str) -> tuple[str, tuple[Part, ...]]:
        """Return the text of the whole document, and its parts that come from documents inside."""
        return self._spent.marks.taken_out(text)

    def embedded(self, raw: bytes, name: str) -> str:
        """Return the text of a document inside this one; if it cannot be read, keep a problem."""
        kind = guess_kind(raw, name)
        if kind is None:
            return self._runs(raw, name)
        inner = self.inside(name)
        if inner is None:
            return ""
        try:
            return self.part(read(raw, kind, inner), name)
        except OverLimitError:
            raise
        except PmbfError as error:
            inner.problem(str(error))
            return ""

    def _runs(self, raw: bytes, name: str) -> str:
        """Return the runs of text in bytes that are no document, if `unseen`; bytes of no medium are a problem."""
        if not is_media(raw):
            self.problem(f"{name}: skipped: {describe(raw)}")
        if not self.unseen:
            return ""
        from pmbf.extract.strings import text_of

        text, problems = text_of(raw)
        for what in problems:
            self.problem(f"{name}: {what}")
        self.spend_text(len(text))
        return self.part(text, name)


Reader = Callable[[bytes, str, Reading], str]
"""`read` of each format's module: returns the text of bytes of a kind, and keeps problems in the reading. If a document
is broken, encrypted or over a limit, then it raises `IncompleteError`."""


def read(raw: bytes, kind: str, reading: Reading) -> str:
    """Return the text of a document of a known kind."""
    if not raw:
        return ""
    reader = _reader(kind)
    for what in hidden_after(raw, kind):
        reading.problem(what)
    try:
        return reader(raw, kind, reading)
    except (PmbfError, MemoryError):
        raise
    except RecursionError:
        raise IncompleteError("nested too deep") from None
    except Exception as error:  # on hostile bytes the libraries raise any error
        raise IncompleteError(f"broken: {type(error).__name__}: {error}") from None


def _reader(kind: str) -> Reader:
    known = FORMATS[kind]
    try:
        return cast(Reader, import_module(f"pmbf.extract.{known.reader}").read)
    except ImportError as error:
        extra = known.extra
        needs = f"the extra '{extra}'; run: pip install 'pmbf[{extra}]'" if extra else f"{error.name}; reinstall pmbf"
        raise UnsupportedError(f"reading {kind} needs {needs}", missing_extra=extra) from None
