"""A passage of 300 letters and digits is found in whatever dress and whatever file it leaves."""

import email.message
import functools
import re
import textwrap
from pathlib import Path

import pytest

from experiments.leaks import DISGUISES
from pmbf import Collection
from pmbf.guard.allowing import Allowances
from pmbf.guard.checker import CollectionChecker
from pmbf.guard.policy import Policy
from pmbf.guard.sources import Plan
from pmbf.guard.types import Payload
from tests.conftest import ROOT, words
from tests.extract import builders
from tests.guard.conftest import check

LIBRARY = ROOT / "examples" / "library"
PAGES, PAGE_WORDS = 200, 350
NEUTRAL = words(9, PAGES * PAGE_WORDS)


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    path = tmp_path_factory.mktemp("library") / "library.pmbf"
    with Collection(path, create=True) as made:
        made.load([LIBRARY])
        yield made
        assert made.check().problems == []


def passage(name, first_word=60, n_chars=300):
    """Return words of a document until there are so many letters and digits."""
    text = " ".join((LIBRARY / name).read_text(encoding="utf-8").split()[first_word:])
    ends = [found.end() for found in re.finditer(r"\S+", text)]
    return text[: next(end for end in ends if sum(map(str.isalnum, text[:end])) >= n_chars)]


def mail(content, name):
    message = email.message.EmailMessage()
    message["Subject"], message["From"], message["To"] = "report", "a@example.org", "b@example.org"
    message.set_content("See the attachment.")
    message.add_attachment(content, maintype="application", subtype="octet-stream", filename=name)
    assert b"base64" in message.as_bytes()
    return message.as_bytes()


def pdf(paragraphs):
    wrapped = [textwrap.fill(one, 110, break_long_words=False) for one in paragraphs]
    return builders.pdf(wrapped)


FILES = {
    "a.txt": lambda paragraphs: "\n\n".join(paragraphs).encode(),
    "a.docx": builders.written_docx,
    "a.html": lambda paragraphs: builders.html("</p><p>".join(paragraphs)),
    "a.pdf": pdf,
    "a.eml": lambda paragraphs: mail("\n\n".join(paragraphs).encode("utf-16"), "notes.txt"),
    "b.eml": lambda paragraphs: mail(builders.written_docx(paragraphs), "report.docx"),
    "a.zip": lambda paragraphs: builders.zipped({"x/report.html": builders.html("<br>".join(paragraphs))}),
}


def blocked(library, content, name):
    """Return the paths of the documents that block a payload."""
    plan = Plan("path", iter([Payload(name, (name,), content, "path")]), 1)
    checker = CollectionChecker(library, apparatus=False)
    verdict = check(plan, Policy(block_document_share=None, block_payload_share=None), checker, Allowances(b"key"))
    assert verdict.incomplete == ()
    return {Path(one.document_path).name for one in verdict.findings if one.action == "block"}


@functools.cache
def pages():
    chosen = NEUTRAL.split()
    return [" ".join(chosen[start : start + PAGE_WORDS]) for start in range(0, len(chosen), PAGE_WORDS)]


def hidden_in_pages(text):
    return [*pages()[:123], text, *pages()[123:]]


@pytest.mark.parametrize("disguise", DISGUISES)
@pytest.mark.parametrize("name", ["papier.txt", "soil-microbes.txt", "strassenbahn.md", "masa-madre.txt", "chasy.txt"])
def test_a_disguised_passage_is_found_in_200_pages(library, name, disguise):
    dressed = DISGUISES[disguise](passage(name))
    content = "\n\n".join(hidden_in_pages(dressed)).encode()
    assert blocked(library, content, "report.txt") == {name}


@pytest.mark.parametrize("disguise", DISGUISES)
@pytest.mark.parametrize("file", FILES)
def test_a_passage_is_found_in_a_file_of_any_kind(library, file, disguise):
    if file == "a.pdf":
        pytest.importorskip("pypdfium2", reason="reads PDF")
    paragraphs = hidden_in_pages(DISGUISES[disguise](passage("papier.txt")))
    assert blocked(library, FILES[file](paragraphs), file) == {"papier.txt"}


def test_a_file_without_the_passage_is_clean(library):
    assert blocked(library, "\n\n".join(pages()).encode(), "report.txt") == set()
