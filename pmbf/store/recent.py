"""What was used lately, up to some bytes or some values: the next query often needs it again."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Hashable, Sequence
from typing import Any

SAMPLED_BYTES = 32 << 20
"""Bytes of hashes made from texts lately, to be compared with a query: those of 25,000 texts of 1,000 words. Only a
collection of the kind `rows` makes them for a query."""


class Recent:
    """Values by key. If they take too many bytes, then those used longest ago go. Safe to share between threads.

    Args:
        most_bytes: Bytes of all values together; or how many values, if each counts as 1.
        largest: Bytes of the largest value that is kept; by default an eighth of all.

    >>> recent = Recent(800)
    >>> for name in ("sea", "hill", "town"):
    ...     recent.put(name, name.upper(), 100)
    >>> recent.get("hill"), recent.get("bridge"), recent.n_bytes
    ('HILL', None, 300)
    """

    def __init__(self, most_bytes: int, *, largest: int | None = None) -> None:
        self.most_bytes = most_bytes
        self._largest = most_bytes // 8 if largest is None else largest
        self.n_bytes = 0
        self._kept: OrderedDict[Hashable, tuple[Any, int]] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, key: Hashable) -> Any:
        """Return the value of a key, or None if it is not kept."""
        with self._lock:
            found = self._kept.get(key)
            if found is None:
                return None
            self._kept.move_to_end(key)
            return found[0]

    def get_each(self, keys: Sequence[Hashable]) -> list[Any]:
        """Return the value of each key, None for those that are not kept."""
        with self._lock:
            kept, found = self._kept, [self._kept.get(key) for key in keys]
            for key, one in zip(keys, found, strict=True):
                if one is not None:
                    kept.move_to_end(key)
            return [one and one[0] for one in found]

    def put(self, key: Hashable, value: Any, n_bytes: int) -> None:
        """Keep a value in the place of the one before."""
        with self._lock:
            _, before = self._kept.pop(key, (None, 0))
            self.n_bytes -= before
            if n_bytes > self._largest:
                return
            self._kept[key] = value, n_bytes
            self.n_bytes += n_bytes
            while self.n_bytes > self.most_bytes:
                _, (_, freed) = self._kept.popitem(last=False)
                self.n_bytes -= freed

    def clear(self) -> None:
        """Forget all values."""
        with self._lock:
            self._kept.clear()
            self.n_bytes = 0
