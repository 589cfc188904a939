"""The recall of the candidates as a collection grows: a table of docs/pan.md and docs/tradeoffs.md."""

from __future__ import annotations

from experiments.pages.page import Figures
from measure import report
from measure.corpora import PAN13_KINDS

NAMES = (
    "retrieval-all",
    "retrieval-filler-1500",
    "retrieval-filler-4000",
    "retrieval-filler-10000",
    "retrieval-filler-80000",
    "retrieval-obfuscation-filler-10000",
)


def table(figures: dict[str, Figures]) -> str:
    """Return the recall by the number of documents as a Markdown table."""
    kinds = " | ".join(PAN13_KINDS.values())
    lines = report.head(f"| documents | of them PAN13's | profile | {kinds} | candidates of a random text |")
    n_sources = figures[NAMES[0]]["size"]["n_documents"]
    for name in NAMES:
        one = figures[name]
        found = {some["kind"]: some for some in one["found"]}
        recalls = " | ".join(f"{found[kind]['recall']:.3f}" for kind in PAN13_KINDS)
        profile = "obfuscation" if "obfuscation" in name else "default"
        lines.append(
            f"| {one['size']['n_documents']:,} | {n_sources:,} | {profile} | {recalls} "
            f"| {found['03-random-obfuscation']['candidates']:.1f} |"
        )
    return "\n".join(lines)
