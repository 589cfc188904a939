"""Help, usage and values of options."""

import json
import os
import re
import subprocess
import sys
from dataclasses import fields

import pytest

import pmbf
from pmbf.cli.app import COMMANDS as LISTED
from pmbf.cli.app import whole
from pmbf.cli.words import read
from pmbf.extract import Limits
from pmbf.screen import Options
from tests.commands.conftest import SUSPICIOUS, run

COMMANDS = ["load", "screen", "compare", "duplicates", "web", "list", "label", "remove", "compact", "check", "stats"]
COMMANDS += ["export", "serve"]
GUARDS = ["check", "install", "uninstall", "baseline add", "baseline update", "baseline audit"]


def command_named(name):
    """Return a command; those of groups have the group's name before theirs."""
    command = whole()
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
        ("screen", Options(), {"max_candidates": "max_candidates=N", "method": "method="}),
        ("screen", Options(), {"min_similarity": "min_similarity=", "sensitivity": "--sensitivity"}),
        ("load", pmbf.Params(), {"shingle_tokens": "shingle_tokens=N", "density": "density="}),
        ("load", pmbf.Params.rows(), {"n_hashes": "n_hashes=", "fpr": "fpr="}),
        ("load", pmbf.Params.rows(), {"placement": "placement=", "docs_per_row": "docs_per_row="}),
        ("load", Limits(), {"timeout_s": "timeout_s="}),
    ],
)
def test_the_help_tells_the_default_that_holds(command, values, options):
    help_text = run(command, "--help", env={"COLUMNS": "200"}).stdout
    assert "<bool>" not in help_text
    help_text += run(command, "--param", "help").stdout
    for name, option in options.items():
        told = re.search(rf"{option}.*\(default: ([^;)]+)[;)]", help_text)
        assert told, option
        value = getattr(values, name)
        assert told[1] == (value if isinstance(value, str) else f"{value:g}"), option


def test_every_field_of_options_is_an_option_but_those_for_experts():
    from pmbf.cli.words import table_of

    takes = command_named("screen").callback.takes
    offered = {one.field for one in takes} | set(table_of(takes).by_name)
    offered |= {"exclude_quotations", "exclude_bibliography", "exclude_self", "exclude_same", "where_not"}
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


def test_rarer_parameters_have_a_help_of_their_own():
    for command, name in (
        (("screen",), "false_rows=N"),
        (("load",), "fpr=RATE"),
        (("similar", "update"), "min_shared=N"),
    ):
        shown = run(*command, "--param", "help")
        assert shown.exit_code == 0
        assert re.search(rf"^  {name} +[A-Z]", shown.stdout, re.MULTILINE)
        assert shown.stdout == run(*command, "--param=help").stdout


def test_behind_the_options_of_a_group_a_command_tells_its_rarer_parameters(tmp_path):
    shown = run("site", "--registry", tmp_path, "ask", "--param", "help")
    assert (shown.exit_code, shown.stderr) == (0, "")
    assert shown.stdout == run("site", "ask", "--param", "help").stdout


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
        ["screen", "x", "--sensitivity", "purple"],
        ["screen", "x", "--param", "max_bytes=1X"],
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
        (("screen", "a.txt", "--html"), "Option '--html' requires an argument; see `pmbf screen --help`"),
        (("screen", "a.txt", "--exclude-self"), "--exclude-self is now --exclude self; see `pmbf screen --help`"),
        (("cluster", "load", "depot", "a.txt"), "pmbf cluster load is now `pmbf load -c DEPOT`"),
        (("screen", "a.txt", "--exclude", "me"), "'me' is not one of quotations, bibliography, self, same=NAME"),
        (("screen", "a.txt", "--param", "metod=x"), "'metod' is no parameter of this command; did you mean 'method'?"),
        (("screen", "a.txt", "--param", "method"), "method has no value, expected method=hashes|popcount"),
        (("nonsense",), "No such command 'nonsense'; see `pmbf --help`"),
        (("screen",), "Missing argument 'PATH'; see `pmbf screen --help`"),
        (("guard", "check", "--nope"), "No such option: --nope"),
        (
            ("screen", "a.txt", "--param", "method=x"),
            "Invalid value for '--param': method: 'x' is not one of 'hashes', 'popcount'",
        ),
        (("screen", "a.txt", "--jobs", "0"), "Invalid value for '--jobs': '0', expected a whole number, at least 1"),
        (("screen", "a.txt", "--min-chars", "1e9"), "Invalid value for '--min-chars': '1e9', expected a whole number;"),
        (("screen", "a.txt", "--min-chars", "0"), "--min-chars is 0, expected a whole number, at least 1"),
        (("screen", "a.txt", "--param", "timeout_s=0"), "--param timeout_s is 0.0, expected a number above 0"),
        (
            ("load", "a.txt", "-c", "c", "--param", "density=x"),
            "Invalid value for '--param': density: 'x', expected a number;",
        ),
        (
            ("load", "a.txt", "-c", "c", "--param", "shingle_tokens=0"),
            "--param shingle_tokens is 0, expected an integer from 1 to 32",
        ),
        (("serve", "-c", "c", "--param", "answer_s=0"), "--param answer_s is 0.0, expected a number above 0"),
        (
            ("guard", "a.txt", "--param", "block_chars=1e9"),
            "--param: block_chars is '1e9', expected a whole number from 1",
        ),
        (("guard", "a.txt", "--param", "max_bytes=0"), "--param: max_bytes is 0, expected a whole number from 1"),
        (("help", "nonsense"), "No such command 'nonsense'; see `pmbf --help`"),
        (
            ("load", "--param", "max_bytes=3X"),
            "'3X' is no size, expected a number of bytes such as 1000000, 500K, 20M or 1G",
        ),
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
    for name in LISTED:
        assert list(whole([name]).commands) == [name]
    for other in ([], ["--help"], ["scree"]):
        assert list(whole(other).commands) == list(LISTED)


@pytest.mark.parametrize(
    ("command", "words"),
    [
        ("screen", "a.txt b.txt -c c.pmbf --json"),
        ("screen", "--jobs=4 a.txt --jobs 5 -cc.pmbf"),
        ("screen", "--param a=1 --param=b=2 -- -c"),
        ("screen", "- --name= --where x!=y --quiet --quiet"),
        ("screen", "--name -c a.txt"),
        ("screen", "-c=c.pmbf --exclude self,same=group a.txt --exclude bibliography"),
        ("screen", ""),
        ("cluster drain", "depot --"),
        ("cluster drain", "depot host"),
        ("similar show", "17 --clusters --most all"),
        ("list", "*.txt *.md --where=a=b"),
        ("guard check", "a --redact --show --range a..b -- b"),
    ],
)
def test_words_are_read_as_typer_reads_them(command, words):
    named = command_named(command)
    with named.make_context(command, words.split(), resilient_parsing=True) as context:
        given = [name for name in context.params if context.get_parameter_source(name).name == "COMMANDLINE"]
        typed = {name: context.params[name] for name in given}
    read_here = read(named.callback.takes, words.split())
    assert {name: list(one) if isinstance(one, tuple) else one for name, one in typed.items()} == read_here


@pytest.mark.parametrize(
    "words", ["--nope", "-x", "--json=1", "a --jobs", "-h", "--help", "--no-json", "-cx -j", "--jso"]
)
def test_words_that_typer_refuses_are_left_to_typer(words):
    assert read(command_named("screen").callback.takes, words.split()) is None


def test_values_that_need_coercion_are_still_coerced(library):
    assert run("screen", SUSPICIOUS / "none.txt", "-c", library, "--min-chars", "x").exit_code == 2
    assert run("screen", SUSPICIOUS / "none.txt", "-c", library, "--sensitivity", "pink").exit_code == 2
    assert run("screen", SUSPICIOUS / "none.txt", "-c", library, "--jobs", "0").exit_code == 2
    assert run("screen", "-c", library).exit_code == 2


def test_a_registry_of_sites_is_named_before_the_command(tmp_path):
    found = run("site", "ask", "x.txt", "-c", "x.pmbf", "--registry", str(tmp_path / "none"))
    assert found.exit_code == 2
    assert "--registry is now `pmbf site --registry FOLDER …`" in found.stderr


def test_a_missing_registry_is_told_with_the_command_that_makes_it_there(tmp_path):
    found = run("site", "--registry", str(tmp_path / "a b"), "list")
    assert found.exit_code == 3
    assert f"pmbf site --registry '{tmp_path / 'a b'}' init NAME" in found.stderr
