"""False alarms between texts of one topic: pairs from one folder that share no run of words to speak of.

Texts of one folder (manual pages of one package, chapters of one book) speak of the same things in like words. Pairs
that share a run of `RUN_WORDS` words are left out, since that may be real copying; what is found in the others is not.
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
from pmbf.verify import Prepared, Settings, Statistics, passages, prepare

RUN_WORDS = 8
MIN_WORDS, MAX_WORDS = 300, 8000
N_SAMPLED = 64


def run(folder: Path, *, n_pairs: int = 1000, seed: int = 0, out: Path | None = None) -> str:
    """Return how many passages are found in pairs of texts of one topic, as a table in Markdown.

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
    found, seconds, n_done = [], 0.0, 0
    for one, other in _pairs(paths, rng):
        query, source = _prepared(one), _prepared(other)
        if n_done == n_pairs:
            break
        if not all(MIN_WORDS <= text.n_tokens <= MAX_WORDS for text in (query, source)) or _share_a_run(query, source):
            continue
        n_done += 1
        started = time.perf_counter()
        for passage in passages(query, source, Settings(), statistics):
            kinds[passage.kind] += 1
            spans = [passage.query.start, passage.query.stop, passage.source.start, passage.source.stop]
            found.append([str(one), str(other), passage.kind, round(passage.similarity, 3), *spans])
        seconds += time.perf_counter() - started
    if out:
        out.parent.mkdir(parents=True, exist_ok=True)
        out.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    counts = ", ".join(f"{kind} {count}" for kind, count in sorted(kinds.items())) or "none"
    head = "| pairs | passages | of kinds | ms a pair |\n|---:|---:|---|---:|\n"
    return head + f"| {n_done} | {len(found)} | {counts} | {1000 * seconds / max(1, n_done):.2f} |"


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
