"""How many hits are too many for chance? Theory beside measurement.

The paper calls the threshold of false rows an open question. Here rows are full (ε = 1 %, k = 3), and queries have
nothing in common with them. How often does a query of n hashes hit a row t times or more? The share of all rows and
queries is measured, and computed in three ways:

- exact: the tail of Bin(n, rate), averaged over the rates of the rows, as `pmbf.base.thresholds` computes it;
- Chernoff: exp(-n KL(t/n, rate)), the tightest bound of that kind;
- weak: exp(-n (t/n - rate)² / (2 (1 - rate))), a simpler bound that some programs use.

Drawn hashes show whether the theory holds. Hashes of texts show whether it is enough: phrases that all texts share hit
more often than ε says. So the measured background of a row is added to its rate. A last table compares the rows that
pass a query without a source with the number allowed (`windows`). pmbf itself weighs hits instead.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from experiments.paper.similarity import hits_per_row
from experiments.paper.texts import texts
from experiments.paper.windows import ROWS_OVER
from measure import report
from measure.plotting import COLOURS, GREY
from pmbf.base.params import Params, words_per_row
from pmbf.base.thresholds import tail, threshold
from pmbf.filter import PseudoMatrixBloomFilter, Tile
from pmbf.fingerprint import fingerprint, query_sample

PUBLISHED = {"remark": "the threshold is named as an open question; no figure"}
QUERY_HASHES = (24, 120, 1200)
CHANCES = (1e-2, 1e-3, 1e-4, 1e-5)
FALSE_ROWS = (10.0, 1.0, 0.1, 0.01)
N_PROBES = 64
PARAMS = Params(long_letters=0)
"""Shingles are words in a row, as in the paper."""
"""Texts that are in no row and are no query. They measure the background of a row."""

Hashes = NDArray[np.uint32]


@dataclass(frozen=True, slots=True)
class Size:
    """The numbers of rows, of queries and of documents a row; documents and queries have `n_words` words."""

    n_rows: int
    n_queries: int
    row_documents: int = 12
    n_words: int = 1000


SMALL, FULL = Size(64, 400), Size(512, 2000)


def run(size: Size, *, corpus: Path | None, seed: int) -> dict[str, Any]:
    """Return tails and thresholds, for drawn hashes and for texts, and the rows that pass a query."""
    params = PARAMS
    random = np.random.default_rng(seed)
    n_row_hashes = round(params.density * 6 * size.n_words * size.row_documents)
    drawn = _filled((random.integers(0, 2**32, n_row_hashes, np.uint32) for _ in range(size.n_rows)), n_row_hashes)
    asked = [random.integers(0, 2**32, max(QUERY_HASHES), np.uint32) for _ in range(size.n_queries)]
    results = [{"texts": "drawn hashes"} | _tails(drawn, asked, drawn.rates(), n) for n in QUERY_HASHES]
    tile, background, queries = _of_texts(size, corpus, seed)
    rates = 1 - (1 - tile.rates()) * (1 - background)
    n_longest = min(map(len, queries))
    sizes = [n for n in QUERY_HASHES if n < n_longest] + [n_longest]
    results += [{"texts": "texts"} | _tails(tile, queries, rates, n) for n in sizes]
    return {
        "params": asdict(params),
        "background": float(background.mean()),
        "rate": {"drawn hashes": float(drawn.rates().mean()), "texts": float(tile.rates().mean())},
        "results": results,
        "false_rows": _false_rows(tile, queries),
    }


def table(figures: dict[str, Any]) -> str:
    """Return the figures as Markdown tables: thresholds, then rows that pass."""
    n_rows, n_queries = figures["size"]["n_rows"], figures["size"]["n_queries"]
    titles = "| query | hashes | chance allowed | t: exact | Chernoff, weak form | expected at t | measured |"
    lines = [f"{n_rows} rows, {n_queries} queries; background {figures['background']:.3%}", "", *report.head(titles)]
    for one in figures["results"]:
        for at in one["thresholds"]:
            lines.append(
                f"| {one['texts']} | {one['n_hashes']} | {at['chance']:.0e} | {at['exact']} "
                f"| {at['chernoff']}, {at['weak']} | {at['expected']:.1e} | {at['measured']:.1e} |"
            )
    lines += ["", *report.head("| false rows allowed a query | by hashes, in windows | by common bits, whole |")]
    lines += [f"| {one['allowed']:g} | {one['hashes']:.3f} | {one['bits']:.3f} |" for one in figures["false_rows"]]
    return "\n".join(lines)


def plot(figures: dict[str, Any], axes: Any) -> None:
    """Draw the measured and the computed share of t hits or more, for queries of the middle size."""
    wanted = [one for one in figures["results"] if one["n_hashes"] == QUERY_HASHES[1]]
    for one, colour in zip(wanted, COLOURS[:2], strict=False):
        at = range(len(one["measured"]))
        axes.plot(at, one["measured"], "o", color=colour, label=f"{one['texts']}: measured")
        axes.plot(at, one["binomial"], color=colour, label=f"{one['texts']}: exact")
    for bound, line, suffix in (("chernoff", "--", ""), ("weak", ":", ", weak form")):
        axes.plot(
            range(len(wanted[0][bound])), wanted[0][bound], line, color=GREY, label=f"drawn hashes: Chernoff{suffix}"
        )
    title = f"t, of {QUERY_HASHES[1]} hashes of a query"
    axes.set_yscale("log", nonpositive="mask")
    axes.xaxis.get_major_locator().set_params(integer=True)
    axes.set(ylim=(1e-8, 2), xlabel=title, ylabel="share of rows hit t times or more")


def chernoff(n: int, rate: float, t: int) -> float:
    """Return Chernoff's bound on the chance of t hits or more, exp(-n KL(t/n, rate)).

    >>> chernoff(150, 0.01, 15) > tail(150, 0.01, 15)
    True
    """
    share = t / n
    if share <= rate:
        return 1.0
    divergence = share * math.log(share / rate)
    if share < 1:
        divergence += (1 - share) * math.log((1 - share) / (1 - rate))
    return math.exp(-n * divergence)


def weak_chernoff(n: int, rate: float, t: int) -> float:
    """Return the weak form of the bound, exp(-n (t/n - rate)² / (2 (1 - rate))).

    >>> round(math.log10(weak_chernoff(150, 0.01, 15)), 1)
    -0.3
    """
    return math.exp(-n * max(0.0, t / n - rate) ** 2 / (2 * (1 - rate)))


def _tails(tile: Tile, queries: list[Hashes], rates: NDArray[np.float64], n: int) -> dict[str, Any]:
    """Return the share of rows that the first n hashes hit t times or more, measured and computed, and thresholds."""
    hits = np.stack([hits_per_row(tile, query[:n]) for query in queries])
    rate = float(rates.mean())
    ts = range(min(n, threshold(n, rate, 1e-8)) + 1)
    counts = np.bincount(np.minimum(hits, len(ts)).ravel(), minlength=len(ts) + 1)
    measured = (counts[::-1].cumsum()[::-1] / hits.size)[: len(ts)]
    distinct, weights = np.unique(rates.round(6), return_counts=True)
    binomial = [float(np.average([tail(n, one, t) for one in distinct.tolist()], weights=weights)) for t in ts]
    limits = []
    for chance in CHANCES:
        t = threshold(n, rate, chance)
        bounds = {name: _first(bound, n, rate, chance) for name, bound in BOUNDS.items()}
        found = {"expected": binomial[t], "measured": float(measured[t])} if t < len(ts) else {}
        limits.append({"chance": chance, "exact": t} | bounds | found)
    curves = {name: [bound(n, rate, t) for t in ts] for name, bound in BOUNDS.items()}
    return {"n_hashes": n, "measured": measured.tolist(), "binomial": binomial, "thresholds": limits} | curves


BOUNDS = {"chernoff": chernoff, "weak": weak_chernoff}


def _first(bound: Any, n: int, rate: float, chance: float) -> int:
    """Return the first t whose bound is no more than a chance; n + 1 if there is none."""
    return next((t for t in range(n + 1) if bound(n, rate, t) <= chance), n + 1)


def _filled(rows: Iterator[Hashes], capacity: int) -> Tile:
    """Return a sealed tile of full rows."""
    params = PARAMS
    words = words_per_row(capacity, n_hashes=params.n_hashes, fpr=params.fpr)
    tile = Tile.new(words, n_hashes=params.n_hashes, fpr=params.fpr)
    for hashes in rows:
        tile.insert(tile.add_row(), hashes)
    tile.seal()
    return tile


def _of_texts(size: Size, corpus: Path | None, seed: int) -> tuple[Tile, NDArray[np.float64], list[Hashes]]:
    """Return rows of documents, the background of each row, and queries that share no text with them."""
    params, written = PARAMS, texts(corpus, seed)
    rows = []
    for _ in range(size.n_rows):
        documents = [
            fingerprint("".join(written.take(size.n_words)), params).distinct() for _ in range(size.row_documents)
        ]
        rows.append(np.concatenate(documents))
    tile = _filled(iter(rows), int(np.mean([len(hashes) for hashes in rows])))
    queries = [query_sample("".join(written.take(size.n_words)), params).hashes for _ in range(size.n_queries)]
    probes = [query_sample("".join(written.take(size.n_words)), params).hashes for _ in range(N_PROBES)]
    share = hits_per_row(tile, np.concatenate(probes)) / sum(map(len, probes))
    return tile, np.clip((share - tile.rates()) / (1 - tile.rates()), 0, None), queries


def _false_rows(tile: Tile, queries: list[Hashes]) -> list[dict[str, float]]:
    """Return for each allowed number of false rows the number of rows that pass a query."""
    matrix = PseudoMatrixBloomFilter({0: tile})
    found = []
    for allowed in FALSE_ROWS:
        one = {"allowed": allowed}
        for name, rows_over in ROWS_OVER.items():
            n_rows = sum(len(rows) for query in queries for _, rows in rows_over(matrix, query, false_rows=allowed))
            one[name] = n_rows / len(queries)
        found.append(one)
    return found
