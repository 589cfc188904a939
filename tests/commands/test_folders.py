"""A depot, a collection and a collection without its catalog are told apart, in every command."""

import os
import re
import shutil
from pathlib import Path

import pytest

from pmbf import Collection, CorruptError
from tests.commands.conftest import run
from tests.conftest import words

WITH_COLLECTION = {
    "screen": ["screen", "a.txt"],
    "sentences screen": ["sentences", "screen", "a.txt"],
    "compare": ["compare", "texts"],
    "duplicates": ["duplicates", "texts"],
    "list": ["list"],
    "label": ["label", "a.txt", "group=a"],
    "remove": ["remove", "1"],
    "compact": ["compact"],
    "check": ["check"],
    "check --repair": ["check", "--repair"],
    "stats": ["stats"],
    "export": ["export", "out.pmbx"],
    "guard": ["guard", "a.txt"],
    "guard resolve": ["guard", "resolve", "1"],
    "guard baseline update": ["guard", "baseline", "update", "a.txt"],
    "sentences build": ["sentences", "build"],
    "sentences status": ["sentences", "status"],
    "sentences drop": ["sentences", "drop"],
    "similar update": ["similar", "update"],
    "similar show": ["similar", "show"],
    "similar status": ["similar", "status"],
    "similar export": ["similar", "export", "out.csv"],
    "serve": ["serve"],
    "web": ["web"],
    "load": ["load", "a.txt"],
}
"""Commands with `-c`."""
WITH_CLUSTER = {
    "cluster status": ["cluster", "status"],
    "cluster init": ["cluster", "init"],
}
"""Commands that take a depot alone."""
TAKE_BOTH = {
    "load",
    "remove",
    "compact",
    "check",
    "check --repair",
    "screen",
    "list",
    "guard",
    "guard baseline update",
    "serve",
    "similar update",
    "similar show",
    "similar status",
    "similar export",
}
"""Commands whose `-c` may be a depot."""


@pytest.fixture
def here(tmp_path, monkeypatch):
    """A folder with texts, a collection and a depot, and nothing of the user's own settings."""
    monkeypatch.chdir(tmp_path)
    for name in ("HOME", "XDG_STATE_HOME", "XDG_RUNTIME_DIR", "XDG_CACHE_HOME"):
        monkeypatch.setenv(name, str(tmp_path / "home"))
    os.mkdir("texts")
    for number in range(3):
        Path("texts", f"{number}.txt").write_text(words(number))
    shutil.copy("texts/0.txt", "a.txt")
    assert run("load", "texts", "-c", "one.pmbf").exit_code == 0
    assert run("cluster", "init", "depot").exit_code == 0
    return tmp_path


def files(folder):
    return {path: path.stat().st_mtime_ns for path in Path(folder).rglob("*") if path.is_file()}


@pytest.mark.parametrize("name", sorted(WITH_COLLECTION.keys() - {"duplicates"} - TAKE_BOTH))
def test_a_depot_that_a_command_does_not_take_is_told(name, here):
    before = files("depot")
    refused = run(*WITH_COLLECTION[name], "-c", "depot")
    assert refused.exit_code in (2, 3)
    assert "depot: is the depot of a cluster" in refused.stderr
    assert "see `pmbf cluster`" in refused.stderr or "use `pmbf cluster load depot`" in refused.stderr
    assert refused.stderr.count("\n") == 1
    assert files("depot") == before
    assert not Path("home").exists()


@pytest.mark.parametrize("name", WITH_CLUSTER)
def test_a_collection_that_is_named_as_a_depot_is_told(name, here):
    before = files("one.pmbf")
    command = WITH_CLUSTER[name]
    refused = run(*command, *(() if "one.pmbf" in command else ("one.pmbf",)))
    assert refused.exit_code in (2, 3)
    assert re.search(r"one.pmbf: is a collection", refused.stderr)
    assert refused.stderr.count("\n") == 1
    assert files("one.pmbf") == before
    assert run("check", "-c", "one.pmbf").exit_code == 0


@pytest.mark.parametrize("name", [name for name in WITH_COLLECTION if name != "duplicates"])
def test_a_lost_catalog_is_told_as_lost_with_what_is_still_there(name, here):
    os.unlink("one.pmbf/catalog.sqlite")
    before = files("one.pmbf")
    refused = run(*WITH_COLLECTION[name], "-c", "one.pmbf")
    assert refused.exit_code == 3
    assert "one.pmbf: catalog.sqlite is missing: restore it from a copy; its texts (" in refused.stderr
    assert refused.stderr.count("\n") == 1
    assert files("one.pmbf") == before
    with pytest.raises(CorruptError):
        Collection("one.pmbf", create=True)


def test_files_of_a_depot_and_of_a_lost_collection_are_no_documents(here):
    os.unlink("one.pmbf/catalog.sqlite")
    assert run("load", ".", "-c", "all.pmbf").exit_code == 0
    with Collection("all.pmbf") as made:
        listed = sorted(os.path.relpath(path) for one in made for path in one.paths)
    assert listed == ["a.txt", *(f"texts/{number}.txt" for number in range(3))]
    for own in ("depot", "one.pmbf"):
        refused = run("load", own, "-c", "all.pmbf")
        assert (refused.exit_code, "expected documents" in refused.stderr) == (3, True)


def test_a_depot_is_not_made_among_files_of_others(here):
    before = files("texts")
    refused = run("cluster", "init", "texts")
    assert refused.exit_code == 2
    assert "is a folder of files; a depot needs a folder of its own" in refused.stderr
    assert files("texts") == before
    os.mkdir("empty")
    assert run("cluster", "init", "empty").exit_code == 0


def test_a_proposed_name_of_a_collection_is_one(here):
    os.mkdir("cat.pmbf")
    shutil.copy("a.txt", "cat.pmbf/a.txt")
    for folder in (".", "cat.pmbf"):
        assert "-c my.pmbf" in run("list", "-c", folder).stderr
        assert "-c my.pmbf" in run("load", "a.txt", "-c", folder).stderr
    assert "-c texts.pmbf" in run("list", "-c", "texts").stderr
