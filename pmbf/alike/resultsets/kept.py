"""What was prepared or compared lately, by key."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Hashable, Iterable
from typing import Generic, TypeVar

Value = TypeVar("Value")


class Kept(Generic[Value]):
    """Values by key, at most some; those used longest ago go. Safe to share between threads.

    Args:
        most: The most values; 0 keeps none.

    >>> kept = Kept[int](2)
    >>> for key in ("tide", "boat", "moon"):
    ...     kept.put(key, len(key))
    >>> kept.get(["moon", "tide"]), len(kept)
    ([4, None], 2)
    """

    def __init__(self, most: int) -> None:
        self.most = most
        self._kept: OrderedDict[Hashable, Value] = OrderedDict()
        self._lock = threading.Lock()

    def __len__(self) -> int:
        return len(self._kept)

    def get(self, keys: Iterable[Hashable]) -> list[Value | None]:
        """Return the value of each key; None if it is not kept. All keys are looked up under one lock."""
        kept = self._kept
        with self._lock:
            found = [kept.get(key) for key in keys]
            for key, value in zip(keys, found, strict=True):
                if value is not None:
                    kept.move_to_end(key)
        return found

    def put(self, key: Hashable, value: Value) -> None:
        """Keep a value in the place of the one before."""
        with self._lock:
            self._kept[key] = value
            self._kept.move_to_end(key)
            while len(self._kept) > self.most:
                self._kept.popitem(last=False)

    def clear(self) -> None:
        """Forget all values."""
        with self._lock:
            self._kept.clear()
