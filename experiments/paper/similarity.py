"""How does similarity grow with the share that was copied? 50 sources, each inserted into documents of 4,000 words.

The paper: 500 documents of about 4,000 words, each with one passage of one of 50 sources at a place drawn by chance;
all lie in rows of their own, since equal lengths cannot be packed; every source is compared with every row by the ones
in equal positions. It concludes that documents with 5 % and more of copied text are found. Here the passage is 1 to
50 % of the document, a tenth of the documents at each share, and two similarities are taken from the same rows:

- hashes: the source's hashes whose k bits are all set in the row, by the hashes of the document;
- bits: the ones that the row has in common with the source as a row, by the ones of the row (the paper's).

Found: documents whose row is above chance by exact thresholds (counting.py), one row by chance in a query allowed;
below, how many rows of unrelated documents pass. z: how many standard deviations of unrelated rows the mean lies above
theirs.
"""

from __future__ import annotations

import random
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks import report
from experiments.paper.counting import rows_over
from experiments.paper.texts import texts
from experiments.paper.windows import windows
from pmbf.errors import ParameterError
from pmbf.filter import ROWS_PER_TILE, PseudoMatrixBloomFilter, Tile
from pmbf.fingerprint import fingerprint, query_sample
from pmbf.params import Params, words_per_row

PUBLISHED = {"documents": 500, "sources": 50, "words": 4000, "found_from_percent": 5}
SHARES = (0.01, 0.02, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.4, 0.5)
FALSE_ROWS = 1.0
METHODS = {"hashes": "hashes", "bits": "popcount"}


@dataclass(frozen=True, slots=True)
class Size:
    """Sources, each inserted once at each share, into documents as long as themselves."""

    n_sources: int
    n_words: int = PUBLISHED["words"]


SMALL, FULL = Size(20), Size(PUBLISHED["sources"])


def run(size: Size, *, corpus: Path | None, seed: int) -> dict[str, Any]:
    """Return both similarities at each share, and what is found.

    Raises:
        ParameterError: There are more documents than rows in a tile, or the corpus is too small.
    """
    if size.n_sources * len(SHARES) > ROWS_PER_TILE:
        raise ParameterError(f"{size.n_sources} sources make more than {ROWS_PER_TILE} documents; take fewer")
    params = Params()
    sources, documents, owners = _written(size, corpus, seed)
    tile, n_hashes = _one_a_row(documents, params)
    matrix = PseudoMatrixBloomFilter({0: tile})
    values = {name: np.empty((len(sources), len(documents))) for name in METHODS}
    passed = {name: np.zeros((len(sources), len(documents)), np.bool_) for name in METHODS}
    for number, source in enumerate(sources):
        hashes = query_sample(source, params).hashes
        values["hashes"][number] = hits_per_row(tile, np.unique(hashes)) / n_hashes
        values["bits"][number] = tile.common_bits(hashes) / tile.popcounts
        for name, method in METHODS.items():
            over = rows_over(matrix, hashes, windows(len(hashes)), false_rows=FALSE_ROWS, method=method)
            passed[name][number, np.concatenate([rows for _, rows in over])] = True
    related = np.arange(len(sources))[:, None] == owners
    return {
        "params": asdict(params),
        "false_rows": FALSE_ROWS,
        "row_bits": tile.row_bits,
        "unrelated": {name: _spread(values[name][~related]) for name in METHODS},
        "unrelated_rows": {name: float(passed[name][~related].sum() / len(sources)) for name in METHODS},
        "results": [_at_share(number, values, passed, related) for number in range(len(SHARES))],
    }


def table(figures: dict[str, Any]) -> str:
    """Return the figures as a Markdown table."""
    n_sources = figures["size"]["n_sources"]
    lines = report.head(
        "| inserted | hashes: mean (5-95 %) | z | found | bits: mean (5-95 %) | z | found |",
    )
    for one in figures["results"]:
        cells = [
            f"{_range(one[name])} | {one[name]['z']:.1f} | {round(one[name]['found'] * n_sources)} of {n_sources}"
            for name in METHODS
        ]
        lines.append(f"| {one['share']:.0%} | {' | '.join(cells)} |")
    cells = [
        f"{_range(figures['unrelated'][name])} | | {figures['unrelated_rows'][name]:.2f} rows a source"
        for name in METHODS
    ]
    lines.append(f"| nothing | {' | '.join(cells)} |")
    return "\n".join(lines)


def plot(figures: dict[str, Any], axes: Any) -> None:
    """Draw both similarities by the inserted share, with the middle nine tenths, and those of unrelated documents."""
    shares = [100 * one["share"] for one in figures["results"]]
    for name, colour in zip(METHODS, ("tab:blue", "tab:orange"), strict=True):
        low, mean, high = ([100 * one[name][key] for one in figures["results"]] for key in ("low", "mean", "high"))
        axes.plot(shares, mean, "o-", color=colour, label=name)
        axes.fill_between(shares, low, high, color=colour, alpha=0.2)
        axes.axhline(100 * figures["unrelated"][name]["mean"], color=colour, linestyle=":")
    axes.plot([0, 50], [0, 50], color="0.5", linewidth=0.8, label="the inserted share itself")
    axes.set(xlabel="inserted share of the document, % of its words", ylabel="similarity, % (dotted: unrelated)")


def hits_per_row(tile: Tile, hashes: NDArray[np.uint32]) -> NDArray[np.int64]:
    """Return how many of some hashes hit each row, `(n_rows,) int64`."""
    bits = np.unpackbits(tile.hits(hashes).view(np.uint8), axis=1, bitorder="little")
    return np.asarray(bits[:, : tile.n_rows].sum(axis=0, dtype=np.int64))


def _written(size: Size, corpus: Path | None, seed: int) -> tuple[list[str], list[str], NDArray[np.intp]]:
    """Return the sources, the documents share by share, and whose passage each has."""
    written, chosen = texts(corpus, seed), random.Random(seed)
    sources = [written.take(size.n_words) for _ in range(size.n_sources)]
    documents = []
    for share in SHARES:
        for source in sources:
            n_copied = round(share * size.n_words)
            start, own = chosen.randrange(size.n_words - n_copied + 1), written.take(size.n_words - n_copied)
            at = chosen.randrange(len(own) + 1)
            documents.append("".join(own[:at] + source[start : start + n_copied] + own[at:]))
    owners = np.tile(np.arange(size.n_sources), len(SHARES))
    return ["".join(source) for source in sources], documents, owners


def _one_a_row(documents: list[str], params: Params) -> tuple[Tile, NDArray[np.int64]]:
    """Return a tile with one document a row, wide enough for the longest, and how many hashes each has."""
    hashes = [fingerprint(text, params).distinct() for text in documents]
    words = words_per_row(max(map(len, hashes)), n_hashes=params.n_hashes, fpr=params.fpr)
    tile = Tile.new(words, n_hashes=params.n_hashes, fpr=params.fpr)
    for some in hashes:
        tile.insert(tile.add_row(), some)
    tile.seal()
    return tile, np.array([len(some) for some in hashes])


def _at_share(
    number: int,
    values: dict[str, NDArray[np.float64]],
    passed: dict[str, NDArray[np.bool_]],
    related: NDArray[np.bool_],
) -> dict[str, Any]:
    n_sources = len(related)
    here = related.copy()
    here[:, : number * n_sources] = here[:, (number + 1) * n_sources :] = False
    one: dict[str, Any] = {"share": SHARES[number]}
    for name in METHODS:
        others = values[name][~related]
        z = (values[name][here].mean() - others.mean()) / max(others.std(), np.finfo(float).tiny)
        one[name] = _spread(values[name][here]) | {"z": float(z), "found": float(passed[name][here].mean())}
    return one


def _spread(values: NDArray[np.float64]) -> dict[str, float]:
    low, high = np.percentile(values, [5, 95]).tolist()
    return {"mean": float(values.mean()), "low": low, "high": high}


def _range(spread: dict[str, float]) -> str:
    return f"{spread['mean']:.1%} ({100 * spread['low']:.1f}-{100 * spread['high']:.1f})"
