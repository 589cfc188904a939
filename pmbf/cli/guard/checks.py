"""One leak check of a command line: its target, its policy, its verdict, and how a blocked passage is allowed."""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pmbf.base.contents import read_stream
from pmbf.base.errors import ParameterError, PmbfError
from pmbf.cli.guard.options import BY_FIELD, OF_ADDING, sorted_out
from pmbf.cli.outcome import note, reason
from pmbf.guard.config import Chosen, is_locked, policy_for, project_folder
from pmbf.guard.policy import KEYS, TOLD_INLINE, Policy, is_address

if TYPE_CHECKING:
    from pmbf.guard.git import Repository
    from pmbf.guard.session import Judge, Session
    from pmbf.guard.sources import Plan
    from pmbf.guard.types import Verdict


NOTHING_PROTECTED = "no protected documents are named: add -c FOLDER, set PMBF_COLLECTION, or write a policy"
SHOWS_PROGRESS = 200
"""Payloads from which on a bar is drawn: the check may take longer than a user waits without a sign."""
MOST_COMMITS = 3
"""Commits of a push for which a command is printed."""


@dataclass(frozen=True, slots=True)
class Target:
    """What to check: exactly one kind of payloads, as the options of `pmbf guard check` name it."""

    words: Sequence[str] = ()
    """Files, folders, `-`; after `--pre-push` the remote's name and URL."""
    staged: bool = False
    revisions: str | None = None
    pre_push: bool = False
    pre_receive: bool = False
    commit_msg: bool = False
    name: str | None = None
    """Of standard input."""

    def __post_init__(self) -> None:
        ways = {
            "PATH": bool(self.words) and not self.pre_push and not self.commit_msg,
            "--staged": self.staged,
            "--range": self.revisions is not None,
            "--pre-push": self.pre_push,
            "--pre-receive": self.pre_receive,
            "--commit-msg": self.commit_msg,
        }
        chosen = [name for name, is_given in ways.items() if is_given]
        if len(chosen) != 1:
            what = f"{' and '.join(chosen)} are given" if chosen else "nothing to check is named"
            raise ParameterError(f"{what}, expected one of: {', '.join(ways)}")
        if self.commit_msg and len(self.words) != 1:
            raise ParameterError(f"--commit-msg is given {len(self.words)} files, expected the one that git names")

    @property
    def in_git(self) -> bool:
        """Whether the payloads come from a repository."""
        return not self.words or self.pre_push or self.commit_msg

    @property
    def by_another(self) -> bool:
        """Whether the payloads may come from another user, and so must not configure their own check."""
        return self.pre_receive or self.revisions is not None


@dataclass(frozen=True, slots=True)
class Check:
    """A check with its policy, before anything is read."""

    given: Mapping[str, Any]
    """The values of the command line, by field."""
    target: Target
    policy: Policy
    chosen: Chosen
    folder: Path
    """Where the policy's globs start."""
    repository: Repository | None
    """That of the payloads, if they come from one."""

    @staticmethod
    def of(given: Mapping[str, Any], *, by_owner: bool = False) -> Check:
        """Return the check of a command line.

        Args:
            given: Values by field, as `pmbf.cli.guard.options` has them.
            by_owner: Whether the payloads are the user's own, also if `Target.by_another` says that they may not be.
        """
        parts = sorted_out(given)
        target, chosen = Target(**parts["target"]), Chosen(**parts["chosen"], values=parts["policy"])
        repository = None
        if target.in_git:
            from pmbf.guard.git import Repository

            repository = Repository(fetches=not target.pre_receive)
        folder = repository.top or Path.cwd() if repository else project_folder(Path.cwd())
        policy = policy_for(None if target.by_another and not by_owner else folder, chosen)
        if not policy.protected:
            unheard = "; --range and --pre-receive read a policy of the repository only where --config names it"
            instead = f"; -c FILE names an endpoint filter instead{unheard if target.by_another else ''}"
            raise ParameterError(NOTHING_PROTECTED + instead)
        if bool(policy.endpoint) != bool(policy.key_file):
            named, missing = ("endpoint", "key_file") if policy.endpoint else ("key_file", "endpoint")
            raise ParameterError(f"{named} is {getattr(policy, named)!r}, but there is no {missing}; name both")
        return Check(given, target, policy, chosen, folder, repository)

    @property
    def to_others(self) -> bool:
        """Whether others than the user who checks on this machine may read the verdict."""
        return self.target.by_another or is_read_by_others(os.environ)

    def verdict(self, session: Session, *, by_service: bool = False) -> tuple[Verdict, str]:
        """Return the verdict, and the channel that was checked.

        Args:
            session: Of the policy.
            by_service: Whether the collection's service is asked, if it runs.
        """
        from pmbf.cli.shown.progress import screen_progress

        plan = self._plan()
        judge = _service(self.policy) if by_service else None
        # A hook's terminal is the user's, too: a bar appears for many files only.
        shown = plan.n_payloads >= SHOWS_PROGRESS and sys.stderr.isatty()
        with screen_progress(plan.n_payloads, shown=shown) as advance:
            return session.verdict(plan, judge, advance), plan.channel

    def _plan(self) -> Plan:
        from pmbf.guard import sources

        target = self.target
        if self.repository is None:
            return sources.of_paths(target.words, self.policy, self.folder, target.name or "stdin")
        if target.commit_msg:
            return sources.of_message(target.words[0], self.policy)
        if target.staged:
            return sources.of_index(self.repository, self.policy)
        if target.revisions is not None:
            from pmbf.guard.git import require_revision

            return sources.of_range(self.repository, require_revision(target.revisions), self.policy)
        lines = read_stream("-", self.policy.max_bytes).splitlines()
        if target.pre_receive:
            if not lines:
                raise ParameterError(
                    "--pre-receive found nothing on stdin, where git gives a hook a line for each ref; "
                    "another hook has read them before, see `pmbf guard install`"
                )
            return sources.of_received(self.repository, lines, self.policy)
        lines = lines or _told_by_pre_commit(os.environ, self.repository)
        if not lines:
            note("guard: no lines of git on stdin: nothing is pushed, or another hook has read them before")
        server_has = _server_has(target.words, os.environ, self.repository) if lines else []
        return sources.of_push(self.repository, lines, server_has, self.policy)


def _server_has(words: Sequence[str], environment: Mapping[str, str], repository: Repository) -> list[str]:
    """Return the names of objects that the server of a push has; empty if the server does not answer.

    Args:
        words: The words that git gives a pre-push hook: the remote's name and address, the name alone, or none.
        environment: Variables, in which pre-commit puts these words.
        repository: The local one.
    """
    if words:
        remote, address = words[0], words[1] if len(words) > 1 else ""
    else:
        remote = environment.get("PRE_COMMIT_REMOTE_NAME", "origin")
        address = environment.get("PRE_COMMIT_REMOTE_URL", "")
    try:
        return repository.tips_of(address or repository.push_address(remote))
    except PmbfError as error:
        note(f"guard: the server does not say what it has, all that is pushed is checked ({reason(error)})")
        return []


def _service(policy: Policy) -> Judge | None:
    """Return the collection's service as a judge; None if no service can be asked."""
    from pmbf.serving.service.place import service_socket

    try:
        path = None if policy.endpoint else service_socket(policy.protected)
        if path is None:
            return None
        from pmbf.serving.service.client import Asker

        return Asker(path, _note_service).judged
    except (PmbfError, OSError) as error:
        _note_service(reason(error))
        return None


def _note_service(why: str) -> None:
    note(f"guard: the service does not answer ({why}); checked in this process")


def _told_by_pre_commit(environment: Mapping[str, str], repository: Repository) -> list[bytes]:
    """Return the line of git that pre-commit has read, from the variables that it sets; only the first of several.

    Source:
        pre-commit.com, "pre-push"; if a whole history is pushed, then no variable has the line's new object.
    """
    local = environment.get("PRE_COMMIT_LOCAL_BRANCH")
    if not local:
        return []
    new = repository.resolve(environment.get("PRE_COMMIT_TO_REF", local))
    old = environment.get("PRE_COMMIT_FROM_REF", "0" * 40)
    return [os.fsencode(f"{local} {new} {environment.get('PRE_COMMIT_REMOTE_BRANCH', local)} {old}")]


def is_redacted(redact: bool | None, environment: Mapping[str, str] = os.environ) -> bool:
    """Return whether passages are left out of the output; None: if others may read it."""
    return is_read_by_others(environment) if redact is None else redact


def is_read_by_others(environment: Mapping[str, str]) -> bool:
    """Return whether others may read the output: in CI."""
    return bool(environment.get("CI"))


def ways_to_allow(check: Check, verdict: Verdict) -> Iterator[str]:
    """Yield how a blocked passage is allowed: a command that works as it is printed, where the user may allow it."""
    if check.target.pre_receive:
        if check.policy.allow_inline:
            yield TOLD_INLINE
        yield "ask who keeps the policy of this server, whose baseline alone counts"
        return
    if check.to_others or "-" in check.target.words:  # what is gone is not looked at again
        yield from check.policy.ways_to_allow()
        return
    is_free = check.policy.baseline or not is_locked(check.chosen)
    commands = [_command(check, what) for what in _whats(check, verdict)] if is_free else []
    if commands:
        yield f"`{' && '.join(commands)}`"
    elif check.policy.allow_inline:
        yield TOLD_INLINE


def _whats(check: Check, verdict: Verdict) -> list[list[str]]:
    """Return the words that name what was blocked, for each command; none if it cannot be looked at once more."""
    target = check.target
    blocking = [one.payload for one in verdict.findings if one.action == "block"]
    if target.pre_push:
        commits = list(dict.fromkeys(one.commit for one in blocking))
        return [["--range", f"{one}^!"] for one in commits] if all(commits) and len(commits) <= MOST_COMMITS else []
    if target.commit_msg:
        return [["--commit-msg", os.path.abspath(target.words[0])]]
    if target.staged and os.path.basename(os.environ.get("GIT_INDEX_FILE", "index")) != "index":
        # `git commit -a` and `git commit FILE` fill an index that is gone after the hook; the files are there.
        return [_after_options([str(check.folder / path) for one in blocking for path in one.paths])]
    if target.staged:
        return [["--staged"]]
    paths = {path for one in blocking for path in one.paths}
    named = [word for word in target.words if word in paths]
    return [_after_options(named if len(named) == len(paths) else list(target.words))]


def _after_options(words: list[str]) -> list[str]:
    return ["--", *words] if any(word.startswith("-") for word in words) else words


def _command(check: Check, what: list[str]) -> str:
    """Return the command that allows what was blocked, with the options of the check's policy.

    A hook runs at the top of the work tree, the user types anywhere: its paths are absolute.
    """
    options: list[str] = []
    parts = sorted_out(check.given)
    for field, value in (parts["chosen"] | parts["policy"]).items():
        name = "--file" if field == "baseline" else BY_FIELD[field].names[-1]
        if field in OF_ADDING or field == "baseline":
            for one in value if isinstance(value, (list, tuple)) else [value]:
                options += [name, _absolute(field, str(one)) if check.target.in_git else str(one)]
    words = [*options, *what] if what[0] == "--" else [*what, *options]
    return shlex.join(["pmbf", "guard", "baseline", "add", *words])


def _absolute(field: str, value: str) -> str:
    """Return the value of an option with an absolute path, if it is a path."""
    if field == "param":
        name, _, inner = value.partition("=")
        return f"{name}={_absolute(name, inner)}"
    if (field in KEYS and KEYS[field].kind not in ("path", "paths")) or is_address(value):
        return value
    return os.path.abspath(os.path.expanduser(value))
