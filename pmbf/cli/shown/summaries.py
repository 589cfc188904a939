"""The results of load, list, stats, remove, compact and check as text."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any

from rich.table import Table

from pmbf.cli.shown.canvas import View, laid_out
from pmbf.cli.shown.figures import counted, duration, percent, shown_labels, shown_path, size
from pmbf.cli.shown.safe import one_line, one_message
from pmbf.intake.discovery import NOT_NAMED

if TYPE_CHECKING:
    from pmbf.cluster.upkeep import ClusterStatus, Upkeep
    from pmbf.guard.filter.exporting import ExportReport
    from pmbf.intake.discovery import Problem
    from pmbf.intake.loader import LoadReport
    from pmbf.store.check import CheckReport
    from pmbf.store.compact import CompactReport
    from pmbf.store.listing import Listed
    from pmbf.store.stats import Stats

N_ALIGNED = 10_000
"""Documents of a list that are held at once, to be shown in columns of one width."""

N_PROBLEMS = 20
"""Problems of a load that are listed; `--json` has them all."""


def load_text(report: LoadReport, collection: str, n_documents: int) -> str:
    """Return what a load did, one line for each outcome."""
    lines = [f"{n:>9,} {what}" for n, what in _outcomes(report) if n]
    lines = lines or ["        0 files found"]
    total = f"{shown_path(collection)} has {counted(n_documents, 'document')}"
    return "\n".join([*lines, f"{total}; {size(report.n_bytes)} read in {duration(report.seconds)}", ""])


def _outcomes(report: LoadReport) -> list[tuple[int, str]]:
    return [
        (report.n_added, "added"),
        (report.n_replaced, "replaced: the contents had changed"),
        (report.n_same, "with contents known under another path"),
        (report.n_unchanged, "unchanged"),
        (report.n_without_text, "of these without text: known by their checksum"),
        (report.n_pruned, "taken out: the file is gone"),
        (report.n_labelled, "with changed labels"),
        (report.n_skipped, f"skipped{skipped_kinds(report.skipped)}"),
        (len(report.problems), "with a problem, see below"),
    ]


def skipped_kinds(skipped: Sequence[Problem]) -> str:
    """Return how many files were skipped for which reason, and what to do."""
    n_archives = sum(one.reason == NOT_NAMED for one in skipped)
    n_others = len(skipped) - n_archives
    kinds = [counted(n_archives, "archive")] * (n_archives > 0) + [f"{n_others:,} without text"] * (n_others > 0)
    named = "; name an archive to load it" if n_archives else ""
    return f" ({', '.join(kinds)}): --verbose lists them{named}"


def passed_over_lines(report: LoadReport) -> Iterator[str]:
    """Yield a line for each file that was skipped, and for each one without text."""
    yield from (f"skipped: {shown_path(one.path)}: {one.reason}" for one in report.skipped)
    yield from (f"without text: {shown_path(path)}" for path in report.without_text)


def problem_lines(problems: Sequence[Problem]) -> Iterator[str]:
    """Yield a line for each problem of a load, up to `N_PROBLEMS`, and one for the rest."""
    for problem in problems[:N_PROBLEMS]:
        # Some reasons begin with the path already.
        reason = problem.reason.removeprefix(f"{problem.path}: ")
        yield f"{shown_path(problem.path)}: {one_message(reason)}"
    if len(problems) > N_PROBLEMS:
        yield f"… and {counted(len(problems) - N_PROBLEMS, 'more problem')}; --json lists them all"


def list_lines(documents: Iterable[Listed]) -> Iterator[str]:
    """Yield a head line, a line for each path of each document, and a line for each part of it that was not read.

    The columns are as wide as the first `N_ALIGNED` documents need, and wider from where a later one needs more.
    """
    widths, rest, is_first = [2, 10, 4], iter(documents), True
    while some := list(islice(rest, N_ALIGNED)):
        shown = [(str(one.id), f"{one.n_chars:,}", one.kind) for one in some]
        widths = [max(width, *map(len, column)) for width, column in zip(widths, zip(*shown, strict=True), strict=True)]
        if is_first:
            yield _row(("id", "characters", "kind"), widths) + "path"
            is_first = False
        for document, columns in zip(some, shown, strict=True):
            yield from _document_lines(document, _row(columns, widths))


def _row(columns: Sequence[str], widths: Sequence[int]) -> str:
    id_, n_chars, kind = columns
    return f"{id_:>{widths[0]}}  {n_chars:>{widths[1]}}  {kind:<{widths[2]}}  "


def _document_lines(document: Listed, head: str) -> Iterator[str]:
    labels = document.labels or ({},) * len(document.paths)
    paths = [_labelled(path, one) for path, one in zip(document.paths, labels, strict=True)]
    notes = [f"incomplete: {one_message(problem)}" for problem in document.problems]
    yield head + paths[0]
    yield from (" " * len(head) + line for line in paths[1:] + notes)


def _labelled(path: str, labels: Mapping[str, str]) -> str:
    return f"{shown_path(path)}  {shown_labels(labels)}" if labels else shown_path(path)


def remove_text(n_removed: int, compact: str) -> str:
    """Return how many documents or paths were taken out, and the command that frees their room."""
    removed = counted(n_removed, "document or path", "documents or paths")
    return f"{removed} removed; `{compact}` frees disk space.\n"


def label_text(n_changed: int) -> str:
    """Return how many paths have other labels now."""
    return f"{counted(n_changed, 'path')} with changed labels\n"


def compact_text(report: CompactReport, index: str) -> str:
    """Return what a compaction freed."""
    if not (report.n_documents or report.n_tiles or report.n_files):
        return f"Nothing to free: {size(report.bytes_after)} in use.\n"
    part = "segment" if index == "postings" else "tile"
    return (
        f"{counted(report.n_documents, 'removed document')} deleted, "
        f"{counted(report.n_tiles, part)} and {counted(report.n_files, 'file')} rewritten: "
        f"{size(report.bytes_before)} before, {size(report.bytes_after)} now.\n"
    )


def export_text(report: ExportReport, out: str, key_file: str) -> str:
    """Return what an export wrote, how it is used, and which documents are too short to be found."""
    lines = [
        f"{shown_path(out)}: {counted(report.n_documents - len(report.problems), 'document')} "
        f"in {report.n_rows:,} rows, {size(report.n_bytes)}"
    ]
    if report.too_short:
        shown = ", ".join(map(shown_path, report.too_short[:3])) + ("…" if len(report.too_short) > 3 else "")
        lines.append(f"{counted(len(report.too_short), 'document')} too short to be found: {shown}")
    lines.append(f"guard with both: pmbf guard PATH -c {shown_path(out)} --param key_file={shown_path(key_file)}")
    return "".join(line + "\n" for line in lines)


def check_lines(report: CheckReport, collection: str) -> Iterator[str]:
    """Yield what a check found, what a repair did, and what to do next."""
    yield from (f"problem:  {one_line(problem)}" for problem in report.problems)
    yield from (f"repaired: {one_line(what)}" for what in report.repaired)
    yield from (f"lost:     {shown_path(path)}; load it again" for path in report.lost)
    yield from (f"remains:  {one_line(problem)}" for problem in report.remaining)
    looked_at = f"{counted(report.n_documents, 'document')} and {counted(report.n_files, 'file')} compared"
    if report.ok:
        yield f"{looked_at}: all is well{' again' if report.problems else ''}."
    elif report.remaining:
        left = counted(len(report.remaining), "problem")
        yield f"{looked_at}: {left} could not be repaired; put back a copy of the folder, or load the documents anew."
    elif report.repaired:
        yield f"{looked_at}: {counted(len(report.lost), 'path')} could not be saved; the rest is well again."
    else:
        repair = f"`pmbf check --repair -c {shown_path(collection)}`"
        yield f"{looked_at}: {counted(len(report.problems), 'problem')}; {repair} rebuilds what is damaged."


# ---------------------------------------------------------------------- stats


def stats_text(stats: Stats, collection: str, view: View) -> str:
    """Return a collection's figures, each with its meaning."""
    table = Table.grid(padding=(0, 2, 0, 0))
    table.add_column(no_wrap=True)
    table.add_column(justify="right", no_wrap=True, style="bold")
    table.add_column(style="dim")
    for row in [*_contents(stats), *_filter(stats), *_disk(stats)]:
        table.add_row(*row)
    parameters = ", ".join(f"{name} {_value(value)}" for name, value in stats.params.items())
    return laid_out(view, shown_path(collection), table, "", f"Made with {parameters}")


def _contents(stats: Stats) -> list[tuple[str, str, str]]:
    density = stats.n_hashes / stats.n_chars if stats.n_chars else 0.0
    without = f"{stats.n_without_text:,} without text; " if stats.n_without_text else ""
    return [
        ("documents", f"{stats.n_documents:,}", f"{without}{stats.n_removed:,} removed ones wait for `pmbf compact`"),
        ("characters", f"{stats.n_chars:,}", "of all their texts"),
        ("hashes", f"{stats.n_hashes:,}", f"in their fingerprints: {density:.3f} for each character"),
    ]


def _filter(stats: Stats) -> list[tuple[str, str, str]]:
    if _has_postings(stats):
        which = f"of the filter, for {counted(stats.n_segments, 'segment')} of the postings"
    else:
        which = f"of the filter, in {counted(stats.n_tiles, 'tile')}"
    return [
        ("rows", f"{stats.n_rows:,}", which),
        ("fill", percent(stats.fill), "of a row's bits are set, on average"),
        ("false hits", f"{100 * stats.fpr:.1f} %", "of absent hashes look present in a row"),
        ("bits per hash", f"{stats.bits_per_hash:.1f}", "in the rows"),
    ]


def _disk(stats: Stats) -> list[tuple[str, str, str]]:
    index = stats.tile_bytes + stats.postings_bytes + stats.fingerprint_bytes
    total = index + stats.text_bytes + stats.catalog_bytes
    is_stored = stats.params["store_text"]
    texts = "compressed, to compare passages and rebuild the index" if is_stored else "not stored: files are read again"
    records = "fingerprints, or where in its text a long document has which hash"
    if _has_postings(stats):
        records = "the words of each document" + ("" if is_stored else ", and its fingerprint")
        asked = [
            ("filter", size(stats.tile_bytes), "its rows, which a query asks first"),
            ("postings", size(stats.postings_bytes), "the documents of each hash: asked where a row may have it"),
        ]
    else:
        asked = [("filter", size(stats.tile_bytes), "its rows, and the documents of each: there are no postings")]
    return [
        *asked,
        ("records", size(stats.fingerprint_bytes), records),
        ("texts", size(stats.text_bytes), texts),
        ("catalog", size(stats.catalog_bytes), "paths, sizes and checksums"),
        ("in all", size(total), ""),
        ("state", f"{stats.generation:,}", "commits so far"),
        ("kernels", stats.kernels, "native is the fast one; both give the same answers"),
    ]


def _has_postings(stats: Stats) -> bool:
    return bool(stats.params["index"] == "postings")


def _value(value: Any) -> str:
    return "automatic" if value is None else str(value).lower() if isinstance(value, bool) else str(value)


# ---------------------------------------------------------------------- on many nodes


def loaded_text(report: LoadReport, n_documents: int, n_volumes: int) -> str:
    """Return what a load did, and how large the collection is now."""
    done = [
        (report.n_added, "added"),
        (report.n_replaced, "replaced"),
        (report.n_same, "with known contents"),
        (report.n_unchanged, "unchanged"),
        (report.n_skipped, f"skipped{skipped_kinds(report.skipped)}"),
        (report.n_pruned, "pruned"),
        (report.n_labelled, "labelled"),
        (len(report.problems), "with a problem"),
    ]
    told = ", ".join(f"{number:,} {what}" for number, what in done if number) or "nothing to load"
    return f"{told}\n{counted(n_documents, 'document')} in {counted(n_volumes, 'volume')}\n"


def compacted_text(done: Upkeep) -> str:
    """Return what a compaction of a depot did."""
    joined = f"{counted(done.n_joined, 'volume')} joined" if done.n_joined else "no volumes to join"
    return (
        f"{joined}, {done.n_volumes:,} now\n{counted(done.n_files, 'file')} deleted, "
        f"{counted(done.n_bytes, 'byte')}; {counted(done.n_generations, 'state')} can no longer be read\n"
    )


def drained_text(host: str, n_volumes: int) -> str:
    """Return that a host has left."""
    return f"{one_line(host)} has left; the other hosts have all {counted(n_volumes, 'volume')}\n"


def checked_text(problems: Mapping[str, Sequence[str]], n_volumes: int, n_unnamed: int) -> str:
    """Return what is wrong with a collection, and how many files no state names."""
    told = [(f"volume {name[:12]}" if len(name) == 64 else name, some) for name, some in problems.items()]
    lines = [f"{where}: {one_line(problem)}" for where, some in told for problem in some]
    if n_unnamed:
        lines.append(
            f"{counted(n_unnamed, 'file')} that no state of the collection names: of a load that runs or was ended, or "
            "of a lost state; `pmbf compact` deletes them when they are a day old"
        )
    found = f"problems in {len(problems):,} of them" if problems else "no damage found"
    return "".join(line + "\n" for line in [*lines, f"{counted(n_volumes, 'volume')}: {found}"])


def cluster_status_text(status: ClusterStatus) -> str:
    """Return how large a collection is, which hosts have how much of it, and which copies are missing."""
    lines = [
        f"{one_line(status.depot)}: {counted(status.n_documents, 'document')} in "
        f"{counted(len(status.volumes), 'volume')}, {counted(status.n_bytes, 'byte')}, state {status.generation}"
    ]
    for node, names in status.nodes.items():
        host, missing = status.hosts[node], status.missing.get(node, {})
        where = one_line(host if host == node else f"{host}, {node}")
        lacks = f", {len(missing):,} not to be read: {one_line(next(iter(missing.values())))}" if missing else ""
        lines.append(f"{where}: {counted(len(names), 'volume')}, {len(status.here[node]):,} here{lacks}")
    for name, reason in status.unread.items():
        lines.append(f"volume {name[:12]} cannot be read: {one_line(reason)}")
    return "".join(line + "\n" for line in lines)
