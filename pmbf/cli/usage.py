"""The commands as typer knows them: for their help, for completion, and for words that none of them understands."""

from __future__ import annotations

import os
from collections.abc import Container, Iterable
from functools import partial
from inspect import Parameter, Signature
from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup

from pmbf.base.errors import DONE, USAGE, ParameterError
from pmbf.cli.outcome import ending, note, prepare_streams, print_text
from pmbf.cli.words import Command, CommandGroup, CommandParameter, called, settings_asked, table_of, taken_by

_UsageError: Any = typer.BadParameter.__base__


class _Named:
    """A command whose `--help` is listed like every flag, without `<bool>`, and whose errors name the command.

    Words are no values here: `pmbf.cli.words` makes these of them.
    """

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

    def get_params(self, ctx: Any) -> Any:
        parameters = super().get_params(ctx)  # type: ignore[misc]
        for one in parameters:
            one.process_value = partial(_as_it_is, one)
        return parameters


def _as_it_is(parameter: Any, context: Any, value: Any) -> Any:
    return parameter.callback(context, parameter, value) if parameter.callback else value


class PmbfCommand(_Named, TyperCommand):
    """A command."""

    def parse_args(self, ctx: Any, args: list[str]) -> Any:
        if told := settings_asked(self.callback.takes, args):  # type: ignore[union-attr]
            print_text(told)
            ctx.exit()
        return super().parse_args(ctx, args)


class PmbfGroup(_Named, TyperGroup):
    """A group whose commands end as `pmbf.cli.outcome` says; the name of the `usual` command may be left out."""

    usual = ""

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
        if self.usual and args and args[0] not in (*self.commands, "--help", "-h"):
            args = [self.usual, *args]
        if args and (now := moved(ctx.command_path, args[0])):
            raise ParameterError(f"{ctx.command_path} {args[0]} is now {now}")
        is_help = ctx.parent is None and args[:1] == ["help"]
        remaining: list[str] = super().parse_args(ctx, [*args[1:], "--help"] if is_help else args)
        return remaining

    def invoke(self, ctx: Any) -> Any:
        with ending(typer.Exit):
            return super().invoke(ctx)


def typer_app(
    group: CommandGroup, commands: Iterable[tuple[str, Command | CommandGroup, str | None]], *, alone: bool = False
) -> typer.Typer:
    """Return what typer runs: a group, and its commands by name, each with the heading that its help stands under.

    `alone` says whether the group's options may stand without a command.
    """
    made = typer.Typer(
        cls=type("Group", (PmbfGroup,), {"usual": group.usual}),
        add_completion=False,
        no_args_is_help=True,
        rich_markup_mode="rich",
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["--help", "-h"]},
    )
    options = _for_typer(group.options or _nothing, ends=True)
    options.__doc__ = group.text
    made.callback(invoke_without_command=alone, epilog=group.epilog)(options)
    for name, one, panel in commands:
        if isinstance(one, CommandGroup):
            inside = typer_app(one, ((inner, command, None) for inner, command in one.commands.items()))
            made.add_typer(inside, name=name, rich_help_panel=panel)
        else:
            epilog = one.epilog  # type: ignore[attr-defined]
            made.command(name, cls=PmbfCommand, rich_help_panel=panel, epilog=epilog)(_for_typer(one))
    return made


def _nothing() -> None:
    """The options of a group that has none."""


def _for_typer(command: Command, *, ends: bool = False) -> Command:
    """Return a command whose parameters typer understands; if it `ends`, then what it returns is the exit code."""

    takes = taken_by(command)

    def told(context: Any, **given: Any) -> Any:
        words = {name: value for name, value in given.items() if _is_from_the_command_line(context, name)}
        words = {name: list(value) if isinstance(value, tuple) else value for name, value in words.items()}
        code = called(command, takes, context.command_path, words)
        if ends and code is not None:
            raise typer.Exit(code)
        return code

    told.__annotations__ = {}
    told.__name__, told.__doc__ = command.__name__, command.__doc__
    told.takes = takes  # type: ignore[attr-defined]
    context = Parameter("context", Parameter.KEYWORD_ONLY, annotation=typer.Context)
    told.__signature__ = Signature([context, *map(_parameter, takes)])  # type: ignore[attr-defined]
    return told


def _is_from_the_command_line(context: Any, name: str) -> bool:
    """Return whether a value is neither the default nor that of a variable, which is read elsewhere."""
    source = context.get_parameter_source(name)
    return source is not None and source.name == "COMMANDLINE"


def _parameter(one: CommandParameter) -> Parameter:
    argument = one.argument
    shown: dict[str, Any] = {
        "metavar": argument.metavar,
        "help": argument.text,
        "show_default": False,
        "parser": argument.parser,
        "autocompletion": argument.autocompletion,
    }
    if argument.names:
        bounds = {"min": argument.least, "max": argument.most}
        is_eager = "--version" in argument.names
        more = {"envvar": argument.envvar, "rich_help_panel": argument.panel, "is_eager": is_eager}
        info: Any = typer.Option(*argument.names, **shown | bounds | more)
    else:
        info = typer.Argument(**shown)
    return Parameter(one.field, Parameter.KEYWORD_ONLY, default=one.default, annotation=Annotated[one.kind, info])


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
    if known := table_of(getattr(context.command.callback, "takes", ()) if context else ()):
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


def _allow_completion() -> None:
    """Let a shell complete words; typer reads `source_bash`, and click documents `bash_source`."""
    if asked := os.environ.get("_PMBF_COMPLETE"):
        from typer import completion

        completion.completion_init()  # type: ignore[attr-defined]
        shell, _, what = asked.partition("_")
        if what == "source":
            os.environ["_PMBF_COMPLETE"] = f"source_{shell}"


# ---------------------------------------------------------------------- what was spelt otherwise: users have scripts

_RAY = "-c ray://HOST:PORT/DEPOT, or the variable PMBF_RAY"
_HOSTS = "--jobs ray://HOST:PORT"
_FETCHED = "`pmbf cluster status --fetch-all DEPOT` before"
_WORDS = ("pre-commit", "commit-msg", "pre-push", "pre-receive")
_NOW = {
    "--cluster": "-c DEPOT",
    "pairs --cluster": "DEPOT, as a PATH",
    "--ray": _RAY,
    "pairs --ray": _HOSTS,
    "similar update --ray": _HOSTS,
    **{f"cluster {one} --ray": "ray://HOST:PORT/DEPOT" for one in ("status", "drain")},
    **{f"cluster {one} --state": "the variable XDG_CACHE_HOME" for one in ("start", "join", "stop")},
    "screen --fetch-all": _FETCHED,
    "serve --fetch-all": "--param fetch_all=yes",
    "--csv": "--table FILE.csv, on stdout --table csv:-",
    "--jsonl": "--table FILE.jsonl, on stdout --table jsonl:-",
    "--xlsx": "--table FILE.xlsx",
    "--format": "the form before the name, as in parquet:FILE",
    "--color": "the variable NO_COLOR=1 or FORCE_COLOR=1",
    "--where-not": "--where 'NAME!=VALUE'",
    "--label-pattern": "--labels REGEX",
    "--from": "--labels FILE.csv",
    "--exclude-quotations": "--exclude quotations",
    "--exclude-bibliography": "--exclude bibliography",
    "--exclude-self": "--exclude self",
    "--exclude-same": "--exclude same=NAME",
    "pairs --keep": "--prefer",
    "export --profile": "left out: there was one profile",
    "guard check --endpoint": "-c FILE",
    "guard baseline add --endpoint": "-c FILE",
    **{f"guard {one} --{word}": f"the word {word}" for one in ("install", "uninstall") for word in _WORDS},
    "screen --sentences": "`pmbf sentences screen`",
    "--sites": "`pmbf site ask`",
    "--share-matched": "`pmbf site ask --share-matched`",
    "--ask-whole": "`pmbf site ask --ask-whole`",
    "--private": "`pmbf site ask --private`",
    "--deadline": "`pmbf site ask --param seconds=SECONDS`",
    "--registry": "`pmbf site --registry FOLDER …`",
}
"""Spellings of today, by the former option, or by its command and it."""
_COMMANDS = {
    **{f"cluster {one}": f"`pmbf {one} -c DEPOT`" for one in ("load", "remove", "compact", "check")},
    "guard baseline create": "`pmbf guard baseline update`",
}
"""Commands of today, by the former command."""
_FIELDS = {
    "--any-order": "ordered",
    "--grace": "grace_h",
    "--max-request": "request_bytes",
    "--max-seconds": "answer_s",
    "--shingle": "shingle_tokens",
    "--timeout": "timeout_s",
    "--words": "n_words",
}
"""What `--param` sets today, by the former option, where the names differ by more than dashes."""


def moved(group: str, command: str) -> str:
    """Return the present spelling of a former command; empty if there was none.

    >>> moved("pmbf cluster", "load")
    '`pmbf load -c DEPOT`'
    """
    return _COMMANDS.get(f"{group.removeprefix('pmbf ')} {command}", "")


def renamed(command: str, option: str, settings: Container[str]) -> str:
    """Return the present spelling of a former option; empty if no command had it.

    `settings` are what the command's `--param` sets.

    >>> renamed("pmbf screen", "--exclude-self", ()), renamed("pmbf load", "--n-hashes", ["n_hashes"])
    ('--exclude self', '--param n_hashes=VALUE')
    """
    name = _FIELDS.get(option, option.removeprefix("--").replace("-", "_"))
    named = f"{command.removeprefix('pmbf ')} {option}"
    return _NOW.get(named, _NOW.get(option, f"--param {name}=VALUE" if name in settings else ""))
