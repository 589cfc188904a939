"""Random faults of hosts under queries and under loads of documents: are answers wrong, are commits lost?

The hosts are network namespaces of this machine, with a Ray cluster. A process on the first host asks all the time,
and in every second round it loads documents. A round does one thing to another host meanwhile:

- cut: its packets vanish for up to 3 seconds, and it is healed;
- both: the packets of both others vanish for 5 seconds: some volumes are on neither of the hosts that answer;
- zombie: they vanish until Ray has given it up; then it comes back with what it had, leaves, and joins anew;
- off: all its processes are killed at once; then it is started, and joins;
- stop: its holder is stopped for up to 6 seconds, or for ever;
- kill: its holder is killed;
- head: Ray is ended on the first host, and started on all of them again; who asks must be started anew, too.

Each report is compared with that of one folder with the same documents. After each round the collection is to have all
documents that were committed, once, and no others. The *usual* time of a query is the median of the round.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks import arguments
from benchmarks.faults import Figures, Named, made_texts
from measure import report
from measure.hosts import Hosts, cluster
from pmbf import Collection, IncompleteError
from pmbf.cluster import changing
from pmbf.cluster.collection import ClusterCollection
from pmbf.cluster.spread import Spread, SpreadCatalog
from pmbf.report import Report

FAULTS = ("cut", "stop", "kill", "off", "both", "cut", "stop", "kill", "zombie", "cut", "stop", "kill", "head")
TIMEOUT_S = 4.0
_COUNTED = ("queries", "incomplete", "wrong", "commits", "refused", "lost", "parted")
_DOCUMENTS, _NEW = 36, 8
_PART_BYTES = 6000
_ZOMBIE_S, _BOTH_S = 9.0, 5.0
_READY_S = 60.0


def add_arguments(some: Any) -> None:
    """Add the benchmark to the command line."""
    one = arguments.add_benchmark(some, "host_faults", "random faults of hosts in network namespaces", _run, table)
    one.add_argument("--faults", type=int, default=60, help="faults (60)")
    one.add_argument("--seed", type=int, default=1, help="of the random choices (1)")
    one.add_argument("--only", nargs="+", choices=sorted({*FAULTS}), default=FAULTS, metavar="FAULT", help="of these")


def _run(given: argparse.Namespace) -> Figures:
    return run(given.faults, given.seed, given.only)


def run(n_faults: int, seed: int, faults: Sequence[str] = FAULTS) -> Figures:
    """Return what was counted over some faults; `wrong`, `lost` and `parted` are to be 0."""
    with cluster(3) as hosts:
        trial = _Trial(hosts, seed)
        for number in range(n_faults):
            trial.one(faults[number % len(faults)], is_load=number % 2 == 1)
        trial.end()
    return {"n_faults": n_faults, "seed": seed, "timeout_s": TIMEOUT_S, "results": trial.results()}


def table(figures: Figures) -> str:
    """Return the figures as a Markdown table."""
    lines = report.head(f"| what | faults | {' | '.join(_COUNTED)} | longest query: median, worst | later than usual |")
    for one in figures["results"]:
        longest = _median_and_worst(one["longest_s"])
        later = _median_and_worst([a - b for a, b in zip(one["longest_s"], one["usual_s"], strict=True)])
        counted = " | ".join(str(one[name]) for name in ("faults", *_COUNTED))
        lines.append(f"| {one['fault']} | {counted} | {longest} | {later} |")
    return "\n".join(lines) + "\n"


def _median_and_worst(seconds: Sequence[float]) -> str:
    return ", ".join(report.time(one) for one in (median(seconds), max(seconds)))


class _Trial:
    """Hosts that are harmed while one of them asks."""

    def __init__(self, hosts: Hosts, seed: int) -> None:
        self._hosts, self._draw, self._seed = hosts, random.Random(seed), seed
        self._counts = {fault: Counter[str]() for fault in dict.fromkeys(FAULTS)}
        self._longest: dict[str, list[float]] = {fault: [] for fault in self._counts}
        self._usual: dict[str, list[float]] = {fault: [] for fault in self._counts}
        self._asker = self._started()

    def results(self) -> list[Figures]:
        """Return what was counted, for each kind of fault."""
        return [
            {"fault": fault, "longest_s": self._longest[fault], "usual_s": self._usual[fault]}
            | {name: count[name] for name in ("faults", *_COUNTED)}
            for fault, count in self._counts.items()
            if count["faults"]
        ]

    def one(self, fault: str, *, is_load: bool) -> None:
        """Do one thing while documents are asked for, and count what follows."""
        host, harm = self._draw.choice(self._hosts.names[1:]), getattr(self, f"_{fault}")
        self._tell("load" if is_load else "ask")
        time.sleep(self._draw.random())
        harm(host)
        time.sleep(0.5)
        self._tell("end")
        self._rejoin()
        told = json.loads(self._asker.stdout.readline())  # type: ignore[union-attr]
        longest, usual = told.pop("longest_s"), told.pop("usual_s")
        print(f"{fault} {host}: {told}, {longest:.2f} s, usual {usual:.3f} s", file=sys.stderr, flush=True)
        self._longest[fault].append(longest)
        self._usual[fault].append(usual)
        self._counts[fault].update(told, faults=1)

    def _rejoin(self) -> None:
        """Start Ray on hosts that Ray has given up: it ends there once they hear of that."""
        for host in self._hosts.names:
            if not self._hosts.processes(host, lambda one: "/raylet " in one):
                self._wait_without(host, "ray.scripts.scripts start")
                self._hosts.join(host)

    def _wait_without(self, host: str, word: str) -> None:
        """Wait until a host has no process with a word in its command."""
        end = time.monotonic() + _READY_S
        while self._hosts.processes(host, lambda one: word in one) and time.monotonic() < end:
            time.sleep(0.2)

    def end(self) -> None:
        """End the process that asks."""
        self._asker.stdin.close()  # type: ignore[union-attr]
        self._asker.wait(60)

    def _started(self) -> subprocess.Popen[str]:
        place, pipe = self._hosts.state / "trial", subprocess.PIPE
        command = ["-m", "benchmarks.host_faults", self._hosts.head, place, self._seed]
        started = self._hosts.start("h1", sys.executable, *command, stdin=pipe, stdout=pipe)
        assert started.stdout
        assert started.stdout.readline() == "ready\n"
        return started

    def _tell(self, word: str) -> None:
        assert self._asker.stdin
        self._asker.stdin.write(f"{word}\n")
        self._asker.stdin.flush()

    # ------------------------------------------------------------------ faults

    def _cut(self, host: str) -> None:
        self._hosts.cut(host)
        time.sleep(3 * self._draw.random())
        self._hosts.heal(host)

    def _both(self, _: str) -> None:
        for host in self._hosts.names[1:]:
            self._hosts.cut(host)
        time.sleep(_BOTH_S)
        for host in self._hosts.names[1:]:
            self._hosts.heal(host)

    def _zombie(self, host: str) -> None:
        self._hosts.cut(host)
        time.sleep(_ZOMBIE_S)
        self._hosts.heal(host)
        self._wait_without(host, "/raylet ")  # it learns that it was given up, and leaves

    def _off(self, host: str) -> None:
        self._hosts.power_off(host)
        time.sleep(2 * self._draw.random())
        self._hosts.power_on(host)
        self._hosts.join(host)

    def _stop(self, host: str) -> None:
        self._signal(host, signal.SIGSTOP)
        time.sleep(6 * self._draw.random())
        if self._draw.random() < 0.5:
            self._signal(host, signal.SIGCONT)

    def _kill(self, host: str) -> None:
        self._signal(host, signal.SIGKILL)

    def _head(self, _: str) -> None:
        for host in self._hosts.names:
            self._hosts.pmbf(host, "cluster", "stop", "--state", self._hosts.state / host)
        self._asker.kill()
        self._asker.wait()
        for process in self._hosts.processes("h1", lambda one: "benchmarks.host_faults" in one):
            os.kill(process, signal.SIGKILL)
        for host in self._hosts.names:
            self._hosts.join(host)
        self._asker = self._started()
        self._tell("ask")

    def _signal(self, host: str, number: signal.Signals) -> None:
        for process in self._hosts.processes(host, lambda one: one.startswith("ray::_Actor")):
            with suppress(ProcessLookupError):
                os.kill(process, number)


# ---------------------------------------------------------------------- the process on the first host


class _Asker:
    """Asks a cluster, and one folder with the same documents."""

    def __init__(self, cluster: ClusterCollection, whole: Collection, known: Path) -> None:
        self._cluster, self._whole, self._known = cluster, whole, known
        self._texts: dict[str, str] = dict(json.loads(known.read_text())) if known.exists() else {}
        self._draw = random.Random(len(self._texts))
        self.count = Counter[str]()
        self.seconds: list[float] = []

    def load(self, n: int) -> None:
        """Load new documents; the other folder gets them if they were committed."""
        some = [(f"{name}-of-{self._cluster.generation}", text) for name, text in made_texts(self._draw, n)]
        try:
            self._cluster.add_many(some)
        except IncompleteError as error:
            print(f"refused: {error}", file=sys.stderr, flush=True)
            self.count["refused"] += 1
            return
        self.count["commits"] += 1
        self._take(some)

    def compare(self) -> None:
        """Count documents that are missing, doubled, or of nobody; those of a load whose end nobody saw are known."""
        self._cluster.refresh()
        spread = Spread(self._cluster.nodes, self._cluster.manifest)
        listed = [one.path for one in SpreadCatalog(spread).paths()]
        if spread.unread:  # both copies were away: `incomplete` says so
            return
        self.count["lost"] += len(self._texts.keys() - set(listed))
        self.count["parted"] += len(listed) - len(set(listed)) + len(set(listed) - self._texts.keys())

    def catch_up(self) -> None:
        """Take over what was committed by a process that was killed before it could write that down."""
        ids = {
            one.path: one.document for one in SpreadCatalog(Spread(self._cluster.nodes, self._cluster.manifest)).paths()
        }
        new = sorted(ids.keys() - self._texts.keys(), key=ids.__getitem__)
        self._take([(name, self._cluster.text(ids[name])) for name in new])

    def ask(self) -> None:
        """Ask for a document, and compare the report."""
        text = self._draw.choice(list(self._texts.values()))
        before = time.monotonic()
        found = self._cluster.screen(text)
        self.seconds.append(time.monotonic() - before)
        is_partial = any(one.startswith("not looked at: ") for one in found.problems)
        self.count["queries"] += 1
        self.count["incomplete"] += is_partial
        self.count["wrong"] += not is_partial and _plain(found) != _plain(self._whole.screen(text))

    def _take(self, some: Sequence[Named]) -> None:
        self._texts |= dict(some)
        self._known.write_text(json.dumps(list(self._texts.items())))
        if some:
            self._whole.add_many(some)


def _plain(one: Report) -> Report:
    return replace(one, texts=None, collection="", generation=0)


def main(head: str, place: Path) -> None:
    """Do what the lines of the input say: `ask` or `load` until `end`; print what was counted."""
    from pmbf.cluster.on_ray import RayExecutor

    changing.PART_BYTES = _PART_BYTES
    executor, whole = RayExecutor(head), f"{place}-{os.getpid()}-{time.time_ns()}.pmbf"
    kept: dict[str, Any] = {"shelf": f"{place}-shelf", "timeout_s": TIMEOUT_S, "create": True}
    with (
        ClusterCollection(f"{place}-depot", nodes=executor.nodes(), executor=executor, **kept) as cluster,
        Collection(whole, create=True) as beside,
    ):
        asker = _Asker(cluster, beside, Path(f"{place}-texts.json"))
        if asker._texts:
            beside.add_many(list(asker._texts.items()))
            asker.catch_up()
        else:
            asker.load(_DOCUMENTS)
        print("ready", flush=True)
        for word in sys.stdin:
            _round(asker, is_load=word == "load\n", has_ended=_next_line())


def _next_line() -> Callable[[], bool]:
    reader = threading.Thread(target=sys.stdin.readline, daemon=True)
    reader.start()
    return lambda: not reader.is_alive()


def _round(asker: _Asker, *, is_load: bool, has_ended: Callable[[], bool]) -> None:
    asker.count, asker.seconds = Counter(dict.fromkeys(_COUNTED, 0)), []
    if is_load:
        asker.load(_NEW)
    asker.ask()
    while not has_ended():
        asker.ask()
    asker.compare()
    asker.ask()
    times = {"longest_s": max(asker.seconds), "usual_s": median(asker.seconds)}
    print(json.dumps(asker.count | times), flush=True)


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]))
