"""The word lists of documents: stored with each, read back by the directory, checked, repaired and copied."""

from __future__ import annotations

import shutil
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from conftest import words

from pmbf import Collection, Params, repair
from pmbf.base.errors import CorruptError
from pmbf.fingerprint import fingerprint
from pmbf.store import codec, wordlists
from pmbf.store.compact import compact
from pmbf.store.files import StoredFile
from pmbf.store.folder import Store
from pmbf.store.writer import Writer

N_TEXTS = 60
LONG, EMPTY = N_TEXTS + 1, N_TEXTS + 2
"""A document of three parts, and one without words."""


def text(number: int) -> str:
    if number == LONG:
        return words(number, 30_000)
    return "" if number == EMPTY else words(number, 80) + " 中文字 " * (number % 3)


def listed(path: Path, ids: list[int]) -> list[bytes]:
    """Return the stored word list of each document."""
    with Store(path) as store:
        found, bounds = store.generation.words_of(np.array(ids, np.uint32))
        assert (found.dtype, bounds.dtype, len(bounds)) == (np.uint8, np.int64, len(ids) + 1)
        return [found[start:stop].tobytes() for start, stop in pairwise(bounds)]


def expected(ids: list[int]) -> list[bytes]:
    return [fingerprint(text(number), Params()).words for number in ids]


@pytest.fixture(params=["texts", "fingerprints"])
def path(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """A collection whose documents lie in three files of records and in the journal."""
    path, params = tmp_path / "c.pmbf", Params(store_text=request.param == "texts")
    with Collection(path, create=True, params=params) as made:
        made.add_many([(f"text-{number}", text(number)) for number in range(1, 30)])
        made.add_many([(f"text-{number}", text(number)) for number in range(30, N_TEXTS - 1)])
        made.add(text(N_TEXTS - 1), name=f"text-{N_TEXTS - 1}")
        made.add(text(N_TEXTS), name=f"text-{N_TEXTS}")
        made.add_many([("long", text(LONG)), ("empty", text(EMPTY))])
        made.remove("text-7")
        made.add(text(7), name="text-7")
    return path


ALL = list(range(1, EMPTY + 1))


def test_each_document_has_the_list_of_its_text(path: Path) -> None:
    with Collection(path) as made:
        assert made.check().problems == []
        by_name = {one.path: one.document for one in made._store.catalog.paths()}
    numbers = {"long": LONG, "empty": EMPTY} | {f"text-{number}": number for number in range(1, N_TEXTS + 1)}
    ids = [by_name[name] for name in numbers]
    assert listed(path, ids) == expected(list(numbers.values()))
    assert listed(path, ids[::-1]) == expected(list(numbers.values()))[::-1]
    assert listed(path, []) == []


def test_a_collection_of_rows_has_no_lists(tmp_path: Path) -> None:
    with Collection(tmp_path / "c.pmbf", create=True, params=Params(index="rows")) as made:
        made.add_many([("a", text(1)), ("b", text(2))])
        assert made.check().problems == []
    assert listed(tmp_path / "c.pmbf", [1, 2]) == [b"", b""]


def test_compaction_copies_the_lists(path: Path) -> None:
    with Store(path, writable=True) as store:
        before = {one.id: store.generation.words(one) for one in store.catalog.live_documents()}
        writer = Writer(store)
        writer.remove([1, 2, 3])
        writer.commit()
        compact(writer)
        assert len(store.catalog.files("FPRT")) == 1
    ids = [id_ for id_ in before if id_ > 3]
    assert listed(path, ids) == [before[id_] for id_ in ids]
    with Collection(path) as made:
        assert made.check().problems == []


def put_record(path: Path, document: int, record: bytes) -> None:
    """Put a record in the place of a document's own, with every checksum right."""
    with Store(path, writable=True) as store:
        writer = Writer(store)
        writer.settle()
        row = store.documents([document])[document]
        file = store.generation.file(row.fingerprint_file)
        payload = bytearray(file.payload)
        payload[row.fingerprint_offset : row.fingerprint_offset + row.fingerprint_bytes] = record
        written = writer.files.write("FPRT", [bytes(payload)])
        with store.catalog.transaction():
            store.catalog.delete(StoredFile, [row.fingerprint_file])
            rows = [one for one in store.catalog.all_documents() if one.fingerprint_file == row.fingerprint_file]
            store.catalog.replace([one._replace(fingerprint_file=written.serial) for one in rows])
            store.catalog.insert([written])
            store.catalog.set_meta(next_serial=str(written.serial + 1))


def test_a_list_of_another_text_is_told_and_made_anew(path: Path) -> None:
    with Store(path) as store:
        row = store.documents([9])[9]
        if not row.text_file:
            pytest.skip("without its text nobody can know")
        wrong = bytearray(store.generation.words(row))
    wrong[-1] ^= 1
    put_record(path, 9, codec.worded(bytes(wrong)))
    with Collection(path) as made:
        assert "document 9: its word list is not that of its text" in made.check().problems
    report = repair(path)
    assert "word list of document 9 made anew from its text" in report.repaired
    assert report.remaining == []
    assert listed(path, [9]) == expected([9])


def test_a_damaged_page_of_records_is_refused_and_repaired(path: Path) -> None:
    file = min((path / "fingerprints").iterdir())
    content = bytearray(file.read_bytes())
    content[200] ^= 1
    file.write_bytes(content)
    with pytest.raises(CorruptError, match=f"{file.name}: checksum of page 0"):
        listed(path, [1])
    report = repair(path)
    assert (report.lost, report.remaining) == ([], [])
    with Store(path) as store:
        keeps_text = bool(store.documents([1])[1].text_file)
    assert listed(path, [1]) == (expected([1]) if keeps_text else [b""])
    assert listed(path, [20]) == expected([20])


def test_a_document_whose_text_is_gone_keeps_its_list(path: Path) -> None:
    shutil.rmtree(path / "texts", ignore_errors=True)
    assert repair(path).lost == []
    assert listed(path, [5, 9]) == expected([5, 9])


@pytest.mark.parametrize(("moved", "larger"), [(0, -4000), (1 << 40, 0), (0, 1 << 30), (1, 0)])
def test_a_place_that_holds_no_record_is_refused(path: Path, moved: int, larger: int) -> None:
    with Store(path) as store:
        [place] = store.generation.directory.locations(np.array([4], np.uint32)).tolist()
        serial, _, offset, n_bytes, _ = (np.array([number], np.int64) for number in place)
        with pytest.raises(CorruptError, match="the checksum of the fingerprint does not fit"):
            wordlists.read(store.generation, serial, offset + moved, n_bytes + larger)
