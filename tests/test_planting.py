"""Texts with planted passages are what they say: clean where they should be, and copied where they should be."""

import re

import pytest
from conftest import words

from measure.overlap import grams, word_hashes
from measure.planting import CLEAN, LEVELS, Planted, plant

N_WORDS = 400


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    """Sixty documents of their own, and one that stands there twice."""
    folder = tmp_path_factory.mktemp("library")
    for number in range(60):
        (folder / f"{number:02}.txt").write_text(words(number, 500), encoding="utf-8")
    (folder / "copy.txt").write_text(words(0, 500), encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def planted(library):
    return plant(library, n_clean=5, n_planted=4, n_words=N_WORDS)


def shared(text, folder, names):
    """Return the share of a text's six-word runs that each document has."""
    own = set(grams(word_hashes(text)).tolist())
    stored = {name: set(grams(word_hashes((folder / name).read_text(encoding="utf-8"))).tolist()) for name in names}
    return {name: len(own & some) / len(own) for name, some in stored.items()}


def test_clean_texts_share_no_six_words_with_the_collection(library, planted):
    clean = [query for query in planted.queries if query.level == CLEAN]
    assert 5 == len(clean)
    for query in clean:
        assert N_WORDS == len(re.findall(r"\w+", query.text))
        assert {0.0} == set(shared(query.text, library, planted.loaded).values())


def test_a_verbatim_passage_stands_in_its_source_and_nowhere_else(library, planted):
    queries = [query for query in planted.queries if query.source and not query.edited]
    assert 4 * len(LEVELS) == len(queries)
    for query in queries:
        passage = query.text[query.start : query.stop]
        assert passage in (library / query.source).read_text(encoding="utf-8")
        assert round(LEVELS[query.level] * N_WORDS) == len(passage.split())
        assert N_WORDS == len(re.findall(r"\w+", query.text))
        found = shared(passage, library, planted.loaded) if len(passage.split()) > 5 else {}
        assert {query.source} >= {name for name, share in found.items() if share > 0}


def test_an_edited_passage_keeps_most_of_its_words(library, planted):
    queries = [query for query in planted.queries if query.edited and query.level == "20 %"]
    for query in queries:
        passage, source = query.text[query.start : query.stop], (library / query.source).read_text(encoding="utf-8")
        assert passage not in source
        assert 0.8 < sum(word in source.split() for word in passage.split()) / len(passage.split())


def test_the_texts_around_one_passage_are_not_the_same_again(planted):
    for source in {query.source for query in planted.queries if query.source}:
        around = [
            query.text[: query.start] + query.text[query.stop :] for query in planted.queries if query.source == source
        ]
        assert 2 * len(LEVELS) == len(around)
        assert len({text.split()[0] for text in around}) > 1


def test_the_same_seed_gives_the_same_texts_and_they_can_be_kept(library, planted, tmp_path):
    again = plant(library, n_clean=5, n_planted=4, n_words=N_WORDS)
    again.save(tmp_path / "planted.json")
    assert planted == Planted.read(tmp_path / "planted.json")


def test_a_folder_with_too_little_of_its_own_is_refused(tmp_path):
    for number in range(10):
        (tmp_path / f"{number}.txt").write_text(words(1, 500), encoding="utf-8")
    with pytest.raises(ValueError, match="words stand in it once"):
        plant(tmp_path, n_clean=5, n_planted=4, n_words=N_WORDS)
