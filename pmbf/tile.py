"""A tile: up to 512 rows of equal width, each a Bloom filter, in one of two forms.

A hash sets k bits of a row of m bits. A row may hold a hash if all k bits are set: always if the hash was inserted, and
with probability ε = (popcount / m)^k if it was not.

    open: row after row                          sealed: bit position after bit position, 512 rows in 64 bytes

              bit 0 ─────────────► m - 1                   row 0 ─────────────► 511
        row 0 │ 0 1 1 0 1 1 0 0 … │                  bit 0 │ 0 1 1 0 0 0 1 0 … │ = one line of the processor's cache
        row 1 │ 1 1 0 0 0 0 0 1 … │    seal() ─►     bit 1 │ 1 1 0 0 1 0 0 0 … │
        row 2 │ 1 0 0 0 0 1 0 0 … │   ◄─ unseal()    bit 2 │ 1 0 0 1 0 0 0 1 … │
          …   │                   │                    …   │                   │
        (n_rows, W) uint64, m = 64 W                 (64 W, ceil(n_rows / 64)) uint64

An insertion writes into one row, so the tile that is being filled is open. A query asks each row for the same k bits,
so a full tile is sealed: k cache lines answer one hash for 512 rows. With fewer rows a line has fewer words. Measured
with 512 rows of 12,800 bits, k = 3: looking up 1,200 hashes takes 1.2 ms in an open tile and 0.06 ms in a sealed one;
sealing takes 1.1 ms.

Sources:
    Tskhay, Butakov & Kim 2014: several documents in one row; AND and popcount as in Geravand & Ahmadi 2011.
    Bingmann et al. 2019, COBS, and Seiler et al. 2021, Raptor: filters stored bit position by bit position.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np
from numpy.typing import NDArray

from pmbf import kernels
from pmbf.base import params
from pmbf.base.errors import ParameterError
from pmbf.kernels import Probed

ROWS_PER_TILE = 512
"""One bit of each row fills one 64-byte line of the processor's cache."""

_FIRST_ROWS = 8
Hashes = NDArray[np.uint32]
Bits = NDArray[np.uint64]
Check = Callable[[NDArray[np.int64] | None], bool]
"""Called with the numbers of the slices about to be read; None stands for all bits. Raises if a slice is damaged.
Returns whether all bits are checked by now; if so, then no more calls are needed."""


class Tile:
    """Up to 512 rows of equal width, open or sealed.

    Promise: an inserted hash always hits its row, in either form. Any number of threads may query a tile while no
    thread changes it.

    Attributes:
        n_rows: Rows so far, 0 to `ROWS_PER_TILE`.
        row_words: Words of a row, W.
        n_hashes: Bits per hash, k.
        fpr: Chance that an absent hash hits a full row, ε.
        sealed: Whether the bits are stored position by position.

    >>> tile = Tile.new(194, n_hashes=3, fpr=0.01)
    >>> tile.insert(tile.add_row(), np.array([7, 8, 9], np.uint32))
    >>> tile.hits(np.array([8, 1000], np.uint32)).tolist()
    [[1], [0]]
    """

    __slots__ = ("_bits", "_check", "_popcounts", "capacity", "fpr", "n_hashes", "n_rows", "row_words", "sealed")

    def __init__(self, bits: Bits, popcounts: NDArray[np.int64], *, n_hashes: int, fpr: float, sealed: bool) -> None:
        """Keep the arguments unchecked. `new`, `open_form` and `sealed_form` check them."""
        self._bits = bits
        self._check: Check | None = None
        self._popcounts = popcounts
        self.n_rows = len(popcounts)
        self.row_words = len(bits) // 64 if sealed else bits.shape[1]
        self.n_hashes = n_hashes
        self.fpr = fpr
        self.sealed = sealed
        self.capacity = self._room(0)
        """Hashes an empty row of this width may take."""

    @classmethod
    def new(cls, row_words: int, *, n_hashes: int, fpr: float) -> Tile:
        """Return an open tile without rows.

        Args:
            row_words: Words of a row, 1 to 2^26 - 1; `params.words_per_row` computes them.
            n_hashes: Bits per hash, k, at least 1.
            fpr: Chance that an absent hash hits a full row, in (0, 1).

        Raises:
            ParameterError: A number is outside its range.
        """
        _require_numbers(0, row_words, n_hashes, fpr)
        bits, popcounts = np.empty((0, row_words), np.uint64), np.empty(0, np.int64)
        return cls(bits, popcounts, n_hashes=n_hashes, fpr=fpr, sealed=False)

    @classmethod
    def open_form(
        cls,
        rows: Bits,
        *,
        n_rows: int,
        n_hashes: int,
        fpr: float,
        popcounts: NDArray[np.integer] | None = None,
        check: Check | None = None,
    ) -> Tile:
        """Return an open tile over rows, `(n_rows, W) uint64`, which are shared: if they are read-only, so is the tile.

        Args:
            rows, n_rows, n_hashes, fpr: As for `new`; at most `ROWS_PER_TILE` rows.
            popcounts: `(n_rows,)`, bits set in each row. None: they are counted now.
            check: Called before bits are read; see `Check`.
        """
        if rows.ndim != 2 or len(rows) != n_rows:
            raise ParameterError(f"rows is {rows.dtype} {rows.shape}, expected uint64 ({n_rows}, W)")
        _require_numbers(n_rows, rows.shape[1], n_hashes, fpr)
        counts = kernels.popcounts(rows) if popcounts is None else _own_counts(popcounts, n_rows)
        return cls(rows, counts, n_hashes=n_hashes, fpr=fpr, sealed=False)._checked_by(check)

    @classmethod
    def sealed_form(
        cls,
        slices: Bits,
        *,
        n_rows: int,
        n_hashes: int,
        fpr: float,
        popcounts: NDArray[np.integer] | None = None,
        check: Check | None = None,
    ) -> Tile:
        """Return a sealed tile over slices, `(64 W, ceil(n_rows / 64)) uint64`, which may be a read-only memory map.

        The array is shared, not copied. Without `popcounts` they are counted now, which reads all bits.
        """
        if slices.ndim != 2 or len(slices) % 64 or slices.shape[1] != -(-n_rows // 64):
            raise ParameterError(f"slices is {slices.dtype} {slices.shape}, expected uint64 (64 W, {-(-n_rows // 64)})")
        _require_numbers(n_rows, len(slices) // 64, n_hashes, fpr)
        counts = column_counts(slices, n_rows) if popcounts is None else _own_counts(popcounts, n_rows)
        return cls(slices, counts, n_hashes=n_hashes, fpr=fpr, sealed=True)._checked_by(check)

    @property
    def bits(self) -> Bits:
        """The bits, shared: `(n_rows, W)` if open, `(64 W, ceil(n_rows / 64))` if sealed."""
        return self._read()

    @property
    def row_bits(self) -> int:
        """Width of a row in bits, m."""
        return 64 * self.row_words

    @property
    def popcounts(self) -> NDArray[np.int64]:
        """Bits set in each row, `(n_rows,) int64`, shared."""
        return self._popcounts[: self.n_rows]

    def rates(self) -> NDArray[np.float64]:
        """Return for each row the chance that an absent hash hits it, `(n_rows,) float64`."""
        return np.asarray((self.popcounts / self.row_bits) ** self.n_hashes)

    def room(self, row: int) -> int:
        """Return how many more hashes a row may take before it passes the tile's ε."""
        return self._room(int(self._popcounts[self._known(row)]))

    def rooms(self) -> NDArray[np.int64]:
        """Return the room of each row, `(n_rows,) int64`."""
        return np.array([self._room(popcount) for popcount in self.popcounts.tolist()], np.int64)

    def hits(self, hashes: Hashes) -> Bits:
        """Return which rows may hold each hash, `(q, ceil(n_rows / 64)) uint64`; row r: bit r % 64 of word r // 64."""
        return kernels.look_up([self.probed(hashes)], hashes)[0]

    def probed(self, hashes: Hashes) -> Probed:
        """Return the tile as `kernels.look_up` takes it. Only the bits that these hashes need are checked."""
        return self._read(hashes), self.sealed, self.n_hashes

    def places(self, hashes: Hashes) -> NDArray[np.intp]:
        """Return the bits of a row that holds these hashes alone, ascending."""
        return np.flatnonzero(np.unpackbits(self._filled([hashes]).view(np.uint8), bitorder="little"))

    def common_bits(self, hashes: Hashes) -> NDArray[np.int64]:
        """Return how many bits each row shares with a row that holds these hashes alone, `(n_rows,) int64`.

        Source:
            Tskhay, Butakov & Kim 2014: rows are compared by the ones in equal positions.
        """
        if self.sealed:
            return column_counts(self._read(hashes)[self.places(hashes)], self.n_rows)
        # Imported here: common bits are rarely asked for, and the import would slow every start.
        from bitarray import bitarray
        from bitarray.util import count_and

        query, *rows = (bitarray(buffer=row.data, endian="little") for row in (self._filled([hashes]), *self.bits))
        return np.array([count_and(query, row) for row in rows], np.int64)

    def add_row(self) -> int:
        """Add an empty row and return its number; a tile that is sealed, read-only or full takes none."""
        self._require_writable()
        if self.n_rows == ROWS_PER_TILE:
            raise ParameterError(f"the tile has {ROWS_PER_TILE} rows, no more fit; begin another tile")
        if self.n_rows == len(self._bits):
            self._grow()
        self.n_rows += 1
        return self.n_rows - 1

    def insert(self, row: int, hashes: Hashes) -> None:
        """Insert hashes into a row, in any order, repeats allowed. From now on each of them hits the row."""
        self._require_writable()
        bits = self._bits[self._known(row)]
        kernels.fill(bits, hashes, n_hashes=self.n_hashes)
        [self._popcounts[row]] = kernels.popcounts(bits[None])

    def rebuild(self, row: int, parts: Iterable[Hashes]) -> None:
        """Clear a row, then insert its survivors: the bits are those of a fresh row.

        Documents of one row share bits. If only the bits of a removed document were cleared, then its neighbours would
        lose bits, and a query would miss them. If something is refused, then the row is unchanged.
        """
        self._require_writable()
        fresh = self._filled(parts)
        self._bits[self._known(row)] = fresh
        [self._popcounts[row]] = kernels.popcounts(fresh[None])

    def seal(self) -> None:
        """Change to the sealed form, in place. A sealed tile stays unchanged."""
        if not self.sealed:
            self._bits, self._popcounts, self.sealed = kernels.seal(self.bits), self.popcounts.copy(), True

    def unseal(self) -> None:
        """Change to the open form, in place and writable. An open tile stays unchanged."""
        if self.sealed:
            self._bits, self.sealed = kernels.unseal(self.bits, self.n_rows), False

    def writable(self) -> Tile:
        """Return an open copy that may be changed. This tile may be open, sealed or read-only."""
        rows = kernels.unseal(self.bits, self.n_rows) if self.sealed else self.bits.copy()
        return Tile(rows, self.popcounts.copy(), n_hashes=self.n_hashes, fpr=self.fpr, sealed=False)

    def _checked_by(self, check: Check | None) -> Tile:
        self._check = check
        return self

    def _read(self, hashes: Hashes | None = None) -> Bits:
        """Return the bits. Those that the hashes need are checked before; if `hashes` is None, then all are."""
        if self._check is not None:
            lines = self.places(hashes) if self.sealed and hashes is not None else None
            if self._check(lines):
                self._check = None
        return self._bits if self.sealed else self._bits[: self.n_rows]

    def _room(self, popcount: int) -> int:
        return params.room(popcount, row_bits=self.row_bits, n_hashes=self.n_hashes, fpr=self.fpr)

    def _filled(self, parts: Iterable[Hashes]) -> Bits:
        row = np.zeros(self.row_words, np.uint64)
        for hashes in parts:
            kernels.fill(row, hashes, n_hashes=self.n_hashes)
        return row

    def _grow(self) -> None:
        n_rows = min(ROWS_PER_TILE, max(_FIRST_ROWS, 2 * self.n_rows))
        bits, popcounts = np.zeros((n_rows, self.row_words), np.uint64), np.zeros(n_rows, np.int64)
        bits[: self.n_rows], popcounts[: self.n_rows] = self.bits, self.popcounts
        self._bits, self._popcounts = bits, popcounts

    def _known(self, row: int) -> int:
        if not 0 <= row < self.n_rows:
            raise ParameterError(f"row is {row}, expected 0 to {self.n_rows - 1}")
        return row

    def _require_writable(self) -> None:
        if self.sealed or not self._bits.flags.writeable:
            found = "sealed" if self.sealed else "read-only"
            raise ParameterError(f"the tile is {found}, expected an open one; change the copy that writable() returns")


def column_counts(lines: Bits, n_rows: int) -> NDArray[np.int64]:
    """Return how many lines, slices or hits, have the bit of each row, `(n_rows,) int64`."""
    whole_words = np.zeros((-(-len(lines) // 64) * 64, lines.shape[1]), np.uint64)
    whole_words[: len(lines)] = lines
    return kernels.popcounts(kernels.unseal(whole_words, n_rows))


def _own_counts(popcounts: NDArray[np.integer], n_rows: int) -> NDArray[np.int64]:
    if popcounts.shape != (n_rows,):
        raise ParameterError(f"popcounts is {popcounts.dtype} {popcounts.shape}, expected integers ({n_rows},)")
    return popcounts.astype(np.int64)


def _require_numbers(n_rows: int, row_words: int, n_hashes: int, fpr: float) -> None:
    if not 0 <= n_rows <= ROWS_PER_TILE:
        raise ParameterError(f"n_rows is {n_rows}, expected 0 to {ROWS_PER_TILE}")
    if not 1 <= row_words < 1 << 26:
        raise ParameterError(f"row_words is {row_words}, expected 1 to 2^26 - 1")
    if not 1 <= n_hashes <= 16:
        raise ParameterError(f"n_hashes is {n_hashes}, expected 1 to 16")
    if not 0 < fpr < 1:
        raise ParameterError(f"fpr is {fpr}, expected a number inside (0, 1)")
