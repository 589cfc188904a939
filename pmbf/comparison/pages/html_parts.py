"""The tables of a comparison's page, and the passages of each pair inside it. They are read without script."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import groupby

from pmbf.base.span import Span
from pmbf.comparison.counting import connects
from pmbf.comparison.pages.names import HUES, ShownNames
from pmbf.comparison.reports import as_passage, longest, told_sections
from pmbf.comparison.results import Comparison, Pair, SharedPassage
from pmbf.pages.markup import counted, escaped, likeness, percent, prose
from pmbf.verify import word_pairs

SHOWN_CHARS = 1200
"""Characters of a side that are shown; of a longer one the first ones."""
MOST_PASSAGES = 40
"""Passages of a pair that are shown, the longest ones."""

PageOf = Callable[[int], str]
"""Returns where the passages of a pair are shown, by its number from 0; empty if nowhere."""


def name_of(names: ShownNames, name: str, tag: str = "bdi") -> str:
    """Return a text's name as HTML that can be hidden."""
    return f"<{tag}{names.shown_as(name)}>{escaped(name)}</{tag}>"


def pairs_table(comparison: Comparison, names: ShownNames, page_of: PageOf) -> str:
    """Return the table of pairs, the highest share first."""
    rows = "".join(_pair_row(i, pair, names, page_of(i)) for i, pair in enumerate(comparison.pairs))
    head = (
        '<th class="n" scope="col">#</th><th scope="col">A</th><th class="n" scope="col">of A</th>'
        '<th scope="col">B</th><th class="n" scope="col">of B</th><th class="n" scope="col">longest passage</th>'
        '<th scope="col">certainty</th><th class="screen" scope="col"><span class="unseen">Passages</span></th>'
    )
    return f'<table class="pairs"><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>'


def _pair_row(i: int, pair: Pair, names: ShownNames, page: str) -> str:
    opened = f'<a class="open" href="{escaped(page)}" aria-label="Open pair {i + 1}">open</a>' if page else ""
    sure = "identical" if pair.identical else pair.certainty
    return (
        f'<tr data-pair="{i}" id="row-{i + 1}"><td class="n">{i + 1}</td>'
        f'<td>{name_of(names, pair.a)}</td><td class="n">{_share(pair.share_a, pair.whole_a)}</td>'
        f'<td>{name_of(names, pair.b)}</td><td class="n">{_share(pair.share_b, pair.whole_b)}</td>'
        f'<td class="n">{longest(pair):,}</td><td><span class="sure {_sure_class(sure)}">{sure}</span></td>'
        f'<td class="screen">{opened}</td></tr>\n'
    )


def _share(own: float, whole: float) -> str:
    library = f'<br><span class="faint">{percent(whole)} with the library</span>' if whole - own >= 0.005 else ""
    return f'<meter min="0" max="1" value="{own}"></meter><b>{percent(own)}</b>{library}'


def _sure_class(sure: str) -> str:
    return sure.replace(" ", "-")


def clusters_list(comparison: Comparison, names: ShownNames) -> str:
    """Return the clusters with their groups."""
    shown = "".join(_cluster_item(comparison, names, i) for i in range(len(comparison.clusters)))
    return f'<ol class="clusters">{shown}</ol>'


def _cluster_item(comparison: Comparison, names: ShownNames, i: int) -> str:
    cluster = comparison.clusters[i]
    members = ", ".join(name_of(names, name) for name in cluster.members)
    return (
        f'<li><b class="dot k{i % HUES}">{i + 1}</b><div><p>{counted(len(cluster.groups), "group")}, '
        f"{counted(cluster.n_pairs, 'pair')}, up to {percent(cluster.share)}</p><p>{members}</p></div></li>"
    )


def texts_table(comparison: Comparison, names: ShownNames) -> str:
    """Return every text with its highest share, and what of it does not count."""
    highest = comparison.highest()
    members = sorted(comparison.members, key=lambda one: (-highest[one.name], one.name))
    has_groups = comparison.n_groups < len(comparison.members)
    has_library = bool(comparison.settings.libraries)
    head = '<th scope="col">text</th>' + ('<th scope="col">group</th>' if has_groups else "")
    head += '<th class="n" scope="col">characters</th><th class="n" scope="col">highest share</th>'
    head += '<th class="n" scope="col">does not count</th>'
    head += '<th class="n" scope="col">in the library</th>' if has_library else ""
    rows = []
    for one in members:
        out, n_chars = one.n_ignored + one.n_common, max(1, one.n_chars)
        label = f'<br><bdi class="faint" data-as="">{escaped(one.label)}</bdi>' if one.label else ""
        cells = f"<td>{name_of(names, one.name)}{label}</td>"
        if has_groups:
            cells += f'<td><bdi data-as="Group {names.group_number[one.group]}">{escaped(one.group)}</bdi></td>'
        cells += f'<td class="n">{one.n_chars:,}</td><td class="n">{percent(highest[one.name])}</td>'
        cells += f'<td class="n">{percent(out / n_chars)}</td>'
        cells += f'<td class="n">{percent(one.n_library / n_chars)}</td>' if has_library else ""
        rows.append(f"<tr>{cells}</tr>\n")
    return f"<table><thead><tr>{head}</tr></thead><tbody>{''.join(rows)}</tbody></table>"


def settings_list(comparison: Comparison) -> str:
    """Return how the comparison was made, as terms and values."""
    rows = "".join(f"<dt>{term}</dt><dd>{escaped(value)}</dd>" for term, value in _settings(comparison))
    return f'<dl class="settings">{rows}</dl>'


def _settings(comparison: Comparison) -> Iterator[tuple[str, str]]:
    settings = comparison.settings
    yield "texts", f"{len(comparison.members):,} of {counted(comparison.n_groups, 'group')}"
    yield "a group is", settings.grouped_by
    yield "threshold", percent(settings.threshold)
    yield "shortest passage", counted(settings.min_chars, "character")
    yield "common text", f"what more than {counted(settings.common, 'group')} have does not count"
    yield "ignored", ", ".join(settings.ignored) or "nothing"
    for told in told_sections(settings.template, comparison.members):
        yield "template", told
    yield "library", ", ".join(settings.libraries) or "none"
    yield "sensitivity", settings.sensitivity
    if comparison.n_below:
        yield "below the threshold", counted(comparison.n_below, "pair")
    if comparison.n_only_library:
        yield "from the library alone", counted(comparison.n_only_library, "pair")
    n_chance = sum(not connects(pair) for pair in comparison.pairs)
    if n_chance:
        yield "only worth a look", f"{counted(n_chance, 'pair')}; they make no cluster"


def problems_list(comparison: Comparison) -> str:
    """Return what was not read, and which files are damaged that the answer did not need; or nothing."""
    return _listed("problems", "Not read or not compared", comparison.problems) + _listed(
        "warnings", "Damaged files that this answer did not need", comparison.warnings
    )


def _listed(name: str, title: str, told: Sequence[str]) -> str:
    shown = "".join(f"<li>{escaped(one)}</li>" for one in told)
    head = f'<section class="card-panel wide" id="{name}"><h2 class="label">{title}</h2>'
    return f'{head}<ul class="problems">{shown}</ul></section>\n' if told else ""


# ---------------------------------------------------------------------- passages


def passages_inside(comparison: Comparison, names: ShownNames, most: int) -> str:
    """Return the passages of the first `most` pairs, each pair in an element that opens."""
    if not comparison.pairs:
        return ""
    shown = "".join(_pair_passages(comparison, names, i) for i in range(min(most, len(comparison.pairs))))
    return f'<section class="card-panel wide"><h2 class="label">Passages</h2>{shown}</section>\n'


def _pair_passages(comparison: Comparison, names: ShownNames, i: int) -> str:
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


def _passage(comparison: Comparison, pair: Pair, one: SharedPassage) -> str:
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
