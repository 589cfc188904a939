"""What `pmbf cluster` prints."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pmbf.cluster.status import Status
from pmbf.cluster.upkeep import Upkeep
from pmbf.intake.loader import LoadReport
from pmbf.terminal.safe import one_line
from pmbf.terminal.summaries import skipped_kinds


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
    return f"{told}\n{n_documents:,} documents in {n_volumes:,} volumes\n"


def compacted_text(done: Upkeep) -> str:
    """Return what a compaction of a depot did."""
    joined = f"{done.n_joined:,} volumes joined" if done.n_joined else "no volumes to join"
    return (
        f"{joined}, {done.n_volumes:,} now\n{done.n_files:,} files deleted, {done.n_bytes:,} bytes; "
        f"{done.n_generations:,} generations can no longer be read\n"
    )


def drained_text(host: str, n_volumes: int) -> str:
    """Return that a host has left."""
    return f"{one_line(host)} has left; the other hosts have all {n_volumes:,} volumes\n"


def checked_text(problems: Mapping[str, Sequence[str]], n_volumes: int) -> str:
    """Return what is wrong with a collection."""
    lines = [f"volume {name[:12]}: {one_line(problem)}" for name, some in problems.items() for problem in some]
    told = (
        f"{n_volumes:,} volumes, {len(problems):,} with a problem" if problems else f"{n_volumes:,} volumes are sound"
    )
    return "".join(line + "\n" for line in [*lines, told])


def status_text(status: Status) -> str:
    """Return how large a collection is, which hosts have how much of it, and which copies are missing."""
    lines = [
        f"{one_line(status.depot)}: {status.n_documents:,} documents in {len(status.volumes):,} volumes, "
        f"{status.n_bytes:,} bytes, generation {status.generation}"
    ]
    for node, names in status.nodes.items():
        host, missing = status.hosts[node], status.missing.get(node, {})
        where = one_line(host if host == node else f"{host}, {node}")
        lacks = f", {len(missing):,} of them missing: {one_line(next(iter(missing.values())))}" if missing else ""
        lines.append(f"{where}: {len(names):,} volumes{lacks}")
    for name, reason in status.unread.items():
        lines.append(f"volume {name[:12]} cannot be read: {one_line(reason)}")
    return "".join(line + "\n" for line in lines)
