"""`pmbf cluster`: a collection on many nodes is made and looked at; machines become its hosts, and leave it."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

from pmbf.base.errors import DONE, FAILED
from pmbf.cli import arguments as arg
from pmbf.cli.arguments import flag, names, option
from pmbf.cli.inputs import open_on_nodes, profiled, ray_of
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
START_HELP = """Examples:
  pmbf cluster start --address 10.0.0.1
  pmbf cluster join 10.0.0.1:6379
  pmbf load ~/papers -c ray://auto/mnt/depot

The token is made where RAY_AUTH_TOKEN_PATH says, by default in
~/.ray/auth_token. Whoever has it may run code on all hosts.
docs/scaling.md says what else to know.

Exit codes: 0 started; 2 wrong usage; 3 an error"""
JOIN_HELP = "Exit codes: 0 joined; 2 wrong usage; 3 an error"
STOP_HELP = "Exit codes: 0 stopped; 2 wrong usage; 3 no host runs here, or an error"
DRAIN_HELP = """Commands that run meanwhile go on: the host's volumes are asked of their
other hosts.

Exit codes: 0 the host has left; 2 wrong usage; 3 a volume cannot be read
without the host, which then stays; or an error"""

_PORT = 6379

Address = Annotated[str | None, option("--address", "IP", "Where other hosts reach this one (default: Ray finds out).")]
Head = Annotated[str, names("HEAD", "Address and port of the first host.")]
Host = Annotated[str, names("HOST", "The host's name, as pmbf cluster status shows it.")]
Name = Annotated[
    str | None, option("--name", "NAME", "Name of the host, which decides what volumes it has (default: hostname).")
]
Block = Annotated[bool, flag("--block", "Stay in the foreground, for who watches over services.")]
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
    from pmbf.cli.shown.summaries import cluster_status_text

    with open_on_nodes(place(depot)) as asked:
        found = asked.status(fetch_all=fetch_all)
    print_json(found.to_dict()) if json else print_text(cluster_status_text(found))
    return FAILED if found.unread else DONE


def place(depot: str) -> OnNodes:
    """Return where a depot is: at an address, or in a folder, where there may be none yet."""
    return on_nodes(depot) or OnNodes(depot, "")


def _state() -> Path:
    """Return the folder of the log of this machine's host."""
    return Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache", "pmbf", "host").expanduser()


@cluster.command(START_HELP)
def start(
    address: Address = None,
    port: Annotated[
        int, option("--port", "PORT", f"Where hosts join (default: {_PORT}).", least=1, most=65535)
    ] = _PORT,
    name: Name = None,
    block: Block = False,
) -> None:
    """Make this machine the first host of a cluster."""
    from pmbf.cluster import hosts

    if not (hosts.token_path().exists() or {"RAY_AUTH_MODE", "RAY_AUTH_TOKEN"} & set(os.environ)):
        hosts.require_ray()  # before a token is made
    hosts.require_token(make=True)
    print_text(_how_to_join(address or "THIS_HOST", port, hosts.token_path()))
    words = ["--head", f"--port={port}", "--include-dashboard=false"]
    hosts.start([*words, _named(name)], address, _state(), block=block)


@cluster.command(JOIN_HELP)
def join(head: Head, address: Address = None, name: Name = None, block: Block = False) -> None:
    """Make this machine a further host of a cluster."""
    from pmbf.cluster import hosts
    from pmbf.cluster.encryption import require_same

    hosts.require_head(head)
    hosts.require_token(make=False)
    require_same(head)
    hosts.start([f"--address={head}", _named(name)], address, _state(), block=block)


@cluster.command(STOP_HELP)
def stop() -> None:
    """Take this machine out of its cluster."""
    from pmbf.cluster import hosts

    hosts.stop(_state())


@cluster.command(DRAIN_HELP)
def drain(depot: Depot, host: Host) -> None:
    """Have the other hosts fetch the volumes of one, and then take that one out of the cluster."""
    from pmbf.cli.shown.summaries import drained_text
    from pmbf.cluster.collection import SHELF
    from pmbf.cluster.opening import drain as drained

    there = place(depot)
    n_fetched = drained(there.depot, host, ray_of(there) or "auto", SHELF)
    print_text(drained_text(host, n_fetched))


def _named(name: str | None) -> str:
    from socket import gethostname

    return f"--node-name={name or gethostname()}"


def _how_to_join(address: str, port: int, token: Path) -> str:
    return (
        f"The token is in {token}. On each other host:\n"
        f"  scp {token} HOST:.ray/auth_token\n"
        f"  ssh HOST pmbf cluster join {address}:{port}\n"
    )
