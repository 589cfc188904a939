"""The sampled hashes of documents, by the directory alone: made anew from their texts, or read where none is stored.

They are kept for the next query, up to `generation.SAMPLED_BYTES`.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pmbf import kernels
from pmbf.base.hashes import Hashes
from pmbf.store import codec, fingerprints
from pmbf.store.catalog_tables import NUMBERS, Documents
from pmbf.store.directory import SKIP_SHIFT
from pmbf.store.generation import Generation

_N_PARTS = -1
"""In the place of a part: what is kept is the number of the parts."""

Ids = NDArray[np.uint32]
Parts = NDArray[np.integer[Any]]


def hashes_of(generation: Generation, parts: Parts) -> tuple[NDArray[np.int64], list[Hashes]]:
    """Return the hashes of some parts of live documents: the document of each part, and its hashes.

    A text is sampled whole if one of its parts is not kept.

    Args:
        generation: The files of a collection of the kind `rows`.
        parts: `(n, 3)`: document, first part, part after the last, as `RowIndex.parts` returns them.
    """
    keys = [(id_, part) for id_, start, stop in parts.tolist() for part in range(start, stop)]
    found = generation.sampled.get_each(keys)
    if missing := {key[0] for key, one in zip(keys, found, strict=True) if one is None}:
        made = _made(generation, np.array(sorted(missing), np.uint32))
        found = [made[key] if one is None else one for key, one in zip(keys, found, strict=True)]
    return np.repeat(parts[:, 0], parts[:, 2] - parts[:, 1]), found


def whole(generation: Generation, ids: Ids) -> Parts:
    """Return all parts of some live documents, in the form that `hashes_of` takes."""
    found = [generation.sampled.get((id_, _N_PARTS)) for id_ in ids.tolist()]
    missing = [id_ for id_, n_parts in zip(ids.tolist(), found, strict=True) if n_parts is None]
    made = _made(generation, np.array(missing, np.uint32)) if missing else {}
    n_parts = [made[id_, _N_PARTS] if n is None else n for id_, n in zip(ids.tolist(), found, strict=True)]
    return np.array([(id_, 0, n) for id_, n in zip(ids.tolist(), n_parts, strict=True)], np.int64).reshape(-1, 3)


def _made(generation: Generation, ids: Ids) -> dict[tuple[int, int], Any]:
    """Return the hashes of documents that are not kept, by document and part, and how many parts each has."""
    made: dict[tuple[int, int], Any] = {}
    for some in fingerprints.some_together(_places(generation, ids)):
        for document, of_text in zip(some, _of_texts(generation, some), strict=True):
            parts = _of_record(generation, document) if document.fingerprint_file else of_text
            if (n_hashes := sum(map(len, parts))) != document.n_hashes:
                what = f"document {document.id} has {n_hashes} hashes, expected {document.n_hashes}"
                raise generation.contradiction(what, "check --repair")
            id_ = int(document.id)
            made |= {(id_, number): hashes for number, hashes in enumerate(parts)} | {(id_, _N_PARTS): len(parts)}
            generation.sampled.put((id_, _N_PARTS), len(parts), 8)
            for number, hashes in enumerate(parts):
                generation.sampled.put((id_, number), hashes, hashes.nbytes)
    return made


def _places(generation: Generation, ids: Ids) -> Documents:
    """Return where the texts or the records of documents are, as columns of their rows."""
    locations = generation.directory.locations(ids)
    is_record = np.isin(locations["file"], generation.record_files())
    in_block = (locations["offset"] >> np.uint64(SKIP_SHIFT)).astype(np.int64)
    offsets = (locations["offset"] & np.uint64((1 << SKIP_SHIFT) - 1)).astype(np.int64)
    places = np.zeros(len(ids), NUMBERS).view(np.recarray)
    places.id, places.n_hashes = ids, locations["n_hashes"]
    places.fingerprint_file = np.where(is_record, locations["file"], 0)
    places.fingerprint_offset, places.fingerprint_bytes = offsets, locations["n_bytes"]
    places.text_file = np.where(is_record, 0, locations["file"])
    places.text_offset, places.text_skip = offsets, in_block
    places.text_bytes = np.where(is_record, 0, locations["n_bytes"])
    return places


def _of_texts(generation: Generation, documents: Documents) -> list[list[Hashes]]:
    content, starts, stops = fingerprints.texts(generation, documents)
    samples = kernels.sample_texts(content, starts, stops, generation.params.sampling, words=False)
    parts = [samples.hashes[start:stop].copy() for start, stop in pairwise(samples.bounds.tolist())]
    return [parts[first:last] for first, last in pairwise(samples.firsts.tolist())]


def _of_record(generation: Generation, document: Any) -> list[Hashes]:
    file = generation.file(int(document.fingerprint_file))
    start, stop = int(document.fingerprint_offset), int(document.fingerprint_offset + document.fingerprint_bytes)
    file.check(start, stop)
    return codec.parts_of(file.payload[start:stop], str(file.path), generation.params.hash_bits)
