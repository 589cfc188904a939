"""The screened text as HTML: every shared piece a `<mark>`, with the numbers of its sources where they change."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from pmbf.base.span import Span
from pmbf.pages.cutting import LayeredPiece, Paragraph, SpanLayer, sections
from pmbf.pages.findings import Findings
from pmbf.pages.markup import box, counted, escaped, prose
from pmbf.report import OF_THE_FILTER

FLAGS = {"quotation": 1, "bibliography": 2, "excluded": 4}
"""What else a piece lies in, as bits."""


@dataclass(slots=True)
class MarkedText:
    """The text as HTML, and its marked pieces for the script, in the same order.

    Each mark has its characters, its flags, its passages, its words that differ as `[passage, role]`; and its span.
    """

    findings: Findings
    sections: list[str] = field(default_factory=list)
    pieces: list[list[Any]] = field(default_factory=list)
    spans: list[Span] = field(default_factory=list)
    _ranks: dict[int, int] = field(default_factory=dict)
    _not_counted: set[int] = field(default_factory=set)
    _begun: set[tuple[str, int]] = field(default_factory=set)

    def __post_init__(self) -> None:
        text = self.findings.shown
        self._ranks = {one.number: one.rank for one in self.findings.passages}
        self._not_counted = {one.number for one in self.findings.passages if one.passage.not_counted}
        for section in sections(text, Span(0, len(text)), self.findings.query_layers):
            self.sections.append(f'<div class="sec">{"".join(map(self._paragraph, section))}</div>\n')

    @property
    def html(self) -> str:
        """All sections."""
        return "".join(self.sections)

    def ranks(self, piece: int) -> list[int]:
        """Return the ranks of the sources that hold a piece, ascending."""
        return sorted({self._ranks[number] for number in self.pieces[piece][2]})

    def counting_ranks(self, piece: int) -> list[int]:
        """Return the ranks of the sources in whose passages a piece counts, ascending."""
        return sorted({self._ranks[number] for number in self.pieces[piece][2] if number not in self._not_counted})

    def look(self, piece: int) -> str:
        """Return the class of a piece: the colour of its first source, or `off` if it counts for none."""
        ranks = self.counting_ranks(piece)
        return f"s{ranks[0]}" if ranks else "off"

    def _paragraph(self, paragraph: Paragraph) -> str:
        text, last = self.findings.shown, len(paragraph.pieces) - 1
        shown = []
        for i, piece in enumerate(paragraph.pieces):
            content = text[piece.span.start : piece.span.stop]
            shown.append(self._piece(piece, content.rstrip("\n\r\f") if i == last else content))
        flow = ' class="w"' if paragraph.wrapped else ""
        return f'<p dir="auto"{flow}>{"".join(shown)}</p>\n'

    def _piece(self, piece: LayeredPiece, content: str) -> str:
        shown = self._signed(content, [layer for layer in piece.layers if layer.role == "sign"])
        passages = [layer.number for layer in piece.layers if layer.role == "passage"]
        if not passages:
            return shown
        self.pieces.append(
            [
                len(piece.span),
                sum({FLAGS.get(layer.role, 0) for layer in piece.layers}),
                passages,
                [[layer.number, layer.role] for layer in piece.layers if layer.role in ("ins", "rep")],
            ]
        )
        self.spans.append(piece.span)
        return f'{self._badge(passages)}<mark class="{self.look(-1)}">{shown}</mark>'

    def _badge(self, passages: Sequence[int]) -> str:
        """Return the numbers of the sources, if they are others than those of the piece before, or a passage begins."""
        begun = [number for number in passages if self._begins("m", number)]
        before = len(self.pieces) - 2
        follows = before >= 0 and self.spans[before].stop == self.spans[-1].start
        if follows and not begun and self.ranks(before) == self.ranks(-1):
            return ""
        anchors = "".join(f'<i id="m{number}"></i>' for number in begun)
        return f"{anchors}{badge(self.ranks(-1), (begun or passages)[0])}"

    def _begins(self, role: str, number: int) -> bool:
        """Return whether this is the first piece of a passage or of a sign."""
        new = (role, number) not in self._begun
        self._begun.add((role, number))
        return new

    def _signed(self, content: str, found: Iterable[SpanLayer]) -> str:
        shown = prose(content)
        for layer in found:
            sign = self.findings.signs[layer.number - 1]
            anchor = f' id="g{layer.number}"' if self._begins("g", layer.number) else ""
            inside = "".join(map(box, content)) if sign.kind == "invisible" else shown
            shown = f'<b class="g {sign.kind}"{anchor} title="{escaped(sign.told)}">{inside}</b>'
        return shown


def badge(ranks: Sequence[int], passage: int) -> str:
    """Return the numbers of the sources of a piece as a link to the card of a passage."""
    told = f"{'source' if len(ranks) == 1 else 'sources'} {', '.join(map(str, ranks))}, passage {passage}"
    return f'<a class="b" href="#p{passage}" aria-label="{told}">{numbers(ranks)}</a>'


def numbers(ranks: Sequence[int]) -> str:
    """Return the numbers on a badge; of more than four sources the first three, and how many more.

    >>> numbers([1, 2]), numbers([1, 2, 5, 6, 7])
    ('1·2', '1·2·5 +2')
    """
    return "·".join(map(str, ranks)) if len(ranks) <= 4 else f"{numbers(ranks[:3])} +{len(ranks) - 3}"


def map_of(marked: MarkedText) -> str:
    """Return the map of the whole text: where its passages are, from top to bottom, each a link to its place."""
    length = max(1, len(marked.findings.text))
    bars = []
    for first, span in runs(marked):
        top, height = round(1000 * span.start / length, 2), max(2.0, round(1000 * len(span) / length, 2))
        where = f"#m{marked.pieces[first][2][0]}"
        bars.append(
            f'<a href="{where}" tabindex="-1"><rect class="{marked.look(first)}" '
            f'x="0" width="14" y="{top}" height="{height}"/></a>'
        )
    return (
        '<svg class="map screen" id="map" viewBox="0 0 14 1000" preserveAspectRatio="none" aria-hidden="true">'
        f'{"".join(bars)}<rect id="seen" x="0" width="14" y="0" height="0"/></svg>'
    )


def runs(marked: MarkedText) -> list[tuple[int, Span]]:
    """Return the marks put together that have the same passages: the first piece, and the span."""
    found: list[tuple[int, Span]] = []
    for i, span in enumerate(marked.spans):
        if found:
            first, before = found[-1]
            if before.stop == span.start and marked.pieces[first][2] == marked.pieces[i][2]:
                found[-1] = (first, Span(before.start, span.stop))
                continue
        found.append((i, span))
    return found


def signs_list(findings: Findings) -> str:
    """Return the signs of manipulation and the problems of a report, with the way to their places."""
    asked = findings.report.query
    told = [
        ("mixed", asked.n_mixed_tokens, "word", "Look-alike letters", "with letters of two alphabets"),
        ("invisible", asked.n_invisible, "character", "Invisible characters", "inside words"),
    ]
    items = [
        f"<li><b>{title}</b><br>{counted(n, noun)} {where}{_places(findings, kind)}</li>"
        for kind, n, noun, title, where in told
        if n
    ]
    problems = findings.report.problems
    if problems and findings.hide_names:
        items.append(
            f"<li><b>Incomplete</b><br>{counted(len(problems), 'problem')}, not told here: names are hidden</li>"
        )
    elif problems:
        items += [f'<li class="private"><b>Incomplete</b><br>{escaped(problem)}</li>' for problem in problems]
    damaged = () if findings.hide_names else findings.report.warnings
    items += [f'<li class="private"><b>{_warned(one)}</b><br>{escaped(one)}</li>' for one in damaged]
    return (
        f'<h2 class="label">Signs of manipulation, problems</h2><ul class="signs">{"".join(items)}</ul>'
        if items
        else ""
    )


def _warned(warning: str) -> str:
    return "The filter" if warning.startswith(OF_THE_FILTER) else "A damaged file, not needed here"


def _places(findings: Findings, kind: str) -> str:
    """Return buttons that go from place to place of a sign; without script, a link to the first."""
    numbers = [number for number, sign in enumerate(findings.signs, 1) if sign.kind == kind]
    if not numbers:
        return ""
    return (
        f'<span class="places" data-kind="{kind}"><a href="#g{numbers[0]}">the first place</a>'
        '<button type="button" class="scripted" data-by="-1" aria-label="Place before">◀</button>'
        f'<span class="scripted" role="status">– of {len(numbers):,}</span>'
        '<button type="button" class="scripted" data-by="1" aria-label="Next place">▶</button></span>'
    )
