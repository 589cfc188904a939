"""A text as it is shown: cut into sections of some 3,000 characters, paragraphs, pieces that lie in the same layers.

    layers    [-- passage 1 --------]        [quotation]
                     [-- passage 2 ------]
    pieces    1------12-------------2-----   ----------

Everything is cut here, in code points. A browser counts UTF-16 units, so no offset of a report reaches a script. The
lines of a PDF are joined before: inside a paragraph a line's end is a space, and no character is moved.
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

FULL = 0.85
"""A line that would be this long with the next word, as a share of the page's width, ends because it is full."""
LEAST_WIDTH = 30
"""Characters of the lines of a page that has running text."""
BULLETS = ("•", "◦", "▪", "–", "-", "*")


class SpanLayer(NamedTuple):
    """Something that is true of a span of a text; the number says which passage, or which sign.

    The role is `passage`, `ins`, `del`, `rep`, `quotation`, `bibliography`, `excluded` or `sign`.
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

    Layers are those of the whole text.
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


def joined(text: str, kind: str) -> str:
    r"""Return a text to be shown, of the same length: of a PDF the ends of full lines are spaces, `\r\n` is ` \r`.

    >>> joined("A line that is full and goes on\nin the next one.\nA title\nand so on", "pdf")
    'A line that is full and goes on in the next one.\nA title\nand so on'
    """
    return "\f".join(map(_page, text.split("\f"))) if kind == "pdf" else text


def _page(page: str) -> str:
    lines = page.split("\n")
    lengths = sorted(len(line.rstrip("\r")) for line in lines if line.strip())
    width = lengths[len(lengths) * 4 // 5] if lengths else 0
    if width < LEAST_WIDTH:
        return page
    shown = [_ended(line, goes_on=_goes_on(line, after, FULL * width)) for line, after in pairwise(lines)]
    return "".join([*shown, lines[-1]])


def _ended(line: str, *, goes_on: bool) -> str:
    if not goes_on:
        return line + "\n"
    return f"{line[:-1]} \r" if line.endswith("\r") else f"{line} "


def _goes_on(line: str, after: str, full: float) -> bool:
    first = after.split(maxsplit=1)[0] if after.strip() else ""
    return bool(first) and not first.startswith(BULLETS) and len(line.rstrip("\r")) + 1 + len(first) > full
