"""Two releases of the same documents: real edits, by people who did not know of this experiment.

The corpus is built by `python -m experiments corpus revisions FOLDER`: the documentation of Linux 6.1 and 6.12, and the
help of LibreOffice in two spellings. Documents with one path in both releases are drawn. Of all pairs among them, not
only those of one path, a pair is a copy if its words in order are alike (Indel similarity of 0.7 or more).
"""

from __future__ import annotations

import random
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from rapidfuzz.distance import Indel

from measure.corpora import read
from pmbf import kernels
from pmbf.base.errors import NotFoundError
from pmbf.base.params import Sampling
from pmbf.kernels import WHOLE, Likeness
from pmbf.text import tokenise, utf8

RELEASES = (
    ("linux-doc-6.1/linux-doc-6.1", "linux-doc-6.12/linux-doc-6.12", 900),
    (
        "libreoffice-help-en-us/usr/share/libreoffice/help/en-US",
        "libreoffice-help-en-gb/usr/share/libreoffice/help/en-GB",
        300,
    ),
)
"""Two folders, and how many paths that both have are drawn."""

HALVES = ("first", "second")
"""Thresholds are chosen on the first, and shown on the second."""

LEAST_COPY, LEAST_LIKE = 0.7, 0.15
"""Least Indel similarity of a copy; and the least Jaccard index of three-word shingles of a pair that is looked at."""

_ALL_SHINGLES = Sampling(3, True, 1.0, 1, 1 << 40)
_MOST_SHINGLES = 20_000
"""Longer documents are left out: the comparison of all their words takes seconds."""


@dataclass(frozen=True, slots=True)
class Set:
    """Some documents, and which pairs of them are copies."""

    texts: list[str]
    copies: set[tuple[int, int]]


def drawn(folder: Path, seed: int) -> tuple[dict[str, list[Path]], list[Path]]:
    """Return the drawn documents of each half, and all others of the corpus. A path's releases are in one half.

    Raises:
        NotFoundError: The folder lacks a release.
    """
    halves: dict[str, list[Path]] = {name: [] for name in HALVES}
    taken: set[Path] = set()
    for old, new, n in RELEASES:
        for name in (old, new):
            if not (folder / name).is_dir():
                raise NotFoundError(f"{folder}: has no folder {name}; build it: python -m experiments corpus revisions")
        named = {path.relative_to(folder / old) for path in (folder / old).rglob("*.txt")}
        both = sorted(named & {path.relative_to(folder / new) for path in (folder / new).rglob("*.txt")})
        fit = [path for path in random.Random(seed).sample(both, len(both)) if _is_short(folder / new / path)]
        for path in fit[:n]:
            releases = [folder / old / path, folder / new / path]
            halves[HALVES[zlib.crc32(str(path).encode()) % 2]] += releases
            taken.update(releases)
    others = sorted(set(folder.rglob("*.txt")) - taken)
    return halves, others


def _is_short(path: Path) -> bool:
    return path.stat().st_size < 6 * _MOST_SHINGLES


def labelled(paths: Sequence[Path]) -> Set:
    """Return some documents with their copies."""
    texts = [read(path) for path in paths]
    tokens = [tokenise(text).hashes.tolist() for text in texts]
    copies = set()
    for first, second, *_ in _like(texts):
        if Indel.normalized_similarity(tokens[first], tokens[second], score_cutoff=LEAST_COPY) >= LEAST_COPY:
            copies.add((first, second))
    return Set(texts, copies)


def _like(texts: Sequence[str]) -> list[list[int]]:
    """Return the pairs whose shingles of three words are alike, compared in full."""
    lists = []
    for text in texts:
        hashes = kernels.sample(utf8(text), _ALL_SHINGLES, positions=False).hashes
        lists.append(np.append(np.uint32(WHOLE), hashes).astype("<u4").tobytes())
    found: list[list[int]] = kernels.pairs_alike(lists, Likeness(LEAST_LIKE / (1 + LEAST_LIKE))).tolist()
    return found
