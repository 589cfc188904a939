"""Files that are written once, checked before they are believed, and never changed.

Every binary file is a 64-byte header, a payload, and a CRC-32 for each page of 4096 bytes of the payload. A page is
checked when it is first used. `docs/format.md` describes the header and the payloads.
"""

from __future__ import annotations

import contextlib
import mmap
import struct
import zlib
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pmbf import kernels
from pmbf.base.contents import open_regular
from pmbf.base.errors import CorruptError, ParameterError, UnsupportedError
from pmbf.store import mapping
from pmbf.store.folders import make_folder, replacing

MAGIC = b"\x89PMBF\r\n\n"
FORMAT_VERSION = 10
"""The one version of the format that is read and written."""
CATALOG_NAME = "catalog.sqlite"
HEADER = struct.Struct("<8s4sHH16s8sQQII")
HEADER_BYTES = HEADER.size
MAX_ID = 2**32 - 1
"""The largest id of a document, serial of a file and number of a tile: tiles and directory have 32 bits for them."""
PAGE_BYTES = 4096
"""What one checksum covers: the memory's own page, and 0.2 us to check."""

_CRC_BYTES = 4

Buffer = bytes | bytearray | memoryview


@dataclass(frozen=True, slots=True)
class Identity:
    """What ties a file to its collection: 16 random bytes, and the digest of the parameters."""

    collection_id: bytes
    params_digest: bytes


class StoredFile(NamedTuple):
    """A file's row in the catalog: enough to refuse any other file in its place.

    Args:
        serial: The file's number, never used twice in a collection.
        kind: Four ASCII letters.
        payload_bytes: Length without the header.
        payload_crc: CRC-32 of the checksums of the payload's pages.
        tile: Number of the tile, or of the chunk of the directory, that the file holds; otherwise -1.
    """

    serial: int
    kind: str
    payload_bytes: int
    payload_crc: int
    tile: int = -1

    @property
    def name(self) -> str:
        """File name inside the collection, with its folder.

        >>> StoredFile(3, "TILE", 0, 0).name
        'tiles/000003.tile'
        """
        folder, suffix = (FILE_KINDS | BESIDE_KINDS)[self.kind]
        return f"{folder}/{self.serial:06d}.{suffix}"

    def is_possible(self) -> bool:
        """Return whether a writer can have made this row."""
        return self.kind in FILE_KINDS and bool(are_possible(self.serial, self.kind in NUMBERED_KINDS, *self[2:]))


def are_possible(serial: Any, is_numbered: Any, payload_bytes: Any, payload_crc: Any, tile: Any) -> Any:
    """Return whether a writer can have made the numbers of a file's row; of columns, whether each row's."""
    has_tile = (tile >= -1) & (tile <= MAX_ID) & ((tile >= 0) == is_numbered)
    is_sized = (payload_bytes >= 0) & (payload_bytes < 2**48) & (payload_crc >= 0) & (payload_crc < 2**32)
    return (serial > 0) & (serial <= MAX_ID) & is_sized & has_tile


FILE_KINDS = {
    "TILE": ("tiles", "tile"),
    "ROWS": ("tiles", "rows"),
    "POST": ("postings", "post"),
    "FPRT": ("fingerprints", "fprt"),
    "TEXT": ("texts", "text"),
    "DOCS": ("tiles", "docs"),
}
"""Folder and suffix of the files that the catalog names."""

NUMBERED_KINDS = {"TILE", "DOCS"}
"""Those whose rows have the number of a tile, or of a chunk of the directory."""

BESIDE_KINDS = {"CHNK": ("similar", "chunks"), "SENT": ("sentences", "units")}
"""Folder and suffix of the files that are made from the collection, and named beside the catalog."""


def write_file(folder: Path, kind: str, identity: Identity, serial: int, payload: Iterable[Buffer]) -> StoredFile:
    """Write a file so that after a crash it is there whole or not at all, and return its row.

    Raises:
        OSError: The disk is full or the folder cannot be written; nothing is left behind.
    """
    target = folder / StoredFile(serial, kind, 0, 0).name
    make_folder(target.parent)
    with replacing(target) as file:
        return _write_payload(file, kind, identity, serial, payload)


def _write_payload(file: BinaryIO, kind: str, identity: Identity, serial: int, payload: Iterable[Buffer]) -> StoredFile:
    file.write(bytes(HEADER_BYTES))
    size, sums = 0, _PageSums()
    for part in payload:
        file.write(part)
        size += memoryview(part).nbytes
        sums.add(part)
    table = sums.finished()
    file.write(table)
    stored = StoredFile(serial, kind, size, kernels.checksum(table))
    file.seek(0)
    file.write(_header(stored, identity))
    return stored


class _PageSums:
    """The page checksums of a payload that is written part by part."""

    def __init__(self) -> None:
        self._sums: list[bytes] = []
        self._rest = b""

    def add(self, part: Buffer) -> None:
        octets = memoryview(part)
        if self._rest:
            missing = PAGE_BYTES - len(self._rest)
            self._rest += octets[:missing]
            octets = octets[missing:]
            if len(self._rest) < PAGE_BYTES:
                return
            self._take(self._rest)
        whole = len(octets) // PAGE_BYTES * PAGE_BYTES
        self._take(octets[:whole])
        self._rest = bytes(octets[whole:])

    def finished(self) -> bytes:
        self._take(self._rest)
        return b"".join(self._sums)

    def _take(self, pages: bytes | memoryview) -> None:
        self._sums.append(kernels.page_checksums(pages, page_bytes=PAGE_BYTES).astype("<u4").tobytes())


def _header(stored: StoredFile, identity: Identity) -> bytes:
    begin = (MAGIC, stored.kind.encode(), FORMAT_VERSION, HEADER_BYTES, identity.collection_id, identity.params_digest)
    fields = HEADER.pack(*begin, stored.serial, stored.payload_bytes, stored.payload_crc, 0)
    return fields[:-_CRC_BYTES] + struct.pack("<I", zlib.crc32(fields[:-_CRC_BYTES]))


class MappedFile:
    """A file's payload in memory-mapped form; its header is checked on opening, a page of it before its first use.

    Whoever reads the payload asks for the check before, or compares a checksum of its own.

    Thread rule: safe to read from any number of threads.
    """

    def __init__(self, folder: Path, stored: StoredFile, identity: Identity) -> None:
        """Map a file.

        Raises:
            CorruptError: The file is missing, cut, damaged, or not the one the catalog names.
            UnsupportedError: The file has another format version.
        """
        self.path = folder / stored.name
        self.stored = stored
        self.is_checked = False
        """Whether every page was checked."""
        self._map = _map(self.path)
        mapping.advise(self._map, stored.kind)
        _check_header(self.path, self._map, stored, identity)
        self.payload = memoryview(self._map)[HEADER_BYTES : HEADER_BYTES + stored.payload_bytes]
        self._sums: NDArray[np.uint32] | None = None
        self.checked = np.zeros(n_pages(stored.payload_bytes), np.uint8)
        """Of each page, whether it was checked."""

    def verify(self) -> memoryview:
        """Return the payload after checking those of its pages that were not checked before."""
        if not self.is_checked:
            self.check(0, len(self.payload))
            self.is_checked = True
        return self.payload

    def check(self, start: int, stop: int) -> None:
        """Check the pages of a range of the payload, each once."""
        if not self.is_checked:
            self._check(np.array([start], np.int64), stop - start)

    def check_each(self, offsets: NDArray[np.int64], size: int) -> None:
        """Check the pages of many places of `size` bytes, each page once."""
        if not self.is_checked:
            self._check(offsets, size)

    def check_places(self, offsets: NDArray[np.int64], size: int) -> None:
        """Check the pages of many places of `size` bytes, as `check_each`. After half of all pages come the others."""
        if not self.is_checked:
            self._check(offsets, size)
            if 2 * np.count_nonzero(self.checked) >= len(self.checked):
                self.verify()

    @property
    def sums(self) -> NDArray[np.uint32]:
        """The checksum of each page, `(n_pages,) uint32`."""
        if self._sums is None:
            self._sums = self._read_sums()
        return self._sums

    def read_apart(self) -> None:
        """Have single pages of the file read, and nothing around them: memory does not hold the file."""
        mapping.read_apart(self._map)

    def read_ahead(self, starts: NDArray[np.int64], stops: NDArray[np.int64]) -> None:
        """Begin to read the pages of some ranges of the payload."""
        end = len(self.payload)
        starts, stops = np.clip(starts, 0, end - 1), np.clip(stops, 0, end)
        mapping.read_ahead(self._map, HEADER_BYTES + starts, HEADER_BYTES + stops)

    def let_go(self, start: int, stop: int) -> None:
        """Take a range of the payload out of this process's memory, until it is read again."""
        mapping.let_go(self._map, HEADER_BYTES + start, HEADER_BYTES + stop)

    def close(self) -> None:
        """Unmap the file, unless arrays over it are still alive: then they keep it mapped."""
        with contextlib.suppress(BufferError):
            self.payload.release()
            self._map.close()

    def _check(self, offsets: NDArray[np.int64], size: int) -> None:
        try:
            page = kernels.check_pages(self.payload, self.sums, self.checked, offsets, size, page_bytes=PAGE_BYTES)
        except ParameterError as error:
            raise damaged(self.path, f"names a place that it does not have ({error})") from error
        if page is not None:
            crc = kernels.checksum(self.payload[page * PAGE_BYTES : (page + 1) * PAGE_BYTES])
            raise damaged(self.path, f"checksum of page {page} is {crc:08x}, expected {self.sums[page]:08x}")

    def _read_sums(self) -> NDArray[np.uint32]:
        table = self._map[HEADER_BYTES + self.stored.payload_bytes :]
        crc = kernels.checksum(table)
        if crc != self.stored.payload_crc:
            raise damaged(self.path, f"checksum of its checksums is {crc:08x}, expected {self.stored.payload_crc:08x}")
        return np.frombuffer(table, "<u4").astype(np.uint32)


class HeldFile(MappedFile):
    """A file that is not written yet: its payload lies in the catalog, where its checksum was compared."""

    def __init__(self, path: Path, payload: bytes) -> None:
        self.path, self.payload, self.is_checked = path, memoryview(payload), True

    def check(self, start: int, stop: int) -> None:
        """Refuse a range that leaves the payload."""
        if not 0 <= start <= stop <= len(self.payload):
            raise damaged(self.path, f"names the bytes {start} to {stop} of {len(self.payload)} in its journal")

    def close(self) -> None:
        """Do nothing: the journal has the payload."""


def n_pages(payload_bytes: int) -> int:
    """Return the pages of a payload, the last one maybe shorter."""
    return -(-payload_bytes // PAGE_BYTES)


def opened(path: Path) -> BinaryIO:
    """Return a file of a collection, opened for reading. Every file but the catalog and the locks is opened here.

    Raises:
        CorruptError: Something else has its name: a folder, a pipe, a socket or a device. Nothing waits for a pipe.
        OSError: It cannot be opened.
    """
    try:
        return open(path, "rb", opener=open_regular)
    except UnsupportedError:
        raise damaged(path, "is not a regular file") from None


def _map(path: Path) -> mmap.mmap:
    try:
        with opened(path) as file:
            return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    except FileNotFoundError:
        raise damaged(path, "the file is missing") from None
    except ValueError:
        raise damaged(path, "the file is empty") from None


def _check_header(path: Path, content: mmap.mmap, stored: StoredFile, identity: Identity) -> None:
    if len(content) < HEADER_BYTES:
        raise damaged(path, f"length is {len(content)} bytes, expected at least {HEADER_BYTES}")
    fields = HEADER.unpack_from(content)
    magic, kind, version, _, collection_id, digest, serial, size, crc, header_crc = fields
    if magic != MAGIC:
        raise damaged(path, f"starts with {magic.hex()}, expected {MAGIC.hex()}: not a file of pmbf")
    if zlib.crc32(content[: HEADER_BYTES - _CRC_BYTES]) != header_crc:
        raise damaged(path, "the checksum of the header does not fit")
    require_version(path, version)
    if Identity(collection_id, digest) != identity:
        raise damaged(path, "the file belongs to another collection")
    if (serial, kind.decode("ascii", "replace"), size, crc) != stored[:4]:
        raise damaged(path, "the file is not the one the catalog names (an older or foreign copy)")
    expected = HEADER_BYTES + size + _CRC_BYTES * n_pages(size)
    if len(content) != expected:
        raise damaged(path, f"length is {len(content)} bytes, expected {expected}")


def require_version(path: Path, version: int) -> None:
    """Refuse a version of the format that this pmbf does not read.

    Raises:
        UnsupportedError: The version is another than `FORMAT_VERSION`; the message has the way out.
    """
    if version != FORMAT_VERSION:
        way_out = "upgrade pmbf" if version > FORMAT_VERSION else "load the documents into a new collection"
        raise UnsupportedError(f"{path}: format version is {version}, this pmbf reads {FORMAT_VERSION}; {way_out}")


def require_versions(folder: Path) -> None:
    """Refuse a collection with a file of another version (`UnsupportedError`). A damaged header tells no version."""
    for inside, suffix in (FILE_KINDS | BESIDE_KINDS).values():
        for path in sorted(folder.glob(f"{inside}/*.{suffix}")):
            with contextlib.suppress(CorruptError, FileNotFoundError, struct.error), opened(path) as file:
                magic, _, version, *_, crc = HEADER.unpack(header := file.read(HEADER_BYTES))
                if magic == MAGIC and crc == zlib.crc32(header[:-_CRC_BYTES]):
                    require_version(path, version)


def damaged(path: Path, what: str) -> CorruptError:
    """Return the error for a damaged file, with the way out."""
    is_inside = path.parent.name in {folder for folder, _ in (FILE_KINDS | BESIDE_KINDS).values()}
    collection = path.parents[1] if is_inside else path.parent
    return CorruptError(f"{path}: {what}; run `pmbf check --repair -c {collection}`")
