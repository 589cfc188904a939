"""The volumes that a node has open, and what it answers from them, each for itself."""

from __future__ import annotations

import atexit
import weakref
from collections.abc import Callable, Collection, Iterable
from contextlib import suppress
from threading import local
from typing import Any, NamedTuple, TypeVar

from pmbf.base.errors import CorruptError, NotFoundError, PmbfError, UnsupportedError
from pmbf.base.params import Params
from pmbf.cluster.manifest import Volume
from pmbf.cluster.volumes import Shelf, require_as_listed
from pmbf.store.folder import Store

Value = TypeVar("Value")

READY_BYTES = 512 << 20
"""Bytes of texts that a node keeps ready to be compared again, over all its volumes."""

UNREADABLE = (CorruptError, NotFoundError, UnsupportedError, OSError)
"""What is raised if a volume cannot be read."""


class Reply(NamedTuple):
    """A node's answer.

    Args:
        value: The answer.
        unread: Why volumes are not in it, by name.
        warnings: Which file of a volume is damaged that the answer did not need, by the volume's name.
    """

    value: Any
    unread: dict[str, str]
    warnings: dict[str, str] = {}  # noqa: RUF012  # never changed


class _Stores(dict[str, Store]):
    """Open stores by the names of their volumes."""


def _close(stores: weakref.ref[_Stores]) -> None:
    for store in (stores() or {}).values():
        with suppress(PmbfError):  # that of a thread that has ended
            store.close()


class _OpenInThread(local):
    """The stores that a thread has open: SQLite's connections belong to a thread."""

    def __init__(self) -> None:
        self.stores = _Stores()
        atexit.register(_close, weakref.ref(self.stores))


class Opened:
    """Volumes of a shelf, opened when they are first asked for. Any thread may ask; each opens them for itself.

    A volume with other parameters than the collection's is not opened; None: any are right.
    """

    def __init__(self, shelf: Shelf, params: Params | None) -> None:
        self._shelf, self._params = shelf, params
        self._here = _OpenInThread()
        self._mended, self._lost = set[str](), dict[str, str]()

    def each(
        self, volumes: Iterable[Volume], answer: Callable[[Store, Volume], Value]
    ) -> tuple[list[Value], dict[str, str]]:
        """Return what each volume answers, and why volumes do not, by name."""
        values, unread = [], {}
        for volume in volumes:
            try:
                values.append(answer(self._store(volume), volume))
            except UNREADABLE as error:
                unread[volume.name] = str(error)
        return values, unread

    def warnings(self, volumes: Iterable[Volume]) -> dict[str, str]:
        """Return which file is damaged that no answer of a volume that is open has needed, by the volume's name."""
        opened = {one.name: self._here.stores[one.name] for one in volumes if one.name in self._here.stores}
        told = {name: store.generation.warnings for name, store in opened.items()}
        return {name: self._lost.get(name) or some[0] for name, some in told.items() if some}

    def keep(self, names: Collection[str]) -> None:
        """Close all other volumes."""
        for name in self._here.stores.keys() - set(names):
            self._here.stores.pop(name).close()

    def renew(self, names: Iterable[str]) -> None:
        """Have volumes opened anew whose files are new: who has one of them open has the old files."""
        self._mended |= set(names)

    def _store(self, volume: Volume) -> Store:
        stores = self._here.stores
        if volume.name in self._mended and volume.name in stores:
            self._mended.discard(volume.name)
            stores.pop(volume.name).close()
        if volume.name in stores and stores[volume.name].generation.warnings and not self._lost.get(volume.name):
            stores.pop(volume.name).close()  # a damaged page of its rows was met by a query
            self._lost[volume.name] = next(iter(self._shelf.mend_rows(volume.name)), "")
        if volume.name not in stores:
            stores[volume.name] = self._whole(volume)
            for store in stores.values():
                store.generation.recent.most_bytes = READY_BYTES // len(stores)
        return stores[volume.name]

    def _whole(self, volume: Volume) -> Store:
        """Return a volume, opened; rows of the filter that are lost or torn on this disk are fetched anew."""
        store = self._one(volume)
        store.generation.posted.rows()
        if not store.generation.warnings:
            return store
        store.close()
        self._lost[volume.name] = next(iter(self._shelf.mend_rows(volume.name)), "")
        return self._one(volume)

    def _one(self, volume: Volume) -> Store:
        store = Store(self._shelf.folder_of(volume.name))
        try:
            require_as_listed(store, volume, self._params)
        except BaseException:
            store.close()
            raise
        return store
