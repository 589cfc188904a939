"""Boilerplate: what many unlike articles of a background share, such as a licence, a footer or a notice.

A story with twenty copies is no boilerplate. So of the articles that have a hash, those that are duplicates of each
other count once.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from pmbf import kernels
from pmbf.alike.resultsets.alike_pairs import Rule, alike
from pmbf.alike.resultsets.prepared import PreparedArticle

_LOOKED_AT = 8
"""Articles with a hash that are compared with each other: so many times the unlike articles that boilerplate has."""


def boilerplate(background: Sequence[PreparedArticle], more_than: int, rule: Rule) -> NDArray[np.uint32]:
    """Return the hashes that more than some unlike articles have, `(n,) uint32`, ascending.

    Args:
        background: Articles of the past, such as those of the last weeks.
        more_than: Unlike articles that may share a hash.
        rule: When two articles are duplicates.
    """
    hashes = np.concatenate([one.hashes for one in background]) if background else np.zeros(0, np.uint32)
    order = np.argsort(hashes, kind="stable")
    owners = np.repeat(np.arange(len(background)), [len(one.hashes) for one in background])[order]
    ordered = hashes[order]
    starts = np.flatnonzero(np.append(True, ordered[1:] != ordered[:-1])[: len(ordered)])
    stops = np.append(starts[1:], len(ordered))
    many = stops - starts > more_than
    found = [
        ordered[start]
        for start, stop in zip(starts[many].tolist(), stops[many].tolist(), strict=True)
        if _n_unlike(background, owners[start : min(stop, start + _LOOKED_AT * (more_than + 1))].tolist(), rule)
        > more_than
    ]
    return np.array(found, np.uint32)


def _n_unlike(background: Sequence[PreparedArticle], holders: Iterable[int], rule: Rule) -> int:
    """Return how many of some articles are shown if their duplicates are hidden."""
    held = [background[one] for one in holders]
    return len(set(kernels.shown_for(alike(held, rule), np.arange(len(held)), connected=False).tolist()))
