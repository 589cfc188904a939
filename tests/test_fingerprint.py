"""Fingerprints: what is sampled, from where, and how evenly."""

from __future__ import annotations

import random
import unicodedata
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, seed, settings
from hypothesis import strategies as st

from pmbf import Collection
from pmbf.base.errors import UnsupportedError
from pmbf.base.params import Params
from pmbf.fingerprint import Fingerprint, fingerprint, query_sample
from pmbf.store.folder import Store
from pmbf.text import tokenise

ALL = Params(density=1.0)
SHORT = Params(density=1.0, long_letters=64)
"""In no text of these tests is a word that long."""
CHI_SQUARE_9_AT_5_PERCENT = 16.919
"""Upper 5 % point of the chi-square distribution with 9 degrees of freedom (any table)."""


def random_words(n_words: int, *, number: int) -> str:
    chosen = random.Random(number)
    return " ".join(f"w{chosen.randrange(20_000)}" for _ in range(n_words))


def equal(one: Fingerprint, other: Fingerprint) -> bool:
    return np.array_equal(one.hashes, other.hashes) and np.array_equal(one.bounds, other.bounds)


def test_each_part_is_ascending_and_distinct() -> None:
    made = fingerprint(random_words(20_000, number=31), replace(ALL, segment_chars=8192))
    assert len(made.parts()) > 10
    assert all(np.all(part[1:] > part[:-1]) for part in made.parts())


def test_a_part_keeps_the_smallest_hashes_as_many_as_the_density_says() -> None:
    text = random_words(2_000, number=32)
    whole, sampled = fingerprint(text, ALL), fingerprint(text, Params(density=0.05))
    quota = -(-len(text) // 20)
    assert whole.hashes[:quota].tolist() == sampled.hashes.tolist()


def test_a_short_text_keeps_min_hashes() -> None:
    text = random_words(100, number=33)
    assert len(fingerprint(text, Params(min_hashes=32, density=0.001))) == 32
    assert len(fingerprint(text, Params(min_hashes=1024, long_letters=0))) == 101 - Params().shingle_tokens


def test_a_text_of_fewer_tokens_than_a_shingle_has_one_hash() -> None:
    for text in ("one", "one two three", "中文"):
        assert len(fingerprint(text, Params())) == 1
    assert not equal(fingerprint("one", Params()), fingerprint("one two", Params()))


@pytest.mark.parametrize("text", ["", " .,; \n", "\0", "\u200b"])
def test_a_text_without_words_has_no_hashes(text: str) -> None:
    made = fingerprint(text, Params())
    assert (0, 0, len(text)) == (len(made), made.n_tokens, made.n_chars)
    assert (1 if text else 0) == len(made.parts())
    assert len(query_sample(text, Params())) == 0


def test_case_accents_spacing_and_normal_form_do_not_change_a_fingerprint() -> None:
    text = "Été à Paris : « Où est l’office ? » — naïve fiancée, déjà vu, crème brûlée et garçon " * 3
    made = fingerprint(text, Params())
    for same in (text.upper(), unicodedata.normalize("NFD", text), text.replace(" ", " \n\t")):
        assert made.hashes.tolist() == fingerprint(same, Params()).hashes.tolist()


def test_a_copied_passage_brings_all_its_shingles() -> None:
    copied, around = random_words(300, number=34), random_words(500, number=35)
    wide = replace(ALL, segment_chars=2**20)
    whole = fingerprint(f"{around}. {copied}. {around}", wide)
    assert set(fingerprint(copied, wide).hashes.tolist()) <= set(whole.hashes.tolist())


@seed(36)
@settings(max_examples=50, deadline=None)
@given(st.integers(0, 10**6), st.integers(0, 10**6))
def test_samples_of_a_text_and_of_a_longer_one_agree_up_to_the_lower_maximum(one: int, other: int) -> None:
    params = Params(min_hashes=1)
    first, more = random_words(400, number=one), random_words(400, number=other)
    part, whole = fingerprint(first, params).hashes, fingerprint(f"{first} {more}", params).hashes
    shared = np.intersect1d(fingerprint(first, ALL).hashes, whole)
    assert set(shared[shared <= part[-1]].tolist()) <= set(part.tolist())


@pytest.mark.parametrize(("n_chars", "n_parts"), [(1024, 1), (1279, 1), (1280, 2), (2048, 2), (2303, 2), (2304, 3)])
def test_a_tail_shorter_than_a_quarter_of_a_segment_joins_the_part_before(n_chars: int, n_parts: int) -> None:
    text = ("ab " * n_chars)[:n_chars]
    assert n_parts == len(fingerprint(text, Params(segment_chars=1024)).parts())


def test_order_counts_unless_it_is_said_not_to() -> None:
    text, turned = "one two three four five", "five four three two one"
    assert not equal(fingerprint(text, Params()), fingerprint(turned, Params()))
    free = Params(ordered=False)
    assert equal(fingerprint(text, free), fingerprint(turned, free))


def test_a_query_sample_holds_the_stored_hashes_in_text_order() -> None:
    text, params = random_words(5_000, number=37), Params(segment_chars=8192)
    made, asked = fingerprint(text, params), query_sample(text, params)
    assert sorted(made.hashes.tolist()) == sorted(asked.hashes.tolist())
    assert np.all(np.diff(asked.token.astype(int)) > 0)
    assert (made.n_chars, made.n_tokens) == (asked.n_chars, asked.n_tokens)


def test_the_place_of_a_sampled_hash_is_that_of_its_shingle() -> None:
    text = random_words(300, number=38) + " 中文字符串和更多的文字 " + random_words(50, number=39)
    asked, tokens = query_sample(text, ALL, starts=True), tokenise(text)
    for hashed, start, token in zip(asked.hashes, asked.starts, asked.token, strict=True):
        last = min(token + 2 * ALL.shingle_tokens, len(tokens)) - 1
        assert hashed == query_sample(text[start : tokens.stops[last]], ALL).hashes[0]


def test_the_first_of_equal_shingles_is_the_one_kept() -> None:
    phrase = "the same five words again "
    asked = query_sample(phrase * 40, Params(long_letters=0), starts=True)
    assert asked.starts.tolist() == [0, 4, 9, 14, 20]


def test_two_long_words_are_one_shingle_in_either_order_whatever_stands_between() -> None:
    made = fingerprint("a miller of the winter", ALL).hashes
    for text in ("one winter at some miller", "winter miller"):
        assert len(np.intersect1d(made, fingerprint(text, ALL).hashes)) == 1
    for text in ("winter in a mill of the miller is", "miller miller", "a mill of the snow"):
        assert len(np.intersect1d(made, fingerprint(text, ALL).hashes)) == 0


def test_a_text_of_short_words_is_sampled_as_if_no_word_were_long() -> None:
    text = " ".join(f"w{number % 997}" for number in range(3000))
    made, plain = fingerprint(text, ALL), fingerprint(text, replace(ALL, long_letters=0))
    assert len(made) == len(plain) == 997


def test_a_long_word_has_letters_however_they_are_written() -> None:
    """Four letters stay four with accents put on, with invisible characters between and at the end of a line."""
    for spelled in ("mill", "mi\u0301l\u0301l", "m\u00adi\u200bll", "mi-\nll", "МИЛЛ"):
        assert equal(fingerprint(f"{spelled} ab cd {spelled}", ALL), fingerprint(f"{spelled} ab cd {spelled}", SHORT))
    for spelled in ("miller", "mi\u0301ller", "МИЛЛЕ"):
        assert not equal(
            fingerprint(f"{spelled} ab cd {spelled}", ALL), fingerprint(f"{spelled} ab cd {spelled}", SHORT)
        )


def test_odd_things_are_counted_for_the_report() -> None:
    asked = query_sample("раyment pay\u200bment now", Params())
    assert (asked.n_mixed, asked.n_invisible) == (1, 1)


def test_samples_cover_their_texts_evenly() -> None:
    """Tskhay, Butakov & Kim 2014 found 873 of 1000 texts evenly covered at 5 % significance; chance allows 950."""
    passed = 0
    for number in range(200):
        asked = query_sample(random_words(1_500, number=number), Params())
        found = np.bincount(asked.token * 10 // asked.n_tokens, minlength=10)
        expected = len(asked) / 10
        passed += float(((found - expected) ** 2 / expected).sum()) <= CHI_SQUARE_9_AT_5_PERCENT
    assert passed >= 180


HAN, LATIN = "".join(map(chr, range(0x4E00, 0x5200))), "abcdefghiklmnoprstuvwy"
THAI, CYRILLIC = "".join(map(chr, range(0x0E01, 0x0E2F))), "абвгдежзиклмнопрстуфхцчшыэя"


def written_in(letters: str, n_chars: int, chosen: random.Random) -> str:
    """Return a text in words of two to nine letters, or without spaces where the script has none."""
    if letters in (HAN, THAI):
        return "".join(chosen.choices(letters, k=n_chars))
    words = ["".join(chosen.choices(letters, k=chosen.randint(2, 9))) for _ in range(n_chars // 3)]
    return " ".join(words)[:n_chars]


@pytest.mark.parametrize(
    ("around", "quoted"),
    [(HAN, LATIN), (LATIN, HAN), (THAI, CYRILLIC), (CYRILLIC, THAI)],
    ids=["Latin in Han", "Han in Latin", "Cyrillic in Thai", "Thai in Cyrillic"],
)
def test_a_quotation_in_another_script_is_found_both_ways(tmp_path: Path, around: str, quoted: str) -> None:
    chosen = random.Random(42)
    sources = [written_in(quoted, 8000, chosen) for _ in range(40)]
    hosts = [(written_in(around, 3000, chosen), written_in(around, 3000, chosen)) for _ in sources]
    quoting = [f"{before} {text[4000:4300]} {after}" for text, (before, after) in zip(sources, hosts, strict=True)]
    for stored, asked in ((sources, quoting), (quoting, sources)):
        with Collection(tmp_path / str(stored is sources), create=True) as collection:
            ids = collection.add_many((str(number), text) for number, text in enumerate(stored))
            found = [{match.document.id for match in collection.screen(text).matches} for text in asked]
            collection.check()
        assert sum(document in matches for document, matches in zip(ids, found, strict=True)) >= 39


def test_in_one_script_the_smallest_hashes_are_kept_and_those_of_single_letters_are_thinner() -> None:
    chosen = random.Random(43)
    han, latin = (
        fingerprint(written_in(letters, 20_000, chosen), Params(density=1.0, long_letters=0)).hashes
        for letters in (HAN, LATIN)
    )
    low = 2**31
    assert 0.12 < np.mean(han < low) < 0.13
    assert 0.48 < np.mean(latin < low) < 0.52
    assert abs(np.mean(han[han < low]) / low - 0.5) < 0.02


def test_a_collection_made_by_other_rules_is_refused(tmp_path: Path) -> None:
    Store.create(tmp_path / "old", Params(fold_version="14.0.0+1"))
    with pytest.raises(UnsupportedError, match=r"old: fingerprints by the rules 14\.0\.0\+1, .* into a new collection"):
        Collection(tmp_path / "old")


def test_distinct_joins_the_parts() -> None:
    text = random_words(200, number=40) * 20
    made = fingerprint(text, Params(segment_chars=1024))
    assert sorted(set(made.hashes.tolist())) == made.distinct().tolist()
    assert len(made.distinct()) < len(made)


def test_five_megabytes_are_one_call() -> None:
    text = random_words(100_000, number=41) * 8
    made = fingerprint(text, Params())
    assert len(text) == made.n_chars
    assert made.n_tokens == 800_000 - 7
