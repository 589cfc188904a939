"""Fingerprints: the sampled shingle hashes of a text, as stored of a document and as looked up for a query."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from pmbf import kernels
from pmbf.base.hashes import Hashes
from pmbf.base.params import Params
from pmbf.kernels import Sample
from pmbf.text import utf8


@dataclass(frozen=True, slots=True, eq=False)
class Fingerprint:
    """The stored fingerprint of a document: its sampled hashes, part by part in text order.

    Args:
        hashes: `(n,)`, ascending and distinct inside each part, so that the head of a part is a coarser sample; see
            `hashes`.
        bounds: `(n_parts + 1,) uint32`; part p is `hashes[bounds[p]:bounds[p + 1]]`.
        n_chars: Code points of the text.
        n_tokens: Tokens of the text.
        words: The word list of the text: docs/text.md, section 6. Empty if it is not known.
    """

    hashes: Hashes
    bounds: NDArray[np.uint32]
    n_chars: int
    n_tokens: int
    words: bytes = b""

    def __len__(self) -> int:
        return len(self.hashes)

    def parts(self) -> list[Hashes]:
        """Return the hashes of each part, in text order; a part may be empty."""
        return [self.hashes[start:stop] for start, stop in pairwise(self.bounds.tolist())]

    def record(self, hash_bits: int = 32) -> bytes:
        """Return the fingerprint as it is stored, see `docs/format.md`.

        Args:
            hash_bits: Bits of its hashes.
        """
        bounds = self.bounds.astype(np.int64)
        return kernels.records(self.hashes, bounds, np.array([0, len(bounds) - 1]), hash_bits)[0]

    def distinct(self) -> Hashes:
        """Return all hashes, ascending, each once, `(m,)`."""
        return np.unique(self.hashes) if len(self.bounds) > 2 else self.hashes


def fingerprint(text: str | bytes, params: Params) -> Fingerprint:
    """Return the fingerprint of a text.

    Args:
        text: The original, where lone surrogates count as U+FFFD; or its UTF-8.
        params: Shingle length, order, density, segments.

    >>> len(fingerprint("The quick brown fox jumps over the lazy dog.", Params()))
    7
    """
    sampled = kernels.sample(utf8(text), params.sampling, positions=False, words=True)
    return Fingerprint(sampled.hashes, sampled.bounds, sampled.n_chars, sampled.n_tokens, sampled.words.tobytes())


def query_sample(text: str | bytes, params: Params, *, starts: bool = False) -> Sample:
    """Return the hashes to look up for a text, the same that `fingerprint` stores, with their places.

    Args:
        text: The original, where lone surrogates count as U+FFFD; or its UTF-8.
        params: Those of the collection.
        starts: Whether the shingles' code points are wanted; that takes a third more.

    >>> query_sample("The quick brown fox jumps over the lazy dog.", Params()).token.tolist()
    [0, 1, 2, 3, 4, 5, 6]
    """
    return kernels.sample(utf8(text), params.sampling, starts=starts)
