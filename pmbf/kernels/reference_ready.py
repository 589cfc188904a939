"""A text made ready to be compared with queries, step by step: the reference of `native/align/ready.c`."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from pmbf.kernels.asked import Counts, Ready
from pmbf.kernels.reference_text import fold, tokenise
from pmbf.kernels.reference_words import spell, words

__all__ = ["ready"]


def ready(utf8: bytes, counts: Counts, commonest: tuple[int, int]) -> Ready:
    """Return a text made ready to be compared with queries.

    Args:
        utf8: The text, valid UTF-8.
        counts: Counts of other texts. Those of a query among them do not matter.
        commonest: As for `weigh`: the number for a text of words, and that for a text of single letters.

    Raises:
        ParameterError: The text is not UTF-8.
    """
    tokens, folded = tokenise(utf8), fold(utf8)
    found = words(utf8, folded, tokens)
    in_pairs = 2 * int(np.count_nonzero(tokens.singles)) > len(tokens)
    order = np.argsort(np.unique(found.types, return_index=True)[1])
    keys = found.keys[order]
    n_holding, n_times = (one.astype(np.int32) for one in counts.of_others(keys))
    spelling, offsets = spell(folded, tokens)
    spelled = np.frombuffer(spelling.encode(), np.uint8)
    highest = max(tokens.n_chars, int(offsets[-1]), ord(max(spelling, default=" ")))
    place: type[np.unsignedinteger[Any]] = np.uint16 if highest < 1 << 16 else np.uint32
    types, places = np.argsort(order).astype(place)[found.types], offsets.astype(place)
    tokens = replace(tokens, starts=tokens.starts.astype(place), stops=tokens.stops.astype(place))
    arrays = keys, found.slips, types, n_holding, n_times, found.borders, spelled, places, tokens.hashes
    n_bytes = sum(array.nbytes for array in arrays)
    counted, kept = (n_holding, n_times, commonest[in_pairs]), {"reference": found}
    return Ready(tokens, keys, types, *counted, found.borders, spelled, places, n_bytes, kept)
