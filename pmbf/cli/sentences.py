"""`pmbf sentences`: sentences of texts are found, by a store beside the collection."""

from __future__ import annotations

import sys
from dataclasses import asdict
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any

from pmbf.base.errors import DONE, FAILED
from pmbf.cli import arguments as arg
from pmbf.cli import params
from pmbf.cli.inputs import limits, open_collection, require_files
from pmbf.cli.labelling import Excluding
from pmbf.cli.outcome import note, note_kernels, print_json, print_text
from pmbf.cli.params import Param, choice, whole
from pmbf.cli.screen import looked_at
from pmbf.cli.screen import screen as of_passages
from pmbf.cli.words import CommandGroup, with_options_of

if TYPE_CHECKING:
    from pmbf.sites import Sites

SENTENCES_HELP = """Examples:
  pmbf sentences build -c theses.pmbf
  pmbf sentences screen draft.docx -c theses.pmbf

Once made, sentences follow each load, removal, compaction and repair of the
collection. docs/sentences.md says more."""
BUILD_HELP = """Examples:
  pmbf sentences build -c theses.pmbf
  pmbf sentences build -c theses.pmbf --param code=paper

Exit codes: 0 done; 2 wrong usage; 3 an error, or a text could not be read"""
STATUS_HELP = "Exit codes: 0 done; 2 wrong usage; 3 an error, or the sentences are not those of the collection"
DROP_HELP = "Exit codes: 0 done; 2 wrong usage; 3 an error"

SCREEN_HELP = """Examples:
  pmbf sentences screen draft.docx -c theses.pmbf
  pmbf sentences screen drafts/ -c theses.pmbf --table sentences.csv --param with_text=yes
  pmbf sentences screen draft.docx -c theses.pmbf --html draft.html

Exit codes: 0 nothing found; 1 something found, though it may not count
(--template); 2 wrong usage; 3 an error, or nothing found but not everything was
read, or nothing to compare; of several files the highest code"""
KEYS = (
    choice("code", "words|paper", "Keys of a unit: of three words in any order, or the paper's 100 bits."),
    Param("key_bits", "32|64", "Bits of a key; 64 above 100 million units (default: 32).", whole),
)
OfKeys = Annotated[list[Any] | None, params.KnownParams(KEYS).option]
OfScreening = Annotated[list[Any] | None, params.KnownParams(params.READING, params.PAGES, params.WORDS).option]
Exclude = Annotated[list[Any] | None, Excluding("self", "same").option]


sentences = CommandGroup("Find single sentences of a text in a collection.", SENTENCES_HELP)


@sentences.command(SCREEN_HELP)
@with_options_of(of_passages, without=("rows", "threshold", "min_chars", "sensitivity", "ignore"))
def screen(
    collection: arg.CollectionFolder = None, param: OfScreening = None, exclude: Exclude = None, **given: Any
) -> int:
    """Find the sentences of a file, or of many, in the documents of a collection that `build` prepared."""
    return screened(collection=collection, param=param, exclude=exclude, **given)


def screened(
    *,
    files: list[str],
    collection: str | None,
    name: str | None,
    ocr: str | None,
    jobs: int | None,
    template: str | None,
    exclude: Any,
    where: list[str] | None,
    labels: list[str] | None,
    sites: Sites | None = None,
    **shown: Any,
) -> int:
    """Screen files by sentences, ask sites for what the collection does not have, and return the exit code.

    `shown` are arguments of `pmbf.cli.screening.screen_output`.
    """
    from pmbf.cli.screening import screen_output
    from pmbf.cli.sentence_screening import SentenceScreening

    require_files(files, name)
    options, bounds = looked_at(template, where, labels, exclude), limits(shown["param"], ocr)
    output = screen_output(of_sentences=True, **shown)
    if not shown["quiet"]:
        note_kernels()
    with open_collection(collection) as opened:
        return SentenceScreening(opened, options, bounds, output, jobs, sites=sites).screen_all(files, name)


@sentences.command(BUILD_HELP)
def build(
    collection: arg.CollectionFolder = None, param: OfKeys = None, json: arg.Json = False, quiet: arg.QuietLoad = False
) -> int:
    """Make the sentences of all documents anew."""
    from pmbf.cli.shown.progress import steps_progress
    from pmbf.cli.shown.sentences import status_text

    if not quiet:
        note_kernels()
    with open_collection(collection) as opened, steps_progress(shown=not quiet and sys.stderr.isatty()) as on_progress:
        on_read = partial(on_progress, "Reading") if on_progress else None
        status = opened.build_sentences(on_read=on_read, **dict(param or ()))
    if json:
        print_json(asdict(status))
    elif not quiet:
        print_text(status_text(status))
    for reason in list(status.unread.values())[:1]:
        note(f"{len(status.unread):,} of the documents could not be read; the first: {reason}")
    return FAILED if status.unread else DONE


@sentences.command(STATUS_HELP)
def status(collection: arg.CollectionFolder = None, json: arg.Json = False) -> int:
    """Show how large the sentences are, and whether they show the collection as it is."""
    from pmbf.cli.shown.sentences import status_text

    with open_collection(collection) as opened:
        found = opened.sentences_status()
    print_json(asdict(found)) if json else print_text(status_text(found))
    return DONE if found.is_current else FAILED


@sentences.command(DROP_HELP)
def drop(collection: arg.CollectionFolder = None) -> None:
    """Delete the sentences; the collection stays."""
    with open_collection(collection) as opened:
        dropped = opened.drop_sentences()
    print_text("sentences deleted\n" if dropped else "there are no sentences\n")
