"""A query that is one equal run of the source is verbatim, and needs no alignment."""

from __future__ import annotations

import random

import numpy as np
import pytest

from pmbf.kernels import JudgedPassages, reference_judge
from pmbf.report import Passage
from pmbf.verify import Settings, Statistics, passages, prepare
from tests.paired import compare_two, step_by_step

USUAL = ["aber", "auch", "dann", "doch", "eine", "hier", "immer", "jetzt", "noch", "oder", "sehr", "viel"]
STATISTICS = Statistics.of(prepare(" ".join(random.Random(seed).choices(USUAL, k=1000))).words for seed in range(40))


def rare(rng: random.Random, n_words: int) -> list[str]:
    return ["".join(rng.choices("abcdefgh", k=6)) for _ in range(n_words)]


def prose(rng: random.Random, n_words: int) -> list[str]:
    """Return words of which every third is rare, in sentences."""
    words = [rare(rng, 1)[0] if place % 3 else rng.choice(USUAL) for place in range(n_words)]
    return [f"{word}." if place % 12 == 11 else word for place, word in enumerate(words)]


def shuffled_again(rng: random.Random, n_times: int) -> str:
    """Return a list that stands several times in a text, each time in another order, with usual words between."""
    rows = [rare(rng, 7) for _ in range(10)]
    lines = []
    for _ in range(n_times):
        lines += [" ".join(rng.sample(row, len(row))) for row in rng.sample(rows, len(rows))]
        lines += [" ".join(rng.choices(USUAL, k=9)) for _ in range(12)]
    return ". ".join(lines)


def found_in(query: str, source: str, statistics: Statistics | None = STATISTICS) -> tuple[Passage, ...]:
    return passages(prepare(query), prepare(source), Settings(), statistics)


def edges_without_the_rule(query: str, source: str) -> list[list[int]]:
    """Return where passages begin and end in tokens of both texts, alignments being looked for in any case."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(reference_judge, "is_one_run", lambda *_: False)
        return edges_of(step_by_step(prepare(query), source, Settings(), STATISTICS))


def edges_with_the_rule(query: str, source: str) -> list[list[int]]:
    return edges_of(compare_two(prepare(query), prepare(source), Settings(), STATISTICS))


def edges_of(found: JudgedPassages) -> list[list[int]]:
    edges: list[list[int]] = np.column_stack([found.edges, found.kinds]).tolist()
    return edges


@pytest.mark.parametrize("statistics", [STATISTICS, None])
@pytest.mark.parametrize("seed", range(8))
def test_a_text_that_repeats_itself_in_another_order_is_verbatim_beside_itself(
    seed: int, statistics: Statistics | None
) -> None:
    text = shuffled_again(random.Random(seed), 4)

    [found] = found_in(text, text, statistics)

    assert (found.kind, found.query, found.similarity) == ("verbatim", found.source, 1.0)
    assert len(found.query) == len(text)


@pytest.mark.parametrize("seed", range(40))
def test_what_is_found_without_alignments_is_what_alignments_leave(seed: int) -> None:
    rng = random.Random(seed)
    words = prose(rng, 600)
    start, n = rng.randrange(200), rng.randrange(30, 400)
    ends = [" ".join(rare(rng, rng.randrange(11))) for _ in range(2)]
    query, source = " ".join([ends[0], *words[start : start + n], ends[1]]), " ".join(words)

    assert edges_with_the_rule(query, source) == edges_without_the_rule(query, source)
    assert [one.kind for one in found_in(query, source)] == ["verbatim"]


def test_reworded_sentences_beside_a_copied_paragraph_are_found_as_without_the_rule() -> None:
    pairs = []
    for seed in range(24):
        rng = random.Random(seed)
        copied, reworded = prose(rng, 300), " ".join(prose(rng, rng.choice([24, 60, 120]))).split(". ")
        shuffled = ". ".join(" ".join(rng.sample(one.split(), len(one.split()))) for one in reworded)
        parts = [" ".join(copied), shuffled]
        source = ". ".join([*reworded, " ".join(prose(rng, 200)), " ".join(copied)])
        pairs.append((". ".join(rng.sample(parts, 2)), source))

    for pair in pairs:
        assert edges_with_the_rule(*pair) == edges_without_the_rule(*pair)
    assert any(one.kind == "reworded" for pair in pairs for one in found_in(*pair))
