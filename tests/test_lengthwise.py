"""Very long queries: compared length by length, and told as if they had been compared as a whole."""

from __future__ import annotations

import random

import pytest

from pmbf import Collection
from pmbf.report import Passage, Span
from pmbf.report.values import Scores
from pmbf.screen import lengthwise
from pmbf.store import stretches


def prose(seed: int, n_words: int) -> str:
    """Return a text of long words that no other seed has."""
    chosen = random.Random(seed)
    return " ".join(f"{'bcdfghkl'[seed % 8]}{chosen.randrange(80_000):05}" for _ in range(n_words))


BOOK, NOTE = prose(70, 20_000), prose(71, 400)


def edited(text: str) -> str:
    """Return a text with every ninth word replaced."""
    return " ".join(f"new{at}" if at % 9 == 0 else word for at, word in enumerate(text.split(" ")))


@pytest.fixture(params=["read as a whole", "read by stretches"])
def collection(tmp_path, request, monkeypatch):
    if request.param == "read by stretches":
        monkeypatch.setattr(stretches, "LONG_CHARS", 40_000)
    with Collection(tmp_path / "c.pmbf", create=True) as made:
        made.add_many([("book", BOOK), ("note", NOTE), ("other", prose(72, 3_000))])
        yield made


def both(collection, text: str, monkeypatch, **options):
    """Return the report of a query, and that of the query in lengths of 20,000 characters."""
    whole = collection.screen(text, **options)
    with monkeypatch.context() as patched:
        patched.setattr(lengthwise, "LENGTH_CHARS", 20_000)
        patched.setattr(lengthwise, "COMMON_CHARS", 3_000)
        return whole, collection.screen(text, **options)


def told(report):
    """Return the names of a report's sources, and the spans and kinds of their passages."""
    return [
        (match.document.path, [(one.query, one.source, one.kind) for one in match.passages]) for match in report.matches
    ]


@pytest.mark.parametrize("change", [str, edited])
def test_a_copy_of_a_book_is_one_passage(collection, monkeypatch, change):
    whole, lengths = both(collection, change(BOOK), monkeypatch)
    assert told(lengths) == told(whole)
    [[one], [other]] = ([*report.matches[0].passages] for report in (whole, lengths))
    assert other.similarity == pytest.approx(one.similarity, abs=0.01)
    assert other.evidence == pytest.approx(one.evidence, rel=0.2)
    assert (other.certainty, other.source_share) == (one.certainty, one.source_share)
    assert (lengths.coverage, lengths.in_order) == pytest.approx((whole.coverage, whole.in_order), abs=0.01)


@pytest.mark.parametrize("place", [0, 19_000, 19_900, 20_300, 38_000, 61_000])
def test_passages_about_the_end_of_a_length_are_those_of_the_whole(collection, monkeypatch, place):
    fill = prose(73, 12_000)
    query = fill[:place] + " § " + NOTE + " § " + fill[place:]
    whole, lengths = both(collection, query, monkeypatch)
    assert told(lengths) == told(whole) != []


def test_each_source_keeps_its_passages(collection, monkeypatch):
    query = f"{prose(74, 2_900)} {BOOK[30_000:52_000]} § {NOTE} § {BOOK[90_000:91_000]} {prose(75, 2_900)}"
    whole, lengths = both(collection, query, monkeypatch)
    assert told(lengths) == told(whole)
    assert {match.document.path for match in lengths.matches} == {"book", "note"}


def test_a_query_with_a_template_is_compared_as_a_whole(collection, monkeypatch):
    monkeypatch.setattr(lengthwise, "compare_lengthwise", None)
    whole, lengths = both(collection, BOOK, monkeypatch, template="thesis")
    assert told(lengths) == told(whole)


def test_a_source_that_cannot_be_read_is_told_once(collection, tmp_path, monkeypatch):
    collection.close()
    [file] = (tmp_path / "c.pmbf" / "texts").iterdir()
    content = file.read_bytes()
    file.write_bytes(content[:500] + bytes(20_000) + content[20_500:])
    with Collection(tmp_path / "c.pmbf") as again:
        _, lengths = both(again, BOOK, monkeypatch)
    assert ["book"] == [match.document.path for match in lengths.matches if match.problem]
    assert ["book" in problem for problem in lengths.problems] == [True]


def passage(query: Span, source: Span, kind: str = "verbatim") -> Passage:
    return Passage(
        query, source, 1.0, kind, scores=Scores(1.0, None, 1.0), evidence=9.0, in_order=1.0, certainty="sure"
    )


@pytest.mark.parametrize(
    ("query", "source", "expected"),
    [
        (Span(90, 300), Span(1090, 1300), (Span(0, 300), Span(1000, 1300), "verbatim")),
        (Span(120, 300), Span(1120, 1300), (Span(0, 300), Span(1000, 1300), "edited")),
        (Span(60, 95), Span(1060, 1095), (Span(0, 100), Span(1000, 1100), "verbatim")),
        (Span(90, 300), Span(5090, 5300), None),
        (Span(90, 300), Span(900, 1300), None),
        (Span(400, 500), Span(1400, 1500), None),
    ],
)
def test_two_passages_are_one_if_both_sides_go_on(query, source, expected):
    joined = lengthwise._joined(passage(Span(0, 100), Span(1000, 1100)), passage(query, source), 5000)
    assert expected == (joined and (joined.query, joined.source, joined.kind))


def test_a_summary_goes_on_nowhere():
    one, other = passage(Span(0, 100), Span(0, 900)), passage(Span(101, 200), Span(901, 999), "summary")
    assert lengthwise._joined(one, other, 5000) is None
