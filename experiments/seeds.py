"""Trying every seed of a seeded filter: see `walking`."""

from __future__ import annotations

import random
import time
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from experiments.held_filters import GRAM, N_HASHES, Words, grams, murmur, present, unsampled

_SEEDS_TOGETHER = 1 << 16


@dataclass(frozen=True)
class SeedSearch:
    """A search for a 32-bit seed: the number of seeds tried, the time, and the seeds that fitted."""

    n_tried: int
    seconds: float
    is_found: bool
    n_fitting: int


def search_seeds(words: Words, seed_bits: int, chance: random.Random) -> SeedSearch:
    """Try every seed of `seed_bits` bits on a seeded filter, with four shingles that the attacker knows."""
    secret = chance.getrandbits(seed_bits)
    held = unsampled(words, murmur(secret), murmur(secret))
    known = [one.encode() for one in grams(words, GRAM)[:4]]
    fitting: list[int] = []
    began = time.process_time()
    for first in range(0, 1 << seed_bits, _SEEDS_TOGETHER):
        seeds = np.arange(first, min(first + _SEEDS_TOGETHER, 1 << seed_bits), dtype=np.uint32)
        for shingle in known:
            # A bit more each time: half of the seeds fail at the first, half of the rest at the second.
            for n_bits in (1, 3, N_HASHES):
                seeds = seeds[present(held.bits, murmur_of_seeds(shingle, seeds), n_bits)]
        fitting += seeds.tolist()
    seconds = time.process_time() - began
    return SeedSearch(1 << seed_bits, seconds, secret in fitting, len(fitting))


def murmur_of_seeds(octets: bytes, seeds: NDArray[np.uint32]) -> NDArray[np.uint32]:
    """Return MurmurHash3 x86 32 of some bytes under each seed, `(n,) uint32`.

    >>> import mmh3
    >>> int(murmur_of_seeds(b"hello", np.array([7], np.uint32))[0]) == mmh3.hash(b"hello", 7, signed=False)
    True
    """
    hashes = seeds.copy()
    whole = len(octets) // 4 * 4
    for block in np.frombuffer(octets[:whole], "<u4").tolist():
        hashes ^= _scrambled(block)
        hashes = (hashes << np.uint32(13)) | (hashes >> np.uint32(19))
        hashes = hashes * np.uint32(5) + np.uint32(0xE6546B64)
    if whole < len(octets):
        hashes ^= _scrambled(int.from_bytes(octets[whole:], "little"))
    hashes ^= np.uint32(len(octets))
    for shift, factor in ((16, 0x85EBCA6B), (13, 0xC2B2AE35)):
        hashes = (hashes ^ (hashes >> np.uint32(shift))) * np.uint32(factor)
    mixed: NDArray[np.uint32] = hashes ^ (hashes >> np.uint32(16))
    return mixed


def _scrambled(block: int) -> np.uint32:
    block = block * 0xCC9E2D51 & 0xFFFFFFFF
    block = (block << 15 | block >> 17) & 0xFFFFFFFF
    return np.uint32(block * 0x1B873593 & 0xFFFFFFFF)
