"""Three data sets, each in three houses: the united sites answer as one collection with all texts does."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from pmbf import Collection
from pmbf.sentences import SentenceReport
from tests.conftest import ROOT
from tests.sentences.texts import WORDS, text
from tests.sites.houses import House, built, houses

HAN = [chr(0x4E00 + number) for number in range(0, 6000, 7)]


def han(seed: int) -> str:
    """Return a sentence of Chinese letters of its own for each seed."""
    chance = random.Random(seed)
    return "".join(chance.choices(HAN, k=24)) + "。"


def edited(one: str, chance: random.Random) -> str:
    """Return a text with a tenth of its words replaced."""
    return " ".join(chance.choice(WORDS) if chance.random() < 0.1 else word for word in one.split(" "))


def library() -> tuple[dict[str, str], list[str]]:
    """Return the examples, and texts that take from them."""
    examples = ROOT / "examples"
    texts = {path.name: path.read_text() for path in sorted((examples / "library").iterdir()) if path.suffix != ".html"}
    queries = [path.read_text() for path in sorted((examples / "suspicious").iterdir())]
    return texts, [*queries, " ".join(one[300:900] for one in texts.values())]


def made_up() -> tuple[dict[str, str], list[str]]:
    """Return texts that share sentences, and texts with edited parts of them and sentences of nobody."""
    chance = random.Random(5)
    texts = {f"{number}.txt": text(*chance.sample(range(120), 12)) for number in range(21)}
    queries = []
    for _ in range(6):
        parts = [edited(text(*range(start, start + 4)), chance) for start in chance.sample(range(0, 130, 4), 9)]
        queries.append("\n\n".join([*parts, text(chance.randrange(900, 999)), "Yes."]))
    return texts, queries


def chinese() -> tuple[dict[str, str], list[str]]:
    """Return texts without spaces, and texts that take from three of them each."""
    chance = random.Random(6)
    texts = {f"{number}.txt": "".join(map(han, range(10 * number, 10 * number + 10))) for number in range(12)}
    queries = ["".join(map(han, [*chance.sample(range(120), 6), *range(60, 66), 500])) for _ in range(4)]
    return texts, queries


@pytest.fixture(scope="module", params=[library, made_up, chinese], ids=lambda data: data.__name__)
def united(request: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[House, Path, list[str]]]:
    """A house that asks two others, one collection with the texts of all, and queries."""
    texts, queries = request.param()
    folder = tmp_path_factory.mktemp("united")
    thirds: dict[str, dict[str, str]] = {"home": {}, "north": {}, "south": {}}
    for number, (name, content) in enumerate(texts.items()):
        thirds[list(thirds)[number % 3]][name] = content
    with houses(folder, thirds, served=["north", "south"]) as made:
        for name in ("north", "south"):
            made[name].shows("text")
        yield made["home"], built(folder / "all.pmbf", texts), queries


def titles(report: SentenceReport) -> Mapping[int, str]:
    return {one.document.id: one.document.path.split(": ")[-1] for one in report.sources}


def answer(report: SentenceReport) -> tuple[Any, ...]:
    """Return all that a report says, whatever the ids of documents and the order of equal ones."""
    name = titles(report)
    sentences = [
        (one.span, one.outcome, {(name[origin.document], origin.span, origin.similarity) for origin in one.origins})
        for one in report.sentences
    ]
    sources = {name[one.document.id]: (one.n_sentences, one.pairs, one.n_equal) for one in report.sources}
    return sentences, sources, report.n_found


def test_united_sites_answer_as_one_collection(united: tuple[House, Path, list[str]]) -> None:
    home, together, queries = united
    n_found = 0
    with Collection(together) as collection:
        for query in queries:
            one = collection.screen_sentences(query)
            assert answer(home.asks(query, texts=True, whole=True)) == answer(one)
            first = home.asks(query, texts=True)
            assert [it.outcome for it in first.sentences] == [it.outcome for it in one.sentences]
            n_found += sum(bool(it.site) for it in first.sources)
    assert n_found > 2, "sites contribute"
