"""Hooks in a work tree whose files, configuration and environment are somebody else's."""

import os

import pytest

from tests.conftest import ROOT, words
from tests.guard.conftest import LEAK, Git, guard

MODULES = (
    "pmbf.py", "pmbf/__init__.py", "pmbf/__main__.py", "sitecustomize.py", "usercustomize.py", "json.py", "numpy.py",
    "runpy.py", "encodings/__init__.py", "site.py",
)  # fmt: skip


def refuses_to_commit(git):
    """Check that the commit of a leak is refused."""
    git.write("leak.txt", LEAK)
    git("add", "-A")
    commit = git("commit", "-m", "m", ok=False)
    assert "BLOCKED: leak.txt holds text of plan.txt" in commit.stdout + commit.stderr


def refuses(git, tmp_path):
    """Check that commit, message and push of a leak are refused."""
    refuses_to_commit(git)
    git("reset", "-q", "leak.txt")
    message = git("commit", "--allow-empty", "-m", LEAK, ok=False)
    assert "BLOCKED: the message of the commit" in message.stdout + message.stderr
    git("add", "leak.txt")
    git("commit", "-q", "--no-verify", "-m", "m")
    server = Git(tmp_path / "server.git", "--bare")
    push = git("push", server.folder, "HEAD:main", ok=False)
    assert "BLOCKED: leak.txt in commit" in push.stdout + push.stderr


@pytest.fixture
def is_run(hooked, tmp_path):
    """Says whether a module of the work tree was run. The tree has modules of the names that a check imports."""
    for name in MODULES:
        hooked.write(name, f"open({str(tmp_path / 'ran')!r}, 'w')")
    return (tmp_path / "ran").exists


@pytest.mark.parametrize("path", [None, f"{ROOT}:", ".", f".:{ROOT}"])
def test_modules_of_the_work_tree_are_not_imported(hooked, is_run, monkeypatch, path):
    monkeypatch.setenv("PYTHONPATH", path) if path else monkeypatch.delenv("PYTHONPATH", raising=False)
    refuses_to_commit(hooked)
    assert not is_run()


def test_none_of_the_hooks_imports_modules_of_the_work_tree(hooked, is_run, tmp_path, monkeypatch):
    monkeypatch.setenv("PYTHONPATH", f":{ROOT}")
    refuses(hooked, tmp_path)
    assert not is_run()


@pytest.mark.parametrize("name", [".pmbf.toml", "pyproject.toml"])
@pytest.mark.parametrize("kind", ["zero", "pipe", "loop", "folder", "huge", "dangling"])
def test_a_policy_file_that_is_no_file_of_a_policy_neither_hangs_nor_lets_through(hooked, tmp_path, name, kind):
    file = hooked.folder / name
    if kind == "zero":
        file.symlink_to("/dev/zero")
    elif kind == "pipe":
        os.mkfifo(file)
    elif kind == "loop":
        file.symlink_to(name)
    elif kind == "folder":
        file.mkdir()
    elif kind == "dangling":
        file.symlink_to("nowhere")
    else:
        with file.open("wb") as made:
            made.truncate(1 << 40)
    hooked.write("leak.txt", LEAK)
    hooked("add", "leak.txt")
    assert hooked("commit", "-m", "m", ok=False, timeout=60).returncode != 0


@pytest.mark.parametrize("line", [
    "baseline = '/dev/zero'", "baseline = 'pipe'", "ignore = ['/dev/zero']", "ignore = ['pipe']",
    "endpoint = 'pipe'\nkey_file = 'pipe'", "endpoint = '/dev/zero'\nkey_file = '/dev/zero'",
])  # fmt: skip
def test_a_policy_that_names_devices_and_pipes_neither_hangs_nor_lets_through(hooked, line):
    os.mkfifo(hooked.folder / "pipe")
    hooked.write(".pmbf.toml", f"[guard]\n{line}\n")
    hooked.write("leak.txt", LEAK)
    hooked("add", "leak.txt")
    assert hooked("commit", "-m", "m", ok=False, timeout=60).returncode != 0


def test_a_link_to_a_policy_elsewhere_is_that_policy(hooked, tmp_path):
    (tmp_path / "elsewhere.toml").write_text("[guard]\nmessage = 'from elsewhere'\n")
    (hooked.folder / ".pmbf.toml").symlink_to(tmp_path / "elsewhere.toml")
    hooked.write("leak.txt", LEAK)
    hooked("add", "leak.txt")
    assert "from elsewhere" in hooked("commit", "-m", "m", ok=False).stderr


def test_hooks_in_a_folder_of_the_work_tree_are_those_that_run(git, tmp_path, protected):
    git.commit("a.txt", words(77))
    git("config", "core.hooksPath", "hooks")
    assert guard("install", "-c", protected, cwd=git.folder).returncode == 0
    assert sorted(path.name for path in (git.folder / "hooks").iterdir()) == ["commit-msg", "pre-commit", "pre-push"]
    refuses(git, tmp_path)


CONFIGURED = {"core.fsmonitor": "false", "core.quotePath": "true", "diff.external": "touch ran"}
COUNTED = {
    name: value
    for number, pair in enumerate(CONFIGURED.items())
    for name, value in zip((f"GIT_CONFIG_KEY_{number}", f"GIT_CONFIG_VALUE_{number}"), pair, strict=True)
}


@pytest.mark.parametrize("variables", [
    {"GIT_EXTERNAL_DIFF": "touch ran", "GIT_PAGER": "touch ran", "PAGER": "touch ran"},
    {"GIT_TRACE": "1", "GIT_TRACE_PACKET": "1", "GIT_LITERAL_PATHSPECS": "1", "GIT_ICASE_PATHSPECS": "0",
     "GIT_REPLACE_REF_BASE": "refs/heads/", "GIT_DIFF_OPTS": "--unified=0",
     "GIT_CEILING_DIRECTORIES": "/", "GIT_DISCOVERY_ACROSS_FILESYSTEM": "0"},
    COUNTED | {"GIT_CONFIG_COUNT": str(len(CONFIGURED))},
], ids=["programs", "what git reads and prints", "configuration"])  # fmt: skip
def test_variables_of_git_change_nothing(hooked, tmp_path, monkeypatch, variables):
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    refuses(hooked, tmp_path)
    assert not (hooked.folder / "ran").exists()


def test_another_index_is_the_one_that_is_checked(hooked, monkeypatch):
    hooked.write("leak.txt", LEAK)
    monkeypatch.setenv("GIT_INDEX_FILE", str(hooked.folder / "other-index"))
    hooked("add", "leak.txt")
    refused = hooked("commit", "-m", "m", ok=False)
    assert "BLOCKED: leak.txt holds text of plan.txt" in refused.stdout + refused.stderr


def test_from_another_folder_git_is_asked_where_its_variables_point(hooked, tmp_path, protected):
    hooked.write("leak.txt", LEAK)
    hooked("add", "leak.txt")
    place = {"GIT_DIR": str(hooked.folder / ".git"), "GIT_WORK_TREE": str(hooked.folder)}
    done = guard("--staged", "-c", protected, cwd=tmp_path, **place)
    assert (done.returncode, "BLOCKED: leak.txt" in done.stdout) == (1, True)
