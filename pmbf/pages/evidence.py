"""The evidence page: one text, all sources in it, and each source side by side with it."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any, get_args

from pmbf.base.errors import ParameterError
from pmbf.pages.findings import Findings, SourceText
from pmbf.pages.lists import sections_list, sentences_list
from pmbf.pages.marked import MarkedText, map_of, runs, signs_list
from pmbf.pages.markup import HistogramBar, counted, escaped, histogram, percent
from pmbf.pages.shell import embedded_json, embedded_packed, page, theme_button
from pmbf.pages.sources import Extent, card, source_texts, summary_row
from pmbf.report import CERTAINTIES, Report
from pmbf.report.values import told_amounts
from pmbf.sentences.forms import as_passages
from pmbf.sentences.report import SentenceReport
from pmbf.text import clean

KINDS = ("verbatim", "edited", "reworded", "summary", "alike", "claimed")
SCRIPTS = ("state.js", "paint.js", "pair.js", "tie.js", "walk.js", "controls.js")
GOLDEN_ANGLE, FIRST_HUE = 137.508, 212
"""Colours of sources: each next one is as far as possible from those before. Some twelve can be told apart; the numbers
tell all of them apart."""
LENGTHS = (0, 100, 200, 400, 800, 1600)
"""Where the bars of the histogram of lengths begin, in characters."""


def evidence_page(
    report: Report | SentenceReport,
    text: str | None = None,
    source_text: SourceText | None = None,
    *,
    sources: Extent = "passages",
    hide_names: bool = False,
) -> str:
    """Return a report as one self-contained HTML file.

    Args:
        report: What was found. Of a report of sentences the page lists the sentences of each source, too.
        text: The text that was screened, as it was screened; by default the one that the report holds.
        source_text: Returns the text of a document by id; by default the report's. A source whose text cannot be read
            is shown without.
        sources: How much of the sources the page holds: `passages` with 2,000 characters around, or `whole`.
        hide_names: Whether the page holds no name of a text or document.

    Raises:
        ParameterError: A text is missing, as in a report from JSON; it is not the text of this report; or `sources` is
            something else.
    """
    if sources not in get_args(Extent):
        raise ParameterError(f"sources is {sources!r}, expected 'passages' or 'whole'")
    sentences = report if isinstance(report, SentenceReport) else None
    report = as_passages(report) if isinstance(report, SentenceReport) else report
    text, read = _texts(report, text, source_text)
    findings = Findings(report, clean(text), lambda document: clean(read(document)), hide_names)
    marked = MarkedText(findings)
    ranks = range(1, len(findings.matches) + 1)
    return page(
        f"{report.query.name or 'A text'}: shared passages" if not hide_names else "Shared passages",
        _body(findings, marked, sentences),
        styles=("evidence.css", "print.css"),
        scripts=SCRIPTS,
        rules="".join(f".s{rank}{{--h:{(FIRST_HUE + GOLDEN_ANGLE * (rank - 1)) % 360:.0f}}}" for rank in ranks),
        embedded=(
            embedded_json("evidence", _values(findings, marked)),
            embedded_packed("sources", source_texts(findings, sources)),
        ),
    )


def _texts(report: Report, text: str | None, source_text: SourceText | None) -> tuple[str, SourceText]:
    held = report.texts
    if held:
        text, source_text = held.query if text is None else text, source_text or held.source
    if text is None or source_text is None:
        raise ParameterError(
            "this report holds no texts, as one from JSON; give text=, the text as it was screened, and source_text=, "
            "which returns the text of a document by id (for example collection.text)"
        )
    return text, source_text


def _title(name: str) -> str:
    """Return the last part of an absolute path; any other name whole."""
    return os.path.basename(name) if os.path.isabs(name) else name


def _values(findings: Findings, marked: MarkedText) -> dict[str, Any]:
    """Return what the script computes with; its texts it reads from the page."""
    return {
        "n": findings.n_counted,
        "least": findings.least,
        "sources": len(findings.matches),
        "missing": findings.missing,
        "kinds": KINDS,
        "certainties": CERTAINTIES,
        "passages": [
            [one.rank, one.passage.kind, one.passage.certainty or "", int(not one.passage.not_counted)]
            for one in findings.passages
        ],
        "pieces": marked.pieces,
        "runs": [first for first, _ in runs(marked)],
    }


def _body(findings: Findings, marked: MarkedText, sentences: SentenceReport | None) -> str:
    cards = "".join(card(findings, one) for one in findings.passages)
    rail = _rail(findings, marked, sentences)
    return (
        f'<a class="skip" href="#text">Skip to the text</a>\n{_head(findings)}\n<main class="app one">\n'
        f'<section class="rail" aria-label="What was found" tabindex="0">{rail}</section>\n'
        f'<section class="text prose" id="text" aria-label="The text" tabindex="0">{marked.html}</section>\n'
        f"{map_of(marked)}\n"
        f'<section class="cards" id="cards" aria-label="Passages" tabindex="0">'
        f'<h2 class="label">{counted(len(findings.passages), "passage")}, in the order of the text</h2>{cards}'
        f"{_legend()}"
        f'<p class="hint legend scripted screen">A click on a passage in the text or on the map shows its source. '
        f"Keys: <kbd>j</kbd> next, <kbd>k</kbd> previous, <kbd>s</kbd> side by side, <kbd>o</kbd> one to many, "
        f"<kbd>t</kbd> tie.</p></section>\n{_pair(findings)}</main>\n"
    )


def _head(findings: Findings) -> str:
    report = findings.report
    hidden = findings.hide_names
    name = "" if hidden else escaped(_title(report.query.name))
    collection = (
        "" if hidden or not report.collection else f' of <span class="private">{escaped(report.collection)}</span>'
    )
    told = (
        f"{counted(report.query.n_chars, 'character')}, {counted(report.query.n_tokens, 'word')}; compared with "
        f"{counted(report.n_documents, 'document')}{collection}"
    )
    names = (
        "" if hidden else '<button type="button" class="scripted" id="names" aria-pressed="false">Hide names</button>'
    )
    return (
        f'<header class="head"><h1><bdi dir="ltr" class="name" data-as="A text">{name or "A text"}</bdi></h1>'
        f"<p>{told}</p>"
        '<div class="tools screen scripted">'
        '<button type="button" id="one" aria-pressed="true">One to many</button>'
        '<button type="button" id="two" aria-pressed="false">Side by side</button>'
        '<button type="button" id="previous" aria-label="Previous passage" title="Previous passage (k)">◀</button>'
        '<span id="where" role="status">–</span>'
        '<button type="button" id="next" aria-label="Next passage" title="Next passage (j)">▶</button>'
        f'{names}{theme_button()}<button type="button" id="print">Print</button></div></header>'
    )


def _rail(findings: Findings, marked: MarkedText, sentences: SentenceReport | None) -> str:
    report = findings.report
    rows = "".join(summary_row(findings, rank) for rank in range(1, len(findings.matches) + 1))
    listed = (
        f'<ol class="sources" id="sources-list">{rows}</ol>' if rows else '<p class="faint">No source shares text.</p>'
    )
    below = (
        f'<p class="faint">{counted(report.n_below, "source")} below the threshold left out.</p>'
        if report.n_below
        else ""
    )
    if findings.folder and not findings.hide_names:
        listed += f'<p class="faint private folder">in {escaped(findings.folder)}</p>'
    switches = (
        '<p class="scripted screen both"><button type="button" id="all">All</button> '
        '<button type="button" id="none">None</button></p>'
        if rows
        else ""
    )
    is_claimed = any(passage.kind == "claimed" for match in findings.matches for passage in match.passages)
    what = "shared with sources, or claimed by sites" if is_claimed else "shared with sources"
    listed_sentences = sentences_list(sentences, findings.text, hide_names=findings.hide_names) if sentences else ""
    return (
        f'<p class="share"><b id="share">{percent(report.coverage)}</b> <span>{what}</span></p>'
        f"{_not_counted(report)}{_told(sentences)}{_same_files(findings)}{_stack(findings, marked)}"
        f'<p id="full" role="status">{_counted_at_all(findings)}</p>{signs_list(findings)}'
        f'<h2 class="label">{counted(len(findings.matches), "source")}</h2>{listed}{switches}{below}'
        f"{_filters(findings)}"
        f"{sections_list(report)}{listed_sentences}"
        f"{_lengths(findings)}"
        '<p class="faint note">A share is no verdict: it counts the characters that are in sources, each once. '
        "Quoted and common words are shared, too.</p>"
    )


def _told(sentences: SentenceReport | None) -> str:
    return f'<p class="note summary">{escaped(sentences.summary)}</p>' if sentences else ""


def _not_counted(report: Report) -> str:
    """Return how much sources share that does not count, and why, as a paragraph; nothing if there is none."""
    if not report.not_counted:
        return ""
    told = told_amounts(report.not_counted, report.query.n_chars, percent)
    dashed = any(one.not_counted for match in report.matches for one in match.passages)
    how = " Such passages are underlined with dashes." if dashed else ""
    return f'<p class="note"><b>Found, but not counted:</b> {told}.{how}</p>'


def _same_files(findings: Findings) -> str:
    """Return a line for each source that is the same file as a query without text."""
    same = [match.document.path for match in findings.report.matches if match.same_file]
    names = ["a source" if findings.hide_names else f'<bdi class="private">{escaped(path)}</bdi>' for path in same]
    return "".join(f'<p class="note">The same file as {name}, by checksum.</p>' for name in names)


def _counted_at_all(findings: Findings) -> str:
    asked = findings.report.query
    if not asked.n_excluded:
        return "everything is counted"
    return f"{percent(asked.n_excluded / max(1, asked.n_chars))} of the text was left out when it was screened"


def _stack(findings: Findings, marked: MarkedText) -> str:
    """Return a bar of the whole text, the share of each source in its colour: a character goes to its first source."""
    shares = [0] * (len(findings.matches) + 1)
    for i, piece in enumerate(marked.pieces):
        if (ranks := marked.counting_ranks(i)) and not piece[1] & 4:
            shares[ranks[0]] += piece[0]
    x, bars = 0.0, []
    for rank, n_chars in enumerate(shares[1:], 1):
        width = 1000 * n_chars / max(1, findings.report.query.n_counted)
        bars.append(f'<rect class="s{rank}" x="{x:.2f}" width="{width:.2f}" height="8"/>')
        x += width
    return (
        '<svg class="stack" id="stack" viewBox="0 0 1000 8" preserveAspectRatio="none" aria-hidden="true">'
        f"{''.join(bars)}</svg>"
    )


def _filters(findings: Findings) -> str:
    """Return the switches of what counts; of kinds and certainties those that occur."""
    asked, passages = findings.report.query, [one.passage for one in findings.passages]
    if not passages:
        return ""
    shown = []
    if asked.n_quoted:
        shown.append(_switch("quotation", "quotations"))
    if asked.n_listed:
        shown.append(_switch("bibliography", "bibliography"))
    kinds = [kind for kind in KINDS if any(one.kind == kind for one in passages)]
    levels = [level for level in CERTAINTIES if any(one.certainty == level for one in passages)]
    groups = [("What counts", shown)] if shown else []
    groups.append(("Kinds", [_switch(kind, kind) for kind in kinds]))
    if levels:
        groups.append(("Certainty", [_switch(level, level) for level in levels]))
    fields = "".join(
        f'<fieldset><legend class="label">{title}</legend>{"".join(one)}</fieldset>' for title, one in groups
    )
    longest = max(len(one.query) for one in passages)
    slider = (
        '<p class="slider"><label for="length">Passages of at least <output id="least">0</output> characters</label>'
        f'<input type="range" id="length" min="0" max="{min(longest, 2000)}" step="5" value="0"></p>'
    )
    return f'<div class="filters scripted screen">{fields}{slider}</div>'


def _switch(value: str, label: str) -> str:
    return f'<label><input type="checkbox" data-filter="{value}" checked> {label}</label>'


def _lengths(findings: Findings) -> str:
    """Return the histogram of the lengths of all passages."""
    lengths = [len(one.passage.query) for one in findings.passages]
    if not lengths:
        return ""
    return f'<h2 class="label">Lengths of passages</h2>{histogram(_bars(lengths), "Lengths of passages in characters")}'


def _bars(lengths: Sequence[int]) -> list[HistogramBar]:
    bars = []
    for start, stop in zip(LENGTHS, [*LENGTHS[1:], None], strict=True):
        n = sum(start <= length and (stop is None or length < stop) for length in lengths)
        label = f"{start:,}+" if stop is None else f"<{stop:,}"
        told = (
            f"{counted(n, 'passage')} of {start:,} or more"
            if stop is None
            else f"{counted(n, 'passage')} under {stop:,}"
        )
        bars.append(HistogramBar(label, n, told))
    return bars


def _legend() -> str:
    return (
        '<p class="legend"><mark class="ins">put in</mark> <del>left out</del> <mark class="rep">replaced</mark> '
        "words of a passage, compared with its source</p>"
    )


def _pair(findings: Findings) -> str:
    """Return the pane of one source, filled by script."""
    options = "".join(
        f'<option value="{rank}">{rank} · {escaped(findings.name(rank))}</option>'
        for rank in range(1, len(findings.matches) + 1)
    )
    return (
        '<section class="pair screen scripted" id="pair" aria-label="The source">'
        f'<div class="bar"><label class="hidden" for="which">Source</label><select id="which">{options}</select>'
        '<button type="button" id="tie" aria-pressed="true">Tied</button></div>'
        '<div class="prose" id="source" tabindex="0" role="region" aria-label="Text of the source"></div></section>\n'
    )
