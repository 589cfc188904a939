"""How many hits are too many for chance: exact binomial tails, and the thresholds that follow from them.

A row that holds nothing of a query is hit by each of its n hashes with probability `rate`, so its hits are
Bin(n, rate). The sums here are exact except for rounding. Some peers use the Chernoff bound instead,
exp(-n (t - rate)^2 / (2 (1 - rate))). It is off by ten orders of magnitude at usual settings: at n = 150, rate 1 % and
t = 10 % it gives 10^-0.3, where the tail is 10^-10.3. A threshold from that bound would miss copies.

The paper's method (`popcount`) and its experiments use these thresholds. A screening weighs hits by rarity instead, see
docs/decisions/0011-hits-are-weighed-by-rarity.md.
"""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from pmbf.base.arrays import distinct
from pmbf.base.errors import ParameterError

Rates = NDArray[np.float64]

GRID_STEP = math.log1p(1 / 64)
"""Rates are rounded up to powers of 1 + 1/64. A threshold rises by at most the effect of 1.6 % more false hits."""

CHANCES_PER_OCTAVE = 4
"""Chances are rounded down to powers of 2^(1/4), tries up to six leading bits: queries of similar length share
tables."""

_LEADING_BITS = 6
_LOWEST_BUCKET = math.ceil(math.log(1e-9) / GRID_STEP)
_NEGLIGIBLE = 40.0
"""Terms below e^-40 of the wanted tail are left out: a double cannot hold them beside it."""

_BLOCK_TERMS = 1 << 18
_UNKNOWN = -1


def tail(n: int, rate: float, t: int) -> float:
    """Return the chance of at least t hits in n tries, P(Bin(n, rate) >= t): 1.0 for t up to 0, 0.0 above n.

    >>> round(math.log10(tail(150, 0.01, 15)), 1)
    -10.3
    """
    _require(n, rate)
    if t <= 0 or (rate == 1.0 and t <= n):
        return 1.0
    if t > n or rate == 0.0:
        return 0.0
    if t <= n * rate:
        return 1.0 - tail(n, 1.0 - rate, n - t + 1)
    reach = _reach(n, rate, _NEGLIGIBLE - _log_term(n, rate, t))
    return min(1.0, float(np.exp(_log_terms(n, np.array([rate]), np.array([t]), max(1, reach - t))).sum()))


def threshold(n: int, rate: float, p: float) -> int:
    """Return the fewest hits that chance reaches with a probability of at most p, 0 to n + 1.

    The chance p is above 0; from 1 on no hit is needed.

    >>> threshold(150, 0.01, 1e-6), threshold(24, 0.0, 1e-6), threshold(24, 1.0, 1e-6)
    (11, 1, 25)
    """
    _require(n, rate)
    _require_chance(p)
    return int(_exact(n, np.array([rate], np.float64), p)[0])


def thresholds(n: int, rates: Rates, p: float) -> NDArray[np.int32]:
    """Return the threshold of each rate, `(len(rates),) int32`, for n and rates rounded up, p down, on fine grids.

    A threshold is never lower than the exact one, nor above n + 1. Results are kept, by grid point: 500 rates cost
    about 50 microseconds once their points are known. Safe from several threads. Rates below 1e-9 count as 1e-9, but 0
    as 0.

    >>> thresholds(150, np.array([0.0, 0.01, 1.0]), 1e-6).tolist()
    [1, 11, 151]
    """
    _require_rates(n, rates)
    n_grid, p_grid = _grid_point(n, p)
    buckets = np.zeros(len(rates), np.intp)
    above = rates > 0.0
    buckets[above] = _buckets(rates[above]) - _LOWEST_BUCKET + 1
    table = _table(n_grid, p_grid)
    found = table[buckets]
    if (found == _UNKNOWN).any():
        _learn(table, distinct(buckets[found == _UNKNOWN]), n_grid, p_grid)
        found = table[buckets]
    return np.minimum(found, n + 1, dtype=np.int32)


def _grid_point(n: int, p: float) -> tuple[int, float]:
    """Return the tries, raised by less than 1/32 above 64, and the chance, lowered to a power of 2^(1/4)."""
    _require_chance(p)
    shift = max(0, n.bit_length() - _LEADING_BITS)
    below = 2.0 ** (math.floor(CHANCES_PER_OCTAVE * math.log2(p)) / CHANCES_PER_OCTAVE)
    return -(-n >> shift) << shift, min(p, below) or p


@lru_cache(maxsize=512)
def _table(n: int, p: float) -> NDArray[np.int32]:
    """Return the thresholds by bucket as far as they are known: rate 0, then the grid from 1e-9 to 1."""
    return np.full(2 - _LOWEST_BUCKET, _UNKNOWN, np.int32)


def _learn(table: NDArray[np.int32], wanted: NDArray[np.intp], n: int, p: float) -> None:
    rates = np.where(wanted > 0, np.exp((wanted - 1 + _LOWEST_BUCKET) * GRID_STEP), 0.0)
    table[wanted] = _exact(n, rates, p)


def _buckets(rates: Rates) -> NDArray[np.intp]:
    return np.clip(np.ceil(np.log(rates) / GRID_STEP), _LOWEST_BUCKET, 0).astype(np.intp)


def _exact(n: int, rates: Rates, p: float) -> NDArray[np.int32]:
    """Return the thresholds of the given rates, without rounding them."""
    if p >= 1.0:
        return np.zeros(len(rates), np.int32)
    found = np.where(rates > 0.0, n + 1, 1).astype(np.int32)
    inner = np.flatnonzero((rates > 0.0) & (rates < 1.0)) if n else np.empty(0, np.intp)
    inner = inner[np.argsort(rates[inner])]
    n_terms = n + 1 if p >= 0.5 else _widest(n, p)
    for part in np.array_split(inner, max(1, len(inner) * n_terms // _BLOCK_TERMS)):
        if len(part):
            found[part] = _summed(n, rates[part], p)
    return found


def _summed(n: int, rates: Rates, p: float) -> NDArray[np.int32]:
    """Return the first t whose tail is at most p, from the terms between the median and the place where tails vanish.

    Half of a binomial lies at or above the integer part of its mean, so for p < 1/2 the search may begin there.
    """
    first = np.floor(n * rates).astype(np.int64) if p < 0.5 else np.zeros(len(rates), np.int64)
    nats = _NEGLIGIBLE - math.log(p)
    n_terms = max(_reach(n, rate, nats) - at for rate, at in zip(rates.tolist(), first.tolist(), strict=True))
    terms = np.exp(_log_terms(n, rates, first, n_terms))
    tails = np.cumsum(terms[:, ::-1], axis=1)[:, ::-1]
    return np.asarray(first + (tails > p).sum(axis=1), np.int32)


def _log_terms(n: int, rates: Rates, first: NDArray[np.int64], n_terms: int) -> Rates:
    """Return the logarithms of P(Bin(n, rate) = t) for `n_terms` values of t from `first` on, a line for each rate.

    One logarithm of a factorial a line, then ratios of neighbours; beyond n they are -inf.
    """
    logs = np.empty((len(rates), n_terms))
    logs[:, 0] = [_log_term(n, rate, t) for rate, t in zip(rates.tolist(), first.tolist(), strict=True)]
    before = first[:, None] + np.arange(n_terms - 1)
    with np.errstate(divide="ignore"):
        logs[:, 1:] = np.log(np.maximum(n - before, 0) / (before + 1.0))
    logs[:, 1:] += (np.log(rates) - np.log1p(-rates))[:, None]
    return np.cumsum(logs, axis=1)


def _log_term(n: int, rate: float, t: int) -> float:
    ways = math.lgamma(n + 1) - math.lgamma(t + 1) - math.lgamma(n - t + 1)
    return ways + t * math.log(rate) + (n - t) * math.log1p(-rate)


def _reach(n: int, rate: float, nats: float) -> int:
    """Return a t, at most n + 1, whose tail is under e^-nats (Bernstein's inequality, solved for t)."""
    variance = n * rate * (1.0 - rate)
    beyond = nats / 3 + math.sqrt(nats * nats / 9 + 2 * nats * variance)
    return min(n, math.ceil(n * rate + beyond)) + 1


def _widest(n: int, p: float) -> int:
    """Return how many terms `_summed` may need for any rate."""
    return _reach(n, 0.5, _NEGLIGIBLE - math.log(p)) - n // 2


def _require(n: int, rate: float) -> None:
    if n < 0:
        raise ParameterError(f"n is {n}, expected at least 0")
    if not 0.0 <= rate <= 1.0:
        raise ParameterError(f"rate is {rate}, expected a number from 0 to 1")


def _require_rates(n: int, rates: Rates) -> None:
    _require(n, 0.0)
    if rates.ndim != 1:
        raise ParameterError(f"rates is {rates.dtype} {rates.shape}, expected float64 (r,)")
    if len(rates) and not (rates.min() >= 0.0 and rates.max() <= 1.0):
        raise ParameterError(f"rates go from {rates.min()} to {rates.max()}, expected numbers from 0 to 1")


def _require_chance(p: float) -> None:
    if not p > 0.0:
        raise ParameterError(f"p is {p}, expected a number above 0")
