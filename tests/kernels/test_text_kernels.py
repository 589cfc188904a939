"""Both twins of the text kernels, the native one on every instruction set, where the answer is known."""

from __future__ import annotations

import subprocess
import sys
from itertools import chain, pairwise
from typing import Any

import mmh3
import numpy as np
import pytest
from hypothesis import given, seed, settings
from hypothesis import strategies as st

from pmbf.base.errors import CorruptError
from pmbf.base.params import Sampling
from pmbf.kernels import fold_table as table_file
from pmbf.kernels import reference_text
from pmbf.kernels.fold_table import CODE, EXPANSION, INVISIBLE, SINGLE, WORD, fold_table
from pmbf.kernels.reference_hash import shingle_hash

MASK = (1 << 64) - 1
SETTINGS = {
    "shingle_tokens": 5,
    "long_letters": 4,
    "ordered": True,
    "density": 0.05,
    "min_hashes": 32,
    "segment_chars": 65_536,
}


@pytest.fixture(scope="module", params=["reference", "native"])
def twins(request: pytest.FixtureRequest) -> dict[str, Any]:
    """Each twin of the kernels: the reference, then the native one on each instruction set that this processor has."""
    return {"reference": reference_text} if request.param == "reference" else request.getfixturevalue("natives")


@seed(17)
@settings(max_examples=100, deadline=None)
@given(st.text(max_size=40) | st.text(st.sampled_from("ab -\n\rаоcс中国가\u0301"), max_size=60), st.integers(1, 5))
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


def test_texts_of_different_length_are_told_apart_even_when_their_tokens_weigh_nothing() -> None:
    three, four = (shingle_hash([0] * n, ordered=True) for n in (3, 4))
    assert three != four


@pytest.mark.parametrize("text", ["", " .,;\n", "\u200b\u0301", "\0\0"])
def test_a_text_without_tokens_has_an_empty_sample(twins: dict[str, Any], text: str) -> None:
    for level, kernels in twins.items():
        sample = kernels.sample(text.encode(), Sampling(**SETTINGS))  # type: ignore[arg-type]
        assert (len(sample), sample.n_tokens, sample.n_shingles) == (0, 0, 0), level
        assert [0] * (2 if text else 1) == sample.bounds.tolist(), level


def fmix(value: int) -> int:
    value = (value ^ value >> 33) * 0xFF51AFD7ED558CCD & MASK
    value = (value ^ value >> 33) * 0xC4CEB9FE1A85EC53 & MASK
    return value ^ value >> 33


def key_of(word: str) -> int:
    """Return the key of a word of the list: a word of words, or two single letters."""
    parts = word if len(word) == 2 else [word]
    one, *other = [fmix(mmh3.hash64(part, seed=0, signed=False)[0]) for part in parts]
    return (one * 0x9E3779B97F4A7C15 + other[0] & MASK if other else one) >> 32


def list_of(words: list[str]) -> list[int]:
    """Return the list of a part with these words."""
    numbers = sorted({key_of(word) * 32 * len(words) >> 32 for word in words})
    gaps = [number - before for before, number in pairwise([0, *numbers])]
    return [
        *len(words).to_bytes(4, "little"),
        *len(numbers).to_bytes(4, "little"),
        *chain.from_iterable([255] * (gap // 255) + [gap % 255] for gap in gaps),
    ]


@pytest.mark.parametrize("ordered", [True, False])
@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("", []),
        (".,;", [[]]),
        ("the tide is low", [["tide"]]),
        ("Tides, tides; the TIDE of 1953", [["tides", "tides", "tide", "1953"]]),
        ("naïve öre ﬁles", [["naive", "files"]]),
        ("世界 tide 中。文字", [["世界", "tide", "中文", "文字"]]),
        ("tide" + 1020 * " " + "late" + 400 * " ", [["tide"], ["late"]]),
        ("世" + 1023 * " " + "界" + 400 * " ", [["世界"], []]),
        ("tide " * 30, [["tide"] * 30]),
    ],
)
def test_the_words_of_each_part_are_listed(
    twins: dict[str, Any], text: str, parts: list[list[str]], ordered: bool
) -> None:
    how = Sampling(**{**SETTINGS, "ordered": ordered, "segment_chars": 1024})  # type: ignore[arg-type]
    expected = [*chain.from_iterable(map(list_of, parts))]
    for level, kernels in twins.items():
        assert kernels.sample(text.encode(), how, positions=False, words=True).words.tolist() == expected, level
        assert kernels.sample(text.encode(), how, positions=False).words.tolist() == [], level


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
