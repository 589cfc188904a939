"""Who is blocked is told what to do, and, as far as the policy lets it, which protected document it is about."""

import contextlib
import json
import os
import re
import shlex
import sqlite3
import subprocess
import sys

import pytest

from pmbf import Collection, Params
from pmbf.guard.policy import Policy
from tests.conftest import ROOT, words
from tests.guard.conftest import CLEAN, LEAK, OTHER_SECRET, SECRET, Git, finding, guard, verdict


@pytest.fixture
def desk(tmp_path):
    (tmp_path / "leak.txt").write_text(f"{words(77)}\n\n{LEAK}\n")
    return tmp_path


def policy(folder, *lines):
    (folder / ".pmbf.toml").write_text("\n".join(["[guard]", *lines]))


# ---------------------------------------------------------------------- what to do


def test_who_is_blocked_reads_the_message_of_the_policy_and_how_a_passage_is_allowed(desk, protected):
    policy(desk, "message = 'Ask security@example.org.'")
    done = guard("leak.txt", "-c", protected, cwd=desk)
    *_, message, ways, last = done.stderr.splitlines()
    assert message == "pmbf: guard: Ask security@example.org."
    assert ways.startswith(
        "pmbf: guard: remove the passage. If it may be published: `pmbf guard baseline add leak.txt "
    )
    assert "BLOCKED, 1 finding" in last
    told = json.loads(guard("leak.txt", "--json", "-c", protected, cwd=desk).stdout)
    assert told["message"] == "Ask security@example.org."
    (desk / "clean.txt").write_text(words(78))
    clean = guard("clean.txt", "--json", "-c", protected, cwd=desk)
    assert (json.loads(clean.stdout)["message"], len(clean.stderr.splitlines())) == ("", 1)


def test_quiet_tells_no_way_but_what_the_policy_says_and_the_totals(desk, protected):
    done = guard("leak.txt", "-c", protected, "--quiet", cwd=desk)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (1, "", 1)
    assert "BLOCKED, 1 finding" in done.stderr
    policy(desk, "message = 'Ask security@example.org.'")
    message, totals = guard("leak.txt", "-c", protected, "--quiet", cwd=desk).stderr.splitlines()
    assert (message, "BLOCKED" in totals) == ("pmbf: guard: Ask security@example.org.", True)


def test_no_way_is_told_that_the_policy_does_not_leave(desk, protected):
    (desk / "central.toml").write_text("[guard]\nlocked = true\nallow_inline = false\n")
    done = guard("leak.txt", "-c", protected, "--policy", "central.toml", cwd=desk)
    assert "pmbf: guard: remove the passage. If it may be published: ask who keeps the policy\n" in done.stderr
    (desk / "central.toml").write_text("[guard]\nlocked = true\nallow_inline = false\nmessage = 'Ask Ann.'\n")
    done = guard("leak.txt", "-c", protected, "--policy", "central.toml", cwd=desk)
    assert ("Ask Ann." in done.stderr, "may be published" in done.stderr) == (True, False)
    policy(desk, "message = 'Ask nobody.'")
    done = guard("leak.txt", "-c", protected, "--policy", "central.toml", cwd=desk)
    assert (done.returncode, "may only be stricter" in done.stderr) == (2, True)


def told_command(stderr):
    """Return the command that a blocked user is told."""
    return re.search(r"published: `(pmbf guard baseline add [^`]*)`", stderr)[1]


def in_shell(command, cwd):
    """Run a command of pmbf by a shell, as it was printed."""
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    program = f'pmbf() {{ {shlex.quote(sys.executable)} -m pmbf "$@"; }}\n{command}'
    done = subprocess.run(["sh", "-c", program], cwd=cwd, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stderr


def test_the_command_that_is_told_lets_files_through(desk, protected):
    def command():
        return told_command(guard("leak.txt", "my notes.txt", "-c", protected, cwd=desk).stderr)

    (desk / "my notes.txt").write_text(words(78))
    told = in_shell(command(), desk)
    assert "pmbf: .pmbf-baseline.json: 1 passage added" in told and "pmbf: .pmbf.toml: names the baseline now" in told
    done = guard("leak.txt", "-c", protected, cwd=desk)
    assert (done.returncode, "1 allowed" in done.stderr) == (0, True)
    (desk / "leak.txt").write_text(f"{words(79)} {OTHER_SECRET}")
    assert "1 passage added" in in_shell(command(), desk)
    assert guard("leak.txt", "-c", protected, cwd=desk).returncode == 0
    (desk / "leak.txt").write_text(f"{words(77)}\n\n{LEAK}\n")  # still allowed: nothing was forgotten
    assert guard("leak.txt", "-c", protected, cwd=desk).returncode == 0
    assert (desk / ".pmbf.toml").read_text() == '[guard]\nbaseline = ".pmbf-baseline.json"\n'


def test_the_command_that_is_told_takes_the_options_of_the_check(desk, protected):
    policy(desk, "warn_chars = 'off'", "# kept")
    options = ["--param", "block_chars=100", "--exclude", "*.po", "-c", protected, "--baseline", "b.json"]
    assert guard("baseline", "update", "leak.txt", "-c", protected, "--file", "b.json", cwd=desk).returncode == 0
    (desk / "leak.txt").write_text(f"{words(77)} {OTHER_SECRET[100:400]}")
    done = guard("leak.txt", *options, cwd=desk)
    assert done.returncode == 1
    in_shell(told_command(done.stderr), desk)
    assert guard("leak.txt", *options, cwd=desk).returncode == 0
    assert "# kept" in (desk / ".pmbf.toml").read_text()


@pytest.mark.parametrize("way", ["staged", "commit -a", "message", "subfolder"])
def test_the_command_that_a_hook_tells_lets_the_commit_through(hooked, way):
    words_of_git = ["commit", "-m", LEAK if way == "message" else "m"]
    where = hooked.folder / "a b" if way == "subfolder" else hooked.folder
    hooked.write("a b/plan.txt", CLEAN)
    hooked.commit()
    hooked.write("a b/plan.txt", CLEAN if way == "message" else f"{CLEAN}\n{LEAK}")
    if way == "commit -a":
        words_of_git.insert(1, "-a")
    elif way == "message":
        words_of_git.insert(1, "--allow-empty")
    else:
        hooked("add", "-A")
    blocked = hooked(*words_of_git, ok=False)
    assert (blocked.returncode, "remove the passage" in blocked.stderr) == (1, True)
    in_shell(told_command(blocked.stderr), where)
    hooked(*words_of_git)


def test_the_command_that_a_push_tells_lets_it_through(hooked, tmp_path):
    server = Git(tmp_path / "server.git", "--bare")
    hooked.write("a.txt", LEAK)
    hooked("add", "-A")
    hooked("commit", "-q", "--no-verify", "-m", "m")
    blocked = hooked("push", server.folder, "main", ok=False)
    assert blocked.returncode == 1
    in_shell(told_command(blocked.stderr), hooked.folder)
    hooked("push", server.folder, "main")


def test_what_was_read_from_stdin_is_allowed_in_the_text_itself(desk, protected):
    done = guard("-", "-c", protected, cwd=desk, given=LEAK)
    assert "published: write `pmbf:allow FINGERPRINT` into the same text\n" in done.stderr
    [fingerprint] = set(re.findall(r"fingerprint ([0-9a-f]{20})", done.stdout))
    assert guard("-", "-c", protected, cwd=desk, given=f"{LEAK}\npmbf:allow {fingerprint}\n").returncode == 0


def test_a_server_says_who_can_allow_a_passage(git, tmp_path, protected):
    server = Git(tmp_path / "server.git", "--bare")
    assert guard("install", "-c", protected, cwd=server.folder).returncode == 0
    git.commit("leak.txt", LEAK)
    refused = git("push", server.folder, "main", ok=False)
    assert "published: ask who keeps the policy of this server, whose baseline alone counts" in refused.stderr


def test_a_policy_that_is_a_link_or_has_another_form_is_not_written(desk, protected, tmp_path):
    elsewhere = tmp_path / "elsewhere"
    (desk / ".pmbf.toml").symlink_to(elsewhere)
    done = guard("baseline", "add", "leak.txt", "-c", protected, cwd=desk)
    assert (done.returncode, "is a link" in done.stderr, elsewhere.exists()) == (2, True, False)
    (desk / ".pmbf.toml").unlink()
    (desk / ".pmbf.toml").write_text("guard = {warn_chars = 'off'}\n")
    done = guard("baseline", "add", "leak.txt", "-c", protected, cwd=desk)
    assert (done.returncode, "write baseline = " in done.stderr) == (2, True)
    assert (desk / ".pmbf.toml").read_text() == "guard = {warn_chars = 'off'}\n"


# ---------------------------------------------------------------------- which document


def everything_told(folder, protected, *more, **variables):
    """Return all that a check tells: text, JSON, SARIF and incidents."""
    (folder / "incidents").unlink(missing_ok=True)
    words = ("leak.txt", "-c", protected, "--incidents", "incidents", *more)
    text = guard(*words, "--sarif", "sarif", cwd=folder, **variables)
    told = {
        "text": text.stdout + text.stderr,
        "json": guard(*words, "--json", cwd=folder, **variables).stdout,
        "sarif": (folder / "sarif").read_text(),
        "incidents": (folder / "incidents").read_text(),
    }
    assert "BLOCKED" in told["text"]
    return told


@pytest.mark.parametrize(("lines", "ci", "by_path", "by_number"), [
    ([], "", ["text", "json", "incidents"], ["sarif"]),
    ([], "1", [], ["text", "json", "sarif", "incidents"]),
    (["show_source = 'always'"], "1", ["text", "json", "sarif", "incidents"], []),
    (["show_source = 'resolve'"], "", [], ["text", "json", "sarif", "incidents"]),
    (["show_source = 'never'"], "", [], []),
], ids=["default", "default in CI", "always", "resolve", "never"])  # fmt: skip
def test_the_document_is_named_as_far_as_the_policy_lets_it(desk, protected, lines, ci, by_path, by_number):
    policy(desk, *lines)
    told = everything_told(desk, protected, CI=ci)
    assert [way for way, text in told.items() if "plan.txt" in text] == by_path
    numbered = {way for way, text in told.items() if "document 1" in text or '"document_id": 1' in text}
    assert numbered >= set(by_number)
    if lines == ["show_source = 'never'"]:
        assert numbered == set()


def test_a_number_is_named_where_the_collection_is(desk, protected):
    policy(desk, "show_source = 'resolve'")
    everything_told(desk, protected)
    by_hand = guard("resolve", "1", "-c", protected, cwd=desk)
    assert (by_hand.returncode, by_hand.stdout.split()[:2]) == (0, ["1", "plan.txt"])
    log = guard("resolve", "-", "-c", protected, cwd=desk, given=(desk / "incidents").read_text())
    assert log.stdout == by_hand.stdout
    assert guard("resolve", "99", "-c", protected, cwd=desk).returncode == 3


def test_a_server_tells_who_pushes_no_path(git, tmp_path, protected, monkeypatch):
    server = Git(tmp_path / "server.git", "--bare")
    assert guard("install", "-c", protected, cwd=server.folder).returncode == 0
    git.commit("leak.txt", LEAK)
    refused = git("push", server.folder, "main", ok=False)
    assert "holds text of document 1" in refused.stderr
    assert "plan.txt" not in refused.stderr


@pytest.mark.parametrize("lines", [["show_source = 'resolve'"], []])
def test_a_document_that_cannot_be_compared_is_not_named_either(desk, tmp_path, lines):
    source = tmp_path / "project-orion.txt"
    source.write_text(SECRET)
    with Collection(tmp_path / "c.pmbf", create=True, params=Params(store_text=False)) as made:
        made.load([source])
    source.unlink()
    policy(desk, *lines, "on_incomplete = 'warn'")
    done = guard("leak.txt", "-c", tmp_path / "c.pmbf", cwd=desk)
    assert "not compared with" in done.stderr
    assert ("project-orion" in done.stderr) == (not lines)


def test_a_damaged_catalog_names_no_document(desk, tmp_path):
    with Collection(tmp_path / "c.pmbf", create=True) as made:
        made.add(SECRET, name="project-orion.txt")
    with contextlib.closing(sqlite3.connect(tmp_path / "c.pmbf" / "catalog.sqlite")) as connection, connection:
        connection.execute("UPDATE path SET size = 7")
    policy(desk, "show_source = 'never'")
    done = guard("leak.txt", "-c", tmp_path / "c.pmbf", cwd=desk)
    assert (done.returncode, "fails its checksum" in done.stderr, "project-orion" in done.stderr) == (3, True, False)


def test_names_hold_and_a_name_holds():
    from dataclasses import replace

    from pmbf.cli.shown.guard import findings_text

    one = finding(())
    several = replace(one, payload=replace(one.payload, name="the names of paths, branches and tags", where="names"))
    assert "the message of commit x holds text" in findings_text(verdict(one), redact=True)
    assert "the names of paths, branches and tags hold text" in findings_text(verdict(several), redact=True)


def test_local_is_between_number_and_path():
    shown = {one: [Policy(show_source=one).shows(to_others=others) for others in (False, True)]
             for one in ("never", "resolve", "local", "always")}  # fmt: skip
    assert shown == {
        "never": ["never", "never"],
        "resolve": ["resolve", "resolve"],
        "local": ["always", "resolve"],
        "always": ["always", "always"],
    }
