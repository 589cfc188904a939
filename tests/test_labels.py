"""Labels: set with a load, by a table, a pattern or by hand; kept; shown; and what they leave out of a screening."""

import json
import os
import shutil

import pytest
from conftest import table, touch, words

from pmbf import Collection, NotFoundError, ParameterError
from pmbf.intake.labelling import LabelPattern, LabelTable
from pmbf.report import Report
from tests.commands.conftest import run

SHARED = words(700, 60)


@pytest.fixture
def essays(tmp_path):
    """Six essays in folders of their authors: those of berg, stone and wood share a passage; two are the same file."""
    folder = tmp_path / "essays"
    for number, author in enumerate(["berg", "stone", "wood", "adams", "lee"]):
        (folder / author / "2024").mkdir(parents=True)
        shared = SHARED if number < 3 else ""
        text = f"{words(number)} {shared} {words(100 + number)}"
        (folder / author / "2024" / "essay.txt").write_text(text, encoding="utf-8")
    (folder / "copy" / "2024").mkdir(parents=True)
    shutil.copy(folder / "lee" / "2024" / "essay.txt", folder / "copy" / "2024" / "essay.txt")
    return folder


PATTERN = LabelPattern(r"(?P<author>[^/]+)/(?P<year>[0-9]{4})/")


def labels_in(collection):
    return {
        os.path.relpath(path, collection.path.parent): labels
        for document in collection.documents()
        for path, labels in zip(document.paths, document.labels or ({},) * len(document.paths), strict=True)
    }


def authors(report):
    return sorted(labels["author"] for match in report.matches for labels in match.document.labels)


# ---------------------------------------------------------------------- setting labels


def test_a_load_labels_files_by_their_paths(collection, essays):
    report = collection.load([essays], labels=PATTERN)
    assert (report.n_labelled, report.problems) == (6, [])
    assert labels_in(collection)["essays/lee/2024/essay.txt"] == {"author": "lee", "year": "2024"}
    assert labels_in(collection)["essays/copy/2024/essay.txt"] == {"author": "copy", "year": "2024"}
    assert collection.load([essays], labels=PATTERN).n_labelled == 0


def test_a_load_labels_files_by_a_table_beside_them(collection, essays):
    file = table(essays, "path,author,group", "berg/2024/essay.txt,Berg,a", f"{essays}/lee/2024/essay.txt,Lee,")
    report = collection.load([essays / "berg", essays / "lee"], labels=LabelTable.read(file))
    assert (report.n_labelled, report.problems) == (2, [])
    assert labels_in(collection) == {
        "essays/berg/2024/essay.txt": {"author": "Berg", "group": "a"},
        "essays/lee/2024/essay.txt": {"author": "Lee"},
    }


def test_labels_of_a_load_are_of_what_is_loaded_alone(collection, essays):
    collection.add(words(50), name="wood/2024/note")
    collection.load([essays / "berg"])
    collection.load([essays / "lee"], labels=PATTERN)
    assert {path for path, labels in labels_in(collection).items() if labels} == {"essays/lee/2024/essay.txt"}


def test_a_row_of_no_document_is_named(collection, essays):
    file = table(essays, "path;author", "berg/2024/essay.txt;Berg", "brg/2024/essay.txt;Berg")
    [problem] = collection.load([essays], labels=LabelTable.read(file)).problems
    assert (problem.path, problem.reason) == (str(file), "line 3: no document is listed under 'brg/2024/essay.txt'")


def test_labels_of_a_path_that_is_no_unicode_are_kept(collection, tmp_path):
    (tmp_path / "caf\udce9").mkdir()
    (tmp_path / "caf\udce9" / "a.txt").write_text(words(1), encoding="utf-8")
    collection.load([tmp_path / "caf\udce9"], labels=LabelPattern("(?P<author>[^/]+)/a.txt"))
    [listed] = collection.documents()
    assert listed.labels == ({"author": "caf\udce9"},)
    assert collection.screen(words(1), where={"author": "caf\udce9"}).found


def test_labels_are_set_changed_and_taken_away_by_hand(collection):
    document = collection.add(words(1), name="one", labels={"author": "berg", "group": "a"})
    collection.add(words(1), name="same")
    collection.add(words(2), name="other")
    assert collection.label(["one"], {"author": "stone", "group": ""}) == 1
    assert collection.label([document], {"year": "2024"}) == 2
    same, other = collection.documents()
    assert (same.paths, same.labels) == (("one", "same"), ({"author": "stone", "year": "2024"}, {"year": "2024"}))
    assert other.labels == ()
    assert collection.label(None, lambda name: {"name": name}) == 3


def test_a_wrong_label_changes_nothing(collection):
    collection.add_many([("one", words(1)), ("two", words(2))])
    before = collection.generation
    for labels in ({"a=b": "x"}, lambda name: {"fine": "x"} if name == "one" else {"fine": "x" * 9999}):
        with pytest.raises(ParameterError):
            collection.label(None, labels)
    with pytest.raises(ParameterError):
        collection.add(words(3), name="three", labels={"": "x"})
    with pytest.raises(NotFoundError):
        collection.label(["one", "three"], {"author": "x"})
    assert (collection.generation, collection.n_documents) == (before, 2)
    assert all(listed.labels == () for listed in collection.documents())


# ---------------------------------------------------------------------- keeping labels


def test_labels_stay_when_a_file_changes_and_go_with_its_path(collection, essays):
    collection.load([essays], labels=PATTERN)
    changed = essays / "berg" / "2024" / "essay.txt"
    touch(changed, words(40))
    assert collection.load([essays]).n_replaced == 1
    collection.remove(essays / "wood" / "2024" / "essay.txt")
    collection.compact()
    assert labels_in(collection)["essays/berg/2024/essay.txt"] == {"author": "berg", "year": "2024"}
    assert len(labels_in(collection)) == 5
    assert collection.load([essays]).n_added == 1
    assert labels_in(collection)["essays/wood/2024/essay.txt"] == {}


def test_labels_stay_when_a_text_is_added_again(collection):
    collection.add(words(1), name="one", labels={"author": "berg"})
    collection.add(words(2), name="one", labels={"year": "2024"})
    assert [listed.labels for listed in collection.documents()] == [({"author": "berg", "year": "2024"},)]


def test_labels_survive_a_repair(tmp_path):
    from pmbf import repair

    with Collection(tmp_path / "c.pmbf", create=True) as collection:
        collection.add_many([(f"text-{seed}", words(seed)) for seed in range(5)])
        collection.label(None, lambda name: {"number": name[-1]})
        before = list(collection.documents())
    [postings] = (tmp_path / "c.pmbf" / "postings").glob("*.post")
    content = bytearray(postings.read_bytes())
    content[300] ^= 1
    postings.write_bytes(content)
    assert repair(tmp_path / "c.pmbf").ok
    with Collection(tmp_path / "c.pmbf") as collection:
        assert list(collection.documents()) == before


# ---------------------------------------------------------------------- what is looked at


@pytest.fixture
def loaded(collection, essays):
    collection.load([essays], labels=PATTERN)
    return collection


def test_matches_have_the_labels_of_their_paths(loaded, essays):
    report = loaded.screen(essays / "lee" / "2024" / "essay.txt")
    [match] = report.matches
    assert match.document.labels == ({"author": "copy", "year": "2024"}, {"author": "lee", "year": "2024"})
    assert Report.from_json(report.to_json()) == report
    assert json.loads(report.to_json())["matches"][0]["document"]["labels"][0]["author"] == "copy"


@pytest.mark.parametrize(("options", "found"), [
    ({}, ["berg", "stone", "wood"]),
    ({"where": {"author": "berg"}}, ["berg"]),
    ({"where": {"author": ["berg", "w*"]}}, ["berg", "wood"]),
    ({"where": {"author": "berg", "year": "2023"}}, []),
    ({"where": {"year": ""}}, []),
    ({"where_not": {"author": ["berg", "stone"]}}, ["wood"]),
    ({"where_not": {"author": "berg", "year": "2023"}}, ["berg", "stone", "wood"]),
    ({"where": {"author": ["berg", "stone"]}, "where_not": {"author": "stone"}}, ["berg"]),
])  # fmt: skip
def test_only_paths_that_fit_the_conditions_are_looked_at(loaded, options, found):
    report = loaded.screen(SHARED, **options)
    assert authors(report) == found
    assert report.n_documents + report.n_left_out == loaded.n_documents


def test_identical_files_are_looked_at_path_by_path(loaded, essays):
    text = (essays / "lee" / "2024" / "essay.txt").read_text()
    assert authors(loaded.screen(text)) == ["copy", "lee"]
    assert authors(loaded.screen(text, where={"author": "lee"})) == ["lee"]
    assert authors(loaded.screen(text, where_not={"author": "lee"})) == ["copy"]
    assert authors(loaded.screen(text, where_not={"author": ["lee", "copy"]})) == []


def test_paths_that_share_the_label_of_the_query_are_left_out(loaded, essays):
    loaded.label([essays / author / "2024" / "essay.txt" for author in ("berg", "stone")], {"group": "a"})
    screened = essays / "berg" / "2024" / "essay.txt"
    assert authors(loaded.screen(screened, exclude_self=True)) == ["stone", "wood"]
    assert authors(loaded.screen(screened, exclude_self=True, exclude_same=["group"])) == ["wood"]
    assert authors(loaded.screen(screened, exclude_same=["author"])) == ["stone", "wood"]
    assert authors(loaded.screen(screened, exclude_same=["year"])) == []
    other = essays / "wood" / "2024" / "essay.txt"
    assert authors(loaded.screen(other, exclude_self=True, exclude_same=["group"])) == ["berg", "stone"]


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_query_that_is_not_listed_has_the_labels_that_are_given(loaded, essays, jobs):
    new = essays / "berg" / "2024" / "new.txt"
    new.write_text(SHARED, encoding="utf-8")
    options = {"exclude_same": ["author"], "labels_of": PATTERN}
    [found] = loaded.screen_many([new], jobs=jobs, **options)
    assert authors(found) == ["stone", "wood"]
    assert authors(loaded.screen(new, exclude_same=["author"])) == ["berg", "stone", "wood"]


def test_a_label_that_nothing_has_is_refused(loaded):
    for options in ({"where": {"auther": "berg"}}, {"where_not": {"auther": "berg"}}, {"exclude_same": ["auther"]}):
        with pytest.raises(ParameterError, match="no path has the label auther; there are author, year"):
            loaded.screen(SHARED, name="x", **options)


@pytest.mark.parametrize("options", [
    {"where": "author=berg"}, {"where": {"author": 7}}, {"where": {"author": []}}, {"where_not": {"": "x"}},
    {"exclude_same": "group"}, {"exclude_same": [7]},
])  # fmt: skip
def test_conditions_that_are_none_are_refused(loaded, options):
    with pytest.raises(ParameterError):
        loaded.screen(SHARED, **options)


# ---------------------------------------------------------------------- on the command line


@pytest.fixture
def at(essays, monkeypatch):
    monkeypatch.chdir(essays.parent)
    return essays.parent


def test_the_command_line_labels_lists_screens_and_removes(at):
    made = at / "e.pmbf"
    file = table(at, "path,group", "essays/berg/2024/essay.txt,a", "essays/stone/2024/essay.txt,a")
    options = ("--labels", file, "--labels", "(?P<author>[^/]+)/[0-9]{4}/")
    assert "6 with changed labels" in run("load", "essays", "-c", made, *options).stdout
    listed = run("list", "-c", made, "--where", "group=a").stdout
    assert [line.split("  ")[-1] for line in listed.splitlines()[1:]] == [
        "[author=berg, group=a]", "[author=stone, group=a]"
    ]  # fmt: skip
    assert len(run("list", "-c", made, "--where", "group!=a").stdout.splitlines()) == 1 + 4
    both = ("--exclude", "self", "--exclude", "same=group")
    report = json.loads(run("screen", "essays/berg/2024/essay.txt", "-c", made, *both, "--json").stdout)
    assert [match["document"]["labels"] for match in report["matches"]] == [[{"author": "wood"}]]
    shown = run("screen", "essays/lee/2024/essay.txt", "-c", made, "--exclude", "self").stdout
    [at] = [number for number, line in enumerate(shown.splitlines()) if line.endswith("essays/copy/2024/essay.txt")]
    assert shown.splitlines()[at + 1].strip() == "[author=copy]"
    assert "1 path with" in run("label", "essays/wood/2024/essay.txt", "group=b", "-c", made).stdout
    assert "2 paths with" in run("label", "--where", "group=a", "group=", "-c", made).stdout
    assert run("remove", "--where", "author=copy", "-c", made).exit_code == 0
    assert run("remove", "--where", "author=copy", "-c", made).exit_code == 3
    assert len(run("list", "-c", made).stdout.splitlines()) == 1 + 5


def test_a_table_of_labels_names_and_counts_rows_of_no_document(at):
    made = at / "e.pmbf"
    run("load", "essays", "-c", made)
    file = table(at, "path,group", "essays/berg/2024/essay.txt,a", *(f"gone-{number}.txt,b" for number in range(30)))
    result = run("label", "--labels", file, "-c", made)
    assert (result.exit_code, result.stdout) == (3, "1 path with changed labels\n")
    assert "labels.csv: line 3: no document is listed under 'gone-0.txt'" in result.stderr
    assert "… and 10 more problems" in result.stderr


def test_controls_in_a_label_are_shown_and_never_obeyed(at):
    made = at / "e.pmbf"
    run("load", "essays", "-c", made)
    assert run("label", "essays/lee/2024/essay.txt", "author=\x1b[2J" + "x" * 100, "-c", made).exit_code == 0
    shown = run("list", "-c", made).stdout
    assert "\x1b" not in shown
    assert "[author=\\x1b[2J" + "x" * 35 + "…]" in shown


@pytest.mark.parametrize("arguments", [
    ["label", "essays/lee/2024/essay.txt"], ["label", "group=a"], ["label", "--labels", "x.csv", "group=a"],
    ["label", "essays/lee/2024/essay.txt", "=a"], ["list", "--where", "group"], ["remove"],
    ["remove", "1", "--where", "group=a"], ["screen", "essays", "--where", "nothing=1"],
    ["screen", "essays", "--labels", "(?P<year>["],
])  # fmt: skip
def test_wrong_usage_is_exit_code_2(at, arguments):
    made = at / "e.pmbf"
    run("load", "essays", "-c", made)
    table(at, "path,group", "essays/berg/2024/essay.txt,a", name="x.csv")
    assert run(*arguments, "-c", made).exit_code == 2
