"""A command writes over nothing that pmbf did not write, and nothing among the documents."""

import os
import shutil
from pathlib import Path

import pytest

from pmbf.jobs.executor import Inline
from tests.commands.conftest import run
from tests.conftest import words

MINE = "<!DOCTYPE html><title>My home page</title>"


@pytest.fixture
def here(tmp_path, monkeypatch):
    """A folder with a library of three texts, a collection of it with similarities, and a text."""
    monkeypatch.chdir(tmp_path)
    os.mkdir("library")
    for number in range(3):
        Path("library", f"{number}.txt").write_text(words(number), encoding="utf-8")
    Path("thesis.txt").write_text(words(0) + words(9), encoding="utf-8")
    assert run("load", "library", "-c", "c.pmbf", "--quiet").exit_code == 0
    shutil.copytree("library", "class")
    return tmp_path


WRITING = {
    "screen --html": (["screen", "thesis.txt", "-c", "c.pmbf", "--html"], "page.html", 1),
    "screen --table csv": (["screen", "thesis.txt", "-c", "c.pmbf", "--table"], "table.csv", 1),
    "screen --table jsonl": (["screen", "thesis.txt", "-c", "c.pmbf", "--table"], "table.jsonl", 1),
    "screen --table xlsx": (["screen", "thesis.txt", "-c", "c.pmbf", "--table"], "table.xlsx", 1),
    "screen --table csv of texts": (["screen", "thesis.txt", "-c", "c.pmbf", "--rows", "texts", "--table"], "t.csv", 1),
    "compare --html": (["compare", "class", "--html"], "pages.html", 0),
    "pairs --write-background": (["pairs", "class", "--write-background"], "class.df", 0),
    "similar export csv": (["similar", "export", "-c", "c.pmbf"], "all.csv", 0),
    "similar export jsonl": (["similar", "export", "-c", "c.pmbf"], "all.jsonl", 0),
    "similar export parquet": (["similar", "export", "-c", "c.pmbf"], "all.parquet", 0),
    "guard --sarif": (["guard", "thesis.txt", "-c", "c.pmbf", "--sarif"], "log.sarif", 1),
    "guard --incidents": (["guard", "thesis.txt", "-c", "c.pmbf", "--incidents"], "log.jsonl", 1),
    "export": (["export", "-c", "c.pmbf"], "c.pmbx", 0),
}
"""Commands with an option that writes a file, the file, and the exit code."""
FORCED = {name for name in WRITING if name.split()[0] in ("screen", "compare", "similar")}


@pytest.mark.parametrize("folder", ["c.pmbf", "c.pmbf/", "c.pmbf/pages/", "depot/"])
def test_no_pages_are_written_into_a_collection_or_a_depot(folder, here):
    assert run("cluster", "init", "depot").exit_code == 0
    before = sorted(map(str, here.rglob("*")))
    for command in (["screen", "thesis.txt", "-c", "c.pmbf"], ["compare", "class"]):
        refused = run(*command, "--html", folder, "--force")
        assert (refused.exit_code, refused.stderr.count("\n")) == (2, 1)
    assert sorted(map(str, here.rglob("*"))) == before


def test_no_key_is_written_into_a_collection(here):
    refused = run("export", "c.pmbx", "-c", "c.pmbf", "--key-file", "c.pmbf/site.key")
    assert refused.exit_code == 2 and "lies in" in refused.stderr
    assert not Path("c.pmbf/site.key").exists() and not Path("c.pmbx").exists()


@pytest.fixture
def updated(here):
    assert run("similar", "update", "-c", "c.pmbf", "--quiet").exit_code == 0
    return here


@pytest.mark.parametrize("name", WRITING)
@pytest.mark.parametrize("place", ["c.pmbf", "c.pmbf/texts", "depot"])
def test_nothing_is_written_into_a_collection_or_a_depot(name, place, updated):
    assert run("cluster", "init", "depot").exit_code == 0
    command, file, _ = WRITING[name]
    before = sorted(map(str, updated.rglob("*")))
    refused = run(*command, f"{place}/{file}", *(["--force"] if name in FORCED else []))
    assert (refused.exit_code, refused.stderr.count("\n")) == (2, 1)
    assert "lies in" in refused.stderr or "is inside the collection" in refused.stderr
    assert sorted(map(str, updated.rglob("*"))) == before


@pytest.mark.parametrize("name", WRITING)
def test_a_file_of_others_is_refused_and_one_of_pmbf_is_replaced(name, updated):
    command, file, code = WRITING[name]
    for content in (MINE, "a,b\n1,2\n", '{"a": 1}\n', "PK\3\4", "x"):
        Path(file).write_text(content)
        refused = run(*command, file)
        assert refused.exit_code == 2, refused.output
        assert refused.stderr.count("\n") == 1
        assert file in refused.stderr
        assert Path(file).read_text() == content
    Path(file).unlink()
    Path(f"{file}.tmp").write_text(MINE)
    for _ in range(2):
        assert run(*command, file).exit_code == code
    assert Path(f"{file}.tmp").read_text() == MINE
    Path(file).write_text(MINE)
    if name in FORCED:
        assert run(*command, file, "--force").exit_code == code
        assert Path(file).read_bytes() != MINE.encode()


@pytest.mark.parametrize("name", [name for name in WRITING if name != "export"])
def test_a_name_that_ends_as_a_document_is_refused(name, updated):
    command, _, _ = WRITING[name]
    refused = run(*command, "new.docx")
    assert refused.exit_code == 2
    assert not Path("new.docx").exists()


@pytest.mark.parametrize("command", [["screen", "class", "-c", "c.pmbf"], ["compare", "class"]])
def test_a_folder_with_a_page_of_others_is_refused_and_one_of_pmbf_is_written_anew(command, here):
    for page in ("site/index.html", "site/0001.html") if command[0] == "screen" else ("site/index.html",):
        os.makedirs("site")
        Path(page).write_text(MINE)
        refused = run(*command, "--html", "site/")
        assert (refused.exit_code, Path(page).read_text()) == (2, MINE)
        assert f"{page} exists and was not written by pmbf" in refused.stderr.replace(": ", " ")
        shutil.rmtree("site")
    if command[0] == "compare":  # pages of pairs that are no more would be deleted
        os.makedirs("site/pairs")
        Path("site/pairs/0150.html").write_text(MINE)
        assert run(*command, "--html", "site").exit_code == 2
        assert Path("site/pairs/0150.html").read_text() == MINE
        shutil.rmtree("site")
    os.makedirs("site")
    Path("site/about.html").write_text(MINE)
    for _ in range(2):
        assert run(*command, "--html", "site").exit_code < 2
    assert Path("site/index.html").exists()
    assert Path("site/about.html").read_text() == MINE


@pytest.mark.parametrize("name", [*sorted(FORCED - {"compare --html"}), "guard --sarif", "guard --incidents"])
def test_nothing_is_written_into_a_folder_of_documents(name, updated):
    command, file, code = WRITING[name]
    for place in (f"library/{file}", f"library/new/{file}"):
        os.makedirs(os.path.dirname(place), exist_ok=True)
        refused = run(*command, place)
        assert refused.exit_code == 2, refused.output
        assert "would be loaded as a document" in refused.stderr
        assert not os.path.exists(place)
    if name in FORCED:
        assert run(*command, f"library/{file}", "--force").exit_code == code


AT_CLUSTERS = {
    name: ["depot" if word == "c.pmbf" else word for word in command]
    for name, (command, _, _) in WRITING.items()
    if "-c" in command and name != "export"
} | {"pairs --table": ["pairs", "depot", "--table"]}
"""The commands that take a collection on many nodes."""


def test_nothing_is_written_into_a_folder_of_documents_of_a_cluster(here, monkeypatch):
    monkeypatch.setattr("pmbf.cluster.collection.Local", Inline)  # 30 commands would start three nodes each
    assert run("cluster", "init", "depot").exit_code == 0
    assert run("load", "-c", "depot", "library").exit_code == 0
    assert run("similar", "update", "-c", "depot", "--quiet").exit_code == 0
    os.mkdir("library/new")
    for name, command in AT_CLUSTERS.items():
        file = "table.csv" if name == "pairs --table" else WRITING[name][1]
        for place in (f"library/{file}", f"library/new/{file}"):
            refused = run(*command, place)
            assert refused.exit_code == 2, (name, refused.output)
            assert "would be loaded as a document" in refused.stderr
        assert run(*command, file).exit_code < 2, name
    assert sorted(os.listdir("library")) == ["0.txt", "1.txt", "2.txt", "new"]
    assert os.listdir("library/new") == []


def test_a_leak_check_writes_among_no_documents_that_the_policy_names(here):
    Path(".pmbf.toml").write_text('[guard]\ncollection = "c.pmbf"\n')
    assert run("guard", "thesis.txt", "--sarif", "log.sarif").exit_code == 1
    refused = run("guard", "thesis.txt", "--sarif", "library/log.sarif")
    assert refused.exit_code == 2 and "would be loaded as a document" in refused.stderr


@pytest.mark.parametrize(
    "command", [["export", "library/x.pmbx"], ["web", "--state", "library/state"], ["web", "--state", "library"]]
)
def test_no_filter_and_no_state_is_made_among_the_documents(here, command):
    refused = run(*command, "-c", "c.pmbf")
    assert refused.exit_code == 2, refused.output
    assert "would be loaded as a document" in refused.stderr
    assert sorted(os.listdir("library")) == ["0.txt", "1.txt", "2.txt"]
    assert not Path("c.pmbf.key").exists()


def test_the_folder_of_the_documents_takes_no_pages(here):
    for folder in ("library", "library/", "."):
        for command in (["screen", "class", "-c", "c.pmbf"], ["compare", "class", "-c", "c.pmbf"]):
            refused = run(*command, "--html", folder)
            assert refused.exit_code == 2
    assert sorted(os.listdir("library")) == ["0.txt", "1.txt", "2.txt"]


def test_a_folder_with_one_loaded_text_among_others_takes_pages(here):
    assert run("load", "thesis.txt", "-c", "c.pmbf").exit_code == 0
    for number in range(2):
        Path(f"notes-{number}.txt").write_text("notes")
    assert run("screen", "notes-0.txt", "-c", "c.pmbf", "--html", "page.html").exit_code == 0


def test_an_export_that_is_refused_leaves_no_key(here):
    os.mkdir("empty")
    Path("empty/a.txt").write_text("short")
    assert run("load", "empty", "-c", "empty.pmbf").exit_code == 0
    Path("mine").write_text(MINE)
    wrong = [("c.pmbf", "c.pmbf"), ("mine", "c.pmbf"), ("none/x.pmbx", "c.pmbf"), ("x.pmbx", "empty.pmbf")]
    for out, collection in wrong:
        refused = run("export", out, "-c", collection)
        assert refused.exit_code in (2, 3)
        assert "site key" not in refused.stderr
        assert not Path(f"{collection}.key").exists()


def test_a_pipe_that_nobody_reads_is_told_and_not_waited_for(here):
    os.mkfifo("pipe")
    for name in ("screen --table csv", "screen --table jsonl", "screen --table xlsx", "screen --html", "guard --sarif"):
        form = f"{name.split()[-1]}:" if "--table" in name else ""
        refused = run(*WRITING[name][0], f"{form}pipe")
        assert refused.exit_code == (
            1 if name == "guard --sarif" else 3
        )  # that something is blocked is said all the same
        assert "pmbf: pipe: " in refused.stderr
    assert run("screen", "thesis.txt", "-c", "c.pmbf", "--table", "csv:/dev/null").exit_code == 1


@pytest.mark.parametrize("option", ["--table", "--write-background", "--work"])
@pytest.mark.parametrize("texts", ["library", "c.pmbf"])
def test_pairs_write_nothing_among_the_texts_that_are_compared(option, texts, here):
    ending = {"--table": ".csv"}.get(option, ".new")
    refused = run("pairs", texts, option, f"library/result{ending}")
    assert (refused.exit_code, refused.stderr.count("\n")) == (2, 1)
    assert sorted(os.listdir("library")) == ["0.txt", "1.txt", "2.txt"]
