"""docs/similar-figures.md: runs as an archive grows, and what the width of a chunk ID costs."""

from __future__ import annotations

from experiments.pages.page import Figures, Page, source
from experiments.similar import archive, width

ARCHIVE, WIDTH = "similar-archive", "similar-width"


def parts(figures: dict[str, Figures]) -> dict[str, str]:
    """Return the text for each name in the template."""
    measured, expected = figures[ARCHIVE], archive.projection(figures[ARCHIVE])
    return {
        "archive_source": source(ARCHIVE, figures),
        "archive": archive.table(measured),
        "changed": str(measured["n_changed"]),
        "rounds": str(len(measured["points"][-1]["incremental"])),
        "jobs": f"{measured['jobs']} processes",
        "full_hours": f"{expected['full_hours']:.1f}",
        "full_power": f"{expected['full_hours_exponent']:.1f}",
        "near_minutes": f"{expected['incremental_minutes']:.1f}",
        "chunks": f"{measured['points'][-1]['n_chunks'] / measured['points'][-1]['full']['n_documents']:,.0f}",
        "width_source": source(WIDTH, figures),
        "width": width.table(figures[WIDTH]),
    }


PAGE = Page("similar-figures", (ARCHIVE, WIDTH), parts)
