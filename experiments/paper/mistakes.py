"""False positives and negatives of the filter, for each placement and fill of rows, by bits and by hashes.

The paper compares all documents of PAN 2009 with each other, about 10^8 pairs, in two placements:

- `single-row`: a row holds several whole documents. 301,977 false positives, "~1 %"; 51 false negatives, "~5 %".
- `multi-row`: a long document lies in several rows, filled to 50 %. 9,322 false positives, "~0.01 %"; 117 false
  negatives, "~11 %".

The paper does not name the base of its percentages. Of 10^8 pairs, the false positives are 0.3 % and 0.009 %. The
percentages of the false negatives fit a base of about 1,050 copies. The paper does not give its thresholds.

Here every suspicious document is a query against all sources. Lengths are log-normal as in that corpus; `copies` says
which passages are planted. All columns have one base: pairs of a suspicious document and a source. False positives are
a share of the pairs without a copy; false negatives are a share of the pairs with a copy. Precision, the paper's
formula (1), is the share of the pairs found that have a copy.

- bits: rows with more common bits than chance explains; one false row a query is allowed, as in the paper;
- hashes: rows with more hits in some window than chance explains; one false row a query is allowed (`windows`);
- evidence: rows whose hits have enough evidence: pmbf's default bar, or a bar of the number of nats in the table.

There are three stages. Rows found by hashes have the first stage only: pmbf does not screen by them.

- rows: every document in a row that passes counts as found, as in the paper;
- candidates: of these, the documents whose exact hashes have enough evidence; only candidates are compared in detail;
- proven: of these, the documents in which the detailed comparison finds a passage.
"""

from __future__ import annotations

import tempfile
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from experiments.paper.copies import Copy, Pair, planned, write
from experiments.paper.texts import lengths, texts
from experiments.paper.windows import ROWS_OVER
from measure import report
from measure.corpora import read
from pmbf import verify
from pmbf.base.arrays import distinct
from pmbf.base.params import Params, Placement, target_fill
from pmbf.collection import Collection
from pmbf.filter import Tile
from pmbf.fingerprint import query_sample
from pmbf.kernels import Sample
from pmbf.screen import Options, candidates
from pmbf.store.folder import Store

PUBLISHED: dict[str, dict[str, float]] = {
    "single-row": {"false_positives": 301_977, "said_percent": 1, "false_negatives": 51, "said_negative_percent": 5},
    "multi-row, half filled": {
        "false_positives": 9_322,
        "said_percent": 0.01,
        "false_negatives": 117,
        "said_negative_percent": 11,
    },
}
PUBLISHED_QUERIES = 14_428
"""Queries of the paper, if each document was a query. The paper does not give their number."""

SHIPPED = "as shipped"
STAGES = ("rows", "candidates", "proven")
FALSE_ROWS = 1.0
DETAILED = [("single-row", "bits"), ("multi-row, half filled", "bits"), (SHIPPED, "evidence")]
BITS = Options(method="popcount", false_rows=FALSE_ROWS)
EVIDENCE = {"evidence": Options()} | {f"evidence, {n} nats": Options(min_evidence=n) for n in (16, 24, 32)}
SEGMENT_CHARS = 16_384
"""Segments of the paper's rows. They are short, so that a document of 10,000 words has several parts."""


@dataclass(frozen=True, slots=True)
class Size:
    """The number of sources, which is that of suspicious documents, and their mean length in words."""

    n_documents: int
    mean_words: int


SMALL, FULL = Size(150, 3_000), Size(1_000, 5_000)


def run(size: Size, *, corpus: Path | None, seed: int) -> dict[str, Any]:
    """Return the false positives and negatives of every layout, for each way to count and each stage."""
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        copies = planted(folder, size, corpus, seed)
        results = [one for name, params in layouts(folder, size) for one in _measured(folder, name, params, copies)]
    return {
        "pairs": size.n_documents**2,
        "copies": len(copies),
        "kinds": dict(sorted(Counter(copy.kind for copy in copies.values()).items())),
        "n_words": sum(lengths(2 * size.n_documents, size.mean_words, seed)),
        "params": asdict(Params()),
        "options": asdict(Options()),
        "results": results,
    }


def planted(folder: Path, size: Size, corpus: Path | None, seed: int) -> dict[Pair, Copy]:
    """Write the suspicious documents and the sources below a folder; return the copies, by their pairs."""
    words = lengths(2 * size.n_documents, size.mean_words, seed)
    copies = planned(words[: size.n_documents], words[size.n_documents :], seed)
    write(folder, words, copies, texts(corpus, seed), seed)
    return {copy.pair: copy for copy in copies}


def table(figures: dict[str, Any]) -> str:
    """Return the figures as a Markdown table."""
    n_copies, n_others = figures["copies"], figures["pairs"] - figures["copies"]
    lines = [
        f"{figures['pairs']} pairs, {n_copies} of them with a copy; {figures['n_words']} words.",
        "",
        *report.head("| rows | counted | fill | stage | false positives | a query | false negatives | precision |"),
    ]
    lines += [_line(name, "bits", "", "rows", said) for name, said in _published().items()]
    for one in figures["results"]:
        for stage in [stage for stage in STAGES if stage in one]:
            n_false, n_missed = one[stage]["false_positives"], one[stage]["false_negatives"]
            cells = {
                "false": f"{n_false} ({n_false / n_others:.3%})",
                "query": f"{n_false / figures['size']['n_documents']:.2f}",
                "missed": f"{n_missed} ({n_missed / n_copies:.1%})",
                "precision": f"{precision(n_copies - n_missed, n_false):.2%}",
            }
            fill = f"{one['fill']:.0%}" if "fill" in one else ""
            lines.append(_line(one["name"], one["counted"], fill, stage, cells))
    return "\n".join([*lines, "", *_missed(figures)])


def precision(n_right: int, n_false: int) -> float:
    """Return the share of the pairs found that are right; 1 if none is found.

    Source:
        Tskhay, Butakov & Kim 2014, formula (1).

    >>> precision(1, 3)
    0.25
    """
    return n_right / (n_right + n_false) if n_right + n_false else 1.0


def _published() -> dict[str, dict[str, str]]:
    """Return the paper's lines. The number of copies follows from its share of missed copies."""
    lines = {}
    for name, said in PUBLISHED.items():
        n_copies = round(100 * said["false_negatives"] / said["said_negative_percent"])
        share = precision(n_copies - int(said["false_negatives"]), int(said["false_positives"]))
        lines[f"published, {name}"] = {
            "false": f"{said['false_positives']:.0f} (~{said['said_percent']} %)",
            "query": f"{said['false_positives'] / PUBLISHED_QUERIES:.2f}",
            "missed": f"{said['false_negatives']:.0f} (~{said['said_negative_percent']} %)",
            "precision": f"{share:.2%}",
        }
    return lines


def _line(name: str, counted: str, fill: str, stage: str, cells: dict[str, str]) -> str:
    return f"| {name} | {counted} | {fill} | {stage} | {' | '.join(cells.values())} |"


def _missed(figures: dict[str, Any]) -> list[str]:
    """Return a table of the copies that were missed at each stage, for each kind of copy."""
    results = [one for one in figures["results"] if (one["name"], one["counted"]) in DETAILED]
    names = " | ".join(f"{one['name']}, by {one['counted']}" for one in results)
    lines = report.head(f"| missed: {', '.join(STAGES)} | copies | {names} |")
    for kind, n_copies in figures["kinds"].items():
        cells = [
            ", ".join(str(one[stage]["missed"].get(kind, 0)) for stage in STAGES if stage in one) for one in results
        ]
        lines.append(f"| {kind} | {n_copies} | {' | '.join(cells)} |")
    return lines


def layouts(folder: Path, size: Size) -> Iterator[tuple[str, Params]]:
    """Yield the layouts: the two of the paper, those between them, and pmbf's default.

    A row of `single-row` has room for the longest source; a row of `multi-row` for two sources of mean length.
    """
    longest = max(len(read(path)) for path in (folder / "src").iterdir())
    paper = Params(long_letters=0, segment_chars=SEGMENT_CHARS, store_text=False, index="rows")
    capacities: dict[Placement, int] = {
        "single-row": round(1.3 * paper.density * longest) + paper.min_hashes,
        "multi-row": round(2 * paper.density * 6 * size.mean_words),
    }
    for placement, capacity in capacities.items():
        full = replace(paper, placement=placement, row_capacity=capacity)
        yield placement, full
        yield f"{placement}, half filled", half_filled(full)
    yield SHIPPED, Params(store_text=False)


def half_filled(params: Params) -> Params:
    """Return parameters for rows of the same width that hold half as many hashes.

    >>> full = Params(row_capacity=10_000)
    >>> half = half_filled(full)
    >>> half.row_capacity, round(half.fpr, 5)
    (5000, 0.00149)
    >>> from pmbf.base.params import words_per_row
    >>> words_of = [words_per_row(one.row_capacity, n_hashes=one.n_hashes, fpr=one.fpr) for one in (full, half)]
    >>> words_of[0] == words_of[1]
    True
    """
    assert params.row_capacity is not None
    k = params.n_hashes
    empty = 1 - params.fpr ** (1 / k)
    return replace(params, row_capacity=params.row_capacity // 2, fpr=(1 - empty**0.5) ** k)


def _measured(folder: Path, name: str, params: Params, copies: dict[Pair, Copy]) -> Iterator[dict[str, Any]]:
    """Yield the mistakes in one layout, for each way to count."""
    with loaded(folder, params) as store:
        one = {"name": name, "params": asdict(params), **_rows(store)}
        for counted, options in (EVIDENCE if name == SHIPPED else {"bits": BITS}).items():
            yield one | {"counted": counted} | _stages(folder, store, options, copies)
        if name != SHIPPED:
            yield one | {"counted": "hashes", "rows": mistakes(by_rows(folder, store, "hashes", FALSE_ROWS), copies)}


@contextmanager
def loaded(folder: Path, params: Params) -> Iterator[Store]:
    """Load the sources into a collection that goes again; yield its store."""
    with tempfile.TemporaryDirectory(dir=folder) as place:
        with Collection(Path(place) / "c", create=True, params=params) as collection:
            collection.load([folder / "src"])
        with Store(Path(place) / "c") as store:
            yield store


def _rows(store: Store) -> dict[str, Any]:
    """Return the number, the width and the mean fill of the rows of a collection of the kind `rows`."""
    if store.params.index != "rows":
        return {}
    tiles = list(store.generation.matrix().tiles.values())
    fill = float(np.mean(np.concatenate([*map(_fill, tiles)])))
    return {"n_rows": sum(tile.n_rows for tile in tiles), "row_bits": tiles[0].row_bits, "fill": fill}


def _fill(tile: Tile) -> NDArray[np.float64]:
    """Return the fill of each row: its hashes over its capacity at the usual false-positive rate."""
    full = target_fill(n_hashes=tile.n_hashes, fpr=Params().fpr)
    return np.asarray(np.log1p(-tile.popcounts / tile.row_bits) / np.log1p(-full))


def _queries(folder: Path, store: Store) -> Iterator[tuple[int, Sample]]:
    """Yield the number and the sample of each suspicious document."""
    for path in (folder / "susp").iterdir():
        yield int(path.stem), query_sample(read(path), store.params)


def _numbers(store: Store) -> dict[int, int]:
    """Return the number of each source for each document id of the collection."""
    ids = store.generation.directory.live_ids().tolist()
    return {one: int(Path(paths[0]).stem) for one, paths in store.paths_of(ids).items()}


def by_rows(folder: Path, store: Store, counted: str, false_rows: float) -> set[Pair]:
    """Return the pairs whose source is in a row that passes, by `bits` or by `hashes`."""
    numbers, found, matrix = _numbers(store), set[Pair](), store.generation.matrix()
    for query, sample in _queries(folder, store):
        hashes = distinct(sample.hashes) if counted == "bits" else sample.hashes
        for tile, rows in ROWS_OVER[counted](matrix, hashes, false_rows=false_rows):
            found |= {(query, numbers[one]) for one in store.generation.rows.documents(tile, rows).tolist()}
    return found


def by_candidates(folder: Path, store: Store, options: Options) -> set[Pair]:
    """Return the pairs whose source is a candidate of the suspicious document."""
    numbers, found = _numbers(store), set[Pair]()
    for query, sample in _queries(folder, store):
        found |= {(query, numbers[one.document]) for one in candidates(store.generation, sample, options)}
    return found


def proven(folder: Path, pairs: set[Pair]) -> set[Pair]:
    """Return the pairs in which the detailed comparison finds a passage."""
    return {pair for pair in pairs if _proven(folder, pair)}


def _stages(folder: Path, store: Store, options: Options, copies: dict[Pair, Copy]) -> dict[str, Any]:
    """Return the mistakes after each stage. Only the paper's method looks at rows."""
    found: dict[str, set[Pair]] = {}
    if options.method == "popcount":
        found["rows"] = by_rows(folder, store, "bits", FALSE_ROWS)
    found["candidates"] = by_candidates(folder, store, options)
    found["proven"] = proven(folder, found["candidates"])
    return {stage: mistakes(pairs, copies) for stage, pairs in found.items()}


def mistakes(found: set[Pair], copies: dict[Pair, Copy]) -> dict[str, Any]:
    """Return the numbers of pairs that were wrongly found, and of copies that were missed, by their kinds."""
    missed = Counter(copy.kind for pair, copy in copies.items() if pair not in found)
    return {
        "false_positives": len(found - copies.keys()),
        "false_negatives": missed.total(),
        "missed": dict(missed),
    }


@cache
def _proven(folder: Path, pair: Pair) -> bool:
    """Return whether the detailed comparison finds a passage in a pair."""
    query, source = (verify.prepare(read(folder / name)) for name in (f"susp/{pair[0]}.txt", f"src/{pair[1]}.txt"))
    return bool(verify.passages(query, source, verify.Settings()))
