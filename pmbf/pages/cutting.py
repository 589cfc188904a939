"""A text cut into pieces: sections of some 3,000 characters, paragraphs, and pieces that lie in the same layers.

    layers    [-- passage 1 --------]        [quotation]
                     [-- passage 2 ------]
    pieces    1------12-------------2-----   ----------

Everything is cut here, in code points. A browser counts UTF-16 units, so no offset of a report reaches a script.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

from pmbf.base.span import Span

SECTION_CHARS = 3000
"""Characters of a section. A browser lays out the sections that are seen, and skips the others."""

_BREAK = re.compile(r"\n[ \t\r\f]*\n\s*|\f")
_SPACE = re.compile(r"\s")
WRAPPED_COLUMNS = range(45, 101)
"""If all lines of a paragraph but the last are as long as this, then their ends are no ends of lines to a reader."""


class SpanLayer(NamedTuple):
    """Something that is true of a span of a text.

    Args:
        span: Where.
        role: `passage`, `ins`, `del`, `rep`, `quotation`, `bibliography`, `excluded` or `sign`.
        number: Which passage, or which sign.
    """

    span: Span
    role: str
    number: int = 0


class LayeredPiece(NamedTuple):
    """A span of a text with the layers that hold all of it."""

    span: Span
    layers: tuple[SpanLayer, ...]


@dataclass(frozen=True, slots=True)
class Paragraph:
    """Consecutive pieces between blank lines; `wrapped`: its line ends may be laid out as spaces."""

    pieces: tuple[LayeredPiece, ...]
    wrapped: bool


def sections(text: str, window: Span, layers: Sequence[SpanLayer]) -> Iterator[list[Paragraph]]:
    """Yield the part of a text inside a window, section by section; the pieces, put together, are that part.

    Args:
        text: The whole text.
        window: The part that is shown.
        layers: Layers of the text; what lies outside of the window is left out.
    """
    spans = list(_paragraphs(text, window)) if window else []
    cut = _pieces(window, layers, [span.stop for span in spans])
    section: list[Paragraph] = []
    n_chars = 0
    for span in spans:
        pieces = [next(cut)]
        while pieces[-1].span.stop < span.stop:
            pieces.append(next(cut))
        section.append(Paragraph(tuple(pieces), _is_wrapped(text, span)))
        n_chars += len(span)
        if n_chars >= SECTION_CHARS:
            yield section
            section, n_chars = [], 0
    if section:
        yield section


def _pieces(window: Span, layers: Iterable[SpanLayer], cuts: Iterable[int]) -> Iterator[LayeredPiece]:
    """Yield a window cut wherever a layer begins or ends, and at the cuts."""
    opening: dict[int, list[SpanLayer]] = {}
    places = {window.start, window.stop, *cuts}
    for layer in layers:
        start, stop = max(layer.span.start, window.start), min(layer.span.stop, window.stop)
        if start < stop:
            opening.setdefault(start, []).append(layer)
            places |= {start, stop}
    held: list[SpanLayer] = []
    for start, stop in pairwise(sorted(places)):
        held = [layer for layer in held if layer.span.stop > start] + opening.get(start, [])
        yield LayeredPiece(Span(start, stop), tuple(held))


def _paragraphs(text: str, window: Span) -> Iterator[Span]:
    """Yield the paragraphs of a window, each with the blank lines after it; a very long one in parts."""
    stops = [found.end() for found in _BREAK.finditer(text, window.start, window.stop)]
    for start, stop in pairwise(dict.fromkeys([window.start, *stops, window.stop])):
        while stop - start > 2 * SECTION_CHARS:
            space = _SPACE.search(text, start + SECTION_CHARS, start + 2 * SECTION_CHARS)
            middle = space.end() if space else start + SECTION_CHARS
            yield Span(start, middle)
            start = middle
        yield Span(start, stop)


def _is_wrapped(text: str, span: Span) -> bool:
    """Return whether the lines that a span lies in are all about as long, the last one at most."""
    end = span.start + len(text[span.start : span.stop].rstrip())
    start, stop = text.rfind("\n", 0, span.start) + 1, text.find("\n", end)
    *lines, last = text[start : stop if stop >= 0 else None].split("\n")
    return bool(lines) and all(len(line) in WRAPPED_COLUMNS for line in lines) and len(last) <= WRAPPED_COLUMNS[-1]
