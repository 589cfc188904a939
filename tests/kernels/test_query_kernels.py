"""Both twins of the kernels that answer a query in one call, and of the gaps on disk; and the twins side by side."""

from __future__ import annotations

import inspect
from bisect import bisect_left
from functools import cache
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pmbf import kernels as door
from pmbf.base.errors import ParameterError
from pmbf.base.params import HASH_BITS
from pmbf.kernels import HitRules, reference_bits, reference_records
from pmbf.kernels.choice import kernels_of

REFERENCE = SimpleNamespace(**(vars(reference_bits) | vars(reference_records)))
N_ROWS = st.sampled_from([1, 7, 63, 64, 65, 200, 511, 512, 513, 700])


@pytest.fixture(scope="module")
def kernels(level: str) -> Any:
    """Both twins, the native one on each instruction set that this processor has."""
    return REFERENCE if level == "reference" else SimpleNamespace(**kernels_of("native"))


@pytest.fixture(scope="module")
def twin(native_level: str) -> Any:
    """The native twin on each instruction set, to stand beside the reference."""
    return SimpleNamespace(**kernels_of("native"))


def random_words(*shape: int, seed: int) -> np.ndarray:
    return np.random.default_rng(seed).integers(0, 2**64, shape, np.uint64)


def random_hashes(n: int, *, seed: int) -> np.ndarray:
    return np.random.default_rng(seed).integers(0, 2**32, n, np.uint32)


# ---------------------------------------------------------------------- evidence


def plain_evidence(places: list[int], weights: list[int], tokens: list[int], length: int, window: int) -> int:
    """Return the evidence of one list, window by window."""
    worth = []
    for at, place in enumerate(places):
        apart = tokens[place] - tokens[places[at - 1]] if at else length
        worth.append(weights[place] * min(apart, length) // length)
    within = [sum(worth[at : bisect_left(places, start + window)]) for at, start in enumerate(places)]
    return max(within, default=0)


@given(st.data())
def test_evidence_is_the_best_window_and_overlapping_hits_count_in_part(kernels: Any, data: st.DataObject) -> None:
    n_hashes, length, window = (data.draw(st.integers(*low_high)) for low_high in ((0, 40), (1, 5), (1, 30)))
    weights = data.draw(st.lists(st.integers(0, 12_000), min_size=n_hashes, max_size=n_hashes))
    tokens = sorted(data.draw(st.lists(st.integers(0, 60), min_size=n_hashes, max_size=n_hashes)))
    some = st.sets(st.integers(0, n_hashes - 1), max_size=20).map(sorted) if n_hashes else st.just([])
    lists = data.draw(st.lists(some, max_size=5))
    by = (np.array(weights, np.int32), np.array(tokens, np.uint32))
    how = HitRules(length, window)
    bounds = np.cumsum([0, *map(len, lists)])
    places = np.array([place for one in lists for place in one], np.uint32)
    expected = [plain_evidence(one, weights, tokens, length, window) for one in lists]
    assert expected == kernels.evidence(bounds, places, *by, how)[0].tolist()
    hits = np.zeros((n_hashes, 2), np.uint64)
    rows = np.array(sorted({3, 64, 65, 100, 127})[: len(lists)], np.int64)
    for row, one in zip(rows.tolist(), lists, strict=True):
        hits[one, row // 64] |= np.uint64(1 << row % 64)
    weighty = [[place for place in one if weights[place]] for one in lists]
    expected = [plain_evidence(one, weights, tokens, length, window) for one in weighty]
    for least in {1, *expected, *(nats + 1 for nats in expected)} - {0}:
        some = [row for row, nats in zip(rows.tolist(), expected, strict=True) if nats >= least]
        assert some == kernels.rows_with_evidence(hits, *by, how, least=least).tolist()


@cache
def asked(width: int, window: int) -> tuple[np.ndarray, list[np.ndarray], dict[tuple[HitRules, int], list[int]]]:
    """Return hits, weights with tokens, and the rows that have each least evidence, each row weighed by itself.

    Seeds 9 to 11; many rows have little evidence, few have much.
    """
    random = np.random.default_rng(9)
    hits = np.bitwise_and.reduce([random_words(3000, width, seed=seed) for seed in (9, 10, 11)])
    by = [random.integers(0, 9000, 3000).astype(np.int32), np.sort(random.integers(0, 9000, 3000)).astype(np.uint32)]
    by[0][::5] = 0
    bits = np.unpackbits(hits.view(np.uint8), axis=1, bitorder="little")[by[0] > 0].T
    lists, weighty = [np.flatnonzero(row) for row in bits], np.flatnonzero(by[0]).astype(np.uint32)
    bounds, places = np.cumsum([0, *map(len, lists)]), weighty[np.concatenate(lists)]
    evidence, _ = REFERENCE.evidence(bounds, places, *by, HitRules(3, window))
    leasts = [int(share * 9000 * min(window, 3000)) + 1 for share in (0.02, 0.1, 0.13, 0.2, 1.1)]
    return hits, by, {(HitRules(3, window), least): np.flatnonzero(evidence >= least).tolist() for least in leasts}


@pytest.mark.parametrize("width", [1, 7, 8, 9, 16])
@pytest.mark.parametrize("window", [1, 16, 31, 500, 5000])
def test_rows_with_evidence_among_thousands_of_hashes_are_those_of_the_reference(
    twin: Any, width: int, window: int
) -> None:
    hits, by, found = asked(width, window)
    for (how, least), expected in found.items():
        assert expected == twin.rows_with_evidence(hits, *by, how, least=least).tolist()


def test_where_nothing_weighs_anything_no_row_has_evidence(kernels: Any) -> None:
    how = HitRules(3, 8)
    none, no_hits = (np.zeros(4, np.int32), np.arange(4, dtype=np.uint32)), np.empty((0, 2), np.uint64)
    assert [] == kernels.rows_with_evidence(np.full((4, 2), 2**64 - 1, np.uint64), *none, how, least=1).tolist()
    assert [] == kernels.rows_with_evidence(no_hits, none[0][:0], none[1][:0], how, least=1).tolist()


BOUNDS, PLACES = np.array([0, 2]), np.array([0, 1], np.uint32)
WEIGHTS, TOKENS = np.array([5, 5], np.int32), np.array([0, 9], np.uint32)


@pytest.mark.parametrize(
    ("changed", "found"),
    [
        ({0: np.array([0, 3])}, "bounds do not ascend from 0 to 2"),
        ({0: np.array([1, 2])}, "bounds do not ascend from 0 to 2"),
        ({0: np.array([0, 2, 1, 2])}, "bounds do not ascend from 0 to 2"),
        ({0: np.empty(0, np.int64)}, "bounds do not ascend from 0 to 2"),
        ({1: np.array([0, 2], np.uint32)}, "a place is 2, expected 0 to 1"),
        ({1: PLACES.astype(np.int64)}, "places is int64 (2,)"),
        ({2: -WEIGHTS}, "a weight is below 0, or tokens do not ascend"),
        ({3: TOKENS[::-1].copy()}, "a weight is below 0, or tokens do not ascend"),
        ({3: TOKENS[:1]}, "tokens is for 1 hashes, expected 2 as weights has"),
        ({"window": 0}, "window is 0, expected at least 1"),
        ({"shingle_tokens": 0}, "shingle_tokens is 0, expected at least 1"),
    ],
)
def test_what_is_no_evidence_is_refused_in_the_same_words(kernels: Any, changed: dict[Any, Any], found: str) -> None:
    arguments = [changed.get(place, usual) for place, usual in enumerate((BOUNDS, PLACES, WEIGHTS, TOKENS))]
    how = HitRules(*(changed.get(name, usual) for name, usual in zip(HitRules._fields, (3, 8), strict=True)))
    with pytest.raises(ParameterError) as raised:
        kernels.evidence(*arguments, how)
    assert str(raised.value).startswith(found)


@pytest.mark.parametrize(
    ("changed", "found"),
    [
        ({"hits": np.zeros(1, np.uint64)}, "hits is uint64 (1,), expected uint64 (q, S)"),
        ({"weights": WEIGHTS[:1]}, "weights is for 1 hashes, expected 2 as hits has"),
        ({"tokens": TOKENS[:1]}, "tokens is for 1 hashes, expected 2 as weights has"),
        ({"weights": -WEIGHTS}, "a weight is below 0, or tokens do not ascend"),
        ({"tokens": TOKENS[::-1].copy()}, "a weight is below 0, or tokens do not ascend"),
        ({"least": 0}, "least is 0, expected at least 1"),
        ({"window": 0}, "window is 0, expected at least 1"),
    ],
)
def test_rows_are_not_asked_for_what_is_no_evidence(kernels: Any, changed: dict[str, Any], found: str) -> None:
    asked = {"hits": np.zeros((2, 1), np.uint64), "weights": WEIGHTS, "tokens": TOKENS}
    asked |= {"shingle_tokens": 3, "window": 8, "least": 1} | changed
    rules = HitRules(*(asked.pop(name) for name in HitRules._fields))
    with pytest.raises(ParameterError) as raised:
        kernels.rows_with_evidence(**asked, rules=rules)
    assert str(raised.value).startswith(found)


# ---------------------------------------------------------------------- intersections


def test_an_array_that_does_not_ascend_is_answered_wrongly_and_nothing_worse(kernels: Any) -> None:
    """Under a sanitizer, or with luck without one, a write beyond the buckets would show. Seed 5."""
    b = np.random.default_rng(5).integers(0, 2**32, 4000, np.uint32)
    b[-1] = 1000
    assert 4000 == len(kernels.intersect(b, b))


@given(
    st.integers(0, 2**32 - 1), st.sampled_from([0, 1, 15, 16, 300]), st.sampled_from([0, 3, 500]), st.integers(0, 32)
)
def test_intersections_are_exact_however_the_hashes_are_spread(
    kernels: Any, seed: int, n_b: int, n_a: int, shift: int
) -> None:
    b = np.unique(random_hashes(n_b, seed=seed) >> np.uint32(min(shift, 31)))
    a = np.concatenate([random_hashes(n_a, seed=seed + 1) >> np.uint32(min(shift, 31)), b[::-3], b[-1:] + np.uint32(1)])
    assert np.isin(a, b).tolist() == kernels.intersect(a, b).tolist()


# ---------------------------------------------------------------------- gaps


GAPPED = st.lists(st.sampled_from([0, 1, 255, 256, 65_535, 65_536, 2**24 - 1, 2**24, 2**31]), max_size=9)


@given(GAPPED, st.binary(max_size=5), st.binary(max_size=5))
def test_gaps_come_back_as_the_hashes_they_were(kernels: Any, gaps: list[int], before: bytes, after: bytes) -> None:
    hashes = np.cumsum(np.array(gaps, np.uint32), dtype=np.uint32)
    content = reference_records.encode_gaps(hashes)
    back, stop = kernels.decode_gaps(memoryview(before + content + after), len(before), len(gaps))
    assert (hashes.tolist(), len(before) + len(content)) == (back.tolist(), stop)


@given(GAPPED.filter(bool), st.data())
def test_gaps_that_are_cut_are_refused(kernels: Any, gaps: list[int], data: st.DataObject) -> None:
    content = reference_records.encode_gaps(np.cumsum(np.array(gaps, np.uint32), dtype=np.uint32))
    n_bytes = data.draw(st.integers(0, len(content) - 1))
    with pytest.raises(ParameterError, match=f"^{n_bytes} bytes do not hold {len(gaps)} gaps from offset 0 on$"):
        kernels.decode_gaps(content[:n_bytes], 0, len(gaps))


@given(GAPPED.filter(bool), st.sampled_from(HASH_BITS[1:]), st.binary(min_size=1, max_size=4), st.data())
def test_wide_hashes_come_back_from_their_gaps_and_other_bytes(
    kernels: Any, gaps: list[int], hash_bits: int, low: bytes, data: st.DataObject
) -> None:
    lows = np.resize(np.frombuffer(low, np.uint8), 4 * len(gaps)).view("<u4").astype(np.uint64)
    hashes = np.cumsum(np.array(gaps, np.uint32), dtype=np.uint32).astype(np.uint64) << np.uint64(32) | lows
    hashes &= np.uint64(2**64 - 2 ** (64 - hash_bits))
    content = reference_records.encode_hashes(hashes, hash_bits)
    back, stop = kernels.decode_gaps(content + low, 0, len(gaps), hash_bits)
    assert (hashes.tolist(), len(content)) == (back.tolist(), stop)
    n_bytes = data.draw(st.integers(0, len(content) - 1))
    with pytest.raises(ParameterError, match=f"^{n_bytes} bytes do not hold {len(gaps)} gaps from offset 0 on$"):
        kernels.decode_gaps(content[:n_bytes], 0, len(gaps), hash_bits)


@pytest.mark.parametrize(("offset", "count"), [(-1, 1), (0, -1), (9, 0)])
def test_gaps_outside_their_bytes_are_refused(kernels: Any, offset: int, count: int) -> None:
    with pytest.raises(ParameterError, match=f"8 bytes do not hold {count} gaps from offset {offset} on"):
        kernels.decode_gaps(bytes(8), offset, count)


# ---------------------------------------------------------------------- the twins side by side


@given(st.integers(0, 2**32 - 1), N_ROWS, st.sampled_from([1, 3, 8, 9, 17]), st.integers(1, 9))
def test_the_twins_agree_on_rows_of_any_shape(twin: Any, seed: int, n_rows: int, n_words: int, n_hashes: int) -> None:
    rows, hashes = random_words(n_rows, n_words, seed=seed), random_hashes(50, seed=seed)
    slices = REFERENCE.seal(rows)
    for name, arguments in (
        ("seal", (rows,)),
        ("unseal", (slices, n_rows)),
        ("popcounts", (rows,)),
    ):
        assert (getattr(REFERENCE, name)(*arguments) == getattr(twin, name)(*arguments)).all(), name
    tiles = [(rows, False, n_hashes), (slices, True, n_hashes)]
    for one, other in zip(REFERENCE.look_up(tiles, hashes), twin.look_up(tiles, hashes), strict=True):
        assert (one == other).all()


def test_the_twins_take_arrays_that_are_not_contiguous(twin: Any) -> None:
    rows, hashes = random_words(90, 24, seed=4)[::2, ::3], random_hashes(90, seed=5)[::3]
    slices, rows_after = random_words(128, 2, seed=6)[:, ::2], [np.ones((4, 8), np.uint64)[:, ::2] for _ in range(2)]
    for name, arguments in (("seal", (rows,)), ("unseal", (slices, 60)), ("popcounts", (rows,))):
        assert (getattr(REFERENCE, name)(*arguments) == getattr(twin, name)(*arguments)).all(), name
    assert (REFERENCE.look_up([(rows, False, 3)], hashes)[0] == twin.look_up([(rows, False, 3)], hashes)[0]).all()
    for kernels, after in zip((REFERENCE, twin), rows_after, strict=True):
        kernels.fill(after[2], hashes, n_hashes=3)
    assert (rows_after[0] == rows_after[1]).all()


@pytest.mark.usefixtures("twin")
def test_both_twins_have_the_names_of_the_door() -> None:
    native, reference = kernels_of("native"), kernels_of("reference")
    assert {"compare", "find_postings", "rows_with_evidence", "tokenise"} < native.keys() == reference.keys()
    for name in native:
        assert getattr(door, name) in (native[name], reference[name]), name
        signatures = [inspect.signature(twin[name]) for twin in (native, reference)]
        assert list(signatures[0].parameters) == list(signatures[1].parameters), name


def test_a_sealed_tile_begins_where_a_line_of_the_cache_does(twin: Any) -> None:
    assert 0 == twin.seal(random_words(512, 3, seed=7)).ctypes.data % 64
