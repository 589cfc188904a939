"""A `pmbf` that is forked says and does what a `pmbf` that is started says and does."""

import os
import subprocess
import sys

import pytest
from conftest import ROOT, words

from tests.forked import pmbf

pytestmark = pytest.mark.slow


@pytest.mark.parametrize(
    ("arguments", "given", "code"),
    [
        (["--version"], None, 0),
        (["unknown"], None, 2),
        (["stats", "-c", "none.pmbf"], None, 3),
        (["guard", "clean.txt", "-c", "c.pmbf", "--json"], None, 0),
        (["guard", "-", "-c", "c.pmbf"], words(1), 1),
        (["guard", "-", "-c", "c.pmbf"], words(1).encode(), 1),
        (["guard", "-", "-c", "c.pmbf"], "", 3),
        (["guard", "clean.txt"], None, 2),
    ],
)
def test_it_says_the_same_and_ends_with_the_same_code(tmp_path, arguments, given, code):
    (tmp_path / "protected.txt").write_text(words(1))
    (tmp_path / "clean.txt").write_text(words(2))
    assert pmbf("load", "protected.txt", "-c", "c.pmbf", "--quiet", cwd=tmp_path).returncode == 0
    environment = os.environ | {"PYTHONPATH": str(ROOT), "PMBF_GUARD_ON_INCOMPLETE": "block"}
    forked = pmbf(*arguments, cwd=tmp_path, given=given, environment=environment)
    started = subprocess.run(
        [sys.executable, "-m", "pmbf", *arguments],
        cwd=tmp_path,
        input=given,
        capture_output=True,
        text=not isinstance(given, bytes),
        env=environment,
    )
    assert (code, started.stdout, started.stderr) == (forked.returncode, forked.stdout, forked.stderr)
    assert code == started.returncode


def test_it_has_the_environment_that_is_given(tmp_path):
    for environment, code in (({}, 2), ({"PMBF_COLLECTION": "none.pmbf"}, 3)):
        assert pmbf("stats", cwd=tmp_path, environment=environment).returncode == code


def test_a_standard_input_that_is_not_read_stops_nothing(tmp_path):
    assert pmbf("--version", cwd=tmp_path, given="x" * 1_000_000).returncode == 0
