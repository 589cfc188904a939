"""`pmbf list`, `remove`, `stats`, `compact` and `check`."""

import json
import re
from pathlib import Path

import pytest

import pmbf
from pmbf.cli.shown import summaries
from tests.commands.conftest import LIBRARY, run
from tests.conftest import words


def test_a_line_end_in_a_name_is_shown_as_an_escape(tmp_path):
    (tmp_path / "new\nline.txt").write_text("some words", encoding="utf-8")
    run("load", tmp_path / "new\nline.txt", "-c", tmp_path / "c.pmbf")
    assert "new\\x0aline.txt" in run("list", "-c", tmp_path / "c.pmbf").stdout
    told = run("screen", tmp_path / "old\nline.txt", "-c", tmp_path / "c.pmbf").stderr
    assert "old\\x0aline.txt: no such file" in told


def test_digits_are_a_path_where_one_is_listed_and_else_an_id(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("a.txt", "1", "b.txt"):
        (tmp_path / name).write_text(words(len(name), 50) + name, encoding="utf-8")
    run("load", "a.txt", "1", "b.txt", "-c", "c.pmbf")
    assert run("remove", "1", "3", "-c", "c.pmbf").exit_code == 0
    with pmbf.Collection("c.pmbf") as collection:
        assert [Path(listed.paths[0]).name for listed in collection.documents()] == ["a.txt"]


def test_list_shows_ids_lengths_kinds_and_paths(library):
    lines = run("list", "-c", library).stdout.splitlines()
    assert lines[0].split() == ["id", "characters", "kind", "path"]
    assert [line.split()[2] for line in lines[1:3]] == ["txt", "eml"]


@pytest.mark.parametrize("pattern", ["tides.txt", "*s.txt", LIBRARY / "tides.txt", f"{LIBRARY}/ti*"])
def test_list_takes_names_paths_and_patterns(library, pattern):
    assert "tides.txt" in run("list", pattern, "-c", library).stdout


def test_columns_of_a_long_list_grow_with_what_they_show(mine, monkeypatch):
    whole = run("list", "-c", mine).stdout.splitlines()
    monkeypatch.setattr(summaries, "N_ALIGNED", 3)
    assert run("list", "-c", mine).stdout.splitlines() == whole
    with pmbf.Collection(mine) as collection:
        collection.add("word " * 999_999, name="long")
    lines = run("list", "-c", mine).stdout.splitlines()
    assert lines[:-1] == whole
    assert lines[-1].split()[1] == f"{5 * 999_999:,}"


def test_list_takes_folders(library):
    assert len(run("list", LIBRARY, "-c", library).stdout.splitlines()) == 15
    assert run("list", LIBRARY / "none", "-c", library).stdout == ""


def test_list_as_json_is_one_line_a_document(library):
    lines = run("list", "-c", library, "--json").stdout.splitlines()
    assert [json.loads(line)["id"] for line in lines] == list(range(1, 15))


def test_remove_takes_ids_and_paths(mine, folder):
    assert "2 documents or paths removed" in run("remove", 1, folder / "text-9.txt", "-c", mine).stdout
    assert json.loads(run("stats", "-c", mine, "--json").stdout)["n_documents"] == 8


def test_remove_takes_globs_and_only_the_paths_that_fit(mine, folder):
    assert "3 documents or paths removed" in run("remove", "*-[123].txt", "-c", mine).stdout
    assert "1 document or path removed" in run("remove", f"{folder}/*-9*", "-c", mine).stdout
    with pmbf.Collection(mine) as collection:
        assert [Path(one.paths[0]).stem[-1] for one in collection] == list("045678")
    result = run("remove", "*.pdf", "-c", mine)
    assert (result.exit_code, "has no document '*.pdf'" in result.stderr) == (3, True)


def test_digits_are_a_path_when_such_a_path_is_listed(mine, tmp_path, monkeypatch):
    (tmp_path / "1").write_text(words(99))
    monkeypatch.chdir(tmp_path)
    run("load", "1", "-c", mine)
    assert json.loads(run("remove", "1", "-c", mine, "--json").stdout) == {"n_removed": 1}
    assert "text-0.txt" in run("list", "-c", mine).stdout


def test_nothing_is_removed_when_one_of_them_is_not_there(mine):
    assert run("remove", 1, 99, "-c", mine).exit_code == 3
    assert len(run("list", "-c", mine).stdout.splitlines()) == 11


def test_compact_says_what_it_gave_back(mine):
    assert "Nothing to free" in run("compact", "-c", mine).stdout
    run("remove", 1, "-c", mine)
    assert "1 removed document deleted" in run("compact", "-c", mine).stdout
    assert json.loads(run("compact", "-c", mine, "--json").stdout)["n_documents"] == 0


def test_stats_explains_every_figure(library):
    text = run("stats", "-c", library).stdout
    assert re.search(r"documents +14 ", text)
    assert "shingle_tokens" in text
    assert json.loads(run("stats", "-c", library, "--json").stdout)["n_documents"] == 14
    assert re.search(r"rows +1  of the filter, for 1 segment of the postings", text)


@pytest.mark.parametrize(("index", "rewritten"), [("postings", "1 segment"), ("rows", "1 tile")])
def test_compact_says_what_it_wrote_again(tmp_path, index, rewritten):
    for name in ("a", "b"):
        (tmp_path / f"{name}.txt").write_text(words(ord(name), 90), encoding="utf-8")
    run("load", tmp_path / "a.txt", tmp_path / "b.txt", "-c", tmp_path / "c.pmbf", "--index", index)
    run("remove", tmp_path / "a.txt", "-c", tmp_path / "c.pmbf")
    told = run("compact", "-c", tmp_path / "c.pmbf").stdout
    assert f"1 removed document deleted, {rewritten} and " in told


def test_stats_of_a_collection_of_rows_speak_of_no_postings(tmp_path):
    (tmp_path / "a.txt").write_text(words(1, 90), encoding="utf-8")
    run("load", tmp_path / "a.txt", "-c", tmp_path / "c.pmbf", "--index", "rows")
    text = " ".join(run("stats", "-c", tmp_path / "c.pmbf").stdout.split())
    assert "rows 1 of the filter, in 1 tile fill" in text
    assert "its rows, and the documents of each: there are no postings records 0 bytes" in text


def test_what_is_no_collection_or_no_source_is_refused_in_words(library, tmp_path):
    (tmp_path / "file").touch()
    for arguments, code, expected in [
        (["stats", "-c", tmp_path / "file"], 3, "file: is a file, expected the folder of a collection"),
        (
            ["load", library, "-c", tmp_path / "new.pmbf"],
            3,
            "is a collection, expected documents, so no",
        ),
        (["screen", "-", "-", "-c", library], 2, "- is given twice, but stdin is read once"),
    ]:
        result = run(*arguments)
        assert (result.exit_code, expected in result.stderr) == (code, True)
    assert not (tmp_path / "new.pmbf").exists()


def test_a_damaged_file_is_found_and_repaired(mine):
    assert run("check", "-c", mine).stdout.endswith("all is well.\n")
    tile = next((mine / "tiles").iterdir())
    content = bytearray(tile.read_bytes())
    content[-1] ^= 1
    tile.write_bytes(content)
    broken = run("check", "-c", mine)
    assert broken.exit_code == 3
    assert "check --repair" in broken.output
    assert run("check", "-c", mine, "--repair").exit_code == 0
    assert json.loads(run("check", "-c", mine, "--json").stdout)["ok"] is True
