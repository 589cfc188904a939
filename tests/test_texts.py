"""The one way from what a user gives to a text."""

import hashlib
import pickle
from pathlib import Path

import pytest

from pmbf.base.errors import IncompleteError, NotFoundError, ParameterError, UnsupportedError
from pmbf.extract import Limits
from pmbf.intake.texts import Origin, Text, is_passed_over, read_leniently, read_text, read_whole

WORDS = "The sea comes in twice a day and goes out twice a day."


def test_a_text_its_bytes_and_its_file_are_read_as_one(tmp_path):
    (tmp_path / "sea.txt").write_text(WORDS, encoding="utf-16")
    read = [
        read_text(Origin.of(given, "sea"), Limits())
        for given in (WORDS, WORDS.encode("utf-16"), tmp_path / "sea.txt", tmp_path / "sea.txt")
    ]
    assert {one.text.lstrip("\ufeff") for one in read} == {WORDS}
    assert {one.name for one in read} == {"sea"}
    assert [one.kind for one in read] == ["", "txt", "txt", "txt"]


def test_a_path_names_its_text_and_its_ending_tells_the_format(tmp_path):
    (tmp_path / "page.html").write_text("<p>one<p>two", encoding="utf-8")
    assert read_text(Origin.of(tmp_path / "page.html"), Limits()).name == str(tmp_path / "page.html")
    assert read_text(Origin.of(tmp_path / "page.html", "a.txt"), Limits()).kind == "html"


@pytest.mark.parametrize("given", [float("nan"), None, 3, ["a"]])
def test_what_is_neither_text_nor_bytes_nor_path_is_refused_with_its_type(given):
    with pytest.raises(ParameterError, match=rf"{type(given).__name__}\)?, expected a text, the bytes of a file, or"):
        Origin.of(given)


def test_a_text_that_looks_like_a_path_is_refused(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("my essay").write_text(WORDS)
    for given in ("my essay", str(tmp_path / "my essay"), "missing.pdf", "C:\\essays\\a.DOCX"):
        with pytest.raises(ParameterError, match=r"looks like a path, but a str is a text: give pathlib\.Path"):
            Origin.of(given)
    for other in ("my essay\n", "See missing.pdf", "e.g.", "pmbf.org", "", ".", "a\0b", "x" * 5000, "\udc80"):
        assert read_text(Origin.of(other), Limits()).problems == ()
    assert read_text(Origin.of(b"missing.pdf"), Limits()).text == "missing.pdf"


def test_a_lenient_reader_says_why_and_names_the_file(tmp_path):
    unread = read_leniently(Origin.of(tmp_path / "missing.txt"), Limits())
    assert unread == Text(
        str(tmp_path / "missing.txt"), "", (f"{tmp_path / 'missing.txt'}: no such file",), unread=True
    )
    assert read_leniently(unread, Limits()) is unread


def test_a_picture_met_in_a_folder_is_passed_over_but_not_one_that_was_named(tmp_path):
    path = tmp_path / "a.png"
    path.write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(100))
    assert read_leniently(Origin("a.png", path=str(path), met=True), Limits()) == Text(
        "a.png", "", unread=True, sha256=hashlib.sha256(path.read_bytes()).hexdigest()
    )
    assert "not a text document" in read_leniently(Origin("a.png", path=str(path)), Limits()).problems[0]


def test_a_file_that_an_extra_could_read_is_never_passed_over():
    lacking = UnsupportedError("a.pdf: reading pdf needs more", missing_extra="pdf")
    assert not is_passed_over(lacking, met=True)
    assert not is_passed_over(pickle.loads(pickle.dumps(lacking)), met=True)
    assert is_passed_over(UnsupportedError("extra.png: of an extra kind"), met=True)
    assert not is_passed_over(NotFoundError("a.txt: no such file"), met=True)


def test_a_text_to_be_ignored_is_read_whole_or_refused(tmp_path):
    (tmp_path / "form.txt").write_text(WORDS, encoding="utf-8")
    assert read_whole(Origin.of(tmp_path / "form.txt"), Limits()) == WORDS
    with pytest.raises(IncompleteError, match="larger than 5 bytes"):
        read_whole(Origin.of(tmp_path / "form.txt"), Limits(max_bytes=5))
