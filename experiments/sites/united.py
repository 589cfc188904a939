"""Three collections that search each other, beside one collection with all their texts, on several data sets.

Of each data set every fourth text is a query, or those in `susp`; the others lie in three houses in turn. The paper's
experiment counts pairs of a text and a source: what each house finds alone, and what the first finds with both sites.

An answer is equal, or differs by a rule that each house applies by itself (`causes`), or is unexplained. `missing`
counts the sources of sentences that united sites do not find, and one collection does.
"""

from __future__ import annotations

import contextlib
import tempfile
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from experiments.arguments import write_figures
from experiments.sites.causes import CAUSES, UNEXPLAINED, Together, united_answer
from experiments.sites.served import acquainted, collected, made, served
from measure import report
from measure.corpora import described, read
from pmbf import Collection
from pmbf.intake.texts import Text
from pmbf.sites import Sites

HOUSES = ("home", "north", "south")
COUNTED = ("sentences", "other_sentences", "missing", "united", "one", "first", "home_first")


def run(folders: Sequence[Path], *, n: int, out: Path | None = None) -> str:
    """Return the figures as Markdown.

    Args:
        folders: The data sets.
        n: Queries of each at most.
        out: JSON file to write.
    """
    sets = [_measured(folder, n) for folder in folders]
    figures = {"about": report.about(), "corpora": [described(one) for one in folders], "sets": sets}
    write_figures(figures, out)
    return table(figures)


def _measured(folder: Path, n: int) -> dict[str, Any]:
    texts, queries = _split(folder)
    with tempfile.TemporaryDirectory() as scratch, contextlib.ExitStack() as stack:
        place = Path(scratch)
        paths = list(texts)
        thirds = [{path: texts[path] for path in paths[number::3]} for number in range(3)]
        collections = [collected(place / f"{name}.pmbf", third) for name, third in zip(HOUSES, thirds, strict=True)]
        parts = {name: list(third) for name, third in zip(HOUSES, thirds, strict=True)}
        together = Together(collected(place / "all.pmbf", texts), parts, texts)
        stack.callback(together.close)
        home = made(place, HOUSES[0], None)
        key = home.folder / "federation.key"
        registries = acquainted([home, *(made(place, name, key) for name in HOUSES[1:])])
        for registry, collection in zip(registries[1:], collections[1:], strict=True):
            stack.enter_context(served(registry, collection))
        own, *others = (stack.enter_context(Collection(one)) for one in collections)
        figures: dict[str, Any] = dict.fromkeys(COUNTED, 0)
        causes: Counter[str] = Counter()
        pairs_alone = [0, 0, 0]
        some = queries[:n]
        for query in some:
            one, alone = together.screened(query), own.screen_sentences(query)
            sites = list(registries[0].partners.values())
            whole, first = (
                Sites(registries[0], sites, texts=True, whole=whole, seconds=300).ask(alone, Text("", query))
                for whole in (True, False)
            )
            for told in (whole, first):
                if told.problems:
                    raise ChildProcessError(told.problems[0])
            mine, theirs = united_answer(whole, together.names), together.by_house(one)
            causes[together.cause(query, whole, one)] += 1
            figures["sentences"] += len(one.sentences)
            figures["other_sentences"] += sum(a != b for a, b in zip(mine[0], theirs[0], strict=True))
            outcomes = [[it.outcome for it in told.sentences] for told in (first, one, whole)]
            figures["first"] += outcomes[0] == outcomes[1]
            figures["home_first"] += outcomes[0] == outcomes[2]
            reports = alone, *(one.screen_sentences(query) for one in others)
            pairs_alone = [n + len(one.sources) for n, one in zip(pairs_alone, reports, strict=True)]
            figures["missing"] += sum(_n_missing(a, b) for a, b in zip(mine[0], theirs[0], strict=True))
            figures["united"] += len(whole.sources)
            figures["one"] += len(one.sources)
    counted = {name: causes[name] for name in (*CAUSES, UNEXPLAINED)}
    return (
        figures
        | {"equal": causes[""], "causes": counted}
        | {"name": folder.name, "n": len(some), "documents": len(texts), "alone": pairs_alone}
    )


def _split(folder: Path) -> tuple[dict[str, str], list[str]]:
    """Return the documents by name, and the queries."""
    if (folder / "susp").is_dir():
        documents = sorted((folder / "src").glob("*.txt"))
        queries = sorted((folder / "susp").glob("*.txt"))
    else:
        paths = sorted(path for path in folder.rglob("*.txt") if path.is_file())
        queries = paths[::4]
        documents = [path for number, path in enumerate(paths) if number % 4]
    names = {f"{number:05}": read(path) for number, path in enumerate(documents)}
    return names, [read(path) for path in queries]


def _n_missing(united: tuple[str, set[Any]], one: tuple[str, set[Any]]) -> int:
    """Return how many sources of a sentence one collection finds, and united sites do not."""
    return len({name for name, *_ in one[1]} - {name for name, *_ in united[1]})


def table(figures: dict[str, Any]) -> str:
    """Return the figures as a table in Markdown."""
    lines = [
        "| data set | documents | queries | pairs alone: each house | pairs united | pairs in one collection "
        "| answers equal | sentences with another answer | sources of sentences that only one collection finds "
        "| outcomes equal to those of one collection, home first | outcomes equal, home first and all asked |",
        "|---|" + "---:|" * 10,
    ]
    for one in figures["sets"]:
        alone = ", ".join(f"{n:,}" for n in one["alone"])
        lines.append(
            f"| {one['name']} | {one['documents']:,} | {one['n']:,} | {alone} | {one['united']:,} | "
            f"{one['one']:,} | {one['equal']:,} of {one['n']:,} | {one['other_sentences']:,} of {one['sentences']:,} | "
            f"{one['missing']:,} | {one['first']:,} of {one['n']:,} | {one['home_first']:,} of {one['n']:,} |"
        )
    names = " | ".join(one["name"] for one in figures["sets"])
    lines += ["", f"| answers that differ, and why | {names} |", "|---|" + "---:|" * len(figures["sets"])]
    for cause, words in (CAUSES | {UNEXPLAINED: "unexplained"}).items():
        lines.append(f"| {words} | {' | '.join(str(one['causes'][cause]) for one in figures['sets'])} |")
    return "\n".join(lines)
