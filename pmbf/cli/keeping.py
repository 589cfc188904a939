"""What is done with a loaded collection: `list`, `stats`, `remove`, `compact`, `check`."""

from __future__ import annotations

from itertools import chain

import typer

from pmbf.cli import arguments as arg
from pmbf.cli.inputs import fits, named_collection, open_collection, resolved
from pmbf.cli.leaving_out import Where, WhereNot, fitting, with_labels
from pmbf.cli.outcome import note, print_json, print_text
from pmbf.errors import DONE, FAILED, ParameterError

LIST_HELP = """Examples:
  pmbf list -c papers.pmbf
  pmbf list '*.pdf' drafts/2024 -c papers.pmbf
  pmbf list --where author=berg -c papers.pmbf

Exit codes: 0 done; 2 wrong usage; 3 an error"""
STATS_HELP = "Exit codes: 0 done; 2 wrong usage; 3 an error"
REMOVE_HELP = """Examples:
  pmbf remove 17 18 -c papers.pmbf
  pmbf remove ~/papers/draft.pdf -c papers.pmbf
  pmbf remove --where year=2019 -c papers.pmbf
  pmbf remove '*/drafts/*' -c papers.pmbf     after a look at: pmbf list '*/drafts/*'

A document is removed with its last path. If a named document is not in the
collection, then nothing is removed.

Exit codes: 0 removed; 2 wrong usage; 3 an error"""
COMPACT_HELP = "Exit codes: 0 done; 2 wrong usage; 3 an error"
CHECK_HELP = """Reads the whole collection: seconds for each 100 MB.

Exit codes: 0 no problem, or all repaired; 2 wrong usage; 3 problems, or an error"""


def list_(
    patterns: arg.Patterns = None,
    collection: arg.CollectionFolder = None,
    where: Where = None,
    where_not: WhereNot = None,
    json: arg.JsonDocuments = False,
) -> None:
    """List the documents: id, length, kind, paths and labels."""
    from pmbf.terminal.summaries import list_lines

    with open_collection(collection) as opened:
        documents = (one for one in opened.documents() if not patterns or fits(one.paths, patterns))
        shown = with_labels(documents, where, where_not)
        if (first := next(shown, None)) is None:
            if patterns or where or where_not:
                note(f"no document fits {' or '.join(patterns or ['these labels'])}")
            return
        shown = chain([first], shown)
        if json:
            for document in shown:
                print_json(document.to_dict())
        else:
            for line in list_lines(shown):
                print_text(line + "\n")


def stats(collection: arg.CollectionFolder = None, json: arg.Json = False) -> None:
    """Show how large a collection is, and what each figure means."""
    from pmbf.terminal.canvas import View
    from pmbf.terminal.summaries import stats_text

    with open_collection(collection) as opened:
        figures = opened.stats()
    print_json(figures.to_dict()) if json else print_text(stats_text(figures, str(opened.path), View()))


def remove(
    targets: arg.Targets = None,
    collection: arg.CollectionFolder = None,
    where: Where = None,
    where_not: WhereNot = None,
    json: arg.Json = False,
) -> None:
    """Remove documents, by id, path or label, without asking."""
    from pmbf.terminal.summaries import remove_text

    if bool(targets) == bool(where or where_not):
        raise ParameterError("expected the ids or paths of documents, or labels with --where, and not both")
    with open_collection(collection) as opened:
        n_removed = opened.remove(*(resolved(opened, targets) if targets else fitting(opened, where, where_not)))
    print_json({"n_removed": n_removed}) if json else print_text(remove_text(n_removed))


def compact(collection: arg.CollectionFolder = None, json: arg.Json = False) -> None:
    """Free the room of removed documents."""
    from pmbf.terminal.summaries import compact_text

    with open_collection(collection) as opened:
        report = opened.compact()
    print_json(report.to_dict()) if json else print_text(compact_text(report))


def check(collection: arg.CollectionFolder = None, repair: arg.Repair = False, json: arg.Json = False) -> None:
    """Compare every file, row and bit with the data that it was made from."""
    from pmbf import collection as collections
    from pmbf.terminal.summaries import check_lines

    folder = named_collection(collection)
    if repair:
        report = collections.repair(folder)
    else:
        with open_collection(folder) as opened:
            report = opened.check()
    print_json(report.to_dict()) if json else print_text("".join(line + "\n" for line in check_lines(report, folder)))
    raise typer.Exit(DONE if report.ok else FAILED)
