"""Where something stands in a text. A module of its own: a hook needs no more of a report than this."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, order=True)
class Span:
    """The characters `[start, stop)` of an original text, in code points."""

    start: int
    stop: int

    def __len__(self) -> int:
        return self.stop - self.start
