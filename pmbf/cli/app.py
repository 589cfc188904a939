"""The command line: each command parses, calls `Collection` and prints. `pmbf.cli.outcome` ends it."""

from __future__ import annotations

import sys
from copy import copy
from typing import Any

import typer
from typer.models import CommandInfo

import pmbf
from pmbf.base.errors import DONE, ParameterError
from pmbf.cli import arguments as arg
from pmbf.cli import comparing, hosting, keeping, pairing, serve, siting, tables, web
from pmbf.cli import duplicates as copies
from pmbf.cli import pages as page
from pmbf.cli.clustering import Cluster, FetchAll, Ray, opened_cluster
from pmbf.cli.export import EXPORT_HELP, export
from pmbf.cli.groups import PmbfCommand, PmbfGroup
from pmbf.cli.guard.app import app as guard
from pmbf.cli.inputs import (
    given,
    ignored_texts,
    limits,
    n_cores,
    named_collection,
    named_roots,
    open_collection,
    profiled,
    require_files,
    require_one_collection,
)
from pmbf.cli.labelling import LABEL_HELP, Labels, Pattern, label, labelling_of
from pmbf.cli.leaving_out import ExcludeSame, ExcludeSelf, Where, WhereNot, conditions
from pmbf.cli.loading import load_all
from pmbf.cli.outcome import note_kernels, print_text
from pmbf.cli.sentences import app as sentences_
from pmbf.cli.similar import app as similar

_USUAL_JOBS = 4
"""Default limit of load threads: the committing thread cannot keep up with more than 4."""

FINDING, KEEPING, GUARDING = "Find shared text", "Look after a collection", "Keep text from leaving"
"""The parts of `pmbf --help`."""

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
  pmbf screen thesis.pdf -c papers.pmbf   find its passages in them
  pmbf compare essays/ --group-by folder  find who shares text with whom
  export PMBF_COLLECTION=papers.pmbf      name the collection for all commands
  pmbf help screen                        the same as pmbf screen --help

Exit codes: 0 done, or nothing found; 1 something found; 2 wrong usage;
3 an error, or not everything could be read; 130 stopped by Ctrl-C""",
)
def _pmbf(version: arg.Version = False) -> None:
    """Find the documents of a collection that share passages with a text, and the passages."""
    if version:
        print_text(f"pmbf {pmbf.__version__}\n")
        raise typer.Exit(DONE)


@app.command(
    cls=PmbfCommand,
    rich_help_panel=FINDING,
    epilog="""Examples:
  pmbf load ~/papers notes.txt -c papers.pmbf
  pmbf load ~/papers -c papers.pmbf --include '*.pdf' --exclude drafts --prune
  git ls-files -z docs | pmbf load --files-from - -c docs.pmbf

A file that was loaded before is skipped if its size and time are the same, so
a stopped load continues where it stopped. Symbolic links are not followed.

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
    labels: Labels = None,
    label_pattern: Pattern = None,
    max_bytes: arg.MaxBytes = None,
    timeout: arg.Timeout = None,
    ocr: arg.Ocr = None,
    jobs: arg.LoadJobs = None,
    profile: arg.Profile = None,
    shingle: arg.Shingle = None,
    long_letters: arg.LongLetters = None,
    any_order: arg.AnyOrder = False,
    density: arg.Density = None,
    hash_bits: arg.HashBits = None,
    index: arg.Index = None,
    n_hashes: arg.Hashes = None,
    fpr: arg.FalseRate = None,
    placement: arg.Placement = None,
    docs_per_row: arg.DocsPerRow = None,
    row_capacity: arg.RowCapacity = None,
    no_text: arg.NoText = False,
    verbose: arg.Verbose = False,
    json: arg.Json = False,
    quiet: arg.QuietLoad = False,
) -> None:
    """Load files and folders; make the collection if it does not exist."""
    ordered = False if any_order else None
    sampled = given(density=density, hash_bits=hash_bits)
    hashed = sampled | given(shingle_tokens=shingle, long_letters=long_letters, ordered=ordered)
    rows = given(n_hashes=n_hashes, fpr=fpr, placement=placement, docs_per_row=docs_per_row, row_capacity=row_capacity)
    params = profiled(profile, index=index, **hashed, **rows, store_text=False if no_text else None)
    bounds = limits(max_bytes, timeout, ocr)
    if verbose and (quiet or json):
        raise ParameterError(f"--verbose is given with {'--quiet' if quiet else '--json, which lists all'}; choose one")
    if ocr and no_text:
        raise ParameterError("--ocr is given with --no-text: passages would be compared without the text of scans")
    how = {
        "include": include or (),
        "exclude": exclude or (),
        "prune": prune,
        "labels": labelling_of(labels, label_pattern),
        "limits": bounds,
        "jobs": jobs or min(_USUAL_JOBS, n_cores()),
    }
    roots = named_roots(paths or [], files_from, bounds)
    raise typer.Exit(
        load_all(named_collection(collection), params, roots, json=json, quiet=quiet, verbose=verbose, **how)
    )


@app.command(
    cls=PmbfCommand,
    rich_help_panel=FINDING,
    epilog="""Examples:
  pmbf screen thesis.pdf -c papers.pmbf
  pmbf screen thesis.pdf -c papers.pmbf --passages all --threshold 0.01
  pmbf screen drafts/ late/*.txt -c papers.pmbf --jobs 4
  pdftotext draft.pdf - | pmbf screen - -c papers.pmbf --name draft
  pmbf screen *.docx -c papers.pmbf --json | jq .coverage
  pmbf screen essays -c essays.pmbf --exclude-self --exclude-same group
  pmbf screen essays/ -c papers.pmbf --xlsx class.xlsx --rows texts
  pmbf screen thesis.pdf -c papers.pmbf --html thesis.html
  pmbf screen thesis.pdf -c papers.pmbf --sentences
  pmbf screen thesis.pdf -c papers.pmbf --sentences --sites all
  pmbf screen thesis.pdf -c papers.pmbf --template thesis

In a passage {+these words+} stand only in the text, \\[-these-] only in the
source; on a terminal they are green and red instead.

Exit codes: 0 nothing found; 1 something found, though it may not count
(--template, --exclude-quotations); 2 wrong usage; 3 an error, or nothing found
but not everything was read, or nothing to compare: no word in the text, no text
in a folder, no document in the collection; of several files the highest code""",
)
def screen(
    files: arg.Files,
    collection: arg.CollectionFolder = None,
    cluster: Cluster = None,
    ray: Ray = None,
    fetch_all: FetchAll = False,
    name: arg.Name = None,
    jobs: arg.ScreenJobs = None,
    html: page.Html = None,
    html_sources: page.HtmlSources = None,
    hide_names: page.HideNames = False,
    passages: arg.Passages = None,
    sources: arg.Sources = None,
    csv: tables.Csv = None,
    xlsx: tables.Xlsx = None,
    jsonl: tables.Jsonl = None,
    rows: tables.Rows = None,
    with_text: tables.WithText = False,
    force: arg.Force = False,
    json: arg.JsonReports = False,
    color: arg.ColorWhen = "auto",
    quiet: arg.Quiet = False,
    sentences: arg.Sentences = False,
    sites: siting.Asked = None,
    share_matched: siting.ShareMatched = False,
    ask_whole: siting.AskWhole = False,
    private: siting.Private = False,
    deadline: siting.Deadline = None,
    registry: siting.RegistryFolder = None,
    exclude_quotations: arg.ExcludeQuotations = False,
    exclude_bibliography: arg.ExcludeBibliography = False,
    ignore: arg.Ignore = None,
    template: arg.TemplateName = None,
    threshold: arg.Threshold = None,
    min_chars: arg.MinChars = None,
    min_similarity: arg.MinSimilarity = None,
    sensitivity: arg.Sensitivity = None,
    max_candidates: arg.MaxCandidates = None,
    exclude_self: ExcludeSelf = False,
    exclude_same: ExcludeSame = None,
    where: Where = None,
    where_not: WhereNot = None,
    labels: Labels = None,
    label_pattern: Pattern = None,
    max_bytes: arg.MaxBytes = None,
    timeout: arg.Timeout = None,
    ocr: arg.Ocr = None,
    method: arg.Method = None,
    false_rows: arg.FalseRows = None,
) -> None:
    """Find the documents that share text with a file, or with many, and show where."""
    from pmbf.cli.screening import Screening
    from pmbf.cli.shown.canvas import View, wants_color
    from pmbf.screen import Options
    from pmbf.screen.templates import template_of

    require_files(files, name)
    bounds = limits(max_bytes, timeout, ocr)
    of_both = given(  # of passages and of sentences
        template=template_of(template) if template else None,
        exclude_self=exclude_self or None,
        exclude_same=exclude_same,
        where=conditions(where) or None,
        where_not=conditions(where_not) or None,
        labels_of=labelling_of(labels, label_pattern),
    )
    options = of_both | given(
        min_chars=min_chars,
        min_similarity=min_similarity,
        threshold=threshold,
        sensitivity=sensitivity,
        false_rows=false_rows,
        max_candidates=max_candidates,
        method=method,
        exclude_quotations=exclude_quotations or None,
        exclude_bibliography=exclude_bibliography or None,
        ignore=ignored_texts(ignore or (), bounds) or None,
    )
    Options(**options)  # refused before a long file is read
    written = tables.Tables(csv, jsonl, xlsx, rows, with_text, sentences, force)
    written.require_possible(json=json, quiet=quiet)
    require_one_collection(collection, cluster)
    shown = given(n_sources=sources, n_passages=passages)
    view = View(colored=wants_color(color, sys.stdout), on_terminal=sys.stdout.isatty(), **shown)
    pages = page.pages_of(html, html_sources, hide_names, force=force)
    how: dict[str, Any] = {"json": json, "quiet": quiet, "pages": pages}
    if not quiet:
        note_kernels()
    if sites and not sentences:
        raise ParameterError("--sites is given without --sentences: sites are asked for sentences")
    asking = siting.sites_of(sites, registry, given(texts=share_matched or None, whole=ask_whole or None,
                                                    private=private or None, seconds=deadline))  # fmt: skip
    if sentences:
        from pmbf.cli.sentence_screening import SentenceScreening, require_fitting

        require_fitting(options.keys() - of_both.keys(), xlsx=xlsx, rows=rows, cluster=cluster)
        with open_collection(collection) as opened:
            by_sentences = SentenceScreening(
                opened, of_both, bounds, view, jobs=jobs, tables=written, sites=asking, **how
            )
            raise typer.Exit(by_sentences.screen_all(files, name))
    with opened_cluster(cluster, ray, fetch_all=fetch_all) if cluster else open_collection(collection) as asked:
        by_passages = Screening(asked, options, bounds, view, jobs=jobs, tables=written, **how)
        raise typer.Exit(by_passages.screen_all(files, name))


app.command(cls=PmbfCommand, rich_help_panel=FINDING, epilog=comparing.EPILOG)(comparing.compare)
app.command(cls=PmbfCommand, rich_help_panel=FINDING, epilog=copies.EPILOG)(copies.duplicates)
app.add_typer(similar, name="similar", rich_help_panel=FINDING)
app.add_typer(sentences_, name="sentences", rich_help_panel=KEEPING)
app.command(cls=PmbfCommand, rich_help_panel=FINDING, epilog=pairing.EPILOG)(pairing.pairs)
app.command(cls=PmbfCommand, rich_help_panel=FINDING, epilog=web.EPILOG)(web.web)
app.command("list", cls=PmbfCommand, rich_help_panel=KEEPING, epilog=keeping.LIST_HELP)(keeping.list_)
app.command(cls=PmbfCommand, rich_help_panel=KEEPING, epilog=LABEL_HELP)(label)
app.command(cls=PmbfCommand, rich_help_panel=KEEPING, epilog=keeping.REMOVE_HELP)(keeping.remove)
app.command(cls=PmbfCommand, rich_help_panel=KEEPING, epilog=keeping.COMPACT_HELP)(keeping.compact)
app.command(cls=PmbfCommand, rich_help_panel=KEEPING, epilog=keeping.CHECK_HELP)(keeping.check)
app.command(cls=PmbfCommand, rich_help_panel=KEEPING, epilog=keeping.STATS_HELP)(keeping.stats)
app.add_typer(hosting.app, name="cluster", rich_help_panel=KEEPING)
app.add_typer(siting.app, name="site", rich_help_panel=FINDING)
app.add_typer(guard, name="guard", rich_help_panel=GUARDING)
app.command(cls=PmbfCommand, rich_help_panel=GUARDING, epilog=EXPORT_HELP)(export)
app.command(cls=PmbfCommand, rich_help_panel=GUARDING, epilog=serve.EPILOG)(serve.serve)


def main() -> None:
    """Run the command line."""
    with_only(sys.argv[1:2])(prog_name="pmbf")


def with_only(named: list[str]) -> typer.Typer:
    """Return the app with the named command alone: all commands take 10 ms to build. The whole app if none is named."""
    only = copy(app)
    only.registered_commands = [one for one in app.registered_commands if [_name(one)] == named]
    only.registered_groups = []
    return only if only.registered_commands else app


def _name(command: CommandInfo) -> str:
    return command.name or str(getattr(command.callback, "__name__", ""))
