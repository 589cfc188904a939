"""`pmbf duplicates`: what it prints, and how it ends."""

from __future__ import annotations

import json
import os

import pytest

from tests.forked import pmbf
from tests.resultsets.test_sets import OTHER, STORY

pytestmark = pytest.mark.slow


def duplicates(*arguments, **options):
    return pmbf("duplicates", *arguments, **options)


@pytest.fixture
def news(tmp_path):
    """A folder with a story, its copy and its teaser, another text, and a picture."""
    folder = tmp_path / "news"
    folder.mkdir()
    for name, text in {"a": OTHER, "b": STORY, "c": "Breaking. " + STORY, "d": STORY[:200]}.items():
        (folder / f"{name}.txt").write_text(text, encoding="utf-8")
    (folder / "e.png").write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(80))
    return folder


def test_groups_are_shown_and_the_exit_code_is_1(news):
    done = duplicates("news", cwd=news.parent)
    assert (1, "") == (done.returncode, done.stderr)
    assert done.stdout.splitlines() == [
        "news/b.txt",
        "   98 %  news/c.txt",
        "   62 %  news/d.txt  (100 % of it)",
        "",
        "2 of 4 texts are copies; 2 to keep.",
    ]


def test_texts_that_are_unlike_end_with_0(news):
    done = duplicates("a.txt", "b.txt", cwd=news)
    assert (0, "No copies among 2 texts.\n", "") == (done.returncode, done.stdout, done.stderr)


def test_names_alone_are_listed(news):
    assert duplicates("--list", "hidden", ".", cwd=news).stdout == "c.txt\nd.txt\n"
    assert duplicates("--list", "kept", ".", "--prefer", "longest", cwd=news).stdout == "a.txt\nc.txt\n"
    assert duplicates("--quiet", ".", cwd=news).stdout == ""


def test_what_is_shared_is_shown(news):
    done = duplicates("b.txt", "c.txt", "--why", "--features", "sentences", cwd=news)
    assert "         “Nobody had climbed the narrow stairs since the winter storm”\n         “The keeper" in done.stdout
    assert "         and 1 more\n" in done.stdout


def test_json_has_groups_names_and_spans(news):
    told = json.loads(duplicates(".", "--json", "--why", cwd=news).stdout)
    assert told["keep"] == ["a.txt", "b.txt"] and told["problems"] == []
    [group] = told["groups"]
    assert group["representative"] == "b.txt"
    member, _ = group["members"]
    assert member["name"] == "c.txt" and member["contained"] <= 1
    [shared] = member["shared"]
    assert shared["second"]["start"] == len("Breaking. ") and shared["text"] == STORY


def test_standard_input_has_names_or_articles(news):
    names = "b.txt\nc.txt\n"
    assert "1 of 2 texts is a copy; 1 to keep." in duplicates("-", cwd=news, given=names).stdout
    assert "1 of 3 texts is a copy" in duplicates("a.txt", "-", cwd=news, given="b.txt\0c.txt\0").stdout
    lines = "".join(json.dumps({"id": n, "text": text}) + "\n" for n, text in enumerate((STORY, OTHER, STORY.upper())))
    done = duplicates("-", "--json", given=lines)
    assert (json.loads(done.stdout)["keep"], done.returncode) == (["0", "1"], 1)


@pytest.mark.parametrize(("stdin", "reason"), [
    ('{"id": 1, "text": "a"}\n{"id"\n', "line 2 of stdin is no JSON"),
    ('{"id": 1}\n', "line 1 of stdin is no object with a text"),
    ('{"id": [], "text": "a"}\n', "the id in line 1 of stdin is list"),
])  # fmt: skip
def test_lines_that_are_no_articles_are_wrong_usage(stdin, reason):
    done = duplicates("-", given=stdin)
    assert (done.returncode, reason in done.stderr) == (2, True)


def test_what_was_not_read_is_told(news):
    done = duplicates("nothere.txt", "a.txt", "b.txt", cwd=news)
    assert (3, "pmbf: nothere.txt: No such file or directory\n") == (done.returncode, done.stderr)
    done = duplicates("nofolder", cwd=news)
    assert (3, "", "pmbf: nofolder: No such file or directory\n") == (done.returncode, done.stdout, done.stderr)
    done = duplicates("nothere.txt", "b.txt", "c.txt", cwd=news)
    assert (1, True) == (done.returncode, "nothere.txt" in done.stderr)
    done = duplicates("b.txt", cwd=news)
    assert (3, True) == (done.returncode, "nothing was compared: give two texts" in done.stderr)


def test_a_text_that_was_read_in_part_is_told_by_name(news):
    (news / "cut.txt").write_bytes(OTHER.encode("utf-16")[:-1])
    done = duplicates("b.txt", "cut.txt", "--json", cwd=news)
    assert (3, True) == (done.returncode, "pmbf: cut.txt: incomplete: 1 characters are not valid" in done.stderr)
    assert json.loads(done.stdout)["problems"][0].startswith("cut.txt: incomplete: ")


def test_a_text_without_words_is_compared_with_none(news):
    (news / "empty.txt").touch()
    done = duplicates("b.txt", "empty.txt", cwd=news)
    assert (3, True) == (done.returncode, "nothing was compared: give two texts with words" in done.stderr)
    done = duplicates("-", "--features", "sentences", given='{"text": "Two words."}\n' * 2)
    assert (3, True) == (done.returncode, "nothing was compared: give two texts with sentences" in done.stderr)
    assert 0 == duplicates("a.txt", "b.txt", "empty.txt", cwd=news).returncode


@pytest.mark.parametrize("name", ["a\nb.txt", "\ud800"])
def test_a_name_that_is_no_line_is_not_listed(name):
    given = "".join(json.dumps({"id": one, "text": STORY}) + "\n" for one in ("first", name))
    done = duplicates("-", "--list", "hidden", given=given)
    assert (3, "") == (done.returncode, done.stdout)
    assert "is no line; use --json" in done.stderr and "\n" not in done.stderr.rstrip("\n")


@pytest.mark.parametrize(("arguments", "reason"), [
    (("-", "-"), "- is given twice"),
    (("a.txt", "--threshold", "0"), "threshold is 0.0, expected a number above 0"),
    (("a.txt", "--param", "stem=english"), "which are not stemmed"),
    (("a.txt", "--json", "--list", "kept"), "--json and --list are both given"),
    (("a.txt", "--param", "keep=3"), "keep is 3"),
])  # fmt: skip
def test_wrong_usage_ends_with_2(news, arguments, reason):
    done = duplicates(*arguments, cwd=news)
    assert (done.returncode, reason in done.stderr) == (2, True)


def test_names_that_are_no_text_are_printed_harmlessly(news):
    copy = os.fsencode(news / "f\x1b[2J") + b"\xff.txt"
    with open(copy, "w", encoding="utf-8") as file:
        file.write(STORY)
    shown = duplicates("b.txt", ".", cwd=news).stdout
    assert "f\\x1b[2J\\xff.txt" in shown and "\x1b" not in shown
