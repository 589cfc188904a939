"""A damaged collection says so: never a traceback, never a wrong answer."""

import os
import random
import resource
import shutil

import pytest
from conftest import words

from pmbf import BusyError, Collection, CorruptError, Params, PmbfError, repair
from pmbf.store import files as store_files
from pmbf.store.codec import BLOCK
from pmbf.store.files import HEADER_BYTES

FLIPS_PER_FILE = int(os.environ.get("PMBF_FLIPS", "40"))


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    path = tmp_path_factory.mktemp("whole") / "c.pmbf"
    with Collection(path, create=True) as collection:
        collection.add_many([(f"text-{seed:02}", words(seed)) for seed in range(30)])
        collection.remove("text-29")
    (path / "writer.lock").unlink(missing_ok=True)
    return path


@pytest.fixture
def path(whole, tmp_path):
    copy = tmp_path / "c.pmbf"
    shutil.copytree(whole, copy)
    return copy


def files(path):
    return sorted(file for file in path.rglob("*") if file.is_file() and file.suffix != ".lock")


def answer(path):
    with Collection(path) as collection:
        report = collection.screen(words(7) + " " + words(99))
        return [(m.document.path, m.passages) for m in report.matches], [m.problem for m in report.matches]


def assert_right_or_refused(path, expected):
    """The answer is right, or a match says its text could not be compared, or the collection refuses clearly."""
    try:
        matches, problems = answer(path)
    except PmbfError as error:
        assert str(path) in str(error)
        return
    if any(problems):  # of candidates that share words by chance, too
        assert {path for path, _ in expected} <= {path for path, _ in matches}
        assert all(one in expected for one in matches if one[1])
    else:
        assert matches == expected


@pytest.mark.parametrize("kind", ["catalog.sqlite", "texts", "tiles", "postings", "generation"])
def test_a_flipped_bit_never_changes_an_answer(path, kind):
    expected, _ = answer(path)
    chosen = random.Random(kind)
    for file in files(path):
        if kind not in str(file.relative_to(path)):
            continue
        content = file.read_bytes()
        for _ in range(FLIPS_PER_FILE):
            bit = chosen.randrange(8 * len(content))
            damaged = bytearray(content)
            damaged[bit // 8] ^= 1 << bit % 8
            file.write_bytes(damaged)
            assert_right_or_refused(path, expected)
        file.write_bytes(content)
    assert answer(path)[0] == expected


def test_a_damaged_text_is_no_reason_for_compaction_to_crash(path):
    [file] = (path / "texts").iterdir()
    content = bytearray(file.read_bytes())
    n_stored = store_files.HEADER.unpack_from(content)[7] - BLOCK.size - 5  # the next block would begin 5 bytes early
    content[HEADER_BYTES + 8 : HEADER_BYTES + 12] = n_stored.to_bytes(4, "little")
    file.write_bytes(content)
    with Collection(path) as collection, pytest.raises(CorruptError, match=r"\.text: checksum of page 0"):
        collection.compact()


def test_a_file_cut_anywhere_is_refused_or_harmless(path):
    expected, _ = answer(path)
    for file in files(path):
        content = file.read_bytes()
        for length in {0, 1, 63, 64, len(content) // 2, len(content) - 1}:
            file.write_bytes(content[:length])
            assert_right_or_refused(path, expected)
        file.write_bytes(content)


def test_a_missing_file_is_refused_or_harmless(path):
    expected, _ = answer(path)
    for file in files(path):
        content = file.read_bytes()
        file.unlink()
        if file.name == "catalog.sqlite":
            with pytest.raises(PmbfError, match=r"catalog\.sqlite is missing: restore it from a copy"):
                answer(path)
        else:
            assert_right_or_refused(path, expected)
        file.write_bytes(content)


def test_files_of_another_collection_are_refused(path, tmp_path):
    with Collection(tmp_path / "other.pmbf", create=True) as other:
        other.add_many([(f"text-{seed:02}", words(seed)) for seed in range(30)])
        other.remove("text-29")
    for file in files(path):
        foreign = tmp_path / "other.pmbf" / file.relative_to(path)
        if file.suffix in (".rows", ".docs", ".post"):
            content = file.read_bytes()
            shutil.copy(foreign, file)
            with Collection(path) as c, pytest.raises(CorruptError, match="belongs to another collection"):
                c.stats() if file.suffix == ".rows" else c.screen(words(7))  # no answer needs the filter
            file.write_bytes(content)


def test_an_older_catalog_put_back_is_refused(path, tmp_path):
    shutil.copy(path / "catalog.sqlite", tmp_path / "old.sqlite")
    with Collection(path) as collection:
        collection.add(words(200), name="later")
    shutil.copy(tmp_path / "old.sqlite", path / "catalog.sqlite")
    with pytest.raises(CorruptError, match="an older copy, or a damaged write-ahead log"):
        Collection(path)


def test_check_sees_every_kind_of_damage(path):
    for file in files(path):
        if file.suffix in (".rows", ".post", ".fprt", ".text"):
            content = file.read_bytes()
            file.write_bytes(content[:-1] + bytes([content[-1] ^ 1]))
            with Collection(path) as collection:
                assert any(file.name in problem for problem in collection.check().problems)
            file.write_bytes(content)


@pytest.mark.parametrize("kind", ["fingerprints", "texts", "tiles", "postings"])
def test_a_flipped_byte_in_any_page_is_found_and_repaired(tmp_path, kind):
    """With forty rows a tile is stored sealed, with three open; every file but the directory has several pages."""
    params = Params(docs_per_row=1, store_text=kind != "fingerprints")
    for n_rows, n_words in ((3, 1500), (40, 300)):
        path, texts = tmp_path / f"{n_rows}.pmbf", tmp_path / f"{n_rows}"
        texts.mkdir()
        for number in range(n_rows):
            (texts / f"{number}.txt").write_text(words(number, n_words), encoding="utf-8")
        with Collection(path, create=True, params=params) as collection:
            collection.load([texts])
            expected = [(match.document, match.passages) for match in collection.screen(words(1)).matches]
        for file in sorted((path / kind).iterdir()):
            for place in {*range(70, file.stat().st_size, 4096), 8, file.stat().st_size - 2}:
                damaged = tmp_path / "damaged.pmbf"
                shutil.copytree(path, damaged)
                flip(damaged / kind / file.name, place)
                report = repair(damaged)
                assert any(file.name in problem for problem in report.problems)
                assert (report.ok, report.lost, report.remaining) == (True, [], [])
                with Collection(damaged) as collection:
                    found = collection.screen(words(1)).matches
                assert [(match.document, match.passages) for match in found] == expected
                shutil.rmtree(damaged)


def flip(file, place):
    content = bytearray(file.read_bytes())
    content[place] ^= 0xFF
    file.write_bytes(content)


def test_a_full_disk_loses_nothing(path, monkeypatch):
    def full(*arguments, **more):
        raise OSError(28, "No space left on device")

    expected, _ = answer(path)
    with Collection(path) as collection:
        monkeypatch.setattr(os, "fsync", full)
        with pytest.raises(OSError, match="No space left"):
            collection.add(words(400), name="too much")
        monkeypatch.undo()
        assert collection.check().problems == []
        collection.add(words(400), name="fits now")
    assert answer(path)[0] == expected


def test_a_collection_on_a_full_disk_is_read_and_kept_from_writers_meanwhile(path):
    """No file may grow in a child that reads, not even the index of SQLite's log; meanwhile no writer may begin."""
    (path / "writer.lock").touch()
    expected = answer(path)
    child = os.fork()
    if child == 0:
        try:
            resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
            with Collection(path) as collection:
                assert collection.check().problems == []
                assert answer(path) == expected
                with pytest.raises(BusyError):
                    repair(path)
            os._exit(0)
        finally:
            os._exit(1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    with Collection(path) as collection:
        collection.add(words(400), name="fits now")
    assert not (path / "catalog.sqlite-wal").exists()


@pytest.mark.parametrize("n_synced", range(6))
def test_a_disk_that_fills_up_under_several_threads_loses_nothing(path, folder, monkeypatch, n_synced):
    """Texts, fingerprints, tiles, postings and the directory are written side by side; each may be the one too many."""
    expected, _ = answer(path)
    fsync, synced = os.fsync, []

    def full_after(descriptor):
        synced.append(descriptor)
        if len(synced) > n_synced:
            raise OSError(28, "No space left on device")
        fsync(descriptor)

    with Collection(path) as collection:
        with monkeypatch.context() as patched:
            patched.setattr(os, "fsync", full_after)
            with pytest.raises(OSError, match="No space left"):
                collection.load([folder], jobs=2)
        assert collection.check().problems == []
        assert answer(path)[0] == expected
        assert collection.load([folder], jobs=2).n_added == 10
        assert collection.check().problems == []
