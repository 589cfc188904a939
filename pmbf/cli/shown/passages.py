"""A passage as its reader compares it: both texts, some words around them, and each word that differs marked.

    1.2  query 812-1490 | source 3301-3976, 98 % alike
      …recites it before anyone can reach |    …a fresh mirror swallowed nearly half |
      Glass would lose {+much+} less, but …    Glass would lose less, but … 1,201
      1,204 characters … {+set+} in brass.     characters … [-cemented-] in brass.
      | The panel ends there…                  | In the summer of 1823 the tower…

Words are compared folded (`verify.word_pairs`): a difference in case, accents or look-alike letters is none.
"""

from __future__ import annotations

import itertools
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from rich.console import RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from pmbf.base.span import Span
from pmbf.cli.shown.canvas import View
from pmbf.cli.shown.figures import percent
from pmbf.cli.shown.safe import one_line
from pmbf.report import Passage
from pmbf.verify import WordPair, word_pairs

SIDE_BY_SIDE_WIDTH = 100
"""Columns from which two texts stand side by side."""
INDENT, GAP = 2, 3
CONTEXT_CHARS = 60
HEAD_CHARS, TAIL_CHARS = 480, 240
"""Characters shown of a longer passage at each end, so that three passages fit on a screen."""
OMITTED_CHARS = 120
"""Fewest characters left out. Fewer are shown: a gap would take as much room."""
WINDOW_TOKENS = 4 * HEAD_CHARS
"""Tokens compared at each end of a longer passage: four times the shown ones, so that the shown ones pair up right."""
_TRAILING = " \t\r\n,.;:!?…)»”’\"'-–—"


class Fragment(NamedTuple):
    """A piece of one side. `role` is `context`, `same`, `changed` or `omitted`."""

    text: str
    role: str


@dataclass(frozen=True, slots=True)
class Marks:
    """How the words of one side that the other side lacks are marked: by a style, or without colours by brackets."""

    style: str
    opening: str
    closing: str


QUERY_MARKS = Marks("bold green", "{+", "+}")
SOURCE_MARKS = Marks("bold red", "[-", "-]")
STYLES = {"context": "dim", "same": "", "omitted": "dim italic"}


def likeness(kind: str, similarity: float) -> str:
    """Return how alike the two sides of a passage are, or of several passages together.

    >>> likeness("verbatim", 1.0), likeness("edited", 0.942), likeness("edited", 1.0), likeness("reworded", 0.61)
    ('verbatim', '94 % alike', '>99 % alike', 'reworded, 61 % alike')
    """
    if kind == "verbatim":
        return kind
    alike = f"{percent(min(similarity, 0.999))} alike"
    return alike if kind == "edited" else f"{kind}, {alike}"


def drawn(
    passage: Passage, query: str, source: str, view: View, names: tuple[str, str] = ("query", "source")
) -> RenderableType:
    """Return a passage of two texts: side by side if the width and the direction of the script allow it.

    `names` stand before the texts if one stands above the other.
    """
    ends = _ends(word_pairs(query, source, passage, WINDOW_TOKENS))
    left = _side(query, passage.query, [[(pair.query, pair.same) for pair in end] for end in ends])
    right = _side(source, passage.source, [[(pair.source, pair.same) for pair in end] for end in ends])
    sides = _texts(left, QUERY_MARKS, view), _texts(right, SOURCE_MARKS, view)
    # A terminal that orders right-to-left letters itself would mix the two columns up.
    beside = view.columns >= SIDE_BY_SIDE_WIDTH and not any(
        _right_to_left(text.plain) for text in itertools.chain(*sides)
    )
    return Padding(
        _beside(*sides, width=view.columns - INDENT) if beside else _stacked(*sides, names), (0, 0, 0, INDENT)
    )


# ---------------------------------------------------------------------- shown words


def _ends(pairs: Sequence[WordPair]) -> tuple[Sequence[WordPair], Sequence[WordPair]]:
    """Return the head and the tail of a passage that are shown; a short one is all head."""
    lengths = [max(len(pair.query), len(pair.source)) for pair in pairs]
    if sum(lengths) <= HEAD_CHARS + TAIL_CHARS + OMITTED_CHARS:
        return pairs, ()
    return pairs[: _fitting(lengths, HEAD_CHARS)], pairs[len(pairs) - _fitting(lengths[::-1], TAIL_CHARS) :]


def _fitting(lengths: Sequence[int], n_chars: int) -> int:
    return sum(total <= n_chars for total in itertools.accumulate(lengths))


def _side(text: str, span: Span, ends: Sequence[Sequence[tuple[Span, bool]]]) -> list[list[Fragment]]:
    """Return one side of a passage: the words before it, its shown words, the words after it."""
    head, tail = (list(_runs(text, end)) for end in ends)
    n_omitted = len(span) - sum(len(run.text) for run in head + tail)
    omitted = [Fragment(f" … {n_omitted:,} characters … ", "omitted")] if n_omitted else []
    return [_before(text, span.start), [*head, *omitted, *tail], _after(text, span.stop)]


def _runs(text: str, pieces: Iterable[tuple[Span, bool]]) -> Iterator[Fragment]:
    """Yield runs of words that are all the same on the other side, or all different."""
    present = (piece for piece in pieces if len(piece[0]))
    for same, run in itertools.groupby(present, key=lambda piece: piece[1]):
        words = "".join(text[span.start : span.stop] for span, _ in run)
        core = words if same else words.rstrip(_TRAILING)
        yield Fragment(core, "same" if same else "changed")
        yield Fragment(words[len(core) :], "same")


def _before(text: str, stop: int) -> list[Fragment]:
    start = max(0, stop - CONTEXT_CHARS)
    words = (_without_cut_word(text[start:stop]) if start else text[:stop]).strip()
    return [Fragment(f"{'…' if start else ''}{words} |", "context")] if words else []


def _after(text: str, start: int) -> list[Fragment]:
    stop = start + CONTEXT_CHARS
    words = (_without_cut_word(text[start:stop][::-1])[::-1] if stop < len(text) else text[start:]).strip()
    # A run of wide letters is one word to the line breaker: it would leave the bar alone on its line.
    bar = "|" if words and unicodedata.east_asian_width(words[0]) == "W" else "| "
    return [Fragment(f"{bar}{words}{'…' if stop < len(text) else ''}", "context")] if words else []


def _without_cut_word(words: str) -> str:
    """Return words without the first one, which may be cut, if others are left."""
    return (words.split(maxsplit=1)[1:] or [words])[0]


# ---------------------------------------------------------------------- layout


def _text(fragments: Iterable[Fragment], marks: Marks, view: View) -> Text:
    text = Text(overflow="fold")
    for fragment in fragments:
        words = one_line(fragment.text)
        if text.plain.endswith(" "):
            words = words.removeprefix(" ")
        if fragment.role != "changed":
            text.append(words, STYLES[fragment.role])
        elif view.colored:
            text.append(words, marks.style)
        else:
            text.append(marks.opening + words + marks.closing)
    return text


def _texts(side: Sequence[Sequence[Fragment]], marks: Marks, view: View) -> list[Text]:
    return [_text(fragments, marks, view) for fragments in side]


def _beside(query: Sequence[Text], source: Sequence[Text], *, width: int) -> Table:
    """Return two columns of equal width, so that equal words stand on equal lines."""
    columns = Table.grid(padding=(0, GAP, 0, 0), pad_edge=False)
    for _ in range(2):
        columns.add_column(width=(width - GAP) // 2, overflow="fold")
    for row in zip(query, source, strict=True):
        if any(row):
            columns.add_row(*row)
    return columns


def _stacked(query: Sequence[Text], source: Sequence[Text], names: tuple[str, str]) -> Table:
    """Return one text above the other."""
    rows = Table.grid(padding=(0, 2, 0, 0), pad_edge=False)
    rows.add_column(style="dim", no_wrap=True)
    rows.add_column(overflow="fold")
    for name, side in zip(names, (query, source), strict=True):
        for number, text in enumerate(filter(None, side)):
            rows.add_row("" if number else name, text)
    return rows


def _right_to_left(text: str) -> bool:
    return not text.isascii() and any(unicodedata.bidirectional(char) in ("R", "AL") for char in text)
