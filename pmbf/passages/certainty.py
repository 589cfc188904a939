"""Certainty: how sure it is that both sides of a passage share their wording, in words.

A passage is wrong if both sides say the same thing, or name the same people, and neither took its wording from the
other nor both from a third text. docs/certainty.md says how often a passage of each certainty is wrong.
"""

from __future__ import annotations

import math

from pmbf.report import CERTAINTIES

SURE_NATS, LIKELY_NATS = 45.0, 30.0
"""Evidence of a verbatim or edited passage: 30 nats are some seven rare words in a row."""

SURE_SCORE, LIKELY_SCORE = 1.8, 1.6
"""Of a reworded passage or a summary: its share of words in order plus a fourth of the logarithm of its nats. So at 50
nats .82 of its words must be in order to be sure, and .62 to be likely; at 100 nats .65 and .45, at 400 .30 and .10."""


def certainty(kind: str, nats: float, in_order: float) -> str:
    """Return how sure a passage is: one of `CERTAINTIES`.

    Args:
        kind: As in `report.Passage`.
        nats: Its evidence.
        in_order: Its share of words in order, 0 to 1.

    >>> certainty("verbatim", 38.0, 1.0), certainty("reworded", 60.0, 0.45), certainty("reworded", 200.0, 0.7)
    ('likely', 'worth a look', 'sure')
    """
    if kind in ("verbatim", "edited"):
        score, bars = nats, (SURE_NATS, LIKELY_NATS)
    else:
        score, bars = in_order + math.log(max(1.0, nats)) / 4, (SURE_SCORE, LIKELY_SCORE)
    return CERTAINTIES[sum(score < bar for bar in bars)]
