"""Commands and groups of commands as typer runs them."""

from __future__ import annotations

from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup

from pmbf.cli.outcome import ending, prepare_streams
from pmbf.cli.plain_values import spared


class PmbfCommand(TyperCommand):
    """A command that starts sooner, see `pmbf.cli.plain_values`."""

    def get_params(self, ctx: Any) -> Any:
        return spared(super().get_params(ctx))


class PmbfGroup(TyperGroup):
    """A group whose commands end as `pmbf.cli.outcome` says."""

    def main(self, *args: Any, **kwargs: Any) -> Any:
        prepare_streams()
        with ending(SystemExit):  # help and usage are printed before a command is invoked
            return super().main(*args, **kwargs)

    def get_params(self, ctx: Any) -> Any:
        return spared(super().get_params(ctx))

    def invoke(self, ctx: Any) -> Any:
        with ending(typer.Exit):
            return super().invoke(ctx)
