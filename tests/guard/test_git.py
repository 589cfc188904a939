"""What a commit and a push bring: every blob, whatever became of it later."""

import shutil

import pytest

from pmbf import IncompleteError
from pmbf.guard.git import Repository
from pmbf.guard.policy import Policy
from pmbf.guard.sources import of_index, of_push, of_range
from tests.conftest import words
from tests.guard.conftest import CLEAN, LEAK, SECRET, Git, guard

ZERO = "0" * 40


def paths(verdict):
    return sorted(path for finding in verdict.findings for path in finding.payload.paths)


def staged(git, policy=None):
    return of_index(Repository(git.folder), policy or Policy())


def ranged(git, revisions, policy=None):
    return of_range(Repository(git.folder), revisions, policy or Policy())


def pushed(git, line, server_has=()):
    return of_push(Repository(git.folder), [line.encode()], server_has, Policy())


# ---------------------------------------------------------------------- the index


def test_what_is_staged_counts_and_not_the_work_tree(git, verdict_on):
    git.commit("a.txt", CLEAN)
    git.write("a.txt", LEAK)
    git("add", "a.txt")
    git.write("a.txt", CLEAN)
    assert paths(verdict_on(staged(git))) == ["a.txt"]
    git("add", "a.txt")
    git.write("a.txt", LEAK)
    assert verdict_on(staged(git)).findings == ()


def test_a_repository_without_a_commit_is_checked_whole(git, verdict_on):
    git.write("a.txt", LEAK)
    git("add", "a.txt")
    assert paths(verdict_on(staged(git))) == ["a.txt"]


def test_equal_contents_are_checked_once_and_shown_with_every_path(git, verdict_on):
    git.write("a.txt", LEAK)
    git.write("d/b.txt", LEAK)
    git("add", "-A")
    verdict = verdict_on(staged(git))
    assert [finding.payload.paths for finding in verdict.findings] == [("a.txt", "d/b.txt")]
    assert verdict.counts.n_files == 1


def test_a_renamed_file_is_checked_under_its_new_name(git, verdict_on):
    git.commit("a.txt", LEAK)
    git("mv", "a.txt", "b.txt")
    assert paths(verdict_on(staged(git))) == ["b.txt"]


def test_a_deletion_has_nothing_to_check(git, verdict_on):
    git.commit("a.txt", LEAK)
    git("rm", "-q", "a.txt")
    verdict = verdict_on(staged(git))
    assert (verdict.action, verdict.counts.n_files) == ("clean", 0)


def test_a_path_that_a_merge_left_open_is_incomplete(git, verdict_on):
    git.commit("a.txt", "one")
    git("checkout", "-q", "-b", "side")
    git.commit("a.txt", "two")
    git("checkout", "-q", "main")
    git.commit("a.txt", "three")
    git("merge", "side", ok=False)
    verdict = verdict_on(staged(git))
    assert [(one.name, one.reason) for one in verdict.incomplete] == [("a.txt", "not merged")]
    assert verdict.exit_code == 3


def test_a_file_that_is_only_intended_to_be_added_is_not_there_yet(git, verdict_on):
    git.commit()
    git.write("a.txt", LEAK)
    git("add", "--intent-to-add", "a.txt")
    assert verdict_on(staged(git)).counts.n_files == 0


def test_names_with_newlines_quotes_and_bytes_that_are_no_text_are_read(git, verdict_on):
    for name in (b"a\nb.txt", b'q"uote \\ .txt', b"caf\xe9.txt"):
        path = str(git.folder).encode() + b"/" + name
        with open(path, "w") as file:
            file.write(LEAK + name.decode("latin-1"))
    git("add", "-A")
    assert paths(verdict_on(staged(git))) == ["a\nb.txt", "caf\udce9.txt", 'q"uote \\ .txt']


def test_thousands_of_staged_files_are_read(git, verdict_on):
    for number in range(3000):
        git.write(f"d{number % 50}/f{number}.txt", f"{number} {words(number, 3)}")
    git.write("d7/leak.txt", LEAK)
    git("add", "-A")
    verdict = verdict_on(staged(git))
    assert (verdict.counts.n_files, paths(verdict)) == (3001, ["d7/leak.txt"])


# ---------------------------------------------------------------------- commits


def test_a_leak_that_the_next_commit_deletes_is_found(git, verdict_on):
    start = git.commit("a.txt", CLEAN)
    bad = git.commit("leak.txt", LEAK)
    git("rm", "-q", "leak.txt")
    git.commit()
    [finding] = verdict_on(ranged(git, f"{start}..HEAD")).findings
    assert (finding.payload.paths, finding.payload.commit) == (("leak.txt",), bad)


def test_a_merge_brings_what_none_of_its_parents_has(git, verdict_on):
    start = git.commit("a.txt", CLEAN)
    git("checkout", "-q", "-b", "side")
    git.commit("b.txt", CLEAN + "b")
    git("checkout", "-q", "main")
    git.commit("c.txt", CLEAN + "c")
    git("merge", "-q", "--no-commit", "--no-ff", "side")
    git.write("a.txt", LEAK)
    merge = git.commit()
    verdict = verdict_on(ranged(git, f"{start}..HEAD"))
    assert [(one.payload.paths, one.payload.commit) for one in verdict.findings] == [(("a.txt",), merge)]
    assert (verdict.counts.n_files, verdict.counts.n_messages) == (3, 3)


def test_a_commit_message_leaves_too(git, verdict_on):
    start = git.commit()
    commit = git.commit(message="Subject\n\n" + LEAK)
    [finding] = verdict_on(ranged(git, f"{start}..HEAD")).findings
    assert finding.payload.name == f"the message of commit {commit[:12]}"
    assert finding.payload.paths == ()


def test_a_replacement_object_hides_nothing(git, verdict_on):
    start = git.commit("a.txt", CLEAN)
    git.commit("a.txt", LEAK)
    bad = git("rev-parse", "HEAD:a.txt")
    git("replace", bad, git("rev-parse", f"{start}:a.txt"))
    assert paths(verdict_on(ranged(git, f"{start}..HEAD"))) == ["a.txt"]


def test_an_unknown_revision_is_an_error_that_names_it(git):
    git.commit()
    done = guard("--range", "nowhere..HEAD", "-c", "x", cwd=git.folder)
    assert done.returncode == 3
    assert "nowhere" in done.stderr


@pytest.mark.parametrize("revisions", ["--all", "", "-n1"])
def test_a_range_is_never_taken_for_an_option(git, revisions):
    git.commit()
    assert guard("--range", revisions, "-c", "x", cwd=git.folder).returncode == 2


# ---------------------------------------------------------------------- pushes


@pytest.fixture
def cloned(git, tmp_path):
    """A clone of a repository with one commit."""
    git.commit("a.txt", CLEAN)
    clone = Git(tmp_path / "clone")
    clone("remote", "add", "origin", git.folder)
    clone("fetch", "-q", "origin")
    clone("checkout", "-q", "-B", "main", "origin/main")
    return clone


def test_a_push_brings_what_its_remote_has_not(cloned, verdict_on):
    known = cloned("rev-parse", "HEAD")
    cloned.commit("leak.txt", LEAK)
    cloned("rm", "-q", "leak.txt")
    tip = cloned.commit()
    verdict = verdict_on(pushed(cloned, f"refs/heads/main {tip} refs/heads/main {known}"))
    assert paths(verdict) == ["leak.txt"]
    assert (verdict.counts.n_files, verdict.counts.n_messages) == (1, 2)


def test_a_new_branch_is_checked_from_what_the_server_has(cloned, verdict_on):
    server_has = Repository(cloned.folder).tips_of("origin")
    tip = cloned.commit("leak.txt", LEAK)
    line = f"refs/heads/new {tip} refs/heads/new {ZERO}"
    assert verdict_on(pushed(cloned, line, [*server_has, "1" * 40])).counts.n_files == 1
    elsewhere = verdict_on(pushed(cloned, line))
    assert (elsewhere.counts.n_files, paths(elsewhere)) == (2, ["leak.txt"])


def test_the_deletion_of_a_branch_brings_nothing(cloned, verdict_on):
    line = f"(delete) {ZERO} refs/heads/main {cloned('rev-parse', 'HEAD')}"
    assert verdict_on(pushed(cloned, line)).counts.n_files == 0


def test_a_rewritten_branch_is_checked_from_what_the_remote_has(cloned, verdict_on):
    before = cloned.commit("b.txt", CLEAN + "b")
    cloned.write("leak.txt", LEAK)
    cloned("add", "-A")
    cloned("commit", "-q", "--amend", "-m", "other")
    line = f"refs/heads/main {cloned('rev-parse', 'HEAD')} refs/heads/main {before}"
    assert paths(verdict_on(pushed(cloned, line))) == ["leak.txt"]


def test_tags_of_commits_blobs_and_trees_are_opened(cloned, verdict_on):
    blob = cloned("hash-object", "-w", "--stdin", input=LEAK)
    tree = cloned("mktree", input=f"100644 blob {blob}\tinside.txt\n")
    cloned("tag", "-a", "-m", "t", "of-blob", blob)
    cloned("tag", "-a", "-m", "t", "of-tree", tree)
    cloned("tag", "-a", "-m", LEAK, "said")
    for name, expected in (("of-blob", [blob]), ("of-tree", ["inside.txt"]), ("said", [])):
        verdict = verdict_on(pushed(cloned, f"refs/tags/x {cloned('rev-parse', name)} refs/tags/x {ZERO}"))
        assert verdict.action == "block"
        assert paths(verdict) == expected


def test_a_push_from_a_shallow_clone_is_checked(git, tmp_path, verdict_on):
    for number in range(3):
        git.commit(f"{number}.txt", CLEAN + str(number))
    clone = Git(tmp_path / "shallow")
    clone("fetch", "-q", "--depth=1", f"file://{git.folder}", "main:refs/remotes/origin/main")
    clone("checkout", "-q", "-B", "main", "origin/main")
    tip = clone.commit("leak.txt", LEAK)
    verdict = verdict_on(pushed(clone, f"refs/heads/main {tip} refs/heads/main {clone('rev-parse', 'origin/main')}"))
    assert (paths(verdict), verdict.counts.n_files) == (["leak.txt"], 1)


def test_an_unknown_revision_is_told_and_a_shallow_clone_is_named_only_where_it_is_one(git, tmp_path):
    for number in range(3):
        git.commit(f"{number}.txt", CLEAN + str(number))
    with pytest.raises(IncompleteError, match="missing") as whole:
        Repository(git.folder).commits(["missing..HEAD"], [])
    assert "shallow" not in str(whole.value)
    clone = Git(tmp_path / "shallow")
    clone("fetch", "-q", "--depth=1", f"file://{git.folder}", "main:refs/remotes/origin/main")
    with pytest.raises(IncompleteError, match=r"this clone is shallow: fetch the history first \(fetch-depth: 0\)"):
        Repository(clone.folder).commits([f"{git('rev-parse', 'HEAD~2')}..origin/main"], [])


@pytest.mark.parametrize("line", ["one two", "a b c d e"])
def test_a_line_that_git_never_writes_is_incomplete(cloned, verdict_on, line):
    assert verdict_on(pushed(cloned, line)).exit_code == 3


# ---------------------------------------------------------------------- what is no ordinary file


def test_repositories_with_sha256_are_read(tmp_path, verdict_on):
    git = Git(tmp_path / "sha256", "--object-format=sha256")
    tip = git.commit("leak.txt", LEAK)
    assert len(tip) == 64
    assert paths(verdict_on(pushed(git, f"refs/heads/main {tip} refs/heads/main {'0' * 64}"))) == ["leak.txt"]
    assert verdict_on(pushed(git, f"(delete) {'0' * 64} refs/heads/main {tip}")).counts.n_files == 0


def test_a_submodule_is_counted_and_not_entered(git, tmp_path, verdict_on):
    inner = Git(tmp_path / "inner")
    inner.commit("leak.txt", LEAK)
    git("-c", "protocol.file.allow=always", "submodule", "add", "-q", inner.folder, "sub")
    verdict = verdict_on(staged(git))
    assert (verdict.counts.n_submodules, verdict.action) == (1, "clean")


def test_the_target_of_a_symbolic_link_is_not_followed(git, verdict_on):
    (git.folder / "outside.txt").write_text(LEAK)
    (git.folder / "link.txt").symlink_to("outside.txt")
    git("add", "link.txt")
    verdict = verdict_on(staged(git))
    assert (verdict.counts.n_bytes, verdict.action) == (len("outside.txt"), "clean")


def test_a_picture_is_counted_as_no_text(git, verdict_on):
    git.write("a.png", b"\x89PNG\r\n\x1a\n" + bytes(100))
    git("add", "-A")
    verdict = verdict_on(staged(git))
    assert (verdict.action, verdict.not_text, verdict.counts.n_files) == ("clean", ("a.png",), 1)
    assert verdict_on(staged(git), Policy(on_not_text="warn")).action == "warn"
    assert verdict_on(staged(git), Policy(on_not_text="block")).exit_code == 3


def test_an_archive_that_cannot_be_read_is_incomplete(git, verdict_on):
    git.write("a.7z", b"7z\xbc\xaf\x27\x1c" + bytes(100))
    git("add", "-A")
    verdict = verdict_on(staged(git))
    assert (verdict.action, verdict.exit_code, verdict.incomplete[0].name) == ("block", 3, "a.7z")
    assert verdict_on(staged(git), Policy(on_incomplete="warn")).exit_code == 0


def test_a_blob_over_the_limit_is_incomplete_and_never_read(git, verdict_on):
    git.write("large.txt", LEAK)
    git.write("small.txt", "few words")
    git("add", "-A")
    verdict = verdict_on(staged(git, Policy(max_bytes=100)), Policy(max_bytes=100))
    assert [one.name for one in verdict.incomplete] == ["large.txt"]
    assert (verdict.counts.n_files, verdict.counts.n_bytes) == (1, len("few words"))


def test_an_object_that_is_gone_is_incomplete(git, verdict_on):
    git.write("a.txt", CLEAN)
    git("add", "-A")
    blob = git("rev-parse", ":a.txt")
    shutil.rmtree(git.folder / ".git" / "objects" / blob[:2])
    verdict = verdict_on(staged(git))
    assert [(one.name, one.reason) for one in verdict.incomplete] == [("a.txt", "missing")]


def test_a_pointer_of_git_lfs_is_followed_to_its_object(git, verdict_on):
    import hashlib

    sha256 = hashlib.sha256(LEAK.encode()).hexdigest()
    git.write("big.txt", f"version https://git-lfs.github.com/spec/v1\noid sha256:{sha256}\nsize {len(LEAK)}\n")
    git("add", "-A")
    missing = verdict_on(staged(git))
    assert missing.exit_code == 3
    assert "git lfs fetch" in missing.incomplete[0].reason
    stored = git.folder / ".git" / "lfs" / "objects" / sha256[:2] / sha256[2:4] / sha256
    stored.parent.mkdir(parents=True)
    stored.write_text(LEAK)
    assert paths(verdict_on(staged(git))) == ["big.txt"]


def test_excluded_paths_are_counted_and_other_paths_of_the_same_contents_are_checked(git, verdict_on):
    git.write("vendor/a.txt", SECRET)
    git("add", "-A")
    policy = Policy(exclude=("vendor",))
    assert verdict_on(staged(git, policy), policy).counts.n_excluded == 1
    git.write("src/a.txt", SECRET)
    git("add", "-A")
    verdict = verdict_on(staged(git, policy), policy)
    assert (paths(verdict), verdict.counts.n_excluded) == (["src/a.txt"], 1)
