"""What sentences cost: bytes of a unit, time to make them, time of a query, for both codes."""

from __future__ import annotations

import statistics
import tempfile
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from experiments.sentences.recall import add_arguments as add_arguments
from measure import report
from measure.corpora import described, read
from measure.timing import processor_s
from pmbf import Collection, kernels
from pmbf.intake.texts import Text
from pmbf.kernels import CODES
from pmbf.sentences import SentenceFolder, Sentences, build, screen_sentences
from pmbf.store.folder import Store

QUERY_CHARS = 4000
_TIMES = 3


def run(folder: Path, others: Sequence[Path], *, n_cases: int) -> dict[str, Any]:
    """Return the figures.

    Args:
        folder: A corpus of PAN: its sources stand in the collection, its suspicious texts are the queries.
        others: Folders of further texts that stand in the collection.
        n_cases: Queries of 4,000 characters.
    """
    texts = (read(path)[:QUERY_CHARS] for path in sorted((folder / "susp").glob("*.txt")))
    queries = [text for text in texts if len(text) == QUERY_CHARS][:n_cases]
    with tempfile.TemporaryDirectory() as scratch:
        place = Path(scratch) / "all.pmbf"
        with Collection(place, create=True) as collection:
            collection.load([folder / "src", *others])
        measured = {code: _measured(place, code, queries) for code in CODES}
    return {
        "corpora": [described(one) for one in (folder / "src", *others)],
        "n": len(queries),
        "codes": measured,
    }


def _measured(folder: Path, code: str, queries: Sequence[str]) -> dict[str, Any]:
    with Store(folder, writable=True) as store:
        build_s = processor_s(lambda: build(store, code=code), _TIMES)
        texts = [(store.generation.text(one) or "").encode() for one in store.catalog.live_documents()]
        kernel_s = processor_s(lambda: [kernels.units(text, code=code) for text in texts], _TIMES)
    with Store(folder) as store:
        sentences = Sentences(store)
        backend = SentenceFolder.beside(store, sentences)
        status = sentences.status()
        utf8 = [query.encode() for query in queries]
        keys = [kernels.units(query, code=code, from_each=True).keys for query in utf8]
        look_up = [processor_s(partial(sentences.look_up, one), _TIMES) for one in keys]
        screened = [processor_s(partial(screen_sentences, backend, Text("q", query))) for query in queries]
    return {
        "n_units": status.n_units,
        "n_bytes": status.n_bytes,
        "text_bytes": sum(map(len, texts)),
        "build_s": build_s,
        "kernel_s": kernel_s,
        "look_up_ms": [1000 * quantile for quantile in _quantiles(look_up)],
        "screen_ms": [1000 * quantile for quantile in _quantiles(screened)],
        "query_units": statistics.mean(map(len, keys)),
    }


def _quantiles(values: Sequence[float]) -> tuple[float, float]:
    """Return the median and the 95th percentile."""
    ordered = sorted(values)
    return ordered[len(ordered) // 2], ordered[int(0.95 * len(ordered))]


def table(figures: dict[str, Any]) -> str:
    """Return the figures of both codes, side by side."""
    codes = figures["codes"].values()
    rows: dict[str, Callable[[dict[str, Any]], str]] = {
        "units": lambda one: f"{one['n_units']:,}",
        "bytes a unit": lambda one: f"{one['n_bytes'] / one['n_units']:.1f}",
        "kernel, MB of text a second": lambda one: f"{one['text_bytes'] / one['kernel_s'] / 1e6:.0f}",
        "build with reading and writing, MB of text a second": lambda one: (
            f"{one['text_bytes'] / one['build_s'] / 1e6:.0f}"
        ),
        "units of a query": lambda one: f"{one['query_units']:.0f}",
        "look-up of a query, ms: median, 95 %": lambda one: ", ".join(f"{ms:.1f}" for ms in one["look_up_ms"]),
        "whole screening, ms: median, 95 %": lambda one: ", ".join(f"{ms:.0f}" for ms in one["screen_ms"]),
    }
    lines = report.head(f"| | {' | '.join(figures['codes'])} |")
    return "\n".join([*lines, *(f"| {name} | {' | '.join(map(told, codes))} |" for name, told in rows.items())])
