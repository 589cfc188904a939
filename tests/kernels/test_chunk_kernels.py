"""Both twins of the kernel of chunk IDs: the native one beside the reference, which hashes shingle by shingle."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from pmbf.base.errors import ParameterError
from pmbf.kernels import kernels_of
from tests.kernels.oracle import oracle

WORDS = st.lists(st.sampled_from(["to", "be", "or", "not", "中", "文", "字", "Café", "naı\u0308ve-\nly"]), max_size=40)
TEXTS = WORDS.map(" ".join) | st.text(st.characters(exclude_categories=["Cs"]), max_size=120)


@pytest.fixture(scope="module", params=["reference", "native"])
def kernels(request: pytest.FixtureRequest) -> Any:
    """Both twins."""
    return SimpleNamespace(**kernels_of(request.param))


@given(TEXTS, st.integers(1, 8), st.sampled_from([20, 28, 30, 32]))
@example("", 3, 32)
@example("one", 5, 32)
@example("中文", 2, 30)
@example("a " * 9, 1, 20)
def test_each_overlapping_chunk_has_its_id(kernels: Any, text: str, n_words: int, bits: int) -> None:
    utf8 = text.encode()
    found = kernels.chunk_lists([utf8], n_words=n_words, bits=bits)[0]
    assert found.dtype == np.uint32
    assert oracle("text").chunk_lists([utf8], n_words=n_words, bits=bits)[0].tolist() == found.tolist()


@given(st.lists(TEXTS, max_size=6), st.integers(1, 4))
def test_many_texts_have_the_ids_of_each(kernels: Any, texts: list[str], n_words: int) -> None:
    lists = kernels.chunk_lists([text.encode() for text in texts], n_words=n_words, bits=28)
    alone = [kernels.chunk_lists([text.encode()], n_words=n_words, bits=28)[0].tolist() for text in texts]
    assert alone == [lists[i].tolist() for i in range(len(texts))]


@pytest.mark.parametrize("n_words", [1, 5, 32])
def test_texts_of_many_pieces_agree_with_the_reference(kernels: Any, n_words: int) -> None:
    """Texts are folded 16 KiB at a time; here shingles reach over the edges."""
    random = np.random.default_rng(9)
    for alphabet in ("abcdefgh", "abc中文字d", "中文字是的"):
        letters = random.choice([*alphabet, " "], 30_000)
        utf8 = "".join(letters).encode()
        one, other = (twin.chunk_lists([utf8], n_words=n_words)[0] for twin in (oracle("text"), kernels))
        assert one.tolist() == other.tolist()


def test_chunks_that_begin_at_words_have_the_hashes_of_shingles(kernels: Any) -> None:
    from pmbf.base.params import Sampling

    utf8 = b"the quick brown fox jumps over the lazy dog and the quick brown fox sleeps"
    how = Sampling(shingle_tokens=3, ordered=True, density=1.0, min_hashes=1024, segment_chars=65_536)
    hashes = kernels.sample(utf8, how, positions=False).hashes
    assert hashes.tolist() == kernels.chunk_lists([utf8], n_words=3, bits=32)[0].tolist()


def test_other_arguments_are_refused(kernels: Any) -> None:
    for message, utf8, n_words, bits in (
        ("n_words is 0", b"", 0, 32),
        ("n_words is 33", b"", 33, 32),
        ("bits is 19", b"", 5, 19),
        ("bits is 33", b"", 5, 33),
        ("text is not UTF-8 at byte 1", b"a\xff", 5, 32),
    ):
        with pytest.raises(ParameterError, match=message):
            kernels.chunk_lists([utf8], n_words=n_words, bits=bits)
        with pytest.raises(ParameterError, match=message):
            kernels.chunk_lists([b"whole", utf8], n_words=n_words, bits=bits)
