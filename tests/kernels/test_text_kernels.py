"""Both twins of the text kernels, the native one on every instruction set, against a slow oracle that walks code point
by code point: dicts, plain ints and mmh3."""

from __future__ import annotations

import math
import random
import re
import subprocess
import sys
import unicodedata
from bisect import bisect_right
from dataclasses import dataclass
from itertools import chain, pairwise
from typing import Any

import mmh3
import numpy as np
import pytest
from hypothesis import given, seed, settings
from hypothesis import strategies as st

from pmbf.errors import CorruptError, ParameterError
from pmbf.kernels import fold_table as table_file
from pmbf.kernels import lookalikes, reference_fold, reference_text
from pmbf.kernels.fold_table import CODE, EXPANSION, INVISIBLE, LETTER, LOWER, MARK, SEPARATOR, SINGLE, WORD, fold_table
from pmbf.kernels.reference_hash import LENGTH, STEP, fmix64, token_hashes
from pmbf.params import Sampling

MASK = (1 << 64) - 1
SETTINGS = {
    "shingle_tokens": 5,
    "long_letters": 4,
    "ordered": True,
    "density": 0.05,
    "min_hashes": 32,
    "segment_chars": 65_536,
}

ALPHABET = (
    "aebkopxyABHMZßéøłıﬁǆĳ½①⑴㎏™µ 019-._,\t\r\n\n\0\x02\u00ad\u2010\ufffe\u200b\u200d\u2060\ufe0f"
    "\u0301\u0345\u0308авеокрсухіЖщёѣΑΒαβοΩἀֆոօاأَـשׁक्षिত্োกำเกាំကို中国々〇ーかがｶﾞ\u3099가각\u1100\u1161\u11a8힣"
    "ㄱ😀👩🏽𝐀𝟘\U0001f170\U00020000\ud7ff\uffff"
)
texts = st.one_of(
    st.text(st.sampled_from(ALPHABET), max_size=80),
    st.text(max_size=40),
    st.text(st.sampled_from("ab -\n\rаоcс\u00ad\u0301"), max_size=60),
    st.text(st.sampled_from("\u1100\u1161\u1162\u11a8\u11a7\u1112\u1175\u11c2가각힣a\u200b"), max_size=20),
    st.text(st.sampled_from("\u1100\u1161\u11a8가각a-\n"), max_size=20),
)


@pytest.fixture(scope="module", params=["reference", "native"])
def twins(request: pytest.FixtureRequest) -> dict[str, Any]:
    """Each twin of the kernels: the reference, then the native one on each instruction set that this processor has."""
    return {"reference": reference_text} if request.param == "reference" else request.getfixturevalue("natives")


@dataclass
class Letter:
    """A folded character: what it is, where it came from, its table entry, and the class the token rules see."""

    code: int
    origin: int
    entry: int

    @property
    def kind(self) -> int:
        return self.entry >> 21 & 7


def slow_letters(text: str) -> tuple[list[Letter], int]:
    """Return the folded characters of a text, and how many invisible ones stand after a letter."""
    table = fold_table()
    vanished = slow_vanished(text)
    composed = slow_syllables(text)
    letters: list[Letter] = []
    n_invisible = 0
    for at in range(len(text)):
        entry = 0 if at in vanished else int(table.entries[ord(composed[at])]) if composed[at] else 0
        if entry & EXPANSION:
            start, length = entry & 0xFFFF, entry >> 16 & 31
            for code in table.expansions[start : start + length].tolist():
                letters.append(Letter(code, at, int(table.entries[code])))
        elif entry >> 21 & 7:
            letters.append(Letter(entry & CODE, at, entry))
        elif entry & INVISIBLE and letters and letters[-1].entry >> 24 & 7:
            n_invisible += 1
    return letters, n_invisible


def slow_vanished(text: str) -> set[int]:
    """Return the code points that vanish between the halves of a word broken at a line end."""
    flags = [int(fold_table().entries[ord(char)]) for char in text]
    found = re.finditer("(?<=(.))[-\u2010\u00ad\x02\ufffe][ \t]*(?:\r\n|\n|\r)[ \t]*(?=(.))", text, re.DOTALL)
    return {
        at
        for match in found
        if flags[match.start() - 1] & LETTER and flags[match.end()] & LOWER
        for at in range(match.start(), match.end())
    }


def slow_syllables(text: str) -> list[str]:
    """Return each code point, conjoining jamo composed into the first of a syllable and empty after it."""
    composed = list(text)
    for at in range(len(text) - 1):
        pair = unicodedata.normalize("NFC", composed[at] + composed[at + 1])
        if "\u1100" <= composed[at] <= "\u1112" and "\u1161" <= composed[at + 1] <= "\u1175":
            composed[at : at + 2] = [pair, ""]
            following = text[at + 2 : at + 3]
            if "\u11a8" <= following <= "\u11c2":
                composed[at], composed[at + 2] = unicodedata.normalize("NFC", pair + following), ""
        elif "\uac00" <= text[at] <= "\ud7a3" and "\u11a8" <= composed[at + 1] <= "\u11c2" and len(pair) == 1:
            composed[at : at + 2] = [pair, ""]
    return composed


def slow_tokens(letters: list[Letter]) -> list[list[Letter]]:
    """Return the letters of each token."""
    tokens: list[list[Letter]] = []
    previous = "gap"
    for letter in letters:
        if letter.kind == SEPARATOR:
            previous = "gap"
        elif letter.kind == MARK and previous != "gap":
            tokens[-1].append(letter)
        elif letter.kind == SINGLE:
            tokens.append([letter])
            previous = "single"
        elif previous == "word":
            tokens[-1].append(letter)
        else:
            tokens.append([letter])
            previous = "word"
    return tokens


def slow_repair(token: list[Letter]) -> bool:
    """Put the look-alike letters of a token into one script; return whether any letter changed."""
    letters = [letter for letter in token if letter.entry >> 24 & 7]
    held = [letter.entry >> 24 & 7 for letter in letters]
    if len(set(held)) < 2:
        return False
    faces = [slow_faces(letter) for letter in letters]
    whole = [script for script in sorted(set(held)) if all(script in face for face in faces)]
    target = whole[0] if whole else max(sorted(set(held)), key=held.count)
    before = [letter.code for letter in letters]
    for letter, face in zip(letters, faces, strict=True):
        letter.code = face.get(target, letter.code)
    return before != [letter.code for letter in letters]


def slow_faces(letter: Letter) -> dict[int, int]:
    """Return the letter of each script that looks like this one."""
    lower = bool(letter.entry & LOWER)
    for shape in lookalikes._LOWER_SHAPES if lower else lookalikes._UPPER_SHAPES:
        if letter.code in {ord(char.casefold()) for char in shape if char != "-"}:
            return {script: ord(char.casefold()) for script, char in enumerate(shape, 1) if char != "-"}
    return {letter.entry >> 24 & 7: letter.code}


def slow_tokenise(text: str) -> tuple[list[tuple[int, int, int, bool]], int, int, str]:
    """Return (hash, start, stop, single) of each token, the numbers of odd things, and the folded text."""
    letters, n_invisible = slow_letters(text)
    tokens = slow_tokens(letters)
    n_mixed = sum(map(slow_repair, tokens))
    origins = [*(letter.origin for letter in letters), len(text)]
    found = []
    for token in tokens:
        word = "".join(chr(letter.code) for letter in token).encode()
        stop = origins[bisect_right(origins, token[-1].origin)]
        hashed = mmh3.hash64(word, seed=0, signed=False)[0]
        found.append((hashed, token[0].origin, stop, token[0].kind == SINGLE))
    return found, n_mixed, n_invisible, "".join(chr(letter.code) for letter in letters)


def slow_fmix(value: int) -> int:
    value = (value ^ value >> 33) * 0xFF51AFD7ED558CCD & MASK
    value = (value ^ value >> 33) * 0xC4CEB9FE1A85EC53 & MASK
    return value ^ value >> 33


def slow_shingle(hashes: list[int], *, thin: bool, ordered: bool) -> int:
    weighted = (value * pow(STEP, at, 1 << 64) for at, value in enumerate(hashes))
    total = sum(weighted if ordered else map(slow_fmix, hashes))
    mixed = slow_fmix((total + len(hashes) * LENGTH) & MASK)
    if not thin:
        return mixed >> 32
    return mixed >> 30 if mixed < 1 << 61 else (1 << 31) + (mixed >> 33)


def slow_long_words(text: str, long_letters: int) -> list[bool]:
    """Return whether each token is a long word."""
    tokens = slow_tokens(slow_letters(text)[0])
    return [0 < long_letters <= len(token) and token[0].kind != SINGLE for token in tokens]


def slow_sample(
    text: str,
    *,
    shingle_tokens: int,
    long_letters: int,
    ordered: bool,
    density: float,
    min_hashes: int,
    segment_chars: int,
) -> tuple[list[list[tuple[int, int, int]]], int]:
    """Return (hash, start, token) of what each segment keeps, in the order of the text, and the number of shingles."""
    tokens, is_long = slow_tokenise(text)[0], slow_long_words(text, long_letters)
    shingles = []
    for at, (hashed, start, _, single) in enumerate(tokens):
        length, thin = shingle_tokens * (2 if single else 1), single or long_letters > 0
        others = [other for other in range(at + 1, min(at + 2 * shingle_tokens, len(tokens))) if is_long[other]]
        if is_long[at] and others:
            both = [hashed, tokens[others[0]][0]]
            shingles.append((slow_shingle(both, thin=False, ordered=False), start, at))
        elif at + length <= len(tokens):
            hashes = [token[0] for token in tokens[at : at + length]]
            shingles.append((slow_shingle(hashes, thin=thin, ordered=ordered), start, at))
    if tokens and not shingles:
        hashes, thin = [token[0] for token in tokens], tokens[0][3] or long_letters > 0
        shingles = [(slow_shingle(hashes, thin=thin, ordered=ordered), tokens[0][1], 0)]
    edges = [*range(0, len(text), segment_chars), len(text)]
    if len(edges) > 2 and edges[-1] - edges[-2] < segment_chars / 4:
        del edges[-2]
    kept = []
    for begin, end in pairwise(edges):
        first: dict[int, tuple[int, int, int]] = {}
        for shingle in shingles:
            if begin <= shingle[1] < end:
                first.setdefault(shingle[0], shingle)
        smallest = sorted(first.values())[: max(min_hashes, math.ceil(density * (end - begin)))]
        kept.append(sorted(smallest, key=lambda shingle: shingle[2]))
    return kept, len(shingles)


def assert_like_the_oracle(twins: dict[str, Any], text: str) -> None:
    expected, n_mixed, n_invisible, folded = slow_tokenise(text)
    for level, kernels in twins.items():
        actual = kernels.tokenise(text.encode())
        columns = (actual.hashes, actual.starts, actual.stops, actual.singles)
        assert expected == list(zip(*(column.tolist() for column in columns), strict=True)), level
        assert (n_mixed, n_invisible, len(text)) == (actual.n_mixed, actual.n_invisible, actual.n_chars), level
        assert folded == kernels.fold(text.encode()).text, level


@seed(11)
@settings(max_examples=1500, deadline=None)
@given(texts)
def test_folding_and_tokens_agree_with_the_slow_oracle(twins: dict[str, Any], text: str) -> None:
    assert_like_the_oracle(twins, text)


@seed(12)
@settings(max_examples=300, deadline=None)
@given(texts)
def test_blocks_do_not_show(text: str) -> None:
    before = reference_fold.BLOCK_CHARS
    reference_fold.BLOCK_CHARS = 7
    try:
        assert_like_the_oracle({"reference": reference_text}, text)
    finally:
        reference_fold.BLOCK_CHARS = before


@seed(13)
@settings(max_examples=500, deadline=None)
@given(
    st.lists(
        st.sampled_from(
            ["a", "be", "cat,", "中", "文", "ка", "\n", "раy ", "-", "заяц", "co\u0301te\u0301", "e\u200bwe"]
        ),
        max_size=400,
    ),
    st.integers(1, 6),
    st.sampled_from([0, 3, 4]),
    st.booleans(),
    st.sampled_from([0.05, 0.3, 1.0]),
    st.integers(1, 9),
    st.integers(10, 120),
)
def test_samples_agree_with_the_slow_oracle(
    twins: dict[str, Any],
    words: list[str],
    shingle_tokens: int,
    long_letters: int,
    ordered: bool,
    density: float,
    min_hashes: int,
    segment_chars: int,
) -> None:
    text = " ".join(words)
    lengths = {"shingle_tokens": shingle_tokens, "long_letters": long_letters}
    numbers = {"density": density, "min_hashes": min_hashes, "segment_chars": segment_chars}
    given_settings = {**lengths, "ordered": ordered, **numbers}
    kept, n_shingles = slow_sample(text, **given_settings)  # type: ignore[arg-type]
    for level, kernels in twins.items():
        actual = kernels.sample(text.encode(), Sampling(**given_settings))  # type: ignore[arg-type]
        rows = list(zip(actual.hashes.tolist(), actual.starts.tolist(), actual.token.tolist(), strict=True))
        assert kept == [rows[start:stop] for start, stop in pairwise(actual.bounds.tolist())], level
        assert (n_shingles, len(text)) == (actual.n_shingles, actual.n_chars), level


@pytest.mark.parametrize("ordered", [True, False])
def test_long_texts_agree_with_the_slow_oracle(twins: dict[str, Any], ordered: bool) -> None:
    chosen = random.Random(14)
    text = " ".join("".join(chosen.choices("abcdeжш中\u0301", k=chosen.randint(1, 9))) for _ in range(2500))
    options = {**SETTINGS, "ordered": ordered, "segment_chars": 4096}
    kept, _ = slow_sample(text, **options)  # type: ignore[arg-type]
    for level, kernels in twins.items():
        actual = kernels.sample(text.encode(), Sampling(**options))  # type: ignore[arg-type]
        assert [row[0] for part in kept for row in part] == actual.hashes.tolist(), level


def test_shingles_do_not_show_where_the_hash_works_in_chunks(twins: dict[str, Any]) -> None:
    words = [f"w{number}" for number in range(40_000)]
    for level, kernels in twins.items():
        whole = kernels.sample(" ".join(words).encode(), Sampling(**{**SETTINGS, "density": 1.0}))  # type: ignore[arg-type]
        late = " ".join(words[16_380:16_390])
        part = kernels.sample(late.encode(), Sampling(**{**SETTINGS, "density": 1.0}))  # type: ignore[arg-type]
        assert set(part.hashes.tolist()) <= set(whole.hashes.tolist()), level


@seed(17)
@settings(max_examples=100, deadline=None)
@given(texts, st.integers(1, 5))
def test_a_sample_without_positions_has_the_same_hashes_ascending(
    twins: dict[str, Any], text: str, shingle_tokens: int
) -> None:
    how = Sampling(**{**SETTINGS, "shingle_tokens": shingle_tokens})  # type: ignore[arg-type]
    for level, kernels in twins.items():
        whole, placed = (kernels.sample(text.encode(), how, starts=starts) for starts in (True, False))
        bare = kernels.sample(text.encode(), how, positions=False)
        parts = (sorted(whole.hashes[start:stop].tolist()) for start, stop in pairwise(whole.bounds.tolist()))
        assert (list(chain.from_iterable(parts)), whole.bounds.tolist()) == (
            bare.hashes.tolist(),
            bare.bounds.tolist(),
        ), level
        assert (whole.hashes.tolist(), whole.token.tolist()) == (placed.hashes.tolist(), placed.token.tolist()), level
        assert (0, 0, 0) == (len(placed.starts), len(bare.starts), len(bare.token)), level


def test_tokens_of_every_length_are_hashed_by_murmur(twins: dict[str, Any]) -> None:
    words = ["ab" * 600, *("x" * length for length in range(1, 201)), *("ж" * length for length in range(1, 101))]
    expected = [mmh3.hash64(word.encode(), seed=0, signed=False)[0] for word in words]
    for level, kernels in twins.items():
        assert expected == kernels.tokenise(" ".join(words).encode()).hashes.tolist(), level


def test_token_hashes_are_murmur_for_every_length() -> None:
    chosen = random.Random(15)
    tokens = [chosen.randbytes(length) for length in range(201) for _ in range(8)]
    sizes = np.array([len(token) for token in tokens])
    stops = np.cumsum(sizes)
    actual = token_hashes(b"".join(tokens), stops - sizes, stops)
    assert [mmh3.hash64(token, seed=0, signed=False)[0] for token in tokens] == actual.tolist()


def test_the_final_mix_is_the_slow_one() -> None:
    values = [0, 1, MASK, *(random.Random(16).getrandbits(64) for _ in range(100))]
    assert [slow_fmix(value) for value in values] == fmix64(np.array(values, np.uint64)).tolist()


def test_texts_of_different_length_are_told_apart_even_when_their_tokens_weigh_nothing() -> None:
    three, four = (slow_shingle([0] * n, thin=False, ordered=True) for n in (3, 4))
    assert three != four


@pytest.mark.parametrize("broken", [b"\xff", b"ab\xc3", b"\xed\xa0\x80", b"\xc0\x80"])
def test_bytes_that_are_not_utf8_are_refused(twins: dict[str, Any], broken: bytes) -> None:
    for kernel in (kernel for kernels in twins.values() for kernel in (kernels.fold, kernels.tokenise)):
        with pytest.raises(ParameterError, match="not UTF-8 at byte"):
            kernel(broken)


@pytest.mark.parametrize("text", ["", " .,;\n", "\u200b\u0301", "\0\0"])
def test_a_text_without_tokens_has_an_empty_sample(twins: dict[str, Any], text: str) -> None:
    for level, kernels in twins.items():
        sample = kernels.sample(text.encode(), Sampling(**SETTINGS))  # type: ignore[arg-type]
        assert (len(sample), sample.n_tokens, sample.n_shingles) == (0, 0, 0), level
        assert [0] * (2 if text else 1) == sample.bounds.tolist(), level


def test_a_damaged_fold_table_is_refused() -> None:
    packed = bytearray(table_file._PATH.read_bytes())
    for damaged in (packed[:20], packed[:-1], b"X" + packed[1:], packed[:99] + b"\xff\xff" + packed[101:]):
        with pytest.raises(CorruptError, match="install pmbf again"):
            table_file.parse(bytes(damaged), name="table")


def test_letters_of_the_four_scripts_begin_with_bytes_that_the_native_kernel_watches() -> None:
    entries = fold_table().entries
    codes = np.flatnonzero((entries >> 24 & 7 != 0) & (entries & EXPANSION == 0))
    folded = {int(entries[code]) & CODE for code in codes} - set(range(0x80))
    watched = {*range(0xC3, 0xCB), *range(0xCD, 0xD7), 0xE1, 0xE2, 0xEA, 0xF0}
    utf8 = [chr(code).encode() for code in folded]
    assert {letter[0] for letter in utf8} <= watched
    assert all(letter[1] >= 0xB0 for letter in utf8 if letter[0] == 0xE1)
    assert all(letter[1] < 0xB0 for letter in utf8 if letter[0] == 0xEA)
    assert all(letter[1] < 0xA0 for letter in utf8 if letter[0] == 0xF0)
    assert {int(entries[code]) >> 24 & 7 for code in folded if chr(code).encode()[0] < 0xCB} == {1}
    assert {int(entries[code]) >> 24 & 7 for code in folded if 0xCD <= chr(code).encode()[0] <= 0xCF} == {3}
    assert {int(entries[code]) >> 24 & 7 for code in folded if 0xD0 <= chr(code).encode()[0] <= 0xD3} == {2}


def test_what_the_table_yields_has_the_class_and_script_of_what_it_came_from() -> None:
    entries = fold_table().entries
    kept = np.flatnonzero(((entries >> 21) & 7 != 0) & (entries & EXPANSION == 0))
    folded = entries[entries[kept] & CODE]
    assert ((folded ^ entries[kept]) & (CODE ^ 0x7FFFFFF) == 0).all()


def test_han_and_hangul_fold_to_themselves() -> None:
    entries = fold_table().entries
    for first, last, kind in ((0x4E00, 0x9FFF, SINGLE), (0xAC00, 0xCFFF, WORD)):
        codes = np.arange(first, last + 1)
        assert (entries[codes] & 0xFFFFFF == (kind << 21 | codes)).all()


def test_russian_letters_fold_by_the_arithmetic_of_the_native_kernel() -> None:
    entries = fold_table().entries
    for first, last, distance in ((0x410, 0x42F, 0x20), (0x430, 0x44F, 0)):
        codes = np.arange(first, last + 1)
        expected = np.where(codes + distance == ord("й"), ord("и"), codes + distance)
        assert (entries[codes] & 0xFFFFFF == (WORD << 21 | expected)).all()
    assert int(entries[ord("ё")]) & 0xFFFFFF == WORD << 21 | ord("е")
    assert not (entries[0x410:0x452] & (EXPANSION | INVISIBLE)).any()
    odd = [code for code in range(0x80) if int(entries[code]) & (EXPANSION | INVISIBLE | 1 << 31)]
    assert odd == [2, ord("-")]


def test_threads_that_fold_first_together_share_one_table(natives: dict[str, Any]) -> None:
    """A table that one thread alone knows is let go while a kernel reads it."""
    code = """
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from pmbf.kernels import native_text
barrier = Barrier(16)
def first(_):
    barrier.wait()
    return native_text.text_table()
with ThreadPoolExecutor(16) as threads:
    print(len(set(threads.map(first, range(16)))))
"""
    assert natives
    done = [subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True) for _ in range(5)]
    assert [one.stdout.strip() for one in done] == ["1"] * 5
