"""The postings of one generation: files of their own, and those of tiles of earlier versions."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from pmbf import kernels
from pmbf.arrays import distinct
from pmbf.errors import CorruptError, ParameterError
from pmbf.hashes import Hashes
from pmbf.kernels import Evident, EvidentRules, Postings, Sampled
from pmbf.store import postings, tilefile
from pmbf.store.files import Identity, MappedFile, StoredFile
from pmbf.store.postings import Added, Source, StoredPostings
from pmbf.store.tilefile import StoredTile

Keys = NDArray[np.uint64]

POSTED_VERSION = 7
"""From this version of the format on, files of their own have all postings."""


class Posted:
    """The postings of one generation, opened when they are first asked for.

    Args:
        folder: The collection's.
        identity: What the files' headers say.
        live: Its files.
        open_file: Returns the file of a serial, mapped.
        open_tile: Returns the tile of a number.
        hashes_of: Returns the hashes of some parts of a document.
        hash_bits: Bits of a hash.

    Thread rule: threads may find from one object.
    """

    def __init__(
        self,
        folder: Path,
        identity: Identity,
        live: Iterable[StoredFile],
        open_file: Callable[[int], MappedFile],
        open_tile: Callable[[int], StoredTile],
        hashes_of: Callable[[int, int, int], Hashes],
        hash_bits: int,
    ) -> None:
        self._folder, self._hash_bits, self._live = folder, hash_bits, list(live)
        self._identity = identity
        self.files: Mapping[int, StoredFile] = {file.serial: file for file in self._live if file.kind == "POST"}
        """The files of their own, by serial."""
        self._tile_files = {file.tile: file for file in self._live if file.kind == "TILE"}
        self._open_file, self._open_tile, self._hashes_of = open_file, open_tile, hashes_of
        self._opened: dict[int, StoredPostings] = {}
        self._of_tiles: dict[int, Source] = {}
        self._unposted: list[int] | None = None
        self.unread_tiles: tuple[str, ...] = ()
        """Why tiles could not be read, each with its file and the way out; files of postings have their documents."""
        self._opening = threading.RLock()

    def of_file(self, serial: int) -> StoredPostings:
        """Return the postings in a file of their own.

        Raises:
            CorruptError: The file is damaged.
        """
        if serial not in self._opened:
            self._opened[serial] = StoredPostings.of_file(self._open_file(serial))
        return self._opened[serial]

    def unposted_tiles(self) -> list[int]:
        """Return the numbers of the tiles of earlier versions, whose documents no file of postings has, ascending.

        A tile that cannot be read is none of them if all texts are of a version that has files of postings.

        Raises:
            CorruptError: A tile is damaged, and may have postings.
        """
        if self._unposted is None:
            unposted, unread = list[int](), list[str]()
            for number, file in sorted(self._tile_files.items()):
                try:
                    if not tilefile.is_posted(self._folder, file, self._identity):
                        unposted.append(number)
                except OSError as error:
                    if not self._are_posted():
                        raise
                    unread.append(str(error))
            self.unread_tiles, self._unposted = tuple(unread), unposted
        return self._unposted

    def _are_posted(self) -> bool:
        """Return whether files of their own have the postings of all documents, as the documents' own files tell.

        A text or a fingerprint stands in a file of the version that stored it, until a compaction that writes the
        postings of all tiles, too.
        """
        serials = [file.serial for file in self._live if file.kind in ("TEXT", "FPRT")]
        try:
            return all(self._open_file(serial).version >= POSTED_VERSION for serial in serials)
        except OSError:
            return False

    def of_tile(self, number: int) -> Source:
        """Return the postings of a tile of an earlier version. If its file has none, then they are made now.

        Raises:
            CorruptError: The tile, or a fingerprint of a document in it, is damaged.
        """
        if number not in self._of_tiles:
            stored = self._open_tile(number)
            entries = () if stored.postings else stored.entries.tolist()
            added = [(document, self._hashes_of(document, start, stop)) for _, document, start, stop in entries]
            self._of_tiles[number] = stored.postings or postings.made(Added.of(added), self._hash_bits)
        return self._of_tiles[number]

    def sources(self) -> list[Source]:
        """Return all postings; no two have the same posting, but for parts of one document in tiles.

        Raises:
            CorruptError: A file is damaged.
        """
        with self._opening:
            own: list[Source] = [self.of_file(serial) for serial in sorted(self.files)]
            return own + [self.of_tile(number) for number in self.unposted_tiles()]

    def find(self, hashes: Hashes, *, limit: int, among: NDArray[np.uint32] | None) -> tuple[NDArray[np.int64], Keys]:
        """Return how many documents have each hash, and which documents have the hashes that few have.

        Args:
            hashes: `(q,)`, distinct.
            limit: Documents of a hash that more than `limit` documents have are only counted.
            among: `(n,) uint32`, the ids of the documents that are looked for, ascending; None: all documents.

        Returns:
            `(q,) int64`, and `(n,) uint64`, ascending, each once: document << 32 | number of the hash.

        Raises:
            CorruptError: A page is damaged, or the postings contradict themselves.
        """
        chosen = None
        if among is not None:
            chosen = np.zeros(int(among[-1]) + 1 if len(among) else 0, np.bool_)
            chosen[among] = True
        with self._asked() as asked:
            counts, keys = kernels.find_postings(asked, hashes, limit=limit, chosen=chosen)
        return counts, distinct(keys) if self.unposted_tiles() else keys

    def find_near(self, queries: Sequence[Hashes], *, least: int, window: int) -> list[Keys]:
        """Return the documents that have several hashes of a query near each other, for each of many queries.

        Args:
            queries: Of each query `(q,)`, distinct hashes.
            least: Hashes that a document must have, at least 1.
            window: Consecutive places of the query that they must be among.

        Returns:
            All hashes of these documents, for each query `(n,) uint64`, ascending, each once: document << 32 | place.

        Raises:
            CorruptError: A page is damaged, or the postings contradict themselves.
        """
        with self._asked() as asked:
            found = kernels.find_near(asked, queries, least=least, window=window)
        return [distinct(one) for one in found] if self.unposted_tiles() else found

    def evident(self, queries: Sequence[Sampled], rules: EvidentRules) -> Evident:
        """Return the documents with evidence enough of many queries.

        Args:
            queries: The queries.
            rules: How hits are weighed, and which documents are left out.

        Raises:
            CorruptError: A page is damaged, or the postings contradict themselves.
        """
        with self._asked() as asked:
            return kernels.evident(asked, queries, rules)

    @contextmanager
    def _asked(self) -> Iterator[list[Postings]]:
        """Hand out all postings for a look-up. If they contradict themselves, then a damaged page is looked for."""
        found = self.sources()
        try:
            yield [one if isinstance(one, Postings) else one.to_find() for one in found]
        except ParameterError as error:
            for one in found:
                if isinstance(one, StoredPostings):
                    one.file.verify()
            command = f"pmbf check --repair -c {self._folder}"
            raise CorruptError(f"{self._folder}: {error}; run `{command}`") from error
