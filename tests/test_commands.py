"""The command line, in process through typer's runner; what needs a real process runs one."""

import contextlib
import json
import os
import re
import signal
import subprocess
import sys
import threading
import zipfile
from dataclasses import fields
from pathlib import Path

import pytest
from typer.testing import CliRunner

import pmbf
from pmbf.cli.app import app, with_only
from pmbf.extract import Limits
from pmbf.report import Report
from pmbf.screen import Options
from tests.conftest import words

COMMANDS = ["load", "screen", "compare", "web", "list", "label", "remove", "compact", "check", "stats"]
COMMANDS += ["export", "serve"]
GUARDS = ["check", "install", "uninstall", "baseline create", "baseline update", "baseline audit"]
LIBRARY = Path(__file__).parent.parent / "examples" / "library"
SUSPICIOUS = LIBRARY.parent / "suspicious"


def run(*arguments, **options):
    """Run the command line in process and return its result; any exception it leaves unhandled is raised."""
    result = CliRunner().invoke(app, [str(argument) for argument in arguments], **options, prog_name="pmbf")
    if result.exception and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result


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


# ---------------------------------------------------------------------- help and usage


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
        ("screen", Options(), {"false_rows": "--false-rows", "min_chars": "--min-chars", "threshold": "--threshold"}),
        ("screen", Options(), {"max_candidates": "--max-candidates", "method": "--method"}),
        ("screen", Options(), {"min_similarity": "--min-similarity", "sensitivity": "--sensitivity"}),
        ("load", pmbf.Params(), {"shingle_tokens": "--shingle", "density": "--density", "n_hashes": "--n-hashes"}),
        ("load", pmbf.Params(), {"fpr": "--fpr", "placement": "--placement", "docs_per_row": "--docs-per-row"}),
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
    assert "Usage:" in run().output
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


# ---------------------------------------------------------------------- load


def test_load_says_what_it_did_and_a_second_load_finds_nothing_to_do(folder, tmp_path):
    made = tmp_path / "c.pmbf"
    assert "10 added" in run("load", folder, "-c", made).stdout
    (folder / "text-0.txt").unlink()
    again = run("load", folder, "-c", made, "--prune")
    assert "9 unchanged" in again.stdout
    assert "1 taken out: the file is gone" in again.stdout
    assert "has 9 documents" in run("load", folder, "-c", made).stdout


def test_a_file_with_a_problem_is_told_and_does_not_stop_the_others(folder, tmp_path):
    result = run("load", folder, tmp_path / "gone.txt", "-c", tmp_path / "c.pmbf")
    assert result.exit_code == 3
    assert "10 added" in result.stdout
    assert "gone.txt: No such file" in result.stderr


def test_load_as_json_has_every_figure(folder, tmp_path):
    result = run("load", folder, tmp_path / "gone.txt", "-c", tmp_path / "c.pmbf", "--json")
    told = json.loads(result.stdout)
    assert (told["n_added"], len(told["problems"]), result.stderr) == (10, 1, "")


def test_a_quiet_load_prints_only_problems(folder, tmp_path):
    result = run("load", folder, tmp_path / "gone.txt", "-c", tmp_path / "c.pmbf", "--quiet")
    assert result.stdout == ""
    assert "gone.txt" in result.stderr


def test_a_collection_is_not_made_for_a_path_that_does_not_exist(tmp_path):
    result = run("load", tmp_path / "typo", "-c", tmp_path / "c.pmbf")
    assert result.exit_code == 3
    assert not (tmp_path / "c.pmbf").exists()


def test_parameters_are_taken_when_a_collection_is_made(folder, tmp_path):
    made = tmp_path / "c.pmbf"
    options = ["--shingle", 7, "--any-order", "--density", 0.1, "--n-hashes", 2, "--fpr", 0.02]
    options += ["--placement", "single-row", "--docs-per-row", 5, "--row-capacity", 999, "--no-text"]
    assert run("load", folder, "-c", made, *options).exit_code == 0
    with pmbf.Collection(made) as collection:
        assert collection.params == pmbf.Params(
            shingle_tokens=7,
            ordered=False,
            density=0.1,
            n_hashes=2,
            fpr=0.02,
            placement="single-row",
            docs_per_row=5,
            row_capacity=999,
            store_text=False,
        )


def test_a_profile_is_a_set_of_parameters_that_others_change(folder, tmp_path):
    for name, options, expected in (
        ("a", ["--profile", "obfuscation"], pmbf.Params.obfuscation()),
        ("b", ["--profile", "obfuscation", "--density", 0.2], pmbf.Params.obfuscation(density=0.2)),
        ("c", ["--profile", "default"], pmbf.Params()),
        ("d", ["--profile", "sentences"], pmbf.Params.sentences()),
    ):
        assert run("load", folder, "-c", tmp_path / name, *options).exit_code == 0
        with pmbf.Collection(tmp_path / name) as collection:
            assert collection.params == expected
    assert run("load", folder, "-c", tmp_path / "a", "--profile", "obfuscation").exit_code == 0
    assert run("load", folder, "-c", tmp_path / "b", "--profile", "obfuscation").exit_code == 2


def test_other_parameters_for_an_existing_collection_are_wrong_usage(mine, folder):
    result = run("load", folder, "-c", mine, "--density", "0.5")
    assert result.exit_code == 2
    assert "density 0.05" in result.stderr
    assert run("load", folder, "-c", mine, "--density", "0.05").exit_code == 0


def test_patterns_the_shell_left_alone_are_filled_in(folder, tmp_path):
    assert "3 added" in run("load", f"{folder}/text-[123].*", "-c", tmp_path / "c.pmbf").stdout


def test_a_file_whose_name_looks_like_a_pattern_is_loaded(folder, tmp_path):
    (folder / "a[1].txt").write_text(words(77))
    assert "1 added" in run("load", folder / "a[1].txt", "-c", tmp_path / "c.pmbf").stdout


@pytest.mark.parametrize("separator", [b"\n", b"\r\n", b"\0"])
def test_paths_are_read_from_stdin(folder, tmp_path, separator):
    paths = [os.fsencode(path) for path in folder.iterdir()]
    result = run("load", "--files-from", "-", "-c", tmp_path / "c.pmbf", input=separator.join(paths) + separator)
    assert "10 added" in result.stdout


@pytest.mark.parametrize("kind", ["file", "stdin", "pipe"])
def test_a_list_of_paths_is_read_within_the_limit_of_all_inputs(folder, tmp_path, kind):
    paths = b"\n".join(os.fsencode(path) for path in folder.iterdir()) * 200
    listed = tmp_path / "list"
    if kind == "pipe":
        os.mkfifo(listed)
        threading.Thread(target=lambda: written_to(listed, paths), daemon=True).start()
    else:
        listed.write_bytes(paths)
    name = "-" if kind == "stdin" else listed
    result = run("load", "--files-from", name, "--max-bytes", "1K", "-c", tmp_path / "c.pmbf", input=paths)
    assert result.exit_code == 3
    assert f"{'stdin' if kind == 'stdin' else listed}: larger than 1024 bytes; split it, or raise" in result.stderr


def written_to(pipe, content):
    with contextlib.suppress(BrokenPipeError):
        pipe.write_bytes(content)


def test_a_list_of_paths_that_is_a_folder_is_told(folder, tmp_path):
    result = run("load", "--files-from", folder, "-c", tmp_path / "c.pmbf")
    assert result.exit_code == 3
    assert "is a folder, expected a file" in result.stderr


def test_a_stopped_load_says_what_is_kept_and_how_to_go_on(mine, folder, monkeypatch):
    def stop(*arguments, **options):
        raise KeyboardInterrupt

    monkeypatch.setattr("pmbf.collection.Collection.load", stop)
    result = run("load", folder, "-c", mine)
    assert result.exit_code == 130
    assert "10 documents" in result.stderr
    assert "the same command goes on" in result.stderr


# ---------------------------------------------------------------------- screen


def test_screen_finds_the_source_and_says_so_with_exit_code_1(library):
    result = run("screen", SUSPICIOUS / "verbatim.txt", "-c", library)
    assert result.exit_code == 1
    assert "32 % of this text stands in 1 of 14 documents." in result.stdout
    assert "tides.txt" in result.stdout
    assert "verbatim" in result.stdout


def test_screen_finds_nothing_with_exit_code_0(library):
    result = run("screen", SUSPICIOUS / "none.txt", "-c", library)
    assert result.exit_code == 0
    assert "Nothing of this text stands in any of 14 documents." in result.stdout


def test_a_file_that_cannot_be_read_is_an_error_and_the_next_is_screened(library):
    result = run("screen", "missing.txt", SUSPICIOUS / "verbatim.txt", "-c", library)
    assert result.exit_code == 3
    assert "pmbf: missing.txt: no such file\n" in result.stderr
    assert "tides.txt" in result.stdout


def test_nothing_found_in_part_of_a_text_is_exit_code_3(library, tmp_path):
    with zipfile.ZipFile(tmp_path / "two.zip", "w") as archive:
        archive.writestr("a.txt", "some words that stand nowhere else in the collection")
        archive.writestr("b.doc", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600))
    result = run("screen", tmp_path / "two.zip", "-c", library)
    assert result.exit_code == 3
    assert "Incomplete: b.doc: skipped: an old binary Office file" in result.stdout


def test_a_file_that_cannot_be_read_has_its_line_of_json(library, tmp_path):
    (tmp_path / "noise.bin").write_bytes(bytes(range(256)) * 9)
    (tmp_path / "words.txt").write_text("a few words")
    result = run("screen", tmp_path / "noise.bin", tmp_path / "words.txt", "-c", library, "--json")
    unread, read = map(Report.from_json, result.stdout.splitlines())
    assert result.exit_code == 3
    assert (unread.query.name, unread.matches, read.problems) == (str(tmp_path / "noise.bin"), (), ())
    assert "not a text document" in unread.problems[0]
    assert len(run("screen", tmp_path, "-c", library, "--json").stdout.splitlines()) == 1


def test_the_json_of_a_report_is_the_report(library):
    result = run("screen", SUSPICIOUS / "two-sources.md", "-c", library, "--json")
    with pmbf.Collection(library) as collection:
        assert Report.from_json(result.stdout) == collection.screen(SUSPICIOUS / "two-sources.md")


def test_several_files_give_one_line_of_json_each(library):
    files = sorted(SUSPICIOUS.iterdir())
    lines = run("screen", *files, "-c", library, "--json").stdout.splitlines()
    assert [Report.from_json(line).query.name for line in lines] == [str(file) for file in files]


def test_of_many_texts_each_has_a_line_those_with_matches_a_report_and_all_a_total(library):
    files = [SUSPICIOUS / "none.txt", SUSPICIOUS / "verbatim.txt", "missing.txt", SUSPICIOUS / "none.txt"]
    result = run("screen", *files, "-c", library)
    lines = result.stdout.splitlines()
    assert result.exit_code == 3
    assert lines[0].endswith(", nothing in 14 documents")
    assert any("tides.txt" in line for line in lines)
    assert lines[-5].endswith(", nothing in 14 documents")
    assert lines[-4:] == [
        "3 texts screened",
        "        1 share text with the collection",
        "        2 share none",
        "        1 could not be read",
    ]


def test_a_folder_is_screened_file_by_file_under_the_name_it_was_given(library, tmp_path, monkeypatch):
    (tmp_path / "in" / "deep").mkdir(parents=True)
    (tmp_path / "in" / "deep" / "b.txt").write_bytes((SUSPICIOUS / "verbatim.txt").read_bytes())
    (tmp_path / "in" / "a.txt").write_bytes((SUSPICIOUS / "none.txt").read_bytes())
    (tmp_path / "in" / ".hidden.txt").write_text("not screened")
    (tmp_path / "in" / "c.png").write_bytes(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + bytes(range(256)))
    monkeypatch.chdir(tmp_path)
    result = run("screen", "in", "-c", library, "--json")
    assert (result.exit_code, result.stderr) == (1, "")
    assert [Report.from_json(line).query.name for line in result.stdout.splitlines()] == ["in/a.txt", "in/deep/b.txt"]
    assert run("screen", "in", "-c", library).stdout.endswith("        1 skipped: no text documents\n")
    assert run("screen", "in/c.png", "-c", library).exit_code == 3
    assert run("screen", "in", "-c", library, "--name", "x").exit_code == 2


def test_a_folder_without_texts_is_not_called_clean(library, tmp_path):
    for n_pictures in range(2):
        for how in ((), ("--json",), ("--quiet",)):
            result = run("screen", tmp_path, "-c", library, *how)
            assert (result.exit_code, result.stderr) == (
                3,
                "pmbf: nothing was compared: there is no text document\n",
            )
        (tmp_path / f"{n_pictures}.png").write_bytes(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + bytes(range(256)))


def test_several_processes_print_what_one_prints(library):
    files = [*sorted(SUSPICIOUS.iterdir()), "-", "missing.txt", *sorted(LIBRARY.iterdir())]
    given = (SUSPICIOUS / "verbatim.txt").read_bytes()
    for more in ((), ("--json",)):
        one = run("screen", *files, "-c", library, "--jobs", 1, *more, input=given)
        two = run("screen", *files, "-c", library, "--jobs", 2, *more, input=given)
        assert (one.exit_code, one.stdout, one.stderr) == (two.exit_code, two.stdout, two.stderr)
        assert (one.exit_code, "stdin" in one.stdout) == (3, True)


def test_quiet_prints_nothing_and_keeps_the_exit_code(library):
    result = run("screen", SUSPICIOUS / "verbatim.txt", "-c", library, "--quiet")
    assert (result.exit_code, result.output) == (1, "")


@pytest.mark.parametrize("encoding", ["utf-8", "cp1251", "utf-16"])
def test_stdin_is_read_as_bytes_in_any_encoding(library, encoding):
    text = (LIBRARY / "chasy.txt").read_text(encoding="utf-8")
    result = run("screen", "-", "-c", library, "--json", input=text.encode(encoding, "replace"))
    report = Report.from_json(result.stdout)
    assert report.query.name == "stdin"
    assert report.matches[0].document.path.endswith("chasy.txt")
    assert report.coverage > 0.95


def test_the_name_of_stdin_is_what_it_is_called_in_the_report(library):
    assert run("screen", "-", "--name", "draft.txt", "-c", library, input=b"a b c").stdout.startswith("draft.txt: ")


def test_a_text_without_a_word_is_not_taken_for_a_clean_one(library, tmp_path):
    result = run("screen", "-", "-c", library, input=b"")
    assert result.exit_code == 3
    assert "not one word" in result.stdout
    (tmp_path / "scanned.txt").write_text(" \n", encoding="utf-8")
    assert run("screen", tmp_path / "scanned.txt", SUSPICIOUS / "none.txt", "-c", library, "--quiet").exit_code == 3


def test_nothing_is_clean_while_the_first_load_has_not_committed(tmp_path):
    pmbf.Collection(tmp_path / "new.pmbf", create=True).close()
    result = run("screen", SUSPICIOUS / "none.txt", "-c", tmp_path / "new.pmbf")
    assert result.exit_code == 3
    assert "the collection is empty" in result.stdout


def test_a_pattern_that_no_document_fits_says_so(library):
    result = run("list", "zzz", "*.yyy", "-c", library)
    assert (result.exit_code, result.stdout) == (0, "")
    assert result.stderr == "pmbf: no document fits zzz or *.yyy\n"


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


def test_a_line_end_in_a_name_is_shown_as_an_escape(tmp_path):
    (tmp_path / "new\nline.txt").write_text("some words", encoding="utf-8")
    run("load", tmp_path / "new\nline.txt", "-c", tmp_path / "c.pmbf")
    assert "new\\x0aline.txt" in run("list", "-c", tmp_path / "c.pmbf").stdout
    told = run("screen", tmp_path / "old\nline.txt", "-c", tmp_path / "c.pmbf").stderr
    assert "old\\x0aline.txt: no such file" in told


@pytest.mark.parametrize("asked", ["bash_source", "source_bash"])
def test_a_shell_gets_its_completion_however_it_asks(asked):
    program = [sys.executable, "-m", "pmbf"]
    script = subprocess.run(program, env=os.environ | {"_PMBF_COMPLETE": asked}, capture_output=True, text=True)
    assert "complete -o default -F" in script.stdout


def test_digits_are_a_path_where_one_is_listed_and_else_an_id(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("a.txt", "1", "b.txt"):
        (tmp_path / name).write_text(words(len(name), 50) + name, encoding="utf-8")
    run("load", "a.txt", "1", "b.txt", "-c", "c.pmbf")
    assert run("remove", "1", "3", "-c", "c.pmbf").exit_code == 0
    with pmbf.Collection("c.pmbf") as collection:
        assert [Path(listed.paths[0]).name for listed in collection.documents()] == ["a.txt"]


def test_a_text_shorter_than_any_passage_is_noted(library):
    assert "see --min-chars" in run("screen", "-", "-c", library, input=b"only five words are here").stdout


def test_a_limit_that_is_passed_is_an_error_that_names_the_option(library):
    for file, given in ((SUSPICIOUS / "none.txt", None), ("-", b"x" * 2000)):
        result = run("screen", file, "-c", library, "--max-bytes", "1K", input=given)
        assert result.exit_code == 3
        assert "--max-bytes" in result.stderr


def test_fewer_sources_and_passages_are_shown_on_demand(library):
    file = SUSPICIOUS / "two-sources.md"
    assert "1 more source" in run("screen", file, "-c", library, "--sources", 1).stdout
    assert "query" not in run("screen", file, "-c", library, "--passages", 0).stdout
    assert "2.1  query" in run("screen", file, "-c", library, "--passages", "all").stdout


def test_sources_below_the_threshold_are_left_out(library):
    one = run("screen", SUSPICIOUS / "verbatim.txt", "-c", library, "--threshold", 0.9)
    assert (one.exit_code, "Nothing above the threshold: 1 of 14 documents covers less" in one.stdout) == (0, True)
    several = run("screen", SUSPICIOUS, "-c", library, "--threshold", 0.9).stdout
    assert "619 words, nothing above the threshold, 1 below, in 14 documents\n" in several
    assert "        5 share less than the threshold\n        1 share none\n" in several


def test_colours_are_used_only_when_asked_for(library):
    file = SUSPICIOUS / "edited.txt"
    assert "\x1b" not in run("screen", file, "-c", library).stdout
    assert "\x1b[1;32m" in run("screen", file, "-c", library, "--color", "always").stdout


def test_no_escape_sequence_of_a_document_reaches_the_terminal(tmp_path):
    text = words(1, 30) + " \x1b[2Jfree\x1b]0;owned\x07 \u202etxt.exe\u2066 " + words(2, 30)
    for name in ("a\x1b[31m.txt", "b.txt"):
        (tmp_path / name).write_text(text, encoding="utf-8")
    loaded = run("load", tmp_path / "a\x1b[31m.txt", tmp_path / "nope\x1b", "-c", tmp_path / "c.pmbf")
    screened = run("screen", tmp_path / "a\x1b[31m.txt", "-c", tmp_path / "c.pmbf")
    listed = run("list", "-c", tmp_path / "c.pmbf")
    as_json = run("list", "-c", tmp_path / "c.pmbf", "--json")
    assert screened.exit_code == 1
    assert "\\x1b[2Jfree" in screened.stdout
    for output in (loaded.output, screened.output, listed.output, as_json.output):
        assert all(char.isprintable() or char == "\n" for char in output), ascii(output)


# ---------------------------------------------------------------------- list, remove, stats, compact, check


def test_list_shows_ids_lengths_kinds_and_paths(library):
    lines = run("list", "-c", library).stdout.splitlines()
    assert lines[0].split() == ["id", "characters", "kind", "path"]
    assert [line.split()[2] for line in lines[1:3]] == ["txt", "eml"]


@pytest.mark.parametrize("pattern", ["tides.txt", "*s.txt", LIBRARY / "tides.txt", f"{LIBRARY}/ti*"])
def test_list_takes_names_paths_and_patterns(library, pattern):
    assert "tides.txt" in run("list", pattern, "-c", library).stdout


def test_list_takes_folders(library):
    assert len(run("list", LIBRARY, "-c", library).stdout.splitlines()) == 15
    assert run("list", LIBRARY / "none", "-c", library).stdout == ""


def test_list_as_json_is_one_line_a_document(library):
    lines = run("list", "-c", library, "--json").stdout.splitlines()
    assert [json.loads(line)["id"] for line in lines] == list(range(1, 15))


def test_remove_takes_ids_and_paths(mine, folder):
    assert "2 documents or paths removed" in run("remove", 1, folder / "text-9.txt", "-c", mine).stdout
    assert json.loads(run("stats", "-c", mine, "--json").stdout)["n_documents"] == 8


def test_remove_takes_globs_and_only_the_paths_that_fit(mine, folder):
    assert "3 documents or paths removed" in run("remove", "*-[123].txt", "-c", mine).stdout
    assert "1 document or path removed" in run("remove", f"{folder}/*-9*", "-c", mine).stdout
    with pmbf.Collection(mine) as collection:
        assert [Path(one.paths[0]).stem[-1] for one in collection] == list("045678")
    result = run("remove", "*.pdf", "-c", mine)
    assert (result.exit_code, "has no document '*.pdf'" in result.stderr) == (3, True)


def test_digits_are_a_path_when_such_a_path_is_listed(mine, tmp_path, monkeypatch):
    (tmp_path / "1").write_text(words(99))
    monkeypatch.chdir(tmp_path)
    run("load", "1", "-c", mine)
    assert json.loads(run("remove", "1", "-c", mine, "--json").stdout) == {"n_removed": 1}
    assert "text-0.txt" in run("list", "-c", mine).stdout


def test_nothing_is_removed_when_one_of_them_is_not_there(mine):
    assert run("remove", 1, 99, "-c", mine).exit_code == 3
    assert len(run("list", "-c", mine).stdout.splitlines()) == 11


def test_compact_says_what_it_gave_back(mine):
    assert "Nothing to give back" in run("compact", "-c", mine).stdout
    run("remove", 1, "-c", mine)
    assert "1 removed document given up" in run("compact", "-c", mine).stdout
    assert json.loads(run("compact", "-c", mine, "--json").stdout)["n_documents"] == 0


def test_stats_explains_every_figure(library):
    text = run("stats", "-c", library).stdout
    assert re.search(r"documents +14 ", text)
    assert "shingle_tokens" in text
    assert json.loads(run("stats", "-c", library, "--json").stdout)["n_documents"] == 14


def test_what_is_no_collection_or_no_source_is_refused_in_words(library, tmp_path):
    (tmp_path / "file").touch()
    for arguments, code, expected in [
        (["stats", "-c", tmp_path / "file"], 3, "file: is a file, expected the folder of a collection"),
        (
            ["load", library, "-c", tmp_path / "new.pmbf"],
            3,
            "is a collection, expected documents, so no",
        ),
        (["screen", "-", "-", "-c", library], 2, "- is given twice, but stdin is read once"),
    ]:
        result = run(*arguments)
        assert (result.exit_code, expected in result.stderr) == (code, True)
    assert not (tmp_path / "new.pmbf").exists()


def test_a_damaged_file_is_found_and_repaired(mine):
    assert run("check", "-c", mine).stdout.endswith("all is well.\n")
    tile = next((mine / "tiles").iterdir())
    content = bytearray(tile.read_bytes())
    content[-1] ^= 1
    tile.write_bytes(content)
    broken = run("check", "-c", mine)
    assert broken.exit_code == 3
    assert "check --repair" in broken.output
    assert run("check", "-c", mine, "--repair").exit_code == 0
    assert json.loads(run("check", "-c", mine, "--json").stdout)["ok"] is True


# ---------------------------------------------------------------------- true processes


def test_what_does_not_fit_on_a_full_disk_is_an_error_in_one_line(library):
    for arguments in (["--help"], ["screen", "--help"], ["list", "-c", library]):
        with open("/dev/full", "wb") as full:
            command = [sys.executable, "-m", "pmbf", *map(str, arguments)]
            done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True)
        assert (done.returncode, done.stderr) == (3, "pmbf: No space left on device; make room, then try again\n")


def test_python_m_pmbf_and_the_launcher_run_the_same_program(library):
    launcher = Path(__file__).parent.parent / "cli.py"
    done = subprocess.run([sys.executable, launcher, "list", "-c", library], capture_output=True, check=False)
    assert done.stdout == start("list", "-c", library).stdout
    assert done.returncode == 0


def test_a_closed_pipe_ends_the_program_quietly(library):
    command = [sys.executable, "-m", "pmbf", "list", "-c", str(library)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        process.stdout.close()
        assert process.stderr.read() == b""
    assert process.returncode == 141


def test_ctrl_c_ends_the_program_with_130(library):
    command = [sys.executable, "-m", "pmbf", "screen", "-", "-c", str(library)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        # More than a pipe holds: once it is written, the program is reading.
        process.stdin.write(b"word " * 100_000)
        process.stdin.flush()
        process.send_signal(signal.SIGINT)
        assert process.wait(timeout=60) == 130
        assert process.stderr.read() == b"pmbf: stopped\n"


def test_texts_are_shown_on_a_terminal_that_lacks_their_letters(library):
    done = start("screen", SUSPICIOUS / "chinese.txt", "-c", library, env=os.environ | {"PYTHONIOENCODING": "ascii"})
    assert (done.returncode, done.stderr) == (1, b"")
    assert done.stdout.isascii()


def test_json_is_utf_8_whatever_the_terminal(library):
    environment = os.environ | {"PYTHONIOENCODING": "latin-1"}
    done = start("list", "-c", library, "--json", env=environment)
    assert all(json.loads(line.decode("utf-8")) for line in done.stdout.splitlines())


def test_a_file_name_that_is_no_text_is_loaded_found_and_shown(tmp_path):
    path = os.fsencode(tmp_path) + b"/caf\xe9.txt"
    try:
        Path(os.fsdecode(path)).write_text(words(5))
    except OSError:
        pytest.skip("the file system takes only UTF-8 names")
    command = [sys.executable, "-m", "pmbf"]
    collection = ["-c", str(tmp_path / "c.pmbf")]
    assert subprocess.run([*command, "load", path, *collection], check=False).returncode == 0
    done = subprocess.run([*command, "screen", path, *collection], capture_output=True, check=False)
    assert (done.returncode, done.stderr) == (1, b"")
    assert rb"caf\xe9.txt" in done.stdout
    listed = start("list", "--json", *collection)
    assert json.loads(listed.stdout)["paths"] == [os.fsdecode(path)]


def test_closed_output_streams_are_no_error(library):
    command = f"{sys.executable} -m pmbf list -c '{library}' >&- 2>&-"
    assert subprocess.run(command, shell=True, check=False).returncode == 0


def test_pruning_needs_a_path(tmp_path):
    done = run("load", "-c", tmp_path / "c.pmbf", "--prune")
    assert done.exit_code == 2
    assert "no PATH given" in done.output


@pytest.mark.parametrize("how", [["--quiet"], ["--json"], []])
def test_a_screening_starts_without_what_it_does_not_need(library, how):
    """Each of these takes a tenth of a second's share that a cold start has: see `pmbf.cli.plain_values`."""
    spared = [
        "pydantic",
        "numpy.ma",
        "multiprocessing",
        "sqlite_utils",
        "pmbf.store.writer",
        "pmbf.guard.policy",
        *(["rich"] if how else []),
    ]
    typed = ["screen", str(SUSPICIOUS / "none.txt"), "-c", str(library), "--min-chars", "65", "--threshold", "1%", *how]
    typed += ["--color", "never"]
    script = (
        "import sys\nfrom pmbf.cli.app import app\n"
        f"try: app({typed!r})\n"
        f"except SystemExit: print([name for name in {spared!r} if name in sys.modules], file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, check=True)
    assert done.stderr == b"[]\n"


def test_a_named_command_is_built_alone_and_without_a_name_all_are():
    from typer.main import get_command

    names = sorted(get_command(app).commands)
    for name in names:
        whole = name == "guard"  # the group
        assert sorted(get_command(with_only([name])).commands) == (names if whole else [name])
    for other in ([], ["--help"], ["scree"]):
        assert with_only(other) is app


def test_values_that_need_coercion_are_still_coerced(library):
    assert run("screen", SUSPICIOUS / "none.txt", "-c", library, "--min-chars", "x").exit_code == 2
    assert run("screen", SUSPICIOUS / "none.txt", "-c", library, "--color", "pink").exit_code == 2
    assert run("screen", SUSPICIOUS / "none.txt", "-c", library, "--jobs", "0").exit_code == 2
    assert run("screen", "-c", library).exit_code == 2
