"""docs/resultsets.md: duplicates among real revisions."""

from __future__ import annotations

from experiments.pages.page import Figures, Page, source
from experiments.resultsets import command


def parts(figures: dict[str, Figures]) -> dict[str, str]:
    """Return the text for each name in the template."""
    some = figures["resultsets"]
    return {
        "resultsets": source("resultsets", figures),
        "corpus": command.corpus(some),
        "quality": command.quality(some),
        "kinds": command.kinds(some),
        "times": command.times(some),
        "n_sets": str(some["n_sets"]),
        "n_times": str(some["n_times"]),
    }


PAGE = Page("resultsets", ("resultsets",), parts)
