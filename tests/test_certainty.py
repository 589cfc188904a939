"""How sure a passage is, how much of a text stands in order, and what of a source a passage is of."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pmbf import Collection
from pmbf.base.span import Span, union_length
from pmbf.kernels import JudgedPassages, sides
from pmbf.kernels.reference_likeness import ORDERED_WORDS, ordered_share
from pmbf.kernels.reference_sides import LEAST_NAMES
from pmbf.passages.compare import certainty
from pmbf.passages.prepared import prepare
from pmbf.report import CERTAINTIES, Passage, Report
from pmbf.screen.resolving import Counted, ordered

TIDES = (
    "The harbour master wrote the height of every tide into a thick brown book, because his father had done the same. "
    "When the storm of that winter broke the mole, he carried the book home under his coat and dried each page by the "
    "stove. Nobody thanked him, but forty years later engineers found in it the only record of how high the water rose."
)
RETOLD = (
    "Forty years later engineers found the only record of how high the water rose, and nobody thanked him for it. "
    "His father had done the same: the height of every tide went into a thick brown book, as the harbour master said. "
    "He dried each page by the stove, for when the storm broke the mole that winter, he hid the book under his coat."
)
OTHERS = [
    f"Letter {n}: the weather is fine, the town is quiet, and {n} visitors came to the market." for n in range(40)
]
LINE_UP = "Buffon, Panucci, Nesta, Cannavaro, Zambrotta, Gattuso, Pirlo, Perrotta, Totti, Del Piero, Vieri"


def share_counted(text: str, start: int, stop: int) -> float:
    """Return the share of a range of words that counts."""
    prepared = prepare(text)
    assert len(prepared.words.types) >= stop
    itself = JudgedPassages.of([((start, stop, start, stop), 0, (1.0,) * 6)])
    [(*_, share)] = sides(text, prepared.last_made, text, prepared.last_made, itself)
    return share


def counted_words(text: str) -> int:
    n_words = prepare(text).n_tokens
    return round(share_counted(text, 0, n_words) * n_words)


@pytest.fixture
def screened(tmp_path):
    def screened(source: str, query: str, **options) -> Report:
        with Collection(tmp_path / "c.pmbf", create=True) as collection:
            collection.add_many([("source", source), *((f"letter {n}", text) for n, text in enumerate(OTHERS))])
            found = collection.screen(query, **options)
            collection.check()
        return found

    return screened


# ---------------------------------------------------------------------- names


def test_a_run_of_names_counts_as_one_word():
    assert counted_words(f"and the team that won the cup last night was {LINE_UP}") == 11


def test_a_run_of_results_counts_as_one_word():
    assert counted_words("in the second round we saw Federer 6 3 7 5 Nadal 6 4 6 2 and then rain") == 10


def test_one_other_word_may_stand_between_two_names():
    assert counted_words("he was once the chairman at Bank of England, Lloyds and Barclays for many years") == 10


def test_three_names_in_a_row_are_none_too_many():
    assert counted_words("and then George W Bush came to see us in our house") == 12


def test_words_in_capitals_are_no_names():
    assert counted_words("NOBODY THANKED HIM BUT YEARS LATER ENGINEERS FOUND") == 8


def test_german_nouns_are_no_run_of_names():
    text = "Der Hafenmeister schrieb die Höhe der Flut in ein Buch und trug das Buch im Winter zum Ofen in die Stube."
    assert counted_words(text) == prepare(text).n_tokens


def test_scripts_without_case_have_no_names():
    text = "渔夫每天清晨出海直到日落才带着满船的鱼回到港口"
    assert counted_words(text) == len(text)


WORDS = ("Rome", "bank", "of", "7th", "GREAT", "EU", "Élan", "été", "北", "Б", "𐐀𐐨𐐨")


@given(st.lists(st.sampled_from(WORDS), min_size=1, max_size=40), st.data())
def test_any_part_of_a_text_counts_each_of_its_runs_of_names_once(words, data):
    text, reach = prepare(" ".join(words)), 1 if 3 * sum(word[0].isupper() for word in words) < len(words) else 0
    start, stop = sorted(data.draw(st.tuples(st.integers(0, len(words)), st.integers(0, len(words))), label="part"))
    names = [
        at for at in range(start, stop) if words[at][0].isdigit() or words[at] in ("Rome", "EU", "Élan", "Б", "𐐀𐐨𐐨")
    ]
    runs = [[at] for at in names[:1]]
    for before, at in pairwise(names):
        runs[-1:] = [[*runs[-1], at]] if at - before <= reach + 1 else [runs[-1], [at]]
    saved = sum(run[-1] - run[0] for run in runs if len(run) >= LEAST_NAMES)

    assert text.n_tokens == len(words)
    if start < stop:
        assert share_counted(text.text, start, stop) == 1 - saved / (stop - start)


def test_two_reports_with_one_line_up_are_worth_a_look(screened):
    one = f"It rained all day, and hardly anyone had come to watch. The hosts played with {LINE_UP}."
    other = f"{LINE_UP}: these men were on the field when the lights of the stadium failed in the first half."
    [match] = screened(one, other).matches
    assert match.certainty == "worth a look"


# ---------------------------------------------------------------------- certainty


@given(st.sampled_from(["verbatim", "edited", "reworded", "summary"]), st.floats(0, 1e6), st.floats(0, 1))
def test_more_evidence_or_more_words_in_order_never_make_a_passage_less_sure(kind, nats, in_order):
    found = CERTAINTIES.index(certainty(kind, nats, in_order))
    assert CERTAINTIES.index(certainty(kind, nats * 1.5, in_order)) <= found
    assert CERTAINTIES.index(certainty(kind, nats, min(1.0, in_order + 0.1))) <= found


def test_the_certainty_of_a_passage_follows_from_its_other_figures(screened):
    for query in (TIDES, RETOLD):
        [match] = screened(TIDES, query).matches
        for one in match.passages:
            assert one.certainty == certainty(one.kind, one.evidence, one.in_order)


def test_a_match_is_as_sure_as_its_surest_passage(screened):
    [match] = screened(TIDES, f"{RETOLD}\n\n{'Well. ' * 300}\n\n{TIDES[:150]}").matches
    assert match.certainty == min((one.certainty for one in match.passages), key=CERTAINTIES.index) == "sure"


# ---------------------------------------------------------------------- words in order


def test_a_text_told_again_covers_more_than_it_has_in_order(screened):
    copied, retold = screened(TIDES, TIDES), screened(TIDES, RETOLD)
    assert copied.in_order == copied.matches[0].in_order == 1.0
    assert retold.coverage > 0.9
    assert 0.2 < retold.in_order < 0.75
    assert retold.in_order == pytest.approx(retold.coverage * retold.matches[0].passages[0].in_order, abs=0.01)


def test_what_is_excluded_does_not_count_in_order(screened):
    report = screened(TIDES, f"He wrote.\n\n“{TIDES}”\n\n{TIDES}", exclude_quotations=True)
    assert report.in_order == report.coverage == report.n_covered / report.query.n_counted
    assert report.n_covered < 0.6 * report.query.n_chars


PASSAGES = st.lists(
    st.builds(
        lambda start, length, share: Passage(Span(start, start + length), Span(0, 9), 1.0, "edited", in_order=share),
        st.integers(0, 50),
        st.integers(1, 30),
        st.sampled_from([0.0, 0.25, 0.5, 1.0]),
    ),
    max_size=6,
)


@given(PASSAGES)
def test_each_character_counts_for_its_greatest_share(passages):
    best = [
        max((one.in_order for one in passages if one.query.start <= place < one.query.stop), default=0)
        for place in range(90)
    ]
    found = ordered([Counted(one, [one.query]) for one in passages])
    assert found == pytest.approx(sum(best))
    assert found <= union_length(one.query for one in passages)


def test_words_in_order_of_very_long_sides_are_counted_in_slices():
    words = list(range(ORDERED_WORDS + 10))
    assert ordered_share(words, words) == 1.0
    assert ordered_share(words, words[::-1]) < 0.001


# ---------------------------------------------------------------------- the source, and JSON


def test_a_passage_knows_its_share_of_the_source(screened):
    whole = screened(TIDES, RETOLD).matches[0].passages[0]
    assert whole.of_whole_source
    [part] = screened(f"{TIDES}\n\n{'Then it rained for a week. ' * 60}", TIDES).matches[0].passages
    assert part.source_share == pytest.approx(len(TIDES) / (len(TIDES) + 2 + 27 * 60), abs=0.01)
    assert not part.of_whole_source


def test_certainty_order_and_share_of_the_source_are_in_json(screened):
    report = screened(TIDES, RETOLD)
    [passage] = json.loads(report.to_json())["matches"][0]["passages"]
    assert {"in_order", "certainty", "source_share"} <= set(passage)
    assert Report.from_json(report.to_json()) == report


def test_a_report_without_certainty_is_still_read(screened):
    values = json.loads(screened(TIDES, TIDES).to_json())
    for one in (values, *values["matches"], *(p for match in values["matches"] for p in match["passages"])):
        for name in ("in_order", "certainty", "source_share"):
            one.pop(name, None)
    read = Report.from_json(json.dumps(values))
    assert read.matches[0].certainty is read.in_order is None
    assert replace(read.matches[0].passages[0], source_share=1.0).of_whole_source
