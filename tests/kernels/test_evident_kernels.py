"""Both twins of the kernel that weighs the hits of many queries, beside the plain way."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pmbf.base.errors import ParameterError
from pmbf.base.hashes import Hashes, hash_dtype
from pmbf.base.params import HASH_BITS
from pmbf.kernels import (
    EVIDENCE_UNITS,
    Evident,
    EvidentRules,
    HitRules,
    Postings,
    Sampled,
    reference_evident,
    reference_postings,
)

IDS = [np.array([3, 70, 900, 2**31], np.uint32), np.array([5, 70, 2**32 - 1], np.uint32)]
PAIRS = st.lists(st.tuples(st.integers(0, 12) | st.just(2**32 - 1), st.integers(0, 2)), max_size=40)
QUERIES = st.lists(st.lists(st.integers(0, 14) | st.just(2**32 - 1), max_size=30), max_size=4)


@pytest.fixture(scope="module", params=["reference", "native"])
def kernels(request: pytest.FixtureRequest) -> Any:
    """Both twins; the native one has no instruction sets here."""
    if request.param == "reference":
        return reference_evident
    return pytest.importorskip("pmbf.kernels.native_evident")


def hashes_of(values: Iterable[int], hash_bits: int) -> Hashes:
    """Return numbers as hashes; wide ones mostly differ behind their first 32 bits alone."""
    shift = 0 if hash_bits == 32 else 64 - hash_bits
    return np.array([value << shift for value in values], hash_dtype(hash_bits))


def postings_of(tiles: list[list[tuple[int, int]]], hash_bits: int = 32) -> list[Postings]:
    made = []
    for ids, pairs in zip(IDS, tiles, strict=True):
        ordered = sorted(set(pairs))
        hashes, numbers = hashes_of((value for value, _ in ordered), hash_bits), [number for _, number in ordered]
        made.append(reference_postings.make_postings(hashes, np.array(numbers, np.uint32), ids, hash_bits))
    return made


def rules_of(limit: int, gone: list[int] | None = None, **more: Any) -> EvidentRules:
    weights = np.array([7000 // (1 + n) for n in range(limit + 1)], np.int32)
    made = EvidentRules(
        weights, np.array(gone or [], np.uint32), little=1, n_run=99, most_common=0.9, n_first=4, enough=5.0,
        least=4.0, hits=HitRules(3, 5),
    )  # fmt: skip
    return replace(made, **more)


def sampled(queries: list[list[int]], hash_bits: int = 32) -> list[Sampled]:
    tokens = [2 * np.arange(len(one), dtype=np.uint32) for one in queries]
    return [Sampled(hashes_of(one, hash_bits), at, 0.4) for one, at in zip(queries, tokens, strict=True)]


def plainly(tiles: list[list[tuple[int, int]]], query: list[int], rules: EvidentRules) -> dict[int, list[int]]:
    """Return the places of each document, each hash at its first place, common hashes left out."""
    held = {(int(ids[number]), value) for ids, pairs in zip(IDS, tiles, strict=True) for value, number in pairs}
    n_listed = {value: sum(pair[0] == value for pairs in tiles for pair in set(pairs)) for value in set(query)}
    found: dict[int, list[int]] = {}
    for place, value in enumerate(query):
        if query.index(value) == place and n_listed[value] <= rules.limit:
            for document in sorted({document for document, one in held if one == value}):
                if document not in rules.gone.tolist():
                    found.setdefault(document, []).append(place)
    return found


@given(
    st.tuples(PAIRS, PAIRS).map(list), QUERIES, st.integers(1, 4), st.sampled_from([[], [70], [3, 5, 900]]),
    st.sampled_from(HASH_BITS),
)  # fmt: skip
def test_each_query_has_the_documents_of_its_hashes(
    kernels: Any,
    tiles: list[list[tuple[int, int]]],
    queries: list[list[int]],
    limit: int,
    gone: list[int],
    hash_bits: int,
) -> None:
    rules = rules_of(limit, gone, least=0.0, most_common=1.0)
    found = kernels.evident(postings_of(tiles, hash_bits), sampled(queries, hash_bits), rules)
    assert not found.is_hard.any()
    for number, query in enumerate(queries):
        here = slice(found.bounds[number], found.bounds[number + 1])
        expected = plainly(tiles, query, rules)
        told = dict(zip(found.documents[here].tolist(), found.n_hits[here].tolist(), strict=True))
        assert {document: len(places) for document, places in sorted(expected.items())} == told


@given(
    st.tuples(PAIRS, PAIRS).map(list), QUERIES, st.integers(1, 4), st.integers(1, 3000), st.integers(2, 8),
    st.floats(0, 1), st.floats(0, 9), st.sampled_from(HASH_BITS),
)  # fmt: skip
def test_both_twins_weigh_alike(
    tiles: list[list[tuple[int, int]]],
    queries: list[list[int]],
    limit: int,
    little: int,
    n_run: int,
    most_common: float,
    least: float,
    hash_bits: int,
) -> None:
    native = pytest.importorskip("pmbf.kernels.native_evident")
    rules = rules_of(limit, [70], little=little, n_run=n_run, most_common=most_common, least=least)
    given = postings_of(tiles, hash_bits), sampled(queries, hash_bits), rules
    ours, theirs = reference_evident.evident(*given), native.evident(*given)
    for name in Evident.__slots__:
        one, other = getattr(ours, name), getattr(theirs, name)
        assert one.dtype == other.dtype, name
        if name == "copied":
            one, other = one[~ours.is_hard], other[~ours.is_hard]
        assert one.tolist() == other.tolist(), name


def test_a_document_needs_the_least_evidence_or_half_of_a_copy(kernels: Any) -> None:
    postings = postings_of([[(1, 0), (2, 0), (3, 0), (3, 1)], []])
    [query] = sampled([[1, 2, 3]])
    found = kernels.evident(postings, [query], rules_of(4, least=9.0))
    assert ([3], [3]) == (found.documents.tolist(), found.n_hits.tolist())
    whole = 3500 + 3500 * 2 // 3 + 2333 * 2 // 3
    assert ([whole], [0.4 * (whole / EVIDENCE_UNITS)]) == (found.evidence.tolist(), found.copied.tolist())
    assert [3, 70] == kernels.evident(postings, [query], rules_of(4, least=2.0)).documents.tolist()


def test_a_query_of_common_or_of_light_hashes_is_hard(kernels: Any) -> None:
    postings = postings_of([[(1, 0), (2, 0), (2, 1), (2, 2)], []])
    found = kernels.evident(postings, sampled([[2, 2, 1], [1, 1, 1]]), rules_of(2, most_common=0.5, little=3500))
    assert [True, False] == found.is_hard.tolist()
    light = kernels.evident(postings, sampled([[1, 1, 1], [1, 9, 1]]), rules_of(2, little=3501, n_run=3))
    assert [True, False] == light.is_hard.tolist()
    assert 0 == len(light.documents[: light.bounds[1]])


@given(st.tuples(PAIRS, PAIRS).map(list), QUERIES, st.integers(1, 4), st.sets(st.integers(0, 14)))
def test_documents_outside_the_postings_make_a_hash_common(
    kernels: Any, tiles: list[list[tuple[int, int]]], queries: list[list[int]], limit: int, common: set[int]
) -> None:
    rules = rules_of(limit, least=0.0, most_common=1.0)
    counted = [
        one._replace(more=np.array([9 * (value in common) for value in one.hashes.tolist()], np.int64))
        for one in sampled(queries)
    ]
    found = kernels.evident(postings_of(tiles), counted, rules)
    rare = [[pair for pair in pairs if pair[0] not in common] for pairs in tiles]
    for number, query in enumerate(queries):
        here = slice(found.bounds[number], found.bounds[number + 1])
        expected = {document: len(places) for document, places in sorted(plainly(rare, query, rules).items())}
        assert expected == dict(zip(found.documents[here].tolist(), found.n_hits[here].tolist(), strict=True))


def test_no_query_and_no_postings_have_no_documents(kernels: Any) -> None:
    assert [0] == kernels.evident([], [], rules_of(2)).bounds.tolist()
    assert [0, 0, 0] == kernels.evident([], sampled([[], [4]]), rules_of(2)).bounds.tolist()


def test_damaged_postings_and_other_arrays_are_refused(kernels: Any) -> None:
    [good, _] = postings_of([[(7, 0)], []])
    beyond = replace(good, directory=np.full_like(good.directory, 2**31))
    with pytest.raises(ParameterError, match="postings"):
        kernels.evident([beyond], sampled([[7]]), rules_of(2))
    with pytest.raises(ParameterError):
        kernels.evident([good], [Sampled(np.array([7], np.uint32), np.empty(0, np.uint32), 0.4)], rules_of(2))
    with pytest.raises(ParameterError, match="hashes is uint64"):
        kernels.evident([good], sampled([[7]], 48), rules_of(2))
