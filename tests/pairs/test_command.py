"""`pmbf pairs`: what it prints, how it ends, and that a stopped run goes on."""

import csv
import io
import json
import os

import pytest
from conftest import words

from tests.forked import pmbf


def pairs(*arguments, columns=100, **options):
    environment = os.environ | {"COLUMNS": str(columns)}
    return pmbf("pairs", *arguments, environment=environment, **options)


@pytest.fixture
def texts(tmp_path):
    """Two texts that are nearly the same, a copy of one of them, and a text of its own."""
    folder = tmp_path / "texts"
    (folder / "sub").mkdir(parents=True)
    text = words(1, 100)
    (folder / "ann.txt").write_text(text, encoding="utf-8")
    (folder / "bob.txt").write_text(f"{text} {words(2, 20)}", encoding="utf-8")
    (folder / "sub" / "cleo.txt").write_text(text, encoding="utf-8")
    (folder / "dora.txt").write_text(words(3, 100), encoding="utf-8")
    return folder


ALIKE = [("ann.txt", "bob.txt"), ("ann.txt", "sub/cleo.txt"), ("bob.txt", "sub/cleo.txt")]


def test_pairs_and_what_to_keep_are_shown_and_the_exit_code_is_1(texts):
    done = pairs("texts", cwd=texts.parent)
    assert (1, "") == (done.returncode, done.stderr)
    assert "texts/: 4 texts compared with each other\n" in done.stdout
    assert (
        "3 pairs of a Jaccard index of 0.5 or more. 1 cluster: keep one text of each, and leave out 2.\n" in done.stdout
    )
    assert "keep ann.txt  for bob.txt, sub/cleo.txt\n" in done.stdout
    assert "   1.00  100 %  100 %  ann.txt  sub/cleo.txt\n" in done.stdout
    assert "dora" not in done.stdout


@pytest.mark.parametrize("plan", ["doc", "term"])
@pytest.mark.parametrize("features", ["words", "spotsigs"])
def test_json_has_all_of_it(texts, plan, features):
    done = pairs(texts, "--param", f"plan={plan}", "--features", features, "--jobs", "2", "--json", "--proof")
    found = json.loads(done.stdout)
    assert ALIKE == [(one["a"], one["b"]) for one in found["pairs"]]
    assert [{"kept": "ann.txt", "others": ["bob.txt", "sub/cleo.txt"]}] == found["clusters"]
    assert (4, 0.5, features, [], True) == tuple(
        found[name] for name in ("n_texts", "threshold", "features", "problems", "is_whole")
    )
    assert (["ann.txt", "bob.txt", "dora.txt", "sub/cleo.txt"] if features == "spotsigs" else []) == found["by_words"]
    assert all(one["passages"][0]["kind"] == "verbatim" for one in found["pairs"])


def test_a_table_of_pairs_or_of_texts_is_printed(texts):
    table = list(csv.DictReader(io.StringIO(pairs(texts, "--table", "csv:-").stdout)))
    assert ALIKE == [(row["a"], row["b"]) for row in table]
    assert ["a", "b", "jaccard", "containment_a", "containment_b", "shared"] == list(table[0])
    lines = pairs(texts, "--table", "jsonl:-", "--rows", "texts", "--prefer", "longest").stdout.splitlines()
    rows = [tuple(json.loads(line).values()) for line in lines]
    assert ("bob.txt", True, "bob.txt", 3) in rows
    assert ("sub/cleo.txt", False, "bob.txt", 3) in rows
    assert ("dora.txt", True, "dora.txt", 1) in rows


def test_the_newest_file_is_kept_if_asked_for(texts):
    for number, name in enumerate(("ann.txt", "sub/cleo.txt", "bob.txt")):
        os.utime(texts / name, (1000 + number, 1000 + number))
    assert "keep bob.txt  for ann.txt, sub/cleo.txt" in pairs(texts, "--prefer", "newest").stdout


def test_a_collection_is_compared_as_it_is(texts, tmp_path):
    assert 0 == pmbf("load", texts, "-c", tmp_path / "c.pmbf").returncode
    found = json.loads(pairs(tmp_path / "c.pmbf", "--json").stdout)
    assert [str(texts / b) for _, b in ALIKE] == [one["b"] for one in found["pairs"]]
    done = pairs(tmp_path / "c.pmbf", texts)
    assert (2, True) == (done.returncode, "is a collection, expected it alone" in done.stderr)


def test_a_collection_without_texts_reads_the_files_and_says_which_are_gone(texts, tmp_path):
    pmbf("load", texts, "-c", tmp_path / "c.pmbf", "--no-text")
    (texts / "dora.txt").unlink()
    done = pairs(tmp_path / "c.pmbf", "--json")
    assert 1 == done.returncode
    assert [f"{texts / 'dora.txt'}: its text is not stored, and its file is gone or has changed; load it again"] == (
        json.loads(done.stdout)["problems"]
    )


def test_the_exit_code_tells_what_was_found(texts, tmp_path):
    assert 0 == pairs(texts / "ann.txt", texts / "dora.txt").returncode
    alone = pairs(texts / "ann.txt")
    assert (3, True) == (alone.returncode, "nothing was compared" in alone.stderr)
    (tmp_path / "broken.docx").write_bytes(b"PK\x03\x04 broken")
    broken = pairs(texts / "ann.txt", texts / "dora.txt", tmp_path / "broken.docx")
    assert (3, True) == (broken.returncode, "Incomplete: broken.docx" in broken.stdout)
    assert 1 == pairs(texts, tmp_path / "broken.docx").returncode
    assert 3 == pairs(tmp_path / "none").returncode


def test_quiet_prints_nothing(texts):
    done = pairs(texts, "--quiet")
    assert (1, "", "") == (done.returncode, done.stdout, done.stderr)


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (["--threshold", "0"], "expected a number above 0"),
        (["--threshold", "2"], "is no share"),
        (["--param", "idf=0.1"], "is not two numbers"),
        (["--param", "idf=0.9,0.1"], "--param idf is 0.9,0.1, expected two ascending numbers"),
        (["--param", "idf=0.1,0.9"], "of 4 texts only, expected at least 100,000"),
        (["--json", "--table", "csv:-"], "name a file"),
        (["--rows", "texts"], "add --table FILE.csv or FILE.jsonl"),
        (["--param", "plan=term", "--param", "max_volume=100"], "max_volume, or take the plan 'doc'"),
        (["--param", "background=none.df"], "without idf=LOW,HIGH"),
    ],
)
def test_wrong_usage_is_told(texts, options, told):
    done = pairs(texts, *options)
    assert (2, "", True) == (done.returncode, done.stdout, told in done.stderr), done.stderr


def test_a_background_is_written_and_read(texts, tmp_path):
    done = pairs(texts, "--write-background", tmp_path / "b.df")
    assert (0, "") == (done.returncode, done.stdout)
    assert "features in 3 texts\n" in done.stderr
    done = pairs(texts, "--param", f"background={tmp_path / 'b.df'}", "--param", "idf=0.1,0.9")
    assert (2, True) == (done.returncode, "of 7 texts only" in done.stderr)
    done = pairs(
        texts, "--param", f"background={tmp_path / 'b.df'}", "--param", "idf=0.1,0.9", "--features", "spotsigs"
    )
    assert (2, True) == (done.returncode, "made of other features" in done.stderr)


def test_a_work_folder_belongs_to_its_paths(texts, tmp_path):
    work = tmp_path / "work"
    first = pairs(texts, "--work", work)
    again = pairs(texts, "--work", work)
    assert (first.returncode, first.stdout) == (again.returncode, again.stdout)
    done = pairs(texts / "ann.txt", texts / "bob.txt", "--work", work)
    assert (2, True) == (done.returncode, f"--work is {work}, a folder for {texts}" in done.stderr)
    done = pairs(texts, "--work", tmp_path)
    assert (2, True) == (done.returncode, "holds other files" in done.stderr)
    done = pairs(texts, "--work", texts / "work")
    assert (2, True) == (done.returncode, "is in " in done.stderr)


def test_a_file_that_was_removed_or_changed_between_two_runs_is_not_in_the_second(texts, tmp_path):
    work = tmp_path / "work"
    pairs(texts, "--work", work)
    (texts / "sub" / "cleo.txt").unlink()
    (texts / "bob.txt").write_text(words(9, 100), encoding="utf-8")
    done = pairs(texts, "--work", work, "--json")
    assert (0, 3, []) == (done.returncode, (found := json.loads(done.stdout))["n_texts"], found["pairs"])


def test_a_table_has_notes_of_what_was_read_in_part_once_each(texts):
    (texts / "cut.txt").write_bytes(words(4, 100).encode("utf-16")[:-1])
    (texts / "broken.pdf").write_bytes(b"%PDF-1.4\n")
    for form in ("csv", "jsonl"):
        done = pairs(texts, "--table", f"{form}:-", "--rows", "texts")
        assert (1, 2) == (done.returncode, len(done.stderr.splitlines())), done.stderr
        assert "pmbf: broken.pdf: " in done.stderr and "cut.txt" not in done.stdout.splitlines()[0]
    found = json.loads(pairs(texts, "--json").stdout)
    assert [1, 1] == [sum(name in one for one in found["problems"]) for name in ("broken.pdf", "cut.txt")]


def test_no_pair_is_shown_if_none_is_wanted(texts):
    done = pairs("texts", "--pairs", "0", cwd=texts.parent)
    assert (1, "") == (done.returncode, done.stderr)
    assert "keep ann.txt" in done.stdout and "… and 3 more pairs: --pairs all shows them" in done.stdout


@pytest.mark.parametrize("content", [b"", b"[", b"7", b"\0\0\0\0"])
def test_a_work_folder_with_damaged_paths_is_told(texts, tmp_path, content):
    pairs(texts, "--work", tmp_path / "work")
    (tmp_path / "work" / ".roots.json").write_bytes(content)
    done = pairs(texts, "--work", tmp_path / "work")
    assert (3, True) == (done.returncode, "is damaged; remove the work folder" in done.stderr), done.stderr
