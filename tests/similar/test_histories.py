"""Whatever happened to a collection: an incremental run leaves the table that a full run makes."""

import tempfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pmbf import Collection
from pmbf.alike.similar import counting, known, tabling
from tests.similar.tables import RULES, anew, from_sets, made, ranged, table, text_of

NAMES = [f"text-{number}" for number in range(18)]
STEP = st.one_of(
    st.tuples(st.just("add"), st.dictionaries(st.sampled_from(NAMES), st.integers(0, 60), min_size=1, max_size=6)),
    st.tuples(st.just("remove"), st.sets(st.sampled_from(NAMES), min_size=1, max_size=4)),
    st.tuples(st.just("compact"), st.none()),
    st.tuples(st.just("update"), st.none()),
)


def applied(folder, step, what, n_ranges):
    with Collection(folder) as collection:
        if step == "add":
            collection.add_many([(name, text_of(choice)) for name, choice in what.items()])
        elif step == "remove":
            collection.remove(*(name for name in what if name in collection))
        elif step == "compact":  # ids of removed documents are free again
            collection.compact()
    if step == "update":
        ranged(folder, n_ranges)


def common_of(found):
    [(chunks,)] = found["common"]
    return set(np.frombuffer(chunks, "<u4").tolist())


@pytest.fixture(autouse=True, scope="module")
def _small_parts():
    """Make parts, batches and sorted pairs so small that these tests have several; near a change, never all rows."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tabling, "_ALL_SHARE", 0)
        patch.setattr(counting, "TARGETS", 5)
        patch.setattr(counting, "_PENDING", 20)
        patch.setattr(known, "BATCH_CHUNKS", 30)
        yield


@given(
    st.dictionaries(st.sampled_from(NAMES), st.integers(0, 60)), st.lists(STEP, max_size=8), st.sampled_from([1, 3, 7])
)
@settings(max_examples=60)
def test_an_incremental_run_leaves_the_table_of_a_full_one(texts, steps, n_ranges):
    with tempfile.TemporaryDirectory() as parent:
        folder = made(Path(parent) / "c.pmbf", {name: text_of(choice) for name, choice in texts.items()})
        ranged(folder, n_ranges, **RULES)
        for step, what in steps:
            applied(folder, step, what, n_ranges)
        ranged(folder, n_ranges)
        found = table(folder)
        assert found == anew(folder, Path(parent) / "copy.pmbf")
        assert from_sets(folder, common_of(found)) == {row[:3] for row in found["similarity"]}


@pytest.mark.parametrize("n_ranges", [1, 3, 7])
def test_one_change_among_many_documents_is_computed_near_it_alone(tmp_path, n_ranges):
    texts = {f"text-{number}": text_of(number, 90) for number in range(200)}
    folder = made(tmp_path / "c.pmbf", texts)
    ranged(folder, n_ranges, **RULES | {"common": 80})
    reports = []
    for change in range(12):
        with Collection(folder) as collection:
            collection.remove(f"text-{7 * change}")
            collection.compact()
            collection.add_many(
                [(f"text-{7 * change + 1}", text_of(1000 + change, 90)), (f"new-{change}", text_of(change, 90))]
            )
        reports.append(ranged(folder, n_ranges))
        assert table(folder) == anew(folder, tmp_path / f"copy-{change}.pmbf")
    assert {"incremental"} == {report.kind for report in reports}
    assert 0 < max(report.n_again for report in reports) < 50 and 0 < max(report.n_patched for report in reports) < 50
    found = table(folder)
    assert from_sets(folder, common_of(found)) == {row[:3] for row in found["similarity"]}
