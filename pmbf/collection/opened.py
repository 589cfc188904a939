"""A collection's folder as it is opened: each thread that uses the object reads through a store of its own."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from pmbf.base.errors import ParameterError
from pmbf.store.files import BESIDE_KINDS
from pmbf.store.folder import Store

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from pmbf.sentences import Sentences
    from pmbf.store.writer import Writer


class _Here(threading.local):
    """What one thread has of an object: its store, after which change of the object the store was opened, and the
    sentences beside the store."""

    store: Store | None = None
    change: object = None
    sentences: tuple[Store, Sentences] | None = None


class OpenFolder:
    """An opened folder: stores for those who read and write.

    Args:
        path: The folder.

    Thread rule: as for `Collection`.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.is_closed = False
        self._here = _Here()
        self._last_change = object()
        self._writing = threading.RLock()

    def close(self) -> None:
        """Release the files. What another thread is reading stays open until it has read it."""
        self.is_closed = True
        if self._here.store is not None:
            self._here.store.close()
        self._here = _Here()  # with the old one go the stores of other threads

    @property
    def store(self) -> Store:
        """This thread's store. A thread opens one when it first asks, and anew after this object was changed."""
        if self.is_closed:
            raise ParameterError(f"{self.path}: is closed; open it again")
        here = self._here
        if here.store is None or here.change is not self._last_change:
            here.change = self._last_change
            here.store = Store(self.path, before=here.store)  # that one closes once no iterator of this thread reads it
        return here.store

    @property
    def sentences(self) -> Sentences:
        """The sentences of this thread's store; raise what `Sentences` raises."""
        from pmbf.sentences import Sentences

        store, here = self.store, self._here
        if here.sentences is None or here.sentences[0] is not store:
            here.sentences = store, Sentences(store)
        return here.sentences[1]

    @contextmanager
    def writer(self, threads: Executor | None = None) -> Iterator[Writer]:
        """Yield the writer; other threads of this object wait, other processes are told that it is busy.

        Sentences of the collection, if it has any, follow the change.
        """
        from pmbf.store.writer import Writer

        with self._writing, Store(self.path, writable=True, before=self.store) as store:
            self.store.close()  # a reader would keep old files
            self._here.store, self._here.change = store, self._last_change
            try:
                writer = Writer(store, threads=threads)
                yield writer
                self.follow(writer)
            finally:
                self._last_change = object()
                _ = self.store  # before the writer's is closed: the last one to close moves the catalog's log

    def follow(self, writer: Writer, *, compact: bool = False) -> None:
        """Let the sentences of the collection, if it has any, follow what a writer changed."""
        if (self.path / BESIDE_KINDS["SENT"][0]).is_dir():
            from pmbf.sentences import follow

            follow(writer.store, writer.changed, since=writer.first_commit, compact=compact)
