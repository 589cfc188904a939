"""`pmbf guard check` after parsing. Imports no typer: a hook starts with each commit."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

from pmbf.base.errors import DONE, FAILED, CorruptError, NotFoundError, ParameterError, PmbfError, UnsupportedError
from pmbf.cli.guard.options import plain, sorted_out
from pmbf.cli.outcome import (
    ending,
    flush_stdout,
    note,
    note_if_possible,
    prepare_streams,
    print_json,
    print_text,
    reason,
)
from pmbf.cli.targets import opened_to_write, require_outside, require_own

if TYPE_CHECKING:
    from pmbf.guard.policy import Policy
    from pmbf.guard.types import Verdict


@dataclass(frozen=True, slots=True)
class Telling:
    """How a verdict is shown, as the options of `pmbf guard check` say."""

    redact: bool | None = None
    """Whether passages are left out; None: if others may read them."""
    json: bool = False
    sarif: str | None = None
    incidents: str | None = None
    quiet: bool = False

    def __post_init__(self) -> None:
        if self.json and self.sarif == "-":
            raise ParameterError("--json and --sarif - would both write on stdout; write the SARIF to a file")

    def require_own_files(self) -> None:
        """Refuse to write over files that pmbf did not write, or behind their lines."""
        if self.sarif and self.sarif != "-":
            require_own("--sarif", self.sarif, "sarif", hint="remove it first")
        if self.incidents:
            require_own("--incidents", self.incidents, "incidents", hint="remove it first")

    def require_outside(self, policy: Policy) -> None:
        """Refuse to write among the protected documents: the next load would read that, too."""
        written = {"--sarif": self.sarif, "--incidents": self.incidents}
        places = {option: file for option, file in written.items() if file and file != "-"}
        if not places or not (policy.collection or policy.cluster):
            return
        from pmbf.guard.checker import open_named

        # A hook may ask a service for documents that its own user cannot open: then they are not its to load, either.
        with (
            suppress(NotFoundError, UnsupportedError, CorruptError, OSError),
            open_named(policy) as opened,
        ):
            for option, file in places.items():
                require_outside(option, file, opened, hint="")


def run_plain(arguments: Sequence[str]) -> None:
    """Check and exit, if typer is not needed for the words after `pmbf guard`; else return."""
    read = plain(arguments)
    if read is None:
        return
    prepare_streams()
    with ending(SystemExit):
        raise SystemExit(run(read))


def run(given: Mapping[str, Any]) -> int:
    """Check, print, and return the exit code; raise what kept the check from an answer, if the policy blocks errors.

    Args:
        given: Values by field, as `pmbf.cli.guard.options` has them.
    """
    from pmbf.cli.guard.checks import Check, ways_to_allow
    from pmbf.guard.session import Session

    output = Telling(**sorted_out(given)["output"])
    output.require_own_files()
    check = Check.of(given)
    output.require_outside(check.policy)
    try:
        verdict, channel = check.verdict(Session.of(check.policy, to_others=check.to_others), by_service=True)
    except (PmbfError, OSError) as error:
        if check.policy.on_error == "block" or isinstance(error, ParameterError):
            raise
        note(f"guard: NOT CHECKED, and let through by the policy (on_error): {reason(error)}")
        return DONE
    verdict = verdict.hinted(ways_to_allow(check, verdict))
    shows = check.policy.shows(to_others=True)  # SARIF is for others, also if it is made on this machine
    failed = _tell(
        (partial(_log, output.incidents, verdict, channel, check.policy.protected) if output.incidents else None),
        (partial(_write_sarif, verdict.withheld(shows), output.sarif) if output.sarif else None),
        partial(_print, verdict, output),
        partial(_note, replace(verdict, hint="") if output.quiet else verdict),
    )
    return FAILED if failed and verdict.exit_code == DONE else verdict.exit_code


def _tell(*ways: Callable[[], None] | None) -> bool:
    """Show a verdict in several ways, each also if another fails; return whether one failed."""
    errors = []
    for way in filter(None, ways):
        try:
            way()
        except BrokenPipeError:
            raise
        except (PmbfError, OSError) as error:
            errors.append(error)
    for failed in errors:
        note_if_possible(reason(failed))
    return bool(errors)


def _log(file: str, verdict: Verdict, channel: str, protected: str) -> None:
    from pmbf.guard.outputs import append_incidents

    append_incidents(file, verdict, channel=channel, collection=protected)


def _print(verdict: Verdict, output: Telling) -> None:
    from pmbf.cli.guard.checks import is_redacted
    from pmbf.cli.shown.guard import findings_text

    redact = is_redacted(output.redact)
    if output.json:
        print_json(verdict.to_dict(redact=redact))
    elif not output.quiet and output.sarif != "-":
        print_text(findings_text(verdict, redact=redact))
    flush_stdout()


def _note(verdict: Verdict) -> None:
    from pmbf.cli.shown.guard import note_lines

    for line in note_lines(verdict):
        note(line)


def _write_sarif(verdict: Verdict, file: str) -> None:
    import json

    import pmbf
    from pmbf.guard.outputs import to_sarif

    values = to_sarif(verdict, pmbf.__version__)
    if file == "-":
        print_json(values)
    else:
        with opened_to_write(file) as written:
            written.write(json.dumps(values, indent=1).encode() + b"\n")
