"""Commands and groups of commands as typer runs them."""

from __future__ import annotations

import os
from collections.abc import Callable, Container, Sequence
from inspect import Parameter, Signature, signature
from itertools import pairwise
from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup

from pmbf.base.errors import DONE, USAGE, ParameterError
from pmbf.cli.outcome import ending, note, prepare_streams, print_text
from pmbf.cli.plain_values import spared
from pmbf.cli.renamed import moved, renamed

_UsageError: Any = typer.BadParameter.__base__

_SET_BY = {"request_bytes": "max_upload"}
"""Options by the field that they set, where the names differ."""


class _HelpAsFlag:
    """A command whose `--help` is listed like every flag, without `<bool>`, and whose errors name the command."""

    def parse_args(self, ctx: Any, args: list[str]) -> Any:
        try:
            return super().parse_args(ctx, args)  # type: ignore[misc]
        except _UsageError as error:  # an option without its argument is told without the command
            error.ctx = error.ctx or ctx
            raise

    def get_help_option(self, ctx: Any) -> Any:
        found = super().get_help_option(ctx)  # type: ignore[misc]
        if found:
            found.metavar = ""
        return found


class PmbfCommand(_HelpAsFlag, TyperCommand):
    """A command that starts sooner, see `pmbf.cli.plain_values`; its errors name options, not the fields they set."""

    def parse_args(self, ctx: Any, args: list[str]) -> Any:
        if "--param=help" in args or ("--param", "help") in pairwise(args):
            from pmbf.cli.params import table_of

            if known := table_of(self.params):
                print_text(known.text())
                ctx.exit()
        return super().parse_args(ctx, args)

    def get_params(self, ctx: Any) -> Any:
        return spared(super().get_params(ctx))

    def invoke(self, ctx: Any) -> Any:
        try:
            return super().invoke(ctx)
        except ParameterError as error:
            raise ParameterError(_with_option(str(error), self.params)) from error


class PmbfGroup(_HelpAsFlag, TyperGroup):
    """A group whose commands end as `pmbf.cli.outcome` says."""

    def main(self, *args: Any, **kwargs: Any) -> Any:
        prepare_streams()
        _allow_completion()
        with ending(SystemExit):  # help and usage are printed before a command is invoked
            try:
                code = super().main(*args, **kwargs | {"standalone_mode": False})
            except _UsageError as error:
                code = _told(error)
            raise SystemExit(code or DONE)

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        if args and (now := moved(ctx.command_path, args[0])):
            raise ParameterError(f"{ctx.command_path} {args[0]} is now {now}")
        is_help = ctx.parent is None and args[:1] == ["help"]
        remaining: list[str] = super().parse_args(ctx, [*args[1:], "--help"] if is_help else args)
        return remaining

    def get_params(self, ctx: Any) -> Any:
        return spared(super().get_params(ctx))

    def invoke(self, ctx: Any) -> Any:
        with ending(typer.Exit):
            return super().invoke(ctx)


def with_options_of(other: Callable[..., None]) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Give a command the options of another one as keywords, before its own; those with the same name are its own."""

    def decorated(command: Callable[..., None]) -> Callable[..., None]:
        own = [
            one
            for one in signature(command, eval_str=True).parameters.values()
            if one.kind is not Parameter.VAR_KEYWORD
        ]
        named = {one.name for one in own}
        taken = [one for one in signature(other, eval_str=True).parameters.values() if one.name not in named]
        all_ = [one.replace(kind=Parameter.KEYWORD_ONLY) for one in taken + own]
        command.__signature__ = Signature(all_)  # type: ignore[attr-defined]
        return command

    return decorated


def _told(error: Any) -> int:
    """Print wrong usage in one line, or the help if no command was named; return the exit code."""
    command = error.ctx.command_path if error.ctx else "pmbf"
    if type(error).__name__ != "NoArgsIsHelpError":  # which has printed the help
        former = getattr(error, "option_name", None) or ""
        if now := renamed(command, former, _settings(command, error.ctx)):
            note(f"{former} is now {now}; see `{command} --help`")
            return USAGE
        best, error.possibilities = _best_of(error), None
        told = error.format_message().removesuffix(".")
        told += f" (did you mean {best}?)" if best else ""
        note(f"{told}; see `{command} --help`")
    return USAGE


def _settings(command: str, context: Any) -> Container[str]:
    """Return the names of what a command's `--param` sets; those of `pmbf guard` are the keys of a policy."""
    from pmbf.cli.params import table_of

    if known := table_of(context.command.params if context else ()):
        return known.by_name
    if not command.startswith("pmbf guard"):
        return ()
    from pmbf.guard.policy import KEYS

    return KEYS


def _best_of(error: Any) -> str:
    """Return the option that a misspelt one is most alike; empty if there is none."""
    from difflib import get_close_matches

    possible = getattr(error, "possibilities", None) or ()
    return next(iter(get_close_matches(getattr(error, "option_name", ""), possible, 1, 0)), "")


def _with_option(message: str, parameters: Sequence[Any]) -> str:
    """Return an error's message that begins with the name of an option, if it begins with that of the option's field.

    A message about a value begins `FIELD is VALUE, expected …`.
    """
    field, is_, value = message.partition(" is ")
    name = _SET_BY.get(field, field)
    spelled = [one.opts[0] for one in parameters if one.name == name and one.opts[0].startswith("--")]
    if not spelled and is_:
        from pmbf.cli.params import table_of

        spelled = [f"--param {field}"] if field in getattr(table_of(parameters), "by_name", ()) else []
    return f"{spelled[0]}{is_}{value}" if spelled else message


def _allow_completion() -> None:
    """Let a shell complete words; typer reads `source_bash`, and click documents `bash_source`."""
    if asked := os.environ.get("_PMBF_COMPLETE"):
        from typer import completion

        completion.completion_init()  # type: ignore[attr-defined]
        shell, _, what = asked.partition("_")
        if what == "source":
            os.environ["_PMBF_COMPLETE"] = f"source_{shell}"
