"""Text is found wherever it stands in bytes, in any script, and noise is none."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pmbf.extract.strings import runs
from tests.conftest import words

TEXTS = {
    "English": words(1, 40),
    "German": "Die Würde des Menschen ist unantastbar; sie zu achten und zu schützen ist Verpflichtung aller Gewalt.",
    "Russian": "Прочь сомнения, сказал он себе, и пошёл дальше по дороге, которая вела к морю и к лесу.",
    "Greek": "Η θάλασσα ανεβαίνει και κατεβαίνει δύο φορές την ημέρα, και κανείς δεν ξέρει γιατί το κάνει.",
    "Chinese": "海水每天涨落两次，渔民知道什么时候可以出海，什么时候应该留在岸上等待下一次潮水的到来。" * 2,
}
NOISE = random.Random(1).randbytes(5000)


WIDE = [(language, order) for language in TEXTS if language != "Chinese" for order in ("utf-16-le", "utf-16-be")]


@pytest.mark.parametrize(("language", "encoding"), [(language, "utf-8") for language in TEXTS] + WIDE)
@pytest.mark.parametrize("n_before", [0, 1, 31, 32, 33, 4999])
def test_text_is_found_whatever_stands_around_it(language, encoding, n_before):
    text = TEXTS[language]
    for around in (NOISE, bytes(5000)):
        assert text[1:-1] in runs(around[:n_before] + text.encode(encoding) + around)


@given(st.binary(max_size=100), st.binary(max_size=100), st.integers(0, 1000))
def test_text_is_found_between_any_bytes(before, after, seed):
    text = words(seed, 40)
    assert text in runs(before + text.encode() + after)


@given(st.binary(max_size=3000))
def test_any_bytes_end_well(raw):
    runs(raw).encode()


def test_a_text_longer_than_what_is_looked_at_together_is_whole():
    text = words(3, 60_000)
    assert text in runs(bytes(70_001) + text.encode() + bytes(99))


def test_words_with_a_control_character_between_are_found():
    text = words(5, 60)
    assert text.replace(" ", "\0") in runs(bytes(99) + text.replace(" ", "\0").encode() + bytes(99))


def test_noise_is_no_text():
    noise = random.Random(2).randbytes(1 << 20)
    assert len(runs(noise)) < 4096
    assert runs(bytes(range(256)) * 4096) == ""
