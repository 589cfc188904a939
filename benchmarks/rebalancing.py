"""A node is added to a cluster: how many bytes move, and how long until it serves.

The documents are made up, as `benchmarks.synthetic` writes them; the nodes are processes of this machine, each with its
copies in a folder of its own. So what moves is copied from disk to disk, not over a network.
"""

from __future__ import annotations

import argparse
import random
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks import arguments, synthetic
from measure import report
from pmbf.cluster.collection import ClusterCollection
from pmbf.cluster.depot import FolderDepot
from pmbf.cluster.manifest import Manifest, commit, created
from pmbf.cluster.placement import COPIES, Node, local_nodes, placed
from pmbf.cluster.volumes import seal

Figures = dict[str, Any]

NODES = (3, 4, 5)
_PLACEMENTS = 200
_VOLUMES = (16, 64, 256, 16_384)


def add_arguments(some: Any) -> None:
    """Add the benchmark to the command line."""
    one = arguments.add_benchmark(some, "rebalancing", "a node is added to a cluster", _run, table)
    one.add_argument("--documents", type=int, default=1_000_000, help="documents (1,000,000)")
    one.add_argument("--hashes", type=int, default=100, help="hashes of each (100)")
    one.add_argument("--volumes", type=int, default=64, help="volumes (64)")


def _run(given: argparse.Namespace) -> Figures:
    return run(given.documents, given.hashes, given.volumes)


def run(n_documents: int, n_hashes: int, n_volumes: int) -> Figures:
    """Return what moves when nodes are added one by one, and how the share spreads over placements."""
    with tempfile.TemporaryDirectory() as place:
        manifest = _stored(Path(place), n_documents, n_hashes, n_volumes)
        opened = [_opened(Path(place), manifest, n_nodes) for n_nodes in NODES]
    return {
        "n_documents": n_documents,
        "n_hashes": n_hashes,
        "n_volumes": n_volumes,
        "n_bytes": sum(one.n_bytes for one in manifest.volumes),
        "results": opened[1:],
        "first_s": opened[0]["seconds"],
        "spread": [_spread(number) for number in _VOLUMES],
    }


def table(figures: Figures) -> str:
    """Return the figures as two Markdown tables."""
    lines = report.head("| nodes afterwards | moved | of all copies | of 1/n | until it serves |")
    for one in figures["results"]:
        shares = f"{one['share']:.3f} | {one['share'] * one['n_nodes']:.2f}"
        lines.append(f"| {one['n_nodes']} | {one['moved'] / 1e6:,.0f} MB | {shares} | {report.time(one['seconds'])} |")
    lines += ["", *report.head("| volumes | of 1/n, median | 19 of 20 placements, at most |")]
    lines += [f"| {one['n_volumes']:,} | {one['median']:.2f} | {one['p95']:.2f} |" for one in figures["spread"]]
    return "\n".join(lines) + "\n"


def _stored(place: Path, n_documents: int, n_hashes: int, n_volumes: int) -> Manifest:
    depot, volumes = FolderDepot(place / "depot"), []
    for number in range(n_volumes):
        with tempfile.TemporaryDirectory(dir=place) as beside:
            folder = Path(beside) / "part.pmbf"
            some = synthetic.random_documents(n_documents // n_volumes, n_hashes, seed=number)
            synthetic.write(folder, some, batch=1 << 14)
            volumes.append(seal(folder, depot))
    manifest = created(depot, synthetic.PARAMS).following(added=volumes)
    commit(depot, manifest)
    return manifest


def _opened(place: Path, manifest: Manifest, n_nodes: int) -> Figures:
    """Return how long nodes take to open their volumes, all but the last with their copies from before."""
    nodes = local_nodes(n_nodes)
    with ClusterCollection(place / "depot", nodes=n_nodes, shelf=place / "shelf", timeout_s=120) as collection:
        had = {(one.name, name) for one in nodes for name in _kept(place, one)}
        started = time.perf_counter()
        unread = collection.open()
        seconds = time.perf_counter() - started
        assert not unread, unread
        collection.nodes.keep(manifest.volumes)
    sizes = {one.name: one.n_bytes for one in manifest.volumes}
    moved = sum(sizes[name] for one in nodes for name in _kept(place, one) if (one.name, name) not in had)
    share = moved / (COPIES * sum(sizes.values()))
    return {"n_nodes": n_nodes, "moved": moved, "share": share, "seconds": seconds}


def _kept(place: Path, node: Node) -> list[str]:
    return [one.name for one in (place / "shelf" / node.name / "volumes").glob("*")]


def _spread(n_volumes: int) -> Figures:
    """Return how much more or less than 1/n of the copies a fourth node takes over, over random placements."""
    draw, found = random.Random(1), []
    for _ in range(_PLACEMENTS if n_volumes < 1000 else 20):
        nodes = [Node(f"{draw.random()}", str(number)) for number in range(4)]
        taken = sum(nodes[-1] in placed(f"{draw.random()}", nodes) for _ in range(n_volumes))
        found.append(taken * len(nodes) / (COPIES * n_volumes))
    median, p95 = np.percentile(found, [50, 95])
    return {"n_volumes": n_volumes, "median": float(median), "p95": float(p95)}
