"""What the width of a chunk ID costs: similarities by IDs of some bits beside those by exact numbers of the chunks.

Exact numbers come from 64 bits of each chunk: two of some ten million chunks have equal ones once in 300,000 corpora.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from experiments.arguments import write_figures
from measure import report
from measure.corpora import described
from pmbf import kernels
from pmbf.arrays import distinct
from pmbf.kernels import Lists
from pmbf.sharing import Ranked, highest_of_all
from pmbf.similar.rules import Rules

OFF = 0.01
"""A similarity that differs by more is off."""


@dataclass(frozen=True, slots=True)
class Width:
    """How the rows by IDs of some bits differ from exact ones.

    Args:
        bits: Of an ID.
        load: Chunks of all documents / possible IDs.
        n_rows: Rows of the table.
        mean, most: Difference of a similarity, in rows that both tables have.
        off: Share of these rows whose similarity differs by more than 1 %.
        foreign: Share of the rows that the exact table does not have.
        foreign_high: Share of the rows that the exact table does not have, and that have a similarity of 5 % or more.
    """

    bits: int
    load: float
    n_rows: int
    mean: float
    most: float
    off: float
    foreign: float
    foreign_high: float


def run(folder: Path, widths: Sequence[int], out: Path | None = None) -> str:
    """Compare widths on a folder of `.txt` files, and return the table in Markdown.

    Args:
        folder: Searched recursively.
        widths: Bits, 20 to 32 each.
        out: JSON file to write.
    """
    rules = Rules()
    texts = [path.read_bytes() for path in sorted(folder.rglob("*.txt"))]
    exact = exact_lists(texts, rules.n_words)
    sizes, expected = exact.sizes, _rows(exact, rules)
    found = []
    for bits in widths:
        lists = kernels.chunk_lists(texts, n_words=rules.n_words, bits=bits)
        found.append(compared(bits, len(lists.features) / 2**bits, expected, sizes, _rows(lists, rules), lists.sizes))
    figures = {"about": report.about(), "corpus": described(folder), "n_chunks": int(sizes.sum())}
    figures |= {"n_rows": len(expected.documents), "widths": [asdict(one) for one in found]}
    write_figures(figures, out)
    return table(figures)


def table(figures: dict[str, Any]) -> str:
    """Return the figures as a Markdown table."""
    lines = report.head(
        "| bits | chunks / IDs | mean difference | largest | rows off by > 1 % | other rows | of these ≥ 5 % |"
    )
    for one in figures["widths"]:
        shares = [f"{100 * one[name]:.4f} %" for name in ("off", "foreign", "foreign_high")]
        lines.append(
            f"| {one['bits']} | {one['load']:.3f} | {one['mean']:.1e} | {one['most']:.4f} | {' | '.join(shares)} |"
        )
    return "\n".join(lines)


def exact_lists(texts: Sequence[bytes], n_words: int) -> Lists:
    """Return the exact number of each chunk of each text."""
    hashes = [chunk_hashes(text, n_words) for text in texts]
    numbers = distinct(np.concatenate([np.empty(0, np.uint64), *hashes]))
    return Lists.of([np.searchsorted(numbers, some).astype(np.uint32) for some in hashes])


def chunk_hashes(text: bytes, n_words: int) -> NDArray[np.uint64]:
    """Return 64 bits for each chunk of a text, ascending and distinct.

    >>> len(chunk_hashes(b"to be or not to be or not", 3))
    4
    """
    tokens = kernels.tokenise(text)
    found, n = [np.empty(0, np.uint64)], len(tokens.hashes)
    for length, chosen in ((n_words, ~tokens.singles), (2 * n_words, tokens.singles)):
        starts = np.flatnonzero(chosen[: max(0, n - length + 1)])
        sums = np.full(len(starts), length, np.uint64)
        for place in range(length):
            sums = (sums ^ tokens.hashes[starts + place]) * np.uint64(0x9E3779B97F4A7C15)
            sums ^= sums >> np.uint64(29)
        found.append(sums)
    return distinct(np.concatenate(found))


def compared(
    bits: int,
    load: float,
    exact: Ranked,
    sizes: NDArray[np.uint32],
    found: Ranked,
    found_sizes: NDArray[np.uint32],
) -> Width:
    """Return how rows by IDs differ from exact ones."""
    (keys, similarities), (expected, right) = (_similarities(found, found_sizes), _similarities(exact, sizes))
    order = np.argsort(expected)
    at = np.minimum(np.searchsorted(expected[order], keys), max(0, len(expected) - 1))
    is_known = expected[order][at] == keys
    differences = np.abs(similarities - right[order][at])[is_known]
    is_high = ~is_known & (similarities >= 0.05)
    return Width(
        bits,
        load,
        len(keys),
        mean=float(differences.mean()),
        most=float(differences.max()),
        off=float((differences > OFF).mean()),
        foreign=float((~is_known).mean()),
        foreign_high=float(is_high.mean()),
    )


def _similarities(rows: Ranked, sizes: NDArray[np.uint32]) -> tuple[NDArray[np.uint64], NDArray[np.float64]]:
    """Return document << 32 | other of each row, and the similarity."""
    documents = np.repeat(np.arange(len(sizes), dtype=np.uint64), np.diff(rows.offsets).astype(np.int64))
    return documents << np.uint64(32) | rows.documents, rows.counts / sizes[documents]


def _rows(lists: Lists, rules: Rules) -> Ranked:
    return highest_of_all(lists, rules.keep, min_shared=rules.min_shared)
