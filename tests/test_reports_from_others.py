"""JSON of reports that others wrote: it is refused in words, or every page and table of it can be drawn."""

import json
from dataclasses import replace

import pytest
from conftest import words

import pmbf
from pmbf import Comparison, ParameterError, PmbfError, Report
from pmbf.sentences import SentenceReport
from tests.replacing import places, replaced

QUERY = f"Methods\n\n{words(1)}\n\nReferences\n\n{words(2)}"
WRONG = (None, -1, 0, 7, -0.5, 2**70, 1e308, float("nan"), "x", "\ud800", True, [], {}, [[1]], {"a": 1})


@pytest.fixture
def library(collection):
    collection.add(words(1), name="harbours", labels={"author": "Ann"})
    collection.add(f"{words(1)} and more words", name="ports")
    collection.build_sentences()
    return collection


def passages(library, folder):
    report = library.screen(QUERY, template="thesis")
    return Report, report, lambda one: (pmbf.page(one, QUERY, library.text), one.rows("sources"))


def sentences(library, folder):
    report = library.screen_sentences(QUERY, template="thesis")
    return SentenceReport, report, lambda one: (pmbf.page(replace(one, texts=report.texts)), one.summary)


def everyone(library, folder):
    for number in (4, 5, 6):
        (folder / f"{number}.txt").write_text(f"{words(1)} {words(number)}", encoding="utf-8")
    found = pmbf.compare(folder)
    return Comparison, found, lambda one: (pmbf.page(replace(one, texts=found.texts)), one.highest())


@pytest.mark.parametrize("made", [passages, sentences, everyone])
def test_json_with_any_one_value_replaced_is_refused_in_words_or_drawn(library, tmp_path, made):
    kind, report, draw = made(library, tmp_path)
    values, bad = json.loads(report.to_json()), []
    assert kind.from_json(json.dumps(values)) == report
    for place in places(values):
        for wrong in WRONG:
            try:
                draw(kind.from_json(json.dumps(replaced(values, place, wrong))))
            except PmbfError:
                pass
            except Exception as error:
                bad.append(f"{place} {wrong!r}: {error!r:.100}")
    assert bad == []


@pytest.mark.parametrize("kind", [Report, SentenceReport, Comparison])
@pytest.mark.parametrize("line", ["[" * 100_000, '{"schema": 0}', '{"schema": "2"}', "[]", "null", "1" * 5000])
def test_what_is_no_report_at_all_is_refused_in_words(kind, line):
    with pytest.raises(ParameterError, match="as to_json writes it"):
        kind.from_json(line)


def test_a_text_in_the_place_of_a_list_is_no_list_of_its_letters(collection):
    collection.add(words(1), name="a")
    values = collection.screen(words(1)).to_dict()
    with pytest.raises(ParameterError, match="is no list"):
        Report.from_json(json.dumps(values | {"problems": "none"}))
