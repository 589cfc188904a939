"""The command line: each command parses, calls `Collection` and prints. `pmbf.cli.outcome` ends it."""

from __future__ import annotations

import sys
from copy import copy
from typing import Annotated, Any

import typer
from typer.models import CommandInfo

import pmbf
from pmbf.base.errors import DONE, ParameterError
from pmbf.cli import arguments as arg
from pmbf.cli import comparing, hosting, keeping, pairing, serve, siting, web
from pmbf.cli import duplicates as copies
from pmbf.cli import screen as screening
from pmbf.cli.export import EXPORT_HELP, export
from pmbf.cli.groups import PmbfCommand, PmbfGroup
from pmbf.cli.guard.app import app as guard
from pmbf.cli.inputs import limits, n_cores, named_collection, named_roots, profiled
from pmbf.cli.labelling import LABEL_HELP, Labels, label, labelling_of
from pmbf.cli.loading import load_all
from pmbf.cli.outcome import print_text
from pmbf.cli.params import READING, ROWS, SAMPLING, Params, of
from pmbf.cli.sentences import app as sentences_
from pmbf.cli.similar import app as similar
from pmbf.store.telling import on_nodes

_USUAL_JOBS = 4
"""Default limit of load threads: the committing thread cannot keep up with more than 4."""

Param = Annotated[list[Any] | None, Params(READING, SAMPLING, ROWS).option]

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

Into a depot (-c DEPOT) a load is one commit: if another process commits
meanwhile, then nothing of it is kept. All nodes must see the files.

Exit codes: 0 every file loaded; 2 wrong usage; 3 an error, or a file had a
problem (the others are loaded); 130 stopped by Ctrl-C""",
)
def load(
    paths: arg.Paths = None,
    collection: arg.AnyCollection = None,
    include: arg.Include = None,
    exclude: arg.Exclude = None,
    files_from: arg.FilesFrom = None,
    prune: arg.Prune = False,
    labels: Labels = None,
    ocr: arg.Ocr = None,
    jobs: arg.LoadJobs = None,
    profile: arg.Profile = None,
    index: arg.Index = None,
    no_text: arg.NoText = False,
    param: Param = None,
    verbose: arg.Verbose = False,
    json: arg.Json = False,
    quiet: arg.QuietLoad = False,
) -> None:
    """Load files and folders; make the collection if it does not exist."""
    settings = of(param, SAMPLING, ROWS)
    params = profiled(profile, index=index, store_text=False if no_text else None, **settings)
    bounds = limits(param, ocr)
    if verbose and (quiet or json):
        raise ParameterError(f"--verbose is given with {'--quiet' if quiet else '--json, which lists all'}; choose one")
    if ocr and no_text:
        raise ParameterError("--ocr is given with --no-text: passages would be compared without the text of scans")
    how: dict[str, Any] = {
        "include": include or (),
        "exclude": exclude or (),
        "prune": prune,
        "labels": labelling_of(labels),
        "limits": bounds,
    }
    roots = named_roots(paths or [], files_from, bounds)
    named = named_collection(collection)
    if not on_nodes(named):
        how["jobs"] = jobs or min(_USUAL_JOBS, n_cores())
    elif jobs or ocr:
        raise ParameterError(f"{'--jobs' if jobs else '--ocr'} is for a collection in one folder; leave it out")
    raise typer.Exit(load_all(named, params, roots, json=json, quiet=quiet, verbose=verbose, **how))


app.command(cls=PmbfCommand, rich_help_panel=FINDING, epilog=screening.EPILOG)(screening.screen)
app.command(cls=PmbfCommand, rich_help_panel=FINDING, epilog=comparing.EPILOG)(comparing.compare)
app.command(cls=PmbfCommand, rich_help_panel=FINDING, epilog=copies.EPILOG)(copies.duplicates)
app.add_typer(similar, name="similar", rich_help_panel=FINDING)
app.add_typer(sentences_, name="sentences", rich_help_panel=FINDING)
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
