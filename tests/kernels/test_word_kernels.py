"""What the words of a query say for documents, by their word lists, in both twins."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from pmbf.base.errors import ParameterError
from pmbf.base.params import Params
from pmbf.kernels import (
    N_WORD_CLASSES,
    NO_WORD,
    UNKNOWN,
    QueryWords,
    WordLists,
    reference_evident,
    reference_text,
    words_of_size,
)
from pmbf.kernels.evident_rules import size_class

RNG = random.Random(7)
WORDS = ["".join(RNG.choices("abcdefghij", k=RNG.randint(2, 8))) for _ in range(300)]
SIZES = len(words_of_size())


@pytest.fixture(scope="module")
def native() -> Any:
    return pytest.importorskip("pmbf.kernels.native_evident")


@pytest.fixture(scope="module", params=["reference", "native"])
def twin(request: pytest.FixtureRequest) -> Any:
    return reference_evident if request.param == "reference" else request.getfixturevalue("native")


def prose(n_words: int) -> str:
    return " ".join(RNG.choices(WORDS, k=n_words)) + "".join(RNG.choices("老渔夫在海上", k=n_words // 9))


def lists_of(texts: list[str]) -> WordLists:
    how = Params(segment_chars=1024).sampling
    some = [reference_text.sample(one.encode(), how, positions=False, starts=False, words=True).words for one in texts]
    return WordLists(np.concatenate(some), np.cumsum([0, *map(len, some)]))


def query_of(text: str) -> QueryWords:
    keys, is_word, before = reference_evident.keys_of(reference_text.tokenise(text.encode()))
    classes = np.array([RNG.randrange(N_WORD_CLASSES) if one else NO_WORD for one in is_word], np.uint8)
    present = np.array([[RNG.randrange(9000) for _ in range(SIZES)] for _ in range(N_WORD_CLASSES)], np.int32)
    return QueryWords(keys, before, classes, present, present // 9)


def windows_in(query: QueryWords, n: int) -> NDArray[np.int64]:
    return np.array([sorted(RNG.choices(range(len(query.keys) + 1), k=2)) for _ in range(n)])


def test_words_say_the_same_in_both_twins(native: Any) -> None:
    texts = [*(prose(RNG.randrange(900)) for _ in range(30)), ""]
    query, lists = query_of(prose(400)), lists_of(texts)
    windows = windows_in(query, len(texts))

    expected = reference_evident.words_said(query, lists, windows)

    assert expected.tolist() == native.words_said(query, lists, windows).tolist()
    assert len(set(expected.tolist())) > 25


@pytest.mark.parametrize("text", ["", "a", "老", "a storm broke the mast, a storm", prose(500)])
def test_words_have_the_same_keys_in_both_twins(native: Any, text: str) -> None:
    tokens = reference_text.tokenise(text.encode())

    for expected, found in zip(reference_evident.keys_of(tokens), native.keys_of(tokens), strict=True):
        assert expected.dtype == found.dtype
        assert expected.tolist() == found.tolist()


def test_a_text_has_all_of_its_words_and_a_word_counts_once(twin: Any) -> None:
    text = "storm mast storm harbour"
    keys, is_word, before = twin.keys_of(reference_text.tokenise(text.encode()))
    ones = np.ones((N_WORD_CLASSES, SIZES), np.int32)
    query = QueryWords(keys, before, np.where(is_word, 3, NO_WORD).astype(np.uint8), ones, ones * 0)

    said = twin.words_said(query, lists_of([text, "nothing of it"]), np.array([[0, 4], [0, 4]]))

    assert said.tolist() == [3, 0]


def test_a_document_without_a_list_is_unknown(twin: Any) -> None:
    query = query_of("storm mast")

    said = twin.words_said(query, WordLists(np.empty(0, np.uint8), np.array([0, 0])), np.array([[0, 2]]))

    assert said.tolist() == [UNKNOWN]


@pytest.mark.parametrize(
    "content",
    [
        pytest.param(b"\1\0\0\0\1\0\0", id="cut head"),
        pytest.param(b"\1\0\0\0\2\0\0\0\3\4", id="more numbers than words"),
        pytest.param(b"\1\0\0\0\1\0\0\0", id="no gap"),
        pytest.param(b"\1\0\0\0\1\0\0\0\377", id="cut gap"),
        pytest.param(b"\1\0\0\0\1\0\0\0\40", id="number outside the range"),
        pytest.param(b"\377\377\377\377\0\0\0\0", id="words without end"),
    ],
)
def test_a_damaged_list_is_refused(twin: Any, content: bytes) -> None:
    lists = WordLists(np.frombuffer(content, np.uint8), np.array([0, len(content)]))

    with pytest.raises(ParameterError, match="a word list is damaged"):
        twin.words_said(query_of("storm mast"), lists, np.array([[0, 2]]))


def test_arrays_that_do_not_fit_are_refused(twin: Any) -> None:
    query, lists = query_of("storm mast"), lists_of(["storm"])

    with pytest.raises(ParameterError, match="a window is not in the query of 2 tokens"):
        twin.words_said(query, lists, np.array([[0, 3]]))
    with pytest.raises(ParameterError, match="the bounds of the word lists do not fit"):
        twin.words_said(query, lists, np.array([[0, 2], [0, 2]]))


@pytest.mark.parametrize("n_words", [*range(40), 63, 64, 65, 1000, 65_535])
def test_the_size_of_a_part_is_classed_alike_in_both_twins(native: Any, n_words: int) -> None:
    query = query_of("storm mast")
    rows = np.broadcast_to(np.arange(SIZES, dtype=np.int32), (N_WORD_CLASSES, SIZES)).copy()
    query = QueryWords(query.keys, query.before, query.classes, rows, -rows)
    head = n_words.to_bytes(4, "little") + bytes(4)

    said = native.words_said(query, WordLists(np.frombuffer(head, np.uint8), np.array([0, 8])), np.array([[0, 2]]))

    assert said.tolist() == [2 * size_class(n_words)]
