"""`pmbf cluster`: a collection on many nodes is made, filled, and looked at; `-c DEPOT` asks it."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from pmbf.base.errors import DONE, FAILED
from pmbf.cli import arguments as arg
from pmbf.cli.arguments import flag, names, option
from pmbf.cli.groups import PmbfCommand, PmbfGroup
from pmbf.cli.inputs import limits, open_on_nodes, profiled
from pmbf.cli.labelling import Labels, labelling_of
from pmbf.cli.outcome import note, print_json, print_text
from pmbf.cli.params import READING, Params
from pmbf.store.telling import OnNodes, on_nodes

if TYPE_CHECKING:
    from pmbf.cluster.collection import ClusterCollection

app = typer.Typer(
    cls=PmbfGroup,
    no_args_is_help=True,
    rich_markup_mode="rich",
    context_settings={"help_option_names": ["--help", "-h"]},
)

CLUSTER_HELP = """Examples:
  pmbf cluster init /mnt/depot
  pmbf cluster load /mnt/depot ~/papers
  pmbf screen thesis.pdf -c /mnt/depot
  pmbf screen thesis.pdf -c ray://head:6379/mnt/depot

The depot is the folder, or the bucket, in which the collection lies. A volume
is a part of it. A node is a process that answers from volumes: there are three
on this machine; or one on each host of a Ray cluster, if a depot is named as
ray://HOST:PORT/PATH (ray://auto/PATH: on the cluster of this machine), or
PMBF_RAY is HOST:PORT or auto. docs/scaling.md says how hosts are joined."""
INIT_HELP = "Exit codes: 0 made; 2 wrong usage; 3 an error"
LOAD_HELP = """Each load is one commit. If another process commits meanwhile, then nothing
of this load is kept: give the command again. Pruning and labels are a second
commit.

Exit codes: 0 done; 2 wrong usage; 3 a file had a problem, or an error"""
REMOVE_HELP = "Exit codes: 0 removed; 2 wrong usage; 3 an error"
COMPACT_HELP = """A load may take no longer than the grace time: if its files were deleted
meanwhile, then it commits nothing and says so.

Exit codes: 0 done; 2 wrong usage; 3 an error"""
CHECK_HELP = """Every file is read. Copies that are damaged on a node's own disk alone
are fetched anew.

Exit codes: 0 no problem; 2 wrong usage; 3 problems"""
STATUS_HELP = """Volumes that a node has not been asked for yet are not on its disk: they are
counted, and not fetched: only their lists are read. With --fetch-all they are.

Exit codes: 0 no volume is known to be unreadable; 2 wrong usage; 3 some cannot
be read, or an error"""

Depot = Annotated[
    str,
    names("DEPOT", "A folder that all nodes can read, or s3://BUCKET/FOLDER; ray://HOST:PORT/DEPOT on a Ray cluster."),
]
Param = Annotated[list[Any] | None, Params(READING).option]
Roots = Annotated[list[str], names("PATH …", "Files and folders that all nodes can read.")]
Targets = Annotated[list[str], names("DOCUMENT …", "Ids, paths or names of documents.")]


@app.callback(epilog=CLUSTER_HELP)
def _cluster() -> None:
    """Keep a collection on many nodes: make it, load it, check it, join machines."""


@app.command(cls=PmbfCommand, epilog=INIT_HELP)
def init(depot: Depot, profile: arg.Profile = None) -> None:
    """Make an empty collection in a new depot."""
    from pmbf.base.params import Params
    from pmbf.cluster.manifest import created
    from pmbf.cluster.objects import depot_at

    created(depot_at(place(depot).depot), Params(**profiled(profile)))


@app.command(cls=PmbfCommand, epilog=LOAD_HELP)
def load(
    depot: Depot,
    paths: Roots,
    include: arg.Include = None,
    exclude: arg.Exclude = None,
    prune: arg.Prune = False,
    labels: Labels = None,
    param: Param = None,
    verbose: arg.Verbose = False,
    json: arg.Json = False,
) -> None:
    """Load files and folders: new files are added, changed ones replaced, in one commit."""
    from pmbf.cli.shown.cluster import loaded_text
    from pmbf.cli.shown.progress import load_progress
    from pmbf.cli.shown.summaries import passed_over_lines, problem_lines

    labelling, bounds = labelling_of(labels), limits(param)
    how: dict[str, Any] = {
        "include": include or (),
        "exclude": exclude or (),
        "prune": prune,
        "labels": labelling,
        "limits": bounds,
    }
    with opened(depot) as asked, load_progress(shown=sys.stderr.isatty()) as on_progress:
        report = asked.load(paths, on_progress=on_progress, **how)
        n_documents, n_volumes = len(asked), len(asked.manifest.volumes)
    for line in passed_over_lines(report) if verbose and not json else ():
        print_text(f"{line}\n")
    print_json(report.to_dict()) if json else print_text(loaded_text(report, n_documents, n_volumes))
    for line in () if json else problem_lines(report.problems):
        note(line)
    raise typer.Exit(FAILED if report.problems else DONE)


@app.command(cls=PmbfCommand, epilog=REMOVE_HELP)
def remove(depot: Depot, documents: Targets, json: arg.Json = False) -> None:
    """Remove documents by id, or take out paths and names, in one commit."""
    from pmbf.cli.shown.summaries import remove_text

    with opened(depot) as asked:
        n_removed = asked.remove(*_targets(documents))
    print_json({"n_removed": n_removed}) if json else print_text(remove_text(n_removed, "pmbf cluster compact"))


@app.command(cls=PmbfCommand, epilog=COMPACT_HELP)
def compact(
    depot: Depot,
    grace: Annotated[float, option("--grace", "HOURS", "How long replaced files stay (default: 24).", min=1)] = 24,
    json: arg.Json = False,
) -> None:
    """Join small volumes, and delete files that the collection has not needed for some time."""
    from pmbf.cli.shown.cluster import compacted_text

    with opened(depot) as asked:
        done = asked.compact(grace * 3600)
    print_json(done.to_dict()) if json else print_text(compacted_text(done))


@app.command(cls=PmbfCommand, epilog=CHECK_HELP)
def check(depot: Depot, json: arg.Json = False) -> None:
    """Compare all files of the depot with their checksums, and all volumes with what they say."""
    from pmbf.cli.shown.cluster import checked_text
    from pmbf.cluster.checking import unnamed
    from pmbf.cluster.objects import depot_at

    with opened(depot) as asked:
        problems, n_volumes = asked.check(), len(asked.manifest.volumes)
        n_unnamed = 0 if problems else len(unnamed(depot_at(place(depot).depot)))
    told = {"problems": problems, "n_unnamed_files": n_unnamed}
    print_json(told) if json else print_text(checked_text(problems, n_volumes, n_unnamed))
    raise typer.Exit(FAILED if problems else DONE)


@app.command(cls=PmbfCommand, epilog=STATUS_HELP)
def status(
    depot: Depot,
    fetch_all: Annotated[bool, flag("--fetch-all", "The nodes fetch and open all their volumes first.")] = False,
    json: arg.Json = False,
) -> None:
    """Show which nodes have how many volumes, and how many of them are on their disks."""
    from pmbf.cli.shown.cluster import status_text

    with opened(depot) as asked:
        found = asked.status(fetch_all=fetch_all)
    print_json(found.to_dict()) if json else print_text(status_text(found))
    raise typer.Exit(FAILED if found.unread else DONE)


def place(depot: str) -> OnNodes:
    """Return where a depot is: at an address, or in a folder, where there may be none yet."""
    return on_nodes(depot) or OnNodes(depot, "")


def opened(depot: str) -> ClusterCollection:
    """Return the collection of a depot."""
    return open_on_nodes(place(depot))


def _targets(given: Sequence[str]) -> list[int | str]:
    return [int(one) if one.isdecimal() else one for one in given]
