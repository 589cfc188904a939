"""`pmbf guard check` parsed without typer, for command lines that typer would understand in the same way.

Help, usage errors, values that must be parsed, and the other commands of `pmbf guard` are left to typer.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pmbf.cli.guard.options import COMMANDS, OPTIONS
from pmbf.cli.guard.run import run
from pmbf.cli.outcome import ending, prepare_streams

FLAGS = {
    name: (one.field, is_first)
    for one in OPTIONS
    if one.kind in ("flag", "switch")
    for name, is_first in zip(one.names, (True, False), strict=False)
}
WORDS = {name: one.field for one in OPTIONS if one.kind == "word" for name in one.names}
LISTS = {name: one.field for one in OPTIONS if one.kind == "words" for name in one.names}


def run_plain(arguments: Sequence[str]) -> None:
    """Check and exit, if typer is not needed for the words after `pmbf guard`; else return.

    Raises:
        SystemExit: The check has ended.
    """
    read = plain(arguments)
    if read is None:
        return
    prepare_streams()
    with ending(SystemExit):
        raise SystemExit(run(read))


def plain(arguments: Sequence[str]) -> dict[str, Any] | None:
    """Return the values by field for `run`; None if typer must parse the words.

    >>> plain(["a.txt", "--json", "-c", "b.pmbf"])
    {'words': ['a.txt'], 'json': True, 'collection': 'b.pmbf'}
    >>> plain(["--help"]), plain(["a.txt", "--new", "200"]), plain(["install"])
    (None, None, None)
    """
    words = list(arguments)
    if not words or words[0] in COMMANDS:
        return None
    if words[0] == "check":
        del words[0]
    read: dict[str, Any] = {"words": []}
    rest = iter(words)
    for word in rest:
        if word in FLAGS:
            name, value = FLAGS[word]
            read[name] = value
        elif word in WORDS or word in LISTS:
            given = next(rest, "")
            if not given or given.startswith("-"):
                return None
            if word in WORDS:
                read[WORDS[word]] = given
            else:
                read.setdefault(LISTS[word], []).append(given)
        elif word.startswith("-") and word != "-":
            return None
        else:
            read["words"].append(word)
    return read
