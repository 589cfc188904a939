"""A text made ready to be compared with queries, step by step: the reference of `native/align/ready.c`."""

from __future__ import annotations

import numpy as np

from pmbf.kernels.asked import Counts, Ready, Weighed
from pmbf.kernels.reference_text import fold, tokenise
from pmbf.kernels.reference_weigh import weigh
from pmbf.kernels.reference_words import spell, words

__all__ = ["ready"]


def ready(utf8: bytes, counts: Counts, commonest: tuple[int, int]) -> Ready:
    """Return a text made ready to be compared with queries.

    Args:
        utf8: The text, valid UTF-8.
        counts: Counts of other texts.
        commonest: As for `weigh`: the number for a text of words, and that for a text of single letters.

    Raises:
        ParameterError: The text is not UTF-8.
    """
    tokens, folded = tokenise(utf8), fold(utf8)
    found = words(utf8, folded, tokens)
    in_pairs = 2 * int(np.count_nonzero(tokens.singles)) > len(tokens)
    n_like, rarities, priors = weigh(counts, found, commonest[in_pairs])
    order = np.argsort(np.unique(found.types, return_index=True)[1])
    types = np.argsort(order).astype(np.int32)[found.types]
    weighed = Weighed(n_like, rarities[order], priors[order])
    spelling, offsets = spell(folded, tokens)
    spelled = np.frombuffer(spelling.encode(), np.uint8)
    arrays = found.keys, found.slips, types, rarities, priors, found.borders, spelled, offsets, tokens.hashes
    n_bytes = sum(array.nbytes for array in arrays)
    kept = {"reference": found}
    places = offsets.astype(np.uint32)
    return Ready(tokens, found.keys[order], types, weighed, found.borders, spelled, places, n_bytes, kept)
