"""What kernels take and return: texts, samples, records and looks. Offsets are code points of the original text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pmbf.base.hashes import Hashes

__all__ = [
    "KINDS",
    "Extent",
    "Folded",
    "HitRules",
    "JudgedPassages",
    "Looks",
    "Probed",
    "Sample",
    "Samples",
    "TextsRead",
    "Tokens",
]


@dataclass(frozen=True, slots=True, eq=False)
class Folded:
    """A folded text, and where each of its characters stands in the original.

    Args:
        text: Folded code points; each separator is one space.
        origin: `(len(text) + 1,) uint32`, where each folded character begins in the original. The last number is the
            length of the original.
    """

    text: str
    origin: NDArray[np.uint32]


@dataclass(frozen=True, slots=True, eq=False)
class Tokens:
    """The tokens of a text, in text order.

    Args:
        hashes: `(n,) uint64`, MurmurHash3 of each folded token.
        starts: `(n,) uint32`, where each token begins in the original.
        stops: `(n,) uint32`, where each token ends. Characters after a token that fold to nothing belong to the token.
        singles: `(n,) bool`, whether each token is a letter of a script written without spaces.
        n_chars: Code points of the original.
        n_mixed: Tokens that mixed scripts and were repaired.
        n_invisible: Invisible characters after a letter of Latin, Cyrillic, Greek or Armenian.
    """

    hashes: NDArray[np.uint64]
    starts: NDArray[np.uint32]
    stops: NDArray[np.uint32]
    singles: NDArray[np.bool_]
    n_chars: int
    n_mixed: int
    n_invisible: int

    def __len__(self) -> int:
        return len(self.hashes)

    @property
    def extent(self) -> Extent:
        """How much text they are."""
        edges = (int(self.starts[0]), int(self.stops[-1])) if len(self) else (0, 0)
        return Extent(len(self), int(np.count_nonzero(self.singles)), *edges)


class Extent(NamedTuple):
    """How many tokens a text has and how many of them are single letters, where the first begins and the last ends; 0
    without tokens."""

    n_tokens: int
    n_singles: int
    start: int
    stop: int


@dataclass(frozen=True, slots=True, eq=False)
class Sample:
    """The smallest shingle hashes of each segment, distinct inside a segment.

    Args:
        hashes: `(n,)`, the first bits of shingle hashes: in text order if positions are asked for, else
            ascending inside each segment. The first 32 bits are distinct inside a segment.
        starts: `(n,) uint32`, where the first such shingle of the segment begins in the original.
        token: `(n,) uint32`, the number of that shingle's first token.
        bounds: `(n_segments + 1,) uint32`; segment s is `hashes[bounds[s]:bounds[s + 1]]`.
        words: `(b,) uint8`, the word list of the text: docs/text.md, section 6. It is empty if not asked for.
        n_chars: Code points of the original.
        n_tokens: Tokens of the text.
        n_shingles: Shingles of the text; equal shingles count each time.
        n_mixed: As in `Tokens`.
        n_invisible: As in `Tokens`.
    """

    hashes: Hashes
    starts: NDArray[np.uint32]
    token: NDArray[np.uint32]
    bounds: NDArray[np.uint32]
    words: NDArray[np.uint8]
    n_chars: int
    n_tokens: int
    n_shingles: int
    n_mixed: int
    n_invisible: int

    def __len__(self) -> int:
        return len(self.hashes)


@dataclass(frozen=True, slots=True, eq=False)
class Samples:
    """The samples of many texts, end to end.

    Args:
        bounds: `(n_parts + 1,) int64`, where each part begins among the hashes, the parts of all texts after another. A
            part is a segment's sample.
        firsts: `(n_texts + 1,) int64`; text i has the parts from `firsts[i]` to `firsts[i + 1]`.
        n_chars: `(n_texts,) int64`, code points of each text; -1 for bytes that are not UTF-8, which have no part.
        n_tokens: `(n_texts,) int64`, tokens of each text.
        word_bounds: `(n_texts + 1,) int64`; the word list of text i is `words[word_bounds[i]:word_bounds[i + 1]]`. It
            is empty for bytes that are not UTF-8.
        hashes: `(n,)`, as in `Sample` without positions.
        words: `(b,) uint8`.
    """

    bounds: NDArray[np.int64]
    firsts: NDArray[np.int64]
    n_chars: NDArray[np.int64]
    n_tokens: NDArray[np.int64]
    word_bounds: NDArray[np.int64]
    hashes: Hashes
    words: NDArray[np.uint8]


Probed = tuple[NDArray[np.uint64], bool, int]
"""The bits of a tile, whether it is sealed, and the bits per hash, k."""


class HitRules(NamedTuple):
    """How hits near each other in a query count together.

    Args:
        shingle_tokens: Tokens of a shingle, at least 1.
        window: Hits less than this many places apart count together, at least 1.
    """

    shingle_tokens: int
    window: int


class Looks(NamedTuple):
    """What bytes look like before they are decoded. A space is any byte up to U+0020.

    Args:
        is_clean: Whether the bytes are UTF-8 without a byte order mark, and without control characters other than
            U+0009 to U+000D. Every program reads the same text from clean bytes.
        longest: Bytes of the longest run without a space.
        n_apart: How often exactly one byte stands between two spaces.
    """

    is_clean: bool
    longest: int
    n_apart: int


class TextsRead(NamedTuple):
    """Plain texts read from their files, with their samples, as columns.

    Args:
        numbers: `(n,) int64`, of the files that are clean text, ascending.
        sha256: SHA-256 of the bytes of each of these files, hexadecimal.
        content: Bytes in which the texts lie, which are the files' bytes.
        starts, stops: `(n,) int64`; text i is `content[starts[i]:stops[i]]`.
        samples: Those of the texts.
    """

    numbers: NDArray[np.int64]
    sha256: list[str]
    content: bytes
    starts: NDArray[np.int64]
    stops: NDArray[np.int64]
    samples: Samples


KINDS = ("verbatim", "edited", "reworded", "summary")
"""The kinds of `JudgedPassages`; docs of `report.Passage` say what they mean."""


class JudgedPassages(NamedTuple):
    """The passages of two texts, in query order.

    Args:
        edges: `(n, 4) int64`, the tokens of each: start and stop in the query, start and stop in the source.
        kinds: `(n,) int64`, the place of each kind among `KINDS`.
        figures: `(n, 6) float64`: the similarity, as in `report.Passage`; the similarities of letters, of words in
            order and of sorted words, NaN if a side is too long; the evidence, in nats; the share of the query's words
            that stand in the source's side in the same order.
    """

    edges: NDArray[np.int64]
    kinds: NDArray[np.int64]
    figures: NDArray[np.float64]

    @classmethod
    def of(cls, rows: Sequence[tuple[tuple[int, ...], int, tuple[float, ...]]]) -> JudgedPassages:
        """Return passages given one by one."""
        edges, kinds, figures = zip(*rows, strict=True) if rows else ((), (), ())
        shaped = np.array(edges, np.int64).reshape(-1, 4), np.array(figures, np.float64).reshape(-1, 6)
        return cls(shaped[0], np.array(kinds, np.int64), shaped[1])
