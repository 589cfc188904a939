"""docs/sentences-figures.md: recall of edited units and passages, and what sentences cost."""

from __future__ import annotations

from experiments.pages.page import Figures, Page, source
from experiments.sentences import cost, recall

RECALL, COST = "sentences-recall", "sentences-cost"
LONE, CHINESE, JAPANESE, THAI = (f"sentences-lone{script}" for script in ("", "-zh", "-ja", "-th"))


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
        "n_more": str(figures[LONE]["n"]),
        "n_script": str(figures[CHINESE]["n"]),
        "more": recall.lone(figures[LONE]),
        "chinese": recall.lone(figures[CHINESE]),
        "japanese": recall.lone(figures[JAPANESE]),
        "thai": recall.lone(figures[THAI]),
        "more_source": source(LONE, figures),
        "chinese_source": source(CHINESE, figures),
        "japanese_source": source(JAPANESE, figures),
        "thai_source": source(THAI, figures),
        "embedded": recall.embedded(found),
        "cut": recall.cut(found),
        "cost": cost.table(measured),
    }


PAGE = Page("sentences-figures", (RECALL, COST, LONE, CHINESE, JAPANESE, THAI), parts)
