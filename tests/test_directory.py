"""The directory says of every document where its fingerprint is, as the catalog does."""

from collections.abc import Iterable

import numpy as np
import pytest
from conftest import words
from hypothesis import given
from hypothesis import strategies as st

from pmbf import Collection, CorruptError, repair
from pmbf.store import directory
from pmbf.store.catalog_tables import BINARY_KIND, Document, DocumentRows
from pmbf.store.directory import CHUNK_DOCUMENTS, LOCATION, Directory
from pmbf.store.files import Identity, MappedFile, write_file
from pmbf.store.folder import Store

OURS = Identity(b"collection-one--", b"params-1")
IDS = st.integers(1, 5) | st.integers(CHUNK_DOCUMENTS - 2, CHUNK_DOCUMENTS + 2) | st.integers(1, 3 * CHUNK_DOCUMENTS)

STATES = st.tuples(st.integers(0, 1), st.sampled_from(["txt", BINARY_KIND]))


def document(id_: int, *, file: int = 7, removed: int = 0, kind: str = "txt") -> Document:
    n_hashes = 0 if kind == BINARY_KIND else 100 + id_ % 7
    return Document(id_, "", kind, 0, 0, n_hashes, 1, file, 10 * id_, 30, 0, 0, 0, 0, removed)


def as_tuple(row: Document) -> tuple[int, int, int, int, int]:
    state = directory.WITHOUT_TEXT if row.kind == BINARY_KIND else directory.LIVE
    state = directory.REMOVED if row.removed else state
    return row.fingerprint_file, row.n_hashes, row.fingerprint_offset, row.fingerprint_bytes, state


def stored(folder, chunks: dict[int, np.ndarray]) -> Directory:
    """Return the directory over chunks, written to files."""
    records = {
        number: write_file(folder, "DOCS", OURS, number + 1, directory.payload(locations))
        for number, locations in chunks.items()
    }
    serials = {number: record.serial for number, record in records.items()}
    return Directory(serials, lambda serial: MappedFile(folder, records[serial - 1], OURS))


def changed(now: Directory, rows: list[Document], lost: Iterable[int]) -> dict[int, np.ndarray]:
    columns = DocumentRows.of(rows)
    return now.changed(columns.numbers, columns.is_binary(), lost)


@given(
    st.lists(st.tuples(st.dictionaries(IDS, STATES, max_size=8), st.sets(IDS, max_size=4)), max_size=4),
    st.lists(IDS),
)
def test_a_directory_is_a_dict_of_the_last_rows(tmp_path_factory, changes, asked):
    model: dict[int, Document] = {}
    chunks: dict[int, np.ndarray] = {}
    for number, (added, lost) in enumerate(changes):
        states = added.items()
        rows = [document(id_, file=number + 1, removed=removed, kind=kind) for id_, (removed, kind) in states]
        now = stored(tmp_path_factory.mktemp("directory"), chunks)
        chunks |= changed(now, rows, lost)
        model = {id_: row for id_, row in model.items() if id_ not in lost} | {row.id: row for row in rows}
    last = stored(tmp_path_factory.mktemp("directory"), chunks)
    expected = [as_tuple(model[id_]) if id_ in model else (0, 0, 0, 0, 0) for id_ in asked]
    assert expected == last.locations(np.array(asked, np.uint32)).tolist()
    assert [one[-1] for one in expected] == last.locations(np.array(asked, np.uint32), "state").tolist()
    all_live = [row for _, row in sorted(model.items()) if not row.removed]
    live = [row for row in all_live if row.kind != BINARY_KIND]
    assert [row.id for row in live] == last.live_ids().tolist()
    n_removed, n_without_text = len(model) - len(all_live), len(all_live) - len(live)
    assert (len(live), n_removed, n_without_text, sum(row.n_hashes for row in live)) == last.totals()


def test_a_chunk_ends_with_its_last_document():
    chunks = changed(Directory({}, lambda serial: None), [document(3), document(CHUNK_DOCUMENTS)], [])
    assert {0: 4, 1: 1} == {number: len(locations) for number, locations in chunks.items()}
    assert all(locations.dtype == LOCATION for locations in chunks.values())


def test_the_directory_follows_adding_removing_and_compacting(tmp_path):
    path = tmp_path / "c.pmbf"
    with Collection(path, create=True) as collection:
        collection.add_many([(f"text-{seed}", words(seed)) for seed in range(8)])
        assert totals(path)[:2] == (8, 0)
        collection.remove("text-3", "text-7")
        assert totals(path)[:2] == (6, 2)
        collection.compact()
        assert totals(path)[:2] == (6, 0)
        collection.add(words(9), name="text-9")
        assert totals(path) == (7, 0, collection.stats().n_hashes)
        assert collection.check().problems == []


def totals(path):
    with Store(path) as store:
        found = store.generation.directory.totals()
        return found.n_live, found.n_removed, found.n_hashes


def test_check_sees_a_directory_that_differs_and_repair_mends_it(tmp_path, monkeypatch):
    path = tmp_path / "c.pmbf"
    with Collection(path, create=True) as collection:
        collection.add_many([("a", words(1))])
        wrong = np.array([(1, 2, 3, 4, directory.LIVE)], directory.LOCATION)
        monkeypatch.setattr(directory, "located", lambda documents, is_binary, names_texts: wrong)
        collection.add_many([("b", words(2))])
        monkeypatch.undo()
        (problem,) = collection.check().problems
        assert problem.startswith("document 2 is (1, 2, 3, 4, 1) in the directory, expected (")
    assert repair(path).ok
    with Collection(path) as collection:
        assert ["b"] == [match.document.path for match in collection.screen(words(2)).matches]


def test_a_directory_that_lacks_documents_is_refused_and_repaired(tmp_path, monkeypatch):
    path = tmp_path / "c.pmbf"
    with monkeypatch.context() as patch, Collection(path, create=True) as collection:
        patch.setattr(Directory, "changed", lambda self, documents, is_binary, lost: {})
        collection.add_many([("a", words(1))])
    with Collection(path) as collection:
        with pytest.raises(CorruptError, match="document 1 is missing from the directory; run `pmbf check --repair"):
            collection.screen(words(1))
        assert collection.check().problems == ["chunk 0 of the directory has 0 locations, expected 2"]
    assert repair(path).ok
    with Collection(path) as collection:
        assert ["a"] == [match.document.path for match in collection.screen(words(1)).matches]


def test_a_damaged_directory_is_named_and_repaired(tmp_path):
    path = tmp_path / "c.pmbf"
    with Collection(path, create=True) as collection:
        collection.add_many([("a", words(1))])
    (file,) = (path / "tiles").glob("*.docs")
    content = file.read_bytes()
    file.write_bytes(content[:120] + bytes([content[120] ^ 1]) + content[121:])
    with Collection(path) as collection:
        with pytest.raises(CorruptError, match=rf"{file.name}: checksum of page 0 is .*; run `pmbf check --repair"):
            collection.screen(words(1))
        assert len(collection.check().problems) == 1
    assert repair(path).ok
    with Collection(path) as collection:
        assert ["a"] == [match.document.path for match in collection.screen(words(1)).matches]
