"""Fixtures and texts shared by the tests. Every collection fixture ends in `check()`."""

import gc
import os
import random
import signal
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, settings

from pmbf.fingerprint import Fingerprint
from tests.speeds import is_left_out, mark_and_order

ROOT = Path(__file__).parent.parent

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # a shell starts what runs in the background so
    signal.signal(signal.SIGINT, signal.default_int_handler)
CORPORA = ROOT.parent / "shared" / "data" / "corpora.tar.xz"

settings.register_profile("pmbf", deadline=None, suppress_health_check=[HealthCheck.too_slow], derandomize=True)
settings.load_profile("pmbf")


def pytest_addoption(parser):
    parser.addoption("--all", action="store_true", help="Hypothesis tries all instruction sets, not the best one alone")


gc.disable()  # until the tests are collected, which takes a third less time then; what is made then stays to the end


def pytest_collection_finish():
    gc.freeze()
    gc.enable()


def pytest_ignore_collect(collection_path, config):
    return is_left_out(collection_path, config)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config, items):
    mark_and_order(config, items)


def record_of(parts):
    """Return the record of a fingerprint with these parts, each ascending and distinct."""
    bounds = np.cumsum([0, *map(len, parts)], dtype=np.uint32)
    return Fingerprint(np.concatenate([np.empty(0, np.uint32), *parts]), bounds, 0, 0).record()


def words(seed: int, n_words: int = 120) -> str:
    """Return a text of words drawn from 3,000, the same for the same seed."""
    chosen = random.Random(seed)
    return " ".join(f"{'bcdfglmnprst'[chosen.randrange(12)]}a{chosen.randrange(250)}o" for _ in range(n_words))


def names(report):
    """Return the paths of a report's sources."""
    return [match.document.path for match in report.matches]


@pytest.fixture(autouse=True)
def _no_collection_from_outside(monkeypatch):
    monkeypatch.delenv("PMBF_COLLECTION", raising=False)


@pytest.fixture
def collection(tmp_path):
    from pmbf import Collection

    with Collection(tmp_path / "c.pmbf", create=True) as made:
        yield made
        found = made.check()
        assert found.problems == []


@pytest.fixture
def folder(tmp_path):
    """A folder with ten text files of their own."""
    made = tmp_path / "texts"
    made.mkdir()
    for number in range(10):
        (made / f"text-{number}.txt").write_text(words(number), encoding="utf-8")
    return made


def touch(path: Path, text: str) -> None:
    """Rewrite a file so that its modification time surely changes."""
    before = path.stat().st_mtime_ns if path.exists() else 0
    path.write_text(text, encoding="utf-8")
    os.utime(path, ns=(before + 10**9, before + 10**9))


def table(folder: Path, *lines: str, name: str = "labels.csv", encoding: str = "utf-8") -> Path:
    """Write a table's lines to a file of a folder, and return its path."""
    path = folder / name
    path.write_bytes("\n".join(lines).encode(encoding))
    return path
