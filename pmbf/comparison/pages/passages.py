"""The passages of a pair inside the page of a comparison, both sides beside each other, with the words that differ."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby

from pmbf.base.span import Span
from pmbf.comparison.pages.html_tables import name_of
from pmbf.comparison.pages.names import Names
from pmbf.comparison.reports import as_passage
from pmbf.comparison.results import Comparison, Pair, Shared
from pmbf.pages.markup import counted, likeness, percent, prose
from pmbf.verify import word_pairs

SHOWN_CHARS = 1200
"""Characters of a side that are shown; of a longer one the first ones."""
MOST_PASSAGES = 40
"""Passages of a pair that are shown, the longest ones."""


def passages_inside(comparison: Comparison, names: Names, most: int) -> str:
    """Return the passages of the first `most` pairs, each pair in an element that opens."""
    if not comparison.pairs:
        return ""
    shown = "".join(_pair(comparison, names, i) for i in range(min(most, len(comparison.pairs))))
    return f'<section class="card-panel wide"><h2 class="label">Passages</h2>{shown}</section>\n'


def _pair(comparison: Comparison, names: Names, i: int) -> str:
    pair = comparison.pairs[i]
    shown = sorted(sorted(pair.passages, key=lambda one: -len(one.a))[:MOST_PASSAGES], key=lambda one: one.a)
    left = len(pair.passages) - len(shown)
    rest = f'<p class="faint">{counted(left, "shorter passage")} not shown</p>' if left else ""
    told = (
        f"{percent(pair.share_a)} of {name_of(names, pair.a)} and {percent(pair.share_b)} of {name_of(names, pair.b)}"
    )
    passages = "".join(_passage(comparison, pair, one) for one in shown)
    return (
        f'<details class="pair-passages" id="pair-{i + 1}" data-pair="{i}">'
        f"<summary><b>{i + 1}</b> · {told}</summary>{passages}{rest}</details>\n"
    )


def _passage(comparison: Comparison, pair: Pair, one: Shared) -> str:
    a, b = comparison.texts[pair.a], comparison.texts[pair.b]
    members = comparison.by_name
    words = word_pairs(a, b, as_passage(one, members[pair.a], members[pair.b]), SHOWN_CHARS)
    library = " · from the library" if one.from_library else ""
    facts = f"{likeness(one.kind, one.similarity)} · {counted(len(one.a), 'character')} · {one.certainty}{library}"
    side_a = "".join(_side(a, one.a, [(word.query, word.same) for word in words], "ins"))
    side_b = "".join(_side(b, one.b, [(word.source, word.same) for word in words], "del"))
    return f'<div class="two"><p class="facts">{facts}</p><p dir="auto">{side_a}</p><p dir="auto">{side_b}</p></div>\n'


def _side(text: str, whole: Span, words: Sequence[tuple[Span, bool]], tag: str) -> Iterator[str]:
    """Yield the first words of a side, those that the other side lacks marked."""
    stop = whole.start
    shown = [(span, same) for span, same in words if len(span) and span.start < whole.start + SHOWN_CHARS]
    for same, run in groupby(shown, key=lambda word: word[1]):
        spans = [span for span, _ in run]
        stop = spans[-1].stop
        told = prose(text[spans[0].start : stop])
        yield told if same else f"<{tag}>{told}</{tag}>"
    if stop < whole.stop:
        yield f'<span class="faint">… {whole.stop - stop:,} characters …</span>'
