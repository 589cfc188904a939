"""The check as a hook: of git itself, and of the real pre-commit package with this repository's own manifest."""

import os
import subprocess
import sys
from functools import cache

import pytest

from tests.conftest import ROOT, words
from tests.guard.conftest import CLEAN, LEAK, Git, guard


@pytest.fixture(autouse=True)
def _from_anywhere(monkeypatch):
    monkeypatch.setenv("PYTHONPATH", str(ROOT))


def test_an_installed_hook_stops_the_commit_of_what_is_staged(hooked):
    hooked.write("a.txt", LEAK)
    hooked("add", "a.txt")
    hooked.write("a.txt", CLEAN)
    refused = hooked("commit", "-m", "m", ok=False)
    assert refused.returncode == 1
    assert "BLOCKED: a.txt holds text of plan.txt" in refused.stdout + refused.stderr
    hooked("add", "a.txt")
    hooked("commit", "-q", "-m", "m")


def test_a_part_of_a_file_that_is_staged_is_all_that_counts(hooked):
    hooked.commit("a.txt", f"{CLEAN}\n")
    hooked.write("a.txt", f"{CLEAN}\nmore\n\n{LEAK}\n")
    patch = hooked("diff", "-U0").split("@@")
    assert len(patch) == 3
    hooked.write("a.txt", f"{CLEAN}\nmore\n")
    hooked("add", "a.txt")
    hooked.write("a.txt", f"{CLEAN}\nmore\n\n{LEAK}\n")
    hooked("commit", "-q", "-m", "the clean half")
    assert hooked("commit", "-q", "-a", "-m", "the other half", ok=False).returncode == 1


def test_amending_and_rebasing_are_checked_like_commits(hooked):
    hooked.commit("a.txt", CLEAN)
    hooked.commit("b.txt", "two")
    hooked.write("b.txt", LEAK)
    hooked("add", "-A")
    assert hooked("commit", "-q", "--amend", "-m", "m", ok=False).returncode == 1
    hooked("commit", "-q", "--amend", "-m", "m", "--no-verify")
    bad = hooked("rev-parse", "HEAD")
    hooked("rebase", "-q", "--root", "--exec", "true")
    given = f"refs/heads/main {hooked('rev-parse', 'HEAD')} refs/heads/main {'0' * len(bad)}\n"
    assert guard("--pre-push", "x", cwd=hooked.folder, given=given, PMBF_COLLECTION=os.devnull).returncode == 3


def refuses_a_leak_taken_back(git):
    """Check that a push is refused whose last commit takes out what the one before brought."""
    git.write("leak.txt", LEAK)
    git("add", "-A")
    git("commit", "-q", "--no-verify", "-m", "m")
    git("rm", "-q", "leak.txt")
    git.commit()
    refused = git("push", "origin", "main", ok=False)
    assert refused.returncode != 0
    assert "BLOCKED: leak.txt in commit" in refused.stdout + refused.stderr


def test_an_installed_hook_stops_the_push_of_what_was_deleted_again(hooked, tmp_path):
    server = Git(tmp_path / "server.git", "--bare")
    hooked("remote", "add", "origin", server.folder)
    hooked.commit("a.txt", CLEAN)
    hooked("push", "-q", "origin", "main")
    refuses_a_leak_taken_back(hooked)
    hooked("reset", "-q", "--hard", "origin/main")
    hooked.commit("b.txt", words(78))
    hooked("push", "-q", "origin", "main")


@pytest.mark.parametrize("how", [("set-url",), ("set-url", "--push")], ids=["address", "push address"])
def test_what_a_remote_of_another_address_has_is_no_excuse(hooked, tmp_path, how):
    old, new = Git(tmp_path / "old.git", "--bare"), Git(tmp_path / "new.git", "--bare")
    hooked("remote", "add", "origin", old.folder)
    hooked.write("leak.txt", LEAK)
    hooked("add", "-A")
    hooked("commit", "-q", "--no-verify", "-m", "m")
    hooked("push", "-q", "--no-verify", "origin", "main")
    hooked("checkout", "-q", "-b", "new")
    hooked.commit("a.txt", CLEAN)
    hooked("push", "-q", "origin", "new")
    hooked("checkout", "-q", "-b", "newer")
    hooked("remote", *how, "origin", new.folder)
    refused = hooked("push", "origin", "newer", ok=False)
    assert "BLOCKED: leak.txt in commit" in refused.stdout + refused.stderr


def test_where_the_server_does_not_say_what_it_has_everything_is_checked(git, protected, tmp_path):
    tip = git.commit("leak.txt", LEAK)
    git("update-ref", "refs/remotes/origin/main", tip)
    given = f"refs/heads/main {tip} refs/heads/main {'0' * 40}\n"
    done = guard("--pre-push", "origin", tmp_path / "gone", "-c", protected, cwd=git.folder, given=given)
    assert done.returncode == 1
    assert "does not say what it has" in done.stderr


def test_a_server_refuses_what_its_hook_blocks(git, tmp_path, protected):
    server = Git(tmp_path / "server.git", "--bare")
    done = guard("install", "-c", protected, cwd=server.folder)
    assert "pre-receive: installed" in done.stderr
    git.commit("leak.txt", LEAK)
    refused = git("push", server.folder, "main", ok=False)
    assert "BLOCKED: leak.txt in commit" in refused.stderr
    assert server("for-each-ref") == ""


def test_a_hook_of_another_is_left_alone(git, protected):
    hook = git.folder / ".git" / "hooks" / "pre-commit"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\ntrue\n")
    done = guard("install", "-c", protected, cwd=git.folder)
    assert done.returncode == 3
    assert hook.read_text() == "#!/bin/sh\ntrue\n"
    assert "add below its first line" in done.stderr
    assert "--staged || exit $?\n" in done.stdout
    assert (hook.parent / "pre-push").exists()
    removed = guard("uninstall", cwd=git.folder)
    assert "another hook, left alone" in removed.stderr
    assert hook.exists() and not (hook.parent / "pre-push").exists()


def test_a_pipe_a_link_and_a_huge_file_in_place_of_a_hook_are_another_programs(git, protected):
    hooks = git.folder / ".git" / "hooks"
    hooks.mkdir(exist_ok=True)
    os.mkfifo(hooks / "pre-commit")
    (hooks / "commit-msg").symlink_to("missing")
    with open(hooks / "pre-push", "wb") as file:
        file.truncate(1 << 40)
    assert guard("install", "-c", protected, cwd=git.folder).returncode == 3
    removed = guard("uninstall", cwd=git.folder)
    assert removed.stderr.count("another hook, left alone") == 3


@pytest.mark.parametrize("kind", ["pre-push", "pre-receive"])
def test_a_hook_of_another_that_reads_what_git_says_goes_on_reading_it(git, tmp_path, protected, kind):
    server = Git(tmp_path / "server.git", "--bare")
    hooked = git if kind == "pre-push" else server
    hook = hooked.folder / hooked("rev-parse", "--git-path", "hooks") / kind
    hook.parent.mkdir(exist_ok=True)
    log = tmp_path / "log"
    hook.write_text(f"#!/bin/sh -e\nwhile read -r a b c d; do echo \"$c\" >>'{log}'; done\n")
    hook.chmod(0o755)
    done = guard("install", kind, "-c", protected, cwd=hooked.folder)
    assert done.returncode == 3
    hook.write_text(hook.read_text().replace("\n", f"\n{done.stdout}", 1))
    git.commit("a.txt", CLEAN)
    git("push", "-q", server.folder, "main")
    assert log.read_text() == "refs/heads/main\n"
    git.commit("leak.txt", LEAK)
    refused = git("push", server.folder, "main", ok=False)
    assert "BLOCKED: leak.txt in commit" in refused.stdout + refused.stderr
    assert log.read_text() == "refs/heads/main\n"


def test_a_receiving_hook_that_is_told_nothing_has_checked_nothing(git, protected):
    done = guard("--pre-receive", "-c", protected, cwd=git.folder, given="")
    assert done.returncode == 2
    assert "nothing on stdin" in done.stderr
    pushed = guard("--pre-push", "origin", "-c", protected, cwd=git.folder, given="")
    assert pushed.returncode == 0
    assert "another hook has read them" in pushed.stderr


@pytest.mark.parametrize("kind", [("--pre-receive",), ("--pre-push", "origin")])
def test_the_lines_that_git_gives_a_hook_are_read_within_the_limit(git, protected, kind):
    lines = f"{'0' * 40} {'1' * 40} refs/heads/main\n" * 100
    done = guard(*kind, "-c", protected, "--param", "max_bytes=1K", cwd=git.folder, given=lines)
    assert done.returncode == 3
    assert "stdin: larger than 1024 bytes" in done.stderr


def test_nothing_is_imported_from_the_work_tree_that_is_checked(hooked, tmp_path):
    ran = tmp_path / "ran"
    for name in ("pmbf/__init__.py", "pmbf/__main__.py", "numpy.py", "json.py", "sitecustomize.py"):
        hooked.write(name, f"open({str(ran)!r}, 'w')")
    hooked.write("leak.txt", LEAK)
    hooked("add", "-A")
    assert "BLOCKED: leak.txt" in hooked("commit", "-m", "m", ok=False).stderr
    assert not ran.exists()


def test_a_hook_that_pre_commit_has_put_aside_is_taken_away(hooked):
    folder = hooked.folder / ".git" / "hooks"
    (folder / "pre-commit").rename(folder / "pre-commit.legacy")
    (folder / "pre-commit").write_text("#!/bin/sh\n")
    (folder / "pre-push.legacy").write_text("#!/bin/sh\n")
    removed = guard("uninstall", cwd=hooked.folder)
    assert "pre-commit.legacy: removed" in removed.stderr
    assert sorted(path.name for path in folder.glob("pre-*[!e]")) == ["pre-commit", "pre-push.legacy"]


def test_installing_again_renews_what_was_installed(hooked):
    done = guard("install", "pre-push", "-c", "elsewhere", cwd=hooked.folder)
    assert done.returncode == 0
    assert "pre-push: renewed" in done.stderr
    assert str(hooked.folder / "elsewhere") in (hooked.folder / ".git" / "hooks" / "pre-push").read_text()


def test_a_hooks_folder_of_ones_own_is_used(git, tmp_path, protected):
    git("config", "core.hooksPath", tmp_path / "hooks")
    guard("install", "-c", protected, cwd=git.folder)
    assert sorted(path.name for path in (tmp_path / "hooks").iterdir()) == ["commit-msg", "pre-commit", "pre-push"]


# ---------------------------------------------------------------------- pre-commit


@cache
def _managed_once(folder, collection):
    from pre_commit.clientlib import load_manifest

    made = Git(folder)
    lines = ["repos:", "- repo: local", "  hooks:"]
    for hook in load_manifest(ROOT / ".pre-commit-hooks.yaml"):
        lines += [f"  - id: {hook['id']}", f"    name: {hook['name']}", f"    entry: {hook['entry']}"]
        lines += ["    language: system", f"    stages: [{', '.join(hook['stages'])}]"]
        lines += [f"    {key}: {str(hook[key]).lower()}" for key in ("pass_filenames", "always_run", "require_serial")]
        lines += [f"    args: [-c, '{collection}']"]
    made.write(".pre-commit-config.yaml", "\n".join(lines) + "\n")
    made.commit()
    command = [sys.executable, "-m", "pre_commit", "install", "-t", "pre-commit", "-t", "commit-msg", "-t", "pre-push"]
    done = subprocess.run(command, cwd=made.folder, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr
    return made


@pytest.fixture
def managed(tmp_path_factory, tmp_path, protected, monkeypatch):
    """A repository that the real pre-commit manages, with the hooks of this project's manifest, in a copy.

    The hooks run with this interpreter (`language: system`), so that nothing is installed or fetched.
    """
    pytest.importorskip("pre_commit")
    program = tmp_path / "bin" / "pmbf"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\nPYTHONPATH="{ROOT}" exec "{sys.executable}" -m pmbf "$@"\n')
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("PRE_COMMIT_HOME", str(tmp_path / "pre-commit"))
    return _managed_once(tmp_path_factory.getbasetemp() / "managed", protected).copied(tmp_path / "work")


def test_the_manifest_is_one_that_pre_commit_takes():
    manifest = pytest.importorskip("pre_commit.clientlib").load_manifest(ROOT / ".pre-commit-hooks.yaml")
    assert [(hook["id"], hook["stages"][0]) for hook in manifest] == [
        ("pmbf-guard", "pre-commit"),
        ("pmbf-guard-message", "commit-msg"),
        ("pmbf-guard-push", "pre-push"),
    ]
    assert all(hook["require_serial"] and hook["always_run"] for hook in manifest)
    assert [hook["id"] for hook in manifest if hook["pass_filenames"]] == ["pmbf-guard-message"]


def test_pre_commit_checks_what_is_staged(managed):
    managed.write("a.txt", CLEAN)
    managed("add", "-A")
    managed.write("a.txt", LEAK)  # pre-commit puts it aside
    managed("commit", "-q", "-m", "m")
    managed("add", "-A")
    refused = managed("commit", "-m", "m", ok=False)
    assert refused.returncode == 1
    assert "BLOCKED: a.txt" in refused.stdout + refused.stderr


def test_pre_commit_checks_the_message(managed):
    refused = managed("commit", "--allow-empty", "-m", LEAK, ok=False)
    assert refused.returncode == 1
    assert "BLOCKED: the message of the commit" in refused.stdout + refused.stderr
    managed("commit", "-q", "--allow-empty", "-m", CLEAN)


@pytest.mark.parametrize("is_known", [True, False], ids=["a branch the server has", "a history it has not"])
def test_pre_commit_checks_a_push_blob_by_blob(managed, tmp_path, is_known):
    server = Git(tmp_path / "server.git", "--bare")
    managed("remote", "add", "origin", server.folder)
    managed.commit("a.txt", CLEAN)
    if is_known:
        managed("push", "-q", "origin", "main")
    refuses_a_leak_taken_back(managed)
    managed("reset", "-q", "--hard", "HEAD~2")
    managed("push", "-q", "origin", "main")
