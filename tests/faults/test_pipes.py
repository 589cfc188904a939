"""Something else in the place of a file of a collection is a clear error; nothing waits for a pipe."""

import contextlib
import os
import subprocess
import sys

import pytest
from conftest import ROOT, words

from pmbf import Collection, CorruptError, UnsupportedError, repair
from pmbf.base.contents import open_regular

FILES = ["generation", "tiles/*.rows", "postings/*.post", "tiles/*.docs", "fingerprints/*.fprt", "texts/*.text"]


def file_of(path, pattern):
    return next(iter(path.glob(pattern)))


def screened(path):
    """Screen a text in a process of its own, which must end."""
    command = [sys.executable, "-m", "pmbf", "screen", "-", "-c", path]
    return subprocess.run(command, input=words(3), capture_output=True, text=True, timeout=60, cwd=ROOT)


@pytest.mark.parametrize("make", [os.mkfifo, os.mkdir])
@pytest.mark.parametrize("pattern", FILES)
def test_a_pipe_or_a_folder_in_place_of_a_file_is_told(path, pattern, make):
    file = file_of(path, pattern)
    file.unlink()
    make(file)
    if file.suffix == ".fprt":  # an answer does not need it
        with Collection(path) as collection:
            assert any("is not a regular file" in problem for problem in collection.check().problems)
        return
    done = screened(path)
    assert "is not a regular file" in done.stdout + done.stderr
    assert done.returncode in (1, 3)


@pytest.mark.parametrize("make", [os.mkfifo, os.mkdir])
def test_a_pipe_in_place_of_the_catalog_is_no_collection(path, make):
    (path / "catalog.sqlite").unlink()
    make(path / "catalog.sqlite")
    assert "no collection there" in screened(path).stderr


@pytest.mark.parametrize("suffix", ["-wal", "-shm", "-journal"])
def test_a_pipe_beside_the_catalog_is_told(path, suffix):
    beside = path / f"catalog.sqlite{suffix}"
    beside.unlink(missing_ok=True)
    os.mkfifo(beside)
    done = screened(path)
    assert (done.returncode, done.stdout) == (3, "")
    assert f"{beside}: is not a regular file" in done.stderr


@pytest.mark.parametrize("pattern", FILES[1:])
def test_check_tells_a_pipe_and_repair_takes_it_out_of_the_way(path, pattern):
    os.mkfifo((file := file_of(path, pattern)).with_suffix(".pipe"))
    os.replace(file.with_suffix(".pipe"), file)
    with contextlib.suppress(CorruptError), Collection(path) as collection:
        assert not collection.check().ok
    repair(path)
    with Collection(path) as collection:
        assert collection.check().ok


def test_a_lock_that_is_a_pipe_keeps_nobody_waiting(path):
    (path / "writer.lock").unlink()
    os.mkfifo(path / "writer.lock")
    assert screened(path).returncode == 1
    with Collection(path) as collection:
        collection.add(words(70), name="more")


def test_a_pipe_with_the_name_of_a_temporary_file_is_an_error_and_goes(path):
    os.mkfifo(path / "generation.tmp")
    with Collection(path) as collection:
        with contextlib.suppress(OSError):
            collection.add(words(70), name="more")
        collection.add(words(71), name="another")
        assert collection.check().ok
    assert not (path / "generation.tmp").exists()


def test_only_a_regular_file_is_opened(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    for file in (tmp_path / "pipe", tmp_path, "/dev/null"):
        with pytest.raises(UnsupportedError):
            open_regular(file)
