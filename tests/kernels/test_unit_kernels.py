"""Units: both twins agree; spans are exact; every unit keeps the rules of docs/sentences.md; the paper's guarantee."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pmbf.base.errors import ParameterError, UnsupportedError
from pmbf.kernels import CODES, reference_units, sentence_rules
from tests.kernels.oracle import oracle
from tests.kernels.test_text_twins import mannered

LANGUAGES = {
    "en": "The sea comes in twice a day and goes out again; nobody asks why. ",
    "zh": "潮水每天来两次,又退两次;没有人问为什么。月亮知道答案。",
    "ja": "潮は一日に二度満ちて、また引いていく。誰もその訳を尋ねない。",
    "th": "น้ำทะเลขึ้นวันละสองครั้ง แล้วก็ลงอีก ไม่มีใครถามว่าทำไม ",
    "ko": "바닷물은 하루에 두 번 들어왔다가 다시 나간다. 아무도 이유를 묻지 않는다. ",
}


@pytest.fixture(params=["reference", "native"])
def units(request: pytest.FixtureRequest) -> Any:
    return reference_units.units if request.param == "reference" else _native()


def _native() -> Any:
    try:
        from pmbf.kernels import native_units
    except UnsupportedError as error:
        pytest.skip(str(error))
    return native_units.units


pieces = st.sampled_from([*"ab 中한กๆฯລ່\tあ.。!\n", "\n\n", "words here ", "x" * 60, *LANGUAGES.values()])
texts = st.one_of(mannered, st.lists(pieces, max_size=80).map("".join))


@given(texts, st.sampled_from(list(CODES)), st.booleans())
@settings(max_examples=300, deadline=None)
def test_both_twins_find_the_same_units(text: str, code: str, from_each: bool) -> None:
    utf8 = text.encode("utf-8", "replace")
    one = oracle("units").units(utf8, code=code, from_each=from_each)
    other = _native()(utf8, code=code, from_each=from_each)
    assert [array.tolist() for array in one[:3]] == [array.tolist() for array in other[:3]]
    assert one.n_chars == other.n_chars


@given(texts)
@settings(max_examples=200, deadline=None)
def test_units_and_sentences_lie_in_the_text_in_order(text: str) -> None:
    utf8 = text.encode("utf-8", "replace")
    found = _native()(utf8)
    for spans in (found.sentences.astype(int), found.spans.astype(int)):
        assert (spans[:, 0] < spans[:, 1]).all()
        assert (np.diff(spans[:, 0]) >= 0).all() and (spans[:, 1] <= len(utf8.decode())).all()
    assert len(found.keys) == len(found.spans)


@given(texts)
@settings(max_examples=200, deadline=None)
def test_from_each_sentence_finds_every_unit_of_the_chain(text: str) -> None:
    """A stored unit begins at a sentence, or inside the sentence of a chain: the query finds it where it is copied."""
    utf8 = text.encode("utf-8", "replace")
    chain = {tuple(span) for span in _native()(utf8).spans.tolist()}
    assert chain <= {tuple(span) for span in _native()(utf8, from_each=True).spans.tolist()}


def test_offsets_are_code_points_of_the_original(units: Any) -> None:
    text = "𝔘𝔫𝔦𝔠𝔬𝔡𝔢 — " + "a sentence of plain words stands here and goes on for a while, ﬁnally ending. " * 4
    found = units(text.encode())
    for start, stop in found.spans.tolist():
        assert not text[start].isspace() and not text[stop - 1].isspace()
    assert [text[start:stop].split()[0] for start, stop in found.sentences.tolist()] == ["𝔘𝔫𝔦𝔠𝔬𝔡𝔢", "a", "a", "a"]


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_unit_has_some_150_columns_in_any_script(language: str, units: Any) -> None:
    text = LANGUAGES[language] * 40
    widths = [_columns(text[start:stop]) for start, stop in units(text.encode()).spans.tolist()]
    assert min(widths) >= sentence_rules.LEAST_COLUMNS - 2  # but marks at the end
    assert max(widths) <= sentence_rules.MOST_COLUMNS + sentence_rules.SHORT_COLUMNS


def _columns(text: str) -> int:
    wide = {"HAN": 3, "HANGUL": 2}
    ranges = {"HAN": (0x3400, 0xA000), "HANGUL": (0xAC00, 0xD7A4)}
    return sum(next((wide[n] for n, (low, high) in ranges.items() if low <= ord(c) < high), 1) for c in text)


@pytest.mark.parametrize(
    "sentences",
    [
        ["น้ำทะเลขึ้นวันละสองครั้ง", "แล้วก็ลงอีก", "ไม่มีใครถามว่าทำไม"],
        ["เขาอ่านหนังสือเร็ว ๆ มาก", "ใช้ Linux แล้วดี", "กรุงเทพฯ เป็นเมืองหลวง (ใหญ่) ของไทย"],
        ["ນ້ຳທະເລຂຶ້ນມື້ລະສອງຄັ້ງ", "ແລ້ວກໍລົງອີກ"],
    ],
)
def test_in_thai_and_lao_a_blank_between_letters_ends_a_sentence(sentences: list[str], units: Any) -> None:
    """But not beside a mark of repetition or abbreviation, nor beside another script, nor at the end of a line."""
    text = "\t ".join(sentences) + "\n" + sentences[0]
    found = [text[start:stop] for start, stop in units(text.encode()).sentences.tolist()]
    assert found == [*sentences[:-1], f"{sentences[-1]}\n{sentences[0]}"]


def test_a_thai_passage_copied_into_another_paragraph_has_a_unit_of_its_source(units: Any) -> None:
    words = ["น้ำทะเล", "ขึ้น", "วันละ", "สองครั้ง", "แล้วก็", "ลง", "ไม่มีใคร", "ถาม", "ทำไม", "พระจันทร์", "รู้", "คำตอบ"]
    chosen = random.Random(5)
    source = " ".join("".join(chosen.choices(words, k=chosen.randint(3, 9))) for _ in range(60))
    copied = source[source.index(" ", 200) + 1 : 1200]
    stored = {source[start:stop] for start, stop in units(source.encode()).spans.tolist()}
    text = f"มีคนเขียนไว้ว่า {copied}"
    asked = {text[start:stop] for start, stop in units(text.encode(), from_each=True).spans.tolist()}
    assert len(asked & stored) >= 3


def test_a_short_paragraph_is_no_unit_but_a_sentence(units: Any) -> None:
    found = units(b"A heading\n\n" + b"Words of a paragraph that is long enough to count. " * 3)
    assert len(found.sentences) == 4
    assert found.spans[0, 0] == 11


def test_a_text_of_one_endless_sentence_is_cut(units: Any) -> None:
    found = units(b"word " * 2000)
    widths = np.diff(found.spans.astype(int), axis=1)
    assert widths.min() >= sentence_rules.LEAST_COLUMNS and widths.max() <= sentence_rules.HIGH_COLUMNS + 1


def test_nothing_has_no_units(units: Any) -> None:
    for text in (b"", b" \n", b"one"):
        assert not len(units(text).spans)
        assert units(text).keys.shape == (0, CODES["words"])


def test_wrong_arguments_are_refused(units: Any) -> None:
    with pytest.raises(ParameterError, match="code is 'md5'"):
        units(b"text", code="md5")
    with pytest.raises(ParameterError, match="UTF-8"):
        units(b"\xff")


def test_the_keys_of_words_do_not_depend_on_the_order_in_a_shingle(units: Any) -> None:
    one, other = b"responsibilities notwithstanding acknowledged", b"acknowledged responsibilities notwithstanding"
    assert units(one).keys.tolist() == units(other).keys.tolist()
    assert units(one).keys.tolist() != units(other + b"s").keys.tolist()


def test_units_within_four_bits_share_a_key_of_the_paper(units: Any) -> None:
    """The guarantee: at most 4 of 100 bits differ, so one of the 5 groups is equal."""
    rng, words = random.Random(7), ["sea", "moon", "tide", "wave", "salt", "wind", "sand", "reef", "gull", "kelp"]
    n_near = 0
    for _ in range(60):
        some = [rng.choice(words) + str(rng.randrange(40)) for _ in range(26)]
        edited = list(some)
        edited[rng.randrange(26)] = "other"
        [one], [other] = (units(" ".join(each).encode(), code="paper").keys for each in (some, edited))
        distance = int(sum(bin(int(bits)).count("1") for bits in one ^ other))
        n_near += distance <= 4
        assert distance > 4 or (one == other).any()
    assert n_near > 5
