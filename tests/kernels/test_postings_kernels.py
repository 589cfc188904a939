"""Both twins of the kernels of postings, beside sets: which documents have which hashes."""

from __future__ import annotations

import itertools
from collections import Counter
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from pmbf.base.errors import ParameterError
from pmbf.base.hashes import hash_dtype
from pmbf.base.params import HASH_BITS
from pmbf.kernels import page_checksums, reference_postings
from pmbf.kernels.postings_layout import GONE, PADDING_BYTES, Postings, PostingsPages, PostingsShape

HASHES = st.integers(0, 40) | st.integers(0, 2**32 - 1) | st.integers(0, 2**64 - 1)
PAIRS = st.lists(st.tuples(HASHES, st.integers(0, 5)), max_size=120)
WIDTHS = st.sampled_from(HASH_BITS)
IDS = np.array([3, 70, 71, 900, 2**31, 2**32 - 1], np.uint32)


@pytest.fixture(scope="module", params=["reference", "native"])
def kernels(request: pytest.FixtureRequest) -> Any:
    """Both twins; the native one has no instruction sets here."""
    if request.param == "reference":
        return reference_postings
    return pytest.importorskip("pmbf.kernels.native_postings")


def cut(pairs: list[tuple[int, int]], width: int = 32) -> list[tuple[int, int]]:
    """Return pairs of a hash, as a number of `width` bits, and a document's number, ascending."""
    return sorted((value % 2**width, number) for value, number in pairs)


def hashes_of(values: list[int], width: int = 32) -> np.ndarray:
    """Return numbers of `width` bits as hashes."""
    return np.array([value << (0 if width == 32 else 64 - width) for value in values], hash_dtype(width))


def columns(pairs: list[tuple[int, int]], width: int = 32) -> tuple[np.ndarray, np.ndarray]:
    ordered = cut(pairs, width)
    return hashes_of([value for value, _ in ordered], width), np.array([number for _, number in ordered], np.uint32)


def made(kernels: Any, pairs: list[tuple[int, int]], width: int = 32) -> Postings:
    return kernels.make_postings(*columns(pairs, width), IDS, width)


def as_lists(arrays: tuple[np.ndarray, np.ndarray]) -> list[list[int]]:
    return [array.tolist() for array in arrays]


def joined(kernels: Any, postings: list[Postings], renumbered: list[Any], n_ranges: int = 1) -> Postings:
    """Return postings made of others, in as many ranges of buckets."""
    end, n_hashes = max((one.end for one in postings), default=0), sum(one.n_hashes for one in postings)
    width = postings[0].hash_bits if postings else 32
    shape = PostingsShape.of(n_hashes=n_hashes, end=end, n_documents=len(IDS), hash_bits=width)
    cuts = [shape.n_buckets * n // n_ranges for n in range(n_ranges + 1)]
    numbers = [one if isinstance(one, int) else np.array(one, np.uint32) for one in renumbered]
    parts = [kernels.join_postings(postings, numbers, shape, *cut) for cut in itertools.pairwise(cuts)]
    begins = np.cumsum([0, *(len(one.bits) for one in parts)])
    ends = [one.ends + np.uint32(begin) for one, begin in zip(parts, begins[:-1], strict=True)]
    return Postings(
        IDS,
        np.concatenate([np.zeros(1, np.uint32), *ends]),
        np.concatenate([*(one.bits for one in parts), np.zeros(PADDING_BYTES, np.uint8)]),
        shape.shift,
        shape.rice,
        shape.id_bits,
        sum(one.n_hashes for one in parts),
        sum(one.n_postings for one in parts),
        hash_bits=width,
    )


def found(kernels: Any, postings: Postings, values: list[int], limit: int = 1000, **more: Any) -> set[tuple[int, int]]:
    """Return the pairs of a hash and the number of a document that the postings tell."""
    _, keys = kernels.find_postings([postings], hashes_of(values, postings.hash_bits), limit=limit, **more)
    assert keys.tolist() == sorted(keys.tolist())
    numbers = {id_: number for number, id_ in enumerate(IDS.tolist())}
    return {(values[key & 0xFFFFFFFF], numbers[key >> 32]) for key in keys.tolist()}


@given(PAIRS, WIDTHS)
@example([(0, 0), (2**32 - 1, 5)], 32)
@example([(0, 0), (2**64 - 1, 5)], 64)
@example([(2**63 + 2**62 + 5, 5)], 64)
@example([(7, n) for n in range(6)], 32)
def test_each_document_has_just_its_hashes(kernels: Any, pairs: list[tuple[int, int]], width: int) -> None:
    pairs = cut(pairs, width)
    postings = made(kernels, pairs, width)
    values = sorted({value for value, _ in pairs} | {41, 0, 2**width - 1})
    counts, _ = kernels.find_postings([postings], hashes_of(values, width), limit=0)
    expected = Counter(value for value, _ in set(pairs))
    assert [expected[value] for value in values] == counts.tolist()
    assert set(pairs) == found(kernels, postings, values)
    assert (len(expected), len(set(pairs))) == (postings.n_hashes, postings.n_postings)
    assert as_lists(columns(list(set(pairs)), width)) == as_lists(kernels.list_postings(postings))


def test_a_gap_and_a_count_that_need_more_than_one_read_are_found(kernels: Any) -> None:
    """Each hash is the last of its bucket, and thousands have it: the gap and the count take 59 bits."""
    hashes, documents = np.array([(n << 22) - 1 for n in (1, 500, 1024)], np.uint32), np.arange(5000, dtype=np.uint32)
    owned = np.repeat(hashes, 5000), np.tile(documents, 3)
    postings = kernels.make_postings(*owned, documents)
    counts, _ = kernels.find_postings([postings], np.append(hashes, np.uint32(41)), limit=0)
    assert postings.shift == 22
    assert counts.tolist() == [5000, 5000, 5000, 0]
    assert all(map(np.array_equal, kernels.list_postings(postings), owned))


@given(PAIRS, WIDTHS)
def test_postings_are_made_of_parts_of_arrays(kernels: Any, pairs: list[tuple[int, int]], width: int) -> None:
    hashes, numbers = columns(cut(pairs, width), width)
    apart = np.repeat(hashes, 3)[1::3], np.repeat(numbers, 2)[::2]
    one, other = (kernels.make_postings(*some, IDS, width) for some in ((hashes, numbers), apart))
    assert one.bits.tolist() == other.bits.tolist()
    assert one.directory.tolist() == other.directory.tolist()


@given(PAIRS, PAIRS, WIDTHS, st.permutations(range(6)), st.sets(st.integers(0, 5)), st.integers(1, 4))
def test_postings_are_joined_under_new_numbers_and_without_documents_that_go(
    kernels: Any,
    here: list[tuple[int, int]],
    there: list[tuple[int, int]],
    width: int,
    order: list[int],
    gone: set[int],
    n_ranges: int,
) -> None:
    renumbered = [GONE if number in gone else order[number] for number in range(6)]
    here, there = cut(here, width), cut(there, width)
    both = [made(kernels, here, width), made(kernels, there, width)]
    postings = joined(kernels, both, [renumbered, range(6)], n_ranges)
    expected = set(there) | {(value, order[number]) for value, number in here if number not in gone}
    assert expected == found(kernels, postings, sorted({value for value, _ in here + there}))
    assert (len({value for value, _ in expected}), len(expected)) == (postings.n_hashes, postings.n_postings)


@given(PAIRS, st.integers(1, 3))
def test_documents_that_follow_each_other_are_renumbered_by_the_first(
    kernels: Any, pairs: list[tuple[int, int]], n_ranges: int
) -> None:
    few = cut([(value, number % 4) for value, number in pairs])
    some = kernels.make_postings(*columns(few), IDS[:4])
    postings = joined(kernels, [some], [2], n_ranges)
    expected = {(value, number + 2) for value, number in few}
    assert expected == found(kernels, postings, sorted({value for value, _ in few}))


@given(PAIRS, PAIRS, WIDTHS, st.integers(1, 3))
@example([(2**64 - 1, 0)], [(2**64 - 1, 1), (5, 1)], 64, 2)
def test_both_twins_lay_the_same_bits(
    here: list[tuple[int, int]], there: list[tuple[int, int]], width: int, n_ranges: int
) -> None:
    native = pytest.importorskip("pmbf.kernels.native_postings")
    for make in (
        lambda twin: made(twin, here, width),
        lambda twin: joined(twin, [made(twin, here, width), made(twin, there, width)], [range(6), range(6)], n_ranges),
    ):
        one, other = make(reference_postings), make(native)
        assert one.bits.tobytes() == other.bits.tobytes()
        assert one.directory.tolist() == other.directory.tolist()
        fields = ("shift", "rice", "id_bits", "n_hashes", "n_postings", "hash_bits")
        assert [getattr(one, name) for name in fields] == [getattr(other, name) for name in fields]


@given(PAIRS, WIDTHS, HASHES, HASHES)
@example([(2**64 - 1, 0), (3, 1)], 64, 3, 2**64)
def test_the_postings_of_a_range_of_hashes_are_listed(
    kernels: Any, pairs: list[tuple[int, int]], width: int, start: int, stop: int
) -> None:
    start, stop = sorted((start, stop))
    expected = {pair for pair in cut(pairs, width) if start <= pair[0] < stop}
    listed = kernels.list_postings(made(kernels, pairs, width), start, stop)
    assert as_lists(columns(list(expected), width)) == as_lists(listed)


@given(PAIRS, PAIRS, st.integers(0, 8))
def test_several_postings_count_together(
    kernels: Any, here: list[tuple[int, int]], there: list[tuple[int, int]], limit: int
) -> None:
    here, there = cut(here), cut(there)
    hashes = sorted({value for value, _ in here + there})
    both = [made(kernels, here), made(kernels, there)]
    counts, keys = kernels.find_postings(both, np.array(hashes, np.uint32), limit=limit)
    n_having = Counter(value for pairs in (here, there) for value, _ in set(pairs))
    assert [n_having[value] for value in hashes] == counts.tolist()
    expected = sorted(
        int(IDS[number]) << 32 | hashes.index(value)
        for pairs in (here, there)
        for value, number in set(pairs)
        if n_having[value] <= limit
    )
    assert expected == keys.tolist()


PAGE = 64


def in_a_file(postings: Postings) -> tuple[Postings, np.ndarray]:
    """Return postings whose arrays lie in one array of bytes, with the checksums of its pages; and these bytes."""
    arrays = (postings.documents, postings.directory, postings.bits)
    content = np.concatenate([one.view(np.uint8) for one in arrays])
    directory_at, bits_at = arrays[0].nbytes, arrays[0].nbytes + arrays[1].nbytes
    sums = page_checksums(content.tobytes(), page_bytes=PAGE)
    pages = PostingsPages(content, sums, np.zeros(len(sums), np.uint8), PAGE, 0, directory_at, bits_at)
    documents, directory = content[:directory_at].view(np.uint32), content[directory_at:bits_at].view(np.uint32)
    return replace(postings, documents=documents, directory=directory, bits=content[bits_at:], pages=pages), content


@given(PAIRS, st.data())
def test_what_is_read_of_a_damaged_page_is_refused_and_nothing_else(
    kernels: Any, pairs: list[tuple[int, int]], data: st.DataObject
) -> None:
    whole = made(kernels, pairs + [(n << 20, n % 6) for n in range(300)])
    postings, content = in_a_file(whole)
    values = data.draw(st.lists(HASHES | st.integers(0, 300).map(lambda n: n << 20), max_size=4))
    hashes = hashes_of([value % 2**32 for value in values])
    content[data.draw(st.integers(0, len(content) - 1))] ^= 1 << data.draw(st.integers(0, 7))
    try:
        counts, keys = kernels.find_postings([postings], hashes, limit=9)
    except ParameterError as error:
        assert "damaged" in str(error)
    else:
        expected, expected_keys = kernels.find_postings([whole], hashes, limit=9)
        assert (expected.tolist(), expected_keys.tolist()) == (counts.tolist(), keys.tolist())


def test_a_hash_of_thousands_and_thousands_of_hashes_are_found(kernels: Any) -> None:
    """Buckets of one list longer than a page, and gaps of every size."""
    random = np.random.default_rng(1)
    documents = np.arange(20_000, dtype=np.uint32) * 3
    rare = random.integers(0, 2**31, 60_000).astype(np.uint32)
    hashes = np.concatenate([np.full(20_000, 123_456_789, np.uint32), rare])
    numbers = np.concatenate([np.arange(20_000, dtype=np.uint32), np.full(60_000, 7, np.uint32)])
    order = np.lexsort((numbers, hashes))
    postings = kernels.make_postings(hashes[order], numbers[order], documents)
    counts, told = kernels.find_postings([postings], np.array([123_456_789], np.uint32), limit=10**6)
    assert counts.tolist() == [20_000]
    assert (told >> np.uint64(32)).tolist() == documents.tolist()
    counts, told = kernels.find_postings([postings], rare[:500], limit=10**6)
    assert (told & np.uint64(0xFFFFFFFF)).tolist() == list(range(500))
    assert set((told >> np.uint64(32)).tolist()) == {21}


@given(PAIRS, WIDTHS, st.data())
def test_damaged_postings_are_refused_or_read_within_their_bytes(
    kernels: Any, pairs: list[tuple[int, int]], width: int, data: st.DataObject
) -> None:
    postings = made(kernels, pairs or [(1, 1)], width)
    bits, directory = postings.bits.copy(), postings.directory.copy()
    for _ in range(data.draw(st.integers(1, 4))):
        bits[data.draw(st.integers(0, len(bits) - 1))] ^= 1 << data.draw(st.integers(0, 7))
    if data.draw(st.booleans()):
        directory[data.draw(st.integers(0, len(directory) - 1))] ^= np.uint32(1 << data.draw(st.integers(0, 31)))
    damaged = replace(postings, bits=bits, directory=directory)
    hashes = hashes_of([value for value, _ in cut(pairs, width)] + [0, 1, 2**width - 1], width)
    for ask in (
        lambda: kernels.find_postings([damaged], hashes, limit=100),
        lambda: joined(kernels, [damaged, made(kernels, pairs, width)], [range(6), range(6)]),
        lambda: kernels.list_postings(damaged),
        lambda: kernels.list_postings(replace(damaged, n_postings=data.draw(st.integers(0, 2**40)))),
    ):
        try:
            ask()
        except ParameterError as error:
            assert "damaged" in str(error)


def test_other_arguments_are_refused(kernels: Any) -> None:
    postings, none = made(kernels, [(1, 1)]), np.empty(0, np.uint32)
    shape = PostingsShape(2, 4, 1, 3)
    for message, ask in {
        "hashes is int64 (1,), expected uint32 (q,)": lambda: kernels.find_postings([], np.array([1]), limit=1),
        "hashes do not ascend": lambda: kernels.make_postings(np.array([9, 1], np.uint32), np.zeros(2, np.uint32), IDS),
        "numbers is for 0 hashes, expected 2": lambda: kernels.make_postings(np.array([1, 9], np.uint32), none, IDS),
        "hashes is uint32 (0,), expected uint64 (q,)": lambda: kernels.find_postings(
            [Postings.none(48)], none, limit=1
        ),
        "the postings have hashes of several widths": lambda: kernels.find_postings(
            [postings, Postings.none(48)], none, limit=1
        ),
        "shape is for hashes of 32 bits, expected 48": lambda: kernels.join_postings(
            [Postings.none(48)], [none], shape, 0, 1
        ),
        "a document has the number 9, expected 0 to 5": lambda: made(kernels, [(1, 9)]),
        "renumbered is not for the documents": lambda: kernels.join_postings([postings], [none], shape, 0, 1),
        "a document has the number 8, expected 0 to 7": lambda: kernels.join_postings(
            [postings], [np.full(6, 8, np.uint32)], shape, 0, 1
        ),
        "a document has the number 9, expected 0 to 7": lambda: kernels.join_postings([postings], [4], shape, 0, 1),
        "buckets 1 to 3 of 2": lambda: kernels.join_postings([], [], shape, 1, 3),
        "the postings are damaged": lambda: kernels.find_postings([replace(postings, id_bits=0)], none, limit=1),
    }.items():
        with pytest.raises(ParameterError) as raised:
            ask()
        assert message in str(raised.value)


def test_nothing_is_found_in_no_postings(kernels: Any) -> None:
    counts, keys = kernels.find_postings([], np.array([4, 4], np.uint32), limit=9)
    assert (counts.tolist(), keys.tolist()) == ([0, 0], [])
    counts, keys = kernels.find_postings([Postings.none()], np.array([4], np.uint32), limit=9)
    assert (counts.tolist(), keys.tolist()) == ([0], [])
    assert made(kernels, []).n_postings == 0
