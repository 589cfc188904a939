"""Damaged documents with a protected passage: blocked, incomplete, or so damaged that the passage is gone; never clean.

A mutant may hold runs of 20 words of the passage, in its bytes or in what its packed streams give. With three of them
it must not be clean. With as many as have the letters that block, it must not leave.
"""

import bz2
import gzip
import lzma
import os
import quopri
import random
import re
import zlib

import pytest

from pmbf.guard.policy import Policy
from tests.extract import builders as make
from tests.guard.conftest import LIBRARY
from tests.guard.test_evasions import COVER, mail
from tests.guard.test_forms import in_form
from tests.guard.test_forms import mail as binary_mail

MUTANTS = int(os.environ.get("PMBF_MUTANTS", "8"))
"""Of each format."""
RUN, LEAST_RUNS = 20, 3
BLOCK_CHARS = Policy().block_chars

WORDS = re.findall(r"[A-Za-z]+", (LIBRARY / "lighthouse-optics.txt").read_text(encoding="utf-8"))[100:400]
PASSAGE = " ".join(WORDS)
RUNS = [" ".join(WORDS[at : at + RUN]) for at in range(0, len(WORDS), RUN)]
LINES = [" ".join(WORDS[at : at + 12]) for at in range(0, len(WORDS), 12)]


def pdf(stream):
    shown = "".join(f"({line}) Tj 0 -14 Td\n" for line in LINES)
    font = "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>"
    page = (
        "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Contents 5 0 R /Resources << /Font << /F 4 0 R >> >> >>"
    )
    tree = "<< /Type /Pages /Kids [3 0 R] /Count 1 >>"
    content = stream(f"BT /F 9 Tf 20 700 Td {shown} ET".encode())
    return make.pdf_of(["<< /Type /Catalog /Pages 2 0 R >>", tree, page, font, content])


def pptx():
    text = f"<p:sp><a:t xmlns:a='a'>{PASSAGE}</a:t></p:sp>"
    return make.zipped(
        {"[Content_Types].xml": "<Types/>", "ppt/slides/slide1.xml": f"<p:sld xmlns:p='p'>{text}</p:sld>"}
    )


TEXT = f"{COVER}\n\n{PASSAGE}\n\n{COVER}"
BODY = make.paragraph(COVER) + "".join(map(make.paragraph, LINES))
DOCUMENTS = {
    "a.txt": TEXT.encode(),
    "a.zip": make.zipped({"a.txt": TEXT}),
    "stored.zip": make.zipped({"a.txt": TEXT}, method=0),
    "a.tar": make.tarred({"a.txt": TEXT.encode()}),
    "a.txt.gz": gzip.compress(TEXT.encode()),
    "a.tgz": gzip.compress(make.tarred({"a.txt": TEXT.encode()})),
    "a.bz2": bz2.compress(TEXT.encode()),
    "a.xz": lzma.compress(TEXT.encode()),
    "a.docx": make.docx(BODY),
    "a.pptx": pptx(),
    "a.odt": make.odt("".join(f"<text:p>{line}</text:p>" for line in [COVER, *LINES])),
    "a.rtf": make.rtf(rf"{COVER}\par {PASSAGE}\par {COVER}"),
    "a.html": make.html("</p>\n<p>".join([COVER, *LINES])),
    "a.eml": mail(content=TEXT),
    "binary.eml": binary_mail(("a.docx", make.docx(BODY)), ("b.txt", COVER.encode())),
    "form.bin": in_form(("a.docx", make.docx(BODY)), ("b.txt", COVER.encode())),
    "packed.pdf": pdf(make.deflated_stream),
    "plain.pdf": pdf(make.stream),
    "a.xml": f"<?xml version='1.0'?><a><b>{COVER}</b>{''.join(f'<b>{line}</b>' for line in LINES)}</a>".encode(),
}


def mutant(raw, chance):
    """Return a document with one to four changes of one to a hundred bytes each."""
    changed = bytearray(raw)
    for _ in range(chance.randint(1, 4)):
        start = chance.randrange(len(changed) + 1)
        length = min(chance.choice((1, 1, 4, 20, 100)), len(changed) - start)
        piece = bytes(changed[start : start + length])
        changed[start : start + length] = chance.choice(
            (
                bytes(length),
                chance.randbytes(length),
                b"",
                piece * 2,
                piece[::-1],
                b"\xff" * length,
                chance.randbytes(5),
            )
        )
        if chance.random() < 0.05:
            del changed[chance.randrange(len(changed) + 1) :]
    return bytes(changed)


def given(decoder, raw):
    """Return what a decoder makes of bytes up to where they are damaged."""
    pieces = []
    try:
        for at in range(len(raw)):
            pieces.append(decoder.decompress(raw[at : at + 1]))
    except (zlib.error, lzma.LZMAError, OSError, EOFError):
        pass
    return b"".join(pieces)


def contents(raw):
    """Yield the bytes, and what their packed streams give."""
    yield raw
    yield quopri.decodestring(raw)
    for found in re.finditer(rb"x[\x01\x5e\x9c\xda]", raw):
        yield given(zlib.decompressobj(), raw[found.start() :])
    for found in re.finditer(rb"PK\x03\x04", raw):
        lengths = raw[found.start() + 26 : found.start() + 30]
        start = found.start() + 30 + int.from_bytes(lengths[:2], "little") + int.from_bytes(lengths[2:], "little")
        yield given(zlib.decompressobj(-15), raw[start:])
    for magic, decoder in (
        (b"\x1f\x8b", zlib.decompressobj(31)),
        (b"BZh", bz2.BZ2Decompressor()),
        (b"\xfd7z", lzma.LZMADecompressor()),
    ):
        if raw.startswith(magic):
            yield given(decoder, raw)


def words(content):
    """Return the words between the tags, the paragraphs, the operators."""
    return " ".join(re.sub(r"<[^<>]*>|\) Tj 0 -14 Td\s*\(|\\\\par", " ", content.decode("latin-1")).split())


def held(raw):
    """Return which runs of the passage a document holds."""
    return max(([run for run in RUNS if run in text] for text in map(words, contents(raw))), key=len)


def n_letters(runs):
    return sum(char.isalnum() for run in runs for char in run)


@pytest.mark.parametrize("name", DOCUMENTS)
def test_a_sound_document_is_blocked(judge, name):
    assert n_letters(held(DOCUMENTS[name])) >= BLOCK_CHARS
    found = judge(DOCUMENTS[name], name)
    assert (found.exit_code, found.incomplete) == (1, ())


@pytest.mark.parametrize("name", DOCUMENTS)
def test_no_damaged_document_is_silently_clean(judge, name):
    chance = random.Random(f"{name} {MUTANTS if MUTANTS > 8 else 0}")
    missed = []
    for number in range(MUTANTS):
        raw = mutant(DOCUMENTS[name], chance)
        found = judge(raw, name)
        if found.exit_code == 0:
            runs = held(raw)
            if n_letters(runs) >= BLOCK_CHARS or (found.action == "clean" and len(runs) >= LEAST_RUNS):
                missed.append(number)
    assert missed == []
