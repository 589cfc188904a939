"""Which tests are slow, and in which order files run side by side. `./run check` leaves out what is marked `slow`.

The mark nearest to a test holds: its own, that of its class or file, that of its folder or of a folder above. A mark of
a folder is the `pytestmark` of its `conftest.py`. If there is none, then a test in a folder of `tests/` is slow and any
other one is quick: a new folder is no part of `./run check` until it says so.
"""

from __future__ import annotations

from fnmatch import fnmatch
from pathlib import Path
from zlib import crc32

import pytest

TESTS = Path(__file__).parent
SPEEDS = ("quick", "slow")


def mark_and_order(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Mark the slow tests, and put their files first where files run side by side.

    Files come in the order of a checksum of their names: those that wait for hosts, processes and time-outs are spread
    among those that compute, and every process finds the same order. The quick files at the end keep all cores busy.
    """
    for item in items:
        if _speed(item) == "slow":
            item.add_marker("slow")
    if hasattr(config, "workerinput"):
        items.sort(key=lambda item: (not item.get_closest_marker("slow"), crc32(item.location[0].encode())))


def is_left_out(collection_path: Path, config: pytest.Config) -> bool | None:
    """Return true if a file of tests need not be imported: only quick tests are wanted, and it has none.

    That is told by its text and the `conftest.py` of the folders above it, before pytest imports any of them.
    """
    if config.option.markexpr != "not slow" or not fnmatch(collection_path.name, "test_*.py"):
        return None
    text = _text(collection_path)
    if "mark.quick" in text:
        return None
    folders = [folder for folder in collection_path.parents if TESTS in folder.parents]
    is_slow = bool(folders) and not any("mark.quick" in _text(folder / "conftest.py") for folder in folders)
    return is_slow or "\npytestmark = pytest.mark.slow\n" in text or None


def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8") if path.suffix == ".py" and path.exists() else ""


def _speed(item: pytest.Item) -> str:
    for mark in item.iter_markers():
        if mark.name in SPEEDS:
            return mark.name
    folders = [folder for folder in item.path.parents if TESTS in folder.parents]
    conftests = (item.config.pluginmanager.get_plugin(str(folder / "conftest.py")) for folder in folders)
    marks = [conftest.pytestmark.name for conftest in conftests if hasattr(conftest, "pytestmark")]
    return (marks or ["slow" if folders else "quick"])[0]
