"""A collection on many nodes beside the same documents in one folder: added time, processor time, equal reports.

The nodes are processes of this machine, or the hosts of a Ray cluster (`--ray`). Batches are measured in processor time
of all processes, so that other work on the machine counts for little; single queries on the clock, in turn with one
folder.
"""

from __future__ import annotations

import argparse
import random
import tempfile
import time
import zlib
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from measure import report
from measure.commands import add_folder, add_numbers, positive
from pmbf import Collection
from pmbf.base.arrays import distinct
from pmbf.base.params import Params
from pmbf.cluster.calls import Nodes
from pmbf.cluster.depot import FolderDepot
from pmbf.cluster.filter_rows import RowsHere
from pmbf.cluster.holder import Holder
from pmbf.cluster.manifest import Manifest, created
from pmbf.cluster.placement import Node
from pmbf.cluster.spread import SpreadBackend
from pmbf.cluster.volumes import seal
from pmbf.cluster.working import fetch
from pmbf.extract import Limits
from pmbf.fingerprint import query_sample
from pmbf.intake.texts import Text
from pmbf.jobs.executor import Executor, Local, complete
from pmbf.report import Report
from pmbf.screen import LeavingOut, Options, answers, screened

Figures = dict[str, Any]
Named = tuple[str, str]

NODES = (1, 3, 7)
_QUERY_CHARS = 2000
_SINGLE = 100
_WARM = 20


class Measured(Holder):
    """A holder that tells the processor time of its process."""

    def seconds(self) -> float:
        """Return the seconds of the processor since the process began."""
        return time.process_time()


def add_arguments(one: argparse.ArgumentParser) -> None:
    """Add the arguments of the benchmark."""
    add_folder(one)
    add_numbers(one, n_documents=(3000, "documents, at most"), n_queries=(1000, "queries of a batch"))
    add_numbers(one, n_volumes=(9, "volumes"))
    one.add_argument("--chars", dest="n_chars", type=positive, help="characters of a document, at most (all)")
    one.add_argument("--ray", metavar="ADDRESS", help="of a Ray cluster: its hosts are the nodes, and share this disk")


def run(
    folder: Path,
    *,
    n_documents: int,
    n_queries: int,
    n_volumes: int = 9,
    n_chars: int | None = None,
    ray: str | None = None,
) -> Figures:
    """Return the figures of one folder and of some numbers of nodes.

    Args:
        folder: Searched recursively for .txt files.
        n_documents: Documents, at most.
        n_queries: Queries of a batch: 2,000 characters, of two documents.
        n_volumes: Volumes.
        n_chars: Characters of a document, at most.
        ray: The address of a Ray cluster, whose hosts are the nodes.
    """
    documents = _documents(folder, n_documents, n_chars)
    queries = _queries(documents, n_queries)
    with tempfile.TemporaryDirectory() as place:
        depot, manifest = _spread(documents, Path(place), n_volumes)
        with Collection(f"{place}/whole.pmbf", create=True) as collection:
            collection.add_many(documents)
            trial = _Trial(collection, depot, manifest, Path(place), queries)
            results = [trial.of(*nodes) for nodes in (_hosts(ray) if ray else map(_processes, NODES))]
    first = list(results[0]["reports"])
    for one in results:
        one["n_unlike_one_node"] = sum(a != b for a, b in zip(first, one.pop("reports"), strict=True))
    size = sum(len(text) for _, text in documents)
    return {
        "n_documents": len(documents),
        "n_chars": size,
        "n_queries": len(queries),
        "n_volumes": n_volumes,
        "results": results,
    }


def table(figures: Figures) -> str:
    """Return the figures as a Markdown table: in brackets the times of one folder, last the paired differences."""
    titles = (
        "nodes",
        "unlike one folder",
        "unlike one node",
        "processor time / one folder",
        "p50",
        "p99",
        "added p50 / p99",
    )
    lines = report.head(f"| {' | '.join(titles)} |")
    for one in figures["results"]:
        waits = [f"{report.time(one[f'{name}_s'])} ({report.time(one[f'{name}_here_s'])})" for name in ("p50", "p99")]
        waits.append(" / ".join(f"{1e3 * one[f'{name}_added_s']:.1f} ms" for name in ("p50", "p99")))
        share = one["cpu_s"] / one["cpu_here_s"]
        lines.append(
            f"| {one['n_nodes']} | {one['n_unlike']} | {one['n_unlike_one_node']} | {share:.2f} | {' | '.join(waits)} |"
        )
    return "\n".join(lines) + "\n"


Started = tuple[Executor, list[Node]]


def _processes(n_nodes: int) -> Started:
    return Local(), [Node(f"of-{n_nodes}-{number}", f"host-{number}") for number in range(n_nodes)]


def _hosts(address: str) -> list[Started]:
    from pmbf.cluster.on_ray import RayExecutor

    executor = RayExecutor(address)
    return [(executor, executor.nodes())]


class _Trial(NamedTuple):
    """The same documents in one folder and in volumes, and what both are asked."""

    collection: Collection
    depot: FolderDepot
    manifest: Manifest
    place: Path
    queries: Sequence[Text]

    def of(self, executor: Executor, names: list[Node]) -> Figures:
        """Return the figures of some nodes, beside those of one folder in the same minutes."""
        executor.start(Measured, [(self.depot.address, str(self.place / "shelves" / one.name)) for one in names])
        try:
            rows = RowsHere(self.place / "rows", self.depot, self.manifest.params)
            nodes = Nodes(executor, names, rows=rows)
            fetch(nodes, self.manifest.volumes)
            return self._measured(nodes)
        finally:
            executor.close()

    def _measured(self, nodes: Nodes) -> Figures:
        queries, n_nodes = self.queries, len(nodes.nodes)

        def there(some: Sequence[Text]) -> list[Report]:
            backend, options = SpreadBackend(nodes, self.manifest, self.place), Options()
            of_each = LeavingOut(backend, options)
            found = answers(backend, some, of_each, limits=Limits(), options=options, stages=screened)
            return [replace(one.report, texts=None, collection="", generation=0) for one in found]

        def here(some: Sequence[Text]) -> list[Report]:
            found = self.collection.answers(some)
            return [replace(one.report, texts=None, collection="", generation=0) for one in found]

        for ask in (here, there):
            ask(queries[:_WARM])
        before = time.process_time()
        expected = here(queries)
        cpu_here, before = time.process_time() - before, time.process_time() + _seconds(nodes)
        found = there(queries)
        cpu = time.process_time() + _seconds(nodes) - before
        singles = np.array([(_clock(here, one), _clock(there, one)) for one in queries[:_SINGLE]])
        return {
            "n_nodes": n_nodes,
            "n_unlike": sum(a != b for a, b in zip(expected, found, strict=True)),
            "reports": [f"{zlib.crc32(one.to_json().encode()):08x}" for one in found],
            "n_found": sum(one.found for one in expected),
            **_asked(nodes, self.manifest, queries),
            "cpu_here_s": cpu_here,
            "cpu_s": cpu,
            **_waits("", singles[:, 1]),
            **_waits("_here", singles[:, 0]),
            **_waits("_added", singles[:, 1] - singles[:, 0]),
        }


def _asked(nodes: Nodes, manifest: Manifest, queries: Sequence[Text]) -> Figures:
    """Return how many volumes a query is asked of, and for which share of its hashes each of these, on average."""
    volumes, shares = [], []
    for one in queries[:_SINGLE]:
        hashes = distinct(query_sample(one.text, manifest.params).hashes)
        places = nodes.rows.having(manifest, hashes)[0] if nodes.rows else {}
        volumes.append(len(places))
        shares += [len(some) / len(hashes) for some in places.values()]
    return {"volumes_asked": float(np.mean(volumes)), "hashes_asked": float(np.mean(shares))}


def _waits(name: str, seconds: NDArray[np.float64]) -> Figures:
    p50, p99 = np.percentile(seconds, [50, 99]).tolist()
    return {f"p50{name}_s": p50, f"p99{name}_s": p99}


def _seconds(nodes: Nodes) -> float:
    return float(sum(complete(nodes.executor.call("seconds", dict.fromkeys(range(len(nodes.nodes)), ())))))


def _clock(ask: Any, query: Text) -> float:
    before = time.perf_counter()
    ask([query])
    return time.perf_counter() - before


def _documents(texts: Path, most: int, n_chars: int | None) -> list[Named]:
    """Return texts of a folder by their paths, or the beginnings of texts; each content once."""
    found: dict[str, str] = {}
    for path in sorted(texts.rglob("*.txt")):
        text = path.read_text(encoding="utf-8", errors="replace").replace("\ud800", "")
        if len(text) > _QUERY_CHARS:
            found.setdefault(text[:n_chars], str(path.relative_to(texts)))
        if len(found) == most:
            break
    return [(name, text) for text, name in found.items()]


def _queries(documents: Sequence[Named], n_queries: int) -> list[Text]:
    draw = random.Random(1)

    def part() -> str:
        text = draw.choice(documents)[1]
        start = draw.randrange(max(1, len(text) - _QUERY_CHARS // 2))
        return text[start : start + _QUERY_CHARS // 2]

    return [Text(f"query-{number}", f"{part()}\n\n{part()}") for number in range(n_queries)]


def _spread(documents: Sequence[Named], place: Path, n_volumes: int) -> tuple[FolderDepot, Manifest]:
    depot, volumes = FolderDepot(place / "depot"), []
    size = -(-len(documents) // n_volumes)
    for start in range(0, len(documents), size):
        folder = place / f"part-{start}.pmbf"
        with Collection(folder, create=True) as part:
            part.add_many(documents[start : start + size])
        volumes.append(seal(folder, depot))
    return depot, created(depot, Params()).following(added=volumes)
