"""A row of the filter is a segment of the postings: it is asked first, and no answer depends on it."""

import shutil
from dataclasses import replace
from functools import partialmethod

import numpy as np
import pytest
from conftest import words
from hypothesis import given, settings
from hypothesis import strategies as st

from pmbf import Collection, kernels, repair
from pmbf.filter import SEGMENT_FPR, row_bits
from pmbf.intake import batches, loader
from pmbf.store import laying, levels, mapping, postings, rowsfile
from pmbf.store.files import StoredFile, write_file
from pmbf.store.folder import Store
from pmbf.store.writer import Writer

NAMES = st.integers(0, 9).map("text-{}".format)
STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("add"), st.dictionaries(NAMES, st.integers(0, 20), min_size=1, max_size=4)),
        st.tuples(st.just("remove"), NAMES),
        st.tuples(st.just("compact"), st.none()),
        st.tuples(st.just("prune"), st.none()),
    ),
    min_size=1,
    max_size=14,
)
SETS = [
    {},
    {"sensitivity": "fast"},
    {"sensitivity": "thorough"},
    {"min_evidence": 12.0},
    {"max_candidates": 2},
    {"min_chars": 200},
    {"summaries": False, "apparatus": False},
    {"exclude_self": True},
]


@pytest.fixture(autouse=True)
def small_segments(monkeypatch):
    monkeypatch.setattr(levels, "FULL_BYTES", 3000)
    monkeypatch.setattr(levels, "MOST_BYTES", 3000)
    monkeypatch.setattr(levels, "_SMALLEST_BYTES", 16)
    monkeypatch.setattr(laying, "ROWS_TOGETHER", 2)


def text_of(seed):
    return " ".join([words(1000 + seed % 3, 40), words(seed, 60), words(2000 + seed % 5, 30)])


def walked(path, steps):
    """Make a collection with some history."""
    with Collection(path, create=True) as collection:
        for what, given_ in steps:
            listed = {name for document in collection.documents() for name in document.paths}
            if what == "add":
                collection.add_many([(name, text_of(seed)) for name, seed in given_.items()])
            elif what == "remove" and given_ in listed:
                collection.remove(given_)
            elif what == "compact":
                collection.compact()


def answers(path, *, is_filtered=True):
    queries = [text_of(seed) for seed in range(0, 21, 4)] + [words(5, 50) + text_of(3)[:300], words(999, 90)]
    with Collection(path) as collection:
        if not is_filtered:
            collection._store.generation.posted.row_files = {}
        return [collection.screen(query, **options).to_dict() for query in queries for options in SETS]


@pytest.mark.slow
@settings(max_examples=25, deadline=None)
@given(steps=STEPS)
def test_answers_are_those_without_the_filter(tmp_path_factory, steps):
    path = tmp_path_factory.mktemp("walk") / "c.pmbf"
    walked(path, steps)
    expected = answers(path, is_filtered=False)
    assert answers(path) == expected
    with Collection(path) as collection:
        assert collection.check().problems == []
        assert collection.stats().n_rows >= collection.stats().n_segments
    shutil.rmtree(path.parent)


@pytest.fixture
def path(tmp_path):
    made = tmp_path / "c.pmbf"
    with Collection(made, create=True) as collection:
        for first in range(0, 60, 6):
            collection.add_many([(f"text-{seed}", words(seed)) for seed in range(first, first + 6)])
        assert collection.stats().n_segments >= 4
    return made


def found(path, seed=7):
    with Collection(path) as collection:
        report = collection.screen(words(seed))
        return [match.document.path for match in report.matches], report.warnings


def test_the_rows_of_large_segments_lie_side_by_side_and_those_of_removed_ones_go(path):
    with Collection(path) as collection:
        figures = collection.stats()
        assert figures.n_sealed >= 1 and figures.n_tiles < figures.n_rows
        collection.remove(*(f"text-{seed}" for seed in range(45)))
        collection.compact()
        assert collection.check().problems == []
        assert collection.stats().n_rows <= 2 * collection.stats().n_segments
    assert found(path, 50) == (["text-50"], ())


def test_rows_of_one_load_are_laid_side_by_side_when_it_ends(tmp_path, monkeypatch):
    path, folder = tmp_path / "c.pmbf", tmp_path / "texts"
    folder.mkdir()
    for seed in range(60):
        (folder / f"text-{seed}").write_text(words(seed), encoding="utf-8")
    monkeypatch.setattr(loader, "COMMIT_BYTES", 4000)
    monkeypatch.setattr(batches, "BATCH_FILES", 5)
    with Collection(path, create=True) as collection:
        collection.load([folder])
        figures = collection.stats()
        assert figures.n_segments >= 4 and figures.n_rows == figures.n_segments and figures.n_sealed == 1
        assert collection.check().problems == []
        assert [match.document.path for match in collection.screen(words(7)).matches] == [str(folder / "text-7")]


def test_the_filter_is_on_the_way_cleared_bits_behind_right_checksums_change_an_answer(path):
    assert found(path) == (["text-7"], ())
    with Store(path, writable=True) as store:
        posted, lost = store.generation.posted, list(store.generation.posted.row_files)
        none = postings.made(postings.Added.of([]))
        content = rowsfile.payload([(serial, none) for serial in posted.files])
        written = write_file(path, "ROWS", store.generation.identity, 900, content)
        with store.catalog.transaction():
            store.catalog.delete(StoredFile, lost)
            store.catalog.insert([written])
            store.catalog.set_meta(next_serial="901")
    assert found(path) == ([], ())
    with Collection(path) as collection:
        assert all("is not that of its segment" in problem for problem in collection.check().problems)
    assert repair(path).ok
    assert found(path) == (["text-7"], ())


@pytest.mark.parametrize("at", [70, -1, 0])
def test_damaged_rows_are_not_asked_and_told(path, at):
    expected = [found(path, seed)[0] for seed in range(0, 60, 7)]
    for file in path.glob("tiles/*.rows"):
        content = bytearray(file.read_bytes())
        for place in range(64, len(content) - 60) if at == 70 else [at]:
            content[place] ^= 255
        file.write_bytes(content)
    told = [found(path, seed) for seed in range(0, 60, 7)]
    assert [names for names, _ in told] == expected
    assert all(any(".rows" in warning for warning in warnings) for _, warnings in told)
    before = {file: file.read_bytes() for file in path.glob("postings/*.post")}
    assert repair(path).ok
    assert before == {file: file.read_bytes() for file in path.glob("postings/*.post")}
    assert found(path) == (["text-7"], ())


def test_a_join_stops_at_a_full_segment_and_leaves_the_others_alone(path):
    files = {file: file.stat().st_size for file in path.glob("postings/*.post")}
    assert all(size < 3 * 3000 for size in files.values())
    with Collection(path) as collection:
        collection.remove("text-0")
        collection.compact()
    left = [file for file in files if file.exists()]
    assert len(left) >= len(files) - 2


def test_segments_of_a_load_that_did_not_end_are_asked_for_all_hashes_until_the_next_commit(path, monkeypatch):
    with monkeypatch.context() as going_on:
        going_on.setattr(Writer, "commit", partialmethod(Writer.commit, has_more=True))
        with Collection(path) as collection:
            collection.add_many([("text-70", words(70))])
    with Store(path) as store:
        assert len(store.generation.posted.without_row()) == 1
    assert found(path, 70) == (["text-70"], ())
    with Collection(path) as collection:
        collection.add_many([("text-71", words(71))])
        assert collection.check().problems == []
    with Store(path) as store:
        assert store.generation.posted.without_row() == set()


def test_an_absent_hash_passes_a_row_about_as_often_as_the_formula_says():
    random = np.random.default_rng(3)
    hashes = random.integers(0, 2**32, 40_000, np.uint64).astype(np.uint32)
    stored = postings.made(postings.Added.of([(1, hashes)]))
    row = kernels.row_of(stored, row_bits(stored.n_hashes), 3)
    bits = np.append(row.view(np.uint8), np.zeros(8, np.uint8))
    one = kernels.SegmentRows(bits, 1, 64 * len(row), 3), 0
    assert len(kernels.segments_having([one], hashes)) == len(hashes)
    absent = np.setdiff1d(random.integers(0, 2**32, 40_000, np.uint64).astype(np.uint32), hashes)
    assert 0.5 * SEGMENT_FPR < len(kernels.segments_having([one], absent)) / len(absent) < 1.2 * SEGMENT_FPR


def test_postings_that_memory_does_not_hold_are_read_page_by_page(path, monkeypatch):
    apart = []
    monkeypatch.setattr(mapping, "read_apart", apart.append)
    found(path)
    assert apart == []
    monkeypatch.setattr(mapping, "memory_bytes", lambda: 1 << 20)
    assert found(path) == (["text-7"], ())
    assert len(apart) == len(list(path.glob("postings/*.post")))


def test_pages_that_memory_does_not_hold_are_asked_for_together_before_the_first_is_read(path, monkeypatch):
    hashes, steps, blocks = np.arange(0, 2**32, 1 << 20, dtype=np.uint32), [], iter([0, 900, 900, 900, 900, 900])
    with Store(path) as store:
        expected = store.generation.posted.find(hashes, limit=9)
    find, ahead = kernels.find_postings, mapping.read_ahead
    monkeypatch.setattr(mapping, "memory_bytes", lambda: 1 << 20)
    monkeypatch.setattr(mapping, "read_blocks", lambda: next(blocks))
    monkeypatch.setattr(mapping, "read_ahead", lambda *given_: steps.append("ahead") or ahead(*given_))
    monkeypatch.setattr(kernels, "find_postings", lambda *args, **more: steps.append("find") or find(*args, **more))
    with Store(path) as store:
        for _ in range(3):
            answer = store.generation.posted.find(hashes, limit=9)
            assert [one.tolist() for one in answer] == [one.tolist() for one in expected]
    each = ["ahead"] * 2 * len(list(path.glob("postings/*.post")))
    assert steps == [*each, "find", *each, "find", "find"]  # the second time the disk was not read


def test_a_damaged_directory_does_not_stop_reading_ahead(path):
    with Store(path) as store:
        one = store.generation.posted.sources()[0]
        broken = np.array(one.to_find().directory)
        broken[1::2] = 2**32 - 1
        one._postings = replace(one.to_find(), directory=broken)
        one.read_ahead(np.arange(0, 2**32, 1 << 20, dtype=np.uint32))
