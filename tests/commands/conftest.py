"""Runs of the command line, in process through click's runner or as a process, and two collections."""

import subprocess
import sys

import pytest
from click.testing import CliRunner

from pmbf.cli.app import main
from tests.conftest import ROOT

LIBRARY = ROOT / "examples" / "library"
SUSPICIOUS = LIBRARY.parent / "suspicious"


def run(*arguments, **options):
    """Run the command line in process and return its result; any exception it leaves unhandled is raised."""
    result = CliRunner().invoke(_CommandLine(), [str(argument) for argument in arguments], **options)
    if result.exception and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result


class _CommandLine:
    """The command line as click's runner calls it."""

    name = "pmbf"

    def main(self, args, prog_name):
        main(args)


def start(*arguments, **options):
    """Run `python -m pmbf` and return the finished process."""
    command = [sys.executable, "-m", "pmbf", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, timeout=60, check=False, **options)


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    """A collection of the examples, read by many tests and changed by none."""
    folder = tmp_path_factory.mktemp("library") / "library.pmbf"
    assert run("load", LIBRARY, "-c", folder, "--quiet").exit_code == 0
    yield folder
    assert run("check", "-c", folder).exit_code == 0


@pytest.fixture
def mine(folder, tmp_path):
    """A collection of ten texts for tests that change it."""
    made = tmp_path / "mine.pmbf"
    assert run("load", folder, "-c", made, "--quiet").exit_code == 0
    yield made
    assert run("check", "-c", made).exit_code == 0
