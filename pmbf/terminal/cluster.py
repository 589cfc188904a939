"""What `pmbf cluster` prints."""

from __future__ import annotations

from pmbf.cluster.collection import Status
from pmbf.intake.loader import LoadReport
from pmbf.terminal.safe import one_line


def loaded_text(report: LoadReport, n_documents: int, n_volumes: int) -> str:
    """Return what a load did, and how large the collection is now."""
    done = [
        (report.n_added, "added"),
        (report.n_replaced, "replaced"),
        (report.n_same, "with known contents"),
        (report.n_unchanged, "unchanged"),
        (report.n_skipped, "skipped"),
        (len(report.problems), "with a problem"),
    ]
    told = ", ".join(f"{number:,} {what}" for number, what in done if number) or "nothing to load"
    return f"{told}\n{n_documents:,} documents in {n_volumes:,} volumes\n"


def status_text(status: Status) -> str:
    """Return how large a collection is, and which nodes have how much of it."""
    lines = [
        f"{one_line(status.depot)}: {status.n_documents:,} documents in {len(status.volumes):,} volumes, "
        f"{status.n_bytes:,} bytes, generation {status.generation}"
    ]
    for node, names in status.nodes.items():
        lines.append(f"{one_line(node)}: {len(names):,} volumes")
    for name, reason in status.unread.items():
        lines.append(f"volume {name[:12]} cannot be read: {one_line(reason)}")
    return "".join(line + "\n" for line in lines)
