"""`pmbf guard` as its users run it: files, standard input, exit codes, what is said and what is not."""

import json
import os
import subprocess
import sys

import pytest

from pmbf import Collection
from tests.conftest import ROOT, words
from tests.guard.conftest import CLEAN, LEAK, SECRET, guard

ENVIRONMENT = os.environ | {"PYTHONPATH": str(ROOT)}


@pytest.fixture
def desk(tmp_path):
    (tmp_path / "clean.txt").write_text(CLEAN)
    (tmp_path / "leak.txt").write_text(f"{CLEAN}\n\n{LEAK}\n")
    return tmp_path


def test_a_clean_file_takes_one_line_on_stderr(desk, protected):
    done = guard("clean.txt", "-c", protected, cwd=desk)
    assert (done.returncode, done.stdout) == (0, "")
    assert done.stderr == f"pmbf: guard: 1 file, {len(CLEAN)} bytes checked: clean\n"


def test_a_leak_is_blocked_and_shown(desk, protected):
    done = guard("clean.txt", "leak.txt", "-c", protected, cwd=desk)
    assert done.returncode == 1
    assert "BLOCKED: leak.txt holds text of plan.txt" in done.stdout
    assert "line 3: " in done.stdout
    assert LEAK[10:90] in done.stdout
    assert "2 files" in done.stderr


@pytest.mark.parametrize(("options", "variables", "shown"), [
    ((), {}, True),
    ((), {"CI": "true"}, False),
    (("--show",), {"CI": "true"}, True),
    (("--redact",), {}, False),
])  # fmt: skip
def test_passages_are_not_shown_where_others_read_the_log(desk, protected, options, variables, shown):
    for how in ((), ("--json",)):
        done = guard("leak.txt", "-c", protected, *options, *how, cwd=desk, **variables)
        assert done.returncode == 1
        assert (LEAK[10:90] in done.stdout) == shown


def test_the_verdict_as_json_tells_where_and_how_much(desk, protected):
    verdict = json.loads(guard("leak.txt", "-c", protected, "--json", cwd=desk).stdout)
    [finding] = verdict["findings"]
    [evidence] = finding["evidence"]
    assert (verdict["action"], verdict["exit_code"], verdict["n_files"]) == ("block", 1, 1)
    assert (finding["paths"], finding["document_path"], finding["action"]) == (["leak.txt"], "plan.txt", "block")
    text = (desk / "leak.txt").read_text()
    assert text[slice(*evidence["span"])] == evidence["text"]
    assert evidence["n_chars"] == sum(map(str.isalnum, evidence["text"])) == finding["n_chars"]
    assert evidence["lines"] == [3, 3]


def test_standard_input_is_checked(desk, protected):
    done = guard("-", "-c", protected, "--json", cwd=desk, given=LEAK)
    assert done.returncode == 1
    assert json.loads(done.stdout)["findings"][0]["where"] == "stdin"
    assert guard("-", "-c", protected, cwd=desk, given=CLEAN).returncode == 0


@pytest.mark.parametrize("others", [(), ("clean.txt",)])
def test_standard_input_of_0_bytes_is_incomplete(desk, protected, others):
    done = guard("-", *others, "-c", protected, cwd=desk, given="")
    assert (done.returncode, done.stdout) == (3, "")
    assert "stdin: 0 bytes came" in done.stderr
    assert "clean\n" not in done.stderr


def test_a_pipe_of_0_bytes_is_incomplete(desk, protected):
    os.mkfifo(desk / "pipe")
    with subprocess.Popen(["sh", "-c", ": > pipe"], cwd=desk):
        done = guard("pipe", "-c", protected, cwd=desk)
    assert done.returncode == 3
    assert "pipe: 0 bytes came" in done.stderr


def test_a_file_of_0_bytes_is_clean_and_counted(desk, protected):
    (desk / "empty.txt").touch()
    done = guard("empty.txt", "-c", protected, cwd=desk)
    assert (done.returncode, done.stderr) == (0, "pmbf: guard: 1 file, 0 bytes checked, 1 empty: clean\n")
    verdict = json.loads(guard("empty.txt", "clean.txt", "-c", protected, "--json", cwd=desk).stdout)
    assert (verdict["n_files"], verdict["n_empty"]) == (2, 1)


@pytest.mark.parametrize(("option", "n_bytes", "said"), [
    ("--policy", (4 << 20) + 1, "larger than 4194304 bytes; no policy is as large as that"),
    ("--config", (4 << 20) + 1, "larger than 4194304 bytes; no policy is as large as that"),
    ("--baseline", (64 << 20) + 1, "larger than 67108864 bytes; no baseline is as large as that"),
])  # fmt: skip
def test_a_limit_that_no_option_changes_names_no_option(desk, protected, option, n_bytes, said):
    with (desk / "large").open("wb") as file:
        file.truncate(n_bytes)
    done = guard("clean.txt", option, "large", "-c", protected, cwd=desk)
    assert (done.returncode, said in done.stderr, "max_bytes" in done.stderr) == (3, True, False), done.stderr


def test_hidden_files_of_a_folder_are_checked_and_git_itself_is_not(desk, protected):
    (desk / ".hidden").mkdir()
    (desk / ".hidden" / ".x").write_text(LEAK)
    (desk / ".git").mkdir()
    (desk / ".git" / "y").write_text(LEAK)
    (desk / "leak.txt").unlink()
    verdict = json.loads(guard(".", "-c", protected, "--json", cwd=desk).stdout)
    assert [one["paths"] for one in verdict["findings"]] == [[".hidden/.x"]]
    assert verdict["n_files"] == 2


@pytest.mark.parametrize("words", [["nothing.txt"], ["empty"], ["leak.txt", "--exclude", "*.txt"]])
def test_files_that_are_named_and_not_checked_are_an_error(desk, protected, words):
    (desk / "empty").mkdir()
    done = guard(*words, "-c", protected, cwd=desk)
    assert done.returncode == 3
    assert "nothing was checked" in done.stderr


def test_a_folder_that_passes_for_a_collection_hides_nothing(desk, protected):
    (desk / "sub").mkdir()
    (desk / "leak.txt").rename(desk / "sub" / "leak.txt")
    (desk / "sub" / "catalog.sqlite").touch()
    assert guard(".", "-c", protected, cwd=desk).returncode == 1
    (desk / "sub" / "writer.lock").touch()
    done = guard(".", "-c", protected, cwd=desk)
    assert done.returncode == 3
    assert "incomplete: sub: is a collection, expected documents" in done.stderr
    assert guard(".", "-c", protected, "--include", "*.txt", cwd=desk).returncode == 3
    assert guard(".", "-c", protected, "--exclude", "sub", cwd=desk).returncode == 0


def test_a_leak_outweighs_what_could_not_be_read(desk, protected):
    assert guard("clean.txt", "nothing.txt", "-c", protected, cwd=desk).returncode == 3
    done = guard("leak.txt", "nothing.txt", "-c", protected, cwd=desk)
    assert done.returncode == 1
    assert "incomplete: nothing.txt" in done.stderr


def test_levels_decide_between_silence_a_warning_and_a_block(desk, protected):
    (desk / "some.txt").write_text(CLEAN * 10 + LEAK[:300])
    for levels, code, said in (
        (("--param", "block_chars=off"), 0, "Warning: some.txt"),
        (("--param", "block_chars=100"), 1, "BLOCKED: some.txt"),
        (("--param", "block_chars=off", "--param", "warn_chars=off"), 0, ""),
    ):
        done = guard("some.txt", "-c", protected, *levels, cwd=desk)
        assert done.returncode == code
        assert done.stdout.startswith(said) and bool(done.stdout) == bool(said)


def test_a_short_document_that_is_copied_whole_is_blocked(desk, tmp_path):
    with Collection(tmp_path / "short.pmbf", create=True) as made:
        made.add(words(5, 30), name="short")
    (desk / "mail.txt").write_text(CLEAN + " " + words(5, 30) + " " + CLEAN)
    done = guard("mail.txt", "-c", tmp_path / "short.pmbf", cwd=desk)
    assert done.returncode == 1
    assert "100 % of the document" in done.stdout or ">99 % of the document" in done.stdout


def test_an_error_of_the_check_blocks_unless_the_policy_says_otherwise(desk):
    done = guard("clean.txt", "-c", "missing.pmbf", cwd=desk)
    assert done.returncode == 3
    passed = guard("clean.txt", "-c", "missing.pmbf", cwd=desk, PMBF_GUARD_ON_ERROR="warn")
    assert passed.returncode == 0
    assert "NOT CHECKED" in passed.stderr


def test_a_collection_that_others_can_change_protects_nothing(desk, tmp_path):
    with Collection(tmp_path / "open.pmbf", create=True) as made:
        made.add(words(5), name="short")
    assert guard("clean.txt", "-c", tmp_path / "open.pmbf", cwd=desk).returncode == 0
    (tmp_path / "open.pmbf").chmod(0o755)
    for path in (tmp_path / "open.pmbf", tmp_path / "open.pmbf" / "catalog.sqlite"):
        before = path.stat().st_mode
        path.chmod(before | 0o020)
        done = guard("clean.txt", "-c", tmp_path / "open.pmbf", cwd=desk)
        assert done.returncode == 3
        assert "chmod -R go-w" in done.stderr
        path.chmod(before)


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["--staged", "a.txt"],
        ["--staged", "--range", "a..b"],
        ["a.txt", "--param", "block_chars=many"],
        ["a.txt", "--param", "on_incomplete=maybe"],
        ["a.txt", "--unknown"],
    ],
)
def test_wrong_usage_is_told_before_anything_is_read(desk, protected, arguments):
    done = guard(*(arguments and [*arguments, "-c", protected]), cwd=desk)
    assert done.returncode == 2


def test_a_check_without_protected_documents_is_wrong_usage(desk):
    done = guard("clean.txt", cwd=desk)
    assert done.returncode == 2
    assert "no protected documents" in done.stderr


def test_outside_a_repository_git_is_not_asked_in_vain(desk, protected):
    done = guard("--staged", "-c", protected, cwd=desk, GIT_CEILING_DIRECTORIES=str(desk.parent))
    assert done.returncode == 3
    assert "not a git repository" in done.stderr


def test_no_escape_sequence_of_a_payload_reaches_the_terminal(desk, protected):
    (desk / "bad\x1b[2J.txt").write_text(LEAK[:300] + " \x1b]0;owned\x07 " + LEAK[300:])
    done = guard("bad\x1b[2J.txt", "nope\x1b[2J", "-c", protected, cwd=desk)
    assert done.returncode == 1
    assert all(char.isprintable() or char == "\n" for char in done.stdout + done.stderr)


def test_a_collection_without_documents_answers_nothing(desk, tmp_path):
    with Collection(tmp_path / "c.pmbf", create=True) as made:
        made.remove(made.add(SECRET, name="plan.txt"))
    done = guard("leak.txt", "-c", tmp_path / "c.pmbf", cwd=desk)
    assert done.returncode == 3
    assert "has 0 documents: nothing is protected" in done.stderr


def in_a_shell(redirection, *arguments, cwd):
    """Run `pmbf guard` with its streams as a shell redirects them."""
    command = ["sh", "-c", f'exec "$@" {redirection}', "sh", sys.executable, "-m", "pmbf", "guard"]
    return subprocess.run(
        [*command, *map(str, arguments)], cwd=cwd, capture_output=True, text=True, env=ENVIRONMENT, check=False
    )


def test_a_closed_stdin_is_an_error_and_no_block(desk, protected):
    done = in_a_shell("<&-", "-", "-c", protected, cwd=desk)
    assert (done.returncode, done.stderr) == (3, "pmbf: nothing was checked: stdin: is closed\n")
    subprocess.run(["git", "init", "-q"], cwd=desk, check=True)
    for arguments in (["--pre-push", "origin"], ["--pre-receive"], ["resolve", "-"]):
        done = in_a_shell("<&-", *arguments, "-c", protected, cwd=desk)
        assert (done.returncode, done.stderr) == (3, "pmbf: stdin: is closed\n")


@pytest.mark.parametrize(
    ("redirection", "arguments", "code"),
    [
        ("2>/dev/full", ["clean.txt"], 3),
        ("2>/dev/full", ["leak.txt"], 1),
        (">/dev/full", ["leak.txt"], 1),
        (">/dev/full", ["leak.txt", "--json"], 1),
        ("", ["leak.txt", "--incidents", "no/such/folder"], 1),
        ("", ["leak.txt", "--sarif", "no/such/folder"], 1),
        ("", ["clean.txt", "--incidents", "no/such/folder"], 3),
        ("", ["clean.txt", "--sarif", "no/such/folder"], 3),
    ],
)
def test_what_cannot_be_written_changes_no_verdict_and_is_told(desk, protected, redirection, arguments, code):
    done = in_a_shell(redirection, *arguments, "-c", protected, cwd=desk)
    assert done.returncode == code
    assert "Traceback" not in done.stderr
    if not redirection.startswith("2"):
        assert ("No space left" in done.stderr) or ("no/such/folder: " in done.stderr)
        assert ("BLOCKED, 1 finding" in done.stderr) == (code == 1)
    if not redirection.startswith(">"):
        assert ("BLOCKED: leak.txt" in done.stdout) == (code == 1)


def test_two_documents_on_stdout_are_refused(desk, protected):
    assert guard("leak.txt", "-c", protected, "--json", "--sarif", "-", cwd=desk).returncode == 2
