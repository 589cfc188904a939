"""What bash, zsh and fish complete, asked in these shells themselves."""

import os
import shutil
import stat
import subprocess
import sys

import pytest
from conftest import words

from pmbf import Collection

pytestmark = pytest.mark.slow

IN_BASH = """
source <(_PMBF_COMPLETE=bash_source pmbf)
COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1))
_pmbf_completion pmbf
printf '%s\\n' "${COMPREPLY[@]}"
"""


def needs(shell):
    return pytest.mark.skipif(not shutil.which(shell), reason=f"there is no {shell}")


@pytest.fixture
def shell(tmp_path, monkeypatch):
    """A folder with a collection, a folder of texts, and this pmbf as a command; runs a line of a shell there."""
    (tmp_path / "texts").mkdir()
    for seed, name in enumerate(("tides.txt", "tin.txt", "whales.txt")):
        (tmp_path / "texts" / name).write_text(words(seed), encoding="utf-8")
    with Collection(tmp_path / "texts.pmbf", create=True) as made:
        made.load([tmp_path / "texts"])
    command = tmp_path / "bin" / "pmbf"
    command.parent.mkdir()
    command.write_text(f'#!/bin/sh\nexec {sys.executable} -m pmbf "$@"\n')
    command.chmod(command.stat().st_mode | stat.S_IXUSR)
    paths = {"PATH": f"{command.parent}:{os.environ['PATH']}", "PYTHONPATH": os.getcwd(), "HOME": str(tmp_path)}

    def lines(*asked, **more):
        done = subprocess.run(
            asked, capture_output=True, cwd=tmp_path, env=os.environ | paths | more, check=True, text=True
        )
        return done.stdout.split("\n")[:-1]

    return lines


@needs("bash")
@pytest.mark.parametrize(
    ("typed", "offered"),
    [
        ("pmbf sc", ["screen"]),
        ("pmbf guard inst", ["install"]),
        ("pmbf screen --thr", ["--threshold"]),
        ("pmbf screen --sensitivity t", ["thorough"]),
        ("pmbf screen a.txt -c te", ["texts.pmbf"]),
        ("pmbf guard check -c te", ["texts.pmbf"]),
        ("pmbf remove -c texts.pmbf texts/ti", ["texts/tides.txt", "texts/tin.txt"]),
        ("pmbf list -c missing.pmbf te", [""]),
        ("pmbf screen te", [""]),
    ],
)
def test_bash_completes_commands_options_collections_and_documents(shell, typed, offered):
    assert shell("bash", "-c", IN_BASH, "bash", *typed.split()) == offered


@needs("bash")
def test_documents_are_completed_as_absolute_paths_and_of_the_collection_in_the_environment(shell, tmp_path):
    typed = ["pmbf", "list", f"{tmp_path}/texts/w"]
    [offered] = shell("bash", "-c", IN_BASH, "bash", *typed, PMBF_COLLECTION="texts.pmbf")
    assert offered == f"{tmp_path}/texts/whales.txt"


@needs("fish")
def test_fish_completes(shell):
    script = '_PMBF_COMPLETE=fish_source pmbf | source; complete -C "pmbf screen a.txt -c te"'
    assert shell("fish", "-c", script) == ["texts.pmbf"]


@needs("zsh")
def test_zsh_is_given_a_function_that_it_can_read_and_the_words_for_it(shell):
    script = "_PMBF_COMPLETE=zsh_source pmbf > completion.zsh && zsh -n completion.zsh"
    assert shell("zsh", "-c", script) == []
    typed = {"_PMBF_COMPLETE": "complete_zsh", "_TYPER_COMPLETE_ARGS": "pmbf screen a.txt -c te"}
    assert shell("pmbf", **typed) == ["_arguments '*: :((\"texts.pmbf\"))'"]
