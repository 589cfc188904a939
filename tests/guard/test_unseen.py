"""What a text hides is put behind it, and the text itself stays as it is, whatever it is."""

import base64
import binascii
import textwrap

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pmbf.extract import Limits
from pmbf.guard import escaped
from pmbf.guard.escaped import Cover
from pmbf.guard.reading import read
from pmbf.guard.reading import seen as seen_in
from pmbf.guard.types import Payload
from pmbf.text import clean
from tests.conftest import words


def seen(text):
    return seen_in(Cover(text.encode()), Limits())


@given(st.text("aZ9+/=- \t\n\r>é中\u200b", max_size=400) | st.text(max_size=100))
def test_any_text_stays_as_it_is(text):
    text = clean(text)
    found = seen(text)
    assert found.content.decode().startswith(text)
    assert found.problems == ()
    assert all(len(text) < part.start <= part.stop <= len(found.content.decode()) for part in found.parts)


@given(
    st.text(st.characters(exclude_categories=["Cc", "Cs"]), min_size=120, max_size=300),
    st.sampled_from([64, 76, 10_000]),
    st.sampled_from(["\n", "\r\n", "\n> ", "\n    "]),
    st.text(" \n", max_size=3),
)
def test_text_in_base64_is_unpacked_however_it_is_wrapped(secret, width, between, around):
    secret = words(1, 30) + secret
    packed = between.join(textwrap.wrap(base64.b64encode(secret.encode()).decode(), width))
    found = seen(f"before{around}\n{packed}\n{around}after")
    part = next(part for part in found.parts if part.path == "base64")
    assert words(1, 30) in found.content.decode()[part.start : part.stop]


@pytest.mark.parametrize("between", ["\n", "\r\n", '" +\n    "', "\\n'\n'", "\n# "])
@pytest.mark.parametrize("at_once", [50, 77, 200])
def test_what_is_read_in_bites_is_what_is_read_at_once(monkeypatch, between, at_once):
    secret = words(3, 300)
    packed = between.join(textwrap.wrap(base64.b64encode(secret.encode()).decode(), 76))
    apart = "   ".join(" ".join(word) for word in secret.split())
    uuencoded = "".join(binascii.b2a_uu(secret.encode()[at : at + 45]).decode() for at in range(0, len(secret), 45))
    drawn = ["".join(f"{one}\b{one}" for one in secret), "".join(chr(0xE0000 + ord(one)) for one in secret)]
    drawn += ["".join(chr(0xE00F0 + ord(one)) for one in secret), "\x1b[31m \x1b[0m".join(secret.split())]
    drawn.append(" ".join(f'"{one[:1]}" + "{one[1:]}"' for one in secret.split()))
    inside = "\n\n".join(drawn)
    text = f"Look:\n{packed}\n\n{apart}\n\n{inside}\n\nbegin 644 a.txt\n{uuencoded}`\nend\n"
    drawn_ways = {"overstrike", "terminal codes", "invisible letters", "pieces of strings"}
    whole = seen(text)
    monkeypatch.setattr(escaped, "AT_ONCE", at_once)
    assert seen(text) == whole
    assert {one.path for one in whole.parts} >= {"base64", "letters set apart", "uuencode", *drawn_ways}


@given(st.integers(0, 1000), st.sampled_from([" ", "\t", "\n"]))
def test_letters_set_apart_are_put_together(seed, gap):
    secret = words(seed, 30)
    apart = (gap * 3).join(gap.join(word) for word in secret.split())
    found = seen(f"Look: {apart}")
    [part] = found.parts
    assert found.content.decode()[part.start : part.stop].split() == secret.split()


def test_short_base64_and_short_runs_of_letters_are_left_alone():
    packed = base64.b64encode(b"x" * 60).decode()
    assert seen(f"sha512-{packed} and A B C D E F G H").parts == ()


@pytest.mark.parametrize("text", ["Plain words, 5 < 6 & so on.", f"{words(4, 40)}\n", "ä\n" * 900, ""])
def test_a_text_that_hides_nothing_is_neither_decoded_nor_copied(monkeypatch, text):
    monkeypatch.setattr(Cover, "text", property(lambda _: pytest.fail("it was decoded")))
    encoded = text.encode()
    assert seen_in(Cover(encoded), Limits()).content is encoded


def test_armour_is_told():
    assert seen(f"-----BEGIN PGP MESSAGE-----\n\n{'QUJD' * 12}\n").problems


@pytest.mark.parametrize(
    "marks", ["a\b", "\x1b[0m", " ".join(f'"{word}" + "s"' for word in words(5, 24).split())], ids=repr
)
def test_a_few_marks_in_a_long_text_are_read_anew_with_what_is_around_and_no_more(marks):
    before, after = words(1, 60_000), words(2, 60_000)
    found = seen(f"{before} the sea{marks} comes in {after}")
    drawn = {escaped.OVERSTRIKE, escaped.COLOURS, escaped.PIECES}
    [part] = [one for one in found.parts if one.path in drawn]
    assert part.stop - part.start < 3 * escaped.AROUND
    read = found.content.decode()[part.start : part.stop]
    assert (before[-2000:] in read, after[:2000] in read) == (True, True)


def test_a_text_that_hides_more_than_can_be_looked_at_in_time_is_incomplete():
    text = base64.b64encode(words(1, 60).encode()).decode()
    found = seen_in(Cover(f"{text}\n\n{text}".encode()), Limits(timeout_s=1e-9))
    assert "took longer than 1e-09 s" in found.problems[-1]


def test_a_text_that_hides_nothing_is_incomplete_too_if_there_is_no_time_to_look():
    text = "\\a b " * 1000
    assert seen(text).problems == ()
    found = seen_in(Cover(text.encode()), Limits(timeout_s=1e-9))
    assert "took longer than 1e-09 s" in found.problems[0]


def test_a_long_text_in_an_unknown_encoding_is_given_up_when_its_time_is_over():
    raw = ("Caf\xe9 " * 3_000_000).encode("latin-1")
    found = read(Payload("a.txt", ("a.txt",), raw, "path"), Limits(timeout_s=0.001))
    assert "timeout_s" in found.problems[0]
    assert found.text.content == ""


def test_escapes_are_read_alike_in_bites(monkeypatch):
    secret = "Прочь, the \U0001f600 sea & ünïcode " * 40
    for hidden in (
        "".join(f"%{byte:02x}" for byte in secret.encode()),
        "".join(f"\\u{ord(char):04x}" if ord(char) < 65536 else "\\U0001f600" for char in secret),
        "".join(f"&#{ord(char)};" for char in secret),
    ):
        [whole] = [one for one in escaped.read_anew(Cover.of(hidden)) if one[0] == escaped.ESCAPES]
        assert secret in whole[1]
        monkeypatch.setattr(escaped, "AT_ONCE", 100)
        assert whole in escaped.read_anew(Cover.of(hidden))
        monkeypatch.undo()


def test_one_bad_byte_among_escaped_bytes_hides_no_text():
    secret = "Прочь от моря, в горы и долины"
    escapes = "".join(f"%{byte:02x}" for byte in secret.encode())
    assert secret in next(escaped.read_anew(Cover.of(f"%ff{escapes}")))[1]
