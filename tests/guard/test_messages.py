"""The message of a commit is checked before the commit exists."""

import pytest

from tests.conftest import words
from tests.guard.conftest import LEAK, guard

SCISSORS = "# ------------------------ >8 ------------------------\n"
BELOW = SCISSORS + "# Do not modify or remove the line above.\n# Everything below it will be ignored.\n"

GERMAN = SCISSORS + "# Ändern oder entfernen Sie nicht die obige Zeile.\n# Alles unterhalb von ihr wird ignoriert.\n"


@pytest.mark.parametrize("how", [["-m"], ["--allow-empty", "-m"], ["--amend", "-m"]], ids=" ".join)
def test_a_commit_with_a_leak_in_its_message_is_not_made(hooked, how):
    before = hooked("rev-parse", "HEAD")
    if "--allow-empty" not in how:
        hooked.write("b.txt", words(78))
        hooked("add", "-A")
    refused = hooked("commit", *how, LEAK, ok=False)
    assert refused.returncode == 1
    assert "BLOCKED: the message of the commit holds text of plan.txt" in refused.stdout + refused.stderr
    assert hooked("rev-parse", "HEAD") == before
    hooked("commit", "-q", *how, words(79))


def test_what_git_shows_below_its_scissors_is_no_part_of_the_message(git, protected):
    git.commit()
    file = git.folder / "message"
    for text, code in (
        (f"m\n{BELOW}diff --git a/a.txt b/a.txt\n--- a/a.txt\n-{LEAK}\n", 0),
        (f"m\n{GERMAN}diff --git a/a.txt b/a.txt\n--- a/a.txt\n-{LEAK}\n", 0),
        (f"{LEAK}\n{BELOW}diff --git a/a.txt b/a.txt\n", 1),
        (f"m\n{BELOW}{LEAK}\ndiff --git a/a.txt b/a.txt\n", 1),
        (f"m\n{SCISSORS}{LEAK}\n", 1),
        (f"m\n{BELOW}{LEAK}\n", 1),
        (f"m\n# {LEAK}\n", 1),
    ):
        file.write_text(text)
        done = guard("--commit-msg", file, "-c", protected, cwd=git.folder)
        assert done.returncode == code, (text[:40], done.stderr)
    assert "1 message" in done.stderr


@pytest.mark.parametrize("how", [["-v"], ["-v", "-v"]], ids=" ".join)
def test_taking_a_leak_out_verbosely_is_no_leak(hooked, monkeypatch, how):
    hooked.write("b.txt", LEAK)
    hooked("add", "-A")
    hooked("commit", "-q", "--no-verify", "-m", "m")
    hooked("rm", "-q", "b.txt")
    monkeypatch.setenv("GIT_EDITOR", "sed -i '1s/^/taken out/'")
    hooked("commit", "-q", *how)
    assert hooked("log", "-1", "--format=%s") == "taken out"


@pytest.mark.parametrize("files", [[], ["a", "b"]])
def test_exactly_one_file_is_the_message(git, protected, files):
    git.commit()
    done = guard("--commit-msg", *files, "-c", protected, cwd=git.folder)
    assert (done.returncode, "expected the one that git names" in done.stderr) == (2, True)
