"""`pmbf sentences`."""

from __future__ import annotations

import csv
import io
import json
import re
from pathlib import Path

import pytest

from tests.commands.conftest import run
from tests.sentences.texts import sentence, text


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    texts = tmp_path / "texts"
    texts.mkdir()
    for number in range(4):
        (texts / f"{number}.txt").write_text(text(*range(5 * number, 5 * number + 5)))
    (tmp_path / "query.txt").write_text(f"Heading\n\n{sentence(50)} {sentence(2)} {sentence(3)}")
    (tmp_path / "clean.txt").write_text(text(60, 61))
    assert run("load", texts, "-c", tmp_path / "c.pmbf", "--quiet").exit_code == 0
    return tmp_path


def test_without_sentences_the_command_is_told(folder: Path) -> None:
    result = run("sentences", "screen", folder / "query.txt", "-c", folder / "c.pmbf")
    assert result.exit_code == 3
    assert "pmbf sentences build" in result.stderr


def test_sentences_are_built_screened_and_dropped(folder: Path) -> None:
    there = "-c", folder / "c.pmbf"
    built = run("sentences", "build", *there)
    assert built.exit_code == 0 and "that of the collection" in built.stdout
    result = run("sentences", "screen", folder / "query.txt", *there)
    assert result.exit_code == 1
    assert "2 of 3 sentences are found in 1 source." in result.stdout
    assert "1 sentence is in a paragraph of fewer than 40 columns" in result.stdout
    assert "0.txt" in result.stdout
    assert run("sentences", "screen", folder / "clean.txt", *there).exit_code == 0
    assert run("sentences", "status", *there, "--json").exit_code == 0
    assert "deleted" in run("sentences", "drop", *there).stdout
    assert "no sentences" in run("sentences", "drop", *there).stdout
    assert run("sentences", "status", *there).exit_code == 3


def test_several_files_have_the_highest_code(folder: Path) -> None:
    run("sentences", "build", "-c", folder / "c.pmbf", "--param", "code=paper", "--quiet")
    files = [folder / f"{name}.txt" for name in ("clean", "query", "gone")]
    result = run("sentences", "screen", *files, "-c", folder / "c.pmbf")
    assert result.exit_code == 3
    assert "2 of 3 sentences" in result.stdout
    assert "gone.txt: no such file" in result.stderr


def test_json_and_a_page(folder: Path) -> None:
    run("sentences", "build", "-c", folder / "c.pmbf", "--quiet")
    result = run("sentences", "screen", folder / "query.txt", "-c", folder / "c.pmbf", "--json", "--html",
                 folder / "page.html")  # fmt: skip
    values = json.loads(result.stdout)
    assert [one["outcome"] for one in values["sentences"]] == ["short", "new", "found", "found"]
    assert "2 of 3 sentences, 1 source" in (folder / "page.html").read_text()


def test_options_without_meaning_for_sentences_are_not_there(folder: Path) -> None:
    for option in (["--threshold", "3%"], ["--min-chars", "40"], ["--exclude", "quotations"], ["--rows", "texts"]):
        result = run("sentences", "screen", folder / "query.txt", "-c", folder / "c.pmbf", *option)
        assert result.exit_code == 2
        assert option[0] in result.stderr


def test_a_load_and_a_removal_are_followed(folder: Path) -> None:
    there = "-c", folder / "c.pmbf"
    run("sentences", "build", *there, "--quiet")
    (folder / "new.txt").write_text(text(60, 61))
    run("load", folder / "new.txt", *there, "--quiet")
    assert run("sentences", "screen", folder / "clean.txt", *there).exit_code == 1
    run("remove", folder / "new.txt", *there)
    assert run("sentences", "screen", folder / "clean.txt", *there).exit_code == 0
    assert run("check", *there).exit_code == 0


def test_a_damaged_store_is_an_error_until_it_is_repaired(folder: Path) -> None:
    there = "-c", folder / "c.pmbf"
    run("sentences", "build", *there, "--quiet")
    path = folder / "c.pmbf" / "sentences" / "000001.units"
    path.write_bytes(path.read_bytes()[:200])
    assert run("sentences", "screen", folder / "query.txt", *there).exit_code == 3
    assert run("check", *there).exit_code == 3
    assert run("check", "--repair", *there).exit_code == 0
    assert run("sentences", "screen", folder / "query.txt", *there).exit_code == 1


def test_several_jobs_say_the_same_as_one(folder: Path) -> None:
    there = "-c", folder / "c.pmbf"
    run("sentences", "build", *there)
    queries = [folder / "query.txt", folder / "clean.txt", *sorted((folder / "texts").iterdir())] * 2
    for more in ([], ["--json"], ["--table", "csv:-", "--param", "with_text=yes"], ["--template", "thesis"]):
        alone = run("sentences", "screen", *queries, *there, *more, "--jobs", "1")
        many = run("sentences", "screen", *queries, *there, *more, "--jobs", "3")
        assert (many.exit_code, many.stdout, many.stderr) == (alone.exit_code, alone.stdout, alone.stderr)
        assert alone.exit_code == 1


def test_a_table_has_a_row_for_each_sentence(folder: Path) -> None:
    there = "-c", folder / "c.pmbf"
    run("sentences", "build", *there)
    result = run(
        "sentences",
        "screen",
        folder / "query.txt",
        folder / "clean.txt",
        *there,
        "--table",
        "csv:-",
        "--param",
        "with_text=yes",
    )
    rows = list(csv.DictReader(io.StringIO(result.stdout)))
    assert [row["outcome"] for row in rows] == ["short", "new", "found", "found", "new", "new"]
    assert [row["sentence"] for row in rows] == ["1", "2", "3", "4", "1", "2"]
    query = (folder / "query.txt").read_text()
    assert all(query[int(row["start"]) : int(row["stop"])] == row["text"] for row in rows[:4])
    assert rows[2]["source"].endswith("0.txt") and rows[2]["similarity"] and rows[1]["source"] == ""
    lines = folder / "rows.jsonl"
    run("sentences", "screen", folder / "query.txt", *there, "--table", lines)
    assert [json.loads(line)["n_sources"] for line in lines.read_text().splitlines()] == [0, 0, 1, 1]


@pytest.mark.parametrize("options", [(), ("--template", "proposal"), ("--template", "thesis")], ids=" ".join)
def test_every_output_counts_the_same_sentences(folder: Path, options: tuple[str, ...]) -> None:
    """Found, compared and not counted ones of the text, and those of each source."""
    there = "-c", folder / "c.pmbf"
    run("sentences", "build", *there, "--quiet")
    query = folder / "form.txt"
    query.write_text(f"Aims\n\n{text(50, 2, 3)}\n\nMethods\n\n{text(6, 7, 51)}\n\nReferences\n\n{text(11, 12)}\n")
    files = {ending: folder / f"form.{ending}" for ending in ("csv", "jsonl", "html")}
    written = [word for ending, path in files.items() for word in ("--html" if ending == "html" else "--table", path)]
    asked = ("sentences", "screen", query, *there, *options)
    told, shown = json.loads(run(*asked, "--json", *written).stdout), run(*asked, "--passages", "all").stdout

    outcomes = [one["outcome"] for one in told["sentences"]]
    n_found, n_out = outcomes.count("found"), sum(one["not_counted"] is not None for one in told["sentences"])
    n_compared = len(outcomes) - outcomes.count("short") - outcomes.count("skipped")
    assert (told["n_found"], told["n_compared"], told["n_not_counted"]) == (n_found, n_compared, n_out)
    assert n_found + n_out == 6 and bool(n_out) == bool(options)
    said = " ".join(shown.split())
    assert f"{n_found} of {n_compared} sentences are found in {len(told['sources'])} source" in said
    assert not n_out or f"{n_out} sentence" in said.partition("source")[2]

    for rows in (
        list(csv.DictReader(files["csv"].open(encoding="utf-8-sig", newline=""))),
        [json.loads(line) for line in files["jsonl"].read_text().splitlines()],
    ):
        assert [row["outcome"] for row in rows] == outcomes
        assert [row["not_counted"] or None for row in rows] == [one["not_counted"] for one in told["sentences"]]

    page = files["html"].read_text()
    more = f"; {n_out} more not counted" if n_out else ""
    sources = "1 source" if len(told["sources"]) == 1 else f"{len(told['sources'])} sources"
    assert f"{n_found} of {n_compared} sentences, {sources}{more}<" in page
    assert len(set(re.findall(r'<li value="(\d+)"', page))) == n_found
    for rank, one in enumerate(told["sources"], 1):
        n_sentences = sum(one["document"]["id"] in [o["document"] for o in s["origins"]] for s in told["sentences"])
        assert one["n_sentences"] == n_sentences
        assert re.search(rf"^ *{rank} +{n_sentences} +\d+ %", shown, re.MULTILINE)
        assert re.search(rf"<b>{rank}</b>.*? {n_sentences} sentences?</summary>", page)
