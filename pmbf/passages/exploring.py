"""A query beside a text in one call of a kernel: most pairs share no passage."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from pmbf import kernels
from pmbf.kernels import Asked, Bars, Judged, Made, Ready, Tokens, as_ready, compare, ready
from pmbf.passages.names import Names
from pmbf.passages.prepared import Prepared, octets
from pmbf.passages.settings import LIKENESS_TIMES, SURE_CHARS, SURE_WORDS, Settings
from pmbf.passages.statistics import COMMONEST, COMMONEST_PAIRS, Statistics
from pmbf.text import SINGLE_CHARS

_COMMONEST = COMMONEST, COMMONEST_PAIRS


class SourceText:
    """A text that queries are compared with. What a comparison makes of this text alone is kept for the next query.

    Args:
        text: The text.

    Safe to share between threads: at worst it is made ready twice.

    Attributes:
        text: The text.
        sampled: Its sampled hashes, and the character where each begins; None until a screening asks for them.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self.sampled: tuple[NDArray[np.uint32], NDArray[np.uint32]] | None = None
        self._ready: tuple[NDArray[np.uint64], Ready] | None = None
        self._made: tuple[NDArray[np.uint64], Made] | None = None

    def ready(self, statistics: Statistics) -> Ready:
        """Return the text made ready. It is kept for the statistics asked for last, whatever query they are beside."""
        kept = self._ready
        if kept is None or kept[0] is not statistics.keys:
            made = self.made(statistics)
            known = ready(octets(self.text), statistics, _COMMONEST) if made is None else as_ready(made)
            kept = self._ready = (statistics.keys, known)
        return kept[1]

    def made(self, statistics: Statistics) -> Made | None:
        """Return what `compared_with_each` made of the text under these statistics; None if nothing is kept."""
        kept = self._made
        return kept[1] if kept and kept[0] is statistics.keys else None

    def keep(self, statistics: Statistics, made: Made) -> None:
        """Keep what `compared_with_each` made of the text."""
        self._made = statistics.keys, made

    @property
    def tokens(self) -> Tokens:
        """Its tokens, once the text was made ready."""
        if self._ready is None:
            assert self._made is not None
            self._ready = self._made[0], as_ready(self._made[1])
        return self._ready[1].tokens

    @cached_property
    def names(self) -> Names:
        """Its runs of names, once the text was made ready."""
        return Names(self.text, self.tokens)

    @property
    def n_bytes(self) -> int:
        """Memory that the text takes, and what is kept with it."""
        n_sampled = sum(array.nbytes for array in self.sampled or ())
        made = self._made or self._ready
        return self.text.__sizeof__() + n_sampled + (made[1].nbytes if made else 0)


def compared(query: Prepared, source: SourceText, settings: Settings, statistics: Statistics) -> Judged:
    """Return the passages of a query and a text, in tokens.

    Args:
        query: The suspicious text. What is made of it for one text is kept for the next.
        source: The text it is compared with.
        settings: What counts as a passage.
        statistics: How rare words are; if they do not know the query's language, rarity is guessed from the two texts.

    >>> from pmbf.passages.prepared import prepare
    >>> known = Statistics.of([prepare("The weather was fine, and the town was happy in it.").words] * 20)
    >>> query = prepare("The old bridge trembled when heavy carts crossed it.")
    >>> len(compared(query, SourceText("A fine day."), Settings(), known).kinds)
    0
    """
    return compare(_asked(query, settings, statistics), source.ready(statistics))


def compared_with_each(
    query: Prepared, sources: Sequence[SourceText], settings: Settings, statistics: Statistics
) -> list[Judged]:
    """Return what `compared` returns for each of some texts, all compared in one native call.

    Args:
        query: The suspicious text.
        sources: The texts that it is compared with. What is made of them is kept with them.
        settings: What counts as a passage.
        statistics: How rare words are; if they do not know the query's language, rarity is guessed from the two texts.
    """
    asked = _asked(query, settings, statistics)
    texts, known = [octets(one.text) for one in sources], [one.made(statistics) for one in sources]
    found, made = kernels.compare_each(asked, texts, known, _COMMONEST)
    for source, its in zip(sources, made, strict=True):
        source.keep(statistics, its)
    return found


def _asked(query: Prepared, settings: Settings, statistics: Statistics) -> Asked:
    """Return a query as the kernels take it. It is kept for the settings and statistics asked for last."""
    kept = query.asked[:1]
    if not kept or kept[0][0] is not statistics or kept[0][1] != settings:
        weighed, counted = query.weighed(statistics), None
        if not query.is_known(statistics):
            weighed, counted = None, query.counted
        text = query.spelled, query.words, query.grams(settings.seed_tokens)
        made = Asked(*text, statistics, weighed, bars_of(settings), settings.rules, counted)
        kept = query.asked[:] = [(statistics, settings, made)]
    asked: Asked = kept[0][2]
    return asked


def bars_of(settings: Settings) -> Bars:
    """Return what a passage must have, for the kernels."""
    return Bars(
        edited=settings.threshold,
        threshold=settings.reworded_threshold,
        short_doubt=settings.short_doubt,
        sure_letters=SURE_CHARS,
        topical=settings.least_topical_evidence,
        lacking_times=LIKENESS_TIMES,
        evidence=settings.least_evidence,
        seed_tokens=settings.seed_tokens,
        max_gap=settings.max_gap_tokens,
        letters=settings.min_chars,
        reworded_letters=settings.min_reworded_chars,
        reworded_source_letters=settings.min_reworded_source_chars,
        summary_letters=settings.min_summary_chars,
        summed_letters=settings.max_summed_chars,
        single_letters=SINGLE_CHARS,
        sure_words=SURE_WORDS,
    )
