"""Words of a command line become the values of a command's parameters.

typer, whose import takes 40 ms, is needed for help, for completion, and for words that no command understands:
`pmbf.cli.usage`.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from inspect import Parameter, Signature, signature
from itertools import pairwise
from typing import Any, Literal, get_args, get_origin

from pmbf.base.errors import ParameterError
from pmbf.cli.arguments import NUMBERS, chosen, number
from pmbf.cli.params import KnownParams

Command = Callable[..., Any]
"""A function of which each parameter is annotated with its type and its `Argument`. It returns an exit code or None."""

_NAMES = re.compile(r"FILE|FOLDER|DEPOT|CSV|PORT|KEY|PATH|OUT|CARD|HEAD")
_SET_BY = {"request_bytes": "max_upload"}
"""Options by the field that they set, where the names differ."""


class CommandParameter:
    """A parameter of a command, with the option or argument that gives its value."""

    def __init__(self, declared: Parameter) -> None:
        self.field, self.default = declared.name, declared.default
        kind, self.argument = get_args(declared.annotation)
        self.kind = get_args(kind)[0] if type(None) in get_args(kind) else kind
        self.is_list = get_origin(self.kind) is list

    @property
    def hint(self) -> str:
        """What it is called in a message."""
        named = " / ".join(map(repr, self.argument.names or (self.argument.metavar,)))
        return f"{named} (env var: {self.argument.envvar!r})" if self.argument.envvar else named

    def value(self, given: Any) -> Any:
        """Return the value that a word stands for, several words, or a flag; a ValueError says what is expected."""
        if isinstance(given, list):
            return [self._one(word) for word in given]
        return self._one(given) if isinstance(given, str) else given

    def _one(self, word: str) -> Any:
        argument = self.argument
        value: Any = word
        if argument.parser:
            value = argument.parser(word)
        elif get_origin(self.kind) is Literal:
            value = chosen(get_args(self.kind), word)
        elif self.kind in NUMBERS:
            value = number(self.kind, argument.least, argument.most, word)
        if not word and _NAMES.search(argument.metavar):
            raise ValueError("is empty, expected a name")
        return value


def taken_by(command: Command) -> list[CommandParameter]:
    """Return the parameters of a command."""
    return [CommandParameter(one) for one in signature(command, eval_str=True).parameters.values()]


def table_of(takes: Iterable[CommandParameter]) -> KnownParams | None:
    """Return the settings of a command, from its parameters; None if it has none."""
    return next((one.argument.parser for one in takes if isinstance(one.argument.parser, KnownParams)), None)


def settings_asked(takes: Iterable[CommandParameter], words: Sequence[str]) -> str:
    """Return the help of a command's settings if words ask for it by `--param help`; empty if not."""
    known = table_of(takes) if "--param=help" in words or ("--param", "help") in pairwise(words) else None
    return known.text() if known else ""


class CommandGroup:
    """Commands behind one word, as `pmbf similar`.

    Args:
        text: Its help.
        epilog: The end of its help.
        usual: The command whose name may be left out.
        options: Takes the group's own options, which stand before the name of a command. Its exit code ends the group.
    """

    def __init__(self, text: str, epilog: str = "", *, usual: str = "", options: Command | None = None) -> None:
        self.text, self.epilog, self.usual, self.options = text, epilog, usual, options
        self.commands: dict[str, Command | CommandGroup] = {}

    def command(self, epilog: str, name: str = "") -> Callable[[Command], Command]:
        """Make a function a command of the group, by its own name or another one."""

        def added(function: Command) -> Command:
            self.commands[name or function.__name__] = explained(epilog)(function)
            return function

        return added


def explained(epilog: str) -> Callable[[Command], Command]:
    """Give a command the end of its help: examples, and its exit codes."""

    def with_epilog(function: Command) -> Command:
        function.epilog = epilog  # type: ignore[attr-defined]
        return function

    return with_epilog


def with_options_of(other: Command, *, without: Sequence[str] = ()) -> Callable[[Command], Command]:
    """Give a command the options of another one as keywords, but for some; its own ones stand in their places."""

    def decorated(command: Command) -> Command:
        declared = signature(command, eval_str=True).parameters.values()
        own = {one.name: one for one in declared if one.kind is not Parameter.VAR_KEYWORD}
        theirs = [one for one in signature(other, eval_str=True).parameters.values() if one.name not in without]
        taken = [own.pop(one.name, one) for one in theirs]
        all_ = [one.replace(kind=Parameter.KEYWORD_ONLY) for one in (*taken, *own.values())]
        command.__signature__ = Signature(all_)  # type: ignore[attr-defined]
        return command

    return decorated


def read(takes: Sequence[CommandParameter], words: Sequence[str]) -> dict[str, Any] | None:
    """Return the words that were given, by field and in order; None if they ask for help or are spelt wrong.

    A flag is True or False, what may be repeated is a list.
    """
    spelled = {name: one for one in takes for names in one.argument.names for name in names.split("/")}
    found: dict[str, Any] = {}
    others: list[str] = []
    rest = list(reversed(words))
    while rest:
        word = rest.pop()
        if word == "--":
            others += reversed(rest)
            break
        if word == "-" or not word.startswith("-"):
            others.append(word)
            continue
        name, equals, value = word.partition("=") if word.startswith("--") else (word[:2], word[2:], word[2:])
        one = spelled.get(name)
        if not one or (equals if one.kind is bool else not (equals or rest)):
            return None
        if one.kind is bool:
            found[one.field] = not one.argument.names[0].endswith(f"/{name}")
        else:
            value = value if equals else rest.pop()
            found[one.field] = [*found.get(one.field, ()), value] if one.is_list else value
    for one in takes:
        if others and not one.argument.names:
            found[one.field] = others if one.is_list else others.pop(0)
            others = [] if one.is_list else others
    return None if others else found


def called(command: Command, takes: Sequence[CommandParameter], path: str, given: Mapping[str, Any]) -> int | None:
    """Call a command with the values of words by field, and return what it returns; `path` is what users call it."""
    values = _values(takes, given, path)
    try:
        return command(**values)  # type: ignore[no-any-return]
    except ParameterError as error:
        raise ParameterError(_with_option(str(error), takes)) from error


def _values(takes: Sequence[CommandParameter], given: Mapping[str, Any], path: str) -> dict[str, Any]:
    """Return values by field; those of the command line first, which are checked in their order."""
    by_field = {one.field: one for one in takes}
    words = dict(given)
    for one in takes:
        if one.argument.envvar and one.field not in given and (word := os.environ.get(one.argument.envvar)):
            words[one.field] = word
    values = {}
    for field, word in words.items():
        try:
            values[field] = by_field[field].value(word)
        except ValueError as error:
            told = f"Invalid value for {by_field[field].hint}: {error}".removesuffix(".")
            raise ParameterError(f"{told}; see `{path} --help`") from None
    usual = {one.field: one.default for one in takes}
    for one in takes:
        if one.default is Parameter.empty and one.field not in values:
            raise ParameterError(f"Missing argument {one.hint}; see `{path} --help`")
    return usual | values


def _with_option(message: str, takes: Sequence[CommandParameter]) -> str:
    """Return an error's message that begins with the name of an option, if it begins with that of the option's field.

    A message about a value begins `FIELD is VALUE, expected …`.
    """
    field, is_, value = message.partition(" is ")
    name = _SET_BY.get(field, field)
    spelled = [one.argument.names[0] for one in takes if one.field == name and one.argument.names]
    if not spelled and is_ and field in getattr(table_of(takes), "by_name", ()):
        spelled = [f"--param {field}"]
    return f"{spelled[0]}{is_}{value}" if spelled else message
