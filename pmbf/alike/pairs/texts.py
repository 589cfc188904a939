"""Where texts come from: a list, a mapping, a column of a table; a collection; files and folders, loaded into one.

Equal texts of a collection are one document with several paths. Each path is a text of its own here; its features are
made once.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from pmbf.alike.pairs.plans import Joining
from pmbf.alike.pairs.results import Label
from pmbf.alike.pairs.work import Work
from pmbf.base.errors import CorruptError, IncompleteError, ParameterError
from pmbf.extract import Limits
from pmbf.intake.entering import base_of, load_into, name_below, title_of
from pmbf.store.catalog_tables import BINARY_KIND, Document, ListedPath
from pmbf.store.folder import Store
from pmbf.store.folders import replacing
from pmbf.store.listing import Entry
from pmbf.store.originals import original_text
from pmbf.text import utf8

BATCH_TEXTS = 1000
BATCH_CHARS = 1 << 24
_ROOTS = ".roots.json"
_TEXTS = "texts.pmbf"


class TextBatch(NamedTuple):
    """Texts in UTF-8 whose features are made together, None for one that is not read; `key` tells them from others."""

    key: str
    texts: Callable[[], Sequence[bytes | None]]


# ---------------------------------------------------------------------- texts in memory


@dataclass(frozen=True)
class ListedTexts:
    """Texts in memory. Where there is none, there is an empty one.

    Args:
        labels: What the texts are called.
        times: When each was made; the largest is the newest.
        problems: What was not read, and why.
        title: What was named.
    """

    labels: Sequence[Label]
    texts: Sequence[str]
    times: Sequence[float] | None = None
    problems: tuple[str, ...] = ()
    title: str = ""

    @property
    def lengths(self) -> Sequence[int]:
        return list(map(len, self.texts))

    @property
    def places(self) -> Sequence[int]:
        """The place of each text among those of all batches."""
        return range(len(self.texts))

    def batches(self) -> Iterator[TextBatch]:
        """Yield the texts, each once. One thread reads them."""
        for start in range(0, len(self.texts), BATCH_TEXTS):
            some = self.texts[start : start + BATCH_TEXTS]
            yield TextBatch(str(start), lambda some=some: list(map(utf8, some)))  # type: ignore[misc]

    def text(self, number: int) -> str:
        return self.texts[number]


def listed_texts(texts: Iterable[Any] | Mapping[Any, Any], times: Iterable[float] | None = None) -> ListedTexts:
    """Return a list, a mapping or a column of a table as a source.

    Raises:
        ParameterError: It is a single text, or something in it is neither a text, None nor NaN.

    >>> listed_texts({"a": "sea", "b": None}).labels
    ['a', 'b']
    """
    if isinstance(texts, str | bytes):
        raise ParameterError(f"texts is the single {texts!r:.80}, expected a list, even of one")
    labels: Sequence[Label]
    if isinstance(texts, Mapping):
        labels, held = list(texts), list(texts.values())
    elif hasattr(texts, "iloc") and hasattr(texts, "tolist"):  # a column of pandas; a frame has no `tolist`
        column: Any = texts
        labels, held = list(column.index), column.tolist()
    elif hasattr(texts, "columns"):
        raise ParameterError("texts is a whole table, expected one column of it, such as frame['text']")
    else:
        held = list(texts)
        labels = range(len(held))
    given = None if times is None else list(times)
    return ListedTexts(labels, [_text(one, number) for number, one in enumerate(held)], given)


def _text(one: Any, number: int) -> str:
    if isinstance(one, str):
        return one
    if one is None or one != one or type(one).__name__ == "NAType":
        return ""
    raise ParameterError(f"texts[{number}] is {one!r:.80}, expected a text, None or NaN")


# ---------------------------------------------------------------------- texts of a collection


class TextArchive(Protocol):
    """Documents, and their texts."""

    @property
    def problems(self) -> Sequence[str]:
        """Which documents were not looked at, and why."""

    def entries(self) -> Iterable[Entry]:
        """Yield the documents with their paths, by ascending id."""

    def texts(self, entries: Sequence[Entry]) -> list[str | None]:
        """Return the texts of some documents; None for one that cannot be read."""


class _Stored:
    """The documents of a collection in one folder."""

    problems: Sequence[str] = ()

    def __init__(self, store: Store) -> None:
        self._store = store
        self.entries = store.documents_with_paths

    def texts(self, entries: Sequence[Entry]) -> list[str | None]:
        return [self._text(*entry) for entry in entries]

    def _text(self, row: Document, paths: Sequence[ListedPath]) -> str | None:
        try:
            return original_text(self._store.generation, row, [one.path for one in paths])
        except IncompleteError:
            return None


class StoredTexts:
    """The paths of a collection, by name, as `ListedTexts`. The features of a text with several paths are made once.

    Args:
        base: The folder that names are relative to; empty for whole paths.
        unread: What was not read, and why.
    """

    def __init__(self, archive: TextArchive, base: str, title: str, unread: Sequence[str] = ()) -> None:
        self._archive, self.title = archive, title
        self._entries = [one for one in archive.entries() if one[0].kind != BINARY_KIND]
        listed = sorted(
            (name_below(path.path, base), place, path.mtime_ns)
            for place, (_, paths) in enumerate(self._entries)
            for path in paths
        )
        self.labels = [name for name, _, _ in listed]
        self.places = [place for _, place, _ in listed]
        self.times = [time for _, _, time in listed]
        self.lengths = [self._entries[place][0].n_chars for place in self.places]
        reasons = ((name, self._entries[place][0].problems) for name, place, _ in listed)
        partly = [f"{name}: incomplete: {why}" for name, some in reasons for why in some.splitlines()]
        self._problems = (*unread, *(problem for problem in partly if problem not in unread))

    @property
    def problems(self) -> tuple[str, ...]:
        return (*self._problems, *self._archive.problems)

    def batches(self) -> Iterator[TextBatch]:
        """Yield the documents, in the order in which they are stored."""
        start, n_chars = 0, 0
        for stop, (row, _) in enumerate(self._entries):
            if stop > start and (stop - start == BATCH_TEXTS or n_chars + row.n_chars > BATCH_CHARS):
                yield self._batch(start, stop)
                start, n_chars = stop, 0
            n_chars += row.n_chars
        if start < len(self._entries):
            yield self._batch(start, len(self._entries))

    def text(self, number: int) -> str:
        """Return a text.

        Raises:
            IncompleteError: It cannot be read.
        """
        [text] = self._archive.texts([self._entries[self.places[number]]])
        if text is None:
            raise IncompleteError(f"{self.labels[number]}: its text cannot be read any more")
        return text

    def _batch(self, start: int, stop: int) -> TextBatch:
        some = self._entries[start:stop]
        key = sha256("".join(f"{row.id} {row.sha256}\n" for row, _ in some).encode()).hexdigest()
        return TextBatch(key, lambda: [None if text is None else utf8(text) for text in self._archive.texts(some)])


TextSource = ListedTexts | StoredTexts


@contextmanager
def texts_of_collection(folder: str) -> Iterator[StoredTexts]:
    """Yield the texts of a collection; raise what opening it does."""
    with Store(Path(folder)) as store:
        yield StoredTexts(_Stored(store), "", os.path.join(folder, ""))


def texts_of_archive(archive: TextArchive, title: str) -> StoredTexts:
    """Return the texts of an archive, such as that of a cluster: its nodes read them, and say what none can read."""
    return StoredTexts(archive, "", os.path.join(title, ""))


@contextmanager
def texts_of_files(roots: Sequence[str], limits: Limits, how: Joining, work: Work) -> Iterator[StoredTexts]:
    """Yield the texts of files and folders, loaded into a collection in the work folder; as many threads read as jobs.

    Raises:
        NotFoundError: A path does not exist.
        ParameterError: The work folder is of other paths.
    """
    named = list(roots)
    _require_same(work, [os.path.abspath(root) for root in named])
    path = work.folder / _TEXTS
    unread = load_into(path, named, limits, how.jobs, how.advance)
    with Store(path) as store:
        yield StoredTexts(_Stored(store), base_of(named), title_of(named), unread)


def _require_same(work: Work, roots: list[str]) -> None:
    path = work.folder / _ROOTS
    if not path.exists():
        with replacing(path) as file:
            file.write(json.dumps(roots).encode())
        return
    try:
        before = [str(one) for one in json.loads(path.read_bytes())]
    except (ValueError, TypeError):
        raise CorruptError(f"{path}: is damaged; remove the work folder, then run the same command") from None
    if before != roots:
        raise ParameterError(f"work is {work.folder}, a folder for {', '.join(before):.200}; name another folder")
