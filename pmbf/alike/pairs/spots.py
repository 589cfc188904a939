"""Spot signatures: a stop word, and the words some steps after it that are no stop words.

    the records of the society are kept in the tower      stop words: the of are in
    the records society · of society kept · the society kept · are kept tower · in tower … (too near the end)

They stand in running text, not in menus and lists, for only running text is full of stop words.

Source: Theobald, Siddharth & Paepcke 2008, SpotSigs, section 3. Zhang, Yu, Zhang & Huang compare pages by them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pmbf.alike.pairs.stopwords import LEAST_SHARE, stop_table

Hashes = NDArray[np.uint64]
Places = NDArray[np.intp]

_STEP = np.uint64(0x9E3779B97F4A7C15)
_MIX_A, _MIX_B = np.uint64(0xFF51AFD7ED558CCD), np.uint64(0xC4CEB9FE1A85EC53)
_33 = np.uint64(33)


class Spots(NamedTuple):
    """The spot signatures of some texts, in no order.

    Args:
        hashes: `(n,) uint32`.
        texts: `(n,) intp`, the number of the text of each.
        languages: `(n_texts,) int`, the column of each text's language in the stop table; -1 if no list serves.
    """

    hashes: NDArray[np.uint32]
    texts: Places
    languages: Places


def spots(tokens: Sequence[Hashes], *, distance: int, chain: int) -> Spots:
    """Return the spot signatures of some texts.

    Args:
        tokens: Of each text, the hashes of its tokens in order.
        distance: Each word of the chain is this many words after the one before; stop words do not count.
        chain: Words after the stop word.
    """
    hashes = np.concatenate([np.empty(0, np.uint64), *tokens])
    sizes = np.array([len(one) for one in tokens], np.intp)
    of_text = np.repeat(np.arange(len(tokens)), sizes)
    is_stop, languages = _stops(hashes, of_text, sizes)
    words = np.flatnonzero(~is_stop)
    begins = np.flatnonzero(is_stop)
    after = np.cumsum(~is_stop)[begins]  # the place in `words` of the first word after the stop word
    last = after + distance * chain - 1
    inside = last < len(words)
    begins, after, last = begins[inside], after[inside], last[inside]
    same = of_text[words[last]] == of_text[begins]
    begins, after = begins[same], after[same]
    made = hashes[begins]
    for step in range(1, chain + 1):
        made = _mixed(made * _STEP + hashes[words[after + step * distance - 1]])
    return Spots((made >> np.uint64(32)).astype(np.uint32), of_text[begins], languages)


def _stops(hashes: Hashes, of_text: Places, sizes: Places) -> tuple[NDArray[np.bool_], Places]:
    """Return which tokens are stop words of their text's language, and the languages."""
    table = stop_table()
    at = np.minimum(np.searchsorted(table.hashes, hashes), len(table.hashes) - 1)
    known = np.flatnonzero(table.hashes[at] == hashes)
    at, texts = at[known], of_text[known]
    counts = np.stack([np.bincount(texts[column], minlength=len(sizes)) for column in table.languages.T[:, at]], axis=1)
    languages = np.where(counts.max(axis=1) >= np.maximum(1, LEAST_SHARE * sizes), counts.argmax(axis=1), -1)
    is_stop = np.zeros(len(hashes), np.bool_)
    is_stop[known] = table.languages[at, languages[texts]] & (languages[texts] >= 0)
    return is_stop, languages


def _mixed(keys: Hashes) -> Hashes:
    """Return the keys mixed: the finaliser of MurmurHash3."""
    keys = (keys ^ (keys >> _33)) * _MIX_A
    keys = (keys ^ (keys >> _33)) * _MIX_B
    return keys ^ (keys >> _33)
