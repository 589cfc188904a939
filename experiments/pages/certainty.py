"""docs/certainty.md: how often a passage of each certainty is wrong, corpus by corpus."""

from __future__ import annotations

from collections import Counter

from experiments.pages.page import Figures, Page, commits
from measure import report
from pmbf.report import CERTAINTIES

CHOSEN = "certainty-news-leads"
CORPORA = {
    CHOSEN: "news leads",
    "certainty-news": "news",
    "certainty-web-pages": "web pages",
    "certainty-encyclopedia": "encyclopedia",
    "certainty-essays": "essays",
    "certainty-pan13": "PAN13",
}
SORTS = ("exact", "loose")
HALVES = ("first", "second")
Cell = tuple[str, str, str, str]
"""A corpus, a half, a sort of passage and a certainty."""


def parts(figures: dict[str, Figures]) -> dict[str, str]:
    """Return the text for each name in the template."""
    n_all, n_wrong = _counted(figures, "passages"), _counted(figures, "wrong")
    return {"summary": _summary(n_all, n_wrong), "tables": f"{commits(CORPORA, figures)}\n\n{_table(n_all, n_wrong)}"}


PAGE = Page("certainty", tuple(CORPORA), parts)


def _counted(figures: dict[str, Figures], what: str) -> Counter[Cell]:
    return Counter(
        {
            (name, one["half"], one["sort"], one["certainty"]): one[what]
            for name in CORPORA
            for one in figures[name]["counts"]
        }
    )


def _unseen(name: str) -> tuple[str, ...]:
    """Return the halves of a corpus that nothing was chosen by and that a person judged."""
    if name == "certainty-pan13":
        return ()
    return ("second",) if name == CHOSEN else HALVES


def _summary(n_all: Counter[Cell], n_wrong: Counter[Cell]) -> str:
    lines = []
    for word in CERTAINTIES:
        for sort in SORTS:
            cells = [(name, half, sort, word) for name in CORPORA for half in _unseen(name)]
            total, wrong = (sum(counts[cell] for cell in cells) for counts in (n_all, n_wrong))
            lines.append(f"| {word} | {sort} | {total:,} | {_wrong(wrong, total)} |")
    return "\n".join(lines)


def _table(n_all: Counter[Cell], n_wrong: Counter[Cell]) -> str:
    lines = report.head(f"| corpus, half | sort | {' | '.join(f'{word}: wrong' for word in CERTAINTIES)} |")
    for name, shown in CORPORA.items():
        halves = [(half,) for half in HALVES] if name == CHOSEN else [HALVES]
        for some in halves:
            chosen = " (chosen on)" if some == ("first",) else ""
            label = f"{shown}{', ' + some[0] if len(some) == 1 else ''}{chosen}"
            for sort in SORTS:
                cells = [[(name, half, sort, word) for half in some] for word in CERTAINTIES]
                told = [f"{sum(n_wrong[c] for c in of)} of {sum(n_all[c] for c in of):,}" for of in cells]
                lines.append(f"| {label} | {sort} | {' | '.join(told)} |")
    return "\n".join(lines)


def _wrong(wrong: int, total: int) -> str:
    return f"{wrong} ({100 * wrong / total:.1f} %)" if total else "none"
