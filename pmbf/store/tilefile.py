"""A tile as a file: its bits, and which documents live in which of its rows. `docs/format.md` lays it out, kind `TILE`.

The tile that still grows is stored sealed too once it has `SEALED_ROWS`: it answers 25 times as fast, and the writer
unseals it in a millisecond.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pmbf import kernels
from pmbf.base.arrays import distinct
from pmbf.filter import Tile
from pmbf.rowindex import Entries
from pmbf.store.files import Identity, MappedFile, StoredFile, damaged

SEALED_ROWS = 32
"""Fewer rows are stored open: a word of a slice has 64, and the others of them would take room for nothing."""

_HEAD = struct.Struct("<6Id")
_LINE_BYTES = 64
_GROWING = 1

Hashes = NDArray[np.uint32]


@dataclass(slots=True)
class StoredTile:
    """A tile, and the documents of its rows; `growing` tells whether it takes more."""

    tile: Tile
    entries: Entries
    growing: bool

    @property
    def documents(self) -> Hashes:
        """The ids of its documents, ascending, `(d,) uint32`."""
        return distinct(self.entries[:, 1])


def payload(stored: StoredTile) -> Iterator[bytes | memoryview]:
    """Yield the parts of a tile file's payload."""
    tile = stored.tile
    sealed = tile.sealed or tile.n_rows >= SEALED_ROWS
    flags = _GROWING * stored.growing
    head = _HEAD.pack(tile.n_rows, tile.row_words, tile.n_hashes, sealed, len(stored.entries), flags, tile.fpr)
    head += np.asarray(tile.popcounts, "<u4").tobytes()
    head += np.asarray(stored.entries, "<u4").tobytes()
    yield head + bytes(-len(head) % _LINE_BYTES)
    bits = kernels.seal(tile.bits) if sealed and not tile.sealed else tile.bits
    yield np.ascontiguousarray(bits, "<u8").data.cast("B")


def read(folder: Path, stored: StoredFile, identity: Identity) -> StoredTile:
    """Return the tile in a file. Its bits are mapped, and each page of them is checked before its first use."""
    file = MappedFile(folder, stored, identity)
    try:
        return _parse(file)
    except (struct.error, ValueError) as error:
        raise damaged(file.path, f"the tile's head does not fit its length ({error})") from error


def is_growing(folder: Path, stored: StoredFile, identity: Identity) -> bool:
    """Return whether the tile in a file takes more documents; one page of the file is read."""
    file = MappedFile(folder, stored, identity)
    try:
        return bool(_head(file)[5] & _GROWING)
    finally:
        file.close()


def _head(file: MappedFile) -> tuple[Any, ...]:
    file.check(0, _HEAD.size)
    return _HEAD.unpack_from(file.payload)


def _parse(file: MappedFile) -> StoredTile:
    content = file.payload
    n_rows, row_words, n_hashes, sealed, n_entries, flags, fpr = _head(file)
    offset = _HEAD.size
    file.check(offset, offset + 4 * n_rows + 16 * n_entries)
    popcounts = np.frombuffer(content, "<u4", n_rows, offset)
    entries = np.frombuffer(content, "<u4", 4 * n_entries, offset + 4 * n_rows).reshape(n_entries, 4)
    offset += 4 * n_rows + 16 * n_entries
    offset += -offset % _LINE_BYTES
    shape = (64 * row_words, -(-n_rows // 64)) if sealed else (n_rows, row_words)
    bits = np.frombuffer(content, "<u8", shape[0] * shape[1], offset).reshape(shape)
    form = Tile.sealed_form if sealed else Tile.open_form
    check = partial(_check_lines, file, offset, 8 * shape[1])
    tile = form(bits, n_rows=n_rows, n_hashes=n_hashes, fpr=fpr, popcounts=popcounts, check=check)
    return StoredTile(tile, entries, bool(flags & _GROWING))


def _check_lines(file: MappedFile, start: int, line_bytes: int, lines: NDArray[np.int64] | None) -> bool:
    """Check lines of a tile's bits, or all of them; return whether all are checked now."""
    if lines is None:
        file.verify()
    else:
        file.check_places(start + line_bytes * lines, line_bytes)
    return file.is_checked
