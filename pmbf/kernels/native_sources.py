"""A query and many texts: the native twin of `reference_sources`. One call makes texts ready and compares them."""

from __future__ import annotations

from collections.abc import Sequence
from ctypes import addressof, c_int64, c_void_p

import numpy as np

from pmbf.kernels.asked import Asked, Made, Ready
from pmbf.kernels.judged import Judged
from pmbf.kernels.native_align import taken
from pmbf.kernels.native_judge import as_asked, judged_of
from pmbf.kernels.native_library import address, function
from pmbf.kernels.native_ready import viewed
from pmbf.kernels.native_text import text_table
from pmbf.kernels.reference_text import decoded

__all__ = ["as_ready", "compare_each"]

_at = address()
_sources = function("pmbf_align_sources", *[c_void_p] * 4, c_int64, returns=c_int64)

_SOURCE = np.dtype([(name, np.int64) for name in ("utf8", "size", "block", "made", "made_size", "lines", "n_lines")])
"""`source_t` of native/align/sources.c."""

_NOT_UTF8 = -2


def compare_each(
    asked: Asked, texts: Sequence[bytes | None], made: Sequence[Made | None], commonest: tuple[int, int]
) -> tuple[list[Judged], list[Made]]:
    """As `reference_sources.compare_each`, in one call without the interpreter's lock."""
    given, numbers = as_asked(asked, _most_words(texts, made)), np.array(commonest, np.int64)
    sources, new = np.zeros(len(texts), _SOURCE), [text or b"" for text in texts]
    sources["utf8"], sources["size"] = [*map(_at, new)], [*map(len, new)]
    sources["block"] = [0 if block is None else _at(block) for block in made]
    status = _sources(addressof(given), text_table(), _at(numbers), _at(sources), len(sources))
    blocks = [*map(_block, made, sources["made"].tolist(), sources["made_size"].tolist())]
    lines = zip(sources["lines"].tolist(), sources["n_lines"].tolist(), strict=True)
    found = [judged_of(c_void_p(at), max(0, n)) for at, n in lines]
    if status == _NOT_UTF8:
        [*map(decoded, new)]  # raises
    if status < 0:
        raise MemoryError(f"no memory to compare {len(texts)} texts with a query")
    return found, blocks


def as_ready(made: Made) -> Ready:
    """As `reference_sources.as_ready`."""
    return viewed(made)


def _most_words(texts: Sequence[bytes | None], made: Sequence[Made | None]) -> int:
    """Return the words of the longest text, or more: a block has eight bytes for each, a text has one at least."""
    in_blocks = [0 if block is None else len(block) // 8 for block in made]
    return max([0, *in_blocks, *(len(text) for text in texts if text)])


def _block(known: Made | None, address: int, size: int) -> Made:
    """Return the block of a text; what C made of it is freed."""
    return taken(c_void_p(address), max(0, size), np.dtype(np.uint8)) if address else known
