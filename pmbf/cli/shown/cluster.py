"""What `pmbf cluster` prints."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pmbf.cli.shown.figures import counted
from pmbf.cli.shown.safe import one_line
from pmbf.cli.shown.summaries import skipped_kinds
from pmbf.cluster.status import ClusterStatus
from pmbf.cluster.upkeep import Upkeep
from pmbf.intake.loader import LoadReport


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


def status_text(status: ClusterStatus) -> str:
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
