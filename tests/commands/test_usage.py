"""Help, usage and values of options."""

import json
import os
import re
import subprocess
import sys
from dataclasses import fields

import pytest

import pmbf
from pmbf.cli.app import app, with_only
from pmbf.extract import Limits
from pmbf.screen import Options
from tests.commands.conftest import SUSPICIOUS, run

COMMANDS = ["load", "screen", "compare", "duplicates", "web", "list", "label", "remove", "compact", "check", "stats"]
COMMANDS += ["export", "serve"]
GUARDS = ["check", "install", "uninstall", "baseline create", "baseline add", "baseline update", "baseline audit"]


def command_named(name):
    """Return a command; those of groups have the group's name before theirs."""
    from typer.main import get_command

    command = get_command(app)
    for word in name.split():
        command = command.commands[word]
    return command


@pytest.mark.parametrize("command", [*COMMANDS, *(f"guard {name}" for name in GUARDS)])
def test_the_help_of_a_command_tells_each_of_its_options_in_words(command):
    named = command_named(command)
    parameters = named.params
    help_text = run(*command.split(), "--help", env={"COLUMNS": "200"}).stdout
    for parameter in parameters:
        assert parameter.help, parameter.name
        assert any(name in help_text for name in (*parameter.opts, parameter.metavar)), parameter.name
    assert "Exit codes:" in help_text
    written = " ".join([named.help, named.epilog, *(parameter.help for parameter in parameters)]).replace("\\[", "[")
    assert set(written.split()) - set(help_text.split()) == set()  # brackets that are markup vanish


@pytest.mark.parametrize(
    ("command", "values", "options"),
    [
        ("screen", Options(), {"min_chars": "--min-chars", "threshold": "--threshold"}),
        ("screen", Options(), {"max_candidates": "--max-candidates", "method": "--method"}),
        ("screen", Options(), {"min_similarity": "--min-similarity", "sensitivity": "--sensitivity"}),
        ("load", pmbf.Params(), {"shingle_tokens": "--shingle", "density": "--density"}),
        ("load", pmbf.Params.rows(), {"n_hashes": "--n-hashes", "fpr": "--fpr"}),
        ("load", pmbf.Params.rows(), {"placement": "--placement", "docs_per_row": "--docs-per-row"}),
        ("load", Limits(), {"timeout_s": "--timeout"}),
    ],
)
def test_the_help_tells_the_default_that_holds(command, values, options):
    help_text = run(command, "--help", env={"COLUMNS": "200"}).stdout
    assert "<bool>" not in help_text
    for name, option in options.items():
        told = re.search(rf"{option} .*\(default: ([^;)]+)\)", help_text)
        assert told, option
        value = getattr(values, name)
        assert told[1] == (value if isinstance(value, str) else f"{value:g}"), option


def test_every_field_of_options_is_an_option_but_those_for_experts():
    from typer.main import get_command

    offered = {parameter.name for parameter in get_command(app).commands["screen"].params}
    for_experts = {"min_evidence", "apparatus", "summaries", "threads", "labels_of"}
    assert {field.name for field in fields(Options)} - offered <= for_experts


def test_help_is_shown_without_arguments_and_the_version_on_demand():
    for group in ((), ("cluster",), ("site",), ("similar",), ("sentences",), ("guard", "baseline")):
        assert run(*group).output.count("Usage:") == 1
    assert run("--version").stdout == run("-V").stdout == f"pmbf {pmbf.__version__}\n"


def test_help_may_be_a_word_before_the_command():
    assert run("help").stdout == run("--help").stdout
    assert run("help", "screen").stdout == run("screen", "--help").stdout
    assert run("help", "guard", "check").stdout == run("guard", "check", "--help").stdout


def test_the_parameters_of_the_filter_stand_apart_from_those_of_a_reader():
    for command, usual, apart in (("screen", "--threshold", "--false-rows"), ("load", "--profile", "--fpr")):
        shown = run(command, "--help").stdout
        assert shown.index(usual) < shown.index("Advanced: the filter's own parameters") < shown.index(apart)


def test_help_does_not_wait_for_numpy():
    program = "import sys; sys.argv[1:] = ['--help']\ntry:\n    import pmbf.cli.app; pmbf.cli.app.main()\n"
    program += "finally:\n    print('numpy' in sys.modules, 'pmbf.collection' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.stdout.endswith("False False\n")


@pytest.mark.parametrize("command", ["load", "screen", "list", "stats", "remove", "compact", "check"])
def test_without_a_collection_the_message_says_how_to_name_one(command, folder):
    arguments = {"load": [folder], "screen": ["-"], "remove": ["1"]}.get(command, [])
    result = run(command, *arguments)
    assert (result.exit_code, result.stdout) == (2, "")
    assert "-c FOLDER" in result.stderr
    assert "PMBF_COLLECTION" in result.stderr


def test_the_collection_may_be_named_in_the_environment(library):
    assert len(run("list", env={"PMBF_COLLECTION": str(library)}).stdout.splitlines()) == 15


def test_a_missing_collection_is_an_error_in_one_line(tmp_path):
    result = run("stats", "-c", tmp_path / "none.pmbf")
    assert result.exit_code == 3
    assert result.stderr.startswith("pmbf: ")
    assert result.stderr.count("\n") == 1


@pytest.mark.parametrize(
    "arguments",
    [
        ["screen", "x", "--threshold", "7"],
        ["screen", "x", "--passages", "many"],
        ["screen", "x", "y", "--name", "z"],
        ["screen", "x", "--color", "purple"],
        ["screen", "x", "--max-bytes", "1X"],
        ["screen"],
        ["load"],
        ["nonsense"],
    ],
)
def test_wrong_usage_is_exit_code_2(arguments, library):
    assert run(*arguments, env={"PMBF_COLLECTION": str(library)}).exit_code == 2


@pytest.mark.parametrize("share", ["20%", "0.2", "20 %"])
def test_a_share_is_a_number_or_per_cent(library, share):
    few = run("screen", SUSPICIOUS / "verbatim.txt", "-c", library, "--threshold", share, "--json")
    assert few.exit_code == 1
    assert json.loads(few.stdout)["coverage"] >= 0.2


@pytest.mark.parametrize("share", ["20", "-1%", "120%", "much", "nan", "%"])
def test_a_share_outside_its_range_says_what_is_expected(library, share):
    result = run("screen", SUSPICIOUS / "verbatim.txt", "-c", library, "--threshold", share)
    assert result.exit_code == 2
    assert f"{share!r} is no share, expected a number from 0 to 1, or from 0% to 100%" in result.stderr


def test_a_folder_of_texts_taken_for_a_collection_says_what_to_type(tmp_path):
    (tmp_path / "essays").mkdir()
    (tmp_path / "essays" / "a.txt").write_text("some words", encoding="utf-8")
    essays = tmp_path / "essays"
    checks = [("check",), ("check", "--repair"), ("guard", essays / "a.txt"), ("serve",)]
    for command in (("screen", essays / "a.txt"), ("list",), ("stats",), ("compact",), *checks):
        result = run(*command, "-c", essays)
        assert result.exit_code == 3
        assert f"`pmbf load {essays} -c {essays}.pmbf` makes a collection of them" in result.stderr
    result = run("load", essays, "-c", f"{essays}/")
    assert result.exit_code == 2
    assert (
        f"is a folder of files; a collection needs a folder of its own, for instance -c {essays}.pmbf" in result.stderr
    )


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("screen", "a.txt", "--zzzz"), "No such option: --zzzz; see `pmbf screen --help`"),
        (("screen", "a.txt", "--treshold", "1"), "No such option: --treshold (did you mean --threshold?); see"),
        (("screen", "a.txt", "--sites"), "Option '--sites' requires an argument; see `pmbf screen --help`"),
        (("nonsense",), "No such command 'nonsense'; see `pmbf --help`"),
        (("screen",), "Missing argument 'PATH'; see `pmbf screen --help`"),
        (("guard", "check", "--nope"), "No such option: --nope"),
        (("screen", "a.txt", "--method", "x"), "Invalid value for '--method': 'x' is not one of 'hashes', 'popcount'"),
        (("screen", "a.txt", "--jobs", "0"), "Invalid value for '--jobs': '0', expected a whole number, at least 1"),
        (("screen", "a.txt", "--min-chars", "1e9"), "Invalid value for '--min-chars': '1e9', expected a whole number;"),
        (("screen", "a.txt", "--min-chars", "0"), "--min-chars is 0, expected a whole number, at least 1"),
        (("screen", "a.txt", "--timeout", "0"), "--timeout is 0.0, expected a number above 0"),
        (("load", "a.txt", "-c", "c", "--density", "x"), "Invalid value for '--density': 'x', expected a number;"),
        (("load", "a.txt", "-c", "c", "--shingle", "0"), "--shingle is 0, expected an integer from 1 to 32"),
        (("serve", "-c", "c", "--max-seconds", "0"), "--max-seconds is 0.0, expected a number above 0"),
        (("guard", "a.txt", "--block-chars", "1e9"), "block_chars is '1e9', expected a whole number from 1"),
        (("guard", "a.txt", "--max-bytes", "0"), "--max-bytes is 0, expected a whole number from 1"),
        (("help", "nonsense"), "No such command 'nonsense'; see `pmbf --help`"),
        (("load", "--max-bytes", "3X"), "'3X' is no size, expected a number of bytes such as 1000000, 500K, 20M or 1G"),
    ],
)
def test_wrong_usage_is_one_line_like_any_error(arguments, told):
    result = run(*arguments)
    assert result.exit_code == 2
    assert result.stdout == ""
    [line] = result.stderr.splitlines()
    assert line.startswith("pmbf: ")
    assert told in line
    assert "Input should" not in line
    assert "the command line" not in line


@pytest.mark.parametrize("asked", ["bash_source", "source_bash"])
def test_a_shell_gets_its_completion_however_it_asks(asked):
    program = [sys.executable, "-m", "pmbf"]
    script = subprocess.run(program, env=os.environ | {"_PMBF_COMPLETE": asked}, capture_output=True, text=True)
    assert "complete -o default -F" in script.stdout


def test_pruning_needs_a_path(tmp_path):
    done = run("load", "-c", tmp_path / "c.pmbf", "--prune")
    assert done.exit_code == 2
    assert "no PATH given" in done.output


def test_a_named_command_is_built_alone_and_without_a_name_all_are():
    from typer.main import get_command

    names = sorted(get_command(app).commands)
    for name in names:
        whole = name in ("cluster", "guard", "sentences", "similar", "site")  # groups
        assert sorted(get_command(with_only([name])).commands) == (names if whole else [name])
    for other in ([], ["--help"], ["scree"]):
        assert with_only(other) is app


def test_values_that_need_coercion_are_still_coerced(library):
    assert run("screen", SUSPICIOUS / "none.txt", "-c", library, "--min-chars", "x").exit_code == 2
    assert run("screen", SUSPICIOUS / "none.txt", "-c", library, "--color", "pink").exit_code == 2
    assert run("screen", SUSPICIOUS / "none.txt", "-c", library, "--jobs", "0").exit_code == 2
    assert run("screen", "-c", library).exit_code == 2


def test_sites_without_sentences_are_wrong_usage_before_a_registry_is_looked_for(tmp_path):
    found = run("screen", "x.txt", "-c", "x.pmbf", "--sites", "all", "--registry", str(tmp_path / "none"))
    assert found.exit_code == 2
    assert "--sites is given without --sentences" in found.stderr


def test_a_missing_registry_is_told_with_the_command_that_makes_it_there(tmp_path):
    found = run("site", "list", "--registry", str(tmp_path / "a b"))
    assert found.exit_code == 3
    assert f"pmbf site init NAME --registry '{tmp_path / 'a b'}'" in found.stderr
