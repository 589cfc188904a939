"""The folder around the files: what is foreign there, links, full disks, copies made meanwhile, and names that last."""

import errno
import itertools
import os
import re
import shutil
import subprocess
import sys
import threading

import pytest
from conftest import ROOT, words

from pmbf import Collection, CorruptError, Params, PmbfError, UnsupportedError, repair
from pmbf.store import files
from pmbf.store.folder import Store
from tests.forked import pmbf


@pytest.mark.parametrize("name", ["000001.x", "notes.txt", "1.tile", "000009.tile.bak", "000009.tilex", ".000009.tile"])
@pytest.mark.parametrize("folder", ["tiles", "postings", "texts", "fingerprints"])
def test_a_foreign_file_in_a_folder_of_the_collection_is_left_alone(path, folder, name):
    (path / folder / name).write_text("keep me")
    with Collection(path) as collection:
        collection.add(words(70), name="more")
        collection.compact()
    assert (path / folder / name).read_text() == "keep me"


@pytest.mark.parametrize("folder", ["tiles", "postings", "texts", "fingerprints"])
def test_a_linked_folder_is_read_and_not_changed(path, tmp_path, folder):
    elsewhere = tmp_path / "elsewhere"
    (path / folder).rename(elsewhere)
    (elsewhere / "000099.tile").write_text("keep me")
    (path / folder).symlink_to(elsewhere)
    with Collection(path) as collection:
        assert collection.screen(words(3)).found
        with pytest.raises(UnsupportedError, match=f"{folder}: is a link to {elsewhere}; a collection is changed only"):
            collection.add(words(70), name="more")
        assert collection.screen(words(3)).found
    assert (elsewhere / "000099.tile").read_text() == "keep me"


@pytest.mark.parametrize("folder", ["tiles", "postings", "texts", "fingerprints"])
def test_a_link_to_the_folder_of_another_collection_gives_no_answer_of_that_one(path, tmp_path, folder):
    params = Params(store_text=folder != "fingerprints")
    with Collection(tmp_path / "other.pmbf", create=True, params=params) as collection:
        collection.add_many([(f"text-{seed}", words(90 + seed)) for seed in range(6)])
    shutil.rmtree(path / folder)
    (path / folder).symlink_to(tmp_path / "other.pmbf" / folder)
    try:
        with Collection(path) as collection:
            found = collection.screen(words(3)).matches
            problems = [match.problem for match in found]
            if folder == "fingerprints":  # an answer does not need them
                assert ["text-3"] == [match.document.path for match in found]
                problems = [one for one in collection.check().problems if "fprt" in one]
    except CorruptError as error:
        problems = [str(error)]
    assert problems and all("the file belongs to another collection" in problem for problem in problems)


def test_a_collection_that_is_a_link_itself_is_changed(path, tmp_path):
    (tmp_path / "link.pmbf").symlink_to(path)
    with Collection(tmp_path / "link.pmbf") as collection:
        collection.add(words(70), name="more")
        assert collection.check().problems == []


def test_the_page_about_the_format_names_its_version():
    [version] = re.findall(r"^Format version (\d+)\.", (ROOT / "docs" / "format.md").read_text("utf-8"), re.MULTILINE)
    assert int(version) == files.FORMAT_VERSION


def synced(monkeypatch, action):
    """Return the paths that an action synced or renamed, in order."""
    seen, fsync, replace = [], os.fsync, os.replace

    def noted(descriptor):
        seen.append(("fsync", os.readlink(f"/proc/self/fd/{descriptor}")))
        fsync(descriptor)

    def renamed(source, target):
        seen.append(("rename", str(target)))
        replace(source, target)

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", noted)
        patch.setattr(os, "replace", renamed)
        action()
    return seen


def test_names_outlast_a_power_cut(tmp_path, monkeypatch):
    """A folder is synced after each name that it gets: that of a new collection, of its folders, of its files."""
    path = tmp_path / "new" / "c.pmbf"
    seen = synced(monkeypatch, lambda: Collection(path, create=True).close())
    assert {("fsync", str(tmp_path)), ("fsync", str(tmp_path / "new")), ("fsync", str(path))} <= set(seen)
    with Collection(path) as collection:
        seen = synced(monkeypatch, lambda: collection.add_many([("a", words(1))]))
    assert seen.count(("fsync", str(path))) >= 3  # its three folders
    assert seen.index(("rename", str(path / "generation"))) < len(seen) - 1
    assert seen[-1] == ("fsync", str(path))
    for action, target in seen:
        if action == "rename":
            assert ("fsync", os.path.dirname(target)) in seen[seen.index((action, target)) :]


def test_a_disk_that_fails_to_sync_a_folder_names_the_folder(path, monkeypatch):
    fsync = os.fsync

    def failing(descriptor):
        if os.path.isdir(f"/proc/self/fd/{descriptor}"):
            raise OSError(errno.EIO, "Input/output error")
        fsync(descriptor)

    with Collection(path) as collection:
        with monkeypatch.context() as patch:
            patch.setattr(os, "fsync", failing)
            with pytest.raises(OSError, match=re.escape(str(path))):
                collection.add(words(70), name="more")
        assert collection.check().problems == []


@pytest.mark.parametrize("content", ["", "x", "7", "99\n", "1_5\n", "1_2212294583_1\n", "-1\n", "1_2212294582\n"])
def test_a_damaged_number_of_the_last_commit_is_told_and_repaired(path, content):
    assert (path / "generation").read_text() == "1_2212294583\n"
    (path / "generation").write_text(content)
    with pytest.raises(CorruptError, match=r"pmbf check --repair"):
        Collection(path)
    asked = pmbf("check", "--repair", "-c", path)
    assert asked.returncode == 0, asked
    with Collection(path) as collection:
        assert collection.check().problems == []
        assert collection.screen(words(3)).found


def test_the_missing_note_of_the_last_commit_is_told_once_a_second_commit_was_made(path):
    (path / "generation").unlink()
    Collection(path).close()  # killed right after its first commit, a collection looks like this
    with Collection(path) as collection:
        collection.add(words(70), name="more")
    (path / "generation").unlink()
    with pytest.raises(CorruptError, match=r"generation: the file is missing, expected the note of commit 1 or 2; run"):
        Collection(path)
    assert repair(path).ok
    with Collection(path) as collection:
        assert collection.check().problems == []
        assert collection.screen(words(70)).found


@pytest.mark.parametrize("n_rounds", [int(os.environ.get("PMBF_COPIES", "6"))])
def test_a_copy_made_during_a_load_is_whole_or_says_that_it_is_not(tmp_path, n_rounds):
    """Files are copied one after another. A copy shows a commit that was made, or an error; no document is lost.

    An index of the catalog that only writers use may be torn: then `check` says so.
    """
    path, states = tmp_path / "c.pmbf", {0}
    Collection(path, create=True, params=Params(row_capacity=300)).close()
    done = threading.Event()

    def change():
        with Collection(path) as collection:
            for number in range(10_000):
                if done.is_set():
                    return
                collection.add_many([(f"{number}-{seed}", words(7 * number + seed, 40)) for seed in range(7)])
                states.add(7 * (number + 1))

    changing = threading.Thread(target=change)
    changing.start()
    answers = []
    try:
        for number in range(n_rounds):
            copy = tmp_path / f"copy-{number}.pmbf"
            shutil.copytree(path, copy, copy_function=copied_if_there, ignore_dangling_symlinks=True)
            try:
                with Collection(copy) as collection:
                    listed = list(collection.documents())
                    lost = [
                        one.paths[0]
                        for one in listed
                        if one.id not in {m.document.id for m in collection.screen(collection.text(one.id)).matches}
                    ]
                    assert lost == []
                    answers.append(None if collection.check().problems else len(listed))
            except PmbfError as error:
                assert str(copy) in str(error)
                answers.append(None)
            shutil.rmtree(copy)
    finally:
        done.set()
        changing.join()
    states.add(max(states) + 7)
    assert set(answers) - {None} <= states
    print(
        f"{n_rounds} copies: {n_rounds - answers.count(None)} whole, {answers.count(None)} refused or told by `check`"
    )


def copied_if_there(source, target):
    if os.path.exists(source):
        try:
            shutil.copyfile(source, target)
        except FileNotFoundError:
            return


@pytest.fixture
def small_disk(tmp_path):
    """A file system of 2 MB in memory."""
    disk = tmp_path / "disk"
    disk.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=2m", "tmpfs", disk], capture_output=True, text=True)
    if mounted.returncode:
        pytest.skip(f"cannot mount a file system: {mounted.stderr.strip()}")
    yield disk
    subprocess.run(["umount", "-l", disk], check=True)


def test_a_full_disk_leaves_the_last_commit_whole(small_disk, tmp_path):
    path, texts = small_disk / "c.pmbf", tmp_path / "texts"
    texts.mkdir()
    with Collection(path, create=True) as collection:
        collection.add_many([(f"text-{seed}", words(seed)) for seed in range(6)])
    for number in range(60):
        (texts / f"{number}.txt").write_text(words(100 + number, 20_000), encoding="utf-8")
    loaded = subprocess.run([sys.executable, "-m", "pmbf", "load", texts, "-c", path], capture_output=True, text=True)
    assert (loaded.returncode, "Traceback" in loaded.stderr) == (3, False), loaded
    assert str(path) in loaded.stderr
    with Collection(path) as collection:
        assert [len(list(collection.documents())), collection.check().problems] == [6, []]
        assert not list(path.rglob("*.tmp"))
        filler = small_disk / "filler"
        with pytest.raises(OSError, match="No space left"), open(filler, "wb") as file:
            while True:
                file.write(bytes(4096))
                file.flush()
        assert collection.screen(words(3)).found
        with pytest.raises(OSError, match=re.escape(str(path))):
            collection.add(words(70), name="more")
        filler.unlink()
        collection.add(words(70), name="more")
        assert [len(list(collection.documents())), collection.check().problems] == [7, []]


def test_ids_end_where_32_bits_do(path, monkeypatch):
    from pmbf.store import directory

    with Store(path) as store:
        monkeypatch.setattr(directory, "MAX_ID", 8)
        assert list(itertools.islice(store.generation.directory.free_ids(), 2)) == [7, 8]
        with pytest.raises(UnsupportedError, match="holds 8 documents at most"):
            list(store.generation.directory.free_ids())
