"""What git itself can be made to hide: each way is seen through, or the check is incomplete."""

import json
import os

import pytest

from pmbf.errors import IncompleteError
from pmbf.guard.git import Repository
from tests.conftest import words
from tests.guard.conftest import LEAK, Git, guard

CLEAN = words(77)


# ---------------------------------------------------------------------- objects that are not here


@pytest.fixture
def partial(git, tmp_path):
    """A partial clone without blobs of a repository whose branch `other` leaks."""
    git("config", "uploadpack.allowFilter", "true")
    git("config", "uploadpack.allowAnySHA1InWant", "true")
    git.commit("a.txt", CLEAN)
    git("checkout", "-q", "-b", "other")
    git.commit("leak.txt", LEAK)
    git("checkout", "-q", "main")
    git("clone", "-q", "--filter=blob:none", f"file://{git.folder}", tmp_path / "partial")
    return Git(tmp_path / "partial")


RANGE = ("--range", "origin/main..origin/other")


def test_what_a_partial_clone_lacks_is_fetched_and_checked(partial, protected):
    done = guard(*RANGE, "-c", protected, cwd=partial.folder)
    assert done.returncode == 1
    assert "BLOCKED: leak.txt in commit" in done.stdout


def test_what_a_partial_clone_cannot_fetch_is_incomplete(partial, protected, tmp_path):
    partial("remote", "set-url", "origin", tmp_path / "gone")
    done = guard(*RANGE, "-c", protected, cwd=partial.folder)
    assert done.returncode == 3
    assert "partial clone" in done.stderr


def test_a_repository_that_may_not_fetch_is_told_nothing(partial):
    leak = partial("rev-parse", "origin/other:leak.txt")
    with pytest.raises(IncompleteError, match="partial clone"):
        Repository(partial.folder).headers([leak])
    assert [one.kind for one in Repository(partial.folder, fetches=True).headers([leak])] == ["blob"]


@pytest.mark.parametrize("how", ["exit 128", "exit 0", "read one; echo $one blob 3", "sed s/^/x/"])
@pytest.mark.parametrize("command", ["--batch-check", "--batch "])
def test_a_git_that_does_not_answer_for_each_object_is_incomplete(git, protected, tmp_path, monkeypatch, command, how):
    git.commit("a.txt", CLEAN)
    git.commit("leak.txt", LEAK)
    real = os.popen("command -v git").read().strip()
    wrapper = tmp_path / "bin" / "git"
    wrapper.parent.mkdir()
    wrapper.write_text(f'#!/bin/sh\ncase "$* " in *"cat-file {command}"*) {how}; exit;; esac\nexec {real} "$@"\n')
    wrapper.chmod(0o755)
    monkeypatch.setenv("PATH", f"{wrapper.parent}{os.pathsep}{os.environ['PATH']}")
    done = guard("--range", "HEAD", "-c", protected, cwd=git.folder)
    assert done.returncode == 3
    assert "git cat-file" in done.stderr


# ---------------------------------------------------------------------- a history that is bent


def test_a_graft_hides_no_commit(git, protected):
    start = git.commit("a.txt", CLEAN)
    git.commit("leak.txt", LEAK)
    git("rm", "-q", "leak.txt")
    tip = git.commit()
    git.write(".git/info/grafts", f"{tip} {start}\n")
    done = guard("--range", f"{start}..HEAD", "-c", protected, cwd=git.folder)
    assert done.returncode == 1
    assert "BLOCKED: leak.txt in commit" in done.stdout
    assert "graft" not in done.stderr


# ---------------------------------------------------------------------- a policy in what is checked


LAX = "[guard]\nblock_chars = 'off'\nexclude = ['*']\nignore = ['leak.txt']\n"


def test_what_a_range_brings_cannot_say_how_it_is_checked(git, protected):
    git.commit("a.txt", CLEAN)
    git.write(".pmbf.toml", LAX)
    git.write("pyproject.toml", LAX.replace("[guard]", "[tool.pmbf.guard]"))
    git.commit("leak.txt", LEAK)
    assert guard("--range", "HEAD~1..HEAD", "-c", protected, cwd=git.folder).returncode == 1
    named = guard("--range", "HEAD~1..HEAD", "-c", protected, "--config", ".pmbf.toml", cwd=git.folder)
    assert named.returncode == 0
    unnamed = guard("--range", "HEAD~1..HEAD", cwd=git.folder)
    assert (unnamed.returncode, "--config names it" in unnamed.stderr) == (2, True)


def test_what_is_pushed_cannot_allow_itself(git, protected):
    git.commit("leak.txt", LEAK)
    [finding] = json.loads(guard("--range", "HEAD", "-c", protected, "--json", cwd=git.folder).stdout)["findings"]
    marks = " ".join(f"pmbf:allow {one['fingerprint']}" for one in finding["evidence"])
    git.write("leak.txt", f"{LEAK}\n\n{marks}\n")
    git("commit", "-q", "-a", "--amend", "-m", "m")
    given = f"{'0' * 40} {git('rev-parse', 'HEAD')} refs/heads/main\n"
    git("update-ref", "-d", "HEAD")  # as in quarantine: the objects are here, no ref is
    for asked, lines in ((("--pre-receive",), given), (("--range", given.split()[1]), None)):
        done = guard(*asked, "-c", protected, cwd=git.folder, given=lines)
        assert done.returncode == 1
        told = guard(*asked, "-c", protected, cwd=git.folder, given=lines, PMBF_GUARD_ALLOW_INLINE="true")
        assert told.returncode == 0


@pytest.mark.parametrize("revisions", ["..HEAD", "HEAD..", "...HEAD", "HEAD...", ".."])
def test_a_range_has_two_sides(git, revisions):
    git.commit()
    done = guard("--range", revisions, "-c", "x", cwd=git.folder)
    assert done.returncode == 2
    assert "both sides" in done.stderr
