"""The options of `pmbf guard check` for typer, and the options that only other commands of `pmbf guard` have."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from inspect import Parameter
from typing import Annotated, Any

from pmbf.cli.arguments import collections_offered, flag, names, option
from pmbf.cli.guard.options import BY_FIELD, POLICY, Option
from pmbf.cli.words import Command

SCOPE = ("words", "staged", "revisions", "collection", "policy_file", "config_file")
"""Fields of the options that the commands of a baseline share with `check`."""

OpaqueIds = Annotated[
    list[str],
    names("ID", "Opaque ids (px-…) and numbers of documents; - takes all ids in stdin, such as an incidents file."),
]
BaselineFile = Annotated[
    str | None,
    option("--file", "FILE", "The baseline (default: the policy's, else .pmbf-baseline.json at the top).", POLICY),
]
HOOKS = ("pre-commit", "commit-msg", "pre-push", "pre-receive")
Hooks = Annotated[
    list[str] | None,
    names("HOOK", f"{', '.join(HOOKS)} (default: the first three; in a bare repository the last one)."),
]


def taking(*fields: str) -> Callable[[Command], Command]:
    """Give a command options of `pmbf guard check` as keywords, before its own options."""

    def decorated(command: Command) -> Command:
        declared = inspect.signature(command, eval_str=True).parameters.values()
        own = [one for one in declared if one.kind is not Parameter.VAR_KEYWORD and one.name not in fields]
        taken = [_parameter(BY_FIELD[field]) for field in fields]
        named = [one.replace(kind=Parameter.KEYWORD_ONLY) for one in own]
        command.__signature__ = inspect.Signature(taken + named)  # type: ignore[attr-defined]
        return command

    return decorated


def _parameter(one: Option) -> Parameter:
    default = False if one.kind == "flag" else None
    return Parameter(one.field, Parameter.KEYWORD_ONLY, default=default, annotation=_annotation(one))


def _annotation(one: Option) -> Any:
    if not one.names:
        return Annotated[list[str] | None, names(one.metavar, one.text)]
    kind: Any
    if one.kind in ("flag", "switch"):
        kind = bool if one.kind == "flag" else bool | None
        return Annotated[kind, flag("/".join(one.names), one.text, one.panel)]
    kind = str | None if one.kind == "word" else list[str] | None
    more: dict[str, Any] = {"short": one.names[1] if len(one.names) > 1 else None}
    if one.field == "collection":
        more["autocompletion"] = collections_offered
    return Annotated[kind, option(one.names[0], one.metavar, one.text, one.panel, **more)]
