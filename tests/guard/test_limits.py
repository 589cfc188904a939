"""A limit of the leak check that is reached is told: the payload is *incomplete*, never clean."""

import base64
import binascii
import gzip
import html
import lzma
import zlib

import pytest

from pmbf.extract import extract, pdf, pdf_streams
from pmbf.extract.reading import MAX_PROBLEMS
from pmbf.guard.policy import Policy
from pmbf.guard.reading import MOST_DEPTH
from pmbf.guard.sources import of_content
from tests.conftest import words
from tests.extract import builders as make
from tests.guard.conftest import CLEAN, LEAK


def in_base64(text):
    return base64.encodebytes(text.encode()).decode()


def uuencoded(text):
    raw = text.encode()
    lines = [binascii.b2a_uu(raw[at : at + 45]).decode() for at in range(0, len(raw), 45)]
    return "begin 644 a.txt\n" + "".join(lines) + "`\nend\n"


def in_percents(text):
    return "".join(f"%{byte:02x}" for byte in text.encode())


def in_data(text):
    packed = base64.b64encode(text.encode()).decode()
    return f'<html><body><p>Look:</p><a href="data:text/html;base64,{packed}">a</a></body></html>'


def in_references(text):
    return "".join(f"&#{ord(char)};" for char in text)


def in_gzip(text):
    return base64.encodebytes(gzip.compress(text.encode())).decode()


def in_mail(text):
    return f"From: a\nMIME-Version: 1.0\nContent-Transfer-Encoding: base64\n\n{in_base64(text)}"


def in_zip(text):
    return base64.encodebytes(make.zipped({"a.txt": text})).decode()


WAYS = [in_base64, uuencoded, in_percents, in_data, in_references, in_gzip, in_mail, in_zip]
MIXED = {
    "each in turn": [in_base64, in_percents, uuencoded, in_references, in_data],
    "base64 of gzip in percents": [in_gzip, in_percents, in_gzip, in_percents, in_gzip],
    **{way.__name__: [way] * 5 for way in WAYS},
}


@pytest.mark.parametrize("name", MIXED)
@pytest.mark.parametrize("n", range(1, 6))
def test_what_is_hidden_in_what_is_hidden_is_found_or_told(verdict_on, name, n):
    text = LEAK
    for way in MIXED[name][:n]:
        text = way(text)
    found = verdict_on(of_content("a.txt", text.encode(), "path", Policy()))
    assert found.action == "block"
    assert found.findings or any("times inside each other" in one.reason for one in found.incomplete)
    assert found.findings or n > MOST_DEPTH


def test_a_uuencoded_text_of_a_long_name_is_read(verdict_on):
    text = uuencoded(LEAK).replace("a.txt", "a" * 5000)
    assert verdict_on(of_content("a.txt", text.encode(), "path", Policy())).findings


def test_words_in_elements_of_long_tags_are_read(verdict_on):
    text = "".join(f'<t style="{"x" * 900}">{html.escape(word)}</t>\n' for word in LEAK.split())
    assert verdict_on(of_content("a.xml", text.encode(), "path", Policy())).findings


def outlined(titles, depth=1):
    """Return a PDF with bookmarks, below each other or inside each other."""
    objects = ["<< /Type /Catalog /Pages 2 0 R /Outlines 5 0 R >>", "<< /Type /Pages /Kids [3 0 R] /Count 1 >>"]
    objects += ["<< /Type /Page /Parent 2 0 R /MediaBox [0 0 9 9] >>", "<< >>"]
    last = 5 + len(titles)
    objects.append(f"<< /Type /Outlines /First 6 0 R /Last {last if depth == 1 else 6} 0 R /Count {len(titles)} >>")
    for number, title in enumerate(titles, 6):
        up, follows = (5, "Next") if depth == 1 else (number - 1, "First")
        below = f"/{follows} {number + 1} 0 R" + (f" /Last {number + 1} 0 R /Count 1" if depth > 1 else "")
        objects.append(f"<< /Title ({title}) /Parent {up} 0 R {below if number < last else ''} >>")
    return make.pdf_of(objects)


@pytest.mark.parametrize("depth", [1, 2])
def test_bookmarks_beyond_the_limit_are_told(verdict_on, depth):
    pytest.importorskip("pypdfium2", reason="needs the extra 'pdf'")
    titles = ["a"] * (pdf.MAX_ANNOTATIONS + 1 if depth == 1 else pdf.MAX_BOOKMARK_DEPTH + 9)
    found = verdict_on(of_content("a.pdf", outlined(titles, depth), "path", Policy()))
    assert any("bookmarks" in one.reason for one in found.incomplete)


def test_bookmarks_within_the_limit_are_read(verdict_on):
    pytest.importorskip("pypdfium2", reason="needs the extra 'pdf'")
    some = [LEAK[at : at + 100] for at in range(0, len(LEAK), 100)]
    assert verdict_on(of_content("a.pdf", outlined(some), "path", Policy())).findings
    assert verdict_on(of_content("a.pdf", outlined(["a"] * 40, 2), "path", Policy())).action == "clean"


@pytest.mark.parametrize("dictionary", ["", "x" * 3000, "x" * (1 << 17)])
def test_the_filter_of_a_stream_with_a_long_dictionary_is_read_or_told(verdict_on, dictionary):
    pytest.importorskip("pypdfium2", reason="needs the extra 'pdf'")
    packed = base64.a85encode(zlib.compress(LEAK.encode())) + b"~>"
    head = f"<< /Filter [/ASCII85Decode /FlateDecode] /Length {len(packed)} /X ({dictionary}) >>"
    objects = ["<< /Type /Catalog /Pages 2 0 R >>", "<< /Type /Pages /Kids [3 0 R] /Count 1 >>"]
    objects += ["<< /Type /Page /Parent 2 0 R /MediaBox [0 0 9 9] >>"]
    objects.append(head.encode() + b"\nstream\n" + packed + b"\nendstream")
    found = verdict_on(of_content("a.pdf", make.pdf_of(objects), "path", Policy()))
    is_told = any(f"more than {pdf_streams.DICTIONARY_BYTES} bytes" in one.reason for one in found.incomplete)
    assert is_told == (len(dictionary) > pdf_streams.DICTIONARY_BYTES)


def test_a_packed_file_behind_eight_kilobytes_of_text_is_told(verdict_on):
    text = (CLEAN * 40)[:20_000].encode() + b"\n"
    for packed in (gzip.compress(LEAK.encode() * 3), make.zipped({"a.txt": words(1, 400)})):
        found = verdict_on(of_content("a.txt", text + packed, "path", Policy()))
        assert found.incomplete


BROTLI = base64.b64decode(
    "G0kBoIyUq+1oQaXbvN7x9z6rBEdGkeaUA/YWUBqlaUJy9HvKSsamaIL9V24I7gslQgUW5s+VFPwxckZo9wSaRb0CMkfRKJ9yvYiV0brB2VTyCvK3mAE="
)
RANDOM = zlib.compress(words(9, 99).encode())[2:]
PACKED = {
    "a.zst": b"\x28\xb5\x2f\xfd" + RANDOM,
    "skipped.zst": b"\x50\x2a\x4d\x18\4\0\0\0abcd\x28\xb5\x2f\xfd" + RANDOM,
    "a.lzma": lzma.compress(LEAK.encode(), format=lzma.FORMAT_ALONE),
    "a.lz4": b"\x04\x22\x4d\x18\x64\x40\xa7" + RANDOM,
    "old.lz4": b"\x02\x21\x4c\x18" + RANDOM,
    "a.Z": b"\x1f\x9d\x90" + RANDOM,
    "a.sz": b"\xff\x06\0\0sNaPpY" + RANDOM,
    "a.7z": b"7z\xbc\xaf\x27\x1c\0\4" + RANDOM,
    "a.rar": b"Rar!\x1a\x07\1\0" + RANDOM,
    "a.lz": b"LZIP\1\x0c" + RANDOM,
    "a.lzo": b"\x89LZO\0\r\n\x1a\n" + RANDOM,
    "a.lzh": b"\x20\x10-lh5-" + RANDOM,
    "new.cpio": b"070701" + b"0" * 104 + RANDOM,
    "old.cpio": b"070707" + b"0" * 70 + RANDOM,
    "a.rpm": b"\xed\xab\xee\xdb\3\0" + RANDOM,
    "a.xar": b"xar!\0\x1c\0\1" + RANDOM,
    "a.arj": b"\x60\xea\x2a\0\x1e\x0b\1\0" + RANDOM,
}


@pytest.mark.parametrize("name", PACKED)
def test_packed_files_that_are_not_read_are_told_by_their_bytes(verdict_on, name):
    found = verdict_on(of_content("request", PACKED[name], "service", Policy()))
    assert [one.reason for one in found.incomplete] == ["an archive: unpack it"]


@pytest.mark.parametrize("n_unread", [MAX_PROBLEMS, MAX_PROBLEMS + 1, MAX_PROBLEMS + 50])
def test_problems_beyond_the_hundredth_are_told_as_more(verdict_on, n_unread):
    packed = make.zipped({f"{number}.7z": PACKED["a.7z"] for number in range(n_unread)})
    found = verdict_on(of_content("a.zip", packed, "path", Policy()))
    assert found.action == "block"
    reasons = [one.reason for one in found.incomplete]
    assert len([one for one in reasons if "an archive" in one]) == MAX_PROBLEMS
    assert ("more, not listed" in reasons) == (n_unread > MAX_PROBLEMS)


def test_a_brotli_file_is_told_by_its_name_alone(verdict_on):
    for name, is_told in (("a.txt.br", True), ("a.BR", True), ("request", False)):
        found = verdict_on(of_content(name, BROTLI, "service", Policy()))
        assert bool(found.incomplete) == is_told
    assert extract(make.zipped({"a": BROTLI}), "a.zip").problems
    assert not verdict_on(of_content("notes.br", CLEAN.encode(), "path", Policy())).incomplete
