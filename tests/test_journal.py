"""A text that is added alone lies in the catalog until more of them are written to files together."""

import json
import pickle
import shutil
import sqlite3

import pytest
from conftest import names, words

from pmbf import Collection, CorruptError, Params, repair
from pmbf.store import pending
from pmbf.store.folder import Store

FORMS = {
    "texts": Params(),
    "fingerprints": Params(store_text=False),
    "wide hashes": Params(hash_bits=48),
}


@pytest.fixture(params=FORMS)
def params(request):
    return FORMS[request.param]


def files(path):
    return sorted(str(file.relative_to(path)) for file in path.glob("*/*"))


def journal(path):
    with Store(path) as store:
        return sorted(store.generation.journal.entries)


def add(collection, seeds):
    return [collection.add(words(seed), name=f"text-{seed}") for seed in seeds]


def assert_finds(collection, seeds):
    for seed in seeds:
        found = {path for match in collection.screen(words(seed)).matches for path in match.document.paths}
        assert f"text-{seed}" in found or not collection.params.store_text
        assert collection.screen(words(seed)).n_documents == len(collection)
    assert collection.check().problems == []


def answer(collection, query):
    """Return a report without what tells one collection from another."""
    return {**json.loads(collection.screen(query).to_json()), "collection": "", "generation": 0}


@pytest.fixture
def path(tmp_path, params):
    with Collection(tmp_path / "c.pmbf", create=True, params=params) as collection:
        collection.add_many([(f"text-{seed}", words(seed)) for seed in range(5)])
    return tmp_path / "c.pmbf"


def test_a_text_alone_writes_no_file_and_others_find_it_at_once(path):
    before = files(path)
    with Collection(path) as collection, Collection(path) as other:
        assert add(collection, (5, 6)) == [6, 7]
        assert (files(path), journal(path)) == (before, [6, 7])
        assert_finds(collection, range(7))
        assert not any("text-6" in one.paths for one in other.documents()) or len(other) == 5
        with Collection(path) as later:
            assert_finds(later, range(7))
    assert journal(path) == [6, 7]


def test_answers_are_those_of_the_same_documents_in_files(path, tmp_path):
    shutil.copytree(path, tmp_path / "other.pmbf")
    with Collection(path) as one, Collection(tmp_path / "other.pmbf") as other:
        add(one, range(5, 30))
        other.add_many([(f"text-{seed}", words(seed)) for seed in range(5, 30)])
        assert journal(path) and not journal(other.path)
        for seed in range(31):
            query = words(seed) + " " + words(seed + 7)
            assert answer(one, query) == answer(other, query)
        assert [*one.documents()] == [*other.documents()]


def test_a_full_journal_is_written_to_files_together(path, monkeypatch):
    monkeypatch.setattr(pending, "MOST_ENTRIES", 3)
    before = set(files(path))
    with Collection(path) as collection:
        sizes = [(add(collection, [seed]), len(journal(path)))[1] for seed in range(5, 14)]
        assert sizes == [1, 2, 3, 0, 1, 2, 3, 0, 1]
        assert_finds(collection, range(14))
        kinds = "texts" if collection.params.store_text else "fingerprints"
        assert sum(name.startswith(kinds) for name in set(files(path)) - before) == 4
    assert repair(path).ok


def test_a_load_writes_the_journal_to_files_too(path, tmp_path):
    (tmp_path / "9.txt").write_text(words(9), encoding="utf-8")
    with Collection(path) as collection:
        add(collection, (5, 6))
        collection.load([tmp_path / "9.txt"])
        assert journal(path) == []
        assert_finds(collection, range(7))


def test_a_document_of_the_journal_is_removed_and_compaction_gives_its_id_back(path):
    with Collection(path) as collection:
        add(collection, (5, 6, 7))
        collection.remove("text-6", 2)
        assert journal(path) == [2, 6, 7, 8]
        assert not collection.screen(words(6)).matches and len(collection) == 6
        assert_finds(collection, (0, 5, 7))
        collection.compact()
        assert journal(path) == []
        assert_finds(collection, (0, 5, 7))
        assert add(collection, (8, 9, 10)) == [2, 7, 9]
        assert_finds(collection, (0, 5, 7, 8, 9, 10))


def test_a_removal_writes_no_file_until_the_journal_is_full(path, monkeypatch):
    monkeypatch.setattr(pending, "MOST_ENTRIES", 2)
    before = files(path)
    with Collection(path) as collection:
        collection.remove("text-0")
        collection.remove(3)
        assert (files(path), journal(path)) == (before, [1, 3])
        assert_finds(collection, (1, 3, 4))
        collection.remove("text-1")
        assert journal(path) == [2]
        assert files(path) != before and len(files(path)) == len(before)
        assert_finds(collection, (3, 4))
    assert repair(path).ok


def test_removals_that_no_journal_takes_go_to_the_directory(path, monkeypatch):
    monkeypatch.setattr(pending, "MOST_ENTRIES", 2)
    with Collection(path) as collection:
        add(collection, [5])
        collection.remove(1, 2, 6)
        assert journal(path) == [6]
        assert_finds(collection, (2, 3, 4))
        collection.compact()
        assert journal(path) == []
        assert_finds(collection, (2, 3, 4))


@pytest.mark.parametrize("seed", [1, 5], ids=["of a document in files", "of one in the journal"])
def test_a_name_with_another_text_writes_no_file(path, seed):
    with Collection(path) as collection:
        add(collection, [5])
        before = files(path)
        collection.add(words(77), name=f"text-{seed}")
        assert files(path) == before
        assert not collection.screen(words(seed)).matches and len(collection) == 6
        assert names(collection.screen(words(77))) in ([f"text-{seed}"], [])
        assert collection.check().problems == []
        collection.compact()
        assert collection.check().problems == [] and len(collection) == 6


def test_a_long_text_goes_to_files(path, monkeypatch):
    monkeypatch.setattr(pending, "MOST_TEXT_BYTES", 2000)
    with Collection(path) as collection:
        add(collection, [5])
        assert journal(path) == [6]
        collection.add(words(6, 20_000), name="long")
        assert journal(path) == []
        assert collection.check().problems == []


def test_a_collection_of_rows_has_no_journal(tmp_path):
    path = tmp_path / "c.pmbf"
    with Collection(path, create=True, params=Params(index="rows")) as collection:
        add(collection, range(3))
        assert_finds(collection, range(3))
    assert journal(path) == []


def test_a_copy_of_the_folder_made_while_it_is_open_has_what_was_added(path, tmp_path):
    with Collection(path) as collection:
        add(collection, (5, 6))
        assert (path / "catalog.sqlite-wal").stat().st_size
        shutil.copytree(path, tmp_path / "copy.pmbf")
    with Collection(tmp_path / "copy.pmbf") as copy:
        assert_finds(copy, range(7))


def test_a_lost_log_of_the_catalog_is_told(path, tmp_path):
    with Collection(path) as collection:
        add(collection, (5, 6))
        shutil.copytree(path, tmp_path / "copy.pmbf")
    (tmp_path / "copy.pmbf" / "catalog.sqlite-wal").unlink()
    with pytest.raises(CorruptError, match="shows commit 1, but commit 3 was made"):
        Collection(tmp_path / "copy.pmbf")


@pytest.mark.parametrize(("last", "lost"), [(2, "commit 2"), (3, "the commits 2 to 3")])
def test_a_repair_tells_the_commits_that_a_lost_log_had(path, tmp_path, last, lost):
    with Collection(path) as collection:
        add(collection, range(5, 4 + last))
        shutil.copytree(path, tmp_path / "copy.pmbf")
    (tmp_path / "copy.pmbf" / "catalog.sqlite-wal").unlink()
    report = repair(tmp_path / "copy.pmbf")
    assert report.lost == [f"what {lost} changed"] and not report.ok
    assert f"shows commit 1, but commit {last} was made" in report.problems[0]
    assert repair(tmp_path / "copy.pmbf").ok
    with Collection(tmp_path / "copy.pmbf") as copy:
        assert_finds(copy, range(5))


def test_a_journal_without_a_hash_leaves_others_found(path):
    with Collection(path) as collection:
        collection.add("", name="empty")
        assert journal(path) == [6]
        assert_finds(collection, range(5))
        collection.compact()
        assert_finds(collection, range(5))


def test_a_journal_of_removals_leaves_others_found(path):
    with Collection(path) as collection:
        collection.add(words(1), name="text-0")
        assert journal(path) == [1]
        assert_finds(collection, range(1, 5))
        assert not collection.screen(words(0)).matches


def test_files_in_another_process_have_the_journal(path):
    with Collection(path) as collection:
        add(collection, (5, 6))
    with Store(path) as store:
        there, row = pickle.loads(pickle.dumps(store.generation)), store.documents([7])[7]
        assert there.directory.totals().n_live == 7
        assert there.fingerprint(row).hashes.tolist() == store.generation.fingerprint(row).hashes.tolist()


def test_a_repair_keeps_the_journals_documents(path):
    with Collection(path) as collection:
        add(collection, (5, 6))
        collection.remove("text-5")
    next(path.glob("postings/*")).unlink()
    assert repair(path).lost == []
    assert journal(path) == []
    with Collection(path) as collection:
        assert_finds(collection, (0, 1, 2, 3, 4, 6))


@pytest.mark.parametrize("column", ["record", "blocks"])
def test_a_damaged_row_of_the_journal_is_told(path, column):
    with Collection(path) as collection:
        add(collection, [5])
    with sqlite3.connect(path / "catalog.sqlite") as connection:
        connection.execute(f"UPDATE journal SET {column} = x'00'")
    connection.close()
    with pytest.raises(CorruptError, match="the row of journal 6 fails its checksum"):
        Collection(path)


def test_a_lost_row_of_the_journal_is_told(path):
    with Collection(path) as collection:
        add(collection, (5, 6))
    with sqlite3.connect(path / "catalog.sqlite") as connection:
        connection.execute("DELETE FROM journal WHERE document = 6")
    connection.close()
    with pytest.raises(CorruptError, match="the 1 rows of the table `journal` are not the 2 that were committed"):
        Collection(path)
