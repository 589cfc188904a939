"""Does a sample of 5 % cover its text evenly? The paper: 873 of 1,000 documents do, at significance 0.05.

The paper does not name its test. Here are two tests:

- chi-square: a text is cut into ten equal parts; the number of sampled shingles in each part is compared with a tenth
  of all sampled shingles (nine degrees of freedom);
- Kolmogorov-Smirnov: the places of the sampled shingles are compared with the even distribution.

A fair draw passes each test in 95 % of the texts. Places are measured in three ways:

- characters: the offset of the shingle in the text; tables, rules and blank lines have characters but no shingles;
- tokens: the index of its first token; a repeated shingle is sampled at its first place only;
- shingles: its rank among all distinct shingles at their first places; the sample is drawn from these.

A shingle at a word is sampled four times as often as a shingle at a letter of a script written without spaces
(docs/text.md, 3). So the sample of each kind is even, but not the sample of a text that mixes both kinds. Therefore
texts are sorted by their share of single letters. In mixed texts each kind of shingle is also tested by itself.
"""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from experiments.paper.texts import texts
from measure import report
from measure.overlap import read_words
from pmbf.base.params import Params
from pmbf.fingerprint import query_sample
from pmbf.text import tokenise

PUBLISHED = {"documents": 1000, "even": 873, "significance": 0.05}
N_PARTS, CHI_SQUARE_LIMIT = 10, 16.919
"""Upper 5 % point of chi-square with nine degrees of freedom (any table)."""

KOLMOGOROV_LIMIT = 1.358
"""Upper 5 % point of Kolmogorov's distribution (any table)."""

LEAST_HASHES = 50
"""Least sampled shingles. With fewer than five in a part on average, chi-square is not near its distribution."""

PLACES = ("characters", "tokens", "shingles")
MIXED = "both"


@dataclass(frozen=True, slots=True)
class Size:
    """The most documents tested, and the number of words of a made-up document."""

    n_documents: int
    n_words: int = 1500


SMALL, FULL = Size(1000), Size(20_000)


def run(size: Size, *, corpus: Path | None, seed: int) -> dict[str, Any]:
    """Return the share of evenly covered documents, for each kind of text, each place and each test."""
    params = Params(long_letters=0)  # words in a row, as in the paper
    passed: dict[str, dict[str, list[tuple[bool, bool]]]] = defaultdict(lambda: defaultdict(list))
    n_short = n_tested = 0
    for text in _documents(size, corpus, seed):
        if n_tested == size.n_documents:
            break
        kind = kind_of(text)
        found = sample_places(text, params, by_kind=kind == MIXED)
        n_short += not found
        n_tested += bool(found)
        for (which, place), places in found.items():
            passed[kind + which][place].append((is_even(places), is_spread(places)))
    results = [
        {"kind": kind, "place": place, "n_documents": len(some), **_shares(some)}
        for kind, by_place in sorted(passed.items())
        for place, some in by_place.items()
    ]
    return {"params": asdict(params), "n_short": n_short, "results": results}


def table(figures: dict[str, Any]) -> str:
    """Return the figures as a Markdown table."""
    lines = report.head("| texts of | places in | documents | even by χ² | by Kolmogorov-Smirnov |")
    share = PUBLISHED["even"] / PUBLISHED["documents"]
    lines.append(f"| published | | {PUBLISHED['documents']} | {share:.1%} (test not named) | |")
    for one in figures["results"]:
        both = f"{one['chi_square']:.1%} | {one['kolmogorov']:.1%}"
        lines.append(f"| {one['kind']} | {one['place']} | {one['n_documents']} | {both} |")
    lines += ["", f"{figures['n_short']} documents have fewer than {LEAST_HASHES} hashes and are not tested."]
    return "\n".join(lines)


def sample_places(text: str, params: Params, *, by_kind: bool = False) -> dict[tuple[str, str], NDArray[np.float64]]:
    """Return the places of the sampled shingles, from 0 to 1, for each kind of shingle and each of `PLACES`.

    A kind with too few sampled shingles is left out.

    Args:
        text: The document.
        params: The parameters of the sample.
        by_kind: Whether to return the ranks of shingles at words and at single letters by themselves, too.
    """
    sample = query_sample(text, params, starts=True)
    if len(sample) < LEAST_HASHES:
        return {}
    every = query_sample(text, replace(params, density=1.0)).token
    found = {
        ("", "characters"): (sample.starts + 0.5) / sample.n_chars,
        ("", "tokens"): (sample.token + 0.5) / sample.n_tokens,
        ("", "shingles"): _ranks(sample.token, every),
    }
    singles = tokenise(text).singles
    for which, wanted in ((", at words", False), (", at letters", True)):
        some = sample.token[singles[sample.token] == wanted]
        if by_kind and len(some) >= LEAST_HASHES:
            found[which, "shingles"] = _ranks(some, every[singles[every] == wanted])
    return found


def is_even(places: NDArray[np.float64]) -> bool:
    """Return whether chi-square accepts that places in [0, 1) are equally frequent in each tenth.

    >>> is_even(np.arange(100) / 100), is_even(np.arange(100) / 200)
    (True, False)
    """
    found = np.bincount((places * N_PARTS).astype(np.intp), minlength=N_PARTS)
    expected = len(places) / N_PARTS
    return bool(((found - expected) ** 2 / expected).sum() <= CHI_SQUARE_LIMIT)


def is_spread(places: NDArray[np.float64]) -> bool:
    """Return whether Kolmogorov and Smirnov's test accepts that places in [0, 1) are even.

    Source:
        Stephens 1970, Use of the Kolmogorov-Smirnov, Cramér-von Mises and related statistics, for the finite size.

    >>> is_spread(np.arange(100) / 100), is_spread(np.arange(100) / 200)
    (True, False)
    """
    n, ordered = len(places), np.sort(places)
    above, below = np.arange(1, n + 1) / n - ordered, ordered - np.arange(n) / n
    return bool(max(above.max(), below.max()) * (n**0.5 + 0.12 + 0.11 / n**0.5) <= KOLMOGOROV_LIMIT)


def kind_of(text: str) -> str:
    """Return the kind of a text: words if at most 1 % of its tokens are single letters; letters from 99 % on; or both.

    >>> kind_of("one two"), kind_of("文字"), kind_of("one 文字")
    ('words', 'letters', 'both')
    """
    singles = tokenise(text).singles
    share = float(singles.mean()) if len(singles) else 0.0
    if share <= 0.01:
        return "words"
    return "letters" if share >= 0.99 else MIXED


def _ranks(some: NDArray[np.uint32], every: NDArray[np.uint32]) -> NDArray[np.float64]:
    return (np.searchsorted(every, some) + 0.5) / len(every)


def _shares(passed: list[tuple[bool, bool]]) -> dict[str, float]:
    chi_square, kolmogorov = np.mean(passed, axis=0).tolist()
    return {"chi_square": chi_square, "kolmogorov": kolmogorov}


def _documents(size: Size, corpus: Path | None, seed: int) -> Iterator[str]:
    if corpus is None:
        made = texts(None, seed)
        yield from ("".join(made.take(size.n_words)) for _ in range(size.n_documents))
    else:
        paths = sorted(corpus.rglob("*.txt"))
        random.Random(seed).shuffle(paths)
        yield from map(read_words, paths)
