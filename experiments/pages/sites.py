"""docs/sites-figures.md: what sites cost, whether their answers are those of one collection, and what is stolen."""

from __future__ import annotations

from experiments.pages.page import Figures, Page, source
from experiments.sites import cost, stolen, united

COST, UNITED, STOLEN = "sites-cost", "sites-united", "sites-stolen"


def parts(figures: dict[str, Figures]) -> dict[str, str]:
    """Return the text for each name in the template."""
    measured = figures[COST]
    return {
        "cost_source": source(COST, figures),
        "united_source": source(UNITED, figures),
        "n": str(measured["n"]),
        "units": f"{measured['n_units']:,}",
        "cost": cost.table(measured),
        "united": united.table(figures[UNITED]),
        "stolen": stolen.table(figures[STOLEN]),
    }


PAGE = Page("sites-figures", (COST, UNITED, STOLEN), parts)
