"""How often is a passage wrong that is called sure, likely or worth a look?

A collection is screened with texts that nothing was chosen by, or with one half of them. Each passage is judged:

- by a file of judgements: a person read the passages and noted the wrong ones; all others are right. A passage is wrong
  if both sides say the same thing, or name the same people and offices, and neither took its wording from the other nor
  both from a third text. A form filled in twice is right. What is in doubt is wrong.
- by the cases of a corpus of PAN: a passage that overlaps a case in both texts is right. Of a pair that the corpus
  lists, every other passage is wrong; passages of other pairs are not counted, since nobody knows.

The same passage counts once, whichever of the two texts is the query, and however many copies of either there are.
"""

from __future__ import annotations

import argparse
import json
import random
import tempfile
import zlib
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from experiments.pan.corpus import Corpus
from measure import report
from measure.commands import add_numbers, positive
from measure.corpora import described, read
from pmbf.base.span import Span, meets
from pmbf.collection import Collection
from pmbf.report import CERTAINTIES, Passage

KINDS = {"verbatim": "exact", "edited": "exact", "reworded": "loose", "summary": "loose"}
SAME_CHARS = 60
"""Passages are the same if both sides begin with the same 60 characters."""

Judge = Callable[[str, str, Passage], bool | None]
"""Returns whether a passage of a query and a source is wrong; None if nobody knows."""


@dataclass(frozen=True, slots=True)
class Judged:
    """Texts to screen, and who judges what is found.

    Args:
        sources: The texts of the collection by name.
        queries: The texts to screen by name. A text is never compared with the source of its own name.
        judge: Who says what is wrong.
    """

    sources: Mapping[str, str]
    queries: Mapping[str, str]
    judge: Judge


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the experiment to a parser."""
    parser.add_argument("folder", type=Path, help="folder of the texts to screen, or a corpus of PAN")
    parser.add_argument("--sources", type=Path, help="folder of the collection's texts (default: the same folder)")
    how = parser.add_mutually_exclusive_group(required=True)
    how.add_argument("--judgements", type=Path, help="JSON file with the wrong passages")
    how.add_argument("--pan", type=positive, metavar="N", help="screen N suspicious documents; the cases judge")
    add_numbers(parser, seed=(2, "seed of the choice of suspicious documents"))


def run(
    folder: Path,
    *,
    sources: Path | None = None,
    judgements: Path | None = None,
    pan: int | None = None,
    seed: int = 2,
) -> dict[str, Any]:
    """Screen, and return the figures.

    Args:
        folder: Folder of the texts to screen, `.txt` files; or a corpus of PAN, whose sources are the collection.
        sources: Folder of the texts of the collection; None for the same.
        judgements: JSON file with the wrong passages; maybe with the number of queries and the seed of their choice.
        pan: Number of suspicious documents of a corpus of PAN, drawn by chance; its cases judge.
        seed: Seed of this draw.
    """
    if pan:
        corpus = Corpus.at(folder)
        names = random.Random(seed).sample(sorted(corpus.suspicious), pan)
        known = {name: read(path) for name, path in corpus.sources.items()}
        judged = Judged(known, {name: read(corpus.suspicious[name]) for name in names}, by_cases(corpus))
    else:
        assert judgements
        noted = json.loads(judgements.read_text(encoding="utf-8"))
        asked = _texts(folder)
        names = sorted(asked)
        if "queries" in noted:
            names = random.Random(noted["seed"]).sample(names, noted["queries"])
        judged = Judged(_texts(sources or folder), {name: asked[name] for name in names}, by_person(noted["wrong"]))
    sizes = {"sources": len(judged.sources), "queries": len(judged.queries)}
    return {"corpus": described(folder), **sizes, "counts": counts(judged)}


def by_person(wrong: Mapping[str, list[list[Any]]]) -> Judge:
    """Return the judge who finds a passage wrong if it overlaps one of these of its sort, either way round.

    Args:
        wrong: By sort, names of query and source, start and stop in the query, start and stop in the source.
    """
    spans: dict[tuple[str, str, str], list[tuple[Span, Span]]] = {}
    for sort, noted in wrong.items():
        for one, other, start, stop, start_there, stop_there in noted:
            here, there = Span(start, stop), Span(start_there, stop_there)
            spans.setdefault((sort, one, other), []).append((here, there))
            spans.setdefault((sort, other, one), []).append((there, here))
    return lambda query, source, passage: any(
        meets(passage.query, here) and meets(passage.source, there)
        for here, there in spans.get((KINDS[passage.kind], query, source), ())
    )


def by_cases(corpus: Corpus) -> Judge:
    """Return the judge who goes by the cases of a corpus."""
    cases: dict[tuple[str, str], list[tuple[Span, Span]]] = {}
    for case in corpus.cases:
        cases.setdefault((case.suspicious, case.source), []).append(case.spans)

    def judge(query: str, source: str, passage: Passage) -> bool | None:
        if any(meets(passage.query, one) and meets(passage.source, two) for one, two in cases.get((query, source), ())):
            return False
        return True if corpus.pairs is None or (query, source) in corpus.pairs else None

    return judge


def passages_of(judged: Judged) -> Iterator[tuple[str, Passage, bool]]:
    """Yield each passage that is found, once, with the name of its query, and whether it is wrong."""
    seen = set()
    with tempfile.TemporaryDirectory() as scratch, Collection(Path(scratch) / "c.pmbf", create=True) as collection:
        collection.add_many(judged.sources.items())
        for name, text in judged.queries.items():
            for match in collection.screen(text, name=name).matches:
                source = match.document.path
                for passage in match.passages if name not in match.document.paths else ():
                    sides = (text[passage.query.start :], judged.sources[source][passage.source.start :])
                    both = frozenset(side[:SAME_CHARS] for side in sides)
                    wrong = judged.judge(name, source, passage)
                    if both not in seen and wrong is not None:
                        seen.add(both)
                        yield name, passage, wrong


def counts(judged: Judged) -> list[dict[str, Any]]:
    """Return the number of passages, and of wrong ones, for each half of the queries, sort of passage and certainty."""
    n_all: Counter[tuple[str, str, str]] = Counter()
    n_wrong: Counter[tuple[str, str, str]] = Counter()
    for name, passage, wrong in passages_of(judged):
        cell = half_of(name), KINDS[passage.kind], passage.certainty or ""
        n_all[cell] += 1
        n_wrong[cell] += wrong
    return [
        {"half": half, "sort": sort, "certainty": word}
        | {"passages": n_all[half, sort, word], "wrong": n_wrong[half, sort, word]}
        for half in ("first", "second")
        for sort in ("exact", "loose")
        for word in CERTAINTIES
    ]


def half_of(name: str) -> str:
    """Return the half of the queries that a text is in, by its name alone.

    >>> half_of("t1"), half_of("t4")
    ('second', 'first')
    """
    return "second" if zlib.crc32(name.encode()) % 2 else "first"


def _texts(folder: Path) -> dict[str, str]:
    return {path.stem: read(path) for path in sorted(folder.glob("*.txt"))}


def table(figures: dict[str, Any]) -> str:
    """Return the figures as a Markdown table."""
    lines = report.head("| half | passages | certainty | found | wrong |")
    lines += [f"| {' | '.join(str(value) for value in one.values())} |" for one in figures["counts"]]
    return "\n".join(lines)
