"""Ways of finding duplicates: texts in, a similarity for each pair that may be one out."""

from __future__ import annotations

import importlib
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from measure import report
from pmbf.resultsets import Duplicates, ResultSets
from pmbf.text import fold

LEAST = 0.1
"""Pairs of a lower similarity are no candidates of any way."""

Scores = dict[tuple[int, int], float]


@dataclass(frozen=True, slots=True)
class Method:
    """A way: texts are prepared one by one, and the prepared ones compared; what is found has a score for each pair."""

    name: str
    prepare: Callable[[str], Any]
    compare: Callable[[Sequence[Any]], Any]
    scores: Callable[[Any], Scores]


def methods(background: Sequence[str]) -> list[Method]:
    """Return all ways that are installed.

    Args:
        background: Texts that are no part of what is compared: boilerplate is learned from them.
    """
    found = [_ours("words, 64 hashes", {"keep": 64}), _ours("words, 128 hashes", {})]
    found += [
        _ours(f"sentences{stemmed}{learned}", {"features": "sentences", "stem": stem}, background if learned else ())
        for stem, stemmed in ((None, ""), ("english", ", stemmed"))
        for learned in ("", ", boilerplate learned")
    ]
    return found + [made for made in map(_peer, PEERS) if made]


def _ours(name: str, how: dict[str, Any], background: Sequence[str] = ()) -> Method:
    sets = ResultSets(LEAST, cache=0, **how)
    if background:
        sets.learn(background)
    return Method(f"pmbf, {name}", sets.prepare, sets.duplicates, _scores)


def _scores(found: Duplicates) -> Scores:
    return {(first, second): score for first, second, score in found.pairs}


# ---------------------------------------------------------------------- peers


def _shingles(text: str) -> list[str]:
    words = fold(text).text.split()
    return [" ".join(words[at : at + 3]) for at in range(len(words) - 2)]


def _of_datasketch(library: Any) -> Callable[[str], Any]:
    def prepare(text: str) -> Any:
        made = library.MinHash(128)
        made.update_batch([one.encode() for one in _shingles(text)])
        return made.hashvalues

    return prepare


def _of_rensa(library: Any) -> Callable[[str], Any]:
    def prepare(text: str) -> Any:
        made = library.RMinHash(num_perm=128, seed=42)
        made.update(_shingles(text))
        return np.array(made.digest(), np.uint32)

    return prepare


PEERS: dict[str, Callable[[Any], Callable[[str], Any]]] = {"datasketch": _of_datasketch, "rensa": _of_rensa}


def _peer(name: str) -> Method | None:
    """Return a peer that estimates the Jaccard index by 128 values of MinHash; None if it is not installed."""
    try:
        library = importlib.import_module(name)
    except ImportError:
        return None
    return Method(f"{name} {report.version(name)}, MinHash of 128", PEERS[name](library), _estimated, dict)


def _estimated(made: Sequence[Any]) -> Scores:
    """Return the share of equal values of each pair: all values of one text with those of all later texts at once."""
    values, found = np.array(made), {}
    for first in range(len(values) - 1):
        shares = (values[first + 1 :] == values[first]).mean(axis=1)
        for second in np.flatnonzero(shares >= LEAST).tolist():
            found[first, first + 1 + second] = float(shares[second])
    return found


def timed(method: Method, texts: Sequence[str], n_times: int) -> tuple[float, float, Scores]:
    """Return the least seconds to prepare some texts and to compare them, and the scores."""
    made, prepared, compared = [], [], []
    found: Any = None
    for _ in range(n_times):
        start = time.perf_counter()
        made = [method.prepare(text) for text in texts]
        between = time.perf_counter()
        found = method.compare(made)
        prepared.append(between - start)
        compared.append(time.perf_counter() - between)
    return min(prepared), min(compared), method.scores(found)
