"""How does similarity grow with the copied share? 50 sources, each inserted into documents of 4,000 words.

The paper has 500 documents of about 4,000 words. Each holds one passage of one of 50 sources, at a random place. Each
document has a row of its own, because equal lengths cannot be packed. Every source is compared with every row: the ones
in equal positions are counted. The paper concludes that documents with 5 % and more of copied text are found.

Here the passage is 1 to 50 % of the document. Each share has a tenth of the documents. The same rows give two
similarities:

- hashes: the source's hashes whose k bits are all set in the row, over the hashes of the document;
- bits: the ones that the row and the source's own row have in common, over the ones of the row (the paper's measure).

A document is found if its row is above chance by exact binomial tails (`windows`). One row a query may pass by chance.
pmbf itself weighs hits instead. A line below the table counts the rows of unrelated documents that pass. Phrases that
all texts share let more rows pass by hashes than by bits. So hashes are also measured with a stricter allowance:
`equal` has the first of `STRICTER` that lets no more unrelated rows pass than bits do. z is the distance between the
mean and the mean of unrelated rows, in standard deviations of unrelated rows.
"""

from __future__ import annotations

import random
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from experiments.paper.texts import texts
from experiments.paper.windows import ROWS_OVER, hits_of_rows
from measure import report
from measure.plotting import COLOURS, GREY
from pmbf.base.errors import ParameterError
from pmbf.base.params import Params, words_per_row
from pmbf.filter import ROWS_PER_TILE, PseudoMatrixBloomFilter, Tile
from pmbf.fingerprint import fingerprint, query_sample

Hashes = NDArray[np.uint32]
PUBLISHED = {"documents": 500, "sources": 50, "words": 4000, "found_from_percent": 5}
SHARES = (0.01, 0.02, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.4, 0.5)
FALSE_ROWS = 1.0
STRICTER = (1.0, 1e-1, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8)
"""False rows allowed for each query by hashes, from the usual allowance to the strictest."""


@dataclass(frozen=True, slots=True)
class Size:
    """Sources. Each is inserted once at each share, into documents of its own length."""

    n_sources: int
    n_words: int = PUBLISHED["words"]


SMALL, FULL = Size(20), Size(PUBLISHED["sources"])


def run(size: Size, *, corpus: Path | None, seed: int) -> dict[str, Any]:
    """Return both similarities at each share, and the share of documents found.

    Raises:
        ParameterError: There are more documents than rows in a tile, or the corpus is too small.
    """
    if size.n_sources * len(SHARES) > ROWS_PER_TILE:
        raise ParameterError(f"{size.n_sources} sources make more than {ROWS_PER_TILE} documents; take fewer")
    params = Params(long_letters=0)  # words in a row, as in the paper
    sources, documents, owners = _written(size, corpus, seed)
    tile, n_hashes = _one_a_row(documents, params)
    matrix = PseudoMatrixBloomFilter({0: tile})
    values = {name: np.empty((len(sources), len(documents))) for name in ROWS_OVER}
    samples = [query_sample(source, params).hashes for source in sources]
    for number, hashes in enumerate(samples):
        values["hashes"][number] = hits_per_row(tile, np.unique(hashes)) / n_hashes
        values["bits"][number] = tile.common_bits(hashes) / tile.popcounts
    passed = {name: _passed(matrix, samples, name, FALSE_ROWS) for name in ROWS_OVER}
    related = np.arange(len(sources))[:, None] == owners
    return {
        "params": asdict(params),
        "false_rows": FALSE_ROWS,
        "row_bits": tile.row_bits,
        "unrelated": {name: _spread(values[name][~related]) for name in ROWS_OVER},
        "unrelated_rows": {name: _false_rows(passed[name], related) for name in ROWS_OVER},
        "equal": _at_equal_rows(matrix, samples, related, passed["bits"]),
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
            for name in ROWS_OVER
        ]
        lines.append(f"| {one['share']:.0%} | {' | '.join(cells)} |")
    cells = [
        f"{_range(figures['unrelated'][name])} | | {figures['unrelated_rows'][name]:.2f} rows a source"
        for name in ROWS_OVER
    ]
    lines.append(f"| nothing | {' | '.join(cells)} |")
    return "\n".join([*lines, "", *_equal_table(figures)])


def _equal_table(figures: dict[str, Any]) -> list[str]:
    """Return a table of the documents found by hashes and by bits at equal numbers of false rows."""
    n_sources, equal = figures["size"]["n_sources"], figures["equal"]
    shares = [one["share"] for one in figures["results"]]
    lines = report.head(
        f"| counted | false rows a source: allowed | passed | {' | '.join(f'{share:.0%}' for share in shares)} |"
    )
    found = {"bits": [one["bits"]["found"] for one in figures["results"]], "hashes": equal["found"]}
    allowed = {"bits": figures["false_rows"], "hashes": equal["allowed"]}
    rows = {"bits": figures["unrelated_rows"]["bits"], "hashes": equal["rows"]}
    for name, some in found.items():
        cells = " | ".join(f"{round(share * n_sources)}" for share in some)
        lines.append(f"| {name} | {allowed[name]:g} | {rows[name]:.2f} | {cells} |")
    return lines


def plot(figures: dict[str, Any], axes: Any) -> None:
    """Draw both similarities over the inserted share, with their middle 90 %, and those of unrelated documents."""
    shares = [100 * one["share"] for one in figures["results"]]
    for name, colour in zip(ROWS_OVER, COLOURS[:2], strict=True):
        low, mean, high = ([100 * one[name][key] for one in figures["results"]] for key in ("low", "mean", "high"))
        axes.plot(shares, mean, "o-", color=colour, label=name)
        axes.fill_between(shares, low, high, color=colour, alpha=0.2)
        axes.axhline(100 * figures["unrelated"][name]["mean"], color=colour, linestyle=":")
    axes.plot([0, 50], [0, 50], color=GREY, linewidth=0.8, label="the inserted share itself")
    axes.set(xlabel="inserted share of the document, % of its words", ylabel="similarity, % (dotted: unrelated)")


def hits_per_row(tile: Tile, hashes: Hashes) -> NDArray[np.int64]:
    """Return for each row how many of the hashes hit it, `(n_rows,) int64`."""
    return np.asarray(hits_of_rows(tile, hashes).sum(axis=0, dtype=np.int64))


def _written(size: Size, corpus: Path | None, seed: int) -> tuple[list[str], list[str], NDArray[np.intp]]:
    """Return the sources, the documents ordered by share, and the source of each document's passage."""
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
    """Return a tile with one document a row, wide enough for the longest, and the hashes of each document."""
    hashes = [fingerprint(text, params).distinct() for text in documents]
    words = words_per_row(max(map(len, hashes)), n_hashes=params.n_hashes, fpr=params.fpr)
    tile = Tile.new(words, n_hashes=params.n_hashes, fpr=params.fpr)
    for some in hashes:
        tile.insert(tile.add_row(), some)
    tile.seal()
    return tile, np.array([len(some) for some in hashes])


def _passed(matrix: PseudoMatrixBloomFilter, samples: list[Hashes], name: str, false_rows: float) -> NDArray[np.bool_]:
    """Return for each source which rows pass, `(n_sources, n_rows) bool`."""
    passed = np.zeros((len(samples), matrix.n_rows), np.bool_)
    for number, hashes in enumerate(samples):
        for _, rows in ROWS_OVER[name](matrix, hashes, false_rows=false_rows):
            passed[number, rows] = True
    return passed


def _false_rows(passed: NDArray[np.bool_], related: NDArray[np.bool_]) -> float:
    """Return the mean number of unrelated documents whose rows pass for a source."""
    return float(passed[~related].sum() / len(related))


def _at_equal_rows(
    matrix: PseudoMatrixBloomFilter, samples: list[Hashes], related: NDArray[np.bool_], by_bits: NDArray[np.bool_]
) -> dict[str, Any]:
    """Return what hashes find with the first of `STRICTER` that lets no more unrelated rows pass than bits do."""
    most = _false_rows(by_bits, related)
    for allowed in STRICTER:
        passed = _passed(matrix, samples, "hashes", allowed)
        if _false_rows(passed, related) <= most:
            break
    found = [float(passed[_of_share(number, related)].mean()) for number in range(len(SHARES))]
    return {"allowed": allowed, "rows": _false_rows(passed, related), "found": found}


def _of_share(number: int, related: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return the pairs of a source and its document of one share."""
    here, n_sources = related.copy(), len(related)
    here[:, : number * n_sources] = here[:, (number + 1) * n_sources :] = False
    return here


def _at_share(
    number: int,
    values: dict[str, NDArray[np.float64]],
    passed: dict[str, NDArray[np.bool_]],
    related: NDArray[np.bool_],
) -> dict[str, Any]:
    here = _of_share(number, related)
    one: dict[str, Any] = {"share": SHARES[number]}
    for name in ROWS_OVER:
        others = values[name][~related]
        z = (values[name][here].mean() - others.mean()) / max(others.std(), np.finfo(float).tiny)
        one[name] = _spread(values[name][here]) | {"z": float(z), "found": float(passed[name][here].mean())}
    return one


def _spread(values: NDArray[np.float64]) -> dict[str, float]:
    low, high = np.percentile(values, [5, 95]).tolist()
    return {"mean": float(values.mean()), "low": low, "high": high}


def _range(spread: dict[str, float]) -> str:
    return f"{spread['mean']:.1%} ({100 * spread['low']:.1f}-{100 * spread['high']:.1f})"
