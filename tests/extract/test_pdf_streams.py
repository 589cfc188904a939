"""The streams of a PDF hold to the limits of all packed formats, whatever their dictionaries say."""

import zlib

import pytest

from pmbf.base.errors import IncompleteError
from pmbf.extract import Limits, extract
from pmbf.extract.pdf_streams import contents
from pmbf.extract.reading import Reading
from tests.extract import builders as make

TWICE = "[/FlateDecode /FlateDecode]"


@pytest.fixture(autouse=True)
def _library():
    pytest.importorskip("pypdfium2", reason="needs the extra 'pdf'")


def with_page(content, dictionary, *more):
    stream = b"<< /Length %d %b >>\nstream\n%b\nendstream" % (len(content), dictionary.encode(), content)
    page = "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 9 9] /Contents 4 0 R >>"
    tree = "<< /Type /Pages /Kids [3 0 R] /Count 1 >>"
    return make.pdf_of(["<< /Type /Catalog /Pages 2 0 R >>", tree, page, stream, *more])


@pytest.mark.parametrize(
    ("n_times", "dictionary", "more"),
    [
        (1, "/Filter /FlateDecode", ()),
        (1, "/Filter /FlateDecode /Length1 7", ()),
        (2, f"/Filter {TWICE}", ()),
        (2, f"/Filter {TWICE} /Subtype /Image", ()),
        (2, "/Filter [/Fl /Fl] /Subtype /Type1C", ()),
        (2, "/Filter 5 0 R", (TWICE,)),
    ],
)
def test_a_stream_that_expands_beyond_the_ratio_is_refused(n_times, dictionary, more):
    bomb = b" " * (20 << 20)
    for _ in range(n_times):
        bomb = zlib.compress(bomb, 9)
    with pytest.raises(IncompleteError, match=r"a\.pdf: a stream expands over 200 times \(max_ratio\)"):
        extract(with_page(bomb, dictionary, *more), "a.pdf")


def test_streams_that_expand_to_more_than_allowed_together_are_refused():
    raw = make.pdf([f"{n} " + "words of a page " * 400 for n in range(9)])
    assert extract(raw, "a.pdf").complete
    streams = [make.deflated_stream(b"%d" % n + b" " * 400_000) for n in range(9)]
    with pytest.raises(IncompleteError, match="max_expanded_bytes"):
        extract(with_page(b"", "", *streams), "a.pdf", Limits(max_expanded_bytes=2_000_000))


def test_a_white_picture_may_be_as_dense_as_it_likes():
    white = zlib.compress(b"\xff" * (20 << 20), 9)
    head = b"<< /Subtype /Image /Width 1 /Height 1 /Filter /FlateDecode /Length %d >>\nstream\n" % len(white)
    assert extract(with_page(b"", "", head + white + b"\nendstream"), "a.pdf").complete


@pytest.mark.parametrize("filters", ["[/FlateDecode /LZWDecode]", "[/RunLengthDecode /RL]"])
def test_a_stream_that_is_packed_several_times_in_ways_that_zlib_does_not_know_is_a_problem(filters):
    raw = with_page(zlib.compress(b"\x80\x0b\x60\x50\x22\x0c\x0c\x85\x01"), f"/Filter {filters}")
    assert "a stream is packed several times: its size is not known" in extract(raw, "a.pdf").problems


def test_an_encrypted_pdf_holds_to_the_limits_as_well():
    bomb = zlib.compress(zlib.compress(b" " * (20 << 20), 9), 9)
    raw = with_page(bomb, f"/Filter {TWICE}").replace(b"/Root 1 0 R", b"/Root 1 0 R /Encrypt << /Filter /Standard >>")
    with pytest.raises(IncompleteError, match="max_ratio"):
        extract(raw, "a.pdf")


@pytest.mark.parametrize("tail", [b"", b"endstream"])
def test_no_byte_is_in_the_contents_of_two_streams(tail):
    raw = b"%PDF-1.7\n" + b"<<>>stream\n" * 1000 + tail
    assert sum(map(len, contents(raw, Reading(Limits())))) <= len(raw)
