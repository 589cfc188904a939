"""The texts of a collection, or of files and folders, which are loaded into one: read batch by batch.

Equal texts are one document with several paths. Each path is a text of its own here; its features are made once.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from pmbf.collection import Collection
from pmbf.comparison.entering import base_of, loaded, name_below, title_of
from pmbf.errors import CorruptError, IncompleteError, ParameterError
from pmbf.extract import Limits
from pmbf.pairs.plans import Advance
from pmbf.pairs.sources import BATCH_TEXTS, Batch
from pmbf.pairs.work import Work
from pmbf.store.folder import Store
from pmbf.store.folders import replacing
from pmbf.store.listing import Listed, listed
from pmbf.store.originals import original_text
from pmbf.store.tables import BINARY_KIND
from pmbf.text import utf8

BATCH_CHARS = 1 << 24
_ROOTS = ".roots.json"
_TEXTS = "texts.pmbf"


@dataclass(frozen=True, slots=True)
class Reading:
    """How files are read.

    Args:
        limits: Bounds for a file.
        jobs: Threads, at least 1.
        advance: Called while files are read.
    """

    limits: Limits
    jobs: int
    advance: Advance


class StoredTexts:
    """The paths of a collection, by name.

    Args:
        store: The collection.
        base: The folder that names are relative to; empty for whole paths.
        title: What was named.
        unread: What was not read, and why.
    """

    def __init__(self, store: Store, base: str, title: str, unread: Sequence[str] = ()) -> None:
        self._store, self.title = store, title
        self._documents = [one for one in listed(store) if one.kind != BINARY_KIND]
        self._rows = store.documents(one.id for one in self._documents)
        paths = store.listed_of(one.id for one in self._documents)
        entries = sorted(
            (name_below(path.path, base), place, path.mtime_ns)
            for place, document in enumerate(self._documents)
            for path in paths[document.id]
        )
        self.labels = [name for name, _, _ in entries]
        self.places = [place for _, place, _ in entries]
        self.times = [time for _, _, time in entries]
        self.lengths = [self._documents[place].n_chars for place in self.places]
        partly = [f"{name}: incomplete: {why}" for name, place, _ in entries for why in self._documents[place].problems]
        self.problems = (*unread, *(problem for problem in partly if problem not in unread))

    def batches(self) -> Iterator[Batch]:
        """Yield the documents, in the order in which they are stored."""
        start, n_chars = 0, 0
        for stop, document in enumerate(self._documents):
            if stop > start and (stop - start == BATCH_TEXTS or n_chars + document.n_chars > BATCH_CHARS):
                yield self._batch(start, stop)
                start, n_chars = stop, 0
            n_chars += document.n_chars
        if start < len(self._documents):
            yield self._batch(start, len(self._documents))

    def text(self, number: int) -> str:
        """Return a text.

        Raises:
            IncompleteError: The collection stores no texts, and the file is gone or has changed.
        """
        return self._text(self._documents[self.places[number]])

    def _batch(self, start: int, stop: int) -> Batch:
        some = self._documents[start:stop]
        key = sha256("".join(f"{one.id} {one.sha256}\n" for one in some).encode()).hexdigest()
        return Batch(key, lambda: [self._utf8(one) for one in some])

    def _utf8(self, document: Listed) -> bytes | None:
        try:
            return utf8(self._text(document))
        except IncompleteError:
            return None

    def _text(self, document: Listed) -> str:
        return original_text(self._store.generation, self._rows[document.id], document.paths)


@contextmanager
def texts_of_collection(folder: str) -> Iterator[StoredTexts]:
    """Yield the texts of a collection.

    Raises:
        CorruptError, UnsupportedError: It is damaged, or of another version.
    """
    with Store(Path(folder)) as store:
        yield StoredTexts(store, "", os.path.join(folder, ""))


@contextmanager
def texts_of_files(roots: Sequence[str], reading: Reading, work: Work) -> Iterator[StoredTexts]:
    """Yield the texts of files and folders, loaded into a collection in the work folder.

    Raises:
        NotFoundError: A path does not exist.
        ParameterError: The work folder is of other paths.
    """
    named = list(roots)
    _require_same(work, [os.path.abspath(root) for root in named])
    path = work.folder / _TEXTS
    with Collection(path, create=True) as collection:
        unread = loaded(collection, named, reading.limits, reading.jobs, reading.advance)
    with Store(path) as store:
        yield StoredTexts(store, base_of(named), title_of(named), unread)


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
