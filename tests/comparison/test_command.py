"""`pmbf compare`: what it prints and writes, and how it ends."""

from __future__ import annotations

import csv
import io
import json
import os
import signal
import subprocess
import sys
import time

import pytest

from pmbf import Comparison
from tests.conftest import ROOT, words
from tests.forked import pmbf

pytestmark = pytest.mark.slow

ESSAYS = ROOT / "examples" / "essays"
TASK = ROOT / "examples" / "task.txt"


def compare(*arguments, columns=100, **options):
    environment = os.environ | {"COLUMNS": str(columns)}
    return pmbf("compare", *arguments, environment=environment, **options)


@pytest.fixture
def essays(tmp_path):
    """Three essays; the first two share a passage."""
    folder = tmp_path / "essays"
    folder.mkdir()
    for number, name in enumerate(("ann", "bob", "cleo")):
        passage = words(99, 60) if number < 2 else ""
        (folder / f"{name}.txt").write_text(f"{words(number, 150)}\n\n{passage}\n", encoding="utf-8")
    return folder


def test_pairs_and_clusters_are_shown_and_the_exit_code_is_1():
    done = compare(ESSAYS, "--group-by", "folder", "--ignore", TASK)
    assert (1, "") == (done.returncode, done.stderr)
    assert "8 texts of 7 groups compared with each other\n" in done.stdout
    assert "4 pairs share text; the highest share is 100 %.\n" in done.stdout
    assert "identical  evans/essay.txt  grant/essay.txt\n" in done.stdout
    assert "adams/draft.txt  adams/essay.txt" not in done.stdout
    assert "2  2 groups, 1 pair, up to " in done.stdout


@pytest.mark.parametrize("columns", [60, 80, 140])
def test_lines_fit_the_terminal(columns):
    done = compare("essays", "--group-by", "folder", "--passages", "1", cwd=ESSAYS.parent, columns=columns)
    assert max(map(len, done.stdout.splitlines())) <= columns


def test_json_is_the_comparison():
    done = compare(ESSAYS, "--group-by", "folder", "--json")
    found = Comparison.from_json(done.stdout)
    assert ("evans/essay.txt", "grant/essay.txt", 1.0) == (found.pairs[0].a, found.pairs[0].b, found.pairs[0].share)
    assert {"a", "b", "share_a", "share_b", "certainty", "passages"} <= json.loads(done.stdout)["pairs"][0].keys()


def test_csv_has_a_row_for_each_pair(essays):
    (essays / "=cmd()|x!A1.txt").write_text((essays / "cleo.txt").read_text(encoding="utf-8"), encoding="utf-8")
    rows = list(csv.DictReader(io.StringIO(compare(essays, "--table", "csv:-").stdout)))
    assert [("'=cmd()|x!A1.txt", "cleo.txt", "yes"), ("ann.txt", "bob.txt", "no")] == [
        (row["a"], row["b"], row["identical"]) for row in rows
    ]
    assert 0.2 < float(rows[1]["share_a"]) < 0.4


def test_a_table_is_written_beside_the_report_and_over_no_file_of_others(essays):
    table = essays.parent / "pairs.csv"
    done = compare(essays, "--table", table)
    assert "1 pair shares text" in done.stdout
    assert table.read_text(encoding="utf-8").startswith("a,b,group_a,")
    assert pmbf("compare", essays, "--table", table, "--quiet").returncode == 1
    table.write_text("name,mark\nann,1\n", encoding="utf-8")
    refused = pmbf("compare", essays, "--table", table)
    assert (2, "name,mark\nann,1\n") == (refused.returncode, table.read_text(encoding="utf-8"))
    assert "was not written by pmbf" in refused.stderr
    assert pmbf("compare", essays, "--table", essays / "pairs.csv").returncode == 2


def test_csv_has_notes_of_what_was_not_read(essays):
    (essays / "broken.pdf").write_bytes(b"%PDF-1.4\n")
    done = pmbf("compare", essays, "--table", "csv:-")
    assert "broken.pdf: " in done.stderr and "broken.pdf" not in done.stdout


def test_labels_of_a_table_stand_in_csv(essays):
    (essays.parent / "class.csv").write_text("file,group,course\nann.txt,a,biology\nbob.txt,b,\n", encoding="utf-8")
    done = compare(essays, "--table", "csv:-", "--group-by", essays.parent / "class.csv")
    found = {row["a"]: (row["label_a"], row["label_b"]) for row in csv.DictReader(io.StringIO(done.stdout))}
    assert "biology" in found["ann.txt"][0]
    assert found["ann.txt"][1] == ""


@pytest.mark.parametrize("name", ["+1.txt", " =cmd()|x!A1.txt", "＝1.txt", "\t@SUM(A1).txt"])
def test_a_name_that_a_spreadsheet_would_run_is_text_in_csv(essays, name):
    (essays / "ann.txt").rename(essays / name)
    [row] = csv.DictReader(io.StringIO(compare(essays, "--table", "csv:-").stdout, newline=""))
    assert f"'{name}" in (row["a"], row["b"])


def test_no_pair_is_exit_code_0(essays):
    (essays / "bob.txt").unlink()
    done = compare(essays)
    assert (0, "") == (done.returncode, done.stderr)
    assert "No two texts share a passage." in done.stdout


def test_pairs_below_the_threshold_are_told_and_the_exit_code_is_0(essays):
    done = compare(essays, "--threshold", "50%")
    assert (0, True) == (done.returncode, "No pair reaches the threshold; 1 below shares text." in done.stdout)


def test_an_empty_folder_and_a_single_text_are_exit_code_3(tmp_path, essays):
    assert 3 == compare(tmp_path / "essays" / "ann.txt").returncode
    for path in essays.iterdir():
        path.unlink()
    done = compare("essays", cwd=tmp_path)
    assert (3, True) == (done.returncode, "essays/: 0 texts compared with each other" in done.stdout)
    assert "a comparison needs two texts with words" in done.stderr


def test_a_file_that_cannot_be_read_makes_the_answer_incomplete(essays):
    (essays / "broken.docx").write_bytes(b"PK\x03\x04 no archive")
    (essays / "bob.txt").unlink()
    done = compare(essays)
    assert 3 == done.returncode
    assert "Incomplete: broken.docx: " in done.stdout
    assert "No pair found in what was compared, but the answer is incomplete." in done.stdout


@pytest.mark.parametrize(
    ("arguments", "code", "told"),
    [
        (
            ["--json", "--table", "csv:-"],
            2,
            "--json and --table csv:- write on stdout, of which there is one; name a file",
        ),
        (["--group-by", "(("], 2, "RE2 does not take"),
        (["--group-by", "class.csv"], 3, "class.csv: no such file"),
        (["--common", "many"], 2, "neither a number of groups nor a percentage"),
        (["--common", "0"], 2, "neither a number of groups nor a percentage"),
        (["--threshold", "20"], 2, "is no share"),
        (["--ignore", "nowhere.txt"], 3, "nowhere.txt: no such file"),
        (["-c", "nowhere.pmbf"], 3, "nowhere.pmbf"),
    ],
)
def test_a_wrong_option_is_one_line(essays, arguments, code, told):
    done = compare(essays, *arguments)
    assert (code, "", 1) == (done.returncode, done.stdout, len(done.stderr.splitlines()))
    assert told in done.stderr


def test_a_folder_that_is_not_there_is_one_line(tmp_path):
    done = compare(tmp_path / "nowhere")
    assert (3, 1) == (done.returncode, len(done.stderr.splitlines()))
    assert "nowhere: no such file or folder" in done.stderr


def test_pages_are_written_and_link_to_each_other(essays, tmp_path):
    done = compare(essays, "--html", tmp_path / "pages", "--quiet")
    assert (1, "", "") == (done.returncode, done.stdout, done.stderr)
    overview = (tmp_path / "pages" / "index.html").read_text(encoding="utf-8")
    assert 'href="pairs/0001.html#' in overview
    assert words(99, 60)[:40] in (tmp_path / "pages" / "pairs" / "0001.html").read_text(encoding="utf-8")
    one = tmp_path / "one.html"
    assert 1 == compare(essays, "--html", one, "--quiet").returncode
    assert words(99, 60)[:40] in one.read_text(encoding="utf-8")


def test_a_terminated_comparison_leaves_no_temporary_folder(tmp_path):
    folder = tmp_path / "texts"
    folder.mkdir()
    for number in range(60):
        (folder / f"{number}.txt").write_text(words(number, 6000), encoding="utf-8")
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    process = subprocess.Popen(
        [sys.executable, "-m", "pmbf", "compare", folder, "--quiet"],
        env=os.environ | {"TMPDIR": str(scratch), "PYTHONPATH": str(ROOT)},
    )
    while process.poll() is None and not list(scratch.iterdir()):
        time.sleep(0.01)
    process.send_signal(signal.SIGTERM)
    assert 128 + signal.SIGTERM == process.wait(60)
    assert [] == list(scratch.iterdir())


@pytest.mark.parametrize("place", ["pages", "page.html", "ann.txt", "."])
def test_pages_among_the_texts_are_refused(essays, place):
    """The next comparison would read them as texts."""
    before = {path.name: path.read_bytes() for path in essays.iterdir()}
    done = compare(essays, "--html", essays / place)
    assert (2, True) == (done.returncode, "name a place outside" in done.stderr)
    assert before == {path.name: path.read_bytes() for path in essays.iterdir()}


def test_a_page_does_not_replace_a_text(essays):
    done = compare(essays / "ann.txt", essays / "bob.txt", "--html", essays / "bob.txt")
    assert 2 == done.returncode and words(1, 150) in (essays / "bob.txt").read_text(encoding="utf-8")


def test_pages_leave_foreign_files_alone(essays, tmp_path):
    """Of a folder only pages of an earlier comparison are replaced; a link is replaced, and not written through."""
    pairs, other = tmp_path / "pages" / "pairs", tmp_path / "other.html"
    pairs.mkdir(parents=True)
    own = '<meta name="generator" content="pmbf">'
    (pairs / "1-notes.html").write_text("mine", encoding="utf-8")
    for file in (pairs / "0002.html", other):
        file.write_text(own, encoding="utf-8")
    (tmp_path / "pages" / "index.html").symlink_to(other)
    assert 1 == compare(essays, "--html", tmp_path / "pages", "--quiet").returncode
    assert ["0001.html", "1-notes.html"] == sorted(path.name for path in pairs.iterdir())
    assert own == other.read_text(encoding="utf-8")
    (pairs / "2024.html").write_text("mine", encoding="utf-8")
    refused = pmbf("compare", essays, "--html", tmp_path / "pages")
    assert 2 == refused.returncode and "pairs/2024.html: exists and was not written by pmbf" in refused.stderr
