"""A comparison as text: what was compared, the pairs ranked, their passages, the clusters."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from pmbf.cli.shown.canvas import View, incomplete, laid_out, unwrapped
from pmbf.cli.shown.figures import aligned, counted, percent, shown_path
from pmbf.cli.shown.passages import drawn, likeness
from pmbf.cli.shown.report import CERTAINTY_STYLES
from pmbf.cli.shown.safe import one_line, unneeded
from pmbf.comparison import Comparison, Pair
from pmbf.comparison.reports import as_passage, longest, told_sections

N_CLUSTERS = 10
"""Clusters that are listed; `--json` has them all."""
N_NAMED = 12
"""Groups of a cluster that are named; `--json` has them all."""


def comparison_text(comparison: Comparison, view: View, n_pairs: int = 20) -> str:
    """Return a comparison as a person reads it: so many pairs, of each the `n_passages` of the view."""
    return laid_out(view, *_parts(comparison, view, n_pairs))


def _parts(comparison: Comparison, view: View, n_pairs: int) -> Iterator[RenderableType]:
    yield _head(comparison)
    yield _verdict(comparison)
    yield from incomplete(comparison.problems)
    yield from (Text(f"Note: {note}", "yellow") for note in notes(comparison))
    listed = comparison.pairs[:n_pairs]
    if listed:
        yield ""
        yield from _pairs(listed, view.columns)
    if left := len(comparison.pairs) - len(listed):
        yield Text(f"… and {counted(left, 'more pair')}: --pairs all shows them", "dim")
    if comparison.not_counted:
        yield ""
        yield Text("Pairs that share only text that does not count; shares as if it counted", "bold")
        yield from _pairs(comparison.not_counted[:n_pairs], view.columns)
    if comparison.n_below:
        yield Text(f"… and {counted(comparison.n_below, 'more pair')} below the threshold", "dim")
    for rank, pair in enumerate(listed, 1):
        yield from _passages(rank, pair, comparison, view)
    if comparison.clusters:
        yield ""
        yield from _clusters(comparison)


def _head(comparison: Comparison) -> Text:
    n_texts, n_groups = len(comparison.members), comparison.n_groups
    of_groups = f" of {counted(n_groups, 'group')}" if n_groups < n_texts else ""
    title = f"{shown_path(comparison.title)}: " if comparison.title else ""
    return Text.assemble((title, "bold"), f"{counted(n_texts, 'text')}{of_groups} compared with each other")


def _verdict(comparison: Comparison) -> Text:
    n_pairs, more = len(comparison.pairs), "; ".join(not_counted(comparison))
    if n_pairs:
        highest = percent(comparison.pairs[0].share)
        share = "shares" if n_pairs == 1 else "share"
        n_more = len(comparison.not_counted)
        only = f"; {counted(n_more, 'more pair')} {'shares' if n_more == 1 else 'share'} only text that does not count"
        told = f"{counted(n_pairs, 'pair')} {share} text; the highest share is {highest}{only if n_more else ''}."
        return Text(told, "bold red")
    if comparison.found:
        return Text(f"No two texts share text that counts; {more}.", "bold yellow")
    if comparison.n_below:
        below = f"{comparison.n_below:,} below {'shares' if comparison.n_below == 1 else 'share'} text"
        return Text(f"No pair reaches the threshold; {below}.", "bold green")
    if comparison.problems:
        return Text("No pair found in what was compared, but the answer is incomplete.", "bold yellow")
    return Text(f"No two texts share a passage{f' that counts; {more}' if more else ''}.", "bold green")


def not_counted(comparison: Comparison) -> Iterator[str]:
    """Yield how much text was taken out before no pair was found, and how many pairs share text of that kind."""
    members = comparison.members
    n_chars = max(1, sum(member.n_chars for member in members))
    if n := len(comparison.not_counted):
        share = f"{'shares' if n == 1 else 'share'} up to {percent(comparison.not_counted[0].share)}"
        yield f"{counted(n, 'pair')} {share} that does not count"
    if n_common := sum(member.n_common for member in members):
        yield f"{percent(n_common / n_chars)} of the texts is found in more than {comparison.settings.common:,} groups"
    if n_ignored := sum(member.n_ignored for member in members):
        yield f"{percent(n_ignored / n_chars)} of the texts is left out, as asked"
    if n := comparison.n_only_library:
        yield f"{counted(n, 'pair')} {'shares' if n == 1 else 'share'} only text of the library"


def notes(comparison: Comparison) -> Iterator[str]:
    """Yield what does not count, and why, as sentences; first the damaged files that the answer did not need."""
    yield from map(unneeded, comparison.warnings)
    members, settings = comparison.members, comparison.settings
    n_chars = sum(member.n_chars for member in members)
    if n_ignored := sum(member.n_ignored for member in members):
        yield f"{percent(n_ignored / n_chars)} of the texts does not count, as asked."
    yield from map(one_line, told_sections(settings.template, members))
    if n_common := sum(member.n_common for member in members):
        share = percent(n_common / n_chars)
        yield f"{share} of the texts does not count: it is found in more than {settings.common:,} groups (--common)."
    if n_library := sum(member.n_library for member in members):
        yield f"{percent(n_library / n_chars)} of the texts is found in the library; shares are without it."
    if comparison.n_only_library:
        share = "shares" if comparison.n_only_library == 1 else "share"
        yield f"{counted(comparison.n_only_library, 'pair')} {share} only text of the library."
    empty = [member.name for member in members if not member.n_tokens]
    if empty:
        named = ", ".join(map(shown_path, empty[:3])) + ("…" if len(empty) > 3 else "")
        yield f"there is not one word in {named}."


# ---------------------------------------------------------------------- pairs


def _pairs(pairs: Sequence[Pair], columns: int) -> Iterator[Text]:
    """Yield the table of pairs; names stand last, and whole; on a narrow terminal each in a line of its own."""
    head = ("#", "share of a", "of b", "longest passage", "certainty")
    lines = aligned([head, *(_figures(rank, pair) for rank, pair in enumerate(pairs, 1))], ">>>><")
    named = [("a", "b"), *((shown_path(pair.a), shown_path(pair.b)) for pair in pairs)]
    width = max(len(a) for a, _ in named)
    widest = len(lines[0]) + 2 + width + 2 + max(len(b) for _, b in named)
    indent = " " * (len(str(len(pairs))) + 2)
    for number, (line, (a, b)) in enumerate(zip(lines, named, strict=True)):
        style = "" if number else "dim"
        if widest <= columns:
            yield unwrapped((f"{line}  {a:{width}}  {b}", style))
        else:
            yield unwrapped((line, style))
            if number:
                yield unwrapped(f"{indent}a {a}")
                yield unwrapped(f"{indent}b {b}")


def _figures(rank: int, pair: Pair) -> tuple[str, ...]:
    size = counted(longest(pair), "character")
    sure = "identical" if pair.identical else pair.certainty
    return str(rank), _share(pair.share_a, pair.whole_a), _share(pair.share_b, pair.whole_b), size, sure


def _share(own: float, whole: float) -> str:
    """Return a share, and in brackets the share with the library, if that is more.

    >>> _share(0.25, 0.25), _share(0.25, 0.4)
    ('25 %', '25 % (40 %)')
    """
    return percent(own) if whole - own < 0.005 else f"{percent(own)} ({percent(whole)})"


def _passages(rank: int, pair: Pair, comparison: Comparison, view: View) -> Iterator[RenderableType]:
    chosen = sorted(range(len(pair.passages)), key=lambda i: -len(pair.passages[i].a))[: view.n_passages]
    a, b = (comparison.texts[name] if chosen else "" for name in (pair.a, pair.b))
    for i in sorted(chosen):
        one = pair.passages[i]
        yield ""
        where = f"  a {one.a.start}-{one.a.stop} | b {one.b.start}-{one.b.stop}, {likeness(one.kind, one.similarity)}"
        library = ", from the library" if one.from_library else ""
        certainty = one.certainty, CERTAINTY_STYLES[one.certainty]
        yield unwrapped((f"{rank}.{i + 1}", "bold"), where + library, ": ", certainty)
        passage = as_passage(one, comparison.by_name[pair.a], comparison.by_name[pair.b])
        yield drawn(passage, a, b, view, names=("a", "b"))


# ---------------------------------------------------------------------- clusters


def _clusters(comparison: Comparison) -> Iterator[RenderableType]:
    found = comparison.clusters
    yield Text(counted(len(found), "cluster") + ": groups that `sure` or `likely` pairs connect", "bold")
    listed = Table.grid(padding=(0, 2, 0, 0), pad_edge=False)
    listed.add_column(justify="right", no_wrap=True)
    listed.add_column(overflow="fold")
    for number, cluster in enumerate(found[:N_CLUSTERS], 1):
        size = f"{counted(len(cluster.groups), 'group')}, {counted(cluster.n_pairs, 'pair')}"
        named = ", ".join(map(shown_path, cluster.groups[:N_NAMED]))
        left = len(cluster.groups) - N_NAMED
        more = f" and {left:,} more" if left > 0 else ""
        listed.add_row(str(number), Text(f"{size}, up to {percent(cluster.share)}: {named}{more}"))
    yield listed
    if len(found) > N_CLUSTERS:
        yield Text(f"… and {counted(len(found) - N_CLUSTERS, 'more cluster')}; --json lists them all", "dim")
