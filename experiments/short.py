"""How short may a verbatim passage be, and how many documents may share it? Passages of 100 to 400 characters.

Each passage is taken verbatim from a document of the folder, with whole words, and put into an unrelated text of two
thousand characters. An exact search finds the documents that hold the passage, word by word. The passage counts as
found if the screening reports a passage of one of these documents.

- load: seconds to load the folder with two threads;
- index: bytes of rows and fingerprints, as a share of the texts' characters;
- ms: median processor time of a screening, one text after another in this process.
"""

from __future__ import annotations

import argparse
import random
import re
import statistics
import tempfile
import time
from bisect import bisect_right
from collections import Counter
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from experiments.arguments import add_params
from measure import report
from measure.commands import add_folder, add_numbers
from measure.corpora import described
from measure.overlap import WORD
from pmbf.base.params import Params
from pmbf.collection import Collection

LENGTHS = (100, 150, 200, 300, 400)
HOLDERS = {"1": 1, "2–16": 16, "17–50": 50, "more": 1 << 32}
"""Most documents that hold a passage, by the name of the column."""

LEAST_CHARS = 1500
"""Fewest characters of a document that passages are taken from."""

TEXT = Path(__file__).parent.parent / "examples" / "suspicious" / "none.txt"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the experiment."""
    add_folder(parser)
    add_numbers(parser, n_passages=(1000, "passages"), seed=(0, "seed of the passages"))
    add_params(parser)


def run(folder: Path, *, n_passages: int, seed: int, params: Params | None = None) -> dict[str, Any]:
    """Load a folder, screen a text with each passage, and return the share that is found.

    Args:
        folder: Documents of any kind that `pmbf load` reads.
        n_passages: Number of passages.
        seed: Seed of the draw of passages.
        params: Of the collection; None for the defaults.
    """
    params = params or Params()
    with (
        tempfile.TemporaryDirectory() as scratch,
        Collection(Path(scratch) / "c.pmbf", create=True, params=params) as collection,
    ):
        started = time.perf_counter()
        collection.load([folder], jobs=2)
        load_s = time.perf_counter() - started
        asked = _asked(collection, n_passages, random.Random(seed))
        size = collection.stats()
    return {
        "corpus": described(folder),
        "documents": size.n_documents,
        "seed": seed,
        "params": asdict(params),
        "load_s": round(load_s, 2),
        "index_share": (size.tile_bytes + size.fingerprint_bytes) / max(1, size.n_chars),
        "ms": round(1000 * statistics.median(asked.seconds or [0.0]), 2),
        "tried": _by_name(asked.tried),
        "found": _by_name(asked.found),
    }


@dataclass
class _Asked:
    """How many passages of each length and number of holders were screened, how many found; processor time of each."""

    tried: Counter[tuple[int, str]] = field(default_factory=Counter)
    found: Counter[tuple[int, str]] = field(default_factory=Counter)
    seconds: list[float] = field(default_factory=list)


def _asked(collection: Collection, n_passages: int, chosen: random.Random) -> _Asked:
    around = TEXT.read_text(encoding="utf-8")
    middle = around.index(" ", len(around) // 2)
    texts = {one.id: collection.text(one.id) for one in collection.documents()}
    holders, asked = Holders(texts), _Asked()
    long = [id_ for id_, text in texts.items() if len(text) >= LEAST_CHARS]
    while long and asked.tried.total() < n_passages:
        length = chosen.choice(LENGTHS)
        passage = cut(texts[chosen.choice(long)], length, chosen)
        holding = holders.of(passage)
        if not holding:
            continue
        kind = length, next(name for name, most in HOLDERS.items() if len(holding) <= most)
        started = time.process_time()
        matches = collection.screen(f"{around[:middle]}\n\n{passage}\n\n{around[middle:]}").matches
        asked.seconds.append(time.process_time() - started)
        asked.tried[kind] += 1
        asked.found[kind] += any(match.passages and match.document.id in holding for match in matches)
    return asked


def cut(text: str, length: int, chosen: random.Random) -> str:
    """Return `n_chars` characters of a text, without the cut words at both ends.

    >>> cut("one two three four", 13, random.Random(1))
    'two three'
    """
    start = chosen.randrange(max(1, len(text) - length))
    return re.sub(r"^\S*\s+|\s+\S*$", "", text[start : start + length])


class Holders:
    """Which documents hold some words in a row. The characters between the words do not count.

    >>> holders = Holders({1: "0 one, two: three FOUR", 2: "one two three four", 3: "one three two four"})
    >>> sorted(holders.of("One two three  four"))
    [1, 2]
    """

    def __init__(self, texts: dict[int, str]) -> None:
        self._ids, self._starts, all_words, at = list(texts), [], [], 0
        for text in texts.values():
            self._starts.append(at)
            all_words.append(f" {_words(text)} \0")
            at += len(all_words[-1])
        self._all = "".join(all_words)

    def of(self, passage: str) -> set[int]:
        """Return the ids of the documents; none for fewer than four words."""
        words, holding, at = _words(passage), set(), -1
        while words.count(" ") >= 3 and (at := self._all.find(f" {words} ", at + 1)) >= 0:
            place = bisect_right(self._starts, at)
            holding.add(self._ids[place - 1])
            at = self._starts[place] - 1 if place < len(self._starts) else len(self._all)
        return holding


def _words(text: str) -> str:
    return " ".join(WORD.findall(text.lower()))


def _by_name(counts: Counter[tuple[int, str]]) -> dict[str, dict[str, int]]:
    return {str(length): {name: counts[length, name] for name in HOLDERS} for length in LENGTHS}


def table(figures: dict[str, Any]) -> str:
    """Return what finding the passages cost, and the table of `shares`."""
    n_passages = sum(sum(some.values()) for some in figures["tried"].values())
    cost = f"index {figures['index_share']:.0%} of the text, {figures['ms']:.0f} ms a text"
    head = f"{figures['documents']} documents, {n_passages} passages\nload {figures['load_s']:.1f} s, {cost}"
    return f"{head}\n\n{shares(figures)}"


def shares(figures: dict[str, Any]) -> str:
    """Return the shares as a Markdown table, with the numbers of passages."""
    tried, found = figures["tried"], figures["found"]
    lines = report.head(f"| characters | {' | '.join(f'in {name}' for name in HOLDERS)} |")
    for length in LENGTHS:
        cells = [
            f"{found[str(length)][name] / n:.2f} of {n}" if (n := tried[str(length)][name]) else "" for name in HOLDERS
        ]  # fmt: skip
        lines.append(f"| {length} | {' | '.join(cells)} |")
    return "\n".join(lines)
