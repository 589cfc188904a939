"""Is the table of similarities what its last run committed? What is damaged is given up: a run computes it anew."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from pmbf.alike.similar import schema
from pmbf.alike.similar.database import SimilarState
from pmbf.alike.similar.segments import ChunkSegment
from pmbf.base.errors import NotFoundError, PmbfError
from pmbf.store.folder import Store


def problems(store: Store) -> list[str]:
    """Return what is wrong with the similarities beside a collection; nothing if there are none.

    Compared are the checksums of all rows, lists and common chunks, and whether they fit each other. The lists are not
    compared with the texts: a full run does that. `OSError`: the disk is full, or fails: that is no damage of the
    table.
    """
    while True:
        try:
            with SimilarState(store.folder, store.generation.identity) as state:
                found = list(_problems(store, state))
                n_runs = state.n_runs
            with SimilarState(store.folder, store.generation.identity) as state:
                if not found or state.n_runs == n_runs:
                    return found
        except NotFoundError:
            return []
        except PmbfError as error:
            return [str(error)]


def give_up(store: Store) -> None:
    """Delete the table, so that the next run begins anew."""
    schema.forget(store.folder)


def _problems(store: Store, state: SimilarState) -> Iterator[str]:
    for (line,) in state.select("PRAGMA integrity_check"):
        if line != "ok":
            yield f"{state.location}: {line}"
    try:
        known = state.verify()
    except PmbfError as error:
        yield str(error)
        return
    joined = "similarity JOIN document ON id = document"
    is_share = "coalesce(abs(similarity * n_counted - shared) <= 1e-6, 0)"
    [(n_wrong,)] = state.select(f"SELECT count(*) FROM {joined} WHERE NOT {is_share}")
    if n_wrong:
        yield f"{state.location}: {n_wrong} similarities are not shared chunks / chunks"
    yield from _list_problems(store, state, known)


def _list_problems(store: Store, state: SimilarState, known: np.ndarray) -> Iterator[str]:
    for file in state.segments():
        documents = known[known["segment"] == file.serial]
        try:
            lists = ChunkSegment(store.folder, file, store.generation.identity).lists
        except PmbfError as error:
            yield str(error)
            continue
        inside = documents[documents["place"] < len(lists)]
        n_wrong = len(documents) - np.count_nonzero(lists.sizes[inside["place"]] == inside["n_chunks"])
        if n_wrong:
            yield f"{store.folder / file.name}: {n_wrong} lists have not the length that the table says"
