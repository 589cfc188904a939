"""Files are opened in one place: regular ones, within limits, without waiting."""

import io
import os

import pytest

from pmbf.base.contents import read_bounded, read_stdin, read_stream
from pmbf.base.errors import IncompleteError, NotFoundError, UnsupportedError


def test_only_regular_files_are_opened(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    for path, words in (
        (tmp_path, "is a folder"),
        (tmp_path / "pipe", "is a pipe"),
        ("/dev/zero", "is a pipe, socket or device, expected a regular file"),
    ):
        with pytest.raises(UnsupportedError, match=words):
            read_bounded(path, 100)


def test_a_missing_file_a_forbidden_one_and_an_impossible_name_say_so(tmp_path):
    (tmp_path / "file").touch()
    for path in (tmp_path / "missing.txt", tmp_path / "file" / "b", "a\0b"):
        with pytest.raises(NotFoundError, match="no such file"):
            read_bounded(path, 100)
    if os.geteuid() != 0:
        (tmp_path / "secret").touch(mode=0)
        with pytest.raises(PermissionError):
            read_bounded(tmp_path / "secret", 100)


def test_a_file_over_the_limit_is_refused_and_the_message_says_what_to_do(tmp_path):
    (tmp_path / "big.txt").write_bytes(b"x" * 11)
    with pytest.raises(
        IncompleteError, match=r"larger than 10 bytes; split it, or raise max_bytes \(--param max_bytes\)"
    ):
        read_stream(str(tmp_path / "big.txt"), 10)
    with pytest.raises(IncompleteError, match=r"larger than 10 bytes; a letter is shorter$"):
        read_bounded(tmp_path / "big.txt", 10, hint="a letter is shorter")
    with pytest.raises(IncompleteError, match=r"larger than 10 bytes$"):
        read_bounded(tmp_path / "big.txt", 10)
    assert read_bounded(tmp_path / "big.txt", 11) == b"x" * 11


def test_stdin_is_read_up_to_a_limit(monkeypatch):
    for most, content in ((11, b"x" * 11), (10, None)):
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"x" * 11)))
        if content:
            assert read_stdin(most, hint="split it") == content
        else:
            with pytest.raises(IncompleteError, match=r"stdin: larger than 10 bytes; split it$"):
                read_stdin(most, hint="split it")


def test_a_file_that_claims_to_be_empty_is_read_to_its_end():
    if os.path.exists("/proc/self/status"):
        assert b"Name:" in read_bounded("/proc/self/status", 1 << 20)


def test_a_pipe_that_does_not_end_in_time_is_given_up(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(IncompleteError, match=r"did not end within 0\.01 s"):
        read_stream(str(tmp_path / "pipe"), 100, wait_s=0.01)
