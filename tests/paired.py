"""Two texts in the form that the steps of a comparison take: they can be asked about alone."""

from __future__ import annotations

from pmbf.kernels import JudgedPassages, Rules, Terms
from pmbf.kernels.reference_judge import compare_pair
from pmbf.kernels.reference_judge import pair_of as numbered
from pmbf.kernels.reference_ready import AskedText, Ready, asked_of, ready_text
from pmbf.kernels.reference_refine import NumberedPair
from pmbf.kernels.reference_words import Weighed, weigh
from pmbf.passages.compare import TextPair, bars_of, compared
from pmbf.passages.prepared import COMMONEST_OF, octets
from pmbf.passages.statistics import COMMONEST, COMMONEST_PAIRS, LEAST_PAGES, UNKNOWN
from pmbf.verify import Prepared, Settings, Statistics


def compare_two(query: Prepared, source: Prepared, settings: Settings, statistics: Statistics | None) -> JudgedPassages:
    """Return the passages of two texts in tokens, found by the kernels that answer."""
    [found] = compared([TextPair(query, source, settings)], statistics or UNKNOWN, beside=False)
    return found


def spelled(text: Prepared) -> Ready:
    """Return a text as the reference judges it."""
    return ready_text(octets(text.text), COMMONEST_OF)


def weighed(text: Prepared, statistics: Statistics) -> Weighed:
    """Return the weights of a text's words."""
    return weigh(statistics, text.words, COMMONEST_PAIRS if 2 * text.n_singles > text.n_tokens else COMMONEST)


def pair_of(query: Prepared, source: Prepared, statistics: Statistics | None, rules: Rules) -> NumberedPair:
    """Return two texts with their words numbered together; None for `statistics`: rarity is guessed from the two."""
    return numbered(_asked(query, Settings(), statistics, rules), spelled(source))


def step_by_step(query: Prepared, source: str, settings: Settings, statistics: Statistics | None) -> JudgedPassages:
    """Return the passages of two texts in tokens, found by the reference."""
    asked = _asked(query, settings, statistics, settings.rules)
    return compare_pair(asked, ready_text(source.encode(), COMMONEST_OF))


def _asked(query: Prepared, settings: Settings, statistics: Statistics | None, rules: Rules) -> AskedText:
    return asked_of(spelled(query), Terms(statistics or UNKNOWN, bars_of(settings), rules, LEAST_PAGES, beside=False))
