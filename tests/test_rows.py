"""A report as rows of a table, as a DataFrame, and as JSON with the words of its passages."""

import json
import math
import sys
from dataclasses import replace

import pytest
from conftest import ROOT, words

import pmbf
from pmbf.base.errors import ParameterError, UnsupportedError
from pmbf.report import Report
from pmbf.report.table import COLUMNS, WORDS, columns

SHARED = [words(number, 40) for number in range(3)]
ESSAY = f"{words(9, 30)}\n{SHARED[0]}\n{words(8, 30)}\n{SHARED[1]}\n"


@pytest.fixture
def screened(collection):
    """A text that shares passages with two sources; a text that shares none; no text."""
    collection.add_many([("one", f"{SHARED[0]}\n"), ("two", f"{words(7, 9)}\n{SHARED[1]}"), ("three", words(6))])
    return list(collection.screen_many([ESSAY, words(5), math.nan]))


@pytest.mark.parametrize("by", COLUMNS)
def test_every_row_of_a_table_has_the_same_columns_in_order(screened, by):
    assert {COLUMNS[by]} == {tuple(row) for report in screened for row in report.rows(by)}


@pytest.mark.parametrize(("by", "n_rows"), [("texts", [1, 1, 1]), ("sources", [2, 1, 1]), ("passages", [2, 1, 1])])
def test_no_text_is_lost(screened, by, n_rows):
    assert n_rows == [len(report.rows(by)) for report in screened]


def test_a_row_of_passages_has_the_figures_of_the_report(screened):
    report = screened[0]
    row, match, passage = report.rows()[0], report.matches[0], report.matches[0].passages[0]
    assert (report.coverage, 1, match.document.path, match.document.id) == tuple(
        row[name] for name in ("share", "rank", "source", "source_id")
    )
    assert (passage.query.start, passage.query.stop) == (row["query_start"], row["query_stop"])
    assert (match.coverage, passage.certainty, "verbatim") == (row["share_in_source"], row["certainty"], row["kind"])


def test_rows_say_the_line_where_both_sides_begin(screened):
    found = {row["source"]: row for row in screened[0].rows()}
    assert [(2, 1), (4, 2)] == [(found[name]["query_line"], found[name]["source_line"]) for name in ("one", "two")]
    assert found["one"]["query_page"] is None


@pytest.mark.parametrize("by", COLUMNS)
def test_a_row_has_the_labels_of_its_source(collection, by):
    collection.add(SHARED[0], name="one", labels={"author": "Ann Müller", "group": "a"})
    collection.add(SHARED[0], name="two", labels={"author": "Bob"})
    collection.add(SHARED[1], name="three")
    labelled, plain, none = (collection.screen(text) for text in (SHARED[0], SHARED[1], words(5)))
    assert ['{"author": "Ann Müller", "group": "a"}'] == [row["source_labels"] for row in labelled.rows(by)]
    assert [None, None] == [row["source_labels"] for report in (plain, none) for row in report.rows(by)]


def test_rows_have_the_words_on_demand(screened):
    found = {row["source"]: row for row in screened[0].rows(with_text=True)}
    assert (SHARED[1], SHARED[1]) == (found["two"]["query_text"], found["two"]["source_text"])
    assert columns("passages", with_text=True) == COLUMNS["passages"] + WORDS


def test_a_row_of_texts_names_the_first_source_and_the_surest_certainty(screened):
    [row] = screened[0].rows("texts")
    assert (screened[0].matches[0].document.path, "sure", 2, 2) == tuple(
        row[name] for name in ("source", "certainty", "n_sources", "n_passages")
    )


def test_the_share_of_a_text_that_was_not_read_is_unknown(screened):
    [row] = screened[2].rows("texts")
    assert (None, screened[2].problems[0]) == (row["share"], row["problem"])
    assert 0.0 == screened[1].rows("texts")[0]["share"]


def test_a_source_that_could_not_be_compared_is_a_row_with_the_reason(screened):
    first = screened[0].matches[0]
    report = replace(screened[0], matches=(replace(first, passages=(), problem="gone"), *screened[0].matches[1:]))
    row = report.rows()[0]
    assert ("gone", first.document.path, None) == (row["problem"], row["source"], row["share_in_source"])


def test_a_text_too_short_for_a_passage_is_told(collection):
    collection.add(SHARED[0], name="one")
    short, longer = (collection.screen(SHARED[0][:n]) for n in (50, 90))
    assert (True, False) == (short.too_short, longer.too_short)
    assert not collection.screen(SHARED[0][:50], min_chars=40).too_short


def test_an_unknown_table_is_refused_in_words(screened):
    with pytest.raises(ParameterError, match="by is 'pages', expected one of 'texts', 'sources', 'passages'"):
        screened[0].rows("pages")
    with pytest.raises(ParameterError, match="only passages have words"):
        screened[0].rows("texts", with_text=True)


def test_words_come_back_from_json(screened):
    told = screened[0].with_words()
    assert told == Report.from_json(screened[0].to_json(with_text=True))
    assert told.rows(with_text=True) == Report.from_json(told.to_json(with_text=True)).rows(with_text=True)


def test_json_has_no_words_unless_they_are_asked_for(screened):
    assert "query_text" not in screened[0].to_json() and SHARED[0] not in screened[0].with_words().to_json()
    matches = {one["document"]["path"]: one for one in screened[0].to_dict(with_text=True)["matches"]}
    assert {"page": None, "line": 2, "paragraph": None} == matches["one"]["passages"][0]["query_place"]


def test_words_that_are_not_known_are_refused(screened):
    with pytest.raises(ParameterError, match="read without its texts"):
        Report.from_json(screened[0].to_json()).rows(with_text=True)
    assert Report.from_json(screened[0].to_json()).rows()[0]["query_line"] is None


def test_the_words_of_a_source_that_has_gone_are_unknown(collection, screened):
    collection.remove("one", "two", "three")
    collection.compact()
    collection.add_many([(f"other {number}", words(20 + number)) for number in range(3)])
    row = screened[0].rows(with_text=True)[0]
    assert (None, None) == (row["source_text"], row["source_line"])
    assert row["query_text"] in ESSAY


def test_a_frame_holds_the_rows_of_many_reports(screened):
    pandas = pytest.importorskip("pandas", reason="pandas makes the frame")
    found = pmbf.frame(screened)
    assert list(COLUMNS["passages"]) == list(found.columns) and 4 == len(found)
    assert screened[0].coverage == found["share"].max()
    assert [] == list(pmbf.frame([], by="texts")["query"])
    assert isinstance(screened[0].to_frame("texts"), pandas.DataFrame)


def test_without_pandas_the_message_says_how_to_install_it(screened, monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(UnsupportedError, match="pip install pandas"):
        screened[0].to_frame()


def test_every_column_is_documented():
    documented = (ROOT / "docs" / "report.md").read_text(encoding="utf-8").partition("\n## Rows\n")[2]
    first_cells = "".join(line.split("|")[1] for line in documented.splitlines() if line.startswith("| `"))
    assert [] == [name for by in COLUMNS for name in (*COLUMNS[by], *WORDS) if f"`{name}`" not in first_cells]


def test_rows_are_json(screened):
    assert screened[0].rows() == json.loads(json.dumps(screened[0].rows()))
