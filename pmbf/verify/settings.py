"""What counts as a passage: `Settings`, checked once."""

from __future__ import annotations

from dataclasses import dataclass

from pmbf.errors import ParameterError


@dataclass(frozen=True, slots=True)
class Settings:
    """What counts as a passage.

    Args:
        seed_tokens: Words in the shortest equal run a passage may grow from, 1 to 32. Letters that are tokens of their
            own (Han, Kana, Thai and so on) count as half a word.
        max_gap_tokens: Most tokens between two equal runs of one passage, on either side, 0 to 1000.
        min_chars: Characters of the shortest passage, on the query's side, at least 1. A letter that is its own token
            counts as three.
        threshold: Least similarity of a passage, in [0, 1].

    Raises:
        ParameterError: A value is outside its range.

    >>> Settings(min_chars=200).threshold
    0.6
    """

    seed_tokens: int = 4
    max_gap_tokens: int = 30
    min_chars: int = 65
    threshold: float = 0.6

    def __post_init__(self) -> None:
        _within("seed_tokens", self.seed_tokens, 1, 32)
        _within("max_gap_tokens", self.max_gap_tokens, 0, 1000)
        _within("min_chars", self.min_chars, 1, 2**31)
        if not 0 <= self.threshold <= 1:
            raise ParameterError(f"threshold is {self.threshold}, expected a number in [0, 1]")


def _within(name: str, value: int, low: int, high: int) -> None:
    if not low <= value <= high:
        raise ParameterError(f"{name} is {value}, expected an integer from {low} to {high}")
