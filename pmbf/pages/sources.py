"""The sources of a text: the card of each passage as HTML, and the texts of the sources for the script."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Literal

from pmbf.base.labels import told
from pmbf.base.span import Span, merged
from pmbf.pages.cutting import Paragraph, SpanLayer, sections
from pmbf.pages.findings import COMPARED, WITHHELD, Findings, Numbered, alias, around
from pmbf.pages.markup import counted, escaped, likeness, percent, prose, shown_name
from pmbf.report import DocumentRef
from pmbf.report.values import WHERE

Extent = Literal["passages", "whole"]
"""How much of the sources a page holds: their passages with 2,000 characters around, or all."""

N_COPIES = 5
"""Other paths of a source that the list of sources names."""

AROUND = {"passages": 2000}
CARD_AROUND, CARD_CHARS = 160, 1400
"""Characters around a passage on its card; the longest side of a passage that is shown there whole."""


def source_name(findings: Findings, rank: int) -> str:
    """Return the name of a source as HTML."""
    if findings.hide_names:
        return f"<bdi>{alias(rank)}</bdi>"
    document = findings.matches[rank - 1].document
    n_others = len(document.paths) - 1
    more = f" (+{counted(n_others, 'path')})" if n_others else ""
    shown = escaped(findings.name(rank) + more)
    return f'<bdi dir="ltr" class="name" data-as="{alias(rank)}">{shown}</bdi>{_labels(document, 0)}'


def _labels(document: DocumentRef, number: int) -> str:
    """Return the labels of a path of a document as HTML, hidden with its name; or nothing."""
    labels = document.labels[number] if document.labels else {}
    return f' <bdi class="name labels" data-as="">{escaped(told(labels))}</bdi>' if labels else ""


def _copies(findings: Findings, rank: int) -> str:
    """Return the other paths with a source's contents, each a line with its labels, as a part of the list of sources.

    Two people may have handed in the same file: both are named.
    """
    document = findings.matches[rank - 1].document
    if findings.hide_names or len(document.paths) == 1:
        return ""
    copies = [path.removeprefix(findings.folder) for path in document.paths[1 : 1 + N_COPIES]]
    lines = [
        f'<bdi dir="ltr" class="name" data-as="another name">{escaped(path)}</bdi>{_labels(document, number)}'
        for number, path in enumerate(copies, 1)
    ]
    left = len(document.paths) - 1 - N_COPIES
    lines += [f"{left:,} more"] if left > 0 else []
    return f'<span class="copies">identical: {"<br>".join(lines)}</span>'


def chip(rank: int) -> str:
    """Return the number of a source in its colour."""
    return f'<span class="chip s{rank}">{rank}</span>'


def facts(findings: Findings, one: Numbered) -> str:
    """Return what is known of a passage, in words."""
    passage, ranks = one.passage, {match.document.id: i for i, match in enumerate(findings.matches, 1)}
    also = sorted(ranks[document] for document in passage.also_in if document in ranks)
    known = [likeness(passage.kind, passage.similarity), f"{len(passage.query):,} characters"]
    if passage.certainty:
        known.append(passage.certainty)
    if passage.kind in COMPARED and one.number in findings.edits:
        n_edits = len(findings.edits[one.number])
        known += [f"{n_edits:,} edit{'' if n_edits == 1 else 's'}"] if n_edits else []
    if passage.of_whole_source:
        known.append("the whole source")
    if passage.within:
        known.append(f"in {'a quotation' if passage.within == 'quotation' else 'the bibliography'}")
    if passage.not_counted:
        known.append(f"not counted: {WHERE[passage.not_counted]}")
    elif passage.n_excluded:
        known.append(f"{passage.n_excluded:,} characters do not count")
    if also:
        known.append(f"also in {', '.join(map(str, also[:8]))}{' …' if len(also) > 8 else ''}")
    return " · ".join(known)


def _where(findings: Findings, one: Numbered) -> str:
    """Return where a passage begins in both texts, as a line of its card."""
    ours, theirs = findings.places(one)
    shown = " · ".join(f"{what}: {place}" for what, place in (("text", ours), ("source", theirs)) if place)
    return f"<br>{shown}" if shown else ""


def card(findings: Findings, one: Numbered) -> str:
    """Return the card of a passage: its source, what is known of it, the source's side with some words around."""
    text = findings.shown_sources.get(one.rank)
    if text is None or not one.passage.source:
        quote = f'<p class="faint">{escaped(findings.missing.get(one.rank, WITHHELD))}</p>'
    else:
        layers = [SpanLayer(one.passage.source, "passage", one.number)]
        layers += [theirs for _, theirs in findings.edits.get(one.number, ()) if theirs]
        quote = f"<blockquote>{''.join(_excerpt(text, one, layers))}</blockquote>"
    return (
        f'<article class="card" id="p{one.number}" data-p="{one.number}">'
        f"<h3>{chip(one.rank)} {source_name(findings, one.rank)}</h3>"
        f'<p class="facts">{facts(findings, one)}{_where(findings, one)}</p>{quote}'
        f'<p class="go screen"><a href="#m{one.number}">Passage {one.number} in the text</a> '
        f'<button type="button" class="scripted beside" data-p="{one.number}">Side by side</button></p></article>\n'
    )


def _excerpt(text: str, one: Numbered, layers: Sequence[SpanLayer]) -> Iterator[str]:
    """Yield the paragraphs of a source's side with some words around; of a long side the middle is left out."""
    window = _at_words(text, around(one.passage.source, len(text), CARD_AROUND))
    parts = [window]
    if len(window) > CARD_CHARS + 2 * CARD_AROUND:
        parts = [
            _at_words(text, Span(window.start, window.start + 2 * CARD_CHARS // 3)),
            _at_words(text, Span(window.stop - CARD_CHARS // 3, window.stop)),
        ]
    yield '<p class="cut">…</p>' if window.start else ""
    for i, part in enumerate(parts):
        if i:
            yield f'<p class="cut">… {part.start - parts[0].stop:,} characters …</p>'
        for section in sections(text, part, layers):
            yield from (_excerpt_paragraph(text, paragraph, one.rank) for paragraph in section)
    yield '<p class="cut">…</p>' if window.stop < len(text) else ""


def _at_words(text: str, span: Span) -> Span:
    """Return a span without the parts of words at its ends, if there are spaces within 24 characters."""
    start, stop = span.start, span.stop
    if start and (head := text.find(" ", start, start + 24)) >= 0:
        start = head + 1
    if stop < len(text) and (tail := text.rfind(" ", stop - 24, stop)) >= 0:
        stop = tail
    return Span(start, stop)


def _excerpt_paragraph(text: str, paragraph: Paragraph, rank: int) -> str:
    contents = [text[piece.span.start : piece.span.stop] for piece in paragraph.pieces]
    contents[-1] = contents[-1].rstrip()
    shown = "".join(
        _side(content, rank, piece.layers) for content, piece in zip(contents, paragraph.pieces, strict=True) if content
    )
    flow = ' class="w"' if paragraph.wrapped else ""
    return f'<p dir="auto"{flow}>{shown}</p>' if shown.strip() else ""


def _side(content: str, rank: int, layers: Sequence[SpanLayer]) -> str:
    roles = {layer.role for layer in layers}
    inside = prose(content)
    if "del" in roles:
        inside = f"<del>{inside}</del>"
    return f'<mark class="s{rank}{" rep" if "rep" in roles else ""}">{inside}</mark>' if roles else inside


# ---------------------------------------------------------------------- for the script


def source_texts(findings: Findings, extent: Extent) -> dict[int, list[Any]]:
    """Return the sources for the script, by rank: sections of paragraphs of pieces.

    A section is `[characters left out before, paragraphs]`, a paragraph `[1 if its lines are wrapped, pieces]`. A piece
    is a text, or a text with its passages and its words that differ: `[text, passages, [[passage, role], …]]`.
    """
    return {rank: list(_sections(findings, rank, extent)) for rank in findings.sources}


def _sections(findings: Findings, rank: int, extent: Extent) -> Iterator[list[Any]]:
    text, layers = findings.shown_sources[rank], findings.source_layers(rank)
    margin = AROUND.get(extent, len(text))
    shown = (one.passage.source for one in findings.of(rank) if one.passage.source)
    windows = merged(around(span, len(text), margin) for span in shown)
    before = 0
    for window in windows:
        skipped = window.start - before
        for section in sections(text, window, layers):
            yield [skipped, [_paragraph(text, paragraph) for paragraph in section]]
            skipped = 0
        before = window.stop
    if before < len(text):
        yield [len(text) - before, []]


def _paragraph(text: str, paragraph: Paragraph) -> list[Any]:
    pieces: list[Any] = []
    for i, piece in enumerate(paragraph.pieces):
        content = _seen(text[piece.span.start : piece.span.stop])
        if i == len(paragraph.pieces) - 1:
            content = content.rstrip("\n")
        passages = [layer.number for layer in piece.layers if layer.role == "passage"]
        differing = [[layer.number, layer.role] for layer in piece.layers if layer.role in ("del", "rep")]
        pieces.append([content, passages, *([differing] if differing else [])] if passages else content)
    return [int(paragraph.wrapped), pieces]


def _seen(content: str) -> str:
    """Return running text for a script: line ends as they are, other controls as escapes."""
    return content if content.isprintable() else "".join(map(_seen_char, content))


def _seen_char(char: str) -> str:
    if char in "\n\t\r\f":
        return {"\r": "", "\f": "\n"}.get(char, char)
    return char if char.isprintable() or not _overrides(char) else shown_name(char)


def _overrides(char: str) -> bool:
    return char < " " or "\x7f" <= char <= "\x9f" or "\u202a" <= char <= "\u202e" or "\u2066" <= char <= "\u2069"


def summary_row(findings: Findings, rank: int) -> str:
    """Return a source as a line of the list of sources: switch, number, name, passages, share."""
    match = findings.matches[rank - 1]
    out = f"{percent(match.n_not_counted / len(findings.text))} more not counted" if match.n_not_counted else ""
    known = ", ".join(filter(None, (out, counted(len(match.passages), "passage"), match.certainty)))
    first = findings.of(rank)[0].number
    return (
        f'<li><label><input type="checkbox" class="scripted" data-source="{rank}" checked '
        f'aria-label="Count source {rank}"> {chip(rank)}</label> <a href="#p{first}">{source_name(findings, rank)}</a>'
        f'{_copies(findings, rank)}<span class="n"><b data-share="{rank}">{percent(match.coverage)}</b> '
        f'<span class="faint">{known}</span></span></li>'
    )
