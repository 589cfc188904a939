"""docs/sites-figures.md: what sites and private questions cost, whether united sites are as one, what is stolen
and read."""

from __future__ import annotations

from experiments.pages.page import Figures, Page, source
from experiments.sites import claims, cost, private, reading, sparing, stolen, united

COST, PRIVATE, CLAIMS, UNITED, STOLEN = "sites-cost", "sites-private", "sites-claims", "sites-united", "sites-stolen"
SPARING, READING = "sites-sparing", "sites-reading"


def parts(figures: dict[str, Figures]) -> dict[str, str]:
    """Return the text for each name in the template."""
    measured = figures[COST]
    return {
        "cost_source": source(COST, figures),
        "united_source": source(UNITED, figures),
        "n": str(measured["n"]),
        "units": f"{measured['n_units']:,}",
        "cost": cost.table(measured),
        "private_source": source(PRIVATE, figures),
        "private_n": str(figures[PRIVATE]["n"]),
        "private": private.table(figures[PRIVATE]),
        "claims_source": source(CLAIMS, figures),
        "claims_n": str(figures[CLAIMS]["n"]),
        "claims": claims.table(figures[CLAIMS]),
        "united": united.table(figures[UNITED]),
        "sparing_source": source(SPARING, figures),
        "sparing_seed": str(figures[SPARING]["seed"]),
        "sparing": sparing.table(figures[SPARING]),
        "stolen": stolen.table(figures[STOLEN]),
        "reading_source": source(READING, figures),
        "reading_seed": str(figures[READING]["seed"]),
        "reading_texts": str(figures[READING]["n_texts"]),
        "reading_own": str(figures[READING]["n_own"]),
        "reading": reading.table(figures[READING]["days"]),
    }


PAGE = Page("sites-figures", (COST, PRIVATE, CLAIMS, UNITED, STOLEN, SPARING, READING), parts)
