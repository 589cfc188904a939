"""A small collection that faults are put into."""

import pytest
from conftest import words

from pmbf import Collection, Params


@pytest.fixture
def path(tmp_path, request):
    """A collection with texts, or with fingerprints where the test is about these."""
    params = Params(store_text="fingerprints" not in request.node.name)
    with Collection(tmp_path / "c.pmbf", create=True, params=params) as collection:
        collection.add_many([(f"text-{seed}", words(seed)) for seed in range(6)])
    return tmp_path / "c.pmbf"
