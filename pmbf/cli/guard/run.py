"""What `pmbf guard check` does once its words are read. Imports no typer: a hook starts with each commit."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pmbf.cli.outcome import (
    DONE,
    FAILED,
    flush_stdout,
    note,
    note_if_possible,
    print_json,
    print_text,
    reason,
)
from pmbf.errors import ParameterError, PmbfError

if TYPE_CHECKING:
    from pmbf.guard.types import Verdict


def run(
    *,
    paths: list[str] | None = None,
    staged: bool = False,
    range_: str | None = None,
    pre_push: bool = False,
    pre_receive: bool = False,
    policy: str | None = None,
    config: str | None = None,
    name: str | None = None,
    redact: bool | None = None,
    json: bool = False,
    sarif: str | None = None,
    incidents: str | None = None,
    quiet: bool = False,
    **keys: Any,
) -> int:
    """Check, print, and return the exit code.

    Args:
        paths, staged, range_, pre_push, pre_receive, name: As `pmbf.cli.guard.app.checks.Asked` has them.
        policy, config: Files, see `pmbf.guard.config`.
        redact, json, sarif, incidents, quiet: How the verdict is told.
        keys: Of the policy, each with its value or None.

    Raises:
        PmbfError, OSError: Whatever kept the check from an answer, unless the policy lets that through.
    """
    from pmbf.cli.guard.checks import Asked, Check, is_redacted, values_given
    from pmbf.guard.config import Chosen
    from pmbf.guard.session import Session

    if json and sarif == "-":
        raise ParameterError("--json and --sarif - would both write on stdout; write the SARIF to a file")
    asked = Asked(paths or (), staged, range_, pre_push, pre_receive, name)
    check = Check.of(asked, Chosen(policy, config, values_given(**keys)))
    try:
        verdict, channel = check.verdict(Session.of(check.policy), by_service=True)
    except (PmbfError, OSError) as error:
        if check.policy.on_error == "block" or isinstance(error, ParameterError):
            raise
        note(f"guard: NOT CHECKED, and let through by the policy (on_error): {reason(error)}")
        return DONE
    failed = _tell(
        (partial(_log, incidents, verdict, channel, check.policy.protected) if incidents else None),
        (partial(_write_sarif, verdict, sarif) if sarif else None),
        partial(_print, verdict, is_redacted(redact), json=json, is_shown=not quiet and sarif != "-"),
        partial(_note, verdict),
    )
    return FAILED if failed and verdict.exit_code == DONE else verdict.exit_code


def _tell(*ways: Callable[[], None] | None) -> bool:
    """Tell a verdict in some ways, each whatever becomes of the others; return whether one failed."""
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
    from pmbf.guard.incidents import append_incidents

    append_incidents(file, verdict, channel=channel, collection=protected)


def _print(verdict: Verdict, redact: bool, *, json: bool, is_shown: bool) -> None:
    from pmbf.terminal.guard import findings_text

    if json:
        print_json(verdict.to_dict(redact=redact))
    elif is_shown:
        print_text(findings_text(verdict, redact=redact))
    flush_stdout()


def _note(verdict: Verdict) -> None:
    from pmbf.terminal.guard import note_lines

    for line in note_lines(verdict):
        note(line)


def _write_sarif(verdict: Verdict, file: str) -> None:
    import json

    import pmbf
    from pmbf.guard.sarif import to_sarif

    values = to_sarif(verdict, pmbf.__version__)
    if file == "-":
        print_json(values)
    else:
        Path(file).write_text(json.dumps(values, indent=1) + "\n", encoding="utf-8")
