"""Collections of made-up fingerprints, written as a load writes them: any number of documents, and no text to read."""

from __future__ import annotations

import hashlib
import itertools
from collections.abc import Iterable, Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from pmbf.base.params import Params
from pmbf.fingerprint import Fingerprint
from pmbf.kernels import Sample
from pmbf.store.catalog_tables import ListedPath
from pmbf.store.folder import Store
from pmbf.store.incoming import NewDocument, NewDocuments
from pmbf.store.writer import Writer

Hashes = NDArray[np.uint32]

PARAMS = Params(store_text=False)
PART_HASHES = round(PARAMS.density * PARAMS.segment_chars)
CHARS_PER_HASH = round(1 / PARAMS.density)
_BATCH = 4096


def random_documents(n_documents: int, n_hashes: int, *, seed: int = 1) -> Iterator[Hashes]:
    """Yield the hashes of documents, each `(n_hashes,) uint32` in text order. They share hashes only by chance.

    >>> [len(document) for document in random_documents(3, 90)]
    [90, 90, 90]
    """
    random = np.random.default_rng(seed)
    for start in range(0, n_documents, _BATCH):
        yield from random.integers(0, 2**32, (min(_BATCH, n_documents - start), n_hashes), np.uint32)


def write(folder: Path, documents: Iterable[Hashes], *, batch: int = _BATCH) -> int:
    """Add documents to a collection without texts, and return their number. A missing collection is made.

    Args:
        folder: Folder of the collection.
        documents: The hashes of each document in text order, `(n,) uint32`.
        batch: Documents per commit.
    """
    if not (folder / "catalog.sqlite").exists():
        Store.create(folder, PARAMS)
    n_documents, waiting = 0, iter(documents)
    with Store(folder, writable=True) as store:
        writer = Writer(store)
        some = list(itertools.islice(waiting, batch))
        while some:
            sums = [hashlib.sha256(hashes.tobytes()).hexdigest() for hashes in some]
            taken = zip(sums, map(as_fingerprint, some), strict=True)
            ids = writer.add(NewDocuments.of([NewDocument("text", sha256, b"", one) for sha256, one in taken]))
            names = [f"synthetic/{sha256}" for sha256 in sums]
            writer.attach({name: ListedPath(name, id_, -1, -1) for name, id_ in zip(names, ids, strict=True)})
            n_documents += len(some)
            some = list(itertools.islice(waiting, batch))
            writer.commit(is_last=not some, has_more=bool(some))
    return n_documents


def as_fingerprint(hashes: Hashes) -> Fingerprint:
    """Return the fingerprint of a text with these hashes, which are in text order.

    >>> as_fingerprint(np.array([7, 3, 7], np.uint32)).hashes.tolist()
    [3, 7]
    """
    parts = [np.unique(hashes[start : start + PART_HASHES]) for start in range(0, len(hashes), PART_HASHES)]
    bounds = np.cumsum([0, *map(len, parts)]).astype(np.uint32)
    n_chars = CHARS_PER_HASH * len(hashes)
    return Fingerprint(np.concatenate(parts), bounds, n_chars, n_chars // 6)


def as_query(hashes: Hashes) -> Sample:
    """Return the sample of a text with these hashes, which are in text order."""
    starts = CHARS_PER_HASH * np.arange(len(hashes))
    n_chars = CHARS_PER_HASH * len(hashes)
    bounds, n_tokens = np.array([0, len(hashes)], np.uint32), n_chars // 6
    token = (starts // 6).astype(np.uint32)
    no_words = np.empty(0, np.uint8)
    return Sample(hashes, starts.astype(np.uint32), token, bounds, no_words, n_chars, n_tokens, n_tokens, 0, 0)


def planted_query(document: Hashes, n_hashes: int, share: float, random: np.random.Generator) -> Hashes:
    """Return a query with a run of a document's hashes. Its other hashes are drawn at random.

    Args:
        document: Hashes of the document in text order, at least as many as are taken.
        n_hashes: Hashes of the query.
        share: Share of the query's hashes that are the document's, 0 to 1.
        random: Draws places and hashes.
    """
    query = random.integers(0, 2**32, n_hashes, np.uint32)
    n = min(round(share * n_hashes), len(document))
    here, there = random.integers(n_hashes - n + 1), random.integers(len(document) - n + 1)
    query[here : here + n] = document[there : there + n]
    return query
