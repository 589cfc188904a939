"""Result sets: sort, merge and brute force agree in both twins; sentences are the same in both twins."""

from __future__ import annotations

import zlib
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pmbf.base.errors import ParameterError, UnsupportedError
from pmbf.kernels import WHOLE, Likeness, StemTable, reference_resultset
from tests.kernels.oracle import oracle
from tests.kernels.test_text_twins import mannered

KEEP = 6


@pytest.fixture(params=["reference", "native"])
def kernels(request: pytest.FixtureRequest) -> Any:
    return reference_resultset if request.param == "reference" else _native()


def _native() -> Any:
    try:
        from pmbf.kernels import native_resultset
    except UnsupportedError as error:
        pytest.skip(str(error))
    return native_resultset


def made(sets: list[set[int]], keep: int = KEEP) -> list[bytes]:
    """Return the lists of some sets of hashes, each trimmed to its smallest."""
    lists = [(sorted(one)[:keep], one) for one in sets]
    return [packed(rows, rows[-1] if len(rows) < len(whole) else WHOLE) for rows, whole in lists]


def packed(hashes: list[int], limit: int = WHOLE) -> bytes:
    return np.array([limit, *hashes], "<u4").tobytes()


def brute_force(sets: list[set[int]], likeness: Likeness, keep: int = KEEP) -> list[list[int]]:
    """Compare each set with each other one, in the plainest way."""
    found = []
    for i, one in enumerate(sets):
        for j in range(i + 1, len(sets)):
            both = [sorted(one)[:keep], sorted(sets[j])[:keep]]
            limit = min(
                WHOLE if len(kept) == len(whole) else kept[-1] for kept, whole in zip(both, (one, sets[j]), strict=True)
            )
            a, b = ({hash for hash in kept if hash <= limit} for kept in both)
            if len(a & b) >= likeness.needed(len(a), len(b)):
                found.append([i, j, len(a & b), len(a), len(b)])
    return found


some_sets = st.lists(st.one_of(st.just(set()), st.sets(st.integers(0, 24), max_size=KEEP + 2),
                               st.sets(st.sampled_from([0, 1, 2**11, 2**22, WHOLE - 1, WHOLE])),
                               st.just(set(range(KEEP))), st.just(set(range(KEEP + 1)))), max_size=24)  # fmt: skip
likenesses = st.builds(
    lambda tau, of_smaller: Likeness(tau if of_smaller else tau / (1 + tau), of_smaller),
    st.sampled_from([1e-9, 0.25, 1 / 3, 0.5, 0.8, 1.0]),
    st.booleans(),
)


@pytest.mark.parametrize("twin", ["reference", "native"])
@given(some_sets, likenesses)
def test_sort_merge_and_brute_force_agree(twin, sets, likeness):
    kernels = reference_resultset if twin == "reference" else _native()
    lists, expected = made(sets), brute_force(sets, likeness)
    assert expected == kernels.pairs_alike(lists, likeness).tolist()
    arrays = [np.frombuffer(one, "<u4") for one in lists]
    rows, limits = [one[1:].copy() for one in arrays], [int(one[0]) for one in arrays]
    merged = [
        [i, j]
        for i in range(len(sets))
        for j in range(i + 1, len(sets))
        if kernels.are_alike(rows[i], rows[j], (limits[i], limits[j]), likeness)
    ]
    assert [pair[:2] for pair in expected] == merged


@pytest.mark.parametrize("n", [9, 40, 300, 700])
def test_hashes_of_many_lists_are_counted_as_those_of_few(kernels, n):
    # Masks, eights of counts and blocks of rows: 700 lists take two blocks.
    rng = np.random.default_rng(n)
    sets = [set(rng.integers(0, 60, 20).tolist()) for _ in range(n)]
    likeness = Likeness(0.25)
    incidence = np.zeros((n, 60), np.int64)
    for row, one in enumerate(sets):
        incidence[row, list(one)] = 1
    shared, sizes = incidence @ incidence.T, incidence.sum(axis=1)
    firsts, seconds = np.triu_indices(n, 1)
    needed = [likeness.needed(a, b) for a, b in zip(sizes[firsts].tolist(), sizes[seconds].tolist(), strict=True)]
    alike = shared[firsts, seconds] >= needed
    expected = np.stack([firsts, seconds, shared[firsts, seconds], sizes[firsts], sizes[seconds]], axis=1)[alike]
    assert expected.tolist() == kernels.pairs_alike(made(sets, 60), likeness).tolist()


def test_sets_just_below_the_threshold_have_no_pair(kernels):
    # 42 of 64 are less than half of 64 + 64 - 42; 43 are not.
    common, own = set(range(42)), [set(range(1000 * i, 1000 * i + 22)) for i in range(1, 101)]
    assert kernels.pairs_alike(made([common | one for one in own], 64), Likeness(1 / 3)).tolist() == []
    assert (
        len(kernels.pairs_alike(made([common | {42} | set(sorted(one)[1:]) for one in own], 64), Likeness(1 / 3)))
        == 4950
    )


def test_a_cut_copy_is_compared_up_to_the_smaller_limit(kernels):
    # The first list was trimmed at 50; the second ends at 90 and has all that the article has up to 50.
    lists = [packed([10, 30, 50], limit=50), packed([10, 30, 50, 70, 90])]
    assert kernels.pairs_alike(lists, Likeness(0.5)).tolist() == [[0, 1, 3, 3, 3]]


def test_one_equal_hash_is_chance_unless_it_is_all(kernels):
    assert kernels.pairs_alike(made([{5}, {5}, {5, 6}, set(), set()]), Likeness(1e-9)).tolist() == [[0, 1, 1, 1, 1]]


@given(some_sets, st.sets(st.integers(0, 24)))
def test_hashes_that_do_not_count_are_left_out_before_the_comparison(sets, without):
    left_out, likeness = np.array(sorted(without), np.uint32), Likeness(1 / 3)
    arrays = [np.frombuffer(one, "<u4").tolist() for one in made(sets)]
    lists = [packed([hash for hash in one[1:] if hash not in without], one[0]) for one in arrays]
    expected = reference_resultset.pairs_alike(lists, likeness)
    for kernels in (reference_resultset, _native()):
        assert kernels.pairs_alike(made(sets), likeness, left_out).tolist() == expected.tolist()


@pytest.mark.parametrize(
    ("lists", "message"),
    [
        ([packed([3, 1])], "a list does not ascend"),
        ([packed([3, 3])], "a list does not ascend"),
        ([packed(list(range(2**16)))], "a list has 65536 hashes"),
        ([b""], "lists are no list of bytes"),
        ([b"12345"], "lists are no list of bytes"),
        (["1234"], "lists are no list of bytes"),
        ((packed([1]),), "lists are no list of bytes"),
    ],
)
def test_what_is_no_list_is_refused(kernels, lists, message):
    with pytest.raises(ParameterError, match=message):
        kernels.pairs_alike(lists, Likeness(0.5))
    with pytest.raises(ParameterError, match="without is int64"):
        kernels.pairs_alike([packed([1])], Likeness(0.5), np.array([1]))


# ---------------------------------------------------------------------- which list is shown


@given(some_sets, st.randoms(use_true_random=False), st.booleans())
def test_both_twins_show_the_same_lists(sets, chance, connected):
    pairs = reference_resultset.pairs_alike(made(sets), Likeness(1 / 3))
    order = np.array(chance.sample(range(len(sets)), len(sets)), np.int64)
    expected = reference_resultset.shown_for(pairs, order, connected=connected)
    assert expected.tolist() == _native().shown_for(pairs, order, connected=connected).tolist()
    alike = {frozenset(pair) for pair in pairs[:, :2].tolist()}
    shown = expected.tolist()
    if not connected:
        # A list is hidden only behind a shown list that it is alike to. No two shown lists are alike.
        assert all(one == shown[one] or {one, shown[one]} in alike for one in range(len(sets)))
        assert not any(shown[one] == one and shown[other] == other for one, other in map(tuple, alike))
    else:
        assert all(shown[one] == shown[other] for one, other in map(tuple, alike))


def test_an_order_without_a_list_is_refused(kernels):
    pairs = np.array([[0, 1, 2, 2, 2]], np.int32)
    for order in ([0, 0], [0, 2], [-1, 0], [0]):
        with pytest.raises(ParameterError, match=r"order does not have|outside the 1"):
            kernels.shown_for(pairs, np.array(order), connected=False)


# ---------------------------------------------------------------------- sentences


def table_for(text: bytes, lengths: int) -> StemTable:
    """Return stems of all words of a text that cut a word to its first bytes."""
    table = StemTable(0x9E3779B97F4A7C15)
    found = oracle("resultset").sentences(text, table)
    table.put(
        {key: zlib.crc32(text[start : min(stop, start + lengths)]) for key, start, stop in found.unknown.tolist()}
    )
    return table


@settings(max_examples=300)
@given(st.one_of(mannered, st.text(st.sampled_from("ab ß½é.\n!?。中がำก와 \u0301\u200b-Ж"), max_size=400)))
def test_both_twins_find_the_same_sentences(text):
    utf8 = text.encode("utf-8", "replace")
    for stems in (None, StemTable(7), table_for(utf8, 3)):
        expected, actual = oracle("resultset").sentences(utf8, stems), _native().sentences(utf8, stems)
        assert [expected.found.tolist(), expected.unknown.tolist(), *expected[2:]] == [
            actual.found.tolist(), actual.unknown.tolist(), *actual[2:]
        ]  # fmt: skip


def test_a_sentence_is_the_checksum_of_its_words_without_the_short_ones(kernels):
    from pmbf.text import tokenise

    text = "It was dark. The old lighthouse stood on a hill above the harbour; we saw it!"
    [(hash, start, stop)] = kernels.sentences(text.encode()).found.tolist()
    words = ["the", "old", "lighthouse", "stood", "hill", "above", "the", "harbour", "saw"]
    assert (text[start:stop], hash) == (text[13:-1], zlib.crc32(tokenise(" ".join(words)).hashes.tobytes()))


@pytest.mark.parametrize(
    ("text", "n"),
    [
        ("他看见港口上面有一座旧灯塔。天已经黑了，没有人在那里等他们。", 2),
        ("वह समुद्र के किनारे पुराने घर में रहता था। हर शाम वह लहरों की आवाज़ सुनता था।", 2),
        ("الميناء القديم كان هادئا في تلك الليلة الباردة. هل سمعت صوت البحر العظيم في الليل؟ نعم.", 2),
        ("그는 항구 위의 오래된 등대를 보았다. 밤이 되자 아무도 그곳에 남아 있지 않았다.", 2),
        ("Старый маяк стоял над гаванью. Ночью там никого больше не было!", 2),
        ("Yes. No! Well, so it is.", 0),
        ("", 0),
    ],
)
def test_sentences_of_all_scripts_are_found(kernels, text, n):
    assert len(kernels.sentences(text.encode()).found) == n


def test_words_that_the_table_lacks_are_named(kernels):
    utf8 = b"Boats, boats and 2 Boats."
    table = StemTable(3)
    found = kernels.sentences(utf8, table)
    assert [utf8[start:stop] for _, start, stop in found.unknown.tolist()] == [b"Boats", b"boats", b"and", b"Boats"]
    assert not len(found.found)
    table.put({key: 1 for key, _, _ in found.unknown.tolist()})
    assert len(kernels.sentences(utf8, table).unknown) == 0
    assert len(kernels.sentences(utf8, table).found) == 1


def test_a_table_of_stems_grows_and_keeps_its_words():
    table, keys = StemTable(secret := 0xC2B2AE3D27D4EB4F), [3 * i + 1 for i in range(5000)]
    for first in range(0, 5000, 700):
        table.put({key: key + 1 for key in keys[first : first + 700]})
    assert (len(table), table.factor) == (5000, secret)
    assert [table.look_up(key) for key in [*keys, 2]] == [*(key + 1 for key in keys), None]


def test_bytes_that_are_no_text_are_refused(kernels):
    for stems in (None, StemTable(1)):
        with pytest.raises(ParameterError, match="not UTF-8 at byte 1"):
            kernels.sentences(b"a\xff", stems)
