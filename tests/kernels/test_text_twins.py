"""The native text kernels beside the reference, on what real and hostile texts are made of."""

from __future__ import annotations

import dataclasses
import random
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest
from hypothesis import given, seed, settings
from hypothesis import strategies as st

from pmbf.base.errors import ParameterError
from pmbf.base.hashes import first_bits
from pmbf.base.params import HASH_BITS, Sampling
from pmbf.kernels.reference_hash import all_shingles
from tests.kernels.oracle import oracle

ORACLE = oracle("text")

CHUNK_BYTES = 1 << 14
"""Of native/text/text.h: what is special at its multiples must not show."""

MANNERS = (
    "etaoin shrdlu ETAOIN.,-",
    "ab -\n\r\t\u00ad\u2010\x02\ufffe\u0301",
    "аеоcсeoa αοАЕΑ ֆոօ-\n",
    "пр стовыйтекЁЙ «»—",
    "中文字是的，。、《》々〇 a1",
    "あいカキー漢。「」ｶﾞｱ\u3099 a",
    "\u1100\u1161\u1162\u11a8\u11a7\u1112\u1175\u11c2가각힣ax\u200b-\n ",
    "กำเก่าน้ำ ລາວ ខ្មែរ ကို a中",
    "क्षिहिन्दी বাংলা தமிழ் 中a ",
    "ßﬁǆ½①⑴㎏™\ufdfaĳ\ufb03 x",
    "😀👩🏽\u200d𝐀𝟘\U0001f170\U00020000\ufe0f\u2060 e",
    "אבגשׁ العَرَبِيّة ـ\u200c\u061c ",
    "éèêàçñüöÅØłđıİ don’t “q” …—– ",
)
HOW = Sampling(shingle_tokens=4, long_letters=5, ordered=True, density=0.05, min_hashes=32, segment_chars=65_536)

ALPHABET = (
    "aebkopxyABHMZßéøłıﬁǆĳ½①⑴㎏™µ 019-._,\t\r\n\n\0\x02\u00ad\u2010\ufffe\u200b\u200d\u2060\ufe0f"
    "\u0301\u0345\u0308авеокрсухіЖщёѣΑΒαβοΩἀֆոօاأَـשׁक्षित্োกำเกាំကို中国々〇ーかがｶﾞ\u3099가각\u1100\u1161\u11a8힣"
    "ㄱ😀👩🏽𝐀𝟘\U0001f170\U00020000\ud7ff\uffff"
)
WORDS = ["a", "be", "cat,", "中", "文", "ка", "\n", "раy ", "-", "заяц", "co\u0301te\u0301", "e\u200bwe"]
chosen = st.one_of(
    st.text(st.sampled_from(ALPHABET), max_size=80),
    st.text(st.sampled_from("ab -\n\rаоcс\u00ad\u0301"), max_size=60),
    st.text(st.sampled_from("\u1100\u1161\u1162\u11a8\u11a7\u1112\u1175\u11c2가각힣a-\n\u200b"), max_size=20),
    st.lists(st.sampled_from(WORDS), max_size=200).map(" ".join),
)
anything = st.text(st.characters(exclude_categories=["Cs"]), max_size=300)
mannered = st.builds(
    lambda manners, size, number: drawn_text("".join(manners), size, number),
    st.lists(st.sampled_from(MANNERS), min_size=1, max_size=2),
    st.integers(0, 3000),
    st.integers(0, 2**32),
)


def drawn_text(alphabet: str, size: int, number: int) -> str:
    """Return letters of an alphabet, in runs of one letter, and in words, now and then."""
    chosen = random.Random(number)
    letters = "".join(chosen.choices(alphabet, k=chosen.randint(1, 12)))
    return "".join(letters if chosen.random() < 0.02 else chosen.choice(alphabet) for _ in range(size))[:size]


def assert_equal(expected: Any, actual: Any, level: str) -> None:
    for field in dataclasses.fields(expected):
        one, other = getattr(expected, field.name), getattr(actual, field.name)
        if isinstance(one, np.ndarray):
            assert (one.dtype, one.shape) == (other.dtype, other.shape), (level, field.name)
            # Lists of a million numbers are slow: they are made to show what differs.
            assert np.array_equal(one, other) or one.tolist() == other.tolist(), (level, field.name)
        else:
            assert one == other, (level, field.name)


def assert_twins(natives: dict[str, Any], utf8: bytes, *, starts: bool = True, **changed: Any) -> None:
    """Check that each native twin gives what the reference gives, which is asked once."""
    how = dataclasses.replace(HOW, **changed)
    folded, tokens = ORACLE.fold(utf8), ORACLE.tokenise(utf8)
    sample = ORACLE.sample(utf8, how, starts=starts)
    for level, native in natives.items():
        assert_equal(folded, native.fold(utf8), level)
        assert_equal(tokens, native.tokenise(utf8), level)
        assert_equal(sample, native.sample(utf8, how, starts=starts), level)


@seed(21)
@settings(max_examples=600, deadline=None)
@given(
    st.one_of(anything, chosen, mannered),
    st.integers(1, 20),
    st.integers(0, 6),
    st.booleans(),
    st.sampled_from([10, 64, 1000, 65_536]),
)
def test_any_text_comes_out_the_same(
    natives: dict[str, Any], text: str, shingle_tokens: int, long_letters: int, ordered: bool, segment_chars: int
) -> None:
    lengths = {"shingle_tokens": shingle_tokens, "long_letters": long_letters}
    options = {**lengths, "ordered": ordered, "segment_chars": segment_chars}
    assert_twins(natives, text.encode(), **options)
    assert_twins(natives, text.encode(), **options, density=1.0, min_hashes=1)
    assert_twins(natives, text.encode(), **options, starts=False)


@pytest.mark.parametrize("shingle_tokens", [7, 8, 16, 17, 32, 63, 64, 65, 200])
def test_shingles_of_any_length_come_out_the_same(natives: dict[str, Any], shingle_tokens: int) -> None:
    words = " ".join(drawn_text(manner, 2500, shingle_tokens) for manner in MANNERS[3:6]).encode()
    for ordered in (True, False):
        assert_twins(natives, words, shingle_tokens=shingle_tokens, ordered=ordered, segment_chars=2000)


@pytest.mark.parametrize("least", [1, 4, 5, 8, 9, 16, 17, 20, 64])
@pytest.mark.parametrize("letters", ["a", "aж", "жaक", "😀", "a𐐨ж", "字字aж"])
def test_a_long_word_has_code_points_not_bytes(natives: dict[str, Any], letters: str, least: int) -> None:
    """Words of 1 to 70 letters of one to four bytes, so that the first 16 bytes of some do not tell."""
    chosen = random.Random(least)
    words = ["".join(chosen.choices(letters, k=chosen.randint(1, least + 6))) for _ in range(700)]
    for ordered in (True, False):
        how: dict[str, Any] = {"long_letters": least, "ordered": ordered, "density": 1.0, "segment_chars": 3000}
        assert_twins(natives, " ".join(words).encode(), **how)
        assert_twins(natives, " ".join(words).encode(), **how, hash_bits=64, starts=False)


@seed(22)
@settings(max_examples=50, deadline=None)
@given(mannered, st.integers(-70, 70), st.sampled_from(["x ", "жж ", "中，", "x", "字"]))
def test_the_edge_of_a_chunk_does_not_show(natives: dict[str, Any], text: str, shift: int, filler: str) -> None:
    width = len(filler.encode())
    before = filler * ((CHUNK_BYTES + shift) // width)
    assert_twins(natives, (before + text[:200]).encode())


@pytest.mark.parametrize("manner", MANNERS)
def test_a_text_of_many_chunks_comes_out_the_same(natives: dict[str, Any], manner: str) -> None:
    chosen = random.Random(23)
    words = ["".join(chosen.choices(manner, k=chosen.randint(1, 14))) for _ in range(2000)]
    text = " ".join(chosen.choices(words, k=25_000))
    assert_twins(natives, text.encode()[:200_000].decode(errors="ignore").encode())


@pytest.mark.parametrize("letter", ["a", "ж", "中", "é", "\u200b", "\ufdfa", "-\n", "\u0301", "aа", "😀"])
def test_a_text_without_a_place_to_cut_comes_out_the_same(natives: dict[str, Any], letter: str) -> None:
    assert_twins(natives, (letter * 20_000).encode())


@pytest.mark.parametrize(
    "around", ["", "a", " ", "中", "ж"], ids=["alone", "in Latin", "in spaces", "in Han", "in Cyrillic"]
)
def test_every_code_point_comes_out_the_same(natives: dict[str, Any], around: str) -> None:
    # Of the planes without letters, a code point in 97 is enough.
    codes = [*range(0xD800), *range(0xE000, 0x32400), *range(0x32400, 0xE0000, 97), *range(0xE0000, 0xE1000)]
    codes += range(0xE1000, 0x110000, 97)
    assert_twins(natives, around.join(map(chr, codes)).encode())


@pytest.mark.parametrize("n_copies", [2, 60])
def test_a_repetitive_text_comes_out_the_same(natives: dict[str, Any], n_copies: int) -> None:
    page = " ".join(f"word{number * 7919 % 613}" for number in range(400))
    assert_twins(natives, " ".join([page] * n_copies).encode(), segment_chars=100_000)


@seed(24)
@settings(max_examples=300, deadline=None)
@given(mannered, st.lists(st.tuples(st.integers(0, 10_000), st.integers(0, 255)), min_size=1, max_size=3))
def test_what_is_not_utf8_is_refused_with_the_same_words(
    natives: dict[str, Any], text: str, changes: list[tuple[int, int]]
) -> None:
    utf8 = bytearray(text.encode() or b"x")
    for at, byte in changes:
        utf8[at % len(utf8)] = byte
    for name in ("fold", "tokenise"):
        try:
            expected = getattr(ORACLE, name)(bytes(utf8))
        except ParameterError as error:
            for level, native in natives.items():
                with pytest.raises(ParameterError) as raised:
                    getattr(native, name)(bytes(utf8))
                assert str(error) == str(raised.value), level
        else:
            for level, native in natives.items():
                assert_equal(expected, getattr(native, name)(bytes(utf8)), level)


@pytest.mark.parametrize(
    "broken", [b"\xff", b"\xc3", b"\xe4\xb8", b"\xf0\x9f\x98", b"\xed\xa0\x80", b"\xc0\x80", b"\x80"]
)
def test_a_broken_character_anywhere_is_found(natives: dict[str, Any], broken: bytes) -> None:
    for before in (*range(0, 130, 7), 62, 63, 64, 65):
        for after in (0, 1, 70):
            for filler in (b"a", "中".encode(), "ж".encode()):
                utf8 = filler * before + broken + b" " * after
                with pytest.raises(ParameterError) as expected:
                    ORACLE.tokenise(utf8)
                for level, native in natives.items():
                    with pytest.raises(ParameterError) as raised:
                        native.sample(utf8, HOW)
                    assert str(expected.value) == str(raised.value), level


def test_threads_do_not_disturb_each_other(natives: dict[str, Any]) -> None:
    chosen = random.Random(25)
    texts = [drawn_text(chosen.choice(MANNERS), 20_000, number).encode() for number in range(40)]
    for level, native in natives.items():
        alone = [native.sample(text, HOW) for text in texts]
        with ThreadPoolExecutor(4) as pool:
            together = list(pool.map(lambda text, native=native: native.sample(text, HOW), texts * 3))
        for expected, actual in zip(alone * 3, together, strict=True):
            assert_equal(expected, actual, level)


@seed(27)
@settings(deadline=None, max_examples=60)
@given(
    text=mannered,
    hash_bits=st.sampled_from(HASH_BITS[1:]),
    long_letters=st.sampled_from([0, 5]),
    positions=st.booleans(),
    ordered=st.booleans(),
)
def test_wide_hashes_are_of_the_same_shingles_as_narrow_ones(
    natives: dict[str, Any], text: str, hash_bits: int, long_letters: int, positions: bool, ordered: bool
) -> None:
    how = dataclasses.replace(HOW, segment_chars=1000, long_letters=long_letters, ordered=ordered)
    narrow = ORACLE.sample(text.encode(), how, positions=positions)
    whole = ORACLE.sample(text.encode(), dataclasses.replace(how, hash_bits=64), positions=positions)
    how = dataclasses.replace(how, hash_bits=hash_bits)
    expected = ORACLE.sample(text.encode(), how, positions=positions)
    for level, native in natives.items():
        assert_equal(expected, native.sample(text.encode(), how, positions=positions), level)
    assert narrow.hashes.tolist() == first_bits(expected.hashes).tolist()
    assert (whole.hashes >> np.uint64(64 - hash_bits) << np.uint64(64 - hash_bits)).tolist() == expected.hashes.tolist()
    assert (narrow.token.tolist(), narrow.bounds.tolist()) == (expected.token.tolist(), expected.bounds.tolist())


@pytest.mark.parametrize(
    "text", ["low tide at the long pier is late today " * 3, "中文字是的漢字々〇とても長い文章" * 3]
)
def test_a_hash_of_64_bits_is_the_whole_hash_of_its_shingle(natives: dict[str, Any], text: str) -> None:
    """At single letters shingles are thin: an eighth of the hashes fills the lower half of the range."""
    tokens = ORACLE.tokenise(text.encode())
    hashes = all_shingles(tokens.hashes.tolist(), tokens.singles.tolist(), 4)
    if tokens.singles.all():
        hashes = [value << 2 if value < 1 << 61 else value >> 1 | 1 << 63 for value in hashes]
    how = dataclasses.replace(HOW, hash_bits=64, density=1.0, long_letters=0)
    for kernels in (ORACLE, *natives.values()):
        assert sorted(set(hashes)) == kernels.sample(text.encode(), how, positions=False).hashes.tolist()


@seed(28)
@settings(deadline=None, max_examples=60)
@given(text=mannered, long_letters=st.sampled_from([0, 5]), ordered=st.booleans(), segment_chars=st.integers(10, 1000))
def test_both_twins_list_the_same_words(
    natives: dict[str, Any], text: str, long_letters: int, ordered: bool, segment_chars: int
) -> None:
    how = dataclasses.replace(HOW, segment_chars=segment_chars, long_letters=long_letters, ordered=ordered)
    expected = ORACLE.sample(text.encode(), how, positions=False, words=True)
    for level, native in natives.items():
        assert_equal(expected, native.sample(text.encode(), how, positions=False, words=True), level)
        placed = native.sample(text.encode(), how, words=True)
        assert placed.words.tolist() == expected.words.tolist(), level


@pytest.mark.parametrize("manner", [MANNERS[0], MANNERS[4], MANNERS[8] + MANNERS[4]])
@pytest.mark.parametrize("segment_chars", [1500, 65_536])
def test_the_words_of_a_text_of_many_chunks_are_listed_alike(
    natives: dict[str, Any], manner: str, segment_chars: int
) -> None:
    text = drawn_text(manner, 5 * CHUNK_BYTES, 7).encode()
    how = dataclasses.replace(HOW, segment_chars=segment_chars)
    expected = ORACLE.sample(text, how, positions=False, words=True)
    for level, native in natives.items():
        assert_equal(expected, native.sample(text, how, positions=False, words=True), level)


@seed(26)
@settings(deadline=None, max_examples=60)
@given(texts=st.lists(mannered.map(str.encode) | st.binary(max_size=40), max_size=5), gap=st.integers(0, 3))
def test_texts_of_one_buffer_are_sampled_as_each_alone(natives: dict[str, Any], texts: list[bytes], gap: int) -> None:
    how = dataclasses.replace(HOW, segment_chars=1000)
    ends = np.cumsum([len(text) + gap for text in texts], dtype=np.int64) - gap
    starts = ends - np.array([len(text) for text in texts], np.int64)
    content = bytes(gap).join(texts)
    expected = ORACLE.sample_texts(content, starts, ends, how)
    for level, native in natives.items():
        assert_equal(expected, native.sample_texts(content, starts, ends, how), level)
    for number, text in enumerate(texts):
        first, last = expected.firsts[number : number + 2].tolist()
        bounds = expected.bounds[first : last + 1]
        try:
            alone = ORACLE.sample(text, how, positions=False, words=True)
        except ParameterError:
            assert (expected.n_chars[number], last - first) == (-1, 0)
            continue
        listed = expected.words[slice(*expected.word_bounds[number : number + 2].tolist())]
        assert listed.tolist() == alone.words.tolist()
        assert expected.hashes[bounds[0] : bounds[-1]].tolist() == alone.hashes.tolist()
        assert (bounds - bounds[0]).tolist() == alone.bounds.tolist()
        assert (expected.n_chars[number], expected.n_tokens[number]) == (alone.n_chars, alone.n_tokens)


@pytest.mark.parametrize(("starts", "stops"), [([0], [5]), ([-1], [2]), ([3], [2]), ([0, 1], [2])])
def test_texts_outside_their_buffer_are_refused(natives: dict[str, Any], starts: list[int], stops: list[int]) -> None:
    for kernels in (ORACLE, *natives.values()):
        with pytest.raises(ParameterError, match="expected"):
            kernels.sample_texts(b"tide", np.array(starts), np.array(stops), HOW)
    with pytest.raises(ParameterError, match="expected int64"):
        ORACLE.sample_texts(b"tide", np.array([0], np.int32), np.array([2]), HOW)
