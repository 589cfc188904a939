"""A query is not compared with what is left out: the answer is that of a collection without it."""

import dataclasses
import shutil

import numpy as np
import pytest
from conftest import words
from hypothesis import given
from hypothesis import strategies as st

from pmbf import Collection
from pmbf.fingerprint import query_sample
from pmbf.intake.texts import Origin, Text
from pmbf.screen import Options, find
from pmbf.store.folder import Store
from tests.commands.conftest import run

N_ESSAYS = 12
SHARED = words(700, 60)


@pytest.fixture
def essays(tmp_path):
    """Twelve essays: 2 and 3 share a passage, and 5 and 6 are the same file."""
    folder = tmp_path / "essays"
    folder.mkdir()
    for number in range(N_ESSAYS):
        shared = SHARED if number in (2, 3) else ""
        (folder / f"{number}.txt").write_text(f"{words(number)} {shared} {words(100 + number)}", encoding="utf-8")
    shutil.copy(folder / "5.txt", folder / "6.txt")
    return folder


@pytest.fixture
def loaded(essays, collection):
    assert collection.load([essays]).n_same == 1
    return collection


def named(report):
    return sorted([path.rpartition("/")[2] for path in match.document.paths] for match in report.matches)


# ---------------------------------------------------------------------- a text's own document


def test_a_file_is_compared_with_all_documents_but_its_own(loaded, essays):
    assert named(loaded.screen(essays / "2.txt")) == [["2.txt"], ["3.txt"]]
    found = loaded.screen(essays / "2.txt", exclude_self=True)
    assert named(found) == [["3.txt"]]
    assert (found.n_documents, found.n_left_out) == (loaded.n_documents - 1, 1)
    assert 0.1 < found.coverage < 0.3
    [passage] = found.matches[0].passages
    assert passage.also_in == ()
    assert named(loaded.screen(essays / "0.txt", exclude_self=True)) == []


def test_an_identical_file_is_named_by_its_other_path(loaded, essays):
    found = loaded.screen(essays / "5.txt", exclude_self=True)
    assert named(found) == [["6.txt"]]
    assert found.matches[0].document.path == str(essays / "6.txt")
    assert found.coverage == 1.0
    assert found.n_documents == loaded.n_documents


def test_a_text_is_left_out_by_its_name(collection):
    collection.add_many([("draft", words(0)), ("final", words(0) + " " + words(1))])
    assert named(collection.screen(words(0), name="draft", exclude_self=True)) == [["final"]]
    assert named(collection.screen(words(0), name="other", exclude_self=True)) == [["draft"], ["final"]]
    assert named(collection.screen(words(0), exclude_self=True)) == [["draft"], ["final"]]


def test_a_relative_path_is_the_listed_one(loaded, essays, monkeypatch):
    monkeypatch.chdir(essays)
    [answer] = loaded.answers([Origin("3.txt", path="3.txt")], exclude_self=True)
    assert named(answer.report) == [["2.txt"]]


def test_what_changed_since_it_was_loaded_is_left_out_by_its_path(loaded, essays):
    path = essays / "3.txt"
    path.write_text(path.read_text() + " and some words more", encoding="utf-8")
    assert named(loaded.screen(path, exclude_self=True)) == [["2.txt"]]


@pytest.mark.parametrize("jobs", [1, 2])
def test_each_of_many_texts_leaves_out_its_own(loaded, essays, jobs):
    paths = sorted(essays.iterdir())
    many = list(loaded.screen_many(paths, jobs=jobs, exclude_self=True))
    assert many == [loaded.screen(path, exclude_self=True) for path in paths]
    assert {report.query.name.rpartition("/")[2]: named(report) for report in many if report.found} == {
        "2.txt": [["3.txt"]],
        "3.txt": [["2.txt"]],
        "5.txt": [["6.txt"]],
        "6.txt": [["5.txt"]],
    }


# ---------------------------------------------------------------------- any paths


def test_a_caller_leaves_out_any_paths_for_each_query(loaded, essays):
    def further(query):
        return [str(essays / "3.txt")] if query.name == "first" else ["no such path"]

    queries = [Text("first", SHARED), Text("second", SHARED)]
    found = [named(answer.report) for answer in loaded.answers(queries, leaving_out=further)]
    assert found == [[["2.txt"]], [["2.txt"], ["3.txt"]]]


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    """Thirty texts of which each repeats a part of another; some are long; one was removed."""
    folder = tmp_path_factory.mktemp("left") / "c.pmbf"
    texts = [words(seed, 300 if seed % 7 else 9000) for seed in range(30)]
    texts = [text + " " + texts[number * 7 % 30][100:1200] for number, text in enumerate(texts)]
    with Collection(folder, create=True) as made:
        made.add_many((f"text-{number}", text) for number, text in enumerate(texts))
        made.remove("text-29")
        assert made.check().problems == []
    with Store(folder) as opened:
        yield opened


@pytest.mark.slow
@given(st.sets(st.integers(1, 29)), st.integers(0, 29))
def test_candidates_are_those_of_a_collection_without_what_is_left_out(tmp_path_factory, store, left, seed):
    query = query_sample(words(seed, 300) + " " + words(seed * 7 % 30, 200), store.params)
    options = Options()
    removed = tmp_path_factory.mktemp("removed") / "c.pmbf"
    shutil.copytree(store.folder, removed)
    with Collection(removed) as collection:
        collection.remove(*left) if left else None
    with Store(removed) as expected:
        wanted = find(expected.generation, [query], options)
        remaining = store.generation.without(np.array(sorted(left), np.uint32))
        assert find(remaining, [query], options) == wanted
        assert remaining.n_documents == expected.generation.n_documents


def test_a_report_is_that_of_a_collection_without_what_is_left_out(loaded, essays):
    left = [str(essays / f"{number}.txt") for number in (3, 4, 5)]
    query = Text("query", "\n\n".join((essays / f"{number}.txt").read_text() for number in (2, 5, 8)))
    [answer] = loaded.answers([query], leaving_out=lambda _: left)
    loaded.remove(*left)
    expected = loaded.screen(query.text, name="query")
    assert named(expected) == [["2.txt"], ["6.txt"], ["8.txt"]]
    assert answer.report == dataclasses.replace(expected, generation=answer.report.generation, n_left_out=2)


# ---------------------------------------------------------------------- on the command line, over HTTP


def test_the_command_line_names_both_who_handed_in_the_same_file(loaded, essays, monkeypatch):
    monkeypatch.chdir(essays.parent)
    shown = screened("--exclude", "self", "essays/5.txt", "-c", loaded.path)
    assert "essays/5.txt" in shown.splitlines()[0]
    assert [line.split()[-1] for line in shown.splitlines() if line.endswith("essays/6.txt")] == ["essays/6.txt"]
    assert "identical: essays/6.txt" in screened("essays/5.txt", "-c", loaded.path)


def screened(*arguments):
    result = run("screen", *arguments)
    assert result.exit_code == 1, result.output
    return result.stdout


def test_a_single_document_has_nothing_to_be_compared_with(collection, tmp_path):
    (tmp_path / "a.txt").write_text(words(1), encoding="utf-8")
    collection.load([tmp_path / "a.txt"])
    result = run("screen", "--exclude", "self", tmp_path / "a.txt", "-c", collection.path)
    assert result.exit_code == 3
    assert "Note: every document is left out." in result.stdout
