"""Which of a query's hashes stand where."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from pmbf.store.having import FirstPlaces


@given(st.lists(st.one_of(st.integers(0, 9), st.integers(0, 2**32 - 1)), max_size=60), st.sampled_from([0, 8, 32]))
def test_distinct_hashes_stand_in_the_order_of_the_text_and_every_place_knows_its_hash(
    hashes: list[int], shift: int
) -> None:
    """Shifted by 8 bits, most hashes share their first 32 bits with others."""
    hashes = [one << shift for one in hashes]
    distinct = list(dict.fromkeys(hashes))
    found = FirstPlaces.of(np.array(hashes, np.uint64 if shift else np.uint32))

    assert found.hashes.tolist() == distinct
    assert found.places.tolist() == [hashes.index(one) for one in distinct]
    assert found.numbers.tolist() == [distinct.index(one) for one in hashes]
