"""A comparison as HTML: figures, charts, pairs, clusters, texts; one slider moves all of them.

FOLDER/index.html          the overview; or one file with the passages of all pairs in it
FOLDER/pairs/0001.html     the first pair: both texts, side by side
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

from pmbf.base.errors import ParameterError
from pmbf.comparison.counting import connects
from pmbf.comparison.pages.charts import graph, histogram, matrix, timeline
from pmbf.comparison.pages.html_parts import (
    PageOf,
    clusters_list,
    pairs_table,
    passages_inside,
    problems_list,
    settings_list,
    texts_table,
)
from pmbf.comparison.pages.names import ShownNames
from pmbf.comparison.reports import as_report
from pmbf.comparison.results import Comparison, Pair
from pmbf.pages import evidence_page, write_page
from pmbf.pages.markup import counted, escaped, percent
from pmbf.pages.shell import embedded_json, theme_button
from pmbf.pages.shell import page as html_page
from pmbf.report import Report
from pmbf.sentences import SentenceReport

MOST_PAGES = 200
"""Pairs that have a page of their own, the highest shares first: a page takes 0.02 s and 100 kB."""
MOST_INSIDE = 500
"""Pairs whose passages stand in one file."""
N_NOT_COUNTED = 50
"""Pairs of text that does not count that are named; `--json` has all."""


Advance = Callable[[str, int, int], None]


def page(report: Comparison | Report | SentenceReport, *texts: Any, **how: Any) -> str:
    """Return any report as one HTML file that opens offline.

    Args:
        report: What was found. Of a comparison the file has the passages of its first `MOST_INSIDE` pairs.
        texts, how: As of `pmbf.pages.evidence_page`: `text` and `source_text`, which a report from JSON needs;
            `sources="whole"` for the whole texts of the sources; `hide_names=True`. None for a comparison.

    Raises:
        ParameterError: The report holds no texts, as one from JSON; or a value is none of those.
    """
    if not isinstance(report, Comparison):
        return evidence_page(report, *texts, **how)
    if texts or how:
        raise ParameterError(f"page is given {', '.join(how) or 'texts'}, which is not for a comparison")
    _require_texts(report)
    inside = passages_inside(report, ShownNames(report), MOST_INSIDE)
    return overview(report, lambda i: f"#pair-{i + 1}" if i < MOST_INSIDE else "", inside)


def write_pages(comparison: Comparison, target: str | os.PathLike[str], *, on_progress: Advance | None = None) -> Path:
    """Write a comparison's pages, and return the path of the overview.

    Args:
        comparison: What was found.
        target: A folder, which gets an overview and a page for each pair; or a file that ends with `.html`.
        on_progress: Called with what is being done, how many pages are written, and how many there are.

    Raises:
        ParameterError: The comparison holds no texts, as one from JSON.
        OSError: A file cannot be written.
    """
    path = Path(target)
    if path.suffix.lower() in (".html", ".htm"):
        write_page(path, page(comparison))
        return path
    _require_texts(comparison)
    pages = path / "pairs"
    pages.mkdir(parents=True, exist_ok=True)
    n_pages = min(MOST_PAGES, len(comparison.pairs))
    write_page(
        path / "index.html", overview(comparison, lambda i: _link(comparison.pairs[i], i) if i < n_pages else "")
    )
    for i in range(n_pages):
        write_page(pages / _page(i), _evidence(comparison, i))
        if on_progress:
            on_progress("Writing pages", i + 1, n_pages)
    for i in range(n_pages, MOST_PAGES):
        (pages / _page(i)).unlink(missing_ok=True)  # of a comparison that was written here before
    return path / "index.html"


def _evidence(comparison: Comparison, i: int) -> str:
    pair = comparison.pairs[i]
    a, b = comparison.texts[pair.a], comparison.texts[pair.b]
    return evidence_page(as_report(pair, comparison), a, lambda document: b, sources="whole")


def _link(pair: Pair, i: int) -> str:
    """Return the address of a pair's page: side by side, at the longest passage."""
    lengths = [len(passage.a) for passage in pair.passages]
    return f"pairs/{_page(i)}#view=pair&p={1 + lengths.index(max(lengths))}"


def _page(i: int) -> str:
    return f"{i + 1:04}.html"


def _require_texts(comparison: Comparison) -> None:
    if comparison.members and not comparison.texts:
        raise ParameterError("the comparison holds no texts, as one from JSON: compare again to write pages")


# ---------------------------------------------------------------------- the overview


def overview(comparison: Comparison, page_of: PageOf, inside: str = "") -> str:
    """Return a comparison as one HTML file; `inside` is HTML of passages that are shown on this page."""
    names = ShownNames(comparison)
    return html_page(
        f"{comparison.title or 'Texts'} compared with each other",
        _body(comparison, names, page_of, inside),
        styles=("comparison.css",),
        scripts=("comparison.js",),
        embedded=(embedded_json("comparison", _values(comparison, names)),),
    )


def _values(comparison: Comparison, names: ShownNames) -> dict[str, Any]:
    """Return what the script counts with: no name, no text."""
    groups = [names.group_number[member.group] for member in comparison.members]
    pairs = [
        [names.number[pair.a], names.number[pair.b], pair.share_a, pair.share_b, int(connects(pair))]
        for pair in comparison.pairs
    ]
    return {"groups": groups, "pairs": pairs, "order": [names.number[name] for name in names.by_cluster]}


def _body(comparison: Comparison, names: ShownNames, page_of: PageOf, inside: str) -> str:
    title = escaped(comparison.title or "Texts")
    of_groups = f" of {counted(comparison.n_groups, 'group')}"
    groups = of_groups if comparison.n_groups < len(comparison.members) else ""
    return (
        f'<a class="skip" href="#pairs">To the pairs</a><header class="head"><h1>{title}</h1>'
        f"<p>{counted(len(comparison.members), 'text')}{groups} compared with each other</p>"
        f'<div class="tools screen">{_slider(comparison)}<button type="button" class="scripted" id="hide" '
        f'aria-pressed="false">Hide names</button>{theme_button()}</div></header>\n<main class="overview">\n'
        f"{_figures(comparison)}{_charts(comparison, names)}"
        f"{_pairs(comparison, names, page_of)}"
        f"{problems_list(comparison)}"
        f"{_panel('Clusters', clusters_list(comparison, names), 'clusters') if comparison.clusters else ''}"
        f"{_panel('How it was made', settings_list(comparison), 'settings')}"
        f"{_details('All texts', texts_table(comparison, names))}{inside}</main>\n"
    )


def _slider(comparison: Comparison) -> str:
    start = round(100 * comparison.settings.threshold)
    return (
        '<label class="cutter scripted" for="cut"><span>Pairs from</span> '
        f'<input type="range" id="cut" min="{start}" max="100" step="1" value="{start}">'
        f'<output id="cut-shown" for="cut">{start} %</output></label>'
    )


def _figures(comparison: Comparison) -> str:
    highest = percent(comparison.pairs[0].share) if comparison.pairs else "–"
    figures = [
        ("n-texts", f"{len(comparison.members):,}", "texts"),
        ("n-pairs", f"{len(comparison.pairs):,}", "pairs that share text"),
        ("n-clusters", f"{len(comparison.clusters):,}", "clusters"),
        ("highest", highest, "highest share"),
    ]
    shown = "".join(f'<span><b id="{name}">{number}</b>{told}</span>' for name, number, told in figures)
    notes = "".join(f"<li>{note}</li>" for note in _notes(comparison))
    return (
        f'<section class="card-panel" aria-label="Figures"><p class="figures">{shown}</p>'
        f'<ul class="notes">{notes}</ul></section>\n'
    )


def _notes(comparison: Comparison) -> list[str]:
    members = comparison.members
    n_chars = sum(member.n_chars for member in members) or 1
    n_out = sum(member.n_ignored + member.n_common for member in members)
    notes = ["A share is no verdict: open a pair and read."]
    if n_out:
        notes.append(f"{percent(n_out / n_chars)} of all text is ignored or common and does not count.")
    if n_library := sum(member.n_library for member in members):
        notes.append(f"{percent(n_library / n_chars)} of all text is found in the library; shares are without it.")
    n_identical = sum(pair.identical for pair in comparison.pairs)
    if n_identical:
        notes.append(f"{counted(n_identical, 'pair')} of identical texts.")
    if comparison.problems:
        notes.append(
            f'<a href="#problems">{counted(len(comparison.problems), "problem")}</a>: the answer is incomplete.'
        )
    return notes


def _charts(comparison: Comparison, names: ShownNames) -> str:
    drawn = _panel("Highest share of each text", histogram(comparison))
    if not comparison.pairs:
        return drawn
    dated = timeline(comparison, names)
    left = _panel("Who shares with whom", _scrolled("Graph", graph(comparison, names)), "graph")
    left += _panel("When the texts of each cluster were handed in", _scrolled("Timeline", dated)) if dated else ""
    cells = _scrolled("Matrix", matrix(comparison, names))
    return (
        f'{drawn}<div class="stack">{left}</div>\n'
        f"{_panel('Matrix: how much of the row is in the column', cells, 'matrix-panel')}"
    )


def _scrolled(what: str, drawn: str) -> str:
    """Return a chart that keeps its size on a narrow page, where it is moved sideways."""
    return f'<div class="scroll" role="group" aria-label="{what}" tabindex="0">{drawn}</div>'


def _pairs(comparison: Comparison, names: ShownNames, page_of: PageOf) -> str:
    if not comparison.pairs:
        below = f" {comparison.n_below:,} below the threshold do." if comparison.n_below else ""
        counts = " that counts" if comparison.not_counted else ""
        none = f'<p class="none">No two texts share a passage{counts}.{below}</p>{_not_counted(comparison)}'
        return _panel("Pairs", none, "pairs", wide=True)
    listed = pairs_table(comparison, names, page_of) + _not_counted(comparison)
    return _panel("Pairs", listed, "pairs", wide=True)


def _not_counted(comparison: Comparison) -> str:
    """Return the pairs that share only text that does not count, as a paragraph; nothing if there is none."""
    if not comparison.not_counted:
        return ""
    shown = "; ".join(
        f"{escaped(pair.a)} and {escaped(pair.b)}, {percent(pair.share)}"
        for pair in comparison.not_counted[:N_NOT_COUNTED]
    )
    n = len(comparison.not_counted)
    more = f"; and {n - N_NOT_COUNTED:,} more" if n > N_NOT_COUNTED else ""
    return f'<p class="note">{counted(n, "pair")} with only text that does not count: {shown}{more}.</p>'


def _panel(heading: str, content: str, name: str = "", *, wide: bool = False) -> str:
    marked = f' id="{name}"' if name else ""
    return (
        f'<section class="card-panel{" wide" if wide else ""}"{marked}><h2 class="label">{heading}</h2>'
        f"{content}</section>\n"
    )


def _details(heading: str, content: str) -> str:
    return f'<details class="card-panel wide"><summary class="label">{heading}</summary>{content}</details>\n'
