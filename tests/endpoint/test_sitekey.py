"""The site key's file: made for its owner alone, refused where others may read it."""

import os
import stat

import pytest

from pmbf.base.errors import CorruptError, NotFoundError, ParameterError, UnsupportedError
from pmbf.store.sitekey import SiteKey, read_key, read_or_make_key

KEY = SiteKey(bytes(range(16)))


def test_a_key_is_made_for_its_owner_alone_whatever_the_umask(tmp_path):
    before = os.umask(0)
    try:
        key, is_new = read_or_make_key(tmp_path / "site.key")
    finally:
        os.umask(before)
    assert is_new
    assert stat.S_IMODE((tmp_path / "site.key").stat().st_mode) == 0o600
    assert read_or_make_key(tmp_path / "site.key") == (key, False)
    assert read_key(tmp_path / "site.key") == key


def test_two_keys_differ(tmp_path):
    assert read_or_make_key(tmp_path / "a")[0] != read_or_make_key(tmp_path / "b")[0]


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o620, 0o602, 0o660, 0o644])
def test_a_key_that_others_may_read_or_write_is_refused(tmp_path, mode):
    path = tmp_path / "site.key"
    read_or_make_key(path)
    path.chmod(mode)
    for read in (read_key, read_or_make_key):
        with pytest.raises(ParameterError, match=f"mode {mode:04o}, expected 0600"):
            read(path)


@pytest.mark.parametrize(("content", "error", "message"), [
    (b"", CorruptError, "is no site key"),
    (b"0123456789abcdef0123456789abcdef", CorruptError, "is no site key"),
    (b"pmbf-site-key 1 0123456789abcdef\n", CorruptError, "is no site key"),
    (b"pmbf-site-key 1 0123456789abcdef0123456789abcdef more\n", CorruptError, "is no site key"),
    (b"pmbf-site-key 2 anything at all\n", UnsupportedError, "key of version 2, this pmbf reads up to 1"),
])  # fmt: skip
def test_what_is_no_key_is_refused(tmp_path, content, error, message):
    path = tmp_path / "site.key"
    path.write_bytes(content)
    path.chmod(0o600)
    with pytest.raises(error, match=message):
        read_key(path)


def test_a_missing_key_is_not_made_by_reading(tmp_path):
    with pytest.raises(NotFoundError, match="no such key file"):
        read_key(tmp_path / "site.key")
    assert not any(tmp_path.iterdir())


def test_derived_keys_tell_nothing_of_each_other_and_the_key_is_not_shown():
    derived = {KEY.derived(purpose, 16) for purpose in ("id", "grams", "base", "mac", "padding", "row-ids", "allow")}
    assert len(derived | {KEY.secret}) == 8
    assert KEY.secret.hex() not in repr(KEY) and str(KEY.secret) not in repr(KEY)
