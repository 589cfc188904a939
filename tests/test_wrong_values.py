"""Options, texts and names that no call can use are refused, and the message says what was expected."""

import re
import typing
from dataclasses import fields

import pytest
from conftest import words

from pmbf import ParameterError
from pmbf.screen import Options, OptionValues


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"min_char": 40}, "there is no option min_char; did you mean min_chars?"),
        ({"colour": 1}, "there is no option colour; there are min_chars, min_similarity, threshold,"),
        ({"min_chars": "40"}, "min_chars is '40', expected a whole number, at least 1"),
        ({"min_chars": 0}, "min_chars is 0, expected a whole number, at least 1"),
        ({"threshold": 20}, "threshold is 20, expected a number from 0 to 1"),
        ({"threshold": float("nan")}, "threshold is nan, expected a number from 0 to 1"),
        ({"min_evidence": "much"}, "min_evidence is 'much', expected a number above 0, or None"),
        ({"ignore": words(1)}, "expected a list of texts"),
        ({"ignore": [1]}, "expected a list of texts"),
    ],
)
def test_an_option_that_is_none_or_out_of_range_is_refused_with_what_is_expected(collection, options, told):
    with pytest.raises(ParameterError, match=re.escape(told)):
        collection.screen(words(1), **options)
    with pytest.raises(ParameterError, match=re.escape(told)):
        collection.screen_many([words(1)], **options)


def test_the_options_are_typed_by_name():
    assert list(typing.get_type_hints(OptionValues)) == [field.name for field in fields(Options)]


def test_a_text_to_ignore_may_come_in_a_list(collection):
    collection.add(words(1), name="a")
    assert collection.screen(words(1)).found
    assert not collection.screen(words(1), ignore=[words(1)]).found


def test_what_is_no_text_among_many_is_told_with_its_row_and_stops_nothing(collection):
    collection.add(words(1), name="a")
    reports = list(collection.screen_many([words(1), float("nan"), words(1)]))
    assert [report.found for report in reports] == [True, False, True]
    assert reports[1].problems == (
        "queries[1]: a query is nan (float), expected a text, the bytes of a file, or a pathlib.Path",
    )
    with pytest.raises(ParameterError, match=r"a query is nan \(float\)"):
        collection.screen(float("nan"))


def test_a_path_given_as_a_text_is_refused_and_among_many_told_with_its_row(collection, folder, monkeypatch):
    collection.load([folder])
    monkeypatch.chdir(folder)
    with pytest.raises(ParameterError, match=r"'text-1\.txt' looks like a path"):
        collection.screen("text-1.txt")
    path, text = collection.screen_many(["text-1.txt", words(1)])
    assert text.found
    assert "queries[0]: 'text-1.txt' looks like a path" in path.problems[0]
    assert collection.screen(folder / "text-1.txt").problems == ()


@pytest.mark.parametrize(
    ("pairs", "told"),
    [
        ([("a", words(1)), ("b", float("nan"))], "texts[1]: the text of 'b' is float, expected str"),
        ([("a", words(1)), (float("nan"), "b")], "texts[1]: name is nan, expected what to call the text"),
        ([("a", words(1)), "b"], "texts[1] is 'b', expected a pair (name, text)"),
        ([(words(n), f"row {n}") for n in range(9)], "add_many takes pairs (name, text), the name first"),
        ([("a", "a.pdf"), ("b", "b.pdf"), ("c", words(1))], "2 of 3 texts look like paths, such as 'a.pdf'; `load`"),
    ],
)
def test_texts_that_are_none_or_swapped_with_their_names_are_refused_and_nothing_is_stored(collection, pairs, told):
    with pytest.raises(ParameterError, match=re.escape(told)):
        collection.add_many(pairs)
    with pytest.raises(ParameterError, match=r"texts look like paths, such as 'a\.pdf'; `load` takes files"):
        collection.add("a.pdf", name="a")
    assert collection.n_documents == 0


def test_the_rows_that_cannot_be_stored_are_told_and_the_others_stored(collection):
    told = []
    pairs = [("a", words(1)), ("b", float("nan")), ("", words(2)), ("c", words(3))]
    ids = collection.add_many(pairs, on_problem=told.append)
    assert [collection.text(one) for one in ids if one] == [words(1), words(3)]
    assert ids[1:3] == [None, None]
    assert told == [
        "texts[1]: the text of 'b' is float, expected str; decode or load files",
        "texts[2]: name is '', expected what to call the text",
    ]


def test_a_long_name_with_a_short_text_may_be_meant(collection):
    collection.add("A few words.", name=words(1))
    collection.add_many([(words(2), "A few."), ("a", words(3)), ("b", words(4))])
    assert collection.n_documents == 4


def test_a_column_of_a_table_is_told_by_its_kind_and_what_takes_it(collection):
    class Series(list):
        pass

    with pytest.raises(ParameterError, match=r"a query is a Series, expected a text, .*; screen_many takes several"):
        collection.screen(Series(["a", "b"]))


@pytest.mark.parametrize("name", ["where", "where_not"])
def test_wrong_labels_are_told_by_the_argument_and_its_form(collection, name):
    expected = f"{name} is 'year=2015', expected the value of each label by its name: {{'year': '2015'}}"
    with pytest.raises(ParameterError, match=re.escape(expected)):
        collection.screen("a b c", **{name: "year=2015"})
