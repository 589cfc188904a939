"""Groups: by folder, by expression, by table; and what is wrong with each of them."""

from __future__ import annotations

import pytest

from pmbf import NotFoundError, ParameterError
from pmbf.comparison.grouping import TextCard, grouped

NAMES = ["ann/1.txt", "ann/2.txt", "bob/1.txt", "readme.txt"]


def groups(by, names=NAMES):
    return {name: card.group for name, card in grouped(names, by).cards.items()}


def test_each_file_is_a_group_unless_told_otherwise():
    assert {name: name for name in NAMES} == groups(None)


def test_the_first_folder_of_a_name_is_its_group():
    assert ["ann", "ann", "bob", "readme.txt"] == list(groups("folder").values())


def test_an_expression_groups_by_its_first_parenthesis_or_its_match():
    names = ["ann_1.txt", "ann_final.txt", "bob_1.txt", "other.txt"]
    assert ["ann", "ann", "bob", "other.txt"] == list(groups("^([^_]+)_", names).values())
    assert ["ann", "ann", "bob", "oth"] == list(groups("^...", names).values())


def test_a_mapping_or_a_function_groups_and_a_missing_name_is_a_group():
    assert ["x", "ann/2.txt", "bob/1.txt", "readme.txt"] == list(groups({"ann/1.txt": "x"}).values())
    assert ["a", "a", "b", "r"] == list(groups(lambda name: name[0]).values())


@pytest.mark.parametrize("separator", [",", ";", "\t"])
def test_a_table_has_groups_dates_and_labels(tmp_path, separator):
    table = tmp_path / "class.csv"
    rows = ["\ufeffFile,Group,Date,Label", "ann/1.txt,A,2026-03-01,late", "bob/1.txt,A,2026-03-01 14:05,", "2.txt,,,"]
    table.write_text("\n".join(rows).replace(",", separator), encoding="utf-8")
    found = grouped(NAMES, str(table))
    assert TextCard("A", "2026-03-01T00:00:00", "late") == found.cards["ann/1.txt"]
    assert TextCard("A", "2026-03-01T14:05:00", None) == found.cards["bob/1.txt"]
    assert TextCard("ann/2.txt") == found.cards["ann/2.txt"]
    assert TextCard("readme.txt") == found.cards["readme.txt"]
    assert () == found.problems
    assert "the table class.csv" == found.how


def test_a_row_that_fits_no_text_or_two_is_a_problem(tmp_path):
    table = tmp_path / "class.csv"
    table.write_text("file,group\nzoe.txt,A\n1.txt,B\n", encoding="utf-8")
    first, second = grouped(NAMES, str(table)).problems
    assert f"{table}, line 2: file is 'zoe.txt', which fits no text" == first
    assert f"{table}, line 3: file is '1.txt', which fits 2 texts" == second


def test_the_table_of_labels_that_a_load_takes_groups_by_author_and_shows_the_rest(tmp_path):
    table = tmp_path / "labels.csv"
    rows = ["path,author,course,date", "essays/ann/1.txt,Ann,history,2024", "essays/bob/1.txt,Bob,,2024-05"]
    table.write_text("\n".join(rows), encoding="utf-16")
    found = grouped(NAMES, str(table))
    assert TextCard("Ann", "2024-01-01T00:00:00", "course=history") == found.cards["ann/1.txt"]
    assert TextCard("Bob", "2024-05-01T00:00:00", None) == found.cards["bob/1.txt"]
    assert () == found.problems


def test_names_in_either_form_of_unicode_are_one(tmp_path):
    table = tmp_path / "labels.csv"
    table.write_text("path,group\nM\u00fcller.txt,A\n", encoding="utf-8")
    assert {"Mu\u0308ller.txt": "A"} == groups(str(table), ["Mu\u0308ller.txt"])


def test_two_rows_of_one_text_are_a_problem(tmp_path):
    table = tmp_path / "class.csv"
    table.write_text("file,group\nann/1.txt,A\nold/ann/1.txt,B\n", encoding="utf-8")
    found = grouped(NAMES, str(table))
    assert "A" == found.cards["ann/1.txt"].group
    assert (f"{table}, line 3: file is 'old/ann/1.txt', which line 2 fits, too",) == found.problems


@pytest.mark.parametrize(
    ("by", "told"),
    [
        ("^([^_", "RE2 does not take"),
        ("nowhere", "fits no name, such as 'ann/1.txt'"),
        ("x" * 2000, "expected at most 1000"),
        (7, "expected 'folder'"),
        ({"ann/1.txt": ""}, "the group of 'ann/1.txt' is ''"),
        (lambda name: None, "the group of 'ann/1.txt' is None"),
    ],
)
def test_a_wrong_way_to_group_is_named(by, told):
    with pytest.raises(ParameterError, match=told):
        grouped(NAMES, by)


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b"file,course\na,b\n", "has the columns course, expected one named `group` or `author`"),
        (b"essay,group\na,b\n", "has the columns essay, group, expected `path`, `name` or `file` among them"),
        (b"", "is empty, expected a line with the names of columns"),
        (b"file,group\na,b\na,c\n", "line 3: 'a' is in line 2, too"),
        (b"file,group,date\nreadme.txt,A,yesterday\n", "line 2: date is 'yesterday'"),
    ],
)
def test_a_table_that_cannot_be_used_is_named(tmp_path, content, told):
    table = tmp_path / "class.csv"
    table.write_bytes(content)
    with pytest.raises(ParameterError, match=told):
        grouped(NAMES, str(table))


def test_a_table_that_is_not_there_is_named(tmp_path):
    with pytest.raises(NotFoundError, match=r"class\.csv: no such file"):
        grouped(NAMES, str(tmp_path / "class.csv"))
