"""Commands and groups of commands as typer runs them."""

from __future__ import annotations

import os
from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup

from pmbf.cli.outcome import ending, note, prepare_streams, print_text
from pmbf.cli.plain_values import spared
from pmbf.errors import DONE, USAGE

_UsageError: Any = typer.BadParameter.__base__


class _HelpAsFlag:
    """A command whose option `--help` is listed like every flag, without `<bool>`."""

    def get_help_option(self, ctx: Any) -> Any:
        found = super().get_help_option(ctx)  # type: ignore[misc]
        if found:
            found.metavar = ""
        return found


class PmbfCommand(_HelpAsFlag, TyperCommand):
    """A command that starts sooner, see `pmbf.cli.plain_values`."""

    def get_params(self, ctx: Any) -> Any:
        return spared(super().get_params(ctx))


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

    def get_params(self, ctx: Any) -> Any:
        return spared(super().get_params(ctx))

    def invoke(self, ctx: Any) -> Any:
        with ending(typer.Exit):
            return super().invoke(ctx)


def _told(error: Any) -> int:
    """Print wrong usage in one line, or the help if no command was named; return the exit code."""
    command = error.ctx.command_path if error.ctx else "pmbf"
    if type(error).__name__ == "NoArgsIsHelpError":
        print_text(error.ctx.get_help())
    else:
        told = error.format_message().removesuffix(".").replace(": Value error, ", ": ")  # pydantic's words
        note(f"{told}; see `{command} --help`")
    return USAGE


def _allow_completion() -> None:
    """Let a shell complete words; typer reads `source_bash`, and click documents `bash_source`."""
    if asked := os.environ.get("_PMBF_COMPLETE"):
        from typer import completion

        completion.completion_init()  # type: ignore[attr-defined]
        shell, _, what = asked.partition("_")
        if what == "source":
            os.environ["_PMBF_COMPLETE"] = f"source_{shell}"
