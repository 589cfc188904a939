"""pmbf beside datasketch and rensa: all near-duplicates among 20,000 short texts, and among labelled revisions.

The texts are pieces of 200 words of real documents. 1,000 of them are edited copies of others, of which a share of the
words was replaced. A planted pair counts if its true Jaccard index, of the sets of all runs of three words as strings,
is 0.5 or more. Each library gets texts and gives pairs; the two others are given sets of runs of words, cut in Python,
for which their time is told apart, too.
"""

from __future__ import annotations

import argparse
import importlib
import random
import time
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

from experiments.near.accuracy import revisions
from measure import report
from measure.commands import add_folder
from measure.process import alone

THRESHOLD, WORDS, N_TEXTS, N_PLANTED = 0.5, 3, 20_000, 1000
PERMUTATIONS, BANDS = 128, 32
"""32 bands of 4 MinHashes: half of the pairs of a Jaccard index of 0.36 come up, and 87 % of those of 0.5."""
LIBRARIES = ("pmbf", "rensa", "datasketch")
_ROUNDS = 3
Pairs = set[tuple[int, int]]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the corpus `revisions`."""
    add_folder(parser)


def run(folder: Path) -> dict[str, Any]:
    """Measure each library on the corpus `revisions`, and return the figures."""
    rows = []
    for which in ("pieces", "revisions"):
        taken = [
            {name: alone("experiments.near.peers:measured", library=name, which=which, folder=str(folder.resolve()))
             for name in LIBRARIES}
            for _ in range(_ROUNDS)
        ]  # fmt: skip
        for name in LIBRARIES:
            best = min((one[name] for one in taken), key=lambda one: float(one["s"]))
            rows.append({"texts": which, "library": name, "version": report.version(name), **best})
    return {"rows": rows}


def table(figures: dict[str, Any]) -> str:
    """Return the figures as Markdown."""
    lines = report.head("| texts | library | texts to pairs | without cutting into words | pairs | recall | F1 |")
    for row in figures["rows"]:
        f1 = f"{row['f1']:.3f}" if row["f1"] is not None else ""
        lines.append(
            f"| {row['n_texts']:,} {row['texts']} | {row['library']} {row['version']} | {row['s']:.2f} s | "
            f"{row['without_cutting_s']:.2f} s | {row['pairs']:,} | {row['recall']:.4f} | {f1} |"
        )
    return "\n".join(lines)


def measured(library: str, which: str, folder: str) -> dict[str, Any]:
    """Return the figures of one library, in seconds of its process."""
    if which == "pieces":
        texts, true = pieces(Path(folder))
    else:
        documents, _, _ = revisions(Path(folder))
        texts, true = documents.texts, documents.copies
    of = {"pmbf": _pmbf, "rensa": _rensa, "datasketch": _datasketch}[library]
    of(texts[:50])  # imports and tables
    start = time.process_time()
    found, cutting_s = of(texts)
    taken = time.process_time() - start
    recall = len(found & true) / len(true)
    f1 = 2 * len(found & true) / (len(found) + len(true)) if which == "revisions" else None
    return {
        "n_texts": len(texts),
        "s": round(taken, 4),
        "without_cutting_s": round(taken - cutting_s, 4),
        "pairs": len(found),
        "planted": len(true),
        "recall": round(recall, 5),
        "f1": f1 and round(f1, 4),
    }


def pieces(folder: Path) -> tuple[list[str], Pairs]:
    """Return pieces of real documents with edited copies among them, and the pairs of a piece and its copy."""
    chosen = random.Random(5)
    paths = sorted((folder / "linux-doc-6.12").rglob("*.txt"))
    chosen.shuffle(paths)
    texts = list(islice(_cut(paths), N_TEXTS - N_PLANTED))
    vocabulary = texts[0].split() + texts[1].split() + texts[2].split()
    origins = chosen.sample(range(len(texts)), N_PLANTED)
    true = set()
    for origin in origins:
        words = texts[origin].split()
        for place in chosen.sample(range(len(words)), chosen.randrange(0, 26)):
            words[place] = chosen.choice(vocabulary)
        texts.append(" ".join(words))
        a, b = set(_runs(texts[origin])), set(_runs(texts[-1]))
        if len(a & b) / len(a | b) >= THRESHOLD:
            true.add((origin, len(texts) - 1))
    return texts, true


def _cut(paths: Sequence[Path]) -> Iterator[str]:
    for path in paths:
        words = path.read_text(encoding="utf-8").lower().split()
        plain = [word for word in words if word.isascii() and word.isalnum()]  # so that all libraries see equal words
        for start in range(0, len(plain) - 199, 200):
            yield " ".join(plain[start : start + 200])


def _runs(text: str) -> list[str]:
    words = text.split()
    return [" ".join(words[start : start + WORDS]) for start in range(len(words) - WORDS + 1)]


def _timed(call: Callable[[], Any]) -> tuple[Any, float]:
    start = time.process_time()
    return call(), time.process_time() - start


def _pmbf(texts: list[str]) -> tuple[Pairs, float]:
    from pmbf.alike.pairs import near_duplicates

    joined = near_duplicates(texts, threshold=THRESHOLD).links.joined
    return set(zip(joined.first.tolist(), joined.second.tolist(), strict=True)), 0.0


def _rensa(texts: list[str]) -> tuple[Pairs, float]:
    rensa = importlib.import_module("rensa")
    sets, cutting_s = _timed(lambda: [_runs(text) for text in texts])
    hashes = rensa.RMinHash.from_token_sets(sets, PERMUTATIONS, 42)
    index = rensa.RMinHashLSH(THRESHOLD, PERMUTATIONS, BANDS)
    index.insert_pairs(list(enumerate(hashes)))
    return {(i, j) for i, found in enumerate(index.query_all(hashes)) for j in found if i < j}, cutting_s


def _datasketch(texts: list[str]) -> tuple[Pairs, float]:
    datasketch = importlib.import_module("datasketch")
    sets, cutting_s = _timed(lambda: [[run.encode() for run in _runs(text)] for text in texts])
    index = datasketch.MinHashLSH(num_perm=PERMUTATIONS, params=(BANDS, PERMUTATIONS // BANDS))
    found = Pairs()
    for number, hashes in enumerate(datasketch.MinHash.bulk(sets, num_perm=PERMUTATIONS)):
        found |= {(one, number) for one in index.query(hashes)}
        index.insert(number, hashes, check_duplication=False)
    return found, cutting_s
