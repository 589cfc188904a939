"""docs/experiments.md: the paper's experiments, run again."""

from __future__ import annotations

from experiments.corpus.building import Package, total
from experiments.pages.page import Figures, Page, commits, source
from experiments.paper import chosen, mistakes, similarity, size, thresholds, uniformity
from measure import report

UNIFORMITY = {
    "paper-uniformity-pan13-sources": "PAN13, sources",
    "paper-uniformity-pan13-suspicious": "PAN13, suspicious",
    "paper-uniformity-chinese": "Chinese histories",
    "paper-uniformity-debian-small": "`deb_small`",
    "paper-uniformity-debian-full": "`deb_full`",
}
EXPERIMENTS = {
    "size": size,
    "similarity": similarity,
    "mistakes": mistakes,
    "chosen": chosen,
    "thresholds": thresholds,
}
CORPORA = ("debian-small", "debian-full")


def parts(figures: dict[str, Figures]) -> dict[str, str]:
    """Return the text for each name in the template."""
    found = {"corpora": _corpora(figures), "uniformity": _uniformity(figures)}
    for name, module in EXPERIMENTS.items():
        some = figures[f"paper-{name}"]
        texts = f"Texts: {some['corpus']}; seed {some['seed']}."
        found[name] = f"{source(f'paper-{name}', figures)} {texts}\n\n{module.table(some)}"
    return found


PAGE = Page(
    "experiments",
    (*CORPORA, *UNIFORMITY, *(f"paper-{name}" for name in EXPERIMENTS)),
    parts,
    {
        f"paper-{name}": (lambda axes, some, module=module: module.plot(some, axes), f"paper-{name}")  # type: ignore[misc]
        for name, module in EXPERIMENTS.items()
        if hasattr(module, "plot")
    },
)


def _corpora(figures: dict[str, Figures]) -> str:
    lines = ["| corpus | texts | packages and their versions |", "|---|---|---|"]
    for name in CORPORA:
        packages = [Package(**one) for one in figures[name]["packages"]]
        listed = ", ".join(f"{one.name} {one.version}" for one in packages)
        shown = listed if len(packages) < 10 else f"[`{name}.json`](../experiments/results/{name}.json)"
        lines.append(f"| `{name}` | {total(packages)} | {shown} |")
    return "\n".join(lines)


def _uniformity(figures: dict[str, Figures]) -> str:
    share = uniformity.PUBLISHED["even"] / uniformity.PUBLISHED["documents"]
    lines = [commits(UNIFORMITY, figures), ""]
    lines += report.head("| corpus | texts of | places in | documents | even by χ² | by Kolmogorov-Smirnov |")
    lines.append(f"| published | | | {uniformity.PUBLISHED['documents']:,} | {share:.1%}, test not named | |")
    for name, corpus in UNIFORMITY.items():
        for one in figures[name]["results"]:
            tests = f"{one['chi_square']:.1%} | {one['kolmogorov']:.1%}"
            lines.append(f"| {corpus} | {one['kind']} | {one['place']} | {one['n_documents']:,} | {tests} |")
    return "\n".join(lines)
