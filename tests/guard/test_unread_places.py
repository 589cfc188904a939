"""What stands where no reader of documents looks is checked all the same: in programs, pictures and unknown bytes."""

import random

import pytest

from pmbf.errors import UnsupportedError
from tests.extract import builders as make
from tests.guard.test_evasions import COVER, ENGLISH

NOISE = random.Random(3).randbytes(9000)
PNG = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + NOISE[:99]
IN_BINARY = {
    "controls behind.c": ENGLISH.encode() + b"\2" * 40,
    "zeros behind.txt": ENGLISH.encode() + bytes(300_000),
    "a picture's head.txt": b"GIF89a\0\0\0" + bytes(200) + ENGLISH.encode(),
    "noise before": NOISE + ENGLISH.encode(),
    "comment.png": PNG + b"tEXtComment\0" + ENGLISH.encode() + NOISE,
    "program": b"\x7fELF\2\1\1" + NOISE + ENGLISH.encode() + bytes(99),
    "wide in a program": b"\x7fELF\2\1\1" + NOISE + ENGLISH.encode("utf-16-le") + bytes(99),
    "zeros for spaces": ENGLISH.replace(" ", "\0").encode(),
    "picture.zip": make.zipped({"a.png": PNG + ENGLISH.encode(), "b.txt": COVER}),
    "picture.docx": make.zipped(
        {
            "[Content_Types].xml": "<Types/>",
            "word/document.xml": f"<w:document {make.W}><w:body>{make.paragraph(COVER)}</w:body></w:document>",
            "word/media/image1.png": PNG + ENGLISH.encode(),
        }
    ),
}


@pytest.mark.parametrize("name", IN_BINARY)
def test_runs_of_text_in_what_is_no_document_are_blocked(judge, name):
    assert judge(IN_BINARY[name], name).exit_code == 1


@pytest.mark.parametrize("name", ["program", "comment.png", "picture.docx"])
def test_screening_leaves_runs_of_text_in_binary_bytes_alone(library, name):
    raw = IN_BINARY[name]
    if name.endswith(".docx"):
        assert library.screen(raw, name=name).matches == ()
    else:
        with pytest.raises(UnsupportedError):
            library.screen(raw, name=name)


def test_bytes_without_text_are_clean_and_counted(judge):
    for raw in (NOISE, PNG, bytes(9000)):
        found = judge(raw, "a.bin")
        assert (found.action, found.counts.n_not_text, found.incomplete) == ("clean", 1, ())
