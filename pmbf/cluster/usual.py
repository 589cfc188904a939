"""How long calls usually take, and when a node counts as late: then its volumes are asked of their other nodes, too.

Source: Dean & Barroso 2013, The Tail at Scale: hedged requests.
"""

from __future__ import annotations

from collections import defaultdict, deque

LATE_TIMES, LATE_S = 4.0, 0.05
"""A node is late after 4 times the 95th percentile of the last calls, and after 50 ms at the least."""

_CALLS, _FEW, _FEW_S = 64, 8, 1.0
"""Calls of a method that are remembered. With fewer than 8, a node is late after 1 s a query: the first calls open
volumes."""


class Usual:
    """Remembers how long calls took.

    Thread rule: any thread may call.
    """

    def __init__(self) -> None:
        self._seconds: defaultdict[str, deque[float]] = defaultdict(lambda: deque(maxlen=_CALLS))

    def note(self, method: str, seconds: float) -> None:
        """Remember how long a call of a method took, for each query that it was about."""
        self._seconds[method].append(seconds)

    def hedge_s(self, method: str, size: int, timeout_s: float) -> float:
        """Return after how many seconds a call about `size` queries is late, if a node has `timeout_s`."""
        known = list(self._seconds[method])
        if len(known) < _FEW:
            return min(timeout_s / 4, _FEW_S * size)
        return min(timeout_s / 4, max(LATE_S, LATE_TIMES * size * sorted(known)[19 * len(known) // 20]))
