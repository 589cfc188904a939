"""Methods that find the document with most of a query's hashes. All are built from the same documents."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from benchmarks import synthetic
from benchmarks.synthetic import Hashes
from measure.process import folder_bytes
from pmbf import kernels, params
from pmbf.filter import PseudoMatrixBloomFilter
from pmbf.screen import candidates
from pmbf.screen.bar import SURE_HASHES, weight_of_own
from pmbf.screen.rarity import UNITS, hit_rules, weights
from pmbf.store.folder import Store
from pmbf.tile import ROWS_PER_TILE, Tile

Documents = NDArray[np.uint32]
FPR = 0.01


class Method(Protocol):
    """A method. `documents` is `(n_documents, n_hashes) uint32`, hashes in text order."""

    def __init__(self, folder: Path) -> None: ...

    def build(self, documents: Documents) -> None:
        """Make the documents searchable."""

    def n_bytes(self) -> int:
        """Return the number of bytes that it searches."""

    def ask(self, query: Any) -> int:
        """Return the number of the document that it ranks first, -1 for none."""


class RowMajor:
    """One Bloom filter per document, row after row: AND with the query's filter and popcount, in NumPy.

    A hash sets one bit. At equal memory, here 9.6 bits per hash, one bit separates best if common bits are counted.
    """

    bits_per_hash = 9.6
    package = ""
    _block = 64

    def __init__(self, folder: Path) -> None:
        self.rows = np.empty((0, 0), np.uint64)

    def build(self, documents: Documents) -> None:
        """Set each document's bits in its row."""
        n_documents, n_hashes = documents.shape
        n_words = -(-round(self.bits_per_hash * n_hashes) // 64)
        self.rows = np.empty((n_documents, n_words), np.uint64)
        for row, hashes in zip(self.rows, documents, strict=True):
            row[:] = self._bits(hashes)

    def n_bytes(self) -> int:
        """Return the bytes of all rows."""
        return self.rows.nbytes

    def ask(self, query: Hashes) -> int:
        """Return the row with the most bits in common."""
        bits, counts = self._bits(query), np.empty(len(self.rows), np.int64)
        for start in range(0, len(self.rows), self._block):
            block = self.rows[start : start + self._block]
            np.bitwise_count(block & bits).sum(axis=1, dtype=np.int64, out=counts[start : start + self._block])
        return int(counts.argmax())

    def _bits(self, hashes: Hashes) -> NDArray[np.uint64]:
        n_bits = np.uint64(64 * self.rows.shape[1])
        row = np.zeros(int(n_bits), np.bool_)
        row[(hashes.astype(np.uint64) * n_bits) >> np.uint64(32)] = True
        return np.packbits(row, bitorder="little").view(np.uint64)


class Simsimd(RowMajor):
    """The rows of `RowMajor`, compared by SimSIMD's Jaccard distance of bits."""

    package = "simsimd"

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.simsimd = importlib.import_module("simsimd")

    def ask(self, query: Hashes) -> int:
        """Return the row at the least distance."""
        bits = self._bits(query).view(np.uint8)[None]
        return int(np.asarray(self.simsimd.cdist(bits, self.rows.view(np.uint8), "jaccard", dtype="bin8")).argmin())


class Faiss(RowMajor):
    """The rows of `RowMajor` in faiss `IndexBinaryFlat`, which has only the Hamming distance."""

    package = "faiss"

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.faiss = importlib.import_module("faiss")
        self.index: Any = None

    def build(self, documents: Documents) -> None:
        """Set the bits, and give the rows to the index."""
        super().build(documents)
        self.faiss.omp_set_num_threads(1)
        self.index = self.faiss.IndexBinaryFlat(64 * self.rows.shape[1])
        self.index.add(self.rows.view(np.uint8))

    def ask(self, query: Hashes) -> int:
        """Return the row at the least distance."""
        return int(self.index.search(self._bits(query).view(np.uint8)[None], 1)[1][0, 0])


class Inverted:
    """An exact inverted index in NumPy: sorted `(hash, document)` postings, and a directory by upper bits."""

    package = ""

    def __init__(self, folder: Path) -> None:
        self.hashes = self.documents = np.empty(0, np.uint32)
        self.begins = np.empty(0, np.int64)
        self.shift, self.n_documents = np.uint32(0), 0

    def build(self, documents: Documents) -> None:
        """Sort all postings."""
        postings = documents.astype(np.uint64) << np.uint64(32)
        postings |= np.arange(len(documents), dtype=np.uint64)[:, None]
        postings = np.sort(postings, axis=None)
        self.hashes = (postings >> np.uint64(32)).astype(np.uint32)
        self.documents = postings.astype(np.uint32)
        n_bits = max(1, len(postings).bit_length() - 3)
        self.shift = np.uint32(32 - n_bits)
        counts = np.bincount(self.hashes >> self.shift, minlength=1 << n_bits)
        self.begins = np.concatenate([[0], np.cumsum(counts)])

    def n_bytes(self) -> int:
        """Return the bytes of postings and directory."""
        return self.hashes.nbytes + self.documents.nbytes + self.begins.nbytes

    def ask(self, query: Hashes) -> int:
        """Return the document that has most of the hashes."""
        bucket = query >> self.shift
        starts, sizes = self.begins[bucket], self.begins[bucket.astype(np.int64) + 1] - self.begins[bucket]
        ends = np.cumsum(sizes)
        at = np.arange(ends[-1]) + np.repeat(starts - ends + sizes, sizes)
        found = self.documents[at[self.hashes[at] == np.repeat(query, sizes)]]
        return int(np.bincount(found).argmax()) if len(found) else -1


MANY = 14_428
"""Documents of the full benchmark. Rows need the evidence that a collection of this size asks for."""


class PmbfRows:
    """The pseudo-matrix: 29 documents per row, 512 rows per sealed tile. It finds the row, not the document."""

    package = ""
    docs_per_row = 29

    def __init__(self, folder: Path) -> None:
        self.matrix = PseudoMatrixBloomFilter()

    def build(self, documents: Documents) -> None:
        """Fill the rows, and seal each tile."""
        words = params.words_per_row(self.docs_per_row * documents.shape[1], n_hashes=3, fpr=FPR)
        per_tile = ROWS_PER_TILE * self.docs_per_row
        for start in range(0, len(documents), per_tile):
            tile = Tile.new(words, n_hashes=3, fpr=FPR)
            part = documents[start : start + per_tile]
            for first in range(0, len(part), self.docs_per_row):
                tile.insert(tile.add_row(), np.ravel(part[first : first + self.docs_per_row]))
            tile.seal()
            self.matrix.tiles[start // per_tile] = tile

    def n_bytes(self) -> int:
        """Return the bytes of all tiles."""
        return sum(tile.bits.nbytes for tile in self.matrix.tiles.values())

    def ask(self, query: Hashes) -> int:
        """Return the first document of the first row with the evidence of a sure candidate."""
        looked_up, tokens = self.matrix.look_up(query), np.arange(0, 7 * len(query), 7, dtype=np.uint32)
        n_holding = np.maximum(looked_up.n_hit - round(self.matrix.n_false), 1)
        least = round(SURE_HASHES * weight_of_own(MANY) * UNITS)
        found = kernels.rows_with_evidence(looked_up.hits, weights(n_holding, MANY), tokens, hit_rules(3), least=least)
        for number, rows in looked_up.by_tile(found):
            if len(rows):
                return int((number * ROWS_PER_TILE + int(rows[0])) * self.docs_per_row)
        return -1


class Pmbf:
    """pmbf: a collection on disk; candidates as in a screening, with the documents of hit rows compared exactly."""

    package = ""

    def __init__(self, folder: Path) -> None:
        self.folder = folder / "filters.pmbf"
        self.store: Store

    def build(self, documents: Documents) -> None:
        """Write the collection."""
        synthetic.write(self.folder, documents)
        self.store = Store(self.folder)

    def n_bytes(self) -> int:
        """Return the bytes of the collection's folder: tiles, fingerprints and all else."""
        return folder_bytes(self.folder)

    def ask(self, query: Hashes) -> int:
        """Return the best candidate. Ids begin at 1, in the order of the documents."""
        found = candidates(self.store.generation, synthetic.as_query(query))
        return found[0].document - FIRST_ID if found else -1


FIRST_ID = 1
"""Id of the first document of a collection."""


class Cobs:
    """COBS: a compact index in memory, one bit per hash at ε = 0.3, its default. A run of 31 letters makes a hash."""

    package = "cobs_index"
    n_hashes, fpr = 1, 0.3

    def __init__(self, folder: Path) -> None:
        self.cobs = importlib.import_module("cobs_index")
        self.texts, self.file = folder / "texts", folder / "index.cobs_compact"
        self.index: Any = None

    def build(self, documents: NDArray[np.uint8]) -> None:
        """Build the index from the files in `texts`, which hold the same letters."""
        given = self.cobs.CompactIndexParameters()
        given.term_size, given.canonicalize, given.num_threads, given.clobber = TERM, 0, 1, True
        given.num_hashes, given.false_positive_rate = self.n_hashes, self.fpr
        self.cobs.compact_construct(str(self.texts), str(self.file), given)
        self.index = self.cobs.Search(str(self.file), True)

    def n_bytes(self) -> int:
        """Return the bytes of the index."""
        return self.file.stat().st_size

    def ask(self, query: str) -> int:
        """Return the document with the most hits."""
        found = self.index.search(query, 0.0, 1)
        return int(found[0].doc_name) if found else -1


class CobsStrict(Cobs):
    """COBS at ε = 0.01 with three bits per hash, as in pmbf's rows."""

    n_hashes, fpr = 3, FPR


TERM = 31
"""Letters of a run that makes a hash of COBS."""

METHODS: dict[str, type[Any]] = {
    "row-major, NumPy": RowMajor,
    "row-major, SimSIMD": Simsimd,
    "faiss IndexBinaryFlat": Faiss,
    "COBS, ε 0.3": Cobs,
    "COBS, ε 0.01": CobsStrict,
    "inverted index, NumPy": Inverted,
    "pmbf tile, rows": PmbfRows,
    "pmbf collection": Pmbf,
}


def installed(name: str) -> bool:
    """Return whether the package that a method needs is installed."""
    package = METHODS[name].package
    return not package or importlib.util.find_spec(package) is not None
