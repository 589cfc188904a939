"""The page of a comparison: figures, charts, pairs, clusters, texts; one slider moves all of them."""

from __future__ import annotations

from typing import Any

from pmbf.comparison.clusters import connects
from pmbf.comparison.pages.charts import graph, histogram, matrix, timeline
from pmbf.comparison.pages.html_tables import (
    PageOf,
    clusters_list,
    pairs_table,
    problems_list,
    settings_list,
    texts_table,
)
from pmbf.comparison.pages.names import Names
from pmbf.comparison.results import Comparison
from pmbf.pages.markup import counted, escaped, percent
from pmbf.pages.shell import embedded_json, page, theme_button

N_NOT_COUNTED = 50
"""Pairs of text that does not count that are named; `--json` has all."""


def overview(comparison: Comparison, page_of: PageOf, inside: str = "") -> str:
    """Return a comparison as one HTML file.

    Args:
        comparison: What was found.
        page_of: Where the passages of each pair are shown.
        inside: HTML of passages that are shown on this page.
    """
    names = Names(comparison)
    return page(
        f"{comparison.title or 'Texts'} compared with each other",
        _body(comparison, names, page_of, inside),
        styles=("comparison.css",),
        scripts=("comparison.js",),
        embedded=(embedded_json("comparison", _values(comparison, names)),),
    )


def _values(comparison: Comparison, names: Names) -> dict[str, Any]:
    """Return what the script counts with: no name, no text."""
    groups = [names.group_number(member.group) for member in comparison.members]
    pairs = [
        [names.number[pair.a], names.number[pair.b], pair.share_a, pair.share_b, int(connects(pair))]
        for pair in comparison.pairs
    ]
    return {"groups": groups, "pairs": pairs, "order": [names.number[name] for name in names.by_cluster]}


def _body(comparison: Comparison, names: Names, page_of: PageOf, inside: str) -> str:
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


def _charts(comparison: Comparison, names: Names) -> str:
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


def _pairs(comparison: Comparison, names: Names, page_of: PageOf) -> str:
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
