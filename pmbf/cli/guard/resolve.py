"""`pmbf guard resolve`: names the documents behind opaque ids and numbers."""

from __future__ import annotations

import re
from dataclasses import asdict

from pmbf.base.contents import read_stdin
from pmbf.base.errors import DONE, FAILED
from pmbf.cli import arguments as common
from pmbf.cli.guard import arguments as arg
from pmbf.cli.inputs import in_a_folder, named_collection, open_collection
from pmbf.cli.outcome import note, print_json, print_text
from pmbf.cli.words import explained

RESOLVE_HELP = """Examples:
  pmbf guard resolve px-0123456789abcdef -c protected.pmbf
  pmbf guard resolve 7 -c protected.pmbf
  pmbf guard resolve - -c protected.pmbf < incidents.jsonl

Works where the collection is. It knows the opaque ids of all its exports, also
of documents that were removed since. Findings show numbers if the policy
withholds paths (show_source).

Exit codes: 0 all are named; 2 wrong usage; 3 an error, or an id is unknown"""

_MOST_STDIN_BYTES = 256 << 20
"""As much as the largest file that is read by default; some million incidents."""


@explained(RESOLVE_HELP)
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


_NUMBERS = re.compile(r'"document_id": ?([1-9][0-9]*)|\bdocument ([1-9][0-9]*)\b')
