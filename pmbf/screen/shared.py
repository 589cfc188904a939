"""Exact shared hashes of many documents, until `Store` answers them in one call."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pmbf import kernels
from pmbf.store import Store

Hashes = NDArray[np.uint32]


@dataclass(frozen=True, slots=True, eq=False)
class Shared:
    """Which of a query's hashes each of many documents has.

    Args:
        ids: `(n,) uint32`, the live documents.
        n_hashes: `(n,) uint32`, sampled hashes of each.
        bounds: `(n + 1,) int64`; those of document i are `at[bounds[i]:bounds[i + 1]]`.
        at: Places in the query's distinct hashes; of each document ascending, each once.
    """

    ids: Hashes
    n_hashes: Hashes
    bounds: NDArray[np.int64]
    at: Hashes


def shared_hashes(store: Store, ids: Hashes, wanted: Hashes) -> Shared:
    """Return which of the query's distinct hashes, ascending, the live ones of some documents have."""
    documents = [document for document in store.documents(ids.tolist()).values() if not document.removed]
    prints = [store.fingerprint(document).hashes for document in documents]
    stored = np.concatenate([np.empty(0, np.uint32), *prints])
    found = np.flatnonzero(kernels.intersect(stored, wanted))
    owner = np.repeat(np.arange(len(prints)), [len(hashes) for hashes in prints])[found]
    places = np.unique(owner * len(wanted) + np.searchsorted(wanted, stored[found]))
    return Shared(
        np.array([document.id for document in documents], np.uint32),
        np.array([document.n_hashes for document in documents], np.uint32),
        np.searchsorted(places, np.arange(len(prints) + 1) * len(wanted)),
        (places % max(1, len(wanted))).astype(np.uint32),
    )
