"""Near-duplicates as text: what was compared, the clusters, the pairs, their passages."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.console import RenderableType
from rich.text import Text

from pmbf.alike.pairs import NearDuplicates, NearPair
from pmbf.cli.shown.canvas import View, incomplete, laid_out, unwrapped
from pmbf.cli.shown.figures import aligned, counted, percent, shown_path, size
from pmbf.cli.shown.passages import likeness
from pmbf.cli.shown.report import CERTAINTY_STYLES

N_CLUSTERS, N_NAMED = 10, 6
"""Clusters and texts of a cluster that are listed; `--json` has them all."""


def near_text(found: NearDuplicates, view: View, n_pairs: int = 20) -> str:
    """Return near-duplicates as a person reads them, with so many pairs."""
    return laid_out(view, *_parts(found, n_pairs))


def _parts(found: NearDuplicates, n_pairs: int) -> Iterator[RenderableType]:
    title = f"{shown_path(found.title)}: " if found.title else ""
    yield Text.assemble((title, "bold"), f"{counted(len(found.labels), 'text')} compared with each other")
    yield _verdict(found)
    yield from incomplete(found.problems)
    if found.by_words:
        has = "has" if len(found.by_words) == 1 else "have"
        yield Text(
            f"Note: {counted(len(found.by_words), 'text')} {has} no spot signatures, for lack of stop words that pmbf "
            "knows; words in a row were compared instead.",
            "yellow",
        )
    if not found.is_whole:
        yield Text("Note: texts with equal features are too many; each is a pair with one of them only.", "yellow")
    if found.volume.raw:
        yield f"{size(found.volume.summed)} of partial counts were summed; without sums {size(found.volume.raw)}"
    if found.n_pairs:
        yield ""
        yield from _clusters(found)
        yield ""
    if found.n_pairs and n_pairs:
        yield from _pairs(found.pairs[:n_pairs])
    if (left := found.n_pairs - n_pairs) > 0:
        yield Text(f"… and {counted(left, 'more pair')}: --pairs all shows them", "dim")


def _verdict(found: NearDuplicates) -> Text:
    least = f"{found.threshold:g}"
    if found.n_pairs:
        n_left = int((~found.keep).sum())
        clusters = counted(len(found.clusters), "cluster")
        of = f"{clusters}: keep one text of each, and leave out {n_left:,}"
        return Text(f"{counted(found.n_pairs, 'pair')} of a Jaccard index of {least} or more. {of}.", "bold red")
    if found.problems:
        return Text("No pair found in what was compared, but the answer is incomplete.", "bold yellow")
    return Text(f"No two texts have a Jaccard index of {least} or more.", "bold green")


def _clusters(found: NearDuplicates) -> Iterator[Text]:
    for cluster in found.clusters[:N_CLUSTERS]:
        named = ", ".join(shown_path(str(one)) for one in cluster.others[:N_NAMED])
        left = len(cluster.others) - N_NAMED
        more = f" and {left:,} more" if left > 0 else ""
        yield unwrapped((f"keep {shown_path(str(cluster.kept))}", "green"), f"  for {named}{more}")
    if (left := len(found.clusters) - N_CLUSTERS) > 0:
        yield Text(f"… and {counted(left, 'more cluster')}; --rows texts --table FILE.csv lists every text", "dim")


def _pairs(pairs: Sequence[NearPair]) -> Iterator[Text]:
    """Yield the table of pairs; the names stand last, and whole."""
    head = ("jaccard", "of a", "of b")
    figures = [(f"{one.jaccard:.2f}", percent(one.containment_a), percent(one.containment_b)) for one in pairs]
    names = [(shown_path(str(one.a)), shown_path(str(one.b))) for one in pairs]
    rows = [(*head, "a", "b"), *(cells + pair for cells, pair in zip(figures, names, strict=True))]
    heading, *lines = (f"{line}  {row[-1]}" for line, row in zip(aligned(rows, ">>><"), rows, strict=True))
    yield unwrapped((heading, "dim"))
    for line, pair in zip(lines, pairs, strict=True):
        yield unwrapped(line)
        for one in pair.passages or ():
            where = f"    a {one.query.start}-{one.query.stop} | b {one.source.start}-{one.source.stop}, "
            certainty = one.certainty or ""
            style = CERTAINTY_STYLES.get(certainty, "")
            yield unwrapped(where + likeness(one.kind, one.similarity), ": ", (certainty, style))
        if pair.passages == ():
            yield unwrapped("    no passage: the texts share words in short runs only")
