"""Verification: planted copies come back with their exact edges, and nothing else does."""

from __future__ import annotations

import random
import unicodedata
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rapidfuzz.distance import Levenshtein

from pmbf.base.errors import ParameterError
from pmbf.base.span import Span, union_length
from pmbf.passages.neighbours import MAX_NAMED
from pmbf.report import Passage
from pmbf.verify import Prepared, Settings, passages, prepare, with_neighbours
from tests.paired import spelled

ENGLISH = "The tide comes in twice a day, and twice a day it leaves the harbour dry; nobody has ever asked it why."
OTHER = "A carpenter who measures twice will cut the board once, and the board will thank him by fitting the frame."

SCRIPTS = {
    "Latin": ENGLISH,
    "Cyrillic": "Каждое утро старый рыбак выходил на берег, смотрел на серое море и возвращался домой без улова.",
    "Greek": "Κάθε πρωί ο γέρος ψαράς κατέβαινε στην ακτή, κοίταζε τη θάλασσα και γύριζε πάλι στο σπίτι του.",
    "Arabic": "كان الصياد العجوز ينزل كل صباح إلى الشاطئ وينظر إلى البحر الهادئ ثم يعود إلى بيته القديم.",
    "Devanagari": "बूढ़ा मछुआरा हर सुबह समुद्र के किनारे जाता था और शाम को खाली हाथ अपने घर लौट आता था।",
    "Thai": "ชาวประมงชราออกไปที่ชายหาดทุกเช้าแล้วมองดูทะเลสีเทาก่อนจะเดินกลับบ้านมือเปล่า",
    "Chinese": "老渔夫每天清晨都走到海边，望着灰色的大海，然后两手空空地回到村子里的旧房子。",
    "Japanese": "年老いた漁師は毎朝浜辺へ出て灰色の海を眺め、何も捕れないまま古い家へ帰って行った。",
    "Korean": "늙은 어부는 매일 아침 바닷가로 나가 잿빛 바다를 오래 바라보다가 "
    "언제나 빈손으로 마을의 낡은 집에 다시 돌아왔다고 한다.",
}


def found(query: str, source: str, **options: float) -> tuple[Passage, ...]:
    return passages(prepare(query), prepare(source), Settings(**options))  # type: ignore[arg-type]


def slices(query: str, passage: Passage) -> str:
    return query[passage.query.start : passage.query.stop]


def words(rng: random.Random, count: int) -> list[str]:
    """Return words that never make a chance phrase: 26^4 of them."""
    return ["".join(rng.choices("abcdefghijklmnopqrstuvwxyz", k=4)) for _ in range(count)]


def changed(rng: random.Random, originals: list[str], share: float) -> list[str]:
    """Return the words with a share of them replaced, the outermost three on both sides kept."""
    inner = range(3, len(originals) - 3)
    swapped = set(rng.sample(inner, round(share * len(originals))))
    return [word.upper()[::-1] + "x" if place in swapped else word for place, word in enumerate(originals)]


PIECES = ["ab", "cd", "ef,", "gh.", "天", "地", "½", "é\u200b", "ﬁ", "x-\ny"]
TANGLES = st.lists(st.sampled_from(PIECES), max_size=120).map(" ".join)


# Verbatim copies


@pytest.mark.parametrize("text", SCRIPTS.values(), ids=SCRIPTS)
def test_a_verbatim_copy_is_found_to_the_character_in_any_script(text: str) -> None:
    query, source = f"0 1 2. «{text}» 3 4", f"7 8 ({text}) 9"

    [passage] = found(query, source)

    expected = text.rstrip("।")
    assert slices(query, passage)[: len(expected)] == expected
    assert passage.query.start == query.index(text)
    assert passage.source == Span(source.index(text), source.index(text) + len(passage.query))
    assert (passage.similarity, passage.kind) == (1.0, "verbatim")


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        (unicodedata.normalize("NFD", SCRIPTS["Greek"]), SCRIPTS["Greek"]),
        (ENGLISH.replace("a", "a\u200b"), ENGLISH),
        (ENGLISH.replace("harbour", "har\u00adbour"), ENGLISH),
        (ENGLISH.replace("harbour", "har-\nbour"), ENGLISH),
        (ENGLISH.upper(), ENGLISH),
        (ENGLISH.replace(" ", "\u00a0\n"), ENGLISH),
        (f"The ﬁrst oﬃcial {ENGLISH}", f"The first official {ENGLISH}"),
        ("\n".join(SCRIPTS["Chinese"][:-1]), SCRIPTS["Chinese"][:-1]),
    ],
    ids=["decomposed", "zero-width", "soft hyphen", "hyphenated", "capitals", "spaces", "ligatures", "line a letter"],
)
def test_a_copy_written_another_way_is_verbatim_and_found_whole(ours: str, theirs: str) -> None:
    [passage] = found(f"0 1: {ours}", f"2: {theirs}")

    assert passage.query == Span(5, 5 + len(ours))
    assert passage.source == Span(3, 3 + len(theirs))
    assert (passage.similarity, passage.kind) == (1.0, "verbatim")


def test_a_passage_takes_the_closing_marks_that_follow_it_in_both_texts() -> None:
    [passage] = found(f"{ENGLISH}”) Then", f"{ENGLISH}” (More")

    assert passage.query == Span(0, len(ENGLISH) + 1)


def test_a_sentence_of_fifteen_words_is_found_and_an_idiom_is_not() -> None:
    sentence = "She closed the old wooden shutters before the storm reached the valley and the river rose"
    idiom = "at the end of the day it goes without saying that"

    assert len(found(f"0 1 {sentence} 2 3", f"4 5 {sentence} 6 7")) == 1
    assert found(f"{OTHER} And {idiom} 2 3", f"{ENGLISH} But {idiom} 6 7") == ()


@pytest.mark.parametrize("text", ["", " \n", "…!?", "word", "\ud800", "\u200b" * 50])
def test_a_text_with_next_to_nothing_in_it_shares_no_passage(text: str) -> None:
    assert found(text, ENGLISH) == found(ENGLISH, text) == found(text, text) == ()


def test_a_lone_surrogate_moves_no_offset() -> None:
    assert found(f"\ud800 \udfff {ENGLISH}", ENGLISH)[0].query == Span(4, 4 + len(ENGLISH))


# Edited copies


@pytest.mark.parametrize("seed", range(8))
def test_a_copy_with_eight_percent_of_its_words_changed_is_one_passage(seed: int) -> None:
    rng = random.Random(seed)
    original = words(rng, 200)
    copy = " ".join(changed(rng, original, 0.08))
    query = f"{' '.join(words(rng, 300))} {copy} {' '.join(words(rng, 300))}"

    [passage] = found(query, f"{' '.join(words(rng, 50))} {' '.join(original)}")

    assert slices(query, passage) == copy
    assert passage.kind == "edited"
    assert 0.88 < passage.similarity < 0.97


def test_similarity_is_the_normalised_levenshtein_distance_of_the_folded_texts() -> None:
    ours, theirs = ENGLISH.replace("twice a day it leaves", "every day it then left"), ENGLISH

    [passage] = found(ours, theirs)

    plain = [spelled(prepare(text)).spelling for text in (ours, theirs)]
    assert passage.similarity == pytest.approx(Levenshtein.normalized_similarity(*plain))


def test_similarity_of_a_long_passage_never_exceeds_the_exact_one() -> None:
    rng = random.Random(5)
    original = words(rng, 3000)
    ours, theirs = " ".join(changed(rng, original, 0.1)), " ".join(original)

    [passage] = found(ours, theirs)

    exact = Levenshtein.normalized_similarity(ours.lower(), theirs)
    assert exact - 0.01 < passage.similarity <= exact


def test_a_border_moves_over_a_swapped_word_to_the_equal_words_behind_it() -> None:
    query = f"Some say: {ENGLISH} Strange one that is"
    source = f"Some ask: {ENGLISH} Odd one that is"

    [passage] = found(query, source)

    assert slices(query, passage) == f"{ENGLISH} Strange one that is"


def test_an_unrelated_middle_splits_a_chain_that_is_not_similar_enough() -> None:
    rng = random.Random(6)
    left, right = " ".join(words(rng, 20)), " ".join(words(rng, 20))
    middle, other = " ".join(words(rng, 25)), " ".join(words(rng, 25))

    joined = found(f"{left} {middle} {right}", f"{left} {other} {right}", threshold=0.5)
    split = found(f"{left} {middle} {right}", f"{left} {other} {right}", threshold=0.95)

    assert [passage.kind for passage in joined] == ["edited"]
    assert [passage.kind for passage in split] == ["verbatim", "verbatim"]


# Several passages of one source


def test_two_passages_in_swapped_order_are_two_passages() -> None:
    query, source = f"{OTHER} {ENGLISH}", f"{ENGLISH} {OTHER}"

    first, second = found(query, source)

    assert (slices(query, first), slices(query, second)) == (OTHER, ENGLISH)
    assert (first.source.start, second.source.start) == (len(ENGLISH) + 1, 0)


def test_a_paragraph_copied_twice_is_found_twice() -> None:
    query = f"{ENGLISH} Something else stood here before. {ENGLISH}"

    found_in = found(query, f"{OTHER} {ENGLISH}")

    assert [slices(query, passage) for passage in found_in] == [ENGLISH, ENGLISH]
    assert len({passage.source for passage in found_in}) == 1


def test_a_copy_of_a_later_passage_is_whole_though_its_phrases_stand_earlier_in_the_source() -> None:
    rng = random.Random(7)
    formulas = [" ".join(words(rng, 12)) for _ in range(6)]
    clauses = [" ".join(words(rng, 6)) for _ in range(12)]
    act = " ".join(f"{clause} {formula}" for clause, formula in zip(clauses[6:], formulas, strict=True))
    earlier = " ".join(f"{clause} {formula}" for clause, formula in zip(clauses, reversed(formulas), strict=False))
    source = f"{earlier} {act}"

    [passage] = found(act, source)

    assert passage.source == Span(len(earlier) + 1, len(source))


def test_a_character_that_is_several_tokens_belongs_to_one_passage() -> None:
    query = "㍿" * 40 + ENGLISH + "½" * 40

    found_in = found(query, "株式会社" * 30 + ENGLISH + " 1 2" * 40)

    assert all(one.query.stop <= two.query.start for one, two in pairwise(found_in))


# Promises


@st.composite
def planted(draw: st.DrawFn) -> tuple[str, str, list[tuple[str, int]]]:
    """Return a query, a source and the copies in the query with where they begin."""
    rng = random.Random(draw(st.integers(0, 2**32)))
    chapters = [" ".join(words(rng, draw(st.integers(25, 60)))) for _ in range(draw(st.integers(1, 5)))]
    picks = draw(st.lists(st.integers(0, len(chapters) - 1), max_size=6))
    query, copies = "", []
    for pick in picks:
        query += " ".join(words(rng, draw(st.integers(31, 50)))) + ". "
        copies.append((chapters[pick], len(query)))
        query += chapters[pick] + "; "
    source = " — ".join(f"{' '.join(words(rng, draw(st.integers(1, 20))))} {chapter}" for chapter in chapters)
    return query, source, copies


@settings(max_examples=60, deadline=None)
@given(planted())
def test_every_planted_copy_is_found_with_its_exact_edges(case: tuple[str, str, list[tuple[str, int]]]) -> None:
    query, source, copies = case

    found_in = found(query, source)

    assert [passage.query for passage in found_in] == [Span(at, at + len(copy)) for copy, at in copies]
    assert [source[passage.source.start : passage.source.stop] for passage in found_in] == [copy for copy, _ in copies]


@settings(max_examples=150, deadline=None)
@given(
    TANGLES,
    TANGLES,
    st.sampled_from([0.0, 0.5, 0.9]),
)
def test_spans_are_in_bounds_and_disjoint_and_verbatim_ones_have_equal_words(
    query: str, source: str, threshold: float
) -> None:
    found_in = found(query, source, min_chars=8, threshold=threshold)

    spans = [passage.query for passage in found_in]
    assert spans == sorted(spans)
    assert union_length(spans) == sum(map(len, spans)) <= len(query)
    for passage in found_in:
        assert 0 <= passage.query.start < passage.query.stop <= len(query)
        assert 0 <= passage.source.start < passage.source.stop <= len(source)
        assert threshold <= passage.similarity <= 1
        ours, theirs = slices(query, passage), source[passage.source.start : passage.source.stop]
        assert passage.kind != "verbatim" or "½" in ours + theirs or same_words(ours, theirs)


def same_words(one: str, other: str) -> bool:
    return np.array_equal(prepare(one).tokens.hashes, prepare(other).tokens.hashes)


def test_the_same_comparison_gives_the_same_passages() -> None:
    rng = random.Random(8)
    query, source = (prepare(" ".join(rng.choices(words(random.Random(9), 6), k=2000))) for _ in range(2))

    assert passages(query, source) == passages(query, source) == passages(query, prepare(source.text))


# Hostile texts: no timing here, but a quadratic step would not come back


@pytest.mark.parametrize(
    ("query", "source"),
    [
        ("word " * 200_000, "word " * 200_000),
        ("word " * 200_000, "word " * 100),
        ("word " * 100, "word " * 200_000),
        ("天" * 200_000, "天" * 200_000),
        ("to be or " * 60_000, "or not to " * 60_000),
    ],
    ids=["same word", "long against short", "short against long", "same letter", "same phrase"],
)
def test_endless_repetition_is_covered_by_disjoint_passages(query: str, source: str) -> None:
    spans = [passage.query for passage in found(query, source)]

    assert union_length(spans) == sum(map(len, spans)) <= len(query)
    assert bool(spans) == ("not" not in source)


def test_two_endless_words_between_equal_words_are_not_compared_letter_by_letter() -> None:
    made = passages(prepare(f"a b c d {'x' * 300_000} e f g h"), prepare(f"a b c d {'y' * 300_000} e f g h"))
    assert [("reworded", None)] == [(one.kind, one.scores.characters) for one in made]


# Settings


@pytest.mark.parametrize(
    "options", [{"seed_tokens": 0}, {"max_gap_tokens": -1}, {"min_chars": 0}, {"threshold": 1.5}, {"threshold": -0.1}]
)
def test_a_setting_outside_its_range_is_refused(options: dict[str, float]) -> None:
    with pytest.raises(ParameterError, match=next(iter(options))):
        Settings(**options)  # type: ignore[arg-type]


def test_a_passage_is_as_long_as_the_settings_ask() -> None:
    assert len(found(ENGLISH, ENGLISH, min_chars=len(ENGLISH) - 1)) == 1
    assert found(ENGLISH, ENGLISH, min_chars=len(ENGLISH) + 1) == ()


def test_a_prepared_text_serves_any_seed_length() -> None:
    query: Prepared = prepare(ENGLISH)

    assert {len(passages(query, query, Settings(seed_tokens=n))) for n in (1, 4, 20)} == {1}
    assert passages(query, query, Settings(seed_tokens=32)) == ()


# Across the documents of one query


def at(start: int, stop: int) -> Passage:
    return Passage(Span(start, stop), Span(0, stop - start), 1.0, "verbatim")


def places(passage: Passage) -> set[int]:
    return set(range(passage.query.start, passage.query.stop))


def test_a_passage_names_the_documents_that_hold_four_fifths_of_it() -> None:
    most, less, parts = (at(0, 80),), (at(0, 79),), (at(0, 41), at(55, 99))

    named = with_neighbours({1: (at(0, 100),), 5: most, 4: less, 3: parts})

    assert named[1][0].also_in == (5, 3)
    assert named[5][0].also_in == (1, 4, 3)
    assert named[3][0].also_in == (1, 5, 4)


def test_a_long_passage_hides_no_short_neighbour() -> None:
    named = with_neighbours({1: (at(0, 10_000),), 2: (at(9_000, 9_100),), 3: (at(9_010, 9_100),)})

    assert [named[document][0].also_in for document in (1, 2, 3)] == [(), (1, 3), (1, 2)]


def test_thousands_of_holders_are_named_up_to_a_bound() -> None:
    named = with_neighbours({document: (at(document % 7, 500),) for document in range(3000)})

    assert named[2999][0].also_in == tuple(range(MAX_NAMED))
    assert named[0][0].also_in == tuple(range(1, MAX_NAMED + 1))


def test_no_documents_and_no_passages_stay_as_they_are() -> None:
    assert with_neighbours({}) == {}
    assert with_neighbours({7: ()}) == {7: ()}


@settings(max_examples=100, deadline=None)
@given(st.lists(st.lists(st.integers(0, 60), min_size=2, max_size=8, unique=True).map(sorted), max_size=6))
def test_neighbours_are_those_a_plain_count_finds(borders: list[list[int]]) -> None:
    documents = {
        index: tuple(at(start, stop) for start, stop in zip(row[::2], row[1::2], strict=False))
        for index, row in enumerate(borders)
    }
    held = {index: set().union(*map(places, row)) for index, row in documents.items()}

    for index, row in with_neighbours(documents).items():
        for passage in row:
            ours = places(passage)
            expected = [other for other in held if other != index and len(ours & held[other]) >= 0.8 * len(ours)]
            assert list(passage.also_in) == expected
