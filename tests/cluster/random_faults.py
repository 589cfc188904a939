"""Random faults under queries and under loads of documents: are answers wrong, are commits lost, do states part?

A round does a random thing to a cluster on this machine, while it is asked or while documents are loaded:

- kill, stop: a node's process is killed, or stopped, at a random moment;
- damage: a node's process is killed, a byte of a file on its disk is changed, and the node is made anew;
- loader: the process that loads is killed at a random moment;
- two loaders: two processes load other documents at the same time, and commit when they come to it.

Each report is compared with that of one folder with the documents of the generation that answered. After each load the
last generation has all documents of the loads that said they committed, once.
"""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import tempfile
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

from pmbf import BusyError, Collection, IncompleteError
from pmbf.cluster import changing, upkeep
from pmbf.cluster.collection import ClusterCollection
from pmbf.cluster.depot import FolderDepot
from pmbf.cluster.manifest import last
from pmbf.cluster.spread import Spread, SpreadCatalog
from pmbf.jobs.executor import Local
from pmbf.jobs.processes import Processes
from pmbf.report import Report

Figures = dict[str, Any]
Named = tuple[str, str]

FAULTS = ("kill", "stop", "damage", "loader", "two loaders")
_NODES = 3
_DOCUMENTS, _NEW, _QUERIES = 36, 8, 4
_PART_BYTES, _JOINED_BYTES = 6000, 400_000
_COMPACT_AFTER = 20
_LOADER_S = 8.0
TIMEOUT_S = 4.0


def run(n_faults: int, seed: int) -> list[Figures]:
    """Return what was counted of each kind of fault; `wrong`, `lost` and `parted` are to be 0."""
    with _small_volumes(), tempfile.TemporaryDirectory() as place, _Trial(Path(place), seed) as trial:
        for number in range(n_faults):
            trial.one(FAULTS[number % len(FAULTS)])
            if number % _COMPACT_AFTER == _COMPACT_AFTER - 1:
                trial.compact()
        return trial.results()


@contextmanager
def _small_volumes() -> Iterator[None]:
    """Have few texts make some volumes, and joined volumes be small."""
    before = changing.PART_BYTES, upkeep.VOLUME_BYTES
    changing.PART_BYTES, upkeep.VOLUME_BYTES = _PART_BYTES, _JOINED_BYTES
    try:
        yield
    finally:
        changing.PART_BYTES, upkeep.VOLUME_BYTES = before


class _Trial:
    """A cluster that is harmed, and one folder with the same documents that is not."""

    def __init__(self, place: Path, seed: int) -> None:
        self._place, self._draw, self._n_named = place, random.Random(seed), 0
        self._counts = {fault: Counter[str]() for fault in FAULTS}
        self._expected: dict[str, str] = {}
        self._executor = Local()
        self._cluster = ClusterCollection(
            place / "depot", nodes=_NODES, executor=self._executor, timeout_s=TIMEOUT_S, create=True
        )
        self._commit(self._new(_DOCUMENTS))

    def __enter__(self) -> _Trial:
        return self

    def __exit__(self, *exc: object) -> None:
        self._cluster.close()

    def results(self) -> list[Figures]:
        """Return what was counted, for each kind of fault."""
        names = ("faults", "queries", "incomplete", "wrong", "commits", "refused", "lost", "parted")
        return [{"fault": fault, **{name: self._counts[fault][name] for name in names}} for fault in FAULTS]

    def one(self, fault: str) -> None:
        """Do one thing, and count what follows."""
        count = self._counts[fault]
        count["faults"] += 1
        if fault in ("kill", "stop", "damage"):
            is_load = self._draw.random() < 0.4 and fault != "damage"
            with self._harmed(fault):
                self._commit(self._new(_NEW), count) if is_load else self._ask(count)
        else:
            self._load_elsewhere(fault, count)
        self._compare(count)
        self._ask(count)
        if fault == "damage":
            self._cluster.check()  # it mends: a second fault would meet the other copy

    def compact(self) -> None:
        """Join small volumes, and delete what nobody needs."""
        self._cluster.compact()

    # ------------------------------------------------------------------ faults

    @contextmanager
    def _harmed(self, fault: str) -> Iterator[None]:
        """Harm a node soon, while the caller goes on."""
        node, wait = self._draw.randrange(_NODES), self._draw.random() * 0.3
        harm: Callable[[], None] = {
            "kill": lambda: self._signal(node, signal.SIGKILL),
            "stop": lambda: self._signal(node, signal.SIGSTOP),
            "damage": lambda: self._damage(node),
        }[fault]
        if fault == "damage":
            harm()
            yield
            return
        timer = threading.Timer(wait, harm)
        timer.start()
        try:
            yield
        finally:
            timer.join()

    def _signal(self, node: int, number: signal.Signals) -> None:
        with suppress(IndexError, ProcessLookupError, RuntimeError):
            children = cast(Processes, self._executor._processes[node])._all
            for process in list(children):
                os.kill(process.pid, number)

    def _damage(self, node: int) -> None:
        """Change a byte, and have the node read it: a page is compared with its checksum at its first reading alone."""
        files = sorted((self._place / "depot" / "shelf" / f"local-{node}" / "files").iterdir())
        if not files:
            return  # the node has no volume yet
        self._signal(node, signal.SIGKILL)
        victim = self._draw.choice(files)
        content = bytearray(victim.read_bytes())
        content[self._draw.randrange(len(content))] ^= 1 << self._draw.randrange(8)
        victim.write_bytes(content)  # the folders of the volumes have links to it
        nodes = self._cluster.nodes
        nodes.executor.call("fetch", {node: ((),)}, nodes.timeout_s)
        nodes._rest_until.clear()  # ask it at once

    def _load_elsewhere(self, fault: str, count: Counter[str]) -> None:
        """Load documents in one process that is killed, or in two at once."""
        every = [self._new(_NEW) for _ in range(1 if fault == "loader" else 2)]
        before = last(FolderDepot(self._place / "depot")).n_documents
        processes = [self._loader(some) for some in every]
        if fault == "loader":
            with suppress(subprocess.TimeoutExpired):
                processes[0].wait(self._draw.random() * _LOADER_S)
            processes[0].kill()
        codes = [process.wait(120) for process in processes]
        now = {name for name, _ in self._cluster_texts()}
        for some, code in zip(every, codes, strict=True):
            is_there = {name for name, _ in some} <= now
            is_part = bool({name for name, _ in some} & now) and not is_there
            count["commits"] += is_there
            count["refused"] += code == 5
            count["lost"] += code == 0 and not is_there
            count["parted"] += is_part or (code == 5 and is_there)
            if is_there:
                self._expected |= dict(some)
                before += len(some)
        count["parted"] += before != self._cluster.manifest.n_documents

    def _loader(self, some: Sequence[Named]) -> subprocess.Popen[bytes]:
        place = self._place / f"new-{some[0][0]}"
        place.write_text("\n".join(f"{name}\t{text}" for name, text in some), encoding="utf-8")
        command = [sys.executable, "-m", "tests.cluster.random_faults", str(self._place / "depot"), str(place)]
        home, quiet = Path(__file__).parents[2], subprocess.DEVNULL
        return subprocess.Popen(command, cwd=home, stdout=quiet, stderr=quiet)

    # ------------------------------------------------------------------ what must hold

    def _commit(self, some: Sequence[Named], count: Counter[str] | None = None) -> None:
        try:
            self._cluster.add_many(some)
        except IncompleteError:
            if count is None:
                raise
            count["refused"] += 1
            return
        self._expected |= dict(some)
        if count is not None:
            count["commits"] += 1

    def _cluster_texts(self) -> list[Named]:
        """Return the names and ids of the last generation."""
        self._cluster.refresh()
        spread = Spread(self._cluster.nodes, self._cluster.manifest)
        listed = [(one.path, str(one.document)) for one in SpreadCatalog(spread).paths()]
        assert not spread.unread, spread.unread
        return listed

    def _compare(self, count: Counter[str]) -> None:
        """Count documents that are missing, doubled, or of nobody."""
        listed = self._cluster_texts()
        names = {name for name, _ in listed}
        count["lost"] += len(self._expected.keys() - names)
        count["parted"] += len(names - self._expected.keys()) + len(listed) - len({id_ for _, id_ in listed})

    def _ask(self, count: Counter[str]) -> None:
        """Ask, and compare each report with that of one folder."""
        order = [name for name, _ in sorted(self._cluster_texts(), key=lambda one: int(one[1]))]
        with tempfile.TemporaryDirectory() as beside, Collection(f"{beside}/c.pmbf", create=True) as whole:
            whole.add_many([(name, self._expected[name]) for name in order])
            for name in self._draw.sample(order, _QUERIES):
                found = self._cluster.screen(self._expected[name])
                is_partial = any(one.startswith("not looked at: ") for one in found.problems)
                count["queries"] += 1
                count["incomplete"] += is_partial
                count["wrong"] += not is_partial and _plain(found) != _plain(whole.screen(self._expected[name]))

    def _new(self, n: int) -> list[Named]:
        """Return documents that share text with each other."""
        self._n_named += n
        return [
            (f"text-{number:05}", text)
            for number, (_, text) in enumerate(made_texts(self._draw, n), self._n_named - n + 1)
        ]


def made_texts(draw: random.Random, n: int) -> list[Named]:
    """Return documents that share text with each other, with numbers from 1 as names."""

    def words(n_words: int) -> str:
        return " ".join(
            "".join(draw.choice("abdegiklmnoprstu") for _ in range(draw.randrange(3, 9))) for _ in range(n_words)
        )

    common, named = words(40), []
    for number in range(1, n + 1):
        text = words(draw.choice((30, 100, 200)))
        named.append((str(number), f"{text} {common}" if draw.random() < 0.4 else text))
    return named


def _plain(one: Report) -> Report:
    """Return a report without what differs between a cluster and a folder: ids have no gaps here."""
    return replace(one, texts=None, collection="", generation=0)


def _load(depot: str, place: str) -> int:
    """Load documents as another process: 0 committed, 5 somebody else was faster."""
    changing.PART_BYTES = _PART_BYTES
    with open(place, encoding="utf-8") as file:
        some = [(line.split("\t")[0], line.rstrip("\n").split("\t")[1]) for line in file]
    shelf = f"{place}.shelf"
    try:
        with ClusterCollection(depot, nodes=2, shelf=shelf) as cluster:
            cluster.add_many(some)
    except BusyError:
        return 5
    return 0


if __name__ == "__main__":
    sys.exit(_load(*sys.argv[1:]))
