"""Pieces of one passage: what is told as one, and what apart."""

from __future__ import annotations

import random

import pytest

from pmbf.kernels import NAT
from pmbf.kernels.reference_judge import joined
from pmbf.kernels.reference_pieces import JudgedTexts, SharedPiece
from pmbf.passages.compare import bars_of
from pmbf.passages.settings import SURE_CHARS
from pmbf.report import Passage, Span
from pmbf.screen import Options, comparing
from pmbf.verify import Settings, Statistics, passages, prepare
from tests.paired import pair_of, spelled

WORDS = [f"{head}{tail}" for head in ("mar", "tol", "ber", "sun", "kep", "dra") for tail in range(400)]
COMMON = ["the", "of", "and", "in", "to", "a"]


def prose(seed: int, n_words: int) -> list[str]:
    """Return words of which every third is a common one."""
    chosen = random.Random(seed)
    return [chosen.choice(COMMON if place % 3 == 0 else WORDS) for place in range(n_words)]


def found_in(query: list[str], source: list[str], settings: Settings | None = None) -> tuple[Passage, ...]:
    """Return the passages that two texts share, each with other words around."""
    statistics = Statistics.of(prepare(" ".join(prose(seed, 600))).words for seed in range(100, 130))
    texts = [
        prepare(" ".join([*prose(seed, 200), *words, *prose(seed + 1, 200)]) + ".")
        for seed, words in ((1, query), (3, source))
    ]
    return passages(*texts, settings or Settings(), statistics)


def compared(query: list[str], source: list[str]) -> list[tuple[str, float]]:
    """Return the kinds of what two texts share, with the share of the query each has."""
    return [(one.kind, len(one.query) / len(" ".join(query))) for one in found_in(query, source)]


def swapped(pieces: list[list[str]]) -> list[str]:
    return [word for place in (2, 0, 3, 1) for word in pieces[place]]


def test_phrases_in_another_order_are_one_reworded_passage() -> None:
    source, chosen = prose(9, 320), random.Random(5)
    phrases = [source[start : start + 8] for start in range(0, 320, 8)]
    moved = sorted(range(40), key=lambda place: place + 14 * chosen.random())

    [(kind, share)] = compared([word for place in moved for word in phrases[place]], source)

    assert kind == "reworded" and share > 0.95


def test_verbatim_paragraphs_in_another_order_stay_verbatim() -> None:
    source = prose(9, 160)
    pieces = [source[start : start + 40] for start in range(0, 160, 40)]

    assert ["verbatim"] * 4 == [kind for kind, _ in compared(swapped(pieces), source)]


@pytest.mark.parametrize(("gap", "gap_there", "expected"), [(0, 40, 1), (30, 40, 1), (40, 0, 2), (0, 90, 2)])
def test_what_the_query_leaves_out_of_the_source_parts_no_passage(gap: int, gap_there: int, expected: int) -> None:
    one, other = prose(11, 60), prose(12, 60)
    query, source = (prepare(" ".join([*one, *prose(13 + n, n), *other])) for n in (gap, gap_there))
    pieces = [
        SharedPiece(Span(0, 60), Span(0, 60), 0.9, "reworded"),
        SharedPiece(Span(60 + gap, 120 + gap), Span(60 + gap_there, 120 + gap_there), 0.9, "reworded"),
    ]

    pair = pair_of(query, source, None, Settings().rules)

    assert expected == len(joined(JudgedTexts(spelled(query), spelled(source), pair, bars_of(Settings())), pieces))


@pytest.mark.parametrize(("seed", "expected"), [(7, 1), (8, 1), (6, 0)])
def test_what_a_short_passage_lacks_in_likeness_its_words_must_say(seed: int, expected: int) -> None:
    """Nearly half of the words are replaced, the others shuffled. Seed 6 leaves the fewest rare ones."""
    chosen, source = random.Random(seed), prose(9, 45)
    kept = [word if chosen.random() < 0.55 else chosen.choice(WORDS) for word in source]
    query = [word for start in range(0, 45, 9) for word in chosen.sample(kept[start : start + 9], 9)]
    wary = Settings(short_doubt=comparing.SHORT_DOUBT, least_topical_evidence=comparing.TOPICAL_EVIDENCE)
    [passage] = found_in(query, source)
    doubt = wary.short_doubt * (1 - len(passage.query) / SURE_CHARS)
    assert passage.similarity < wary.reworded_threshold + doubt
    assert expected == len(found_in(query, source, wary))


def test_a_passage_explored_may_lack_likeness_as_one_found_step_by_step() -> None:
    chosen, source = random.Random(7), prose(9, 45)
    kept = [word if chosen.random() < 0.55 else chosen.choice(WORDS) for word in source]
    query = [word for start in range(0, 45, 9) for word in chosen.sample(kept[start : start + 9], 9)]

    [passage] = found_in(query, source, Settings(short_doubt=0.9, least_topical_evidence=12.0))

    assert passage.kind == "reworded"


def test_a_short_reworded_passage_is_doubted_more_the_more_documents_there_are() -> None:
    query = prepare("a text of a few words")

    options = Options()
    asked = options.min_chars, options.min_similarity, options.summaries, query.n_letters, query.n_words
    settings = [comparing.settings_of(*asked, n) for n in (1, 5, 300, 1000, 100_000)]
    doubts = [one.short_doubt for one in settings]

    assert doubts[0] == 0 and doubts == sorted(doubts)
    assert doubts[-2] == doubts[-1] == comparing.SHORT_DOUBT
    summaries = [one.rules.summary_times / NAT for one in settings]
    assert summaries[0] == 0 and summaries == sorted(summaries)
    assert summaries[-2] == summaries[-1] == comparing.SUMMARY_TIMES
