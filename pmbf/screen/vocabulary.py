"""How rare words are in a collection, learnt from a sample of its texts: rare words in common say more."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from random import Random
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from pmbf import verify
from pmbf.base.errors import CorruptError
from pmbf.kernels import WordTypes
from pmbf.store.folder import Store

SAMPLED = 64
SAMPLED_CHARS = 20_000
"""The first 20,000 characters of 64 documents are read: some 20 ms, once for an open collection."""

_known: WeakKeyDictionary[Store, verify.Statistics] = WeakKeyDictionary()


def word_statistics(store: Store) -> verify.Statistics | None:
    """Return the word statistics of a fair sample of the stored texts; None if the collection stores no texts.

    Computed once for each open store. The same documents give the same statistics.
    """
    found = _known.get(store)
    if found is None:
        found = _known[store] = verify.Statistics.of(_sample(store))
    return found if found.n_words else None


def _sample(store: Store) -> Iterator[WordTypes]:
    documents = store.documents(_sampled_ids(store, SAMPLED, seed=0).tolist())
    for document in documents.values():
        # A damaged text is reported when it is a candidate. Here the other texts teach as much.
        with suppress(CorruptError):
            text = store.generation.text(document)
            if text is not None:
                yield verify.prepare(text[:SAMPLED_CHARS]).words


def _sampled_ids(store: Store, n_documents: int, seed: int) -> NDArray[np.uint32]:
    """Return the ids of at most `n_documents` live documents, drawn at random with a seed, ascending."""
    ids = store.generation.directory.live_ids()
    if len(ids) > n_documents:
        ids = ids[sorted(Random(seed).sample(range(len(ids)), n_documents))]  # numpy.random takes 5 ms to import
    return ids
