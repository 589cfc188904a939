"""What is left as a collection grows, and at what price: PAN13's training corpus among more and more unrelated texts.

The same suspicious documents are screened against the same sources, with each sensitivity, in a collection that grows.
For each kind of pairs:

- candidates: share of the pairs whose source is a candidate (recall), candidates a query, milliseconds a query;
- shown: share of the characters that the two texts of a pair alone are found to share inside the listed cases, and that
  the screening shows, too;
- sources: share of the pairs whose source is shown with a passage inside a listed case;
- false: share of the texts with a document shown that no listed case and no shared run of 15 words comes from. Only for
  clean texts are these false alarms: the others hold reworded passages that no pair lists.

Pairs with a case count. Those that are screened are drawn by chance.
"""

from __future__ import annotations

import argparse
import random
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import lru_cache
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

from experiments import retrieval
from experiments.arguments import add_half, add_params
from experiments.pan.annotations import cases_in
from experiments.pan.candidates import SILVER, silver
from experiments.retrieval import CLEAN, drawn, sources
from measure import report
from measure.commands import add_numbers
from measure.corpora import PAN13_KINDS, described, read
from pmbf import verify
from pmbf.base.params import Params
from pmbf.base.span import Span, overlap
from pmbf.collection import Collection
from pmbf.intake.texts import Text
from pmbf.report import Passage, Report
from pmbf.screen import Folder, Options, screen
from pmbf.screen.folder import word_statistics
from pmbf.screen.options import SENSITIVITIES
from pmbf.store.folder import Store

SEED = 1


class Pair(NamedTuple):
    """A suspicious document, a source, and the characters of both sides of each case."""

    suspicious: str
    source: Path
    cases: tuple[tuple[Span, Span], ...]


@dataclass(frozen=True)
class Point:
    """The figures of a kind of pairs, a sensitivity and a size; see the module."""

    n_documents: int
    sensitivity: str
    kind: str
    n_pairs: int
    recall: float
    candidates: float
    ms_candidates: float
    n_screened: int
    sources: float
    shown: float
    false: float
    ms_screen: float


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the experiment."""
    parser.add_argument("corpora", type=Path, help="folder with pan13_train/")
    add_params(parser)
    add_half(parser)
    parser.add_argument("--filler", type=Path, metavar="FOLDER", required=True, help="folder of unrelated .txt files")
    words = "numbers of these files (default: 0 10000)"
    parser.add_argument("--sizes", type=int, nargs="+", metavar="N", default=[0, 10_000], help=words)
    add_numbers(parser, n_screened=(100, "texts of each kind screened to the end"))


def run(
    corpora: Path,
    *,
    params: Params,
    filler: Path,
    sizes: Sequence[int],
    n_screened: int = 100,
    half: str | None = None,
) -> dict[str, Any]:
    """Load the sources and more and more unrelated texts, screen, and return the figures.

    Args:
        corpora: A folder with `pan13_train`.
        params: Parameters of the collection.
        filler: Folder of unrelated `.txt` files, searched recursively.
        sizes: Numbers of these files to load.
        n_screened: Texts of each kind that are screened to the end.
        half: `first` or `second` half of the suspicious documents; None for all.
    """
    pan, points = corpora / "pan13_train", list[Point]()
    unrelated = drawn(filler, max(sizes)) if max(sizes) else []
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "pan.pmbf"
        for size in sorted(sizes):
            with Collection(path, create=not path.exists(), params=None if path.exists() else params) as collection:
                collection.load([pan / "src", *unrelated[:size]])
            with Store(path) as store:
                points += measure(store, pan, n_screened=n_screened, half=half)
    return {
        "sources": described(pan / "src"),
        "filler": described(filler),
        "params": asdict(params),
        "half": half,
        "points": [asdict(one) for one in points],
    }


def measure(store: Store, pan: Path, *, n_screened: int, half: str | None = None) -> Iterator[Point]:
    """Yield the figures of a collection, for each sensitivity and kind."""
    for sensitivity in SENSITIVITIES:
        for kind in [CLEAN, *PAN13_KINDS]:
            yield _point(store, pan, kind, sensitivity, n_screened, half)


def _point(store: Store, pan: Path, kind: str, sensitivity: str, n_screened: int, half: str | None) -> Point:
    options = Options(sensitivity=sensitivity)
    found, wanted = retrieval.measure(store, pan, kind, options, half=half), sources(pan, kind, half)
    asked = random.Random(SEED).sample(sorted(wanted), min(n_screened, len(wanted)))
    screened = [_screened(store, pan, kind, suspicious, wanted[suspicious], options) for suspicious in asked]
    total = {name: sum(getattr(one, name) for one in screened) for name in _Screened._fields}
    return Point(
        n_documents=store.generation.n_documents,
        sensitivity=sensitivity,
        kind=kind,
        n_pairs=found.n_pairs,
        recall=found.recall,
        candidates=found.candidates,
        ms_candidates=found.ms_per_query,
        n_screened=len(screened),
        sources=total["sources"] / max(1, total["pairs"]),
        shown=total["shown"] / max(1, total["alone"]),
        false=total["is_false"] / max(1, len(screened)),
        ms_screen=1000 * median(one.seconds for one in screened),
    )


class _Screened(NamedTuple):
    """A screening: pairs with a case, those whose source is shown; characters that pairs alone share, those shown."""

    pairs: int
    sources: int
    alone: int
    shown: int
    is_false: bool
    seconds: float


def _screened(store: Store, pan: Path, kind: str, suspicious: str, listed: set[str], options: Options) -> _Screened:
    text = _text(pan / "susp" / suspicious)
    started = time.process_time()
    found = screen(Folder.of(store), Text("", text), options=options)
    seconds = time.process_time() - started
    right = listed | _sharing(pan).get(suspicious, set())
    is_false = any(right.isdisjoint(match.document.paths) for match in found.matches)
    told = [_told(store, pan, kind, suspicious, path, found) for path in sorted(listed)] if kind != CLEAN else []
    return _Screened(
        len(told),
        sum(shown > 0 for _, shown in told),
        sum(alone for alone, _ in told),
        sum(shown for _, shown in told),
        is_false,
        seconds,
    )


def _told(store: Store, pan: Path, kind: str, suspicious: str, path: str, found: Report) -> tuple[int, int]:
    """Return how many characters of a pair's cases the two texts alone are found to share, and of them those shown."""
    pair = _pair(pan, kind, suspicious, path)
    alone = _places(pair, _alone(store, pair, pan))
    shown = _places(pair, [one for match in found.matches if path in match.document.paths for one in match.passages])
    return len(alone), len(alone & shown)


@lru_cache(maxsize=4096)
def _pair(pan: Path, kind: str, suspicious: str, path: str) -> Pair:
    refused: list[str] = []
    cases = cases_in(pan / kind / f"{Path(suspicious).stem}-{Path(path).stem}.xml", refused)
    return Pair(suspicious, Path(path), tuple(case.annotation.spans for case in cases))


_found_alone: dict[Pair, tuple[Passage, ...]] = {}


def _alone(store: Store, pair: Pair, pan: Path) -> tuple[Passage, ...]:
    """Return the passages of a pair that is compared alone; of the first collection that asks."""
    if pair not in _found_alone:
        query, source = (verify.prepare(_text(path)) for path in (pan / "susp" / pair.suspicious, pair.source))
        _found_alone[pair] = verify.passages(query, source, statistics=word_statistics(store))
    return _found_alone[pair]


def _places(pair: Pair, passages: Sequence[Passage]) -> set[int]:
    """Return the characters of the suspicious document in cases that passages overlap in both texts."""
    return {
        place
        for here, there in pair.cases
        for passage in passages
        if overlap(passage.source, there)
        for place in range(max(here.start, passage.query.start), min(here.stop, passage.query.stop))
    }


@lru_cache(maxsize=1)
def _sharing(pan: Path) -> dict[str, set[str]]:
    """Return the sources that each suspicious document shares a long run of words with."""
    found: dict[str, set[str]] = {}
    for runs in silver(pan / SILVER).values():
        for run in runs:
            found.setdefault(run.suspicious, set()).add(str(pan / "src" / run.source))
    return found


@lru_cache(maxsize=2048)
def _text(path: Path) -> str:
    return read(path)


def table(figures: dict[str, Any]) -> str:
    """Return the figures as a Markdown table."""
    lines = report.head(
        "| documents | sensitivity | pairs | recall, candidates | candidates a query | ms | sources shown "
        "| characters shown | false | ms a screening |"
    )
    for one in figures["points"]:
        cells = [f"{one['n_documents']:,}", one["sensitivity"], PAN13_KINDS.get(one["kind"], "clean")]
        cells += [f"{one['recall']:.3f}", f"{one['candidates']:.1f}", f"{one['ms_candidates']:.2f}"]
        cells += [f"{one[name]:.3f}" for name in ("sources", "shown", "false")] + [f"{one['ms_screen']:.1f}"]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)
