"""A query beside a text in one native call: most pairs share no passage, and the call says so."""

from __future__ import annotations

from pmbf.kernels import Asked, Bars, Explored, explore
from pmbf.passages.prepared import Prepared, octets
from pmbf.passages.settings import LIKENESS_TIMES, SURE_CHARS, Settings
from pmbf.passages.statistics import COMMONEST, COMMONEST_PAIRS, Statistics
from pmbf.text import SINGLE_CHARS


def explored(query: Prepared, text: str, settings: Settings, statistics: Statistics) -> Explored | None:
    """Return the chains and alignments of a query and a text; None if none can become a passage.

    Args:
        query: The suspicious text. What is made of it for one text is kept for the next.
        text: The text it is compared with.
        settings: What counts as a passage.
        statistics: How rare words are.

    >>> from pmbf.passages.prepared import prepare
    >>> known = Statistics.of([prepare("The weather was fine, and the town was happy in it.").words] * 20)
    >>> explored(prepare("The old bridge trembled when heavy carts crossed it."), "A fine day.", Settings(), known)
    """
    kept = query.asked[:1]
    if not kept or kept[0][0] is not statistics or kept[0][1] != settings:
        kept = query.asked[:] = [(statistics, settings, _asked(query, settings, statistics))]
    return explore(kept[0][2], octets(text))


def _asked(query: Prepared, settings: Settings, statistics: Statistics) -> Asked:
    bars = Bars(
        threshold=settings.reworded_threshold,
        short_doubt=settings.short_doubt,
        sure_letters=SURE_CHARS,
        topical=settings.least_topical_evidence,
        lacking_times=LIKENESS_TIMES,
        seed_tokens=settings.seed_tokens,
        max_gap=settings.max_gap_tokens,
        letters=settings.min_chars,
        reworded_letters=settings.min_reworded_chars,
        reworded_source_letters=settings.min_reworded_source_chars,
        summary_letters=settings.min_summary_chars,
        summed_letters=settings.max_summed_chars,
        single_letters=SINGLE_CHARS,
        commonest=COMMONEST,
        commonest_pairs=COMMONEST_PAIRS,
    )
    weighed, grams = query.weighed(statistics), query.grams(settings.seed_tokens)
    return Asked(query.tokens, query.words, grams, weighed, statistics, bars, settings.rules)
