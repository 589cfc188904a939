"""What git itself can be made to hide: each way is seen through, or the check is incomplete."""

import base64
import hashlib
import json
import os
import random
import textwrap

import pytest

from pmbf.base.errors import IncompleteError
from pmbf.guard.git import Repository
from tests.guard.conftest import CLEAN, LEAK, Git, guard

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


# ---------------------------------------------------------------------- what is no content of a file


def blocks_by(git, protected, *asked):
    """Return the names of the payloads that a check of all commits blocks."""
    done = guard("--range", "HEAD", *asked, "-c", protected, "--json", cwd=git.folder)
    told = json.loads(done.stdout)
    assert told["incomplete"] == []
    return [one["name"] for one in told["findings"] if one["action"] == "block"]


SPOKEN = " ".join(f"{LEAK} {LEAK[:200]}".split())


@pytest.mark.parametrize("header", ["author", "committer", "x-note"])
def test_a_header_of_a_commit_leaves_too(git, protected, header):
    git.commit("a.txt", CLEAN)
    lines = git("cat-file", "commit", "HEAD").replace("\n\nm", f"\nx-note {CLEAN[:50]}\n\nm").split("\n")
    at = next(number for number, line in enumerate(lines) if line.startswith(header))
    kind, _, rest = lines[at].partition(" ")
    lines[at] = f"{kind} {SPOKEN[:400]}\n {SPOKEN[400:]}" if header == "x-note" else f"{kind} {SPOKEN} {rest}"
    tip = git("hash-object", "-t", "commit", "-w", "--stdin", "--literally", input="\n".join(lines) + "\n")
    git("update-ref", "HEAD", tip)
    assert blocks_by(git, protected) == [f"the message of commit {tip[:12]}"]


def test_a_signature_is_no_finding_and_no_gap(git, protected):
    git.commit("a.txt", CLEAN)
    key = base64.b64encode(random.Random(7).randbytes(600)).decode()
    signature = "\n ".join(
        ["-----BEGIN PGP SIGNATURE-----", "", *textwrap.wrap(key, 64), "-----END PGP SIGNATURE-----"]
    )
    signed = git("cat-file", "commit", "HEAD").replace("\n\nm", f"\ngpgsig {signature}\n\nm")
    git("update-ref", "HEAD", git("hash-object", "-t", "commit", "-w", "--stdin", input=signed + "\n"))
    assert blocks_by(git, protected) == []


NAMES = ["the names of paths, branches and tags"]


def test_names_of_paths_leave_too(git, protected):
    for start in range(0, 600, 200):
        git.write(LEAK[start : start + 200], f"{start}")
    git.commit()
    assert blocks_by(git, protected) == NAMES
    git("reset", "-q", "--soft", git("commit-tree", "-m", "m", git("mktree", input="")))
    told = json.loads(guard("--staged", "-c", protected, "--json", cwd=git.folder).stdout)
    assert [one["name"] for one in told["findings"]] == NAMES


def test_the_name_of_an_empty_folder_leaves_too(git, protected):
    empty = git("mktree", input="")
    listed = "".join(f"040000 tree {empty}\t{LEAK[start : start + 200]}\n" for start in range(0, 600, 200))
    git("update-ref", "HEAD", git("commit-tree", "-m", "m", git("mktree", input=listed)))
    assert blocks_by(git, protected) == NAMES


def test_the_name_of_a_branch_leaves_too(git, protected):
    tip = git.commit("a.txt", CLEAN)
    given = f"refs/heads/main {tip} refs/heads/{LEAK.replace(' ', '-')} {'0' * 40}\n"
    done = guard("--pre-push", "gone", "-c", protected, cwd=git.folder, given=given)
    assert (done.returncode, NAMES[0] in done.stdout) == (1, True)


def test_names_in_an_old_encoding_are_no_gap(git, protected):
    with open(os.fsencode(git.folder) + b"/caf\xe9 na\xefve.txt", "w") as file:
        file.write(CLEAN)
    git.commit("\N{SNOWMAN}.txt", CLEAN)
    assert blocks_by(git, protected) == []


def test_a_pointer_that_says_more_than_it_must_is_looked_at_with_its_object(git, protected):
    sha256 = hashlib.sha256(CLEAN.encode()).hexdigest()
    pointer = "version https://git-lfs.github.com/spec/v1\n{}oid sha256:" + f"{sha256}\nsize {len(CLEAN)}\n"
    stored = git.folder / ".git" / "lfs" / "objects" / sha256[:2] / sha256[2:4] / sha256
    stored.parent.mkdir(parents=True)
    stored.write_text(CLEAN)
    git.commit("plain.bin", pointer.format(""))
    assert blocks_by(git, protected) == []
    git.commit("noted.bin", pointer.format(f"note {LEAK}\n"))
    assert blocks_by(git, protected) == ["noted.bin"]
