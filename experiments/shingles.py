"""How long should a shingle be? Short ones survive edits, long ones are rare by chance: recall against noise.

For each setting the sources are sampled as a collection samples them. They are looked up exactly, without a filter, so
the figures are those of the fingerprint alone.

 - recall: share of the corpus' listed pairs in which some window of 24 query hashes has at least 3 in the source;
 - reached: unrelated documents a query reaches with 3 hits in a window (pairs listed as free of copying);
 - background: share of an unrelated query's hashes found somewhere in 24 documents, as one row holds them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from experiments.arguments import write_figures
from measure import report
from measure.corpora import PAN13_KINDS, described, pan13_pairs, read
from pmbf.fingerprint import fingerprint, query_sample
from pmbf.params import Params

SETTINGS = [(2, True), (3, True), (4, True), (5, True), (6, True), (8, True), (3, False), (4, False)]
MIN_HITS, PASSAGE_HASHES = 3, 24
"""A document with 3 hits in a window of 24 hashes of the query counts as found."""

ROW_DOCUMENTS = 24

Hashes = NDArray[np.uint32]


@dataclass(frozen=True)
class Setting:
    """One line of the table.

    Args:
        shingle_tokens, ordered: The shingle.
        hashes: Mean hashes of an English source.
        recall: By kind of copying, 0 to 1.
        reached: Unrelated documents a query reaches.
        background_en, background_zh: Shares, 0 to 1.
    """

    shingle_tokens: int
    ordered: bool
    hashes: float
    recall: dict[str, float]
    reached: float
    background_en: float
    background_zh: float


def run(corpora: Path, *, n_pairs: int = 200, out: Path | None = None) -> str:
    """Measure every setting and return the table in Markdown.

    Args:
        corpora: Folder with `pan13_train/` and `zh_subset/`.
        n_pairs: Pairs per kind, spread evenly over the list.
        out: JSON file to write.
    """
    settings = [
        asdict(measure(corpora, replace(Params(), shingle_tokens=n, long_letters=0, ordered=ordered), n_pairs))
        for n, ordered in SETTINGS
    ]
    figures = {
        "about": report.about(),
        "sources": described(corpora / "pan13_train" / "src"),
        "chinese": described(corpora / "zh_subset" / "corpus"),
        "pairs": n_pairs,
        "settings": settings,
    }
    write_figures(figures, out)
    return table(figures)


def measure(corpora: Path, params: Params, n_pairs: int) -> Setting:
    """Measure one setting."""
    pan = corpora / "pan13_train"
    sources = {path.name: fingerprint(read(path), params).distinct() for path in sorted((pan / "src").glob("*.txt"))}
    recall = {
        kind: float(np.mean([_hits(pan, pair, sources, params) >= MIN_HITS for pair in _pairs(pan / folder, n_pairs)]))
        for folder, kind in PAN13_KINDS.items()
    }
    chinese = [
        fingerprint(read(path), params).distinct() for path in sorted((corpora / "zh_subset/corpus").glob("*.txt"))
    ]
    return Setting(
        shingle_tokens=params.shingle_tokens,
        ordered=params.ordered,
        hashes=float(np.mean([len(hashes) for hashes in sources.values()])),
        recall=recall | {"Chinese": _chinese_recall(corpora / "zh_subset", params, n_pairs)},
        reached=_reached(pan, sources, params, n_pairs),
        background_en=_background(list(sources.values())),
        background_zh=_background(chinese),
    )


def table(figures: dict[str, Any]) -> str:
    """Return the settings as a Markdown table."""
    kinds = [*PAN13_KINDS.values(), "Chinese"]
    lines = [
        f"| shingle | hashes a source | {' | '.join(kinds)} | reached by chance | background en | background zh |",
        "|---|" + "---:|" * (len(kinds) + 4),
    ]
    for one in figures["settings"]:
        cells = [f"{one['recall'][kind]:.3f}" for kind in kinds]
        order = "ordered" if one["ordered"] else "order-free"
        lines.append(
            f"| {one['shingle_tokens']}, {order} | {one['hashes']:.0f} | {' | '.join(cells)} "
            f"| {one['reached']:.2f} | {one['background_en']:.2%} | {one['background_zh']:.2%} |"
        )
    return "\n".join(lines)


def densest(query: Hashes, source: Hashes) -> int:
    """Return the most hashes of any window of the query that a source has."""
    sums = np.concatenate([[0], np.cumsum(np.isin(query, source))])
    size = PASSAGE_HASHES
    return int(sums[-1] if len(query) <= size else (sums[size:] - sums[:-size]).max())


def _hits(pan: Path, pair: tuple[str, str], sources: dict[str, Hashes], params: Params) -> int:
    query = query_sample(read(pan / "susp" / pair[0]), params).hashes
    return densest(query, sources[pair[1]])


def _reached(pan: Path, sources: dict[str, Hashes], params: Params, n_pairs: int) -> float:
    """Return the unrelated documents a query would reach in the whole collection."""
    pairs = list(_pairs(pan / "01-no-plagiarism", 5 * n_pairs))
    return len(sources) * float(np.mean([_hits(pan, pair, sources, params) >= MIN_HITS for pair in pairs]))


def _chinese_recall(folder: Path, params: Params, n_pairs: int) -> float:
    lines = (folder / "pairs_silver.tsv").read_text(encoding="utf-8").splitlines()[1:]
    wanted = [line.split("\t") for line in lines]
    pairs = [(row[4], row[5]) for row in wanted if float(row[0]) >= 0.05][:: max(1, len(wanted) // n_pairs)]
    found = [
        densest(
            query_sample(read(folder / "corpus" / a), params).hashes,
            fingerprint(read(folder / "corpus" / b), params).distinct(),
        )
        >= MIN_HITS
        for a, b in pairs
    ]
    return float(np.mean(found))


def _background(fingerprints: list[Hashes], n_rows: int = 40) -> float:
    """Return the mean share of a document's hashes in 24 other documents, over rows drawn by chance (seed 1)."""
    random = np.random.default_rng(1)
    shares = []
    for _ in range(n_rows):
        query, *row = random.choice(len(fingerprints), ROW_DOCUMENTS + 1, replace=False).tolist()
        shares.append(np.isin(fingerprints[query], np.concatenate([fingerprints[other] for other in row])).mean())
    return float(np.mean(shares))


def _pairs(folder: Path, n_pairs: int) -> Iterator[tuple[str, str]]:
    pairs = pan13_pairs(folder)
    return islice(pairs[:: max(1, len(pairs) // n_pairs)], n_pairs)
