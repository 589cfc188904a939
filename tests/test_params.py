"""Parameters on disk: what a collection was made with is what it is opened with."""

from __future__ import annotations

import json
import pickle
from dataclasses import fields

import pytest

from pmbf.base.errors import UnsupportedError
from pmbf.base.params import HASH_BITS, Params, Sampling

WRITTEN = (
    '{"density": 0.05, "docs_per_row": 24, "fold_version": "14.0.0+2", "fpr": 0.01, "hash_bits": 32, '
    '"index": "postings", "long_letters": 5, "min_hashes": 32, "n_hashes": 3, "ordered": true, '
    '"placement": "multi-row", "row_capacity": null, "segment_chars": 65536, "shingle_tokens": 3, "store_text": true}'
)
"""As the catalog of a collection made by default has it."""


def test_all_parameters_are_written() -> None:
    assert WRITTEN == Params().to_json()


@pytest.mark.parametrize("name", [field.name for field in fields(Params)])
def test_parameters_without_one_are_those_of_an_earlier_pmbf(name: str) -> None:
    values = {key: value for key, value in json.loads(WRITTEN).items() if key != name}
    told = rf"papers.pmbf: no parameters {name}: written by an earlier pmbf; load the documents into a new collection"
    with pytest.raises(UnsupportedError, match=told):
        Params.from_json(json.dumps(values), name="papers.pmbf")


@pytest.mark.parametrize(
    "params",
    [Params(), Params(long_letters=0), Params.obfuscation(), Params.sentences(), Params(hash_bits=48)],
)
def test_parameters_come_back_from_json(params: Params) -> None:
    assert params == Params.from_json(params.to_json(), name="papers.pmbf")


@pytest.mark.parametrize(
    ("params", "digest"),
    [
        (Params(), "a3f22a24c3d08791"),
        (Params(long_letters=0), "e168206ae6034d72"),
        (Params.obfuscation(), "87121631f9d51d20"),
    ],
)
def test_the_digest_in_every_file_stays(params: Params, digest: str) -> None:
    assert digest == params.digest().hex()
    numbers = (params.density, 32, 65_536, params.long_letters)
    assert Sampling(params.shingle_tokens, params.ordered, *numbers) == params.sampling
    assert digest == params.digest().hex() == pickle.loads(pickle.dumps(params)).digest().hex()


def test_the_width_of_hashes_makes_other_parameters() -> None:
    assert len({Params(hash_bits=bits).digest() for bits in HASH_BITS}) == len(HASH_BITS)
    assert Params(hash_bits=48).sampling.hash_bits == 48


def test_a_parameter_that_is_not_known_is_named() -> None:
    with pytest.raises(UnsupportedError, match=r"papers.pmbf: unknown parameters salt: written by a newer pmbf"):
        Params.from_json('{"salt": 1}', name="papers.pmbf")
