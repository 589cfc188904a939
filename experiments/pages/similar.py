"""docs/similar-figures.md: runs as an archive grows."""

from __future__ import annotations

from experiments import similar
from experiments.pages.page import Figures, Page, source

ARCHIVE = "similar-archive"


def parts(figures: dict[str, Figures]) -> dict[str, str]:
    """Return the text for each name in the template."""
    measured, expected = figures[ARCHIVE], similar.projection(figures[ARCHIVE])
    return {
        "archive_source": source(ARCHIVE, figures),
        "archive": similar.table(measured),
        "changed": str(measured["n_changed"]),
        "rounds": str(len(measured["points"][-1]["incremental"])),
        "jobs": f"{measured['jobs']} processes",
        "full_hours": f"{expected['full_hours']:.1f}",
        "full_power": f"{expected['full_hours_exponent']:.1f}",
        "near_minutes": f"{expected['incremental_minutes']:.1f}",
        "chunks": f"{measured['points'][-1]['n_chunks'] / measured['points'][-1]['full']['n_documents']:,.0f}",
    }


PAGE = Page("similar-figures", (ARCHIVE,), parts)
