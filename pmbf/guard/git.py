"""The only module that runs git: which blobs a commit, a push or a received pack brings, and their contents.

One `git cat-file --batch` reads all contents. Replacement objects and grafts are not followed: the objects looked at
are the objects that git sends. If git does not answer for each object, then the check is incomplete.
"""

from __future__ import annotations

import itertools
import os
import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TYPE_CHECKING

from pmbf.base.errors import IncompleteError, NotFoundError, ParameterError, UnsupportedError

if TYPE_CHECKING:
    import subprocess

SUBMODULE, TREE = "160000", "040000"
_ENVIRONMENT = {
    "GIT_NO_REPLACE_OBJECTS": "1",
    "GIT_GRAFT_FILE": f"{os.devnull}/none",
    "GIT_OPTIONAL_LOCKS": "0",
    "LC_ALL": "C",
}
_HERE_ONLY = {"GIT_NO_LAZY_FETCH": "1"}
_FETCH_S = 600
"""Seconds that git may take for a list, if it may fetch objects for it."""


@dataclass(frozen=True, slots=True)
class TreeEntry:
    """A path of a tree or the index and the object there."""

    mode: str
    """`100644`, `120000` for a link, `160000` for a submodule, `040000` for a folder."""
    blob: str
    path: str
    """From the repository's top."""
    commit: str = ""
    """The one that brings the entry."""


@dataclass(frozen=True, slots=True)
class Object:
    """An object as `cat-file` describes it; `content` is None if the object is missing or only its header was read."""

    name: str
    kind: str
    size: int
    content: bytes | None = None


class Repository:
    """The repository around a folder, or the repository that git's own variables name.

    Args:
        folder: The one that git runs in.
        fetches: Whether git may fetch objects that a partial clone lacks, from the remote that promised them.
    """

    def __init__(self, folder: str | os.PathLike[str] = ".", *, fetches: bool = False) -> None:
        self._folder = os.fspath(folder)
        self._fetches = fetches
        told = self._run("rev-parse", "--is-inside-work-tree", "--is-bare-repository", "--git-common-dir")
        inside, bare, common = told.decode("utf-8", "surrogateescape").splitlines()
        self.is_bare = bare == "true"
        self.common_folder = Path(self._folder, common)
        self.top: Path | None = None
        if inside == "true":
            self.top = Path(os.fsdecode(self._run("rev-parse", "--show-toplevel").removesuffix(b"\n")))
            self._folder = str(self.top)

    # ------------------------------------------------------------------ what changed

    def staged(self) -> list[TreeEntry]:
        """Return the entries of the index that HEAD does not have, without deleted paths; without HEAD all."""
        if self.resolve("HEAD^{commit}"):
            return _entries(self._run("diff-index", "--cached", "--ita-invisible-in-index", *_RAW, "HEAD"))
        listed = self._run("ls-files", "--stage", "-z").split(b"\0")
        fields = (line.partition(b"\t") for line in listed if line)
        return [_entry(head.split()[0], head.split()[1], path) for head, _, path in fields if head[-2:] == b" 0"]

    def unmerged(self) -> list[str]:
        """Return the paths of the index with an unresolved merge."""
        listed = self._run("ls-files", "--unmerged", "-z").split(b"\0")
        return list(dict.fromkeys(os.fsdecode(line.partition(b"\t")[2]) for line in listed if line))

    def commits(self, wanted: Sequence[str], without: Sequence[str]) -> list[str]:
        """Return commits that can be reached from some revisions or ranges, oldest first.

        Args:
            without: Options of `git rev-list` that name known commits, such as `--all`.
        """
        asked = "".join(f"{one}\n" for one in wanted).encode("utf-8", "surrogateescape")
        options = ["--not", *without] if without else []
        try:
            return self._run("rev-list", "--reverse", "--stdin", *options, given=asked).decode().split()
        except IncompleteError as error:
            is_shallow = self._run("rev-parse", "--is-shallow-repository").strip() == b"true"
            hint = "; this clone is shallow: fetch the history first (fetch-depth: 0)" if is_shallow else ""
            raise IncompleteError(f"{error}{hint}") from None

    def introduced(self, commits: Sequence[str]) -> list[TreeEntry]:
        """Return every path, folders too, that a commit sets to an object that none of its parents has there.

        A path that a merge takes over from a parent came with that parent; a path that the merge itself sets is listed.
        So each blob that the commits bring is found, also if a later commit deletes it.
        """
        if not commits:
            return []
        given = "".join(f"{one}\n" for one in commits).encode()
        return _entries(self._run("diff-tree", "--stdin", "-r", "-t", "-c", "--root", *_RAW, given=given))

    def in_tree(self, tree: str) -> list[TreeEntry]:
        """Return everything below a tree."""
        fields = (line.partition(b"\t") for line in self._run("ls-tree", "-r", "-t", "-z", tree).split(b"\0") if line)
        return [_entry(head.split()[0], head.split()[2], path) for head, _, path in fields]

    # ------------------------------------------------------------------ objects

    def resolve(self, revision: str) -> str:
        """Return the name of the object that a revision names, or an empty text."""
        done = self._finished("rev-parse", "--verify", "--quiet", "--end-of-options", revision)
        return done.stdout.decode().strip() if done.returncode == 0 else ""

    def headers(self, names: Sequence[str], *, fetches: bool = True) -> list[Object]:
        """Return the kind and the size of objects, in order; the kind of an absent object is `missing`.

        Args:
            fetches: Whether objects that a partial clone lacks are fetched, if the repository may fetch at all.
        """
        asked = "".join(f"{name}\n" for name in names).encode()
        told = self._run("cat-file", "--batch-check", "--buffer", given=asked, fetches=fetches).splitlines()
        answered = itertools.zip_longest(names, told, fillvalue=b"")
        return [_answer(line, str(name)) for name, line in answered]

    def objects(self, names: Sequence[str]) -> Iterator[Object]:
        """Yield objects with their contents, in order; nothing is fetched."""
        with self._contents(names) as answers:
            for name in names:
                found = _answer(answers.readline(), name)
                if found.kind == "missing":
                    yield found
                    continue
                yield Object(found.name, found.kind, found.size, _content(answers, found))

    # ------------------------------------------------------------------ the server

    def push_address(self, remote: str) -> str:
        """Return the address that pushes to a remote go to; a text that names no remote is an address itself."""
        done = self._finished("remote", "get-url", "--push", "--", remote)
        return os.fsdecode(done.stdout.removesuffix(b"\n")) if done.returncode == 0 else remote

    def tips_of(self, address: str) -> list[str]:
        """Return the names of the objects that the branches and tags of a server point to; the server is asked."""
        told = self._run("ls-remote", "--heads", "--tags", "--", address).decode("utf-8", "replace")
        return [line.split()[0] for line in told.splitlines()]

    def hooks_folder(self) -> Path:
        """Return the folder of this repository's hooks; `core.hooksPath` counts."""
        return Path(self._folder, os.fsdecode(self._run("rev-parse", "--git-path", "hooks").removesuffix(b"\n")))

    def _run(self, *arguments: str, given: bytes = b"", fetches: bool = True) -> bytes:
        done = self._finished(*arguments, given=given, fetches=fetches)
        if done.returncode == 0:
            return done.stdout
        said = " ".join(done.stderr.decode("utf-8", "replace").split()) or f"exit {done.returncode}"
        said = said.removeprefix("fatal: ")
        if "not a git repository" in said:
            raise NotFoundError(f"{self._folder}: {said}; run this inside one, or name files instead")
        if "promisor" in said or "lazy fetching" in said:
            said += "; a partial clone lacks what is to be checked: make a whole one (without --filter)"
        raise IncompleteError(f"git {arguments[0]}: {said}")

    def _environment(self, *, fetches: bool) -> dict[str, str]:
        return os.environ | _ENVIRONMENT | ({} if fetches and self._fetches else _HERE_ONLY)

    def _finished(
        self, *arguments: str, given: bytes = b"", fetches: bool = True
    ) -> subprocess.CompletedProcess[bytes]:
        import subprocess  # imported late: a check of files does not wait for it

        try:
            return subprocess.run(
                ["git", *arguments],
                cwd=self._folder,
                env=self._environment(fetches=fetches),
                input=given,
                capture_output=True,
                check=False,
                timeout=_FETCH_S if fetches and self._fetches else None,
            )
        except subprocess.TimeoutExpired:
            raise IncompleteError(f"git {arguments[0]}: gave no answer in {_FETCH_S} seconds") from None
        except FileNotFoundError:
            raise UnsupportedError("git is not installed, or not on PATH; name files instead") from None

    @contextmanager
    def _contents(self, names: Sequence[str]) -> Iterator[IO[bytes]]:
        import subprocess
        import threading

        with subprocess.Popen(
            ["git", "cat-file", "--batch", "--buffer"],
            cwd=self._folder,
            env=self._environment(fetches=False),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        ) as process:
            assert process.stdin
            assert process.stdout
            asking = threading.Thread(target=_ask, args=(process.stdin, names), daemon=True)
            asking.start()
            try:
                yield process.stdout
            finally:
                process.kill()
                asking.join()


_RAW = ("--raw", "-z", "--no-renames", "--no-abbrev")


def is_zero(name: str) -> bool:
    """Return whether an object's name means no object: 40 zeros, or 64."""
    return not name.strip("0")


def require_revision(text: str) -> str:
    """Return a revision or a range of which no side is empty, and that git does not take for an option."""
    if text and not all(re.split(r"\.{2,3}", text)):
        raise ParameterError(
            f"--range is {text!r}, expected revisions on both sides: what is there already, and what comes, as in "
            "origin/main..HEAD; a variable of CI that is only set for merge requests may be empty"
        )
    if not text or text.startswith("-") or any(char in text for char in "\n\0"):
        raise ParameterError(f"--range is {text!r}, expected revisions such as main..HEAD")
    return text


def _ask(stdin: IO[bytes], names: Iterable[str]) -> None:
    try:
        with stdin:
            stdin.write("".join(f"{name}\n" for name in names).encode())
    except OSError:  # the process has ended; the reader of its answers notices
        return


def _content(answers: IO[bytes], found: Object) -> bytes:
    content = answers.read(found.size)
    if len(content) < found.size or answers.read(1) != b"\n":
        raise IncompleteError(f"git cat-file ended inside {found.name}; run `git fsck`")
    return content


def _answer(line: bytes, name: str) -> Object:
    """Return the object that a line of `cat-file` describes; IncompleteError if it does not describe this object."""
    match line.decode("utf-8", "replace").split():
        case [told, kind, size] if told == name and size.isdecimal():
            return Object(name, kind, int(size))
        case [told, "missing"] if told == name:
            return Object(name, "missing", 0)
    raise IncompleteError(f"git cat-file tells nothing of {name}; run `git fsck`")


def _entry(mode: bytes, blob: bytes, path: bytes, commit: str = "") -> TreeEntry:
    return TreeEntry(mode.decode(), blob.decode(), os.fsdecode(path), commit)


def _entries(raw: bytes) -> list[TreeEntry]:
    """Return the entries in the output of `--raw -z`; a line of a merge has a colon for each parent."""
    try:
        return _understood(raw)
    except (IndexError, StopIteration, UnicodeDecodeError):
        raise IncompleteError("git lists changes in a form that is not understood; run `git fsck`") from None


def _understood(raw: bytes) -> list[TreeEntry]:
    found, commit = [], ""
    fields = iter(raw.split(b"\0"))
    for field in fields:
        if not field.startswith(b":"):
            commit = field.decode() or commit
            continue
        n_parents = len(field) - len(field.lstrip(b":"))
        parts, path = field[n_parents:].split(b" "), next(fields)
        mode, blob = parts[n_parents], parts[2 * n_parents + 1]
        if not is_zero(blob.decode()) and mode != b"000000":
            found.append(_entry(mode, blob, path, commit))
    return found
