"""A collection's folder as it is opened: each thread that uses the object reads through a store of its own."""

from __future__ import annotations

import html
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Self

from pmbf.errors import NotFoundError, ParameterError
from pmbf.intake.discovery import is_among
from pmbf.params import Params
from pmbf.store.files import BESIDE_KINDS
from pmbf.store.folder import Store
from pmbf.store.listing import Listed, find, listed

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from pmbf.sentences import Sentences
    from pmbf.store.writer import Writer

_SHOWN_ROWS = 10
"""Documents in the table that a notebook shows."""


class _Here(threading.local):
    """What one thread has of an object: its store, after which change of the object the store was opened, and the
    sentences beside the store."""

    store: Store | None = None
    change: object = None
    sentences: tuple[Store, Sentences] | None = None


class Opened:
    """An opened folder: what is in it, and stores for those who read and write."""

    def __init__(self, path: str | os.PathLike[str], *, create: bool = False, params: Params | None = None) -> None:
        self.path = Path(path)
        if create and not (self.path / "catalog.sqlite").exists():
            Store.create(self.path, params or Params())
        self._closed = False
        self._here = _Here()
        self._last_change = object()
        self._writing = threading.RLock()
        _ = self._store  # a folder that is no collection is refused here
        if params is not None and params != self.params:
            differences = self._differences(params)
            self.close()
            raise ParameterError(f"{self.path}: was made with other parameters ({differences}); they cannot change")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    def __reduce__(self) -> tuple[type[Self], tuple[str]]:
        return type(self), (str(self.path),)

    def __repr__(self) -> str:
        size = "closed" if self._closed else f"{len(self):,} documents"
        return f"<{type(self).__name__} {str(self.path)!r}: {size}>"

    def _repr_html_(self) -> str:
        """Return a notebook's view: a table of the first ten documents."""
        if self._closed:
            return f"<p>{_as_html(repr(self))}</p>"
        rows = "".join(
            f"<tr><td>{one.id}</td><td>{one.n_chars:,}</td><td>{_as_html(one.kind)}</td>"
            f"<td>{_as_html(', '.join(one.paths))}</td></tr>"
            for one in islice(self, _SHOWN_ROWS)
        )
        more = f", the first {_SHOWN_ROWS} of them" if len(self) > _SHOWN_ROWS else ""
        caption = f"<caption>{_as_html(str(self.path))}: {len(self):,} documents{more}</caption>"
        head = "<tr><th>id</th><th>characters</th><th>kind</th><th>paths</th></tr>"
        return f"<table>{caption}<thead>{head}</thead><tbody>{rows}</tbody></table>"

    def __len__(self) -> int:
        return self.n_documents

    def __iter__(self) -> Iterator[Listed]:
        """Yield every document by ascending id, as `documents` does."""
        return self.documents()

    def __contains__(self, what: object) -> bool:
        """Whether a document is listed under a path or name; or whether the collection has a document's id."""
        what = what.id if isinstance(what, Listed) else what
        try:
            return isinstance(what, int | str | os.PathLike) and bool(find(self._store, [what]))
        except NotFoundError:
            return False

    def documents(self) -> Iterator[Listed]:
        """Yield every document by ascending id. Memory does not grow with their number.

        They are those of the commit that is the last one when the first document is asked for. So documents may be
        added and removed meanwhile.

        Raises:
            CorruptError: The catalog is damaged; rows that are missing are told behind the last document.
        """
        _ = self._store  # a closed object is refused here
        return self._streamed()

    def _streamed(self) -> Iterator[Listed]:
        with Store(self.path) as store:
            yield from listed(store)

    def close(self) -> None:
        """Release the files. What another thread is reading stays open until it has read it."""
        self._closed = True
        if self._here.store is not None:
            self._here.store.close()
        self._here = _Here()  # with the old one go the stores of other threads

    @property
    def params(self) -> Params:
        """The parameters that the collection was made with."""
        return self._store.params

    @property
    def id(self) -> str:
        """Random hexadecimal digits, chosen when the collection was made."""
        return str(self._store.catalog.meta["collection_id"])

    @property
    def generation(self) -> int:
        """Number of the commit this object shows."""
        return self._store.commit_number

    @property
    def n_documents(self) -> int:
        """How many documents there are, files without text included, removed ones left out."""
        totals = self._store.generation.directory.totals()
        return totals.n_live + totals.n_without_text

    @property
    def n_without_text(self) -> int:
        """How many documents are files without text, known by their checksum: no text is compared with them."""
        return self._store.generation.directory.totals().n_without_text

    def is_among_documents(self, place: str) -> bool:
        """Return whether what is written at a place would be loaded with the documents: in their folder, or below it.

        Args:
            place: The absolute path of a file or folder, which need not exist.
        """
        return is_among(self._store.catalog, place)

    # ------------------------------------------------------------------ stores

    @property
    def _store(self) -> Store:
        """This thread's store. A thread opens one when it first asks, and anew after this object was changed."""
        if self._closed:
            raise ParameterError(f"{self.path}: is closed; open it again")
        here = self._here
        if here.store is None or here.change is not self._last_change:
            here.change = self._last_change
            here.store = Store(self.path)  # the one before closes once no iterator of this thread reads it
        return here.store

    @property
    def _sentences(self) -> Sentences:
        """The sentences of this thread's store; raise what `Sentences` raises."""
        from pmbf.sentences import Sentences

        store, here = self._store, self._here
        if here.sentences is None or here.sentences[0] is not store:
            here.sentences = store, Sentences(store)
        return here.sentences[1]

    @contextmanager
    def _writer(self, threads: Executor | None = None) -> Iterator[Writer]:
        """Yield the writer; other threads of this object wait, other processes are told that it is busy.

        Sentences of the collection, if it has any, follow the change.
        """
        from pmbf.store.writer import Writer

        with self._writing:
            self._store.close()
            self._here.store = None
            try:
                with Store(self.path, writable=True) as store:
                    self._here.store, self._here.change = store, self._last_change  # a reader would keep old files
                    writer = Writer(store, threads=threads)
                    yield writer
                    self._follow(writer)
            finally:
                self._here.store, self._last_change = None, object()
                _ = self._store

    def _follow(self, writer: Writer, *, compact: bool = False) -> None:
        """Let the sentences of the collection, if it has any, follow what a writer changed."""
        if (self.path / BESIDE_KINDS["SENT"][0]).is_dir():
            from pmbf.sentences import follow

            follow(writer.store, writer.changed, since=writer.first_commit, compact=compact)

    def _differences(self, params: Params) -> str:
        mine, theirs = asdict(self.params), asdict(params)
        return ", ".join(f"{name} is {mine[name]}, not {theirs[name]}" for name in mine if mine[name] != theirs[name])


def _as_html(text: str) -> str:
    return html.escape(text.encode("utf-8", "backslashreplace").decode())
