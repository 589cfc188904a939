"""The fingerprints of many documents as columns, read without an object for each document."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pmbf import kernels
from pmbf.base.arrays import spans
from pmbf.base.errors import PmbfError
from pmbf.base.hashes import Hashes, hash_dtype
from pmbf.fingerprint import Fingerprint
from pmbf.kernels import Samples
from pmbf.store import codec
from pmbf.store.catalog_tables import Documents
from pmbf.store.folder import Store
from pmbf.store.generation import Generation

Numbers = NDArray[np.int64]

_TEXT_BYTES = 16 << 20
"""Bytes of text that are sampled at once, about."""


@dataclass(frozen=True, slots=True, eq=False)
class Fingerprints:
    """The fingerprints of documents, end to end.

    Args:
        ids: `(n,) int64`, the ids of the documents, ascending.
        firsts: `(n + 1,) int64`; document i has the parts from `firsts[i]` to `firsts[i + 1]`.
        bounds: `(n_parts + 1,) int64`; part p is `hashes[bounds[p]:bounds[p + 1]]`.
        hashes: `(bounds[-1],)`.
        word_bounds: `(n + 1,) int64`; document i has the word list `words[word_bounds[i]:word_bounds[i + 1]]`.
        words: `(word_bounds[-1],) uint8`.
    """

    ids: Numbers
    firsts: Numbers
    bounds: Numbers
    hashes: Hashes
    word_bounds: Numbers
    words: NDArray[np.uint8]

    @classmethod
    def of_samples(cls, ids: Numbers, samples: Samples) -> Fingerprints:
        """Return the samples of documents, given by ascending id."""
        return cls(ids, samples.firsts, samples.bounds, samples.hashes, samples.word_bounds, samples.words)

    @classmethod
    def of(cls, taken: Mapping[int, Fingerprint]) -> Fingerprints:
        """Return fingerprints by ascending id as columns."""
        sizes = [np.diff(one.bounds.astype(np.int64)) for one in taken.values()]
        return cls(
            np.array(list(taken), np.int64),
            np.cumsum([0, *map(len, sizes)], dtype=np.int64),
            np.cumsum(np.concatenate([np.zeros(1, np.int64), *sizes])),
            np.concatenate([np.empty(0, np.uint32), *(one.hashes for one in taken.values())]),
            np.cumsum([0, *(len(one.words) for one in taken.values())], dtype=np.int64),
            np.frombuffer(b"".join(one.words for one in taken.values()), np.uint8),
        )

    @classmethod
    def joined(cls, some: Sequence[Fingerprints]) -> Fingerprints:
        """Return the fingerprints of several, each with greater ids than the one before."""
        zero = np.zeros(1, np.int64)
        return cls(
            np.concatenate([zero[:0], *(one.ids for one in some)]),
            np.cumsum(np.concatenate([zero, *(np.diff(one.firsts) for one in some)])),
            np.cumsum(np.concatenate([zero, *(np.diff(one.bounds) for one in some)])),
            np.concatenate([np.empty(0, np.uint32), *(one.hashes for one in some)]),
            np.cumsum(np.concatenate([zero, *(np.diff(one.word_bounds) for one in some)])),
            np.concatenate([np.empty(0, np.uint8), *(one.words for one in some)]),
        )

    @property
    def n_parts(self) -> Numbers:
        """Parts of each document, `(n,) int64`."""
        return np.diff(self.firsts)

    @property
    def n_hashes(self) -> Numbers:
        """Hashes of each document, `(n,) int64`."""
        return np.diff(self.bounds[self.firsts])

    def places(self, ids: Numbers) -> Numbers:
        """Return the place of each document among `ids`, -1 for one that is not there."""
        places = np.searchsorted(self.ids, ids)
        known = np.append(self.ids, -1)[places] == ids
        return np.where(known, places, -1)

    def of_parts(self, places: Numbers, starts: Numbers, stops: Numbers) -> tuple[Hashes, Numbers]:
        """Return the hashes of some parts of documents, end to end, and how many each of these spans has.

        Args:
            places: `(m,)`, of the documents, as `places` returns them.
            starts, stops: `(m,)`, numbers of the first part of each span, and of the part behind its last.
        """
        first, last = self.firsts[places], self.firsts[places + 1]
        begins = self.bounds[np.minimum(first + starts, last)]
        counts = np.maximum(0, self.bounds[np.minimum(first + stops, last)] - begins)
        return self.hashes[spans(begins, counts)], counts


def some_together(documents: Documents) -> Iterator[Documents]:
    """Yield documents in runs with some 16 MB of text each, or more if one document has more."""
    turns = np.cumsum(documents.text_bytes) // _TEXT_BYTES
    cuts = np.flatnonzero(np.diff(turns)) + 1
    yield from (documents[start:stop] for start, stop in zip([0, *cuts], [*cuts, len(documents)], strict=True))


def taken(store: Store, documents: Documents) -> Fingerprints:
    """Return the fingerprints of documents, given by ascending id."""
    found = []
    for some in some_together(documents):
        read_together = read(store.generation, some)
        if read_together is None:
            rows = sorted(store.documents(some.id.tolist()).items())
            read_together = Fingerprints.of({id_: store.generation.fingerprint(row) for id_, row in rows})
        found.append(read_together)
    return Fingerprints.joined(found)


def read(generation: Generation, documents: Documents) -> Fingerprints | None:
    """Return the fingerprints of documents, if all of them and their texts are as their rows say; else None.

    `Generation.fingerprint` and `Generation.text` tell which document is not, and why.

    Args:
        generation: Has the files.
        documents: By ascending id.

    Raises:
        OSError: A file cannot be opened, for another reason than damage.
    """
    has_record = codec.has_stored_fingerprint(documents)
    if has_record.any() and not has_record.all():
        return None
    try:
        content, starts, stops = texts(generation, documents)
        samples = kernels.sample_texts(content, starts, stops, generation.params.sampling)
        taken = Fingerprints.of_samples(documents.id.copy(), samples)
        if has_record.any():
            taken = _of_records(generation, documents)
    except PmbfError:
        return None
    is_told = (documents.text_file == 0) | (samples.n_chars == documents.n_chars)
    is_whole = (taken.n_parts == documents.n_parts) & (taken.n_hashes == documents.n_hashes)
    return taken if bool((is_told & is_whole).all()) else None


def texts(generation: Generation, documents: Documents) -> tuple[bytes, Numbers, Numbers]:
    """Return bytes in which the text of each document lies, and where it begins and ends."""
    starts, contents, n_bytes = np.zeros(len(documents), np.int64), [], 0
    order = np.lexsort((documents.text_offset, documents.text_file))
    order = order[documents.text_file[order] > 0]
    files, offsets = documents.text_file[order], documents.text_offset[order]
    cuts = np.flatnonzero((files[1:] != files[:-1]) | (offsets[1:] != offsets[:-1])) + 1
    blocks = _Blocks(generation)
    for some in np.split(order, cuts) if len(order) else ():
        wanted = int((documents.text_skip[some] + documents.text_bytes[some]).max())
        raw = blocks.read(int(documents.text_file[some[0]]), int(documents.text_offset[some[0]]), wanted)
        contents.append(raw)
        starts[some] = n_bytes + documents.text_skip[some]
        n_bytes += len(raw)
    return b"".join(contents), starts, starts + documents.text_bytes


class _Blocks:
    """Blocks of text. The last block of a text is kept: the next text begins in it."""

    def __init__(self, generation: Generation) -> None:
        self._generation = generation
        self._last = 0, 0, b""

    def read(self, serial: int, offset: int, n_bytes: int) -> bytes:
        """Return the raw bytes of the blocks from an offset on that hold `n_bytes` together."""
        file, blocks, n_read = self._generation.file(serial), [], 0
        while n_read < n_bytes:
            if self._last[:2] != (serial, offset):
                self._last = serial, offset, codec.decode_block(file.payload, offset, str(file.path))
            blocks.append(self._last[2])
            n_read += len(blocks[-1])
            stop = offset + codec.block_bytes(file.payload, offset)
            file.check(offset, stop)
            offset = stop
        return b"".join(blocks)


def _of_records(generation: Generation, documents: Documents) -> Fingerprints:
    sizes, parts, words, is_worded = [], [], list[bytes](), generation.has_words
    rows = zip(documents.fingerprint_file, documents.fingerprint_offset, documents.fingerprint_bytes, strict=True)
    for serial, offset, n_bytes in rows:
        file = generation.file(int(serial))
        file.check(int(offset), int(offset + n_bytes))
        record, where = file.payload[offset : offset + n_bytes], str(file.path)
        some = codec.parts_of(record, where, generation.params.hash_bits, is_worded=is_worded)
        words.append(codec.words_in(record, where) if is_worded else b"")
        sizes.append(len(some))
        parts += some
    return Fingerprints(
        documents.id.copy(),
        np.cumsum([0, *sizes], dtype=np.int64),
        np.cumsum([0, *map(len, parts)], dtype=np.int64),
        np.concatenate([np.empty(0, hash_dtype(generation.params.hash_bits)), *parts]),
        np.cumsum([0, *map(len, words)], dtype=np.int64),
        np.frombuffer(b"".join(words), np.uint8),
    )
