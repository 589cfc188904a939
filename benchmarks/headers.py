"""A header that all documents share, as forms, mails and theses have: what it costs a query among more and more.

Documents are 200 words drawn by chance, below a header of 300 words. Asked are texts of words alone, the header above
new words, documents that are there, and the header alone. Times are CPU time of one thread.
"""

from __future__ import annotations

import argparse
import random
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from benchmarks import arguments
from measure import report
from measure.commands import add_numbers, positive
from measure.process import alone
from measure.timing import asked, p50_p99
from pmbf import Collection

Figures = dict[str, Any]

DOCUMENTS = (10_000, 40_000)
BODY_WORDS, HEADER_WORDS, VOCABULARY = 200, 300, 30_000
QUERIES = {"plain": "no header", "new": "header, new body", "own": "header, a document's body", "alone": "header alone"}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the benchmark."""
    sizes = "numbers of documents"
    parser.add_argument(
        "--documents", nargs="+", dest="sizes", type=positive, default=DOCUMENTS, metavar="N", help=sizes
    )
    add_numbers(parser, n_queries=(100, "texts of a kind"))


def run(sizes: Sequence[int], *, n_queries: int) -> Figures:
    """Return the figures of collections of several sizes.

    Args:
        sizes: Numbers of documents.
        n_queries: Texts of each kind that are asked.
    """
    results = []
    for n_documents in sizes:
        with tempfile.TemporaryDirectory() as place:
            given: Figures = {"place": place, "n_documents": n_documents, "n_queries": n_queries}
            one: Figures = {"name": f"{n_documents:,} documents"} | alone("benchmarks.headers:ask", **given)
        results.append(one)
        arguments.show(one)
    return {"results": results}


def ask(place: str, n_documents: int, n_queries: int) -> Figures:
    """Make a collection and ask it. Call it in a process of its own."""
    texts = bodies()
    header = " ".join(next(texts).split() + next(texts).split()[: HEADER_WORDS - BODY_WORDS])
    known = [next(texts) for _ in range(n_documents)]
    new = [next(texts) for _ in range(n_queries)]
    queries = {
        "plain": new,
        "new": [f"{header} {body}" for body in new],
        "own": [f"{header} {body}" for body in known[:: max(1, n_documents // n_queries)][:n_queries]],
        "alone": [header] * n_queries,
    }
    with Collection(Path(place) / "forms.pmbf", create=True) as collection:
        collection.add_many((f"{number}", f"{header} {body}") for number, body in enumerate(known))
        figures: Figures = {}
        for name, some in queries.items():
            reports, seconds = asked(collection.screen, some)
            p50, p99 = p50_p99(seconds)
            n_found = sum(bool(one.found) for one in reports)
            figures[name] = {"p50_s": p50, "p99_s": p99, "n_found": n_found, "n_asked": len(some)}
    return figures


def bodies() -> Iterator[str]:
    """Yield texts of words drawn by chance, always the same ones.

    >>> len(next(bodies()).split())
    200
    """
    chosen = random.Random(5)
    letters = "abcdefghijklmnopqrstuvwxyz"
    words = ["".join(chosen.choices(letters, k=chosen.randint(3, 9))) for _ in range(VOCABULARY)]
    while True:
        yield " ".join(chosen.choices(words, k=BODY_WORDS))


def table(figures: Figures) -> str:
    """Return the figures as a Markdown table: median / p99, and texts with sources of those asked."""
    lines = [report.line(figures["about"]), "", *report.head("| | " + " | ".join(QUERIES.values()) + " |")]
    for one in figures["results"]:
        cells = (
            f"{report.time(some['p50_s'])} / {report.time(some['p99_s'])}, {some['n_found']} of {some['n_asked']}"
            for some in (one[name] for name in QUERIES if name in one)
        )
        lines.append(f"| {one['name']} | " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"
