"""Postings in files of their own: which files are joined when, and what a joined file holds."""

import numpy as np
import pytest
from conftest import words
from hypothesis import given
from hypothesis import strategies as st

from pmbf import Collection, Params
from pmbf.base.hashes import first_bits
from pmbf.base.params import HASH_BITS
from pmbf.intake import batches, loader
from pmbf.store import levels, postings
from pmbf.store.files import Identity, MappedFile, StoredFile, write_file
from pmbf.store.folder import Store
from pmbf.store.levels import FULL_BYTES, joined_with, level
from pmbf.store.postings import StoredPostings

OURS = Identity(b"collection-one--", b"params-1")
KIB = 1 << 10
NONE = np.empty(0, np.uint32)


def grown(sizes):
    """Return the sizes of the files after commits of some sizes, and the bytes written in all."""
    files, n_written = [], 0
    for serial, size in enumerate(sizes):
        joined = joined_with(size, files)
        made = StoredFile(serial, "POST", size + sum(file.payload_bytes for file in joined), 0)
        n_written += made.payload_bytes
        files = [file for file in files if file not in joined] + [made]
    return files, n_written


@given(st.lists(st.integers(1, 5000 * KIB) | st.integers(1, 9), max_size=200))
def test_a_level_has_three_files_at_most_and_no_byte_is_lost(sizes):
    files, _ = grown(sizes)
    counts = np.bincount([level(file.payload_bytes) for file in files], minlength=1)
    assert (sum(file.payload_bytes for file in files), counts.max() <= 3) == (sum(sizes), True)


def test_a_posting_is_written_once_for_each_level_that_it_passes():
    files, n_written = grown([4096 * KIB] * 1000)
    n_levels = level(FULL_BYTES) - level(4096 * KIB) + 2
    assert n_written <= n_levels * 1000 * 4096 * KIB
    assert len(files) <= 3 * n_levels + 1000 * 4096 * KIB // (FULL_BYTES // 2)


def test_no_more_files_are_joined_than_one_file_takes():
    large = [StoredFile(serial, "POST", FULL_BYTES // 3, 0) for serial in range(4)]
    assert joined_with(FULL_BYTES // 3, large) == large[:2]
    assert joined_with(9, large, least_bytes=FULL_BYTES) == large[:2]
    assert joined_with(9, [StoredFile(1, "POST", FULL_BYTES, 0)], least_bytes=2 * FULL_BYTES) == []


def added(first, last, n_hashes=40, hash_bits=32):
    random = np.random.default_rng(first)
    values = random.integers(0, 2**64, (last - first, n_hashes), np.uint64)
    hashes = first_bits(values) if hash_bits == 32 else values & np.uint64(2**64 - 2 ** (64 - hash_bits))
    return list(zip(range(first, last), hashes, strict=True))


def pairs_of(documents):
    return sorted({(value, id_) for id_, hashes in documents for value in hashes.tolist()})


def all_of(stored):
    listed = (postings.listed(stored, *between) for between in postings.ranges_of([stored]))
    return [pair for hashes, ids in listed for pair in zip(hashes.tolist(), ids.tolist(), strict=True)]


@pytest.mark.parametrize("hash_bits", HASH_BITS)
@pytest.mark.parametrize("range_bytes", [200, 1 << 20])
def test_a_joined_file_has_the_postings_of_its_sources_without_those_gone(
    tmp_path, monkeypatch, range_bytes, hash_bits
):
    monkeypatch.setattr(postings, "_RANGE_BYTES", range_bytes)
    some, more, others = (added(*ids, hash_bits=hash_bits) for ids in ((1, 30), (50, 53), (30, 50)))
    others.append((60, others[0][1][[7, 7, 9]]))
    made = [postings.made(postings.Added.of(one), hash_bits) for one in (some, others, more)]
    first = write_file(tmp_path, "POST", OURS, 1, postings.payload(made[:1], NONE, hash_bits))
    sources = [StoredPostings.of_file(MappedFile(tmp_path, first, OURS)), *made[1:]]
    gone = np.array([3, 45, 999], np.uint32)
    second = write_file(tmp_path, "POST", OURS, 2, postings.payload(sources, gone, hash_bits))
    joined = StoredPostings.of_file(MappedFile(tmp_path, second, OURS))
    expected = [one for one in some + others + more if one[0] not in (3, 45)]
    assert joined.documents.tolist() == sorted(id_ for id_, _ in expected)
    assert all_of(joined) == pairs_of(expected)


def test_postings_of_many_documents_are_made_in_turns(monkeypatch):
    monkeypatch.setattr(levels, "_MADE_HASHES", 100)
    monkeypatch.setattr(levels, "FULL_BYTES", 4000)
    documents = postings.Added.of(added(1, 60))
    content = [b"".join(join.content) for join in levels.new_file(documents)]
    assert len(content) == 3
    turns = list(documents.cut(100))
    joined = postings.Added.joined(turns)
    assert all(np.array_equal(one, whole) for one, whole in zip(joined, documents, strict=True))
    assert {len(some.counts) for some in turns} <= {1, 2, 3}


def n_files(path):
    with Store(path) as store:
        return len(store.generation.posted.files)


def assert_finds(collection, seeds):
    for seed in seeds:
        assert [f"text-{seed}"] == [match.document.path for match in collection.screen(words(seed)).matches]
    assert collection.check().problems == []


def test_commits_are_joined_and_every_document_is_found(tmp_path):
    path, counts = tmp_path / "c.pmbf", []
    with Collection(path, create=True) as collection:
        for seed in range(9):
            collection.add_many([(f"text-{seed}", words(seed))])
            counts.append(n_files(path))
        assert_finds(collection, range(9))
    assert counts == [1, 2, 3, 1, 2, 3, 1, 2, 3]


def test_removed_documents_leave_with_a_join_or_with_compaction_and_their_ids_are_safe(tmp_path):
    path = tmp_path / "c.pmbf"

    def named():
        with Store(path) as store:
            sources = store.generation.posted.sources()
            return sorted(id_ for one in sources for id_ in one.documents.tolist())

    with Collection(path, create=True) as collection:
        for seed in range(3):
            collection.add_many([(f"text-{seed}", words(seed))])
        collection.remove("text-1")
        assert named() == [1, 2, 3]
        collection.add_many([("text-3", words(3))])  # the fourth file
        assert named() == [1, 3, 4]
        collection.remove("text-0")
        collection.compact()
        assert (named(), n_files(path)) == ([3, 4], 1)
        assert [collection.add(words(seed), name=f"text-{seed}") for seed in (8, 9)] == [1, 2]
        assert_finds(collection, (2, 3, 8, 9))
        assert not collection.screen(words(0)).matches
        assert not collection.screen(words(1)).matches


def test_compaction_writes_several_files_if_one_does_not_take_all(tmp_path, monkeypatch):
    path = tmp_path / "c.pmbf"
    with Collection(path, create=True) as collection:
        for first in range(0, 40, 10):
            collection.add_many([(f"text-{seed}", words(seed)) for seed in range(first, first + 10)])
        collection.add_many([(f"text-{seed}", words(seed)) for seed in range(40, 50)])
        collection.remove("text-3", "text-44")
        assert n_files(path) == 2
        monkeypatch.setattr(levels, "FULL_BYTES", 4000)
        collection.compact()
        assert n_files(path) == 2
        assert_finds(collection, (0, 49))
        with Store(path) as store:
            named = [id_ for one in store.generation.posted.sources() for id_ in one.documents.tolist()]
        assert sorted(named) == sorted({*range(1, 51)} - {4, 45})


def test_compaction_leaves_files_without_dead_documents_as_they_are(tmp_path):
    path = tmp_path / "c.pmbf"
    with Collection(path, create=True) as collection:
        for seed in range(2):
            collection.add_many([(f"text-{seed}", words(seed))])
        before = set((path / "postings").iterdir())
        collection.remove("text-1")
        collection.compact()
        assert len(before & set((path / "postings").iterdir())) == 1
        assert_finds(collection, [0])


@pytest.mark.parametrize("jobs", [1, 2])
def test_the_last_commit_of_a_load_joins_what_was_loaded(tmp_path, monkeypatch, jobs):
    path, folder = tmp_path / "c.pmbf", tmp_path / "texts"
    folder.mkdir()
    monkeypatch.setattr(loader, "COMMIT_BYTES", 5000)
    monkeypatch.setattr(batches, "BATCH_FILES", 7)
    for number in range(40):
        (folder / f"{number}.txt").write_text(words(number), encoding="utf-8")
    with Collection(path, create=True, params=Params(row_capacity=64, segment_chars=1024)) as collection:
        collection.load([folder], jobs=jobs)
        assert collection._store.commit_number > 3
        for number in range(0, 40, 7):
            assert [match.document.path for match in collection.screen(words(number)).matches]
        assert collection.check().problems == []
    assert n_files(path) == 1
