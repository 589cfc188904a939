"""False alarms between texts of one topic, and what the care against them costs: copies planted in the same texts.

Texts of one folder (manual pages of one package, chapters of one book) speak of the same things in like words. Pairs
that share a run of `RUN_WORDS` words are left out, since that may be real copying; what is found in the others is not.
Then some words in a row of the one are put into the other, as they are or with `EDITED_WORDS` of them changed.
Both are compared as a screening compares them.
"""

from __future__ import annotations

import json
import random
import time
from collections import Counter
from collections.abc import Iterator
from functools import lru_cache
from itertools import groupby
from pathlib import Path

import numpy as np

from experiments.corpora import read
from experiments.planting import EDITED_WORDS
from pmbf.screen.comparing import SHORT_DOUBT
from pmbf.verify import Prepared, Settings, Statistics, passages, prepare

RUN_WORDS = 8
MIN_WORDS, MAX_WORDS = 300, 8000
N_SAMPLED = 64
PLANTED_WORDS = (12, 15, 20, 30, 40)
SETTINGS = Settings(short_doubt=SHORT_DOUBT)


def run(folder: Path, *, n_pairs: int = 1000, seed: int = 0, out: Path | None = None) -> str:
    """Return how many passages are found in pairs of texts of one topic, and of planted ones, as tables in Markdown.

    Args:
        folder: Any folder with text files, in folders by topic.
        n_pairs: Pairs, chosen by chance.
        seed: Of the choice.
        out: JSON file to write, with every passage found.
    """
    rng = random.Random(seed)
    paths = sorted(folder.rglob("*.txt"))
    statistics = Statistics.of(_prepared(path).words for path in rng.sample(paths, min(N_SAMPLED, len(paths))))
    kinds: Counter[str] = Counter()
    told: Counter[tuple[int, bool]] = Counter()
    found, seconds, n_done = [], 0.0, 0
    for one, other in _clean_pairs(paths, rng):
        if n_done == n_pairs:
            break
        query, source = _prepared(one), _prepared(other)
        started = time.perf_counter()
        for passage in passages(query, source, SETTINGS, statistics):
            kinds[passage.kind] += 1
            spans = [passage.query.start, passage.query.stop, passage.source.start, passage.source.stop]
            found.append([str(one), str(other), passage.kind, round(passage.similarity, 3), *spans])
        seconds += time.perf_counter() - started
        planted = PLANTED_WORDS[n_done // 2 % len(PLANTED_WORDS)], n_done % 2 == 1
        told[planted] += _is_told(query, source, *planted, statistics, random.Random(n_done))
        n_done += 1
    if out:
        out.parent.mkdir(parents=True, exist_ok=True)
        out.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    counts = ", ".join(f"{kind} {count}" for kind, count in sorted(kinds.items())) or "none"
    head = "| pairs | passages | of kinds | ms a pair |\n|---:|---:|---|---:|\n"
    alarms = head + f"| {n_done} | {len(found)} | {counts} | {1000 * seconds / max(1, n_done):.2f} |"
    return f"{alarms}\n\n{_planted_table(told, n_done)}"


def _planted_table(told: Counter[tuple[int, bool]], n_done: int) -> str:
    lines = ["| planted words | pairs | verbatim | edited |", "|---:|---:|---:|---:|"]
    n_each = n_done // (2 * len(PLANTED_WORDS))
    for n_words in PLANTED_WORDS:
        shares = " | ".join(f"{told[n_words, edited] / max(1, n_each):.2f}" for edited in (False, True))
        lines.append(f"| {n_words} | {n_each} | {shares} |")
    return "\n".join(lines)


def _is_told(
    query: Prepared, source: Prepared, n_words: int, edited: bool, statistics: Statistics, rng: random.Random
) -> bool:
    """Return whether words of the source are found that were put into the query, changed or not."""
    starts, stops = source.tokens.starts, source.tokens.stops
    first = rng.randrange(source.n_tokens - n_words)
    copy = source.text[starts[first] : stops[first + n_words - 1]]
    if edited:
        copy = " ".join(_edited(copy.split(), query.text.split(), rng))
    at = int(query.tokens.starts[rng.randrange(query.n_tokens)])
    text = f"{query.text[:at]}\n\n{copy}\n\n{query.text[at:]}"
    found = passages(prepare(text), source, SETTINGS, statistics)
    return any(one.query.start < at + 2 + len(copy) and at + 2 < one.query.stop for one in found)


def _edited(words: list[str], others: list[str], rng: random.Random) -> Iterator[str]:
    """Yield words, some replaced, dropped or with another behind them."""
    for word in words:
        change = rng.choice(("replace", "drop", "insert")) if rng.random() < EDITED_WORDS else None
        if change != "drop":
            yield rng.choice(others) if change == "replace" else word
        if change == "insert":
            yield rng.choice(others)


def _clean_pairs(paths: list[Path], rng: random.Random) -> Iterator[tuple[Path, Path]]:
    """Yield pairs of one topic that are neither short nor long and share no run of words."""
    for one, other in _pairs(paths, rng):
        query, source = _prepared(one), _prepared(other)
        if all(MIN_WORDS <= text.n_tokens <= MAX_WORDS for text in (query, source)) and not _share_a_run(query, source):
            yield one, other


def _pairs(paths: list[Path], rng: random.Random) -> Iterator[tuple[Path, Path]]:
    """Yield pairs of texts of one folder, by chance, none twice."""
    folders = [list(those) for _, those in groupby(paths, key=lambda path: path.parent)]
    folders = [those for those in folders if len(those) > 1]
    weights = [len(those) for those in folders]
    seen: set[tuple[Path, Path]] = set()
    for _ in range(100 * len(paths) if folders else 0):
        [those] = rng.choices(folders, weights)
        one, other = rng.sample(those, 2)
        if (one, other) not in seen:
            seen.add((one, other))
            yield one, other


def _share_a_run(query: Prepared, source: Prepared) -> bool:
    return bool(np.isin(query.grams(RUN_WORDS).names, source.grams(RUN_WORDS).names).any())


@lru_cache(maxsize=512)
def _prepared(path: Path) -> Prepared:
    return prepare(read(path))
