"""An endpoint filter as one file, see `docs/format.md`: written once, checked whole before it is used.

Three checks tell three problems apart: a CRC-32 finds damage, the key's id finds another key, and the MAC (BLAKE2b
under the site key, over every byte) finds changes made without the key.

A row is a Bloom filter of one part of a document. All are of one width and equally full:

                 ┌──────────── a document's sampled hashes, in text order ────────────┐
                 ├────── part 0: 512 ──────┤
                                       ├────── part 1: 512 ──────┤                      64 shared by neighbours
                                                             ├─ part 2: 90 ─┤░░ 422 keyed random hashes ░░░░░│

Every row holds `CAPACITY` hashes, so no row tells how long its document is. Rows are sorted by their opaque ids, so the
rows of one document stand anywhere. Any `OVERLAP` hashes in a row lie in one part.
"""

from __future__ import annotations

import hashlib
import hmac
import mmap
import os
import struct
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from pmbf import kernels
from pmbf.base.contents import open_regular
from pmbf.base.errors import CorruptError, NotFoundError, ParameterError, UnsupportedError
from pmbf.base.params import words_per_row
from pmbf.base.span import Span, merged
from pmbf.guard.filter.sampling import NEAR, RULES, RUN, WEAK_RUN, KeyedSample
from pmbf.store import files, folders
from pmbf.store.sitekey import KEY_BYTES, SiteKey
from pmbf.tile import ROWS_PER_TILE

CAPACITY, OVERLAP = 512, 64
N_HASHES, FPR = 3, 0.01
ROW_WORDS = words_per_row(CAPACITY, n_hashes=N_HASHES, fpr=FPR)
ROWS_TOGETHER = 64
"""The number of rows is a multiple of 64: that takes no more space, and tells less about the collection."""

Hashes = NDArray[np.uint32]

KIND, VERSION = b"ENDP", 1
_FIELDS = struct.Struct("<8s4sHH8s8sIIIIQ")
_CRC = struct.Struct("<I")
HEADER_BYTES, _MAC_BYTES = 128, 32
_CRC_AT = HEADER_BYTES - _CRC.size
_MAC_AT = _CRC_AT - _MAC_BYTES
_BLOCK = 4096
"""Sampled hashes of a text that are looked up together, so that their hits stay in the cache."""


def require_replaceable(path: str | os.PathLike[str]) -> None:
    """Refuse an existing file that is no endpoint filter, such as a site key or a document."""
    if not os.path.lexists(path):
        return
    expected = files.MAGIC + KIND
    if not os.path.isfile(path) or _head(path, len(expected)) != expected:
        raise ParameterError(f"{path}: is there and is no endpoint filter; name another file, or remove it first")


def write(path: str | os.PathLike[str], parts: Mapping[int, Hashes], key: SiteKey) -> tuple[int, int]:
    """Write an endpoint filter, whole or not at all, in the place of one before; return its rows and its bytes.

    Args:
        path: The file.
        parts: The distinct hashes of each row, up to `CAPACITY`, by its id.
        key: The site key.
    """
    filled = with_fillers(parts, key)
    ids = np.array(list(filled), "<u8").tobytes()
    payload = b"".join([ids, *(tile.astype("<u8", copy=False).tobytes() for tile in sealed_tiles(filled, key))])
    fields = _FIELDS.pack(
        files.MAGIC, KIND, VERSION, HEADER_BYTES, key.id, _rules(), len(filled), ROW_WORDS,
        N_HASHES, kernels.checksum(payload), len(payload),
    )  # fmt: skip
    unsigned = fields.ljust(_MAC_AT, b"\0")
    signed = unsigned + _mac(unsigned, payload, key)
    header = signed + _CRC.pack(zlib.crc32(signed))
    with folders.replacing(Path(path).absolute(), beside_others=True) as file:
        file.write(header)
        file.write(payload)
    return len(filled), len(header) + len(payload)


@dataclass(frozen=True, slots=True)
class Run:
    """Consecutive hashes `[start, stop)` of a sample that one row holds: text of the row's document."""

    row: int
    start: int
    stop: int


class EndpointFilter:
    """An endpoint filter, mapped and checked whole: a second for each GB. Any number of threads may ask.

    Raises:
        NotFoundError: There is no such file.
        CorruptError: The file is cut, damaged, of another kind, or was changed without the key.
        UnsupportedError: A newer pmbf wrote the file, or a pmbf with other rules.
        ParameterError: The file was made with another key.
    """

    def __init__(self, path: str | os.PathLike[str], key: SiteKey) -> None:
        self.path = Path(path)
        content = _mapped(self.path)
        n_rows, n_words, self._n_hashes = _checked(self.path, content, key)
        self.ids = np.frombuffer(content, "<u8", n_rows, HEADER_BYTES)
        self._tiles = list(_tiles(content, n_rows, n_words))

    def runs(self, sample: KeyedSample) -> list[Run]:
        """Return the runs of at least `RUN` distinct hashes that a row holds, and shorter runs beside them.

        At most `NEAR` hashes from such a run, a run of `WEAK_RUN` hashes is enough: a word was changed in between.
        """
        found: dict[int, list[Span]] = {}
        for number, tile in enumerate(self._tiles):
            for row, start, stop in self._runs_in(tile, sample.hashes):
                if len(np.unique(sample.hashes[start:stop])) >= RUN:
                    beside = self._beside(tile, row, start, stop, sample.hashes)
                    found.setdefault(number * ROWS_PER_TILE + row, []).extend(beside)
        return [Run(int(self.ids[at]), one.start, one.stop) for at, spans in found.items() for one in merged(spans)]

    def _beside(self, tile: NDArray[np.uint64], row: int, start: int, stop: int, hashes: Hashes) -> Iterator[Span]:
        """Yield a run and the shorter ones beside it."""
        begin = max(0, start - NEAR)
        around = slice(begin, stop + NEAR)
        hits, _ = kernels.look_up([(tile, True, self._n_hashes)], hashes[around])
        yield Span(start, stop)
        yield from (Span(first + begin, last + begin) for first, last in _runs_of(hits, row, WEAK_RUN))

    def _runs_in(self, tile: NDArray[np.uint64], hashes: Hashes) -> Iterator[tuple[int, int, int]]:
        """Yield row, start and stop of each run in a tile, by row; those that blocks cut are put together again."""
        open_: dict[int, list[tuple[int, int]]] = {}
        for first in range(0, len(hashes), _BLOCK):
            # Blocks overlap by RUN - 1 hashes, so that no run is lost at a border.
            begin = max(0, first - (RUN - 1))
            block = slice(begin, first + _BLOCK)
            hits, _ = kernels.look_up([(tile, True, self._n_hashes)], hashes[block])
            for row, start, stop in _runs(hits):
                runs = open_.setdefault(row, [])
                if runs and start + begin <= runs[-1][1]:
                    start, _ = runs.pop()
                    start -= begin
                runs.append((start + begin, stop + begin))
        for row, runs in open_.items():
            yield from ((row, start, stop) for start, stop in runs)


def _runs(hits: NDArray[np.uint64]) -> Iterator[tuple[int, int, int]]:
    """Yield row, start and stop of each run of at least `RUN` lines of hits."""
    if len(hits) < RUN:
        return
    rows_hit = np.bitwise_or.reduce(_all_of(hits, RUN), axis=0)
    for row in np.flatnonzero(np.unpackbits(rows_hit.view(np.uint8), bitorder="little")).tolist():
        yield from ((row, start, stop) for start, stop in _runs_of(hits, row, RUN))


def _runs_of(hits: NDArray[np.uint64], row: int, least: int) -> Iterator[tuple[int, int]]:
    """Yield start and stop of each run of at least `least` lines that hit a row."""
    column = (hits[:, row // 64] >> np.uint64(row % 64)).astype(np.uint8) & 1
    edges = np.flatnonzero(np.diff(column, prepend=np.uint8(0), append=np.uint8(0)))
    yield from ((start, stop) for start, stop in edges.reshape(-1, 2).tolist() if stop - start >= least)


def _all_of(hits: NDArray[np.uint64], n: int) -> NDArray[np.uint64]:
    """Return the AND of each n consecutive lines."""
    have, all_ = 1, hits
    while have < n:
        step = min(have, n - have)
        all_, have = all_[:-step] & all_[step:], have + step
    return all_


# ---------------------------------------------------------------------- rows


def part_bounds(n_hashes: int) -> Iterator[tuple[int, int]]:
    """Yield where the parts of a document begin and end among its sampled hashes.

    >>> list(part_bounds(1000))
    [(0, 512), (448, 960), (896, 1000)]
    """
    start = 0
    while start == 0 or start + OVERLAP < n_hashes:
        yield start, min(start + CAPACITY, n_hashes)
        start += CAPACITY - OVERLAP


def with_fillers(parts: Mapping[int, Hashes], key: SiteKey) -> dict[int, Hashes]:
    """Return the rows by ascending id, with empty rows added until their number is a multiple of `ROWS_TOGETHER`.

    Args:
        parts: The distinct hashes of each row, up to `CAPACITY`, by its id.
        key: The ids of the added rows are drawn from it.
    """
    n_rows = max(1, -(-len(parts) // ROWS_TOGETHER)) * ROWS_TOGETHER
    drawn = np.frombuffer(_stream(key, b"", 8 * n_rows), "<u8").tolist()
    fillers = [row for row in dict.fromkeys(drawn) if row not in parts][: n_rows - len(parts)]
    rows = {**parts, **{row: np.empty(0, np.uint32) for row in fillers}}
    return dict(sorted(rows.items()))


def sealed_tiles(rows: Mapping[int, Hashes], key: SiteKey) -> Iterator[NDArray[np.uint64]]:
    """Yield the slices of each tile, `(64 ROW_WORDS, S) uint64`, each row filled up to `CAPACITY` hashes."""
    ids = list(rows)
    for first in range(0, len(ids), ROWS_PER_TILE):
        some = ids[first : first + ROWS_PER_TILE]
        matrix = np.zeros((len(some), ROW_WORDS), np.uint64)
        for row, bits in zip(some, matrix, strict=True):
            kernels.fill(bits, padded(rows[row], row, key), n_hashes=N_HASHES)
        yield kernels.seal(matrix)


def padded(hashes: Hashes, row: int, key: SiteKey) -> Hashes:
    """Return a row's hashes, filled up with keyed random hashes to `CAPACITY` distinct ones.

    >>> len(np.unique(padded(np.array([7, 9], np.uint32), 1, SiteKey(bytes(16)))))
    512
    """
    drawn = np.frombuffer(_stream(key, row.to_bytes(8, "little"), 8 * CAPACITY), "<u4")
    own = set(hashes.tolist())
    extra = [one for one in dict.fromkeys(drawn.tolist()) if one not in own][: CAPACITY - len(own)]
    return np.concatenate([np.array(sorted(own), np.uint32), np.array(extra, np.uint32)])


def _stream(key: SiteKey, label: bytes, n_bytes: int) -> bytes:
    return hashlib.shake_128(key.derived("padding", KEY_BYTES) + label).digest(n_bytes)


# ---------------------------------------------------------------------- bytes


def _rules() -> bytes:
    return hashlib.blake2b(RULES.encode(), digest_size=8).digest()


def _mac(unsigned: bytes, payload: bytes | memoryview, key: SiteKey) -> bytes:
    mac = hashlib.blake2b(unsigned, key=key.derived("mac", KEY_BYTES), digest_size=_MAC_BYTES)
    mac.update(payload)
    return mac.digest()


def _mapped(path: Path) -> memoryview:
    try:
        with open(path, "rb", opener=open_regular) as file:
            return memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))
    except FileNotFoundError:
        raise NotFoundError(f"{path}: no such endpoint filter; `pmbf export` makes one") from None
    except ValueError:
        raise _damaged(path, "the file is empty") from None


def _head(path: str | os.PathLike[str], n_bytes: int) -> bytes:
    with open(path, "rb", opener=open_regular) as file:
        return file.read(n_bytes)


def _checked(path: Path, content: memoryview, key: SiteKey) -> tuple[int, int, int]:
    """Return the number of rows, the words of a row and the bits of a hash."""
    if len(content) < HEADER_BYTES:
        raise _damaged(path, f"length is {len(content)} bytes, expected at least {HEADER_BYTES}")
    magic, kind, version, _, key_id, rules, n_rows, n_words, n_hashes, crc, size = _FIELDS.unpack_from(content)
    if (magic, kind) != (files.MAGIC, KIND):
        raise CorruptError(f"{path}: is no endpoint filter, expected what `pmbf export` writes")
    if zlib.crc32(content[:_CRC_AT]) != _CRC.unpack_from(content, _CRC_AT)[0]:
        raise _damaged(path, "the checksum of the header does not fit")
    if version != VERSION:
        raise UnsupportedError(f"{path}: format version is {version}, this pmbf reads {VERSION}; upgrade pmbf")
    payload = content[HEADER_BYTES:]
    if len(payload) != size:
        raise _damaged(path, f"length is {len(content)} bytes, expected {HEADER_BYTES + size}")
    if kernels.checksum(payload) != crc:
        raise _damaged(path, "the checksum does not fit")
    if key_id != key.id:
        raise ParameterError(
            f"{path}: was made with the site key {key_id.hex()}, the key file has {key.id.hex()}; name the right one"
        )
    if not hmac.compare_digest(_mac(bytes(content[:_MAC_AT]), payload, key), content[_MAC_AT:_CRC_AT]):
        raise CorruptError(f"{path}: was changed by somebody without the site key; do not use it, export it again")
    if rules != _rules():
        raise UnsupportedError(f"{path}: made by other rules than this pmbf's; export it again with this one")
    return n_rows, n_words, n_hashes


def _tiles(content: memoryview, n_rows: int, n_words: int) -> Iterator[NDArray[np.uint64]]:
    at = HEADER_BYTES + 8 * n_rows
    for first in range(0, n_rows, ROWS_PER_TILE):
        shape = 64 * n_words, -(-min(ROWS_PER_TILE, n_rows - first) // 64)
        yield np.frombuffer(content, "<u8", shape[0] * shape[1], at).reshape(shape)
        at += 8 * shape[0] * shape[1]


def _damaged(path: Path, what: str) -> CorruptError:
    return CorruptError(f"{path}: {what}; export it again")
