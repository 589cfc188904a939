"""`pmbf guard`: checks payloads for protected text. Words that name no sub-command belong to `check`."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from pmbf.base.contents import read_stdin
from pmbf.base.errors import DONE, FAILED, ParameterError
from pmbf.cli import arguments as common
from pmbf.cli.guard import arguments as arg
from pmbf.cli.guard.baseline import of_baseline
from pmbf.cli.guard.options import BY_FIELD
from pmbf.cli.guard.run import run
from pmbf.cli.inputs import in_a_folder, named_collection, open_collection
from pmbf.cli.outcome import note, print_json, print_text
from pmbf.cli.words import CommandGroup

EXAMPLES = """Examples:
  pmbf load secret/ -c protected.pmbf
  pmbf guard report.docx drafts/ -c protected.pmbf
  pdftotext offer.pdf - | pmbf guard - -c protected.pmbf
  pmbf guard --staged                     in a pre-commit hook
  pmbf guard --range origin/main..HEAD    in CI

Exit codes: 0 clean, or only warnings; 1 blocked; 2 wrong usage or policy;
3 an error, or blocked only because not everything could be checked"""
RESOLVE_HELP = """Examples:
  pmbf guard resolve px-0123456789abcdef -c protected.pmbf
  pmbf guard resolve 7 -c protected.pmbf
  pmbf guard resolve - -c protected.pmbf < incidents.jsonl

Works where the collection is. It knows the opaque ids of all its exports, also
of documents that were removed since. Findings show numbers if the policy
withholds paths (show_source).

Exit codes: 0 all are named; 2 wrong usage; 3 an error, or an id is unknown"""
INSTALL_CODES = "Exit codes: 0 done; 2 wrong usage; 3 an error, or another hook is there already"
UNINSTALL_CODES = "Exit codes: 0 done; 2 wrong usage; 3 an error"
_MOST_STDIN_BYTES = 256 << 20
"""As much as the largest file that is read by default; some million incidents."""
_NUMBERS = re.compile(r'"document_id": ?([1-9][0-9]*)|\bdocument ([1-9][0-9]*)\b')

guard = CommandGroup(
    """Keep protected text from leaving: check files, standard input or what git is about to send.

    PATHs and options of `check` may follow `pmbf guard` directly; a file named like a command is ./NAME.
    """,
    EXAMPLES,
    usual="check",
)


@guard.command(EXAMPLES)
@arg.taking(*BY_FIELD)
def check(**given: Any) -> int:
    """Check files, standard input, or what git is about to do (the command that may be left out)."""
    return run(given)


@guard.command(RESOLVE_HELP)
def resolve(ids: arg.OpaqueIds, collection: common.CollectionFolder = None, json: common.Json = False) -> int:
    """Name the documents behind opaque ids and numbers."""
    from pmbf.cli.shown.figures import shown_path
    from pmbf.guard.filter import opaque
    from pmbf.guard.filter.opaque import Stretch

    folder = in_a_folder(named_collection(collection))
    wanted = list(dict.fromkeys(one for word in ids for one in (_ids_in_stdin() if word == "-" else [word])))
    with open_collection(folder) as opened:
        known: dict[str, Stretch | None] = dict(opaque.resolve(opened.path, wanted))
        if any(map(str.isdecimal, wanted)):
            named = {number: None for number in wanted if number.isdecimal()}
            some = (one for one in opened.documents() if str(one.id) in named)
            known |= named | {str(one.id): Stretch(one.id, one.paths[0], 0, one.n_chars) for one in some}
    for one, part in known.items():
        if part is None:
            why = "has no such document" if one.isdecimal() else "has no export with this id"
            note(f"{one}: {folder} {why}")
        elif json:
            print_json({"id": one, **asdict(part)})
        else:
            print_text(f"{one}  {shown_path(part.path)}  characters {part.start:,}-{part.stop:,}\n")
    return FAILED if None in known.values() else DONE


def _ids_in_stdin() -> list[str]:
    """Return the opaque ids and the numbers of documents in stdin: findings, incidents or verdicts."""
    from pmbf.guard.filter import opaque

    text = read_stdin(_MOST_STDIN_BYTES, hint="split it").decode("utf-8", "replace")
    return opaque.ids_in(text) + [number for pair in _NUMBERS.findall(text) for number in pair if number]


@guard.command(INSTALL_CODES)
@arg.taking("collection", "policy_file", "config_file")
def install(
    which: arg.Hooks = None,
    **options: str | None,
) -> int:
    """Make the hooks of this repository run the check: of commits, their messages and pushes.

    An existing hook is never changed: the lines to add to it are printed instead. Options given here are written
    into the hook; everything else comes from the policy. In a bare repository the hook for received packs is made.
    """
    from pmbf.guard import hooks
    from pmbf.guard.git import Repository
    from pmbf.guard.policy import is_address

    repository = Repository()
    usual = ("pre-receive",) if repository.is_bare else hooks.USUAL
    kinds = _named(which) or usual
    given = ((BY_FIELD[field].names[0], path) for field, path in options.items() if path)
    words = [word for name, path in given for word in (name, path if is_address(path) else os.path.abspath(path))]
    made = hooks.install(repository.hooks_folder(), kinds, words)
    for hook in made:
        if hook.outcome == "foreign":
            note(f"{hook.path}: another hook is there, left alone; in a shell script, add below its first line:")
            print_text("".join(f"{line}\n" for line in hooks.lines_to_add(hook.kind, words)))
            sys.stdout.flush()
        else:
            note(f"{hook.path}: {hook.outcome}")
    return FAILED if any(hook.outcome == "foreign" for hook in made) else DONE


@guard.command(UNINSTALL_CODES)
def uninstall(which: arg.Hooks = None) -> None:
    """Remove the hooks that `pmbf guard install` made; other hooks stay."""
    from pmbf.guard import hooks
    from pmbf.guard.git import Repository

    repository = Repository()
    named = _named(which)
    for hook in hooks.uninstall(repository.hooks_folder(), named or tuple(hooks.ARGUMENTS)):
        if hook.outcome != "absent":
            note(f"{hook.path}: {'another hook, left alone' if hook.outcome == 'foreign' else hook.outcome}")


def _named(words: Sequence[str] | None) -> tuple[str, ...]:
    """Return the kinds of hooks that are named.

    Raises:
        ParameterError: A word names none.
    """
    for word in words or ():
        if word not in arg.HOOKS:
            raise ParameterError(f"{word!r} is no hook, expected one of {', '.join(arg.HOOKS)}")
    return tuple(kind for kind in arg.HOOKS if kind in (words or ()))


guard.commands["baseline"] = of_baseline
