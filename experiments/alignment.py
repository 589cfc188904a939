"""False alarms between texts of one topic, and what care against them costs: copies missed in the same texts.

Texts of one folder (manual pages of one package, chapters of one book) speak of the same things in similar words. Some
pairs are left out: those that share `RUN_WORDS` words in a row, or `NEAR_WORDS` words with at most `NEAR_CHANGES`
replaced, left out or put in. They may be real copies (a licence, a heading, a form filled in twice). Each passage found
in the other pairs is a false alarm.

Then some words in a row of one text are put into the other, unchanged or with `EDITED_WORDS` of them changed. Both
texts are compared as in a screening.
"""

from __future__ import annotations

import argparse
import random
import time
from collections import Counter, defaultdict
from collections.abc import Iterator
from functools import lru_cache
from itertools import groupby, product
from pathlib import Path
from typing import Any

from rapidfuzz.distance import Levenshtein

from measure import report
from measure.commands import add_folder, add_numbers
from measure.corpora import described, read
from measure.planting import EDITED_WORDS
from pmbf.kernels import NAT, Rules, gram_stops
from pmbf.report import Passage
from pmbf.screen.comparing import LEAST_SUMMARY_CHARS, SHORT_DOUBT, SUMMARY_TIMES, TOPICAL_EVIDENCE
from pmbf.verify import Prepared, Settings, Statistics, passages, prepare

RUN_WORDS = 8
NEAR_WORDS, NEAR_CHANGES = 12, 3
MIN_WORDS, MAX_WORDS = 300, 8000
N_SAMPLED = 64
PLANTED_WORDS = (12, 15, 20, 30, 40)
SETTINGS = Settings(
    short_doubt=SHORT_DOUBT,
    least_topical_evidence=TOPICAL_EVIDENCE,
    min_summary_chars=LEAST_SUMMARY_CHARS,
    rules=Rules(summary_times=round(SUMMARY_TIMES * NAT)),
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the experiment: a folder that has a folder of text files for each topic."""
    add_folder(parser)
    add_numbers(parser, n_pairs=(1000, "pairs"), seed=(0, "seed of the pairs"))


def run(folder: Path, *, n_pairs: int = 1000, seed: int = 0) -> dict[str, Any]:
    """Return the passages found in pairs of one topic, and how many of those planted were found.

    Args:
        folder: Any folder with text files, in folders by topic.
        n_pairs: Number of pairs, which are drawn by chance.
        seed: Seed of the draw.
    """
    rng = random.Random(seed)
    paths = sorted(folder.rglob("*.txt"))
    statistics = Statistics.of(_prepared(path).words for path in rng.sample(paths, min(N_SAMPLED, len(paths))))
    told: Counter[str] = Counter()
    found, seconds, n_done = [], 0.0, 0
    for one, other in _clean_pairs(paths, rng):
        if n_done == n_pairs:
            break
        query, source = _prepared(one), _prepared(other)
        started = time.perf_counter()
        for passage in as_screened(query, source, statistics):
            spans = [passage.query.start, passage.query.stop, passage.source.start, passage.source.stop]
            found.append([str(one), str(other), passage.kind, round(passage.similarity, 3), *spans])
        seconds += time.perf_counter() - started
        planted = PLANTED_WORDS[n_done // 2 % len(PLANTED_WORDS)], n_done % 2 == 1
        told["{} {}".format(*planted)] += _is_told(query, source, *planted, statistics, random.Random(n_done))
        n_done += 1
    ms = 1000 * seconds / max(1, n_done)
    return {"corpus": described(folder), "seed": seed, "pairs": n_done, "ms": ms, "told": dict(told), "found": found}


def as_screened(query: Prepared, source: Prepared, statistics: Statistics) -> tuple[Passage, ...]:
    """Return the passages that a screening finds. What is usual in the query counts, too.

    Args:
        query: The text that is screened.
        source: A text of the collection.
        statistics: How rare words are in the collection.
    """
    known = statistics.beside(query.words) if query.is_known(statistics) else statistics
    return passages(query, source, SETTINGS, known)


def table(figures: dict[str, Any]) -> str:
    """Return the figures as Markdown tables: false alarms, then planted words."""
    kinds = Counter(kind for _, _, kind, *_ in figures["found"])
    counts = ", ".join(f"{kind} {count}" for kind, count in sorted(kinds.items())) or "none"
    lines = report.head("| pairs | passages | of kinds | ms a pair |")
    lines += [f"| {figures['pairs']} | {len(figures['found'])} | {counts} | {figures['ms']:.2f} |", ""]
    lines += report.head("| planted words | pairs | verbatim | edited |")
    n_each = figures["pairs"] // (2 * len(PLANTED_WORDS))
    for n_words in PLANTED_WORDS:
        some = (figures["told"].get(f"{n_words} {edited}", 0) for edited in (False, True))
        lines.append(f"| {n_words} | {n_each} | {' | '.join(f'{n / max(1, n_each):.2f}' for n in some)} |")
    return "\n".join(lines)


def _is_told(
    query: Prepared, source: Prepared, n_words: int, edited: bool, statistics: Statistics, rng: random.Random
) -> bool:
    """Return whether the source's words in the query are found, changed or not."""
    starts, stops = source.tokens.starts, source.tokens.stops
    first = rng.randrange(source.n_tokens - n_words)
    copy = source.text[starts[first] : stops[first + n_words - 1]]
    if edited:
        copy = " ".join(_edited(copy.split(), query.text.split(), rng))
    at = int(query.tokens.starts[rng.randrange(query.n_tokens)])
    text = f"{query.text[:at]}\n\n{copy}\n\n{query.text[at:]}"
    found = as_screened(prepare(text), source, statistics)
    return any(one.query.start < at + 2 + len(copy) and at + 2 < one.query.stop for one in found)


def _edited(words: list[str], others: list[str], rng: random.Random) -> Iterator[str]:
    """Yield words, some of them replaced, dropped, or followed by another word."""
    for word in words:
        change = rng.choice(("replace", "drop", "insert")) if rng.random() < EDITED_WORDS else None
        if change != "drop":
            yield rng.choice(others) if change == "replace" else word
        if change == "insert":
            yield rng.choice(others)


def _clean_pairs(paths: list[Path], rng: random.Random) -> Iterator[tuple[Path, Path]]:
    """Yield pairs of one topic that are neither short nor long, and share no run of words."""
    for one, other in _pairs(paths, rng):
        query, source = _prepared(one), _prepared(other)
        if all(MIN_WORDS <= text.n_tokens <= MAX_WORDS for text in (query, source)) and not _share_text(query, source):
            yield one, other


def _pairs(paths: list[Path], rng: random.Random) -> Iterator[tuple[Path, Path]]:
    """Yield pairs of texts of one folder, drawn by chance. No pair comes twice."""
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


def _share_text(query: Prepared, source: Prepared) -> bool:
    """Return whether two texts share `RUN_WORDS` words in a row, or `NEAR_WORDS` of which few are changed."""
    if runs_of(query, RUN_WORDS).keys() & runs_of(source, RUN_WORDS).keys():
        return True
    ours, theirs = query.tokens.hashes.tolist(), source.tokens.hashes.tolist()
    return any(_are_near(ours[i:], theirs[j:]) for i, j in _windows(query, source))


def runs_of(text: Prepared, n_words: int) -> dict[bytes, list[int]]:
    """Return where each run of `n_words` words begins. A token that is a single letter counts as half a word."""
    found: dict[bytes, list[int]] = defaultdict(list)
    for start, stop in enumerate(gram_stops(text.tokens.singles, n_words).tolist()):
        found[text.tokens.hashes[start:stop].tobytes()].append(start)
    return found


def _are_near(ours: list[int], theirs: list[int]) -> bool:
    return Levenshtein.distance(ours[:NEAR_WORDS], theirs[:NEAR_WORDS], score_cutoff=NEAR_CHANGES) <= NEAR_CHANGES


def _windows(query: Prepared, source: Prepared) -> set[tuple[int, int]]:
    """Return where `NEAR_WORDS` words begin that hold a common run, at the same distance from the begin in both texts.

    With at most `NEAR_CHANGES` changes a run of that length is left.
    """
    n_equal = -(-(NEAR_WORDS - NEAR_CHANGES) // (NEAR_CHANGES + 1))
    ours, theirs = runs_of(query, n_equal), runs_of(source, n_equal)
    found = set()
    for run in ours.keys() & theirs.keys():
        for i, j in product(ours[run], theirs[run]):
            for before in range(NEAR_WORDS - n_equal + 1):
                if i - before >= 0 and j - before >= 0:
                    found.add((i - before, j - before))
    n_ours, n_theirs = query.n_tokens - NEAR_WORDS, source.n_tokens - NEAR_WORDS
    return {(i, j) for i, j in found if i <= n_ours and j <= n_theirs}


@lru_cache(maxsize=512)
def _prepared(path: Path) -> Prepared:
    return prepare(read(path))
