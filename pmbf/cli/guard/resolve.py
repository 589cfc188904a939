"""`pmbf guard resolve`: which documents the opaque ids of an endpoint filter stand for."""

from __future__ import annotations

import sys
from dataclasses import asdict

import typer

from pmbf.cli import arguments as common
from pmbf.cli.guard import arguments as arg
from pmbf.cli.outcome import DONE, FAILED, note, print_json, print_text
from pmbf.errors import ParameterError

RESOLVE_HELP = """Examples:
  pmbf guard resolve px-0123456789abcdef -c protected.pmbf
  pmbf guard resolve - -c protected.pmbf < incidents.jsonl

Works where the collection is, for every export that was made of it, also for
documents that were removed since.

Exit codes: 0 all are named; 2 wrong usage; 3 an error, or an id is unknown"""


def resolve(ids: arg.OpaqueIds, collection: common.CollectionFolder = None, json: common.Json = False) -> None:
    """Name the documents behind opaque ids."""
    from pmbf.collection import Collection
    from pmbf.endpoint import opaque
    from pmbf.terminal.figures import shown_path

    if not collection:
        raise ParameterError("no collection named: add -c FOLDER, or set PMBF_COLLECTION to the folder")
    wanted = [one for word in ids for one in (opaque.ids_in(sys.stdin.read()) if word == "-" else [word])]
    with Collection(collection) as opened:
        known = list(opaque.resolve(opened.path, dict.fromkeys(wanted)))
    for one, part in known:
        if part is None:
            note(f"{one}: no export of {collection} has this id")
        elif json:
            print_json({"id": one, **asdict(part)})
        else:
            print_text(f"{one}  {shown_path(part.path)}  characters {part.start:,}-{part.stop:,}\n")
    raise typer.Exit(FAILED if any(part is None for _, part in known) else DONE)
