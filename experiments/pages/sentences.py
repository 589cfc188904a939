"""docs/sentences-figures.md: recall of edited units and passages, and what sentences cost."""

from __future__ import annotations

from experiments.pages.page import Figures, Page, source
from experiments.sentences import cost, recall

RECALL, COST = "sentences-recall", "sentences-cost"


def parts(figures: dict[str, Figures]) -> dict[str, str]:
    """Return the text for each name in the template."""
    found, measured = figures[RECALL], figures[COST]
    n_documents = sum(one["documents"] for one in measured["corpora"])
    return {
        "recall_source": source(RECALL, figures),
        "cost_source": source(COST, figures),
        "n": str(found["n"]),
        "n_default": str(found["n"] // 2),
        "seed": str(found["seed"]),
        "documents": f"{n_documents:,}",
        "units": f"{measured['codes']['words']['n_units']:,}",
        "queries": str(measured["n"]),
        "lone": recall.lone(found),
        "embedded": recall.embedded(found),
        "cut": recall.cut(found),
        "cost": cost.table(measured),
    }


PAGE = Page("sentences-figures", (RECALL, COST), parts)
