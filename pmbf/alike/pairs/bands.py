"""Bands of document frequency: features that too many or too few texts have are left out.

    idf of a feature = ln(N / n) / ln N        n of N texts have it; 1 if one text has it, 0 if all have it

N and n are those of a background, a large number of other texts, together with the texts that are compared. Without a
background of `LEAST_TEXTS` a band is refused: among few texts a feature of exactly two of them is rare, and features of
exactly two texts are what copies share.

Source: Zhang, Yu, Zhang & Huang, section 5.1, where the frequencies are those of 1.6 million pages.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from pmbf import kernels
from pmbf.alike.pairs.features import Features
from pmbf.alike.pairs.work import Arrays, arrays_in, as_bytes, run_of
from pmbf.base.contents import read_bounded
from pmbf.base.errors import CorruptError, ParameterError
from pmbf.kernels import Lists
from pmbf.store.folders import replacing

LEAST_TEXTS = 100_000
"""Texts from which frequencies say what is rare."""
_MOST_BYTES = 1 << 36


@dataclass(frozen=True, slots=True)
class Band:
    """Which features are kept: those of an idf in [low, high].

    Raises:
        ParameterError: They are no part of [0, 1].
    """

    low: float = 0.0
    high: float = 1.0

    def __post_init__(self) -> None:
        if not 0 <= self.low < self.high <= 1:
            raise ParameterError(f"idf is {self.low:g},{self.high:g}, expected two ascending numbers from 0 to 1")

    @property
    def is_open(self) -> bool:
        """Whether every feature is kept."""
        return self.low == 0 and self.high == 1


@dataclass(frozen=True, slots=True, eq=False)
class Background:
    """In how many of `n_texts` texts each feature is; `hashes` are those of two texts or more, ascending."""

    n_texts: int
    hashes: NDArray[np.uint32]
    frequencies: NDArray[np.uint32]

    def counted(self, hashes: NDArray[np.uint32]) -> NDArray[np.uint32]:
        """Return in how many texts each feature is; 0 for features of one text."""
        at = np.minimum(np.searchsorted(self.hashes, hashes), max(0, len(self.hashes) - 1))
        if not len(self.hashes):
            return np.zeros(len(hashes), np.uint32)
        return np.where(self.hashes[at] == hashes, self.frequencies[at], 0).astype(np.uint32)

    @classmethod
    def of(cls, lists: Lists) -> Background:
        """Return the background that some texts are."""
        hashes, frequencies = frequencies_of(lists)
        shared = frequencies > 1
        return cls(len(lists), hashes[shared], frequencies[shared])

    def write(self, path: str | os.PathLike[str], features: Features) -> None:
        """Write the background to a file, whole or not at all."""
        n_texts = np.array([self.n_texts], np.uint64)
        arrays: Arrays = {"n_texts": n_texts, "hashes": self.hashes, "frequencies": self.frequencies}
        with replacing(Path(path), beside_others=True) as file:
            file.write(as_bytes(features.key(), arrays))

    @classmethod
    def read(cls, path: str | os.PathLike[str], features: Features) -> Background:
        """Return the background in a file, which was made of the same features."""
        content = read_bounded(path, _MOST_BYTES)
        arrays = arrays_in(content)
        if arrays is None or set(arrays) != {"n_texts", "hashes", "frequencies"}:
            raise CorruptError(f"{path}: is damaged, or no background; make it again with --write-background")
        if run_of(content) != features.key():
            raise ParameterError(
                f"{path}: was made of other features than these ({features.kind}); make it again with the same "
                "--features, or by this version of pmbf"
            )
        return cls(int(arrays["n_texts"][0]), arrays["hashes"], arrays["frequencies"])


def banded(lists: Lists, band: Band, background: Background | None) -> Lists:
    """Return the lists without the features outside of a band.

    Raises:
        ParameterError: The background and the lists are fewer than `LEAST_TEXTS` texts.
    """
    if band.is_open:
        return lists
    n_others = background.n_texts if background else 0
    n_texts = n_others + len(lists)
    if n_texts < LEAST_TEXTS:
        raise ParameterError(
            f"idf is {band.low:g},{band.high:g}, but frequencies are known of {n_texts:,} texts only, expected at "
            f"least {LEAST_TEXTS:,}: among few texts a band leaves out just what copies share; give the background of "
            "a larger set (--param background), or leave the band out"
        )
    hashes, frequencies = frequencies_of(lists)
    counts = frequencies.astype(np.float64)
    if background:
        counts += background.counted(hashes)
    idf = np.log(n_texts / counts) / np.log(n_texts)
    return kernels.drop_features(lists, hashes[(idf < band.low) | (idf > band.high)])


def frequencies_of(lists: Lists) -> tuple[NDArray[np.uint32], NDArray[np.uint32]]:
    """Return the features of some lists, ascending, and how many lists have each."""
    ordered = np.sort(lists.features)
    firsts = np.flatnonzero(np.append(True, ordered[1:] != ordered[:-1])[: len(ordered)])
    return ordered[firsts], np.diff(np.append(firsts, len(ordered))).astype(np.uint32)
