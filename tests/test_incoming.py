"""Documents as columns: chosen, joined, placed, as each alone would be."""

from __future__ import annotations

import hashlib
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pmbf.base.params import Params
from pmbf.fingerprint import fingerprint
from pmbf.rowindex import RowIndex
from pmbf.store.catalog_tables import BINARY_KIND
from pmbf.store.fingerprints import Fingerprints
from pmbf.store.incoming import NewDocument, NewDocuments, first_of_each
from pmbf.store.placing import Placer

PARAMS = Params(segment_chars=1024, density=0.2)
WORDS = st.lists(st.sampled_from(["tide", "ebb", "flow", "sea", "moon", "sand", "shore", "wave"]), max_size=400)
ONE = st.tuples(WORDS, st.sampled_from(["txt", "md", BINARY_KIND]), st.sampled_from(["", "page 3: damaged"]))


def document(words: list[str], kind: str, problems: str) -> NewDocument:
    utf8 = " ".join(words).encode()
    return NewDocument(kind, hashlib.sha256(utf8).hexdigest(), utf8, fingerprint(utf8, PARAMS), problems)


def listed(documents: NewDocuments) -> list[Any]:
    """Return each document as what can be compared."""
    samples, found = documents.samples, []
    for at in range(len(documents)):
        first, last = samples.firsts[at], samples.firsts[at + 1]
        parts = [
            samples.hashes[samples.bounds[part] : samples.bounds[part + 1]].tolist() for part in range(first, last)
        ]
        text = documents.content[documents.starts[at] : documents.stops[at]]
        numbers = int(samples.n_chars[at]), int(samples.n_tokens[at])
        problems = documents.problems.get(at, "")
        found.append((documents.kinds[at], documents.sha256[at], text, parts, *numbers, problems))
    return found


def alone(one: NewDocument) -> Any:
    parts = [part.tolist() for part in one.taken.parts()]
    return one.kind, one.sha256, one.utf8, parts, one.taken.n_chars, one.taken.n_tokens, one.problems


@given(st.lists(ONE, max_size=6), st.data())
def test_columns_hold_each_document_and_those_that_are_chosen(given: list[Any], data: st.DataObject) -> None:
    documents = [document(*one) for one in given]
    columns = NewDocuments.of(documents)
    assert [alone(one) for one in documents] == listed(columns)
    places = data.draw(st.lists(st.integers(0, len(documents) - 1), unique=True) if documents else st.just([]))
    assert [alone(documents[place]) for place in places] == listed(columns.some(places))


@given(st.lists(ONE, max_size=4), st.lists(ONE, max_size=4))
def test_documents_follow_others(given: list[Any], others: list[Any]) -> None:
    some, more = [document(*one) for one in given], [document(*one) for one in others]
    joined = NewDocuments.of(some).followed_by(NewDocuments.of(more))
    assert [alone(one) for one in some + more] == listed(joined)


@given(st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from([None, 7])), max_size=8))
def test_unknown_contents_are_chosen_once(given: list[tuple[str, int | None]]) -> None:
    contents, known = [(name, "") for name, _ in given], [id_ for _, id_ in given]
    chosen = first_of_each(contents, known)
    assert sorted({name for name, id_ in given if id_ is None}) == sorted(given[place][0] for place in chosen)
    assert all(known[place] is None for place in chosen)


@pytest.mark.parametrize("placement", ["single-row", "multi-row"])
@given(st.lists(st.lists(st.integers(0, 40), max_size=4), max_size=30))
def test_documents_placed_together_are_where_each_alone_would_be(placement: str, sizes: list[list[int]]) -> None:
    params = Params(placement=placement, row_capacity=64, segment_chars=1024, density=0.2)
    taken = [np.cumsum([0, *parts]) for parts in sizes]
    hashes = [np.arange(bounds[-1], dtype=np.uint32) * 7919 + at for at, bounds in enumerate(taken)]
    together, each = (Placer(params, {}, RowIndex(), next_tile=0, mean_hashes=3.0) for _ in range(2))
    parts = np.array([part for one in sizes for part in one], np.int64)
    together.place_all(
        Fingerprints(
            np.arange(1, len(sizes) + 1),
            np.cumsum([0, *map(len, sizes)], dtype=np.int64),
            np.cumsum([0, *parts], dtype=np.int64),
            np.concatenate([np.empty(0, np.uint32), *hashes]),
            np.zeros(len(sizes) + 1, np.int64),
            np.empty(0, np.uint8),
        )
    )
    for at, bounds in enumerate(taken):
        each.place(at + 1, hashes[at], bounds.tolist())
    for placer in (together, each):
        placer.fill_rows()
    assert together.changed == each.changed
    for number in each.changed:
        assert together.rows.tile_arrays(number).tolist() == each.rows.tile_arrays(number).tolist()
        assert together.tiles[number].bits.tolist() == each.tiles[number].bits.tolist()
