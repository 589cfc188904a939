"""The command line: each command parses, calls `Collection` and prints. How it ends is told in `pmbf.cli.outcome`."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import typer

import pmbf
from pmbf.cli import arguments as arg
from pmbf.cli import serve
from pmbf.cli.export import EXPORT_HELP, export
from pmbf.cli.groups import PmbfCommand, PmbfGroup
from pmbf.cli.guard.app import app as guard
from pmbf.cli.inputs import fits, given, ignored_texts, limits, n_cores, named_roots, profiled, resolved
from pmbf.cli.outcome import (
    DONE,
    FAILED,
    STOPPED,
    note,
    note_kernels,
    print_json,
    print_text,
)
from pmbf.errors import NotFoundError, ParameterError
from pmbf.intake.discovery import is_collection

if TYPE_CHECKING:
    from pmbf.collection import Collection
    from pmbf.intake.loader import LoadReport


_USUAL_JOBS = 4
"""Processes that a load starts at most, unless told: one is not fast enough to settle what more would read."""

# ---------------------------------------------------------------------- the app

app = typer.Typer(
    cls=PmbfGroup,
    add_completion=False,
    no_args_is_help=True,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["--help", "-h"]},
)


@app.callback(
    invoke_without_command=True,
    epilog="""Examples:
  pmbf load ~/papers -c papers.pmbf       make a collection of a folder
  pmbf screen thesis.pdf -c papers.pmbf   what of it stands in them, and where
  export PMBF_COLLECTION=papers.pmbf      name the collection once for all

Exit codes: 0 done, or nothing found; 1 something found; 2 wrong usage;
3 an error, or not everything could be read; 130 stopped by Ctrl-C""",
)
def _pmbf(version: arg.Version = False) -> None:
    """Find out which documents of a collection share text with another one, and which passages."""
    if version:
        print_text(f"pmbf {pmbf.__version__}\n")
        raise typer.Exit(DONE)


@app.command(
    cls=PmbfCommand,
    epilog="""Examples:
  pmbf load ~/papers notes.txt -c papers.pmbf
  pmbf load ~/papers -c papers.pmbf --include '*.pdf' --exclude drafts --prune
  git ls-files -z docs | pmbf load --files-from - -c docs.pmbf

A file loaded before is skipped while its size and time are the same, so a
load that was stopped goes on where it was. Symbolic links are not followed.

Exit codes: 0 every file loaded; 2 wrong usage; 3 an error, or a file had a
problem (the others are loaded); 130 stopped by Ctrl-C""",
)
def load(
    paths: arg.Paths = None,
    collection: arg.CollectionFolder = None,
    include: arg.Include = None,
    exclude: arg.Exclude = None,
    files_from: arg.FilesFrom = None,
    prune: arg.Prune = False,
    max_bytes: arg.MaxBytes = None,
    timeout: arg.Timeout = None,
    jobs: arg.LoadJobs = None,
    profile: arg.Profile = None,
    shingle: arg.Shingle = None,
    any_order: arg.AnyOrder = False,
    density: arg.Density = None,
    n_hashes: arg.Hashes = None,
    fpr: arg.FalseRate = None,
    placement: arg.Placement = None,
    docs_per_row: arg.DocsPerRow = None,
    row_capacity: arg.RowCapacity = None,
    no_text: arg.NoText = False,
    json: arg.Json = False,
    quiet: arg.QuietLoad = False,
) -> None:
    """Load files and folders; makes the collection if need be."""
    params = profiled(
        profile,
        shingle_tokens=shingle,
        ordered=False if any_order else None,
        density=density,
        n_hashes=n_hashes,
        fpr=fpr,
        placement=placement,
        docs_per_row=docs_per_row,
        row_capacity=row_capacity,
        store_text=False if no_text else None,
    )
    if not (paths or files_from):
        raise ParameterError("no PATH given: name files or folders to load, or use --files-from")
    roots = named_roots(paths or [], files_from)
    with _opened_for_load(_folder(collection), params, roots) as opened:
        if not quiet:
            note_kernels()
        report = _loaded(
            opened,
            roots,
            quiet=quiet,
            include=include or (),
            exclude=exclude or (),
            prune=prune,
            limits=limits(max_bytes, timeout),
            jobs=jobs or min(_USUAL_JOBS, n_cores()),
        )
        if json:
            print_json(report.to_dict())
        elif not quiet:
            _print_load(report, opened)
    if not json:
        _note_problems(report)
    raise typer.Exit(FAILED if report.problems else DONE)


@app.command(
    cls=PmbfCommand,
    epilog="""Examples:
  pmbf screen thesis.pdf -c papers.pmbf
  pmbf screen thesis.pdf -c papers.pmbf --passages all --threshold 0.01
  pmbf screen drafts/ late/*.txt -c papers.pmbf --jobs 4
  pdftotext draft.pdf - | pmbf screen - -c papers.pmbf --name draft
  pmbf screen *.docx -c papers.pmbf --json | jq .coverage

In a passage {+these words+} stand only in the text, \\[-these-] only in the
source; on a terminal they are green and red instead.

Exit codes: 0 nothing found; 1 something found; 2 wrong usage; 3 an error, or
nothing found but not everything was read; of several files the highest""",
)
def screen(
    files: arg.Files,
    collection: arg.CollectionFolder = None,
    name: arg.Name = None,
    min_chars: arg.MinChars = None,
    min_similarity: arg.MinSimilarity = None,
    threshold: arg.Threshold = None,
    false_rows: arg.FalseRows = None,
    max_candidates: arg.MaxCandidates = None,
    method: arg.Method = None,
    exclude_quotations: arg.ExcludeQuotations = False,
    exclude_bibliography: arg.ExcludeBibliography = False,
    ignore: arg.Ignore = None,
    max_bytes: arg.MaxBytes = None,
    timeout: arg.Timeout = None,
    jobs: arg.ScreenJobs = None,
    passages: arg.Passages = None,
    sources: arg.Sources = None,
    color: arg.ColorWhen = "auto",
    json: arg.JsonReports = False,
    quiet: arg.Quiet = False,
) -> None:
    """Find the documents that share text with a file, or with many, and show where."""
    from pmbf.cli.screening import Screening
    from pmbf.screen import Options
    from pmbf.terminal.canvas import View, wants_color

    if name is not None and (len(files) > 1 or os.path.isdir(files[0])):
        what = f"{len(files)} files" if len(files) > 1 else "a folder"
        raise ParameterError(f"--name is given for {what}, expected one file")
    if files.count("-") > 1:
        raise ParameterError("- is given twice, but stdin is read once; leave one out")
    options = given(
        min_chars=min_chars,
        min_similarity=min_similarity,
        threshold=threshold,
        false_rows=false_rows,
        max_candidates=max_candidates,
        method=method,
        exclude_quotations=exclude_quotations or None,
        exclude_bibliography=exclude_bibliography or None,
        ignore=ignored_texts(ignore or (), limits(max_bytes, timeout)) or None,
    )
    Options(**options)  # refused before a long file is read
    view = View(colored=wants_color(color, sys.stdout), **given(n_sources=sources, n_passages=passages))
    with _opened(collection) as opened:
        if not quiet:
            note_kernels()
        screening = Screening(opened, options, limits(max_bytes, timeout), view, json=json, quiet=quiet, jobs=jobs)
        raise typer.Exit(screening.screen_all(files, name))


@app.command(
    "list",
    cls=PmbfCommand,
    epilog="""Examples:
  pmbf list -c papers.pmbf
  pmbf list '*.pdf' drafts/2024 -c papers.pmbf

Exit codes: 0 done; 2 wrong usage; 3 an error""",
)
def list_(
    patterns: arg.Patterns = None, collection: arg.CollectionFolder = None, json: arg.JsonDocuments = False
) -> None:
    """List the documents: id, length, kind and paths."""
    from pmbf.terminal.summaries import list_lines

    with _opened(collection) as opened:
        documents = [document for document in opened.documents() if not patterns or fits(document.paths, patterns)]
    if json:
        for document in documents:
            print_json(document.to_dict())
    else:
        print_text("".join(line + "\n" for line in list_lines(documents)))


@app.command(cls=PmbfCommand, epilog="Exit codes: 0 done; 2 wrong usage; 3 an error")
def stats(collection: arg.CollectionFolder = None, json: arg.Json = False) -> None:
    """Show how large a collection is, and what each figure means."""
    from pmbf.terminal.canvas import View
    from pmbf.terminal.summaries import stats_text

    with _opened(collection) as opened:
        figures = opened.stats()
    print_json(figures.to_dict()) if json else print_text(stats_text(figures, _folder(collection), View()))


@app.command(
    cls=PmbfCommand,
    epilog="""Examples:
  pmbf remove 17 18 -c papers.pmbf
  pmbf remove ~/papers/draft.pdf -c papers.pmbf

A document goes with its last path. If one of those named is not in the
collection, nothing is removed.

Exit codes: 0 removed; 2 wrong usage; 3 an error""",
)
def remove(targets: arg.Targets, collection: arg.CollectionFolder = None, json: arg.Json = False) -> None:
    """Take documents out, by id or path. Does not ask."""
    from pmbf.terminal.summaries import remove_text

    with _opened(collection) as opened:
        n_removed = opened.remove(*resolved(opened, targets))
    print_json({"n_removed": n_removed}) if json else print_text(remove_text(n_removed))


@app.command(cls=PmbfCommand, epilog="Exit codes: 0 done; 2 wrong usage; 3 an error")
def compact(collection: arg.CollectionFolder = None, json: arg.Json = False) -> None:
    """Give back the room of removed documents."""
    from pmbf.terminal.summaries import compact_text

    with _opened(collection) as opened:
        report = opened.compact()
    print_json(report.to_dict()) if json else print_text(compact_text(report))


@app.command(
    cls=PmbfCommand,
    epilog="""Reads the whole collection: seconds for each 100 MB.

Exit codes: 0 all is well, or well again; 2 wrong usage; 3 problems, or an error""",
)
def check(collection: arg.CollectionFolder = None, repair: arg.Repair = False, json: arg.Json = False) -> None:
    """Compare every file, row and bit with what it follows from."""
    from pmbf import collection as collections
    from pmbf.terminal.summaries import check_lines

    folder = _folder(collection)
    if repair:
        report = collections.repair(folder)
    else:
        with _opened(folder) as opened:
            report = opened.check()
    print_json(report.to_dict()) if json else print_text("".join(line + "\n" for line in check_lines(report, folder)))
    raise typer.Exit(DONE if report.ok else FAILED)


app.command(cls=PmbfCommand, epilog=EXPORT_HELP)(export)
app.add_typer(guard, name="guard")
app.command(cls=PmbfCommand, epilog=serve.EPILOG)(serve.serve)


# ---------------------------------------------------------------------- opening a collection


def _folder(collection: str | None) -> str:
    if not collection:
        raise ParameterError("no collection named: add -c FOLDER, or set PMBF_COLLECTION to the folder")
    return collection


def _opened(collection: str | None) -> Collection:
    from pmbf.collection import Collection

    return Collection(_folder(collection))


def _opened_for_load(folder: str, params: dict[str, Any], roots: Sequence[str]) -> Collection:
    """Return a collection, made if need be; parameters given for an existing one must be its own."""
    from pmbf.collection import Collection

    if is_collection(folder):
        collection = Collection(folder)
        _require_same(collection, params)
        return collection
    made = pmbf.Params(**params)
    if not any(os.path.lexists(root) and not is_collection(root) for root in roots):
        what = f"{roots[0]}: {_no_documents(roots[0])}" if roots else "no PATH given"
        raise NotFoundError(f"{what}, so no collection was made at {folder}")
    return Collection(folder, create=True, params=made)


def _no_documents(root: str) -> str:
    return "is a collection, expected documents" if os.path.lexists(root) else "no such file or folder"


def _require_same(collection: Collection, params: dict[str, Any]) -> None:
    for name, value in params.items():
        own = getattr(collection.params, name)
        if own != value:
            raise ParameterError(
                f"{collection.path}: was made with {name} {own}, which cannot change to {value}; "
                "leave the option out, or load into a new collection"
            )


# ---------------------------------------------------------------------- load


def _loaded(collection: Collection, roots: Sequence[str], *, quiet: bool, **how: Any) -> LoadReport:
    from pmbf.terminal.progress import load_progress

    try:
        with load_progress(shown=not quiet and sys.stderr.isatty()) as on_progress:
            return collection.load(roots, on_progress=on_progress, **how)
    except KeyboardInterrupt:
        kept = f"{collection.path} has {collection.stats().n_documents:,} documents"
        again = "the same command goes on from there"
        note(f"stopped; what was loaded is kept ({kept}), and {again}")
        raise typer.Exit(STOPPED) from None


def _print_load(report: LoadReport, collection: Collection) -> None:
    from pmbf.terminal.summaries import load_text

    print_text(load_text(report, str(collection.path), collection.stats().n_documents))
    sys.stdout.flush()


def _note_problems(report: LoadReport) -> None:
    from pmbf.terminal.summaries import problem_lines

    for line in problem_lines(report.problems):
        note(line)


def main() -> None:
    """Run the command line."""
    app(prog_name="pmbf")
