"""Chunk IDs: hashes of all overlapping shingles of a text, not sampled: the reference of `native/text/chunks.c`."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from pmbf.base.arrays import distinct
from pmbf.kernels.inverted_checks import require_chunks
from pmbf.kernels.inverted_layout import Lists
from pmbf.kernels.reference_hash import all_shingles
from pmbf.kernels.reference_text import tokenise

__all__ = ["chunk_lists"]


def chunk_lists(texts: Sequence[bytes], *, n_words: int, bits: int = 32) -> Lists:
    """Return the IDs of all overlapping chunks of many texts: the top bits of the hashes of shingles, docs/text.md.

    Threads may call it side by side: the native twin works without the interpreter's lock.

    Args:
        texts: Texts in UTF-8.
        n_words: Tokens of a chunk, 1 to 32. As with shingles, a chunk that begins at a single letter, in scripts
            written without spaces, has twice as many tokens. A text with tokens and no chunk is one chunk.
        bits: Bits of an ID, 20 to 32. Fewer bits give equal IDs to more chunks.

    Returns:
        The IDs of each text, ascending, distinct.

    Raises:
        ParameterError: The bytes are not valid UTF-8, or a number is outside its range.

    Source:
        Kasprzak, Brandejs & Brandejsová 2009, section 2: chunks are overlapping word sequences, 28 to 32 bits.

    >>> lists = chunk_lists([b"to be or not to be or not", b""], n_words=3)
    >>> len(lists[0]), len(lists[1])
    (4, 0)
    """
    require_chunks(n_words, bits)
    return Lists.of([_ids(utf8, n_words, bits) for utf8 in texts])


def _ids(utf8: bytes, n_words: int, bits: int) -> NDArray[np.uint32]:
    tokens = tokenise(utf8)
    hashes = all_shingles(tokens.hashes.tolist(), tokens.singles.tolist(), n_words)
    return distinct(np.array([value >> 64 - bits for value in hashes], np.uint32))
