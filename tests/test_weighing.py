"""What a passage says for copying: more for longer runs, for rarer words, for what stands in one piece."""

from __future__ import annotations

import random
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pmbf import Collection
from pmbf.base.span import Span
from pmbf.kernels import NAT
from pmbf.kernels.reference_pieces import SharedPiece, rare_likeness
from pmbf.kernels.reference_refine import NumberedPair
from pmbf.report import Passage
from pmbf.verify import Settings, Statistics, passages, prepare

RNG = random.Random(11)
COMMON = ["the", "of", "and", "to", "in", "is", "that", "for", "with", "as"]
WORDS = ["".join(RNG.choices("bcdfghjklmnpqrstvwxz", k=7)) for _ in range(4000)]
KNOWN = Statistics.of(
    prepare(" ".join(RNG.choice(COMMON) if RNG.random() < 0.4 else RNG.choice(WORDS) for _ in range(1000))).words
    for _ in range(40)
)


def in_groups(words: list[str], size: int) -> list[list[str]]:
    return [words[start : start + size] for start in range(0, len(words), size)]


def fresh(n_words: int, seed: int) -> list[str]:
    """Return words of which none stands anywhere else."""
    rng = random.Random(seed)
    return ["".join(rng.choices("aeioumn", k=9)) for _ in range(n_words)]


def prose(n_words: int, seed: int) -> list[str]:
    rng = random.Random(seed)
    return [rng.choice(COMMON) if rng.random() < 0.4 else word for word in fresh(n_words, seed)]


def surrounded(words: list[str], seed: int, n_words: int = 300) -> str:
    return " ".join([*prose(n_words, seed), *words, *prose(n_words, seed + 1)])


def evidence(ours: list[str], theirs: list[str]) -> float:
    """Return what the passages of two texts say that have some words each among others of their own."""
    query, source = prepare(surrounded(ours, 100)), prepare(surrounded(theirs, 200))
    return sum(passage.evidence for passage in passages(query, source, Settings(), KNOWN))


def test_longer_runs_say_more() -> None:
    said = [evidence(WORDS[:n], WORDS[:n]) for n in (12, 20, 40, 200)]

    assert 0 < said[0] < said[1] < said[2] < said[3]


def test_rarer_words_say_more() -> None:
    phrases = [word for pair in zip(COMMON * 2, WORDS, strict=False) for word in pair]

    assert evidence(phrases, phrases) < evidence(WORDS[: len(phrases)], WORDS[: len(phrases)])


def test_a_run_says_more_than_the_same_words_in_pieces() -> None:
    changed = [word if place % 6 else fresh(1, place)[0] for place, word in enumerate(WORDS[:60])]

    assert 0 < evidence(changed, WORDS[:60]) < evidence(WORDS[:50], WORDS[:50])


def test_what_is_shuffled_says_something_and_less_than_a_copy() -> None:
    rng = random.Random(5)
    shuffled = [word for some in in_groups(WORDS[:120], 12) for word in rng.sample(some, len(some))]

    assert 22 < evidence(shuffled, WORDS[:120]) < evidence(WORDS[:120], WORDS[:120]) / 2


def test_a_form_filled_in_twice_is_no_copy_and_a_copy_with_other_small_words_is() -> None:
    form = [word for pair in zip(COMMON, WORDS, strict=False) for word in pair]
    for others, n_told in ((fresh(3, 1), 0), (["by", "or", "at"], 1)):
        changed, rare = list(form), others[0] not in ("by",)
        for place, other in zip((2, 8, 14), others, strict=True):
            changed[place + rare] = other
        query, source = prepare(surrounded(changed, 100)), prepare(surrounded(form, 200))

        assert len(passages(query, source, Settings(), KNOWN)) == n_told


def test_a_word_said_again_and_again_says_little() -> None:
    assert evidence(["echo"] * 400, ["echo"] * 400) < evidence(WORDS[:400], WORDS[:400]) / 2


@pytest.mark.parametrize("letters", ["漁夫海邊望灰色村子空手回到清晨大", "กขคงจฉชซญดตถทธนบปผฝพ"], ids=["Han", "Thai"])
def test_letters_that_are_tokens_say_less_than_words(letters: str) -> None:
    copied = random.Random(3).choices(letters, k=60)

    [passage] = passages(prepare("".join(copied)), prepare("".join(copied)), Settings(), KNOWN)

    assert 0 < passage.evidence < evidence(WORDS[:60], WORDS[:60])


@given(st.lists(st.sampled_from([*COMMON, *WORDS[:20], "天", "地", "ก"]), min_size=1, max_size=80))
def test_evidence_is_never_negative_and_has_one_decimal(words: list[str]) -> None:
    text = prepare(" ".join(words))
    settings = Settings(seed_tokens=1, min_chars=1, least_evidence=0.0)

    found: tuple[Passage, ...] = passages(text, prepare(" ".join(words[::-1])), settings)

    assert all(passage.evidence == round(passage.evidence, 1) >= 0 for passage in found)


def test_the_copied_paragraph_comes_before_the_long_list_in_other_words(tmp_path) -> None:
    paragraph, rows = WORDS[:40], in_groups(WORDS[100:400], 3)
    theirs = [word for number, row in enumerate(rows) for word in (*row, *fresh(2, number))]
    ours = [word for number, row in enumerate(rows) for word in (*row, *fresh(2, number + 500))]
    with Collection(tmp_path / "c.pmbf", create=True) as collection:
        collection.add(surrounded(theirs, 1), name="list")
        collection.add(surrounded(paragraph, 3), name="paragraph")

        report = collection.screen(surrounded(ours + fresh(30, 9) + paragraph, 5))
        assert collection.check().problems == []

    first, second = report.matches
    assert (first.document.path, second.document.path) == ("paragraph", "list")
    assert first.evidence > second.evidence
    assert first.n_covered < second.n_covered
    assert first.evidence == sum(passage.evidence for passage in first.passages)


CLASSES = st.lists(st.integers(0, 5), min_size=1, max_size=30)


@given(CLASSES, CLASSES, st.lists(st.integers(0, 9000), min_size=6, max_size=6))
def test_likeness_is_twice_the_weight_in_common_by_the_weight_of_all(ours, theirs, rarities) -> None:
    borders = [0] * (len(ours) + 1), [0] * (len(theirs) + 1)
    pair = NumberedPair((ours, theirs), borders, rarities, [0] * 6)
    piece = SharedPiece(Span(0, len(ours)), Span(len(theirs) // 2, len(theirs)), 1.0, "edited")
    one, other = Counter(ours), Counter(theirs[len(theirs) // 2 :])
    weight = [sum(n * (rarities[kind] + NAT) for kind, n in some.items()) for some in (one & other, one, other)]

    assert rare_likeness(pair, piece) == 2 * weight[0] / (weight[1] + weight[2])
