"""Damage of the catalog, and of sentences and similarities beside it: each way to ask is right, or tells it.

Everyday a sample of blocks is zeroed, and of the heads' bits flipped; `PMBF_FLIPS=all` takes every one.
"""

import os
import resource
import shutil
import sqlite3

import pytest
from conftest import words

from pmbf import Collection, CorruptError, PmbfError, repair
from pmbf.alike.similar import Similarities, update
from pmbf.store import database, files
from pmbf.store import repair as repairing
from pmbf.store.catalog import Catalog
from pmbf.store.catalog_tables import Document
from pmbf.store.folder import Store
from tests.faults.beside import (
    BLOCK,
    QUERY,
    RULES,
    WAYS,
    answers,
    blocks,
    head_bits,
    made,
    sample,
    wrong,
)
from tests.forked import pmbf

FLIPS = os.environ.get("PMBF_FLIPS", "5")
FILES = ["catalog.sqlite", "similarities.sqlite", "000001.chunks", "000001.units", "state"]


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    return made(tmp_path_factory.mktemp("beside") / "c.pmbf")


@pytest.fixture(scope="module")
def expected(whole):
    found = answers(whole)
    assert all(answer for answer in found.values()) and not any(told for told, _ in found.values())
    return found


@pytest.fixture
def path(whole, tmp_path):
    shutil.copytree(whole, tmp_path / "c.pmbf")
    return tmp_path / "c.pmbf"


def damages(file, content):
    """Yield what is written where: zeros over blocks, and bytes with a flipped bit."""
    for at in sample(blocks(content), FLIPS, file.name):
        yield at, bytes(min(BLOCK, len(content) - at))
    for bit in sample(head_bits(content, file.name), FLIPS, file.name):
        yield bit // 8, bytes([content[bit // 8] ^ 1 << bit % 8])


def put_back(path, file, content):
    file.write_bytes(content)
    for log in path.rglob("*.sqlite-*"):
        log.unlink()


@pytest.mark.parametrize("name", FILES)
def test_no_answer_over_a_damaged_file_is_wrong_in_silence(path, expected, name):
    [file] = path.rglob(name)
    content, bad, n_damaged = file.read_bytes(), [], 0
    for at, written in damages(file, content):
        with open(file, "r+b") as opened:
            os.pwrite(opened.fileno(), written, at)
        bad += [f"{len(written)} bytes at {at}: {way}: {what[:200]}" for way, what in wrong(path, expected).items()]
        n_damaged += 1
        put_back(path, file, content)
    print(f"{name}: {n_damaged} damages x {len(WAYS)} ways, {len(bad)} silent or unclear")
    assert bad == []


def forget_row(path, id_):
    """Let the catalog lose the row of a document, and believe that it never had it; its paths stay."""
    writer = Catalog(path, writable=True)
    with writer.transaction():
        writer.delete(Document, [id_])
    writer.close()


@pytest.mark.parametrize("way", ["sentences screen", "similar show", "similar pairs", "similar export"])
def test_a_row_that_the_catalog_lost_is_no_removed_document(path, expected, way):
    forget_row(path, 12)
    with pytest.raises(CorruptError, match="document 12 is missing from the catalog; run `pmbf check --repair"):
        WAYS[way](path)


def test_sentences_of_the_same_commit_that_name_a_removed_document_are_damaged(path):
    """The directory and the catalog agree that it is gone: so the sentences are not those of this commit."""
    shutil.copy(path / "sentences" / "state", path / "state.before")
    with Collection(path) as collection:
        collection.remove("text-11")
        n_commits = collection.generation
    with Store(path) as store:
        from pmbf.sentences import state

        now = state.read_state(path, store.generation.identity)
        gone = tuple(state.NamedSegment(one.serial, one.payload_bytes, one.payload_crc) for one in now.segments)
        state.write_state(path, store.generation.identity, state.replace(now, segments=gone))
    assert now.commit == n_commits
    with Collection(path) as collection, pytest.raises(CorruptError, match="make the sentences anew"):
        collection.screen_sentences(QUERY)


def test_sentences_of_an_earlier_commit_leave_out_what_was_removed_and_say_so(path):
    shutil.copy(path / "sentences" / "state", path / "state.before")
    with Collection(path) as collection:
        collection.remove("text-11")
    shutil.move(path / "state.before", path / "sentences" / "state")
    with Collection(path) as collection:
        report = collection.screen_sentences(QUERY)
    assert {one.document.path for one in report.sources}.isdisjoint({"text-11"})
    assert any("the sentences are of commit" in problem for problem in report.problems)


def damaged_common(path):
    """Zero the list of common chunks where it stands, as a lost sector does."""
    file = path / "similar" / "similarities.sqlite"
    content = file.read_bytes()
    at = next(at for at in blocks(content) if common_is_lost(file, content, at))
    with open(file, "r+b") as opened:
        os.pwrite(opened.fileno(), bytes(BLOCK), at)


def common_is_lost(file, content, at):
    damaged = bytearray(content)
    damaged[at : at + BLOCK] = bytes(BLOCK)
    file.write_bytes(damaged)
    try:
        with Similarities(file.parents[1]) as similarities:
            similarities._state.common()
    except CorruptError as error:
        return "common chunks" in str(error)
    finally:
        put_back(file.parents[1], file, content)
    return False


def test_a_damaged_list_of_common_chunks_is_told_and_repaired(whole, path, tmp_path):
    damaged_common(path)
    checked = pmbf("check", "-c", str(path))
    assert (checked.returncode, checked.stderr) == (3, "") and "similarities.sqlite: " in checked.stdout
    with pytest.raises(CorruptError, match="--renew"):
        update(path)
    report = repair(path)
    assert any("pmbf similar update" in one for one in report.repaired)
    assert (report.lost, report.remaining) == ([], [])
    shutil.copytree(whole, tmp_path / "other.pmbf")
    for one in (path, tmp_path / "other.pmbf"):
        update(one, renew=True, **RULES)
    changed = {"similar status", "sentences status"}  # runs and commits are counted on
    found = wrong(path, answers(tmp_path / "other.pmbf"))
    assert {way: what for way, what in found.items() if way not in changed} == {}


def test_an_update_that_says_that_nothing_changed_leaves_a_table_that_answers_rightly(path):
    update(path)  # takes what was removed
    expected, ways = answers(path), [way for way in WAYS if way.startswith("similar")]
    [file] = path.rglob("similarities.sqlite")
    content, n_told = file.read_bytes(), 0
    for at in blocks(content):
        with open(file, "r+b") as opened:
            os.pwrite(opened.fileno(), bytes(BLOCK), at)
        try:
            update(path)
        except (CorruptError, OSError):
            n_told += 1
        else:
            assert [WAYS[way](path) for way in ways] == [expected[way] for way in ways], at
        put_back(path, file, content)
    assert n_told > 15


def test_a_new_collection_has_no_damage(tmp_path):
    with Collection(tmp_path / "c.pmbf", create=True) as collection:
        collection.add(words(1), name="one")
        collection.build_sentences()
        update(collection.path)
        assert collection.check().problems == []


def in_a_child(use, *, most_bytes):
    """Run something where no file may grow beyond some bytes; return whether it went well."""
    child = os.fork()
    if child == 0:
        try:
            resource.setrlimit(resource.RLIMIT_FSIZE, (most_bytes, most_bytes))
            use()
            os._exit(0)
        finally:
            os._exit(1)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def test_a_full_disk_is_no_damage_and_all_is_read_there(path, expected):
    (path / "writer.lock").touch()
    assert in_a_child(lambda: wrong(path, expected) == {} or 1 / 0, most_bytes=0)
    assert wrong(path, expected) == {}


def test_an_error_of_the_disk_is_told_as_such_and_nothing_is_given_up(path, expected, monkeypatch):
    connect = database.connect

    def failing(location, **how):
        if location.name == "similarities.sqlite":
            with database.translated(location):
                error = sqlite3.OperationalError("disk I/O error")
                error.sqlite_errorcode = sqlite3.SQLITE_IOERR
                raise error
        return connect(location, **how)

    with monkeypatch.context() as patched:
        patched.setattr(database, "connect", failing)
        for use in (repair, lambda folder: Collection(folder).check()):
            with pytest.raises(OSError, match="disk I/O error; is the disk full") as raised:
                use(path)
            assert not isinstance(raised.value, PmbfError)
    assert (path / "similar" / "similarities.sqlite").exists()


def test_a_file_that_may_not_be_opened_just_now_is_not_given_up_by_a_repair(path, monkeypatch):
    def busy(*arguments, **how):
        raise OSError(24, "Too many open files")

    with Store(path, writable=True, trusting=True) as store, monkeypatch.context() as patched:
        patched.setattr(files, "opened", busy)
        with pytest.raises(OSError, match="Too many open files"):
            repairing.repair(store)
    with Collection(path) as collection:
        assert collection.check().problems == []
