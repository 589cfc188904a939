"""Tables and patterns of labels: how they are read, and what is refused."""

import unicodedata

import pytest
from conftest import table

from pmbf import ParameterError
from pmbf.intake.labelling import LabelPattern, LabelTable


def test_a_row_of_no_document_is_named_in_short(tmp_path):
    read = LabelTable.read(table(tmp_path, "path,author", "x" * 100_000 + ",Berg"))
    [problem] = read.unused()
    assert 200 < len(problem.reason) < 300


@pytest.mark.parametrize(
    ("encoding", "separator"), [("utf-8-sig", ","), ("utf-16", "\t"), ("cp1252", ";"), ("utf-8", ";")]
)
def test_tables_of_spreadsheets_are_read(tmp_path, encoding, separator):
    lines = [separator.join(cells) for cells in (["Name", "Author", "Title"], ["a.txt", "Müller", '"one, two; three"'])]
    read = LabelTable.read(table(tmp_path, *lines, "", encoding=encoding))
    assert read("/anywhere/a.txt") == {"Author": "Müller", "Title": "one, two; three"}
    assert list(read.unused()) == []


def test_the_column_path_names_one_file_and_the_column_name_any_of_that_name(tmp_path):
    by_path = LabelTable.read(table(tmp_path, "path,name", "a.txt,Anna"))
    assert by_path(str(tmp_path / "a.txt")) == by_path("a.txt") == {"name": "Anna"}
    assert by_path("/elsewhere/a.txt") == {}
    by_name = LabelTable.read(table(tmp_path, "name,author", "a.txt,Anna"))
    assert by_name(str(tmp_path / "a.txt")) == by_name("/elsewhere/a.txt") == {"author": "Anna"}


def test_a_name_is_found_in_either_normal_form(tmp_path):
    read = LabelTable.read(table(tmp_path, "path,author", unicodedata.normalize("NFD", "café.txt,A")))
    assert read(str(tmp_path / "café.txt")) == {"author": "A"}


@pytest.mark.parametrize(("lines", "said"), [
    ([""], "is empty"),
    (["author,group", "a,b"], "has the columns author, group, expected `path`, `name` or `file` among them"),
    (["path,author,author", "a,b,c"], "two columns are named 'author'"),
    (["path,PATH", "a,b"], "two columns are named 'path'"),
    (["path,a=b", "a,b"], "column 2: the name of a label is 'a=b'"),
    (["path,", "a,b"], "column 2: the name of a label is ''"),
    (["path,a", "a,b,c"], "line 2: has 3 cells, expected 2"),
    (["path,a", "a,b", "", "a,c"], "line 4: 'a' is in line 2, too"),
    (["path,a", ",b"], "line 2: the column `path` is empty"),
    (["path,a", "a," + "x" * 5000], "line 2: the label a has 5000 characters"),
    (["path,a", "a," + "x" * 200_000], "line 2: field larger than field limit"),
    (["path," + ",".join(f"l{number}" for number in range(65)), "a" + ",x" * 65], "line 2: a path would have 65"),
    (['path,a', 'a,"b'], "line 2: unexpected end of data"),
])  # fmt: skip
def test_a_table_that_says_nothing_clear_is_refused_with_the_line(tmp_path, lines, said):
    with pytest.raises(ParameterError) as told:
        LabelTable.read(table(tmp_path, *lines))
    assert said in str(told.value)
    assert len(str(told.value)) < 600


@pytest.mark.parametrize("pattern", ["(?P<author>", "[a-z]+/", "(?P<a>x)(?P<a>y)", "(" * 300])
def test_a_pattern_without_a_named_group_is_refused(pattern):
    with pytest.raises(ParameterError, match="pattern"):
        LabelPattern(pattern)
