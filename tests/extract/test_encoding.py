"""Plain text comes out character for character, whatever it was written in."""

import codecs
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pmbf.extract import extract
from pmbf.extract.encoding import decode, is_probably_text
from tests.extract import builders as make

RUSSIAN = (
    "Все люди рождаются свободными и равными в своём достоинстве и правах. Они наделены разумом и совестью и должны "
    "поступать в отношении друг друга в духе братства. "
)
CZECH = "Všichni lidé se rodí svobodní a sobě rovní co do důstojnosti a práv. Jsou nadáni rozumem a svědomím. "
SAMPLES = {
    "koi8-r": RUSSIAN,
    "cp1251": RUSSIAN,
    "cp866": RUSSIAN,
    "iso8859-5": RUSSIAN,
    "cp1252": "Alle Menschen sind frei und gleich an Würde und Rechten geboren. Sie sollen „brüderlich“ handeln. ",
    "cp1250": CZECH,
    "iso8859-2": CZECH,
    "cp1253": "Όλοι οι άνθρωποι γεννιούνται ελεύθεροι και ίσοι στην αξιοπρέπεια και τα δικαιώματα. ",
    "cp1254": "Bütün insanlar hür, haysiyet ve haklar bakımından eşit doğarlar. Akıl ve vicdana sahiptirler ve "
    "birbirlerine karşı kardeşlik zihniyeti ile hareket etmelidirler. ",
    "cp1255": "כל בני האדם נולדו בני חורין ושווים בערכם ובזכויותיהם. כולם חוננו בתבונה ובמצפון. ",
    "gb18030": "人人生而自由，在尊严和权利上一律平等。他们赋有理性和良心，并应以兄弟关系的精神相对待。",
    "big5": "人人生而自由，在尊嚴和權利上一律平等。他們賦有理性和良心，並應以兄弟關係的精神互相對待。",
    "shift_jis": "すべての人間は、生まれながらにして自由であり、かつ、尊厳と権利とについて平等である。",
    "euc_jp": "すべての人間は、生まれながらにして自由であり、かつ、尊厳と権利とについて平等である。",
    "iso2022_jp": "すべての人間は、生まれながらにして自由であり、かつ、尊厳と権利とについて平等である。",
    "euc_kr": "모든 인간은 태어날 때부터 자유로우며 그 존엄과 권리에 있어 동등하다. ",
}


@pytest.mark.parametrize("encoding", SAMPLES)
def test_a_page_in_a_legacy_encoding_is_read_character_for_character(encoding):
    text = SAMPLES[encoding] * 5
    assert text == decode(text.encode(encoding)).text


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be"])
@pytest.mark.parametrize("script", make.TEXT)
def test_utf_16_and_utf_32_are_known_without_a_byte_order_mark(encoding, script):
    text = (make.TEXT[script] + "\r\n") * 3
    assert (text, encoding, ()) == decode(text.encode(encoding))


@given(st.text(st.characters(exclude_categories=["Cs", "Cc"])))
def test_utf_8_keeps_every_character_and_its_mark(text):
    for mark in ("", "\ufeff"):
        found = extract((mark + text).encode(), "a.md")
        assert (mark + text, "utf-8") == (found.text, found.encoding)


def test_line_ends_and_byte_order_marks_are_characters_like_any_other():
    for encoding, mark in (
        ("utf-8", codecs.BOM_UTF8),
        ("utf-16-be", codecs.BOM_UTF16_BE),
        ("utf-32-le", codecs.BOM_UTF32_LE),
    ):
        assert extract(mark + "a\r\nb\rc\n".encode(encoding), "a.txt").text == "\ufeffa\r\nb\rc\n"


def test_a_zero_byte_does_not_turn_english_into_chinese():
    raw = b"An English sentence, and then a zero byte. " * 40 + b"\0\0"
    assert raw.decode() == extract(raw, "a.txt").text


def test_utf_8_with_a_few_bad_bytes_stays_utf_8_and_says_so():
    raw = (RUSSIAN * 3).encode() + b"\xff\xfe and an end"
    found = decode(raw)
    assert found.text == RUSSIAN * 3 + "\ufffd\ufffd and an end"
    assert found.problems == ("2 characters are not valid utf-8",)


def test_a_replacement_character_that_the_author_wrote_is_no_damage():
    assert decode("a \ufffd b".encode()).problems == ()
    assert decode("a \ufffd b".encode("utf-16")).problems == ()


def test_bytes_in_no_encoding_are_flagged():
    assert decode(bytes(range(128, 256)) * 300).problems


def test_the_guess_looks_at_lines_outside_ascii_however_far_down_they_are():
    raw = b"plain ASCII line\n" * 100_000 + (RUSSIAN + "\n").encode("koi8-r") * 5
    assert decode(raw).text.endswith(RUSSIAN + "\n")


def test_a_single_line_of_many_megabytes_is_decoded_whole():
    text = SAMPLES["gb18030"] * 50_000
    assert text == decode(text.encode("gb18030")).text


def test_an_empty_file_is_an_empty_text():
    for name in ("a.txt", "a.html", "a.eml", "a.pdf", "a"):
        assert (extract(b"", name).text, extract(b"", name).problems) == ("", ())


def test_importing_the_package_loads_no_library():
    heavy = {"charset_normalizer", "email", "pypdfium2", "selectolax", "subprocess", "zipfile"}
    code = f"import sys, pmbf.extract; print(*sorted({heavy} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == ""


WORDS = "the lamp was lit at dusk and burned until the morning, and nobody saw who carried the oil. "


class TestLies:
    """Bytes that one program reads as words and another as noise are never clean."""

    @pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be", "utf-8"])
    @pytest.mark.parametrize("text", [WORDS, "Съешь ещё этих мягких французских булок, да выпей чаю. " * 2])
    def test_a_false_byte_order_mark_is_told_and_the_words_are_read(self, encoding, text):
        mark = "\ufeff".encode(encoding)
        for other in ("utf-8", "utf-16-le", "utf-16-be", "utf-32-le"):
            if other != encoding:
                found = decode(mark + text.encode(other))
                assert found.problems
                assert text in found.text or "not valid" in found.problems[0]

    @pytest.mark.parametrize("first", ["utf-8", "utf-16-le", "utf-16-be", "koi8-r"])
    @pytest.mark.parametrize("second", ["utf-8", "utf-16-le", "utf-16-be"])
    def test_a_stretch_in_another_encoding_is_a_problem(self, first, second):
        if first != second:
            raw = (WORDS * 200).encode(first) + (WORDS * 3).encode(second)
            assert (first, second) == ("koi8-r", "utf-8") or decode(raw).problems

    @pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be", "utf-32-le"])
    def test_a_byte_too_many_hides_no_text(self, encoding):
        for extra in (b"x", b"\0", b"xy", b"xyz"):
            raw = (WORDS * 3).encode(encoding) + extra
            assert is_probably_text(raw)
            assert WORDS * 3 in decode(raw).text

    @pytest.mark.parametrize("script", make.TEXT)
    def test_true_marks_are_believed(self, script):
        for encoding in ("utf-8-sig", "utf-16", "utf-32"):
            assert decode((make.TEXT[script] * 50).encode(encoding)).problems == ()
