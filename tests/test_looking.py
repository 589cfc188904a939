"""The second look: of the documents that share little with a query, those with its other words are compared."""

from __future__ import annotations

import random
import shutil
from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from pmbf import Collection
from pmbf.base.params import Params
from pmbf.fingerprint import query_sample
from pmbf.intake.texts import Text
from pmbf.screen.candidates import Candidate
from pmbf.screen.looking import LEAST_SAID, chosen, go_on
from pmbf.screen.options import SENSITIVITIES, Doubts
from pmbf.screen.screened import Screened
from pmbf.store.generation import Generation

RNG = random.Random(3)
WORDS = ["".join(RNG.choices("bcdfghjklmnpqrstvwxz", k=7)) for _ in range(3000)]
DOUBTS = Doubts(n_looked_at=9, n_compared=2, n_unseen=3)
MORE = Doubts(n_looked_at=9, n_compared=4, n_unseen=4)


def doubtful(document: int, evidence: float) -> Candidate:
    return Candidate(document, 1, evidence, (0, 9))


def prose(n_words: int, seed: int) -> list[str]:
    return random.Random(seed).choices(WORDS, k=n_words)


def reworded(words: list[str], seed: int) -> list[str]:
    """Return words of which every third is another one, and each pair stands in either order."""
    rng = random.Random(seed)
    some = [rng.choice(WORDS) if at % 3 == 2 else word for at, word in enumerate(words)]
    pairs = [some[at : at + 2] for at in range(0, len(some), 2)]
    return [word for pair in pairs for word in (pair if rng.random() < 0.5 else pair[::-1])]


def test_a_sure_document_is_compared_whatever_its_words_say() -> None:
    sure, others = Candidate(9, 9, 60.0), [doubtful(number, 20.0) for number in range(4)]

    assert chosen([sure, *others], dict.fromkeys(range(4), LEAST_SAID - 1), DOUBTS) == ([sure], [])


def test_a_few_documents_are_compared_whatever_their_words_say() -> None:
    some = [doubtful(number, 20.0 - number) for number in range(6)]

    assert chosen(some, dict.fromkeys(range(6), LEAST_SAID - 1), MORE) == (some[:1], [])


def test_few_doubtful_documents_are_all_compared() -> None:
    some = [doubtful(number, 20.0) for number in range(3)]

    assert chosen(some, dict.fromkeys(range(3), LEAST_SAID - 1), DOUBTS) == (some, [])


def test_the_documents_are_compared_for_which_evidence_and_words_say_most() -> None:
    some = [doubtful(1, 22.0), doubtful(2, 20.0), doubtful(3, 19.0), doubtful(4, 18.0)]
    said = {1: LEAST_SAID, 2: LEAST_SAID + 9, 3: LEAST_SAID - 0.1, 4: LEAST_SAID + 30}

    assert chosen(some, said, DOUBTS) == ([some[1], some[3]], [some[0]])


def test_without_word_lists_evidence_alone_decides() -> None:
    some = [doubtful(number, 20.0 - number) for number in range(5)]

    assert chosen(some, {}, DOUBTS) == (some[:3], [])


def test_a_document_without_a_list_among_others_is_not_left_out() -> None:
    some = [doubtful(1, 30.0), doubtful(2, 20.0), doubtful(3, 20.0), doubtful(4, 20.0)]
    said = {2: LEAST_SAID + 1, 3: LEAST_SAID - 1, 4: LEAST_SAID - 1}

    assert chosen(some, said, DOUBTS) == (some[:2], [])


def source(document: int, *, shares: bool) -> Any:
    return SimpleNamespace(document=SimpleNamespace(id=document), passages=("a passage",) if shares else ())


def gone_on(n_sharing: int) -> tuple[Screened, list[list[int]]]:
    """Return a query that was compared with four doubtful documents, some of which share passages, and with a sure one;
    and the documents of each comparison after that."""
    query = Screened(Text("", ""), query_sample("", Params()))
    query.candidates = [Candidate(9, 9, 60.0), *(doubtful(number, 20.0) for number in range(4))]
    query.later = [doubtful(7, 18.0), doubtful(8, 17.0)]
    query.shared = [source(9, shares=True), *(source(number, shares=number < n_sharing) for number in range(4))]
    asked = list[list[int]]()

    def compare(batch: Sequence[Screened]) -> None:
        for one in batch:
            asked.append([candidate.document for candidate in one.candidates])
            one.shared = [source(candidate.document, shares=True) for candidate in one.candidates]

    go_on([query], compare)
    return query, asked


def test_comparisons_go_on_if_a_fourth_of_the_doubtful_documents_brings_something() -> None:
    query, asked = gone_on(1)

    assert asked == [[7, 8]]
    assert [one.document for one in query.candidates] == [9, 0, 1, 2, 3, 7, 8]
    assert [one.document.id for one in query.shared if one.passages] == [9, 0, 7, 8]


def test_comparisons_in_vain_end() -> None:
    query, asked = gone_on(0)

    assert asked == []
    assert [one.document for one in query.candidates] == [9, 0, 1, 2, 3]


@pytest.mark.parametrize("sensitivity", SENSITIVITIES)
def test_a_short_query_looks_at_fewer_documents(sensitivity: str) -> None:
    long, short = SENSITIVITIES[sensitivity].of(5000), SENSITIVITIES[sensitivity].of(40)

    assert all(few <= many for few, many in zip(short, long, strict=True))
    assert long == SENSITIVITIES[sensitivity]


@pytest.fixture(scope="module")
def phrases(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """Return a collection whose documents share phrases with a text, one of them a reworded passage; and the text."""
    query = prose(1500, 1)
    passage = query[700:800]
    folder = tmp_path_factory.mktemp("phrases")
    rng = random.Random(5)
    texts = []
    with Collection(folder / "c.pmbf", create=True) as collection:
        for number in range(150):
            words = prose(400, 100 + number)
            for _ in range(3):
                at, here = rng.randrange(len(query) - 4), rng.randrange(len(words) - 4)
                words[here : here + 4] = query[at : at + 4]
            texts.append((f"phrases-{number}", " ".join(words)))
        texts.append(("source", " ".join([*prose(150, 8), *reworded(passage, 9), *prose(150, 10)])))
        collection.add_many(texts)
    return folder / "c.pmbf", " ".join(query)


@pytest.mark.parametrize("damage", ["garbage", "missing", "cut", "hostile"])
def test_damaged_word_lists_are_told_and_evidence_alone_decides(
    phrases: tuple[Path, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, damage: str
) -> None:
    path = Path(shutil.copytree(phrases[0], tmp_path / "c.pmbf"))
    [records] = (path / "fingerprints").iterdir()
    content = records.read_bytes()
    if damage == "missing":
        records.unlink()
    elif damage == "cut":
        records.write_bytes(content[: len(content) // 2])
    elif damage == "garbage":
        records.write_bytes(content[:64] + bytes(len(content) - 64))
    else:
        octets = np.frombuffer(b"\1\0\0\0\2\0\0\0", np.uint8)
        monkeypatch.setattr(
            Generation, "words_of", lambda _, ids: (octets, np.where(np.arange(len(ids) + 1) > 0, len(octets), 0))
        )

    with Collection(path) as collection:
        report = collection.screen(phrases[1])

    assert len(report.warnings) == 1
    assert report.n_candidates >= SENSITIVITIES["normal"].n_unseen


def test_a_reworded_source_is_found_among_many_that_share_phrases(phrases: tuple[Path, str]) -> None:
    folder, query = phrases

    with Collection(folder) as collection:
        report = collection.screen(query)

    assert [match.document.path for match in report.matches] == ["source"]
    assert report.n_candidates <= SENSITIVITIES["normal"].n_compared + 1
    assert not report.problems
