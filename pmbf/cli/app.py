"""The commands of `pmbf` and the one way in: a command is imported when it is named. `pmbf.cli.outcome` ends it."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from importlib import import_module
from typing import Any

from pmbf.base import __version__
from pmbf.base.errors import DONE
from pmbf.cli.arguments import Version
from pmbf.cli.outcome import ending, prepare_streams, print_text
from pmbf.cli.words import Command, CommandGroup, called, read, settings_asked, taken_by

FINDING, KEEPING, GUARDING = "Find shared text", "Look after a collection", "Keep text from leaving"
"""The parts of `pmbf --help`."""

COMMANDS = {
    "load": (FINDING, "loading", "load"),
    "screen": (FINDING, "screen", "screen"),
    "compare": (FINDING, "comparing", "compare"),
    "duplicates": (FINDING, "duplicates", "duplicates"),
    "pairs": (FINDING, "pairing", "pairs"),
    "web": (FINDING, "web", "web"),
    "list": (KEEPING, "keeping", "list_"),
    "label": (KEEPING, "labelling", "label"),
    "remove": (KEEPING, "keeping", "remove"),
    "compact": (KEEPING, "keeping", "compact"),
    "check": (KEEPING, "keeping", "check"),
    "stats": (KEEPING, "keeping", "stats"),
    "export": (GUARDING, "export", "export"),
    "serve": (GUARDING, "serve", "serve"),
    "similar": (FINDING, "similar", "similar"),
    "sentences": (FINDING, "sentences", "sentences"),
    "cluster": (KEEPING, "hosting", "cluster"),
    "site": (FINDING, "siting", "site"),
    "guard": (GUARDING, "guard.app", "guard"),
}
"""Each command or group: its heading in the help, its module in `pmbf.cli`, and its name there."""


def _version(version: Version = False) -> int | None:
    if version:
        print_text(f"pmbf {__version__}\n")
    return DONE if version else None


PMBF = CommandGroup(
    "Find the documents of a collection that share passages with a text, and the passages.",
    """Examples:
  pmbf load ~/papers -c papers.pmbf       make a collection of a folder
  pmbf screen thesis.pdf -c papers.pmbf   find its passages in them
  pmbf compare essays/ --group-by folder  find who shares text with whom
  export PMBF_COLLECTION=papers.pmbf      name the collection for all commands
  pmbf help screen                        the same as pmbf screen --help

Exit codes: 0 done, or nothing found; 1 something found; 2 wrong usage;
3 an error, or not everything could be read; 130 stopped by Ctrl-C""",
    options=_version,
)


def main(words: Sequence[str] | None = None) -> None:
    """Run the command line, and exit; without words, as this process was started."""
    words = sys.argv[1:] if words is None else words
    if "_PMBF_COMPLETE" not in os.environ:
        prepare_streams()
        with ending(SystemExit):
            _run(words)
    whole(words[:1]).main(args=list(words), prog_name="pmbf")


def _run(words: Sequence[str]) -> None:
    """Run the command that is named, and exit; return if typer is needed: for help, and for words that are wrong."""
    if words in (["--version"], ["-V"]):
        raise SystemExit(_version(version=True))
    command, path, rest = _named(words)
    if not command:
        return
    takes = taken_by(command)
    if told := settings_asked(takes, rest):
        print_text(told)
        raise SystemExit(DONE)
    given = read(takes, rest)
    if given is not None:
        raise SystemExit(called(command, takes, path, given) or DONE)


def _named(words: Sequence[str]) -> tuple[Command | None, str, Sequence[str]]:
    """Return the command that words begin with, what users call it, and the words behind its name."""
    if not words or words[0] not in COMMANDS:
        return None, "", words
    found, path, rest = _imported(words[0]), f"pmbf {words[0]}", words[1:]
    while isinstance(found, CommandGroup):
        if not rest or rest[0] in ("--help", "-h"):
            return None, path, rest
        name, rest = (rest[0], rest[1:]) if rest[0] in found.commands else (found.usual, rest)
        if not name:
            return None, path, rest
        if found.options:
            called(found.options, taken_by(found.options), path, {})  # its variables count
        found, path = found.commands[name], f"{path} {name}"
    return found, path, rest


def _imported(name: str) -> Command | CommandGroup:
    _, module, function = COMMANDS[name]
    return getattr(import_module(f"pmbf.cli.{module}"), function)  # type: ignore[no-any-return]


def whole(named: Sequence[str] = ()) -> Any:
    """Return what typer runs: the named command or group alone, since all take 30 ms to build; all if none is named."""
    from typer.main import get_command

    from pmbf.cli.usage import typer_app

    names = [name for name in COMMANDS if [name] == list(named)] or COMMANDS
    return get_command(typer_app(PMBF, [(name, _imported(name), COMMANDS[name][0]) for name in names], alone=True))
