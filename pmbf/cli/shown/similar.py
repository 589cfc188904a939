"""The similarities of a collection as text: a run, the rows of a document, pairs, clusters, the growth over runs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from pmbf.cli.shown.figures import counted, duration, percent, shown_path
from pmbf.cli.shown.safe import one_message
from pmbf.cli.shown.summaries import N_PROBLEMS

if TYPE_CHECKING:
    from pmbf.alike.similar import DocumentCluster, RunReport, Similar, TableStatus

N_PATHS = 10
"""Documents of a cluster that are named; `--json` names all."""


def update_text(report: RunReport) -> str:
    """Return what a run did, one line for each outcome."""
    if not report.number:
        return f"nothing has changed; {counted(report.n_documents, 'document')}\n"
    outcomes = [
        (report.n_added, "added"),
        (report.n_removed, "removed, or changed: a changed document is one removed and one added"),
        (report.n_again, "others compared again: they had lost one of the highest"),
        (report.n_patched, "others with changed rows"),
        (report.n_without, "without a chunk that counts: too short, or common chunks only"),
        (report.n_unread, "that could not be read, see below"),
    ]
    lines = [f"{n:>9,} {what}" for n, what in outcomes if n]
    total = f"{counted(report.n_documents, 'document')}, {counted(report.n_rows, 'similarity', 'similarities')}"
    return "\n".join([*lines, f"{total}; {report.kind} run {report.number} in {duration(report.seconds)}", ""])


def incomplete_lines(incomplete: Mapping[str, str]) -> Iterator[str]:
    """Yield a line for each document that was not read, or not to its end."""
    for path, reason in list(incomplete.items())[:N_PROBLEMS]:
        yield f"incomplete: {shown_path(path)}: {one_message(reason.removeprefix(f'{path}: '))}"
    if len(incomplete) > N_PROBLEMS:
        yield f"… and {counted(len(incomplete) - N_PROBLEMS, 'more document')}; --json lists them all"


def rows_text(rows: Sequence[Similar], most: int, with_document: bool) -> str:
    """Return rows of the table, one a line: the similarity in both directions, shared chunks, paths."""
    if not rows:
        return "no similar documents\n"
    lines = ["in other  of other  chunks  " + ("document  other" if with_document else "other")]
    for one in rows[:most]:
        figures = f"{percent(one.similarity):>8}  {percent(one.reverse):>8}  {one.shared:>6,}  "
        both = f"{shown_path(one.path)}  {shown_path(one.other_path)}"
        lines.append(figures + (both if with_document else shown_path(one.other_path)))
    return "\n".join([*lines, *_more(len(rows) - most), ""])


def clusters_text(clusters: Sequence[DocumentCluster], most: int) -> str:
    """Return clusters, the largest first, each with the paths of its documents."""
    if not clusters:
        return "no clusters\n"
    lines = []
    for number, cluster in enumerate(clusters[:most], 1):
        lines.append(f"{number}  {counted(len(cluster.documents), 'document')}")
        lines += [f"   {shown_path(path)}" for path in cluster.paths[:N_PATHS]]
        lines += [f"   {line}" for line in _more(len(cluster.paths) - N_PATHS)]
    return "\n".join([*lines, *_more(len(clusters) - most), ""])


def status_text(status: TableStatus) -> str:
    """Return the size of the table, and a line for each run."""
    rules = status.rules
    lines = [
        f"documents     {status.n_documents:>12,}  {status.n_without:,} without a chunk that counts",
        f"similarities  {status.n_rows:>12,}  at most {rules.keep:,} of a document; {status.n_cut:,} have more",
        f"common chunks {status.n_common:>12,}  in more than {rules.common:,} documents at the time of the list",
        f"chunks of     {rules.n_words:>12,}  words, with IDs of {rules.bits} bits",
        f"not yet taken {status.n_new:>12,}  new documents; {status.n_gone:,} left",
        "",
        "run  started                    kind         documents   added  removed  again        rows  time",
    ]
    return "\n".join([*lines, *map(_run_line, status.runs), ""])


def _run_line(run: dict[str, Any]) -> str:
    return (
        f"{run['number']:>3}  {run['started']:<25}  {run['kind']:<11}  {run['n_documents']:>9,}  {run['n_added']:>6,}  "
        f"{run['n_removed']:>7,}  {run['n_again']:>5,}  {run['n_rows']:>10,}  {duration(run['seconds'])}"
    )


def _more(n: int) -> list[str]:
    return [f"… and {n:,} more; --most all shows them"] if n > 0 else []
