"""Parameters on disk: what a collection was made with is what it is opened with, by any later pmbf."""

from __future__ import annotations

import pickle

import pytest

from pmbf.errors import UnsupportedError
from pmbf.params import HASH_BITS, Params, Sampling

WRITTEN = (
    '{"density": 0.05, "docs_per_row": 24, "fold_version": "14.0.0+2", "fpr": 0.01, "min_hashes": 32, "n_hashes": 3, '
    '"ordered": true, "placement": "multi-row", "row_capacity": null, "segment_chars": 65536, "shingle_tokens": 3, '
    '"store_text": true}'
)
"""As the catalogs of collections have it in which no word is long."""


def test_the_parameters_of_a_collection_made_before_words_could_be_long_are_read_and_written_as_they_are() -> None:
    assert Params(long_letters=0) == Params.from_json(WRITTEN, name="papers.pmbf")
    assert WRITTEN == Params(long_letters=0).to_json()


@pytest.mark.parametrize(
    "params",
    [Params(), Params(long_letters=0), Params.obfuscation(), Params.sentences(), Params(hash_bits=48)],
)
def test_parameters_come_back_from_json(params: Params) -> None:
    assert params == Params.from_json(params.to_json(), name="papers.pmbf")


@pytest.mark.parametrize(
    ("params", "digest"),
    [
        (Params(), "b1f056e23b8ae7b4"),
        (Params(long_letters=0), "e4a729f93fa18e1b"),
        (Params.obfuscation(), "c952fc84155bb7ec"),
    ],
)
def test_the_digest_in_every_file_stays(params: Params, digest: str) -> None:
    assert digest == params.digest().hex()
    numbers = (params.density, 32, 65_536, params.long_letters)
    assert Sampling(params.shingle_tokens, params.ordered, *numbers) == params.sampling
    assert digest == params.digest().hex() == pickle.loads(pickle.dumps(params)).digest().hex()


def test_the_width_of_hashes_is_told_only_if_it_is_not_the_width_that_all_had_before() -> None:
    assert "hash_bits" not in Params().to_json()
    assert '"hash_bits": 48' in Params(hash_bits=48).to_json()
    assert len({Params(hash_bits=bits).digest() for bits in HASH_BITS}) == len(HASH_BITS)
    assert Params(hash_bits=48).sampling.hash_bits == 48


def test_a_parameter_that_is_not_known_is_named() -> None:
    with pytest.raises(UnsupportedError, match=r"papers.pmbf: unknown parameters salt: written by a newer pmbf"):
        Params.from_json('{"salt": 1}', name="papers.pmbf")
