"""A folder's texts as lists of chunk IDs, and times of a processor."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from time import process_time
from typing import Any

from pmbf import kernels
from pmbf.kernels import Lists

Times = dict[str, float]

_BATCH = 512
"""Texts of a call. Threads of a real run would each make such calls."""


def texts_of(folder: str) -> list[bytes]:
    """Return the .txt files below a folder."""
    return [path.read_bytes() for path in sorted(Path(folder).rglob("*.txt"))]


def lists_of(texts: list[bytes], n_words: int) -> Lists:
    """Return the chunk IDs of texts."""
    batches = range(0, len(texts), _BATCH)
    return kernels.join_lists(
        [kernels.chunk_lists(texts[first : first + _BATCH], n_words=n_words) for first in batches]
    )


def timed(step: Callable[[], Any]) -> float:
    """Return the processor time of a step."""
    start = process_time()
    step()
    return process_time() - start


def least(rounds: list[Times]) -> Times:
    """Return the least time of each step."""
    return {name: min(one[name] for one in rounds) for name in rounds[0]}
