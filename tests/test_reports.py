"""Reports of a collection: their texts, their JSON, pickles and tables."""

import pickle

import pytest
from conftest import words

import pmbf
from pmbf import Collection, NotFoundError


def test_a_report_as_a_dict_holds_lists_and_no_tuples(collection):
    collection.add(words(1), name="a")

    def tuples(value):
        inside = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
        return isinstance(value, tuple) or any(map(tuples, inside))

    report = collection.screen(words(1))
    assert report.found
    assert not tuples(report.to_dict())
    assert not any(tuples(listed.to_dict()) for listed in collection.documents())


def test_a_report_gives_its_texts_after_the_collection_is_closed_and_after_pickling(collection, folder):
    source, query = words(1), words(3, 20) + " " + words(1)
    collection.add(source, name="a")
    (folder / "query.txt").write_text(query, encoding="utf-8")
    with Collection(collection.path) as other:
        told = [
            other.screen(query),
            *other.screen_many([query, folder / "query.txt"]),
            *other.screen_many([query], jobs=2),
        ]
    for report in [*told, *pickle.loads(pickle.dumps(told))]:
        assert query == report.texts.query
        assert [source] == [report.texts.source(match.document.id) for match in report.matches]
    collection.remove("a")
    with pytest.raises(NotFoundError):
        told[0].texts.source(told[0].matches[0].document.id)


def test_the_texts_of_a_report_stand_neither_in_json_nor_in_comparisons(collection):
    collection.add(words(1), name="a")
    report = collection.screen(words(1))
    read = pmbf.Report.from_json(report.to_json())
    assert "texts" not in report.to_dict()
    assert read == report
    assert read.texts is None
    assert hash(read) == hash(report)


def test_a_report_says_where_the_characters_are_that_do_not_count(collection):
    quoted = "“" + words(1) + "”"
    collection.add(words(1), name="a")
    report = collection.screen("He said: " + quoted, exclude_quotations=True)
    assert report.query.excluded == (pmbf.Span(9, 9 + len(quoted)),)
    assert pmbf.Report.from_json(report.to_json()) == report
    assert report.to_dict()["query"]["excluded"] == [[9, 9 + len(quoted)]]


def test_reports_and_their_matches_are_pickled(collection):
    collection.add(words(1), name="a")
    report = collection.screen(words(1))
    assert pickle.loads(pickle.dumps(report)) == report
    assert pickle.loads(pickle.dumps(report.matches[0])) == report.matches[0]


def test_pandas_makes_a_table_of_the_matches(collection):
    pandas = pytest.importorskip("pandas")
    collection.add_many([("a", words(1)), ("b", words(2))])
    report = collection.screen(words(1) + " " + words(2))
    table = pandas.json_normalize(report.to_dict(), "matches")
    assert sorted(table["document.path"]) == ["a", "b"]
    passages = pandas.json_normalize(report.to_dict(), ["matches", "passages"], [["matches", "document", "path"]])
    assert sorted(passages["matches.document.path"]) == ["a", "b"]
