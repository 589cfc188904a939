"""docs/scaling.md and README say which commands take a depot: what the command line says itself."""

import re

import click
import pytest

from pmbf.cli.app import whole
from tests.conftest import ROOT

SCALING = (ROOT / "docs" / "scaling.md").read_text(encoding="utf-8")


def commands(command, name=()):
    """Yield the name of each command with its options; `guard check` is `guard` to who types it."""
    if subcommands := getattr(command, "commands", None):
        context = click.Context(command)
        for one in command.list_commands(context):
            yield from commands(subcommands[one], (*name, one))
    else:
        said = {one: each.help or "" for each in command.params for one in each.opts}
        yield " ".join(name).replace("guard check", "guard"), said


OPTIONS = dict(commands(whole()))
TAKE = {name for name, options in OPTIONS.items() if "ray://" in options.get("-c", "")}
TAKE_ONE_FOLDER = {name for name, options in OPTIONS.items() if "-c" in options} - TAKE


def named(first, last="\n\n"):
    """Return the commands that a paragraph names."""
    paragraph = SCALING[SCALING.index(first) :]
    return set(re.findall(r"`([a-z]+(?: [a-z]+)*)`", paragraph[: paragraph.index(last)]))


def test_the_commands_that_take_a_depot_are_listed():
    assert {"screen", "guard", "serve", "list"} < TAKE
    assert TAKE | {"pairs", "stats", "cluster status"} == named("Take `-c DEPOT`")


def test_the_commands_that_need_one_folder_are_listed():
    assert TAKE_ONE_FOLDER - {"stats"} == named("Need one folder still")


def test_the_readme_names_no_command_that_takes_a_depot_as_missing():
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    told = " ".join(re.search(r"\*\*Several machines.*?(?=\n- )", readme, re.S)[0].split())
    do, need = told.split("; ")[:2]
    groups = {name.split()[0] for name in TAKE} | {"pairs"}
    assert groups == set(re.findall(r"`([a-z ]+)`", do))
    assert set(re.findall(r"`([a-z ]+)`", need)) <= {name.split()[0] for name in TAKE_ONE_FOLDER} - groups


@pytest.mark.parametrize("word", ["shelf", "shelves", "holder", "holders"])
def test_users_meet_three_words(word):
    helps = [str(one) for one in _helps(whole())]
    texts = {"docs/scaling.md": SCALING, "help": "\n".join(helps)}
    for where, text in texts.items():
        plain = re.sub(r"`[^`\n]*`|^    .*$", "", text, flags=re.M)  # names of folders stay
        assert not re.search(rf"\b{word}\b", plain, re.I), (where, word)


def _helps(command):
    yield command.help or ""
    yield command.epilog or ""
    yield from (getattr(one, "help", "") or "" for one in command.params)
    for one in getattr(command, "commands", {}).values():
        yield from _helps(one)
