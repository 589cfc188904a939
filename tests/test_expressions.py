"""Expressions and globs of users on names that others have chosen: each ends at once, and `re` is never asked."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from pmbf.base.errors import ParameterError, UnsupportedError
from pmbf.base.expressions import compiled, searchable
from pmbf.comparison.grouping import grouped
from pmbf.intake.labelling import LabelPattern
from tests.commands.conftest import run, start

pytestmark = pytest.mark.slow

HOSTILE = "a" * 60 + "b.txt"
EXPRESSION = r"(?P<x>(a+)+)\.c"
GLOB = "*a" * 30 + "*c"
TEXT = "The sea comes in twice a day, and nobody asks it why it does so.\n" * 4


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "d").mkdir()
    for name in (HOSTILE, "c" + HOSTILE):
        (tmp_path / "d" / name).write_text(TEXT + name)
    assert run("load", tmp_path / "d", "-c", tmp_path / "c", "--quiet").exit_code == 0
    return tmp_path


@pytest.mark.parametrize(
    "words",
    [
        ("load", "d", "-c", "new", "--labels", EXPRESSION),
        ("label", "--labels", EXPRESSION, "-c", "c"),
        ("compare", "d", "--group-by", EXPRESSION),
        ("compare", "d", "--group-by", "((a|a)*)*$"),
        ("load", "d", "-c", "new", "--include", GLOB),
        ("load", "d", "-c", "new", "--exclude", GLOB),
        ("list", GLOB, "-c", "c"),
        ("remove", GLOB, "-c", "c"),
        ("list", "--where", f"x={GLOB}", "-c", "c"),
        ("screen", "d", "-c", "c", "--where", f"x={GLOB}"),
        ("guard", "d", "-c", "c", "--include", GLOB),
    ],
    ids=lambda words: " ".join(one for one in words if one.startswith("-") or one == words[0]),
)
def test_no_pattern_of_a_user_is_slow_on_a_hostile_name(folder: Path, words: tuple[str, ...]) -> None:
    pytest.importorskip("re2")
    done = start(*words, cwd=folder)  # ends within 60 s, or raises
    assert done.returncode in (0, 1, 2, 3) and b"Traceback" not in done.stderr


def test_labels_are_read_from_paths_as_before() -> None:
    pytest.importorskip("re2")
    found = LabelPattern(r"(?P<author>[^/]+)/(?P<date>[0-9]{4})(?:/(?P<kind>x))?")
    assert found("/essays/stone/2024/a.txt") == {"author": "stone", "date": "2024"}
    assert found("/nothing.txt") == {} and found("/essays/stone/2024/y") == {"author": "stone", "date": "2024"}
    assert LabelPattern("(?P<author>[^/]+)/é")("\udcff/straße/é") == {"author": "straße"}
    assert LabelPattern("(?P<a>.+)/é(?P<b>x)?")("\udcff/ß/é") == {"a": "\udcff/ß"}
    assert searchable("a\udcffé") == "a?é"


@pytest.mark.parametrize("expression", ["(", "(?P<x>a)(?=b)", r"(?P<x>a)\1", "(?P<x>\udc80)", "(?P<x>a{1001})"])
def test_what_re2_does_not_take_is_told(expression: str) -> None:
    pytest.importorskip("re2")
    for made in (lambda: LabelPattern(expression), lambda: grouped(["a"], expression)):
        with pytest.raises(ParameterError, match=r"RE2 does not take|half a character"):
            made()


def test_without_re2_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "re2", None)
    for made in (lambda: compiled("a"), lambda: LabelPattern(EXPRESSION), lambda: grouped(["a"], EXPRESSION)):
        with pytest.raises(UnsupportedError, match=r"pip install 'pmbf\[templates\]'") as error:
            made()
        assert error.value.missing_extra == "templates"
