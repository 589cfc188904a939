"""Folding and tokens as a reader would expect them, in every script."""

from __future__ import annotations

import doctest
import importlib.util
import sys
import unicodedata
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, seed, settings
from hypothesis import strategies as st

from pmbf.kernels import lookalikes
from pmbf.kernels.fold_table import CLASS_SHIFT, CODE, EXPANSION, FIELD, SEPARATOR, fold_table
from pmbf.text import clean, fold, tokenise

ROOT = Path(__file__).resolve().parents[1]
unicode_14 = pytest.mark.skipif(
    unicodedata.unidata_version != "14.0.0", reason="the table is made with the unicodedata of CPython 3.11"
)

SCRIPTS = {
    "Latin accents": "Čeština, Ærø, Łódź; Straße İstanbul naïve e\u0301te\u0301",
    "Cyrillic": "Съешь ещё этих мягких французских булок й и\u0306",
    "Greek": "Ὦ ξεῖν’, ἀγγέλλειν Λακεδαιμονίοις ᾳ ΟΔΥΣΣΕΥΣ",
    "Armenian": "Բարեւ Ձեզ, բարեկամներ",
    "Arabic": "السَّلامُ عَلَيْكُمْ، مرحبـــا ٣٤٥",
    "Persian": "می\u200cخواهم کتاب\u200cها را",
    "Hebrew": "בְּרֵאשִׁית בָּרָא אֱלֹהִים",
    "Devanagari": "नमस्ते दुनिया, क़िताब १२३",
    "Tamil": "வணக்கம் உலகம் கொடு",
    "Bengali": "আমি বাংলায় কো",
    "Thai": "สวัสดีครับ ภาษาไทย",
    "Khmer": "សួស្តី ពិភពលោក",
    "Myanmar": "မင်္ဂလာပါ",
    "Han": "你好，世界。𠀀々〇",
    "Kana": "ガギグ か\u3099 ﾊﾟｰﾃｨｰ ひらがな",
    "Hangul": "안녕하세요 세계",
    "Hangul, decomposed": unicodedata.normalize("NFD", "안녕하세요 각하"),
    "emoji": "family 👨\u200d👩\u200d👧\u200d👦 flag 🇩🇪 1\ufe0f\u20e3 ok ❤\ufe0f",
    "zero-width": "pay\u200bment \u2060confi\u00addential\ufeff se\u200dcret",
    "ligatures": "ﬁnd the oﬃce, ǅ ĳsland Ⅷ ①② ㎏",
    "hyphenated lines": "docu-\r\n   ment for-\nmat well-Known X-\n\nray sta\u00ad\ntus e\u0301-\nlan in\x02\r\nner",
    "mixed scripts": "раyment Αpple соntract kΩ",
    "four bytes": "𝐇𝐞𝐥𝐥𝐨 𝟜𝟚 𐐷𐐯",
}


def words(text: str) -> list[str]:
    """Return the originals of a text's tokens."""
    tokens = tokenise(text)
    return [text[start:stop] for start, stop in zip(tokens.starts, tokens.stops, strict=True)]


def folded_words(text: str) -> list[str]:
    return fold(text).text.split()


@pytest.mark.parametrize("text", SCRIPTS.values(), ids=SCRIPTS)
def test_the_original_of_a_token_folds_to_that_token_alone(text: str) -> None:
    tokens = tokenise(text)
    assert tokens.hashes.tolist() == [hashed for word in words(text) for hashed in tokenise(word).hashes.tolist()]


@seed(21)
@settings(max_examples=300, deadline=None)
@given(st.lists(st.sampled_from([*SCRIPTS.values(), "½", "㈱", "-\n", "\u0301", "\u200b"]), max_size=4).map("".join))
def test_tokens_stand_in_text_order_and_hold_their_original(text: str) -> None:
    tokens = tokenise(text)
    assert np.all(np.diff(tokens.starts.astype(int)) >= 0)
    assert np.all(np.diff(tokens.stops.astype(int)) >= 0)
    assert np.all(tokens.starts < tokens.stops)
    assert all(stop <= len(text) for stop in tokens.stops)
    for hashed, word in zip(tokens.hashes, words(text), strict=True):
        assert hashed in tokenise(word).hashes


@seed(22)
@settings(max_examples=300, deadline=None)
@given(st.text(max_size=60))
def test_folding_a_folded_text_changes_nothing_and_origins_ascend(text: str) -> None:
    folded = fold(text)
    assert fold(folded.text).text == folded.text
    assert len(folded.origin) == len(folded.text) + 1
    assert np.all(np.diff(folded.origin.astype(int)) >= 0)
    assert folded.origin[-1] == len(text)


@unicode_14
def test_composed_and_decomposed_characters_fold_alike_without_exception() -> None:
    assigned = [chr(code) for code in range(sys.maxunicode + 1) if unicodedata.category(chr(code)) not in ("Cn", "Cs")]
    composed = "\n".join(unicodedata.normalize("NFC", char) for char in assigned)
    decomposed = "\n".join(unicodedata.normalize("NFD", char) for char in assigned)
    assert fold("\n".join(assigned)).text.split() == fold(composed).text.split() == fold(decomposed).text.split()
    assert fold(composed).text == fold(decomposed).text


@pytest.mark.slow
@unicode_14
def test_the_shipped_table_is_what_the_generator_writes() -> None:
    spec = importlib.util.spec_from_file_location("make_fold_table", ROOT / "tools" / "make_fold_table.py")
    assert spec is not None
    assert spec.loader is not None
    generator = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(generator)
    assert generator.TARGET.read_bytes() == generator.packed()


def test_what_the_table_yields_is_final() -> None:
    table = fold_table()
    several = (table.entries & EXPANSION) != 0
    kinds = table.entries >> CLASS_SHIFT & FIELD
    yielded = np.concatenate([table.entries[~several & (kinds >= SEPARATOR)] & CODE, table.expansions])
    assert np.array_equal(table.entries[yielded] & CODE, yielded)
    assert not several[yielded].any()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Café CAFE\u0301 cafe", ["cafe", "cafe", "cafe"]),
        ("Łódź Ærø đa ħ ŧ ı İ Straße þorn", ["lodz", "aero", "da", "h", "t", "i", "i", "strasse", "thorn"]),
        ("don't don’t don\u02bct", ["don", "t"] * 3),
        ("ᾳ α ς Σ", ["α", "α", "σ", "σ"]),
        ("مُحَمَّد محـمد", ["محمد", "محمد"]),
        ("שָׁלוֹם שלום", ["שלום", "שלום"]),
        ("\u06a9\u062a\u0627\u0628\u06cc \u0643\u062a\u0627\u0628\u064a", ["\u0643\u062a\u0627\u0628\u064a"] * 2),
        ("\u0639\u0644\u0649 \u0639\u0644\u064a", ["\u0639\u0644\u064a"] * 2),
        ("\u06c1 \u06c0 \u06d5 \u0647 \ufeeb", ["\u0647"] * 5),
        ("२०२४ ٢٠٢٤ ２０２４", ["2024"] * 3),
        ("3½ m² ⑴ ⓫ 🅰 Ⅳ №5", ["3", "1", "2", "m2", "1", "11", "a", "iv", "no5"]),
        ("™ ℠ © 👩🏽 ☃ $ \ue000 \u0378", []),
        ("Tab\tNUL\0line\nend_x", ["tab", "nul", "line", "end", "x"]),
        ("ｶﾞ ガ カ", ["カ", "カ", "カ"]),
        ("ﬁ ĳ ㎏ Ｗｉｄｅ 𝓜𝓪𝓽𝓱", ["fi", "ij", "kg", "wide", "math"]),
    ],
)
def test_what_a_reader_takes_for_equal_is_equal(text: str, expected: list[str]) -> None:
    assert expected == folded_words(text)


def test_letters_of_scripts_without_spaces_are_tokens_with_their_marks() -> None:
    assert words("中文とか\u3099na") == ["中", "文", "と", "か\u3099", "na"]
    assert words("ที่นี่") == ["ที่", "นี่"]


def test_hangul_syllables_are_whole_however_they_are_spelled() -> None:
    for text in ("각하", unicodedata.normalize("NFD", "각하"), "가\u11a8하"):
        assert fold(text).text == "각하"
        assert [text] == words(text)


def test_a_word_broken_after_a_hangul_syllable_is_one_word_however_that_is_spelled() -> None:
    for syllable in ("가", "각"):
        broken = f"{syllable}-\na"
        for text in (broken, unicodedata.normalize("NFD", broken)):
            assert fold(text).text == f"{syllable}a"
            assert [text] == words(text)


def test_a_word_broken_at_a_line_end_is_one_word() -> None:
    for broken in ("docu-\nment", "docu\u2010 \r\n\tment", "docu\u00ad\rment", "docu\x02\r\nment", "docu\ufffe\nment"):
        assert tokenise("document").hashes.tolist() == tokenise(broken).hashes.tolist()
        assert [broken] == words(broken)


def test_other_hyphens_separate() -> None:
    for text in ("docu-ment", "docu-\nMent", "docu-\n\nment", "docu -\nment", "3-\n4", "docu- ment"):
        assert len(tokenise(text)) == 2


def test_what_vanishes_after_a_word_belongs_to_it() -> None:
    assert words("cafe\u0301\u200b x\ufeff") == ["cafe\u0301\u200b", "x\ufeff"]


def test_tokens_of_one_code_point_share_its_span() -> None:
    assert words("½ ㏂") == ["½", "½", "㏂", "㏂"]


@pytest.mark.parametrize(
    ("disguised", "plain"),
    [
        ("раyment", "payment"),
        ("Αpple", "apple"),
        ("соntract", "contract"),
        ("Mосква", "москва"),
        ("пpивeт", "привет"),
        ("ΚOΣMΟΣ", "κοσμοσ"),
        ("աnո", "աոո"),
    ],
)
def test_look_alike_letters_are_repaired(disguised: str, plain: str) -> None:
    tokens = tokenise(disguised)
    assert tokenise(plain).hashes.tolist() == tokens.hashes.tolist()
    assert plain == fold(disguised).text
    assert tokens.n_mixed == 1


@pytest.mark.parametrize("text", ["Москва сон А", "ΑΒΓ νυξ", "copy", "kΩ 5µm", "Covid19 и3 x2"])
def test_tokens_of_one_script_and_honest_units_are_untouched(text: str) -> None:
    assert tokenise(text).n_mixed == 0
    assert "".join(char.casefold() for char in text).replace("µ", "μ") == fold(text).text


@pytest.mark.parametrize(
    ("text", "n_invisible"),
    [
        ("pay\u200bme\u200b\u200bnt", 3),
        ("се\u2060крет", 1),
        ("\ufeffstart of a file", 0),
        ("soft\u00adhyphen e\ufe0f", 0),
        ("می\u200cخواهم 👨\u200d👩\u200d👧", 0),
    ],
)
def test_invisible_characters_are_counted_where_they_have_no_use(text: str, n_invisible: int) -> None:
    assert n_invisible == tokenise(text).n_invisible


def test_every_look_alike_letter_is_one_that_folding_yields() -> None:
    for shape in (*lookalikes._LOWER_SHAPES, *lookalikes._UPPER_SHAPES):
        letters = shape.replace("-", "")
        assert len(letters) >= 2
        assert letters.casefold() == "".join(fold(letter).text for letter in letters)


def test_lone_surrogates_become_replacement_characters_one_for_one() -> None:
    assert clean("a\ud800b") == "a\ufffdb"
    assert words("a\udfffb") == ["a", "b"]


def test_the_specification_runs() -> None:
    outcome = doctest.testfile(str(ROOT / "docs" / "text.md"), module_relative=False, encoding="utf-8")
    assert outcome.attempted > 0
    assert outcome.failed == 0
