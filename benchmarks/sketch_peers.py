"""Peers that keep a sketch of a document: MinHash and its relatives, with locality-sensitive hashing."""

from __future__ import annotations

import importlib
import pickle
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.peer import SHINGLE_WORDS, Answer, Numbered, chunks, ranked, shingles
from measure.overlap import read_words

NUM_PERM = 128
_BATCH = 256


class Gaoya(Numbered):
    """gaoya: 128 bands of one MinHash each, its own analyzer; ranked by its estimate of the resemblance."""

    def __init__(self, folder: Path) -> None:
        module = importlib.import_module("gaoya.minhash")
        words = (SHINGLE_WORDS, SHINGLE_WORDS)
        self.index = module.MinHashStringIndex(32, 0.0, NUM_PERM, 1, None, "word", True, words, "vec")

    def load(self, paths: Sequence[Path]) -> None:
        """Insert the texts one by one."""
        for number, path in enumerate(paths):
            self.index.insert_document(number, read_words(path))

    def saved_bytes(self) -> int:
        """Return 0: gaoya cannot be saved."""
        return 0

    def ask(self, text: str) -> Answer:
        """Return the documents that share a MinHash."""
        found: Answer = self.index.query(text, return_similarity=True)
        return found


class Rensa(Numbered):
    """rensa: R-MinHash, 128 bands of one MinHash each; ranked by equal MinHashes."""

    n_bands = NUM_PERM

    def __init__(self, folder: Path) -> None:
        self.rensa = importlib.import_module("rensa")
        self.index = self.rensa.RMinHashLSH(0.01, NUM_PERM, self.n_bands)
        self.owners: list[int] = []
        self.digests = np.empty((0, NUM_PERM), np.uint32)

    def load(self, paths: Sequence[Path]) -> None:
        """Insert the texts, some hundred in each call."""
        parts = []
        for batch in _batches(self._sets(paths)):
            matrix = self.rensa.RMinHash.digest_matrix_from_token_byte_sets(
                [tokens for _, tokens in batch], NUM_PERM, 42
            )
            self.index.insert_matrix(matrix, len(self.owners))
            self.owners += [number for number, _ in batch]
            parts.append(np.array(matrix.to_rows(), np.uint32))
        self.digests = np.concatenate(parts)

    def saved_bytes(self) -> int:
        """Return the bytes of the pickled index and digests."""
        return len(pickle.dumps(self.index)) + self.digests.nbytes

    def ask(self, text: str) -> Answer:
        """Return the owners of what shares a band with the text, by their best share of equal MinHashes."""
        best: dict[int, float] = {}
        for tokens in self._tokens(text):
            digest = self.rensa.RMinHash(NUM_PERM, 42)
            digest.update(tokens)
            keys = np.array(self.index.query(digest), np.int64)
            equal = (self.digests[keys] == np.array(digest.digest(), np.uint32)).mean(axis=1)
            for key, score in zip(keys.tolist(), equal.tolist(), strict=True):
                owner = self.owners[key]
                best[owner] = max(score, best.get(owner, 0.0))
        return ranked(best)

    def _sets(self, paths: Sequence[Path]) -> Iterator[tuple[int, list[bytes]]]:
        for number, path in enumerate(paths):
            for tokens in self._tokens(read_words(path)):
                yield number, tokens

    def _tokens(self, text: str) -> Iterator[list[bytes]]:
        yield shingles(text).view("S8").tolist()


class RensaChunks(Rensa):
    """rensa: texts in chunks of 100 words, half overlapping, in 64 bands of two MinHashes."""

    n_bands = NUM_PERM // 2

    def _tokens(self, text: str) -> Iterator[list[bytes]]:
        for part in chunks(text):
            yield part.view("S8").tolist()


class Datasketch(Numbered):
    """datasketch: MinHash LSH, 128 bands of one MinHash each; ranked by equal MinHashes."""

    bands = (NUM_PERM, 1)

    def __init__(self, folder: Path) -> None:
        self.datasketch = importlib.import_module("datasketch")
        self.index = self.datasketch.MinHashLSH(num_perm=NUM_PERM, params=self.bands)
        self.empty = self.datasketch.MinHash(num_perm=NUM_PERM, hashfunc=int)
        self.owners: list[int] = []
        self.digests = np.empty((0, NUM_PERM), np.uint32)

    def load(self, paths: Sequence[Path]) -> None:
        """Insert the texts one by one."""
        parts = []
        for number, path in enumerate(paths):
            for values in self._hashes(read_words(path)):
                sketch = self._sketch(values)
                self.index.insert(len(self.owners), sketch, check_duplication=False)
                self.owners.append(number)
                parts.append(sketch.hashvalues)
        self.digests = np.array(parts, np.uint32)

    def saved_bytes(self) -> int:
        """Return the bytes of the pickled index and digests."""
        return len(pickle.dumps(self.index)) + self.digests.nbytes

    def ask(self, text: str) -> Answer:
        """Return the owners of what shares a band with the text, by their best share of equal MinHashes."""
        best: dict[int, float] = {}
        for values in self._hashes(text):
            sketch = self._sketch(values)
            keys = np.array(self.index.query(sketch), np.int64)
            equal = (self.digests[keys] == sketch.hashvalues).mean(axis=1)
            for key, score in zip(keys.tolist(), equal.tolist(), strict=True):
                owner = self.owners[key]
                best[owner] = max(score, best.get(owner, 0.0))
        return ranked(best)

    def _sketch(self, values: NDArray[np.uint64]) -> Any:
        sketch = self.empty.copy()
        sketch.update_batch((values >> np.uint64(32)).tolist())
        return sketch

    def _hashes(self, text: str) -> Iterator[NDArray[np.uint64]]:
        yield shingles(text)


class DatasketchChunks(Datasketch):
    """datasketch: texts in chunks of 100 words, half overlapping, in 64 bands of two MinHashes."""

    bands = (NUM_PERM // 2, 2)

    def _hashes(self, text: str) -> Iterator[NDArray[np.uint64]]:
        return chunks(text)


class FastSketch(Numbered):
    """FastSketchLSH: FastSimilaritySketch of 128, 128 bands of one; ranked by equal values."""

    def __init__(self, folder: Path) -> None:
        module = importlib.import_module("FastSketchLSH")
        self.sketch = module.FastSimilaritySketch(NUM_PERM)
        self.index = module.LSH(NUM_PERM, NUM_PERM, num_threads=1)
        self.sketches = np.empty((0, NUM_PERM), np.uint64)

    def load(self, paths: Sequence[Path]) -> None:
        """Insert the texts in one call."""
        hashes = [shingles(read_words(path)) for path in paths]
        bounds = np.cumsum([0, *map(len, hashes)]).astype(np.uint64)
        self.sketches = self.sketch.batch_csr(np.concatenate(hashes), bounds, True, 1)
        self.index.insert(self.sketches)

    def saved_bytes(self) -> int:
        """Return 0: FastSketchLSH cannot be saved."""
        return 0

    def ask(self, text: str) -> Answer:
        """Return the documents that share a band with the text, by their share of equal values."""
        values = np.array(self.sketch(shingles(text), True), np.uint64)
        keys = np.array(self.index.query(values), np.int64)
        equal = (self.sketches[keys] == values).mean(axis=1)
        return ranked(dict(zip(keys.tolist(), equal.tolist(), strict=True)))


def _batches(sets: Iterator[tuple[int, list[bytes]]]) -> Iterator[list[tuple[int, list[bytes]]]]:
    batch = []
    for one in sets:
        batch.append(one)
        if len(batch) == _BATCH:
            yield batch
            batch = []
    if batch:
        yield batch
