"""A protected collection, and its endpoint filter under a key."""

import pytest

from pmbf.guard.filter.exporting import export
from pmbf.store.sitekey import read_or_make_key
from tests.conftest import words

PLAN, OFFER = words(1, 400), words(2, 5000)
SHORT = words(3, 12)
TEXTS = {"secret-plan-of-march.txt": PLAN, "offer-to-the-crown.txt": OFFER, "note-on-the-door.txt": SHORT}


@pytest.fixture
def protected(collection):
    """A collection of a text of one row, one of several, and one that is too short."""
    collection.add_many(TEXTS.items())
    return collection


@pytest.fixture
def key_file(tmp_path):
    read_or_make_key(tmp_path / "site.key")
    return tmp_path / "site.key"


@pytest.fixture
def key(key_file):
    return read_or_make_key(key_file)[0]


@pytest.fixture
def exported(protected, key, tmp_path):
    """The filter's path."""
    export(protected, tmp_path / "out.pmbx", key)
    return tmp_path / "out.pmbx"
