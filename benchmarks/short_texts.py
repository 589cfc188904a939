"""All pairs of short texts that are alike, beside rensa's MinHash LSH.

The texts are stretches of 200 words of the folder's documents, in their order. To each twentieth an edited copy is
added, in which each tenth word is another one.
"""

from __future__ import annotations

import importlib
import random
from collections.abc import Iterator
from time import process_time
from typing import Any

from benchmarks.chunked import least, lists_of, texts_of
from measure import report
from measure.process import FailedError, alone
from pmbf import kernels
from pmbf.kernels import Lists

Figures = dict[str, Any]

SHORT_WORDS, SHINGLE_WORDS, THRESHOLD = 200, 3, 0.5
NUM_PERM, N_BANDS = 128, 32
"""rensa's: with 32 bands of 4 MinHashes a pair with a Jaccard index of 0.5 is found with a chance of 0.87."""


def run(folder: str, *, n_texts: int, n_rounds: int) -> Figures:
    """Return the figures of both, each from a process of its own."""
    asked: Figures = {"folder": folder, "n_rounds": n_rounds, "n_texts": n_texts}
    figures = {"short": alone("benchmarks.short_texts:pmbf", **asked)}
    try:
        return figures | {"rensa": alone("benchmarks.short_texts:rensa", **asked)}
    except FailedError as error:
        return figures | {"rensa": {"failed": str(error)}}


def pmbf(folder: str, n_rounds: int, n_texts: int) -> Figures:
    """Return the times of the chunks and of the join of short texts, and how many planted pairs are told."""
    texts, planted = _texts(folder, n_texts)
    rounds = []
    for _ in range(n_rounds):
        start = process_time()
        lists = lists_of(texts, SHINGLE_WORDS)
        middle = process_time()
        joined = kernels.jaccard_join(lists, THRESHOLD)
        rounds.append({"chunks": middle - start, "join": process_time() - middle})
    told = set(zip(joined.lists().tolist(), joined.documents.tolist(), strict=True))
    alike = [pair for pair in planted if _resemblance(lists, *pair) >= THRESHOLD]
    found = {"n_planted": len(alike), "recall": sum(pair in told for pair in alike) / len(alike)}
    return {"n_texts": len(texts), "n_pairs": len(told)} | found | least(rounds)


def rensa(folder: str, n_rounds: int, n_texts: int) -> Figures:
    """Return the times of rensa's MinHash LSH for the same texts, and the share of the pairs that it tells."""
    library: Any = importlib.import_module("rensa")
    texts, _ = _texts(folder, n_texts)
    rounds = []
    for _ in range(n_rounds):
        start = process_time()
        tokens = [shingles(text) for text in texts]
        made = process_time()
        hashes = library.RMinHash.from_token_sets(tokens, NUM_PERM, 42)
        hashed = process_time()
        index = library.RMinHashLSH(THRESHOLD, NUM_PERM, N_BANDS)
        index.insert_many(hashes, 0)
        found = index.query_all(hashes)
        rounds.append({"tokens": made - start, "hashes": hashed - made, "lsh": process_time() - hashed})
    told = {(i, j) for i, some in enumerate(found) for j in some if i < j}
    joined = kernels.jaccard_join(lists_of(texts, SHINGLE_WORDS), THRESHOLD)
    pairs = set(zip(joined.lists().tolist(), joined.documents.tolist(), strict=True))
    return {"n_candidates": len(told), "recall": len(told & pairs) / max(1, len(pairs))} | least(rounds)


def lines(figures: Figures) -> Iterator[str]:
    """Yield the figures as lines of Markdown."""
    ours, theirs = figures["short"], figures["rensa"]
    yield f"{ours['n_texts']:,} texts of {SHORT_WORDS} words, all pairs with a Jaccard index of {THRESHOLD} or more"
    yield ""
    yield from report.head("| | words to shingles | hashes | pairs | in all | pairs told | of the true ones |")
    whole = ours["chunks"] + ours["join"]
    yield (
        f"| pmbf, exact | | {report.time(ours['chunks'])} | {report.time(ours['join'])} | {report.time(whole)} | "
        f"{ours['n_pairs']:,} | {ours['recall']:.3f} |"
    )
    if "failed" not in theirs:
        steps = [theirs[name] for name in ("tokens", "hashes", "lsh")]
        shown = " | ".join(report.time(one) for one in [*steps, sum(steps)])
        found = f"{theirs['n_candidates']:,} | {theirs['recall']:.3f}"
        yield f"| rensa, {N_BANDS} bands of {NUM_PERM // N_BANDS} | {shown} | {found} |"


def _texts(folder: str, n_texts: int) -> tuple[list[bytes], list[tuple[int, int]]]:
    """Return short texts, and the numbers of those that were copied with those of the copies."""
    some = random.Random(5)
    texts = list(stretches(folder, n_texts - n_texts // 20))
    planted = []
    for number in range(0, len(texts), max(1, len(texts) * 20 // n_texts)):
        if len(texts) == n_texts:
            break
        copied = list(texts[number])
        for at in range(some.randrange(10), SHORT_WORDS, 10):
            copied[at] = some.choice(some.choice(texts))
        planted.append((number, len(texts)))
        texts.append(copied)
    return [" ".join(words).encode() for words in texts], planted


def stretches(folder: str, n: int) -> Iterator[list[str]]:
    """Yield the words of at most `n` texts: stretches of the folder's documents, in their order."""
    left = n
    for text in texts_of(folder):
        words = text.decode().split()
        for start in range(0, len(words) - SHORT_WORDS + 1, SHORT_WORDS):
            if not left:
                return
            left -= 1
            yield words[start : start + SHORT_WORDS]


def shingles(utf8: bytes) -> list[str]:
    """Return the shingles that our chunks are, as strings: then both compare the same sets."""
    words = kernels.fold(utf8).text.split()
    return [" ".join(words[i : i + SHINGLE_WORDS]) for i in range(len(words) - SHINGLE_WORDS + 1)]


def _resemblance(lists: Lists, i: int, j: int) -> float:
    one, other = set(lists[i].tolist()), set(lists[j].tolist())
    return len(one & other) / len(one | other)
