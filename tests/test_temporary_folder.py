"""A temporary folder is removed whatever ends its use."""

import os
import signal
import tempfile

import pytest

from pmbf.cli.comparing import removed_on_signals
from pmbf.store.folders import temporary_folder


def test_a_signal_between_making_a_folder_and_using_it_leaves_nothing(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    mkdir = os.mkdir

    def mkdir_then_signal(*arguments, **named):
        mkdir(*arguments, **named)
        signal.raise_signal(signal.SIGTERM)

    monkeypatch.setattr(os, "mkdir", mkdir_then_signal)
    with pytest.raises(SystemExit), removed_on_signals(), temporary_folder("pmbf-"):
        raise AssertionError("the signal was lost")
    assert [] == list(tmp_path.iterdir())


def test_a_temporary_folder_is_the_users_own_and_goes_with_all_it_holds(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    with temporary_folder("pmbf-") as folder:
        assert 0o700 == folder.stat().st_mode & 0o777
        (folder / "a").mkdir()
        (folder / "a" / "b").write_text("text", encoding="utf-8")
    assert [] == list(tmp_path.iterdir())
