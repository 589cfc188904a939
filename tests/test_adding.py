"""Many texts of a program's own, added in batches: the same as one after another."""

import pytest
from conftest import words

from pmbf import Collection, Params

PAIRS = [
    *((f"text-{seed}", words(seed, 20)) for seed in range(600)),
    ("again", words(3, 20)),
    ("text-7", "another text of the name, of the next batch"),
    ("text-599", words(1, 20)),
    ("empty", ""),
    ("text-8", words(9, 20)),
    ("back", words(7, 20)),
    ("swap-a", words(700, 20)),
    ("swap-b", words(701, 20)),
]


def listed(collection):
    return {path: collection.text(one.id) for one in collection for path in one.paths}


@pytest.mark.parametrize("params", [Params(), Params(store_text=False)])
def test_many_texts_are_as_if_they_were_added_one_after_another(tmp_path, params):
    with Collection(tmp_path / "c.pmbf", create=True, params=params) as collection:
        ids = collection.add_many(PAIRS)
        assert ids[600] == ids[3]
        assert ids[602] == ids[1]
        assert collection.n_documents == len({*dict(PAIRS).values()})
        if params.store_text:
            assert listed(collection) == dict(PAIRS)
        assert collection.check().problems == []


def test_a_text_whose_document_goes_in_the_same_batch_is_stored_anew(tmp_path):
    first, second = words(1, 20), words(2, 20)
    with Collection(tmp_path / "c.pmbf", create=True) as collection:
        collection.add(first, name="a")
        collection.add_many([("a", second), ("b", first), ("c", second)])
        assert listed(collection) == {"a": second, "b": first, "c": second}
        assert collection.check().problems == []
