"""Texts on one topic that share no text: what is no passage between them, and how the experiment chooses its pairs."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from conftest import words

from experiments import alignment
from pmbf.collection import Collection
from pmbf.kernels.reference_likeness import sorted_similarity
from pmbf.kernels.reference_pieces import JudgedTexts
from pmbf.kernels.reference_reworded import LONG_CHARS, alike_enough
from pmbf.passages.compare import bars_of
from pmbf.report import Span
from pmbf.screen.folder import word_statistics
from pmbf.store.folder import Store
from pmbf.verify import Settings, prepare
from tests.paired import pair_of, spelled

N_WORDS = 250


def sides(n_common: int, *, shuffled: bool) -> tuple[str, str]:
    """Return two texts that have so many words in common, in order or not; seed 5."""
    chosen = random.Random(5)
    ours = [f"o{chosen.randrange(9000):04}" for _ in range(N_WORDS)]
    theirs = [f"t{chosen.randrange(9000):04}" for _ in range(N_WORDS)]
    places = sorted(chosen.sample(range(N_WORDS), n_common))
    for place, other in zip(places, chosen.sample(places, n_common) if shuffled else places, strict=True):
        ours[place] = theirs[other] = f"c{place:04}"
    return " ".join(ours), " ".join(theirs)


@pytest.mark.parametrize(
    ("n_common", "shuffled", "expected"), [(150, False, True), (150, True, False), (200, True, True)]
)
def test_a_long_passage_keeps_half_its_words_or_some_of_them_in_order(
    n_common: int, shuffled: bool, expected: bool
) -> None:
    query, source = map(prepare, sides(n_common, shuffled=shuffled))
    whole = Span(0, N_WORDS)
    pair = pair_of(query, source, None, Settings().rules)
    texts = JudgedTexts(spelled(query), spelled(source), pair, bars_of(Settings()))
    similarity = sorted_similarity(texts.query.keys_in(whole), texts.source.keys_in(whole))

    assert len(query.text) > LONG_CHARS and similarity > Settings().reworded_threshold
    assert expected == alike_enough(texts, whole, whole, similarity)


def test_pairs_of_one_topic_share_neither_equal_nor_nearly_equal_words(tmp_path: Path) -> None:
    chosen = random.Random(6)
    texts = [[f"{letter}{chosen.randrange(9000):04}" for _ in range(400)] for letter in "abcd"]
    heading = [f"h{number}" for number in range(12)]
    texts[0][50:50], texts[1][90:90] = heading, [*heading[:4], "x", *heading[5:8], "y", heading[9], "z", heading[11]]
    texts[2][200:200], texts[3][10:10] = heading[:7], heading[:7]
    for number, text in enumerate(texts):
        (tmp_path / f"{number}.txt").write_text(" ".join(text), encoding="utf-8")

    pairs = alignment._clean_pairs(sorted(tmp_path.iterdir()), random.Random(1))

    names = {frozenset((one.stem, other.stem)) for one, other in pairs}
    assert {frozenset(pair) for pair in ("02", "03", "12", "13", "23")} == names


def test_texts_are_compared_as_a_screening_does_with_the_words_of_the_query(tmp_path: Path) -> None:
    texts = {str(seed): " the ".join(words(seed, 500).split()) for seed in range(12)}
    copied = texts["3"][2000:2200]
    query = " the ".join([words(99, 400), copied, *copied.split()[::-1] * 5])
    with Collection(tmp_path / "c.pmbf", create=True) as collection:
        collection.add_many(texts.items())
        [match] = collection.screen(query).matches
    with Store(tmp_path / "c.pmbf") as store:
        statistics = word_statistics(store)
    assert statistics is not None

    found = alignment.as_screened(prepare(query), prepare(texts["3"]), statistics)

    assert [one.evidence for one in found] == [one.evidence for one in match.passages]
