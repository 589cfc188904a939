"""Which tests are slow, and in which order files run side by side. `./run check` leaves out what is marked `slow`.

The mark nearest to a test holds: its own, that of its class or file, that of its folder or of a folder above. A mark of
a folder is the `pytestmark` of its `conftest.py`. If there is none, then a test in a folder of `tests/` is slow and any
other one is quick: a new folder is no part of `./run check` until it says so.
"""

from __future__ import annotations

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


def _speed(item: pytest.Item) -> str:
    for mark in item.iter_markers():
        if mark.name in SPEEDS:
            return mark.name
    folders = [folder for folder in item.path.parents if TESTS in folder.parents]
    conftests = (item.config.pluginmanager.get_plugin(str(folder / "conftest.py")) for folder in folders)
    marks = [conftest.pytestmark.name for conftest in conftests if hasattr(conftest, "pytestmark")]
    return (marks or ["slow" if folders else "quick"])[0]
