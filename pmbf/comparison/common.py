"""Common parts: text that stands in the texts of many groups, such as a template or the wording of the task.

    a text's sampled hashes ─► the documents that have each ─► their groups ─► runs of hashes that many groups have

A text has a sampled hash every 20 characters, so both ends of a common part are known to some 20 characters.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from pmbf.base.errors import ParameterError
from pmbf.base.hashes import Hashes
from pmbf.base.span import Span
from pmbf.fingerprint import query_sample
from pmbf.store.generation import Generation

LEAST_GROUPS, MOST_GROUPS, USUAL_SHARE = 5, 50, 0.25
"""By default, text that more than a fourth of the groups has is common; that more than 50 have, in a large class; that
up to 5 have, never. Five in a class of twenty who copied from each other are a cluster, not a template."""

RUN_HASHES, GAP_HASHES = 4, 2
"""Hashes of many groups that make a common part: four, some 80 characters, with at most two others in between: a name
that was filled in."""

SHINGLE_CHARS = 16
"""Characters of three words."""

_EVERY = 2**62


def most_groups(given: int | float | None, n_groups: int) -> int:
    """Return how many groups may have a text that counts.

    Args:
        given: A number of groups, at least 1; or, as a `float`, a share of them from 0 to 1; None for the default.
        n_groups: How many groups there are.

    Raises:
        ParameterError: It is outside its range.

    >>> most_groups(None, 20), most_groups(None, 300), most_groups(0.5, 300), most_groups(3, 20)
    (5, 50, 150, 3)
    """
    if given is None:
        return min(MOST_GROUPS, max(LEAST_GROUPS, int(USUAL_SHARE * n_groups)))
    if isinstance(given, bool) or not isinstance(given, int | float):
        raise ParameterError(f"common is {given!r}, expected a number of groups or a share of them")
    if isinstance(given, float):
        if not 0 <= given <= 1:
            raise ParameterError(f"common is {given}, expected a share from 0 to 1")
        return max(1, int(given * n_groups))
    if given < 1:
        raise ParameterError(f"common is {given}, expected at least 1 group")
    return given


def common_parts(
    generation: Generation, text: str, groups: Mapping[int, Sequence[int]], n_groups: int, most: int
) -> list[Span]:
    """Return the parts of a text that more than `most` groups have, ascending.

    Args:
        generation: The files of the collection that holds all texts.
        text: The text, clean.
        groups: Numbers of the groups of each document, by id.
        n_groups: How many groups there are.
        most: How many groups may have a text that counts.

    Raises:
        CorruptError: A file of the collection is damaged.
    """
    sample = query_sample(text, generation.params, starts=True)
    if n_groups <= most or len(sample) < RUN_HASHES:
        return []
    n_having = _n_groups_having(generation, sample.hashes, groups, n_groups)
    starts = sample.starts.astype(np.int64)
    return [_between(starts, first, last, len(text)) for first, last in _runs(n_having > most)]


def _n_groups_having(
    generation: Generation, hashes: Hashes, groups: Mapping[int, Sequence[int]], n_groups: int
) -> NDArray[np.int64]:
    """Return how many groups have each hash, `(q,) int64`."""
    having = generation.documents_having(hashes, limit=_EVERY)
    has = np.zeros((len(hashes), n_groups), np.bool_)
    for number, document in enumerate(having.ids.tolist()):
        places = having.places[having.bounds[number] : having.bounds[number + 1]]
        for group in groups.get(document, ()):
            has[places, group] = True
    _, firsts, numbers = np.unique(hashes, return_index=True, return_inverse=True)
    counts = np.count_nonzero(has, axis=1)  # at the first place of each hash
    found: NDArray[np.int64] = counts[firsts][numbers]
    return found


def _runs(is_common: NDArray[np.bool_]) -> list[tuple[int, int]]:
    """Return the first and the last hash of each run."""
    places = np.flatnonzero(is_common)
    if not len(places):
        return []
    breaks = np.flatnonzero(np.diff(places) > GAP_HASHES + 1) + 1
    return [(int(run[0]), int(run[-1])) for run in np.split(places, breaks) if len(run) >= RUN_HASHES]


def _between(starts: NDArray[np.int64], first: int, last: int, n_chars: int) -> Span:
    """Return the characters of a run. It ends somewhere between its last hash and the next one: in the middle."""
    start = int(starts[first - 1] + starts[first]) // 2 if first else 0
    stop = int(starts[last] + starts[last + 1]) // 2 + SHINGLE_CHARS if last + 1 < len(starts) else n_chars
    return Span(start, min(stop, n_chars))
