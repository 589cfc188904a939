"""Thresholds beside exact sums of fractions."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pmbf.base.errors import ParameterError
from pmbf.base.thresholds import CHANCES_PER_OCTAVE, GRID_STEP, tail, threshold, thresholds

TRIES = st.integers(0, 80)
RATES = st.sampled_from([0.0, 1e-12, 1e-4, 0.01, 0.1, 0.3, 0.5, 0.77, 0.999, 1.0]) | st.floats(0, 1)
CHANCES = st.sampled_from([1e-30, 1e-9, 1e-5, 0.01, 0.3, 0.4999, 0.5, 0.6, 0.9]) | st.floats(1e-40, 0.999)
SLACK = 1e-10


def exact_tails(n: int, rate: float) -> list[Fraction]:
    """Return P(Bin(n, rate) >= t) for t = 0 to n + 1, without rounding."""
    hit = Fraction(rate)
    terms = [math.comb(n, t) * hit**t * (1 - hit) ** (n - t) for t in range(n + 1)]
    tails = [Fraction(0)]
    for term in reversed(terms):
        tails.append(tails[-1] + term)
    return tails[::-1]


@given(TRIES, RATES, st.integers(-1, 82))
def test_a_tail_is_the_exact_sum(n: int, rate: float, t: int) -> None:
    exact = exact_tails(n, rate)[min(max(t, 0), n + 1)]
    assert float(exact) == pytest.approx(tail(n, rate, t), rel=SLACK, abs=1e-290)


@given(TRIES, RATES, CHANCES)
def test_a_threshold_is_the_first_count_that_chance_hardly_reaches(n: int, rate: float, p: float) -> None:
    found = threshold(n, rate, p)
    tails = exact_tails(n, rate)
    assert tails[found] <= Fraction(p) * Fraction(1 + SLACK)
    assert found == 0 or tails[found - 1] > Fraction(p) * Fraction(1 - SLACK)


@given(TRIES, st.lists(RATES, max_size=20), CHANCES)
def test_many_thresholds_are_those_of_numbers_rounded_a_little_to_the_safe_side(
    n: int, rates: list[float], p: float
) -> None:
    found = thresholds(n, np.array(rates, np.float64), p).tolist()
    low = [threshold(n, rate, p * (1 + SLACK)) for rate in rates]
    least_chance = p / 2 ** (1 / CHANCES_PER_OCTAVE) * (1 - SLACK)
    high = [min(n + 1, threshold(n + n // 32, _raised(rate), least_chance)) for rate in rates]
    assert all(least <= one <= most for least, one, most in zip(low, found, high, strict=True))


def _raised(rate: float) -> float:
    return min(1.0, max(1e-9, rate) * math.exp(GRID_STEP) * (1 + 1e-12)) if rate else 0.0


def test_queries_of_like_lengths_share_their_thresholds() -> None:
    rates = np.array([0.01, 0.3])
    found = {tuple(thresholds(n, rates, 1 / (1000 * n)).tolist()) for n in range(1024, 2048)}
    assert 1 < len(found) <= 33 + CHANCES_PER_OCTAVE


def test_long_queries_have_thresholds_too() -> None:
    rates = np.array([1e-4, 0.01, 0.05])
    assert [15_000, 15_000, 15_000] < thresholds(10**6, rates + 0.02, 1e-6).tolist()
    for rate in rates.tolist():
        found = threshold(10**6, rate, 1e-6)
        assert tail(10**6, rate, found) <= 1e-6 < tail(10**6, rate, found - 1)


def test_the_tail_meets_published_figures() -> None:
    assert -10.3 == round(math.log10(tail(150, 0.01, 15)), 1)
    assert -6.6 == round(math.log10(tail(150, 0.3, 75)), 1)


def test_a_second_call_gives_what_the_first_gave_and_leaves_the_first_alone() -> None:
    rates = np.linspace(0.001, 0.2, 300)
    first = thresholds(120, rates, 1e-5)
    again = thresholds(120, rates, 1e-5)
    assert first.tolist() == again.tolist()
    again[:] = 0
    assert first.tolist() == thresholds(120, rates, 1e-5).tolist()


def test_rates_of_zero_and_one_need_one_hit_and_more_than_all() -> None:
    assert [1, 25] == thresholds(24, np.array([0.0, 1.0]), 1e-9).tolist()
    assert [1, 1] == thresholds(0, np.array([0.0, 1.0]), 1e-9).tolist()


def test_where_chance_does_not_matter_no_hit_is_needed() -> None:
    assert [0, 0, 0] == thresholds(24, np.array([0.0, 0.4, 1.0]), 1.0).tolist()


@pytest.mark.parametrize(
    ("n", "rate", "p", "found"),
    [
        (-1, 0.5, 0.1, "n is -1"),
        (5, -0.1, 0.1, "-0.1"),
        (5, 1.1, 0.1, "1.1"),
        (5, math.nan, 0.1, "nan"),
        (5, 0.5, 0.0, "p is 0.0"),
        (5, 0.5, math.nan, "p is nan"),
    ],
)
def test_a_number_outside_its_range_is_named(n: int, rate: float, p: float, found: str) -> None:
    with pytest.raises(ParameterError, match=found):
        threshold(n, rate, p)
    with pytest.raises(ParameterError, match=found):
        thresholds(n, np.array([0.2, rate]), p)
