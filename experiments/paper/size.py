"""How large is the pseudo-matrix beside a matrix of one document a row, and how much more must be compared in detail?

The paper has 14,428 documents of 38,000 words on average; 95 % have fewer than 123,000 words. It says that longer rows
pack better, and that they need more detailed comparisons. It gives no figures.

Here lengths are drawn from the log-normal distribution with that mean and that percentile. A word has six characters. A
document has one hash for 20 characters, in segments of 65,536 characters. The size does not depend on the values of the
hashes, so they are drawn at random. pmbf's own placer places them.

- pseudo-matrix: all rows, at k = 3 and ε = 1 % in a full row, `multi-row` and `single-row`;
- matrix, rows this long: rows of the same width, no row is shared; a document takes as many rows as it needs;
- matrix, one width for all: one row for each document; every row is wide enough for the longest document;
- resolved: other documents in the rows of a found document, and documents in a row that passes by chance. Exact hashes
  rule most of them out. The rest is compared in detail in vain.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from experiments.paper.texts import lengths
from measure import report
from measure.plotting import COLOURS, GREY, written_out
from pmbf.base.errors import ParameterError
from pmbf.base.params import Params, Placement, words_per_row
from pmbf.filter import CROWDED_RATE, Tile
from pmbf.rowindex import RowIndex
from pmbf.store.placing import Placer

PUBLISHED = {"documents": 14_428, "mean_words": 38_000, "words_of_95_percent": 123_000}
CHARS_PER_WORD = 6
COMMIT_DOCUMENTS = 500
ROW_CAPACITIES = (4_096, 8_192, 16_384, 32_768, 65_536, 131_072, 262_144)
PLACEMENTS: tuple[Placement, ...] = ("multi-row", "single-row")


@dataclass(frozen=True, slots=True)
class Size:
    """The number of documents, their mean length in words, and the lengths of rows in hashes."""

    n_documents: int
    mean_words: int = PUBLISHED["mean_words"]
    row_capacities: tuple[int, ...] = ROW_CAPACITIES


SMALL, FULL = Size(600), Size(PUBLISHED["documents"])


def run(size: Size, *, corpus: Path | None, seed: int) -> dict[str, Any]:
    """Return for each length of a row the bytes of the matrix and the documents resolved.

    Raises:
        ParameterError: A corpus is given. This experiment needs lengths only, and draws them.
    """
    if corpus is not None:
        raise ParameterError("this experiment draws lengths and needs no texts; leave out --corpus")
    n_chars = [CHARS_PER_WORD * n_words for n_words in lengths(size.n_documents, size.mean_words, seed)]
    documents = [part_sizes(n, Params()) for n in n_chars]
    n_hashes = np.array([sum(parts) for parts in documents])
    results = []
    for capacity in size.row_capacities:
        params = replace(Params(), row_capacity=capacity)
        one: dict[str, Any] = {"row_capacity": capacity, "row_bytes": _row_bytes(capacity, params)}
        one["matrix_bytes"] = int((-(-n_hashes // capacity)).sum()) * one["row_bytes"]
        one |= {placement: packed(documents, replace(params, placement=placement), seed) for placement in PLACEMENTS}
        results.append(one)
    return {
        "params": asdict(Params()),
        "n_hashes": int(n_hashes.sum()),
        "longest": int(n_hashes.max()),
        "percentile_95_words": float(np.percentile(n_chars, 95)) / CHARS_PER_WORD,
        "full_bytes": _row_bytes(int(n_hashes.sum()), Params()),
        "matrix_bytes": size.n_documents * _row_bytes(int(n_hashes.max()), Params()),
        "results": results,
    }


def table(figures: dict[str, Any]) -> str:
    """Return the figures as a Markdown table."""
    mean = figures["n_hashes"] / figures["size"]["n_documents"]
    lines = [
        f"{figures['size']['n_documents']} documents, {mean:.0f} hashes on average, {figures['longest']} at most; 95 % "
        f"below {figures['percentile_95_words']:.0f} words. In full rows: {report.size(figures['full_bytes'])}; "
        f"matrix, one width for all: {report.size(figures['matrix_bytes'])}.",
        "",
        *report.head(
            "| hashes a row | matrix, rows this long | multi-row | fill | resolved: found, by chance "
            "| single-row | over-full rows | resolved: found, by chance |"
        ),
    ]
    for one in figures["results"]:
        split, whole = one["multi-row"], one["single-row"]
        lines.append(
            f"| {one['row_capacity']} | {report.size(one['matrix_bytes'])} | {report.size(split['n_bytes'])} "
            f"| {split['fill']:.0%} | {split['others']:.1f}, {split['per_row']:.1f} "
            f"| {report.size(whole['n_bytes'])} | {whole['crowded']:.0%} "
            f"| {whole['others']:.1f}, {whole['per_row']:.1f} |"
        )
    return "\n".join(lines)


def plot(figures: dict[str, Any], axes: Any) -> None:
    """Draw the bytes and the documents resolved over the length of a row."""
    at = [one["row_capacity"] for one in figures["results"]]
    matrix = [one["matrix_bytes"] / 1e6 for one in figures["results"]]
    packed = [one["multi-row"]["n_bytes"] / 1e6 for one in figures["results"]]
    axes.plot(at, matrix, "s--", color=COLOURS[1], label="matrix, rows this long")
    axes.plot(at, packed, "o-", color=COLOURS[0], label="pseudo-matrix")
    axes.axhline(figures["full_bytes"] / 1e6, color=GREY, linestyle=":", label="all rows full")
    axes.set(xscale="log", yscale="log", xlabel="hashes a row holds", ylabel="size, MB")
    others = axes.twinx()
    resolved = [one["multi-row"]["others"] for one in figures["results"]]
    others.plot(at, resolved, "^-", color=COLOURS[3], label="documents to resolve")
    others.set(yscale="log", ylabel="other documents to resolve")
    others.grid(visible=False)
    others.spines["right"].set_visible(True)
    for axis in (axes.xaxis, axes.yaxis, others.yaxis):
        axis.set_minor_formatter("")
    written_out(axes.xaxis, axes.yaxis, others.yaxis)


def part_sizes(n_chars: int, params: Params) -> list[int]:
    """Return the number of hashes of each segment of a text.

    >>> part_sizes(140_000, Params())
    [3277, 3724]
    """
    whole, rest = divmod(n_chars, params.segment_chars)
    segments = [params.segment_chars] * whole
    if whole and 4 * rest < params.segment_chars:
        segments[-1] += rest
    elif rest:
        segments.append(rest)
    return [max(params.min_hashes, int(np.ceil(params.density * segment))) for segment in segments]


def packed(documents: list[list[int]], params: Params, seed: int) -> dict[str, float]:
    """Return the rows that documents of random hashes take, and the number of documents that share them."""
    placer, done, rows = Placer(params, {}, RowIndex(), next_tile=0, mean_hashes=0.0), dict[int, Tile](), RowIndex()
    for number, (hashes, bounds) in enumerate(_drawn(documents, seed)):
        placer.place(number, hashes, bounds)
        if number % COMMIT_DOCUMENTS == COMMIT_DOCUMENTS - 1 or number == len(documents) - 1:
            placer.fill_rows()
            for changed in placer.changed:
                done[changed] = placer.tiles[changed]
                rows.put_tile(changed, placer.rows.tile_arrays(changed))
            placer.forget_changes()
    rates = np.concatenate([tile.rates() for tile in done.values()])
    return {
        "n_rows": len(rates),
        "n_bytes": sum(tile.n_rows * tile.row_bits // 8 for tile in done.values()),
        "fill": float(sum(map(sum, documents)) / sum(tile.n_rows * tile.capacity for tile in done.values())),
        "crowded": float(np.mean(rates > CROWDED_RATE)),
        "per_row": len(rows) / len(rates),
        "others": _others(rows, len(documents)),
    }


def _others(rows: RowIndex, n_documents: int) -> float:
    """Return the mean number of other documents in the rows of a document."""
    neighbours: list[set[int]] = [set() for _ in range(n_documents)]
    for tile in rows.tiles():
        entries = rows.tile_arrays(tile)
        for some in np.split(entries[:, 1], np.flatnonzero(np.diff(entries[:, 0])) + 1):
            for document in some.tolist():
                neighbours[document].update(some.tolist())
    return float(np.mean([len(some) - 1 for some in neighbours]))


def _drawn(documents: list[list[int]], seed: int) -> Iterator[tuple[NDArray[np.uint32], list[int]]]:
    random = np.random.default_rng(seed)
    for parts in documents:
        bounds = [0, *np.cumsum(parts).tolist()]
        yield random.integers(0, 2**32, bounds[-1], np.uint32), bounds


def _row_bytes(capacity: int, params: Params) -> int:
    return 8 * words_per_row(capacity, n_hashes=params.n_hashes, fpr=params.fpr)
