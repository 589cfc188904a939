"""The programs compared on real text: pmbf, and each peer in the configuration that found most.

A peer takes files and answers a text with `(key, score)` pairs, best first; `number` says which file a key stands for.
Peers that take hashed shingles get shingles of five words, hashed with NumPy, which is faster than the loops of their
own examples.
"""

from __future__ import annotations

import importlib.util
import pickle
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from measure.overlap import grams, read_words, word_hashes
from measure.process import folder_bytes
from pmbf import Collection
from pmbf.base.params import Params
from pmbf.fingerprint import query_sample
from pmbf.intake.texts import Text
from pmbf.screen import Folder, candidates, screen
from pmbf.store.folder import Store

Answer = list[tuple[int, float]]
SHINGLE_WORDS = 5
NUM_PERM = 128
CHUNK_WORDS, CHUNK_STEP = 100, 50
_BATCH = 256


class Peer(Protocol):
    """A method that finds the documents a text shares passages with.

    Args:
        folder: Where the peer may keep files.
    """

    def __init__(self, folder: Path) -> None: ...

    def load(self, paths: Sequence[Path]) -> None:
        """Read the files and make them searchable."""

    def saved_bytes(self) -> int:
        """Return the bytes that it needs on disk for searching; 0 if it cannot be saved."""

    def ask(self, text: str) -> Answer:
        """Return keys of documents with their scores, best first."""

    def number(self, key: int) -> int:
        """Return which of the loaded paths a key stands for."""


class Numbered:
    """A peer whose keys are the numbers of the paths."""

    def number(self, key: int) -> int:
        """Return the key."""
        return key


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
        return _ranked(best)

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
        return _ranked(best)

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


class Sourmash(Numbered):
    """sourmash: FracMinHash of one shingle in ten, in its reverse index in memory; ranked by containment."""

    scaled = 10

    def __init__(self, folder: Path) -> None:
        self.sourmash = importlib.import_module("sourmash")
        self.revindex = importlib.import_module("sourmash.index.revindex")
        self.file = folder / "signatures.json.gz"
        self.signatures: list[Any] = []
        self.index: Any = None

    def load(self, paths: Sequence[Path]) -> None:
        """Sketch the texts one by one, then index all.

        Its own wrapper hands over the sketches in quadratic time; the call behind the wrapper is linear.
        """
        sketches = (self._sketch(read_words(path), str(number)) for number, path in enumerate(paths))
        self.signatures = [sketch for sketch in sketches if len(sketch.minhash)]
        template = self._sketch("").minhash
        self.index = self.revindex.MemRevIndex(template=template)
        pointers = self.revindex.ffi.new("SourmashSignature*[]", [one._get_objptr() for one in self.signatures])
        make = self.revindex.lib.revindex_mem_new_with_sigs
        self.index._objptr = self.revindex.rustcall(make, pointers, len(self.signatures), template._get_objptr())

    def saved_bytes(self) -> int:
        """Return the bytes of its own compressed file of sketches, which are indexed again after reading."""
        with self.file.open("wb") as file:
            self.sourmash.save_signatures_to_json(self.signatures, file)
        return self.file.stat().st_size

    def ask(self, text: str) -> Answer:
        """Return the documents that contain sampled shingles of the text."""
        sketch = self._sketch(text)
        if not len(sketch.minhash):
            return []
        found = self.revindex.RevIndex.search(self.index, sketch, threshold=0.0, do_containment=True)
        return _ranked({int(one.signature.name): one.score for one in found})

    def _sketch(self, text: str, name: str = "") -> Any:
        sketch = self.sourmash.MinHash(n=0, ksize=31, scaled=self.scaled)
        hashes = shingles(text)
        sketch.add_many(hashes[hashes <= np.uint64(sketch._max_hash)])
        return self.sourmash.SourmashSignature(sketch, name=name)


class SourmashWhole(Sourmash):
    """sourmash: every shingle, in its reverse index in memory; ranked by containment."""

    scaled = 1


class Pmbf:
    """pmbf: `pmbf load`, without texts; candidates by exact shared hashes."""

    params = Params(store_text=False)

    def __init__(self, folder: Path) -> None:
        self.folder = folder / "peers.pmbf"
        self.numbers: dict[str, int] = {}
        self.store: Store

    def load(self, paths: Sequence[Path]) -> None:
        """Load the files on one processor, as `pmbf load --jobs 1` does."""
        self.numbers = {str(path.absolute()): number for number, path in enumerate(paths)}
        with Collection(self.folder, create=True, params=self.params) as collection:
            collection.load(paths, jobs=1)
        self.store = Store(self.folder)

    def saved_bytes(self) -> int:
        """Return the bytes of the collection's folder, without texts."""
        return folder_bytes(self.folder) - folder_bytes(self.folder / "texts")

    def ask(self, text: str) -> Answer:
        """Return the candidates, by most shared hashes in a window, then in all."""
        found = candidates(self.store.generation, query_sample(text, self.store.params))
        return [(one.document, one.evidence) for one in found]

    def number(self, key: int) -> int:
        """Return the number of a document's first path."""
        return min(self.numbers[path] for path in self.store.paths_of([key])[key])


class PmbfWhole(Pmbf):
    """pmbf: `pmbf load` with texts; the whole screening, with documents ranked by the evidence of their passages."""

    params = Params()

    def ask(self, text: str) -> Answer:
        """Return the documents with passages."""
        return [(match.document.id, match.evidence) for match in screen(Folder.of(self.store), Text("", text)).matches]


PEERS: dict[str, type[Peer]] = {
    "gaoya": Gaoya,
    "rensa": Rensa,
    "rensa, chunks": RensaChunks,
    "datasketch": Datasketch,
    "datasketch, chunks": DatasketchChunks,
    "sourmash, 1 in 10": Sourmash,
    "sourmash, all": SourmashWhole,
    "pmbf, candidates": Pmbf,
    "pmbf, whole screen": PmbfWhole,
}


def installed(name: str) -> bool:
    """Return whether the package that a peer needs is installed."""
    return importlib.util.find_spec(name.partition(",")[0]) is not None


def shingles(text: str) -> NDArray[np.uint64]:
    """Return the hashes of a text's shingles, ascending, each once. A text of few words is one shingle."""
    words = word_hashes(text)
    return np.unique(grams(words, min(SHINGLE_WORDS, max(1, len(words)))))


def chunks(text: str) -> Iterator[NDArray[np.uint64]]:
    """Yield the hashes of the shingles of each chunk of a text. The last chunk may be half as long."""
    words = word_hashes(text)
    all_shingles = grams(words, min(SHINGLE_WORDS, max(1, len(words))))
    for start in range(0, max(1, len(words) - CHUNK_WORDS + CHUNK_STEP), CHUNK_STEP):
        yield np.unique(all_shingles[start : start + CHUNK_WORDS - SHINGLE_WORDS + 1])


def _batches(sets: Iterator[tuple[int, list[bytes]]]) -> Iterator[list[tuple[int, list[bytes]]]]:
    batch = []
    for one in sets:
        batch.append(one)
        if len(batch) == _BATCH:
            yield batch
            batch = []
    if batch:
        yield batch


def _ranked(scores: dict[int, float]) -> Answer:
    return sorted(scores.items(), key=lambda one: (-one[1], one[0]))
