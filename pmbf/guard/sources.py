"""What a check looks at: files, standard input, the index, or the commits of a range, a push or a received pack.

    paths, stdin, index, commits ─► Plan: what is looked at, what is left out and counted ─► Payload, one by one

A plan knows what is left out before any content is read; contents are read one by one, when they are needed.
"""

from __future__ import annotations

import itertools
import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from pmbf.base.contents import MAX_BYTES_HINT, is_stream, read_bounded, read_stream, reason_of
from pmbf.base.errors import IncompleteError, NotFoundError, PmbfError
from pmbf.guard.git import SUBMODULE, TREE, Object, Repository, TreeEntry, is_zero
from pmbf.guard.policy import Policy
from pmbf.guard.types import NotChecked, Payload, Where
from pmbf.intake.discovery import Problem, discover

STDIN = "-"


@dataclass(frozen=True, slots=True)
class Plan:
    """The payloads of one check."""

    channel: str
    """Their way: `path`, `stdin`, `staged`, `commit-msg`, `range`, `pre-push`, `pre-receive` or `service`."""
    payloads: Iterator[Payload]
    n_payloads: int
    n_excluded: int = 0
    """Paths that the policy leaves out."""
    n_submodules: int = 0
    """Their contents belong to other repositories."""
    unread: tuple[NotChecked, ...] = ()
    """Payloads that are known to be unreadable before the check."""
    is_named: bool = False
    """Whether the user named files or stdin, so that a check of no file is an error."""


# ---------------------------------------------------------------------- files


def of_paths(words: Sequence[str], policy: Policy, base: Path, stdin_name: str = "stdin") -> Plan:
    """Return the plan for the words of a command line: files, folders with all files in them, `-` for standard input.

    Args:
        base: The folder that the policy's globs start from.
        stdin_name: Its ending tells the format.
    """
    kept: list[tuple[str, str]] = []
    unread: list[NotChecked] = []
    n_excluded = 0
    for path, shown in _files(words):
        if isinstance(path, Problem):
            is_left_out = policy.excludes(_from_base(path.path, base))
            unread += [] if is_left_out else [NotChecked(path.path, path.reason)]
            n_excluded += is_left_out
        elif path == STDIN:
            kept.append((path, stdin_name))
        elif policy.selects(_from_base(path, base)):
            kept.append((path, shown))
        else:
            n_excluded += 1
    channel = "stdin" if list(words) == [STDIN] else "path"
    payloads = itertools.chain.from_iterable(
        _with_pointed(_file(path, shown, policy), None, policy) for path, shown in kept
    )
    return Plan(channel, payloads, len(kept), n_excluded, unread=tuple(unread), is_named=True)


def of_content(name: str, content: bytes, channel: str, policy: Policy) -> Plan:
    """Return the plan for given bytes, which are checked as standard input is; their name's ending tells the format."""
    payloads = _with_pointed(Payload(name, (name,), content, "stdin"), None, policy)
    return Plan(channel, payloads, 1, is_named=True)


def _files(words: Iterable[str]) -> Iterator[tuple[str | Problem, str]]:
    """Yield each file with its name in messages, or the problem of a folder that is not entered."""
    for word in words:
        if word == STDIN or not os.path.isdir(word):
            yield word, word
            continue
        start = os.path.abspath(word)
        for found in discover([word], complete=True):
            if isinstance(found, Problem):
                yield found, ""
            else:
                yield found.path, os.path.normpath(os.path.join(word, os.path.relpath(found.path, start)))


def _from_base(path: str, base: Path) -> str:
    absolute = os.path.abspath(path)
    inside = os.path.relpath(absolute, base)
    return absolute if inside.split(os.sep, 1)[0] == os.pardir else inside


def _file(path: str, shown: str, policy: Policy) -> Payload:
    where: Where = "stdin" if path == STDIN else "path"
    try:
        content = read_stream(path, policy.max_bytes, wait_s=policy.timeout_s)
    except (PmbfError, OSError) as error:
        return Payload(shown, (shown,), None, where, problem=reason_of(error))
    if not content and is_stream(path):
        return Payload(shown, (shown,), None, where, problem="0 bytes came")
    return Payload(shown, (shown,), content, where)


# ---------------------------------------------------------------------- git


def of_index(repository: Repository, policy: Policy) -> Plan:
    """Return the plan for the next commit: the index against HEAD, never the work tree."""
    open_paths = [NotChecked(path, "not merged") for path in repository.unmerged()]
    return _plan(repository, _Brought(repository.staged()), policy, "staged", open_paths)


def of_message(file: str, policy: Policy) -> Plan:
    """Return the plan for the message of a commit that git is about to make.

    The text below git's scissors line is no part of the message: `git commit -v` shows the changes there. Comments are
    checked, since git may keep them.
    """
    message = _ADDED_BY_GIT.sub(b"", read_bounded(file, policy.max_bytes, hint=MAX_BYTES_HINT))
    return Plan("commit-msg", iter([Payload("the message of the commit", (), message, "commit")]), 1)


_ADDED_BY_GIT = re.compile(
    rb"^(?P<mark>\S{1,8}) -{24} >8 -{24}\n(?:(?P=mark)(?: [^\n]*)?\n){2,8}(?=diff |\Z).*\Z",
    re.MULTILINE | re.DOTALL,
)
"""The text that git adds to a message when it shows the changes in the editor: scissors, comments in any language."""


def of_range(repository: Repository, revisions: str, policy: Policy) -> Plan:
    """Return the plan for every blob, commit message and path that the commits of a range bring."""
    commits = repository.commits([revisions], [])
    return _plan(repository, _Brought(repository.introduced(commits), commits), policy, "range")


def of_push(repository: Repository, lines: Iterable[bytes], server_has: Sequence[str], policy: Policy) -> Plan:
    """Return the plan for the objects that git is about to push, from the lines of a pre-push hook.

    Args:
        lines: `<local ref> <local object> <remote ref> <remote object>`; a deletion has zeros for the local object.
        server_has: Names of objects that the server has; some may be unknown here. These objects and their ancestors
            have left already. The remote branches known here do not count: the remote's address may have changed.
    """
    fields = [line.decode("utf-8", "surrogateescape").split() for line in lines if line.strip()]
    pushed = [(one[2], one[1]) for one in fields if len(one) == 4 and not is_zero(one[1])]
    there = [one[3] for one in fields if len(one) == 4 and not is_zero(one[3])]
    malformed = [NotChecked(" ".join(one), "not a line of a pre-push hook") for one in fields if len(one) != 4]
    brought = _brought(repository, pushed, [*there, *server_has], [])
    return _plan(repository, brought, policy, "pre-push", malformed)


def of_received(repository: Repository, lines: Iterable[bytes], policy: Policy) -> Plan:
    """Return the plan for objects that were received and not yet accepted, from the lines of a pre-receive hook.

    Args:
        repository: The receiving one; git keeps new objects in quarantine, and its variables name the place.
        lines: `<old object> <new object> <ref>`; a deletion has zeros for the new object.
    """
    fields = [line.decode("utf-8", "surrogateescape").rstrip("\n").split(" ", 2) for line in lines if line.strip()]
    pushed = [(one[2], one[1]) for one in fields if len(one) == 3 and not is_zero(one[1])]
    malformed = [NotChecked(" ".join(one), "not a line of a pre-receive hook") for one in fields if len(one) != 3]
    return _plan(repository, _brought(repository, pushed, [], ["--all"]), policy, "pre-receive", malformed)


@dataclass(frozen=True, slots=True)
class _Brought:
    """What commits bring: the entries that they set, and the names of commits and tags whose messages leave too."""

    entries: Sequence[TreeEntry]
    messages: Sequence[str] = ()


def _brought(
    repository: Repository, pushed: Sequence[tuple[str, str]], there: Sequence[str], without: Sequence[str]
) -> _Brought:
    """Return what pushed objects bring: commits, or tags of commits, trees and blobs.

    Args:
        pushed: Each ref with the name of the object that is pushed to it.
        there: Names of objects that the server has; some may be unknown here.
        without: Options of `git rev-list` that name further known commits.
    """
    met = repository.headers(list(dict.fromkeys(there)), fetches=False)
    known = [f"^{one.name}" for one in met if one.kind in ("commit", "tag")]
    entries, tips, tags = [TreeEntry(TREE, "", ref) for ref, _ in pushed], [], []
    for one in _peeled(repository, [name for _, name in pushed]):
        if one.kind == "commit":
            tips.append(one.name)
        elif one.kind == "tag":
            tags.append(one.name)
        elif one.kind == "tree":
            entries += repository.in_tree(one.name)
        else:  # a blob, or a missing object, which shows when it is read
            entries.append(TreeEntry("100644", one.name, one.name))
    commits = repository.commits([*tips, *known], without) if tips else []
    return _Brought([*entries, *repository.introduced(commits)], [*commits, *tags])


def _peeled(repository: Repository, names: Sequence[str]) -> Iterator[Object]:
    """Yield objects, and after tags the objects that they point to."""
    waiting = list(dict.fromkeys(names))
    while waiting:
        found = repository.headers(waiting)
        yield from found
        tags = [one.name for one in found if one.kind == "tag"]
        contents = [one.content or b"" for one in repository.objects(tags)] if tags else []
        waiting = [content.split(b"\n", 1)[0].removeprefix(b"object ").decode() for content in contents]


def _plan(
    repository: Repository, brought: _Brought, policy: Policy, channel: str, unread: Sequence[NotChecked] = ()
) -> Plan:
    """Return the plan for what git brings: each distinct blob once with all its paths, messages, and all names."""
    where: Where = "index" if channel == "staged" else "commit"
    kept: dict[str, list[TreeEntry]] = {}
    excluded, submodules, names = set(), set(), dict[str, None]()
    for entry in brought.entries:
        selected = policy.selects(entry.path)
        if entry.mode == SUBMODULE:
            submodules.add(entry.path)
        elif entry.mode != TREE and selected:
            kept.setdefault(entry.blob, []).append(entry)
        elif entry.mode != TREE:
            excluded.add((entry.path, entry.blob))
        if selected:
            names[entry.path] = None
    payloads = itertools.chain(
        _blobs(repository, kept, policy, where), _messages(repository, brought.messages, where), _names(names)
    )
    n_payloads = len(kept) + len(brought.messages) + bool(names)
    return Plan(channel, payloads, n_payloads, len(excluded), len(submodules), tuple(unread))


def _blobs(
    repository: Repository, kept: Mapping[str, Sequence[TreeEntry]], policy: Policy, where: Where
) -> Iterator[Payload]:
    """Yield the payload of each blob; missing and too large blobs are not read."""
    if not kept:
        return
    readable = []
    for header in repository.headers(list(kept)):
        if header.kind != "blob" or header.size > policy.max_bytes:
            what = f"larger than {policy.max_bytes} bytes (max_bytes)" if header.kind == "blob" else header.kind
            yield _payload(kept[header.name], None, where, what)
        else:
            readable.append(header.name)

    def payloads(found: Object) -> Iterator[Payload]:
        payload = _payload(kept[found.name], found.content, where, "" if found.content is not None else found.kind)
        return _with_pointed(payload, repository.common_folder, policy)

    yield from itertools.chain.from_iterable(map(payloads, repository.objects(readable)))


def _payload(entries: Sequence[TreeEntry], content: bytes | None, where: Where, problem: str) -> Payload:
    first = entries[0]
    paths = tuple(dict.fromkeys(entry.path for entry in entries))
    return Payload(first.path, paths, content, where, first.blob, first.commit, problem)


def _messages(repository: Repository, names: Sequence[str], where: Where) -> Iterator[Payload]:
    """Yield the text of each commit and annotated tag: its message, then its headers but for names of objects."""
    for found in repository.objects(names) if names else ():
        head, _, message = (found.content or b"").partition(b"\n\n")
        said = message + b"\n\n" + _OTHER_OBJECTS.sub(b"", head + b"\n")
        name = f"the message of {found.kind} {found.name[:12]}"
        problem = "" if found.content is not None else found.kind
        yield Payload(name, (), None if problem else said, where, commit=found.name, problem=problem)


_OTHER_OBJECTS = re.compile(rb"^(?:tree|parent|object) [0-9a-f]{40,64}\n", re.MULTILINE)


def _names(names: Iterable[str]) -> Iterator[Payload]:
    """Yield one payload with the names of paths, branches and tags, which leave too, a line each."""
    content = "\n".join(map(_readable, names)).encode()
    if content:
        yield Payload("the names of paths, branches and tags", (), content, "names")


def _readable(name: str) -> str:
    raw = os.fsencode(name)
    try:
        return raw.decode()
    except UnicodeDecodeError:
        return raw.decode("latin-1")


# ---------------------------------------------------------------------- Git LFS

_POINTER = re.compile(
    rb"version https://(?:git-lfs\.github\.com|hawser\.github\.com)/spec/v1\n"
    rb"(?:[a-z0-9.-]+ [^\n]*\n)*?oid sha256:([0-9a-f]{64})\n(?:[a-z0-9.-]+ [^\n]*\n)*?size (\d+)\n"
)
MOST_POINTER_BYTES = 1024
"""git-lfs, docs/spec.md: a pointer is UTF-8 text under 1,024 bytes whose first line is its version."""


def pointed_to(content: bytes) -> str | None:
    """Return the SHA-256 that a pointer of Git LFS names; None if the content is no pointer."""
    found = _POINTER.fullmatch(content) if len(content) < MOST_POINTER_BYTES else None
    return found[1].decode() if found else None


def _with_pointed(payload: Payload, git_folder: Path | None, policy: Policy) -> Iterator[Payload]:
    """Yield a payload, for a pointer may hold text, too; after it its object, which leaves with it, or why not."""
    sha256, bare = pointed_to(payload.content or b""), payload.bare()
    given = [payload]
    del payload  # while it is compared, its content is not held here
    yield given.pop()
    if sha256 is None:
        return
    try:
        yield replace(bare, content=_stored(git_folder, sha256, policy.max_bytes))
    except IncompleteError as error:
        yield replace(bare, problem=str(error))


def _stored(git_folder: Path | None, sha256: str, max_bytes: int) -> bytes:
    """Return the object that a pointer names; IncompleteError if it cannot be read."""
    pointer = "a Git LFS pointer"
    if git_folder is None:
        raise IncompleteError(
            f"{pointer}, and no repository to find its object in; run `git lfs pull` and check the file"
        )
    path = git_folder / "lfs" / "objects" / sha256[:2] / sha256[2:4] / sha256
    try:
        return read_bounded(path, max_bytes, hint=MAX_BYTES_HINT)
    except NotFoundError:
        reason = f"not here ({sha256[:12]}…)"
    except (PmbfError, OSError) as error:
        reason = str(error)
    raise IncompleteError(f"{pointer} whose object is {reason}; run `git lfs fetch`")
