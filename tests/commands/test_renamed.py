"""A script of an earlier build is told how its options and commands are spelt today."""

import re
from functools import cache

import pytest

from pmbf.cli.app import whole
from tests.commands.conftest import run

FORMER = {
    "load": "--labels --label-pattern --max-bytes --timeout --shingle --long-letters --any-order --density --hash-bits "
    "--n-hashes --fpr --placement --docs-per-row --row-capacity",
    "screen": "--cluster --ray --fetch-all --html-sources --hide-names --csv --xlsx --jsonl --with-text --color "
    "--sentences --sites --share-matched --ask-whole --private --deadline --registry --exclude-quotations "
    "--exclude-bibliography --min-similarity --max-candidates --exclude-self --exclude-same --where-not "
    "--label-pattern --max-bytes --timeout --method --false-rows",
    "compare": "--csv --color --exclude-quotations --exclude-bibliography --min-similarity --max-bytes --timeout",
    "duplicates": "--stem --measure --linkage --keep --max-bytes --timeout",
    "pairs": "--cluster --shingle --idf --background --keep --plan --ray --max-volume --csv --jsonl --color "
    "--max-bytes --timeout",
    "list": "--where-not --cluster --ray",
    "label": "--from --label-pattern --where-not",
    "remove": "--where-not",
    "export": "--profile",
    "serve": "--cluster --ray --token-file --max-request --max-seconds --fetch-all",
    "similar update": "--cluster --ray --words --bits --keep --min-shared --common",
    "similar show": "--cluster --ray",
    "similar status": "--cluster --ray",
    "similar export": "--cluster --ray --format",
    "sentences build": "--code --key-bits",
    "cluster status": "--ray",
    "cluster start": "--state",
    "cluster join": "--state",
    "cluster stop": "--state",
    "cluster drain": "--ray",
    "site init": "--registry",
    "site serve": "--registry",
    "guard check": "--max-bytes --cluster --ray --endpoint --key-file --block-chars --warn-chars --on-incomplete",
    "guard install": "--pre-commit --commit-msg --pre-push --pre-receive",
    "guard uninstall": "--pre-commit --commit-msg --pre-push --pre-receive",
    "guard baseline add": "--max-bytes --cluster --ray --endpoint --key-file --block-chars --warn-chars "
    "--on-incomplete",
}
"""Options that commands had once."""


@cache
def command_line():
    """Return the whole command line; to build it takes 30 ms."""
    return whole()


def options_of(command):
    found = command_line()
    for word in command.split():
        found = found.commands[word]
    return {name for one in found.params for name in one.opts}


@pytest.mark.parametrize("command", FORMER)
def test_a_former_option_is_told_with_one_that_the_command_has(command):
    for option in FORMER[command].split():
        if option in options_of(command):
            continue
        done = run(*command.split(), option, "x")
        assert done.exit_code == 2 and done.stdout == ""
        [told] = re.findall(rf"^pmbf: {option} is now (.*); see `pmbf {command} --help`$", done.stderr, re.MULTILINE)
        named = set(re.findall(r"(?:^| )(--?[a-z][a-z-]*)", re.sub(r"`[^`]*`", "", told)))
        assert named <= options_of(command), (option, told)


@pytest.mark.parametrize("words", ["cluster load", "cluster remove", "cluster compact", "cluster check"])
def test_a_former_command_of_a_cluster_is_told_with_the_one_for_any_collection(words):
    done = run(*words.split(), "depot", "x")
    verb = words.split()[1]
    assert (done.exit_code, done.stderr) == (2, f"pmbf: pmbf {words} is now `pmbf {verb} -c DEPOT`\n")
    assert "-c" in options_of(verb)
