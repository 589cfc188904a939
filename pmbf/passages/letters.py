"""How long a part of a text is, counted in letters of an alphabet."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from pmbf import kernels
from pmbf.base.span import Span
from pmbf.passages.prepared import Prepared
from pmbf.text import SINGLE_CHARS


def n_letters(text: Prepared, tokens: Span) -> int:
    """Return the characters of a token range, counted in letters of an alphabet."""
    return kernels.n_letters(text.tokens, tokens, SINGLE_CHARS)


def n_singles(text: Prepared, spans: Iterable[Span]) -> int:
    """Return the single letters of scripts written without spaces in some spans of characters."""
    if not text.n_singles:
        return 0
    tokens = (np.searchsorted(text.tokens.starts, (span.start, span.stop)) for span in spans)
    return sum(int(np.count_nonzero(text.tokens.singles[start:stop])) for start, stop in tokens)
