"""docs/pairs.md: near-duplicates, with the figures of `experiments.near`."""

from __future__ import annotations

from typing import Any

from experiments.near import accuracy, cost, peers
from experiments.pages.page import Figures, Page, source

ACCURACY, COST, PEERS = "near-accuracy", "near-cost", "near-peers"


def parts(figures: dict[str, Figures]) -> dict[str, str]:
    """Return the text for each name in the template."""
    f1, beside = figures[ACCURACY], figures[PEERS]
    pieces = {row["library"]: row for row in beside["rows"] if row["texts"] == "pieces"}
    ours, rensa = pieces["pmbf"], pieces["rensa"]
    whole = {row["features"]: row for row in f1["rows"] if row["band"] == [0.0, 1.0]}
    return {
        "documents": f"{f1['documents']:,}",
        "alike": f"{f1['alike']:,}",
        "words_f1": _best(whole["3 words"]),
        "spots_f1": _best(whole["spot signatures, chain 2"]),
        "accuracy": accuracy.table(f1),
        "accuracy_source": source(ACCURACY, figures),
        "cost": cost.table(figures[COST]),
        "cost_source": source(COST, figures),
        "peers": peers.table(beside),
        "peers_source": source(PEERS, figures),
        "texts": f"{ours['n_texts']:,}",
        "planted": f"{ours['planted']:,}",
        "recall": f"{ours['recall']:.4f}",
        "rensa_recall": f"{rensa['recall']:.4f}",
        "ratio": f"{ours['s'] / rensa['s']:.2f}",
        "ratio_uncut": f"{ours['s'] / rensa['without_cutting_s']:.2f}",
    }


PAGE = Page("pairs", (ACCURACY, COST, PEERS), parts)


def _best(row: dict[str, Any]) -> str:
    return f"{max(row['f1']):.3f}".lstrip("0")
