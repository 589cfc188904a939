"""`pmbf cluster`: a collection on many nodes is made, filled, and looked at; `-c DEPOT` asks it."""

from __future__ import annotations

from typing import Annotated

from pmbf.base.errors import DONE, FAILED
from pmbf.cli import arguments as arg
from pmbf.cli.arguments import flag, names
from pmbf.cli.inputs import open_on_nodes, profiled
from pmbf.cli.outcome import print_json, print_text
from pmbf.cli.words import CommandGroup
from pmbf.store.telling import OnNodes, on_nodes

CLUSTER_HELP = """Examples:
  pmbf cluster init /mnt/depot
  pmbf load ~/papers -c /mnt/depot
  pmbf screen thesis.pdf -c /mnt/depot
  pmbf screen thesis.pdf -c ray://head:6379/mnt/depot

The depot is the folder, or the bucket, in which the collection lies. A volume
is a part of it. A node is a process that answers from volumes: there are three
on this machine; or one on each host of a Ray cluster, if a depot is named as
ray://HOST:PORT/PATH (ray://auto/PATH: on the cluster of this machine), or
PMBF_RAY is HOST:PORT or auto. docs/scaling.md says how hosts are joined."""
INIT_HELP = "Exit codes: 0 made; 2 wrong usage; 3 an error"
STATUS_HELP = """Volumes that a node has not been asked for yet are not on its disk: they are
counted, and not fetched: only their lists are read. With --fetch-all they are.

Exit codes: 0 no volume is known to be unreadable; 2 wrong usage; 3 some cannot
be read, or an error"""

Depot = Annotated[
    str,
    names("DEPOT", "A folder that all nodes can read, or s3://BUCKET/FOLDER; ray://HOST:PORT/DEPOT on a Ray cluster."),
]


cluster = CommandGroup(
    "Make a collection on many nodes, look at its nodes, join machines; `load`, `list`, `check` … take it by -c.",
    CLUSTER_HELP,
)


@cluster.command(INIT_HELP)
def init(depot: Depot, profile: arg.Profile = None) -> None:
    """Make an empty collection in a new depot."""
    from pmbf.base.params import Params
    from pmbf.cluster.manifest import created
    from pmbf.cluster.objects import depot_at

    created(depot_at(place(depot).depot), Params(**profiled(profile)))


@cluster.command(STATUS_HELP)
def status(
    depot: Depot,
    fetch_all: Annotated[bool, flag("--fetch-all", "The nodes fetch and open all their volumes first.")] = False,
    json: arg.Json = False,
) -> int:
    """Show which nodes have how many volumes, and how many of them are on their disks."""
    from pmbf.cli.shown.cluster import status_text

    with open_on_nodes(place(depot)) as asked:
        found = asked.status(fetch_all=fetch_all)
    print_json(found.to_dict()) if json else print_text(status_text(found))
    return FAILED if found.unread else DONE


def place(depot: str) -> OnNodes:
    """Return where a depot is: at an address, or in a folder, where there may be none yet."""
    return on_nodes(depot) or OnNodes(depot, "")


def compact_all(there: OnNodes, grace_h: float, *, json: bool) -> None:
    """Join small volumes of a collection, and delete files that it has not needed for some hours."""
    from pmbf.cli.shown.cluster import compacted_text

    with open_on_nodes(there) as opened:
        done = opened.compact(grace_h * 3600)
    print_json(done.to_dict()) if json else print_text(compacted_text(done))


def check_all(there: OnNodes, *, json: bool) -> int:
    """Compare all files of a depot with their checksums, and all volumes with what they say; return the exit code."""
    from pmbf.cli.shown.cluster import checked_text
    from pmbf.cluster.objects import depot_at
    from pmbf.cluster.status import unnamed

    with open_on_nodes(there) as opened:
        problems, n_volumes = opened.check(), len(opened.manifest.volumes)
        n_unnamed = 0 if problems else len(unnamed(depot_at(there.depot)))
    told = {"problems": problems, "n_unnamed_files": n_unnamed}
    print_json(told) if json else print_text(checked_text(problems, n_volumes, n_unnamed))
    return FAILED if problems else DONE
