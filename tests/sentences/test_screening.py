"""Screening by sentences: what is found, where it stands, and what the report says of it."""

from __future__ import annotations

import json
import pickle
from collections.abc import Iterator
from pathlib import Path

import pytest

import pmbf
from pmbf import Collection
from pmbf.base.errors import ParameterError
from pmbf.base.span import overlap
from pmbf.intake.texts import Origin
from pmbf.sentences import SentenceReport, screening
from pmbf.sentences.beside import QueryUnits
from pmbf.sentences.forms import as_passages
from tests.sentences.texts import sentence, text


@pytest.fixture
def tides(tmp_path: Path) -> Iterator[Collection]:
    """A collection of texts of five sentences each; two of them share a sentence."""
    with Collection(tmp_path / "tides.pmbf", create=True) as collection:
        collection.add(text(1, 2, 3, 4, 5), name="one", labels={"group": "a"})
        collection.add(text(6, 7, 8, 9, 10), name="two", labels={"group": "b"})
        collection.add(text(20, 7, 8, 21), name="third-text", labels={"group": "b"})
        collection.build_sentences()
        yield collection
        assert not collection.check().problems


def outcomes(report: SentenceReport) -> list[str]:
    return [one.outcome for one in report.sentences]


def test_each_sentence_is_found_new_or_short(tides: Collection) -> None:
    query = f"A heading\n\n{sentence(50)} {sentence(2)} {sentence(3)} {sentence(51)} {sentence(52)}"
    report = tides.screen_sentences(query)
    assert outcomes(report) == ["short", "new", "found", "found", "new", "new"]
    assert report.summary == "2 of 5 sentences, 1 source"
    assert (report.n_found, report.n_compared, report.found) == (2, 5, True)


def test_spans_are_exact_in_query_and_source(tides: Collection) -> None:
    query = f"𝔘 {sentence(50)}\n\n{sentence(7)} {sentence(8)}"
    report = tides.screen_sentences(query)
    for one in report.sentences[-2:]:
        assert query[one.span.start : one.span.stop] + "." in (sentence(7), sentence(8))
    for source in report.sources:
        theirs = tides.text(source.document.id)
        [pair] = source.pairs
        assert query[pair.query.start : pair.query.stop] == theirs[pair.source.start : pair.source.stop]
        assert pair.similarity == 1.0


def test_a_sentence_names_all_documents_it_stands_in(tides: Collection) -> None:
    report = tides.screen_sentences(text(7, 8))
    assert [len(one.origins) for one in report.sentences] == [2, 2]
    assert {source.document.path for source in report.sources} == {"third-text", "two"}
    assert [source.n_sentences for source in report.sources] == [2, 2]


def test_edited_sentences_are_found(tides: Collection) -> None:
    words = text(2, 3).split()
    words[3], words[11] = "replaced", "another"
    del words[17]
    report = tides.screen_sentences(f"{sentence(60)} {' '.join(words)} {sentence(61)}")
    assert outcomes(report) == ["new", "found", "found", "new"]
    assert 0.6 < report.sentences[1].origins[0].similarity < 1


def test_a_part_of_a_sentence_inside_another_text_is_found(tides: Collection) -> None:
    part = " ".join(text(2, 3).split()[4:24])
    report = tides.screen_sentences(f"{sentence(60)} {part} and then {sentence(61)}")
    assert [source.document.path for source in report.sources] == ["one"]
    [pair] = report.sources[0].pairs
    assert part in (tides.text(report.sources[0].document.id)[pair.source.start : pair.source.stop])


def test_unrelated_texts_share_no_sentence(tides: Collection) -> None:
    report = tides.screen_sentences(text(*range(1000, 1040)))
    assert not report.found and not report.sources and not report.problems


def test_what_is_left_out_is_not_compared(tides: Collection) -> None:
    query = text(7, 8)
    report = tides.screen_sentences(query, name="two", exclude_self=True)
    assert [one.document.path for one in report.sources] == ["third-text"]
    report = tides.screen_sentences(query, where={"group": "a"})
    assert not report.found
    assert (report.n_documents, report.n_left_out) == (1, 2)
    with pytest.raises(ParameterError, match="min_chars is no option"):
        tides.screen_sentences(query, min_chars=30)


@pytest.mark.parametrize("jobs", [1, 3])
def test_many_texts_have_the_reports_of_each_alone(tides: Collection, jobs: int) -> None:
    """Nine batches: threads answer the first six, processes the others."""
    texts = [text(7, 8), text(6, 2, 9), f"{sentence(60)} {sentence(4)}", text(1000, 1001), "", text(20, 21)] * 60
    alone = {one: tides.screen_sentences(one, where={"group": ["a", "b"]}) for one in texts}
    many = tides.screen_sentences_many(texts, where={"group": ["a", "b"]}, jobs=jobs)
    assert [one.to_json() for one in many] == [alone[one].to_json() for one in texts]


def test_each_of_many_texts_leaves_out_its_own(tides: Collection) -> None:
    names = ["two", "one", "third-text"]
    texts = [Origin(name, text(7, 8)) for name in names] * 2
    found = [answer.report for answer in tides.answers_by_sentences(texts, exclude_self=True)]
    assert [{one.document.path for one in report.sources} for report in found[:3]] == [
        {"third-text"},
        {"two", "third-text"},
        {"two"},
    ]
    assert [one.to_json() for one in found[:3]] == [one.to_json() for one in found[3:]]


def test_a_text_that_cannot_be_read_stops_no_other(tides: Collection, tmp_path: Path) -> None:
    damaged = tmp_path / "damaged.docx"
    damaged.write_bytes(b"PK\x03\x04 and no more")
    unread, found = tides.screen_sentences_many([damaged, text(7, 8)])
    assert unread.problems and not unread.found and not unread.sentences
    assert found.found and not found.problems


def test_workers_see_the_sentences_of_the_commit_that_was_opened(tides: Collection) -> None:
    with Collection(tides.path) as before:
        sentences = before._opened.sentences
        tides.add(text(30, 31, 32), name="later")
        again = pickle.loads(pickle.dumps(sentences))
    assert (again.is_current, len(again), again.problems()) == (True, len(sentences), [])
    assert len(tides._opened.sentences) > len(again)


def test_the_paper_s_code_finds_copies(tides: Collection) -> None:
    tides.build_sentences(code="paper")
    report = tides.screen_sentences(text(6, 7, 8))
    assert "found" in outcomes(report)
    assert report.code == "paper"


def test_chinese_sentences_are_found(tides: Collection) -> None:
    source = "潮水每天来两次,又退两次;没有人问为什么。月亮知道答案,可是它从来不说。"
    source += "渔夫们在岸边等待,修补他们的网,谈论昨天的风。"
    tides.add(source * 2 + "灯塔的光在雾里一明一灭,像一个老人在数自己的日子。", name="chinese")
    copied = source.replace("渔夫们", "人们")
    report = tides.screen_sentences("今天的报纸没有什么新闻,大家都在谈天气和价钱,谁也不着急回家去。" + copied)
    assert [one.document.path for one in report.sources] == ["chinese"]
    assert outcomes(report)[0] == "new" and "found" in outcomes(report)[1:]


def test_the_report_is_json(tides: Collection) -> None:
    report = tides.screen_sentences(text(2, 60), name="q")
    values = json.loads(report.to_json())
    assert values["sentences"][0]["span"] == [0, len(sentence(2)) - 1]
    assert (values["n_found"], values["n_compared"], "texts" in values) == (report.n_found, 2, False)
    assert report.to_dict(with_text=True)["sentences"][0]["text"] + "." == sentence(2)


def test_the_page_shows_the_stretches_and_says_how_many_sentences(tides: Collection) -> None:
    report = tides.screen_sentences(f"{sentence(60)} {sentence(7)} {sentence(8)}", name="essay")
    page = pmbf.page(report)
    assert "2 of 3 sentences, 2 sources" in page
    assert "third-text" in page
    as_report = as_passages(report)
    assert as_report.matches[0].passages[0].also_in == (as_report.matches[1].document.id,)
    assert "third-text" not in pmbf.page(report, hide_names=True)


def test_nothing_to_compare_is_an_empty_report(tides: Collection) -> None:
    report = tides.screen_sentences("...")
    assert (report.sentences, report.sources, report.n_tokens) == ((), (), 0)


def test_a_long_text_is_looked_up_in_parts(tides: Collection, monkeypatch: pytest.MonkeyPatch) -> None:
    query = text(2, 3, 60, 7, 8, 61, 20, 21)
    whole = tides.screen_sentences(query)
    monkeypatch.setattr(screening, "_UNITS_TOGETHER", 1)
    assert tides.screen_sentences(query) == whole


def test_each_unit_knows_all_its_sentences() -> None:
    """A long sentence is cut: the unit of its second half begins behind the start of the next unit."""
    asked = QueryUnits.of(f"{sentence(0, 3)} {sentence(0, 3)} {sentence(1, 60)}", "words")
    for span, parts in zip(asked.spans, asked.parts, strict=True):
        held = [number for number, one in enumerate(asked.sentences) if overlap(one, span)]
        assert [number for number, _ in parts] == held
    assert asked.spans != sorted(asked.spans, key=lambda span: span.start)
