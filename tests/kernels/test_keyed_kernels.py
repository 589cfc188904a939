"""SipHash-2-4: the published test vectors, and both twins alike."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pmbf.base.errors import ParameterError, UnsupportedError
from pmbf.kernels import reference_hash

KEY = np.frombuffer(bytes(range(16)), "<u8")
PUBLISHED = {
    1: 0x93F5F5799A932462, 2: 0x3F2ACC7F57C29BDB, 3: 0xB8AD50C6F649AF94, 4: 0x7127512F72F27CCE,
    5: 0x0E3EA96B5304A7D0, 6: 0xE612A3CB9ECBA951, 7: 0xB78DBFAF3A8D83BD,
}  # fmt: skip
"""Of the messages 00 01 02 … of so many times eight bytes: the table of the authors' reference implementation."""


@pytest.fixture(params=["reference", "native"])
def siphash(request):
    if request.param == "reference":
        return reference_hash.siphash_windows
    return _native().siphash_windows


def _native():
    try:
        from pmbf.kernels import native_hash
    except UnsupportedError as error:
        pytest.skip(str(error))
    return native_hash


@pytest.mark.parametrize("width", PUBLISHED)
def test_the_published_vectors_are_met(siphash, width):
    words = np.frombuffer(bytes(range(8 * width)), "<u8")
    assert siphash(words, width=width, key=KEY).tolist() == [PUBLISHED[width]]


def test_each_window_is_hashed_as_if_alone(siphash):
    words = np.random.default_rng(5).integers(0, 2**64, 37, np.uint64)
    alone = [siphash(words[i : i + 4].copy(), width=4, key=KEY)[0] for i in range(34)]
    assert siphash(words, width=4, key=KEY).tolist() == alone


def test_too_few_words_have_no_window(siphash):
    assert siphash(np.zeros(3, np.uint64), width=4, key=KEY).tolist() == []


@given(
    st.lists(st.integers(0, 2**64 - 1), max_size=40),
    st.integers(1, 20),
    st.tuples(st.integers(0, 2**64 - 1), st.integers(0, 2**64 - 1)),
)
def test_both_twins_give_the_same(words, width, key):
    words, key = np.array(words, np.uint64), np.array(key, np.uint64)
    expected = reference_hash.siphash_windows(words, width=width, key=key)
    for given_words in (words, np.repeat(words, 2)[::2]):
        assert _native().siphash_windows(given_words, width=width, key=key).tolist() == expected.tolist()


@pytest.mark.parametrize(("words", "width", "key", "message"), [
    (np.zeros(9, np.uint32), 8, KEY, "words is uint32"),
    (np.zeros(9, np.uint64), 0, KEY, "width is 0"),
    (np.zeros(9, np.uint64), 256, KEY, "width is 256"),
    (np.zeros(9, np.uint64), 8, KEY[:1], "key has 1 words"),
    (np.zeros(9, np.uint64), 8, KEY.view(np.uint8), "key is uint8"),
])  # fmt: skip
def test_what_is_no_message_or_key_is_refused(siphash, words, width, key, message):
    with pytest.raises(ParameterError, match=message):
        siphash(words, width=width, key=key)
