"""`pmbf sentences`: the store by which `pmbf screen --sentences` finds sentences."""

from __future__ import annotations

import sys
from dataclasses import asdict
from functools import partial
from typing import Annotated, Literal

import typer

from pmbf.base.errors import DONE, FAILED
from pmbf.cli import arguments as arg
from pmbf.cli.arguments import option
from pmbf.cli.groups import PmbfCommand, PmbfGroup
from pmbf.cli.inputs import open_collection
from pmbf.cli.outcome import note, note_kernels, print_json, print_text

SENTENCES_HELP = """Examples:
  pmbf sentences build -c theses.pmbf
  pmbf screen draft.docx -c theses.pmbf --sentences

Once made, sentences follow each load, removal, compaction and repair of the
collection. docs/sentences.md says more."""
BUILD_HELP = """Examples:
  pmbf sentences build -c theses.pmbf
  pmbf sentences build -c theses.pmbf --code paper

Exit codes: 0 done; 2 wrong usage; 3 an error, or a text could not be read"""
STATUS_HELP = "Exit codes: 0 done; 2 wrong usage; 3 an error, or the sentences are not those of the collection"
DROP_HELP = "Exit codes: 0 done; 2 wrong usage; 3 an error"

app = typer.Typer(cls=PmbfGroup, no_args_is_help=True, rich_markup_mode="rich")

Code = Annotated[
    Literal["words", "paper"],
    option("--code", "words|paper", "Keys of a unit: of three words in any order, or the paper's 100 bits."),
]
KeyBits = Annotated[int, option("--key-bits", "32|64", "Bits of a key; 64 above 100 million units.")]


@app.callback(epilog=SENTENCES_HELP)
def _sentences() -> None:
    """Make and look after the sentences of a collection, for `pmbf screen --sentences`."""


@app.command(cls=PmbfCommand, epilog=BUILD_HELP)
def build(
    collection: arg.CollectionFolder = None,
    code: Code = "words",
    key_bits: KeyBits = 32,
    json: arg.Json = False,
    quiet: arg.QuietLoad = False,
) -> None:
    """Make the sentences of all documents anew."""
    from pmbf.cli.shown.progress import steps_progress
    from pmbf.cli.shown.sentences import status_text

    if not quiet:
        note_kernels()
    with (
        open_collection(collection) as opened,
        steps_progress(shown=not quiet and sys.stderr.isatty()) as on_progress,
    ):
        status = opened.build_sentences(
            code=code, key_bits=key_bits, on_read=partial(on_progress, "Reading") if on_progress else None
        )
    if json:
        print_json(asdict(status))
    elif not quiet:
        print_text(status_text(status))
    for reason in list(status.unread.values())[:1]:
        note(f"{len(status.unread):,} of the documents could not be read; the first: {reason}")
    raise typer.Exit(FAILED if status.unread else DONE)


@app.command(cls=PmbfCommand, epilog=STATUS_HELP)
def status(collection: arg.CollectionFolder = None, json: arg.Json = False) -> None:
    """Show how large the sentences are, and whether they show the collection as it is."""
    from pmbf.cli.shown.sentences import status_text

    with open_collection(collection) as opened:
        found = opened.sentences_status()
    print_json(asdict(found)) if json else print_text(status_text(found))
    raise typer.Exit(DONE if found.is_current else FAILED)


@app.command(cls=PmbfCommand, epilog=DROP_HELP)
def drop(collection: arg.CollectionFolder = None) -> None:
    """Delete the sentences; the collection stays."""
    with open_collection(collection) as opened:
        dropped = opened.drop_sentences()
    print_text("sentences deleted\n" if dropped else "there are no sentences\n")
