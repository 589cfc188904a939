"""Connected components of documents, in arrays."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def components(edges: NDArray[np.int64]) -> list[list[int]]:
    """Return the nodes of each connected component, ascending; components by their first node.

    Args:
        edges: `(n, 2) int64`, pairs of nodes.

    >>> components(np.array([[7, 3], [9, 8], [3, 5]]))
    [[3, 5, 7], [8, 9]]
    """
    nodes, ends = np.unique(edges, return_inverse=True)
    one, other = ends.reshape(-1, 2).T
    roots = np.arange(len(nodes))
    while True:
        least = np.minimum(roots[one], roots[other])
        before = roots.copy()
        np.minimum.at(roots, before[one], least)
        np.minimum.at(roots, before[other], least)
        roots = roots[roots]
        if np.array_equal(roots, before):
            break
    order = np.argsort(roots, kind="stable")
    cuts = np.flatnonzero(np.diff(roots[order])) + 1
    return [nodes[some].tolist() for some in np.split(order, cuts) if len(some)]
