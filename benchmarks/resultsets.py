"""Result sets: how long a hundred articles take to be prepared and compared, at worst, and over HTTP.

The articles are the first 1,600 characters of texts of a folder; 30 of the 100 are copies of the others with a few
words changed. *Compared* is the whole call of `duplicates` on articles that are prepared, *kernel* the comparison
alone. The worst inputs are those that were found: all articles equal, all just below the threshold. Over HTTP one
client asks for sets of known ids through the Unix socket, one after another. *Requests a minute and core* are by the
processor time of the process that answers.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np

from benchmarks import arguments
from measure import report
from measure.corpora import read
from pmbf import Collection, ResultSets
from pmbf.errors import ParameterError
from pmbf.resultsets import Prepared
from pmbf.resultsets.comparing import alike

Figures = dict[str, Any]

N_ARTICLES, N_COPIES, ARTICLE_CHARS = 100, 30, 1600
WAYS: dict[str, dict[str, Any]] = {
    "words, 64 hashes": {"keep": 64},
    "words, 128 hashes": {},
    "sentences": {"features": "sentences"},
    "sentences, stemmed": {"features": "sentences", "stem": "english"},
}


def add_arguments(some: Any) -> None:
    """Add the benchmark to the command line."""
    what = "a hundred articles compared with each other, and over HTTP"
    one = arguments.add_benchmark(some, "resultsets", what, _run, table)
    arguments.add_folder(one)
    one.add_argument("--rounds", type=int, default=40, help="rounds; each time is their median (40)")
    one.add_argument("--requests", type=int, default=3000, help="requests over HTTP (3000)")


def _run(given: argparse.Namespace) -> Figures:
    return run(given.folder, n_rounds=given.rounds, n_requests=given.requests)


def run(folder: Path, *, n_rounds: int, n_requests: int) -> Figures:
    """Return the times of each way, and of requests over HTTP.

    Args:
        folder: Searched for .txt files.
        n_rounds: Rounds; times are their median, beside the least.
        n_requests: Requests over HTTP.

    Raises:
        ParameterError: The folder has too few texts that are long enough.
    """
    texts = articles(folder)
    ways = [{"name": name} | _way(ResultSets(0.5, **how), texts, n_rounds) for name, how in WAYS.items()]
    return {"ways": ways, "http": _http(texts, n_requests), "n_rounds": n_rounds, "n_requests": n_requests}


def articles(folder: Path) -> list[str]:
    """Return 70 articles, and 30 copies of them with a few words changed."""
    chance, found = random.Random(1), list[str]()
    paths = sorted(folder.rglob("*.txt"))
    for path in chance.sample(paths, len(paths)):
        text = read(path)[:ARTICLE_CHARS]
        if len(text) == ARTICLE_CHARS:
            found.append(text)
        if len(found) == N_ARTICLES - N_COPIES:
            return found + [_changed(text, chance) for text in found[:N_COPIES]]
    raise ParameterError(f"{folder}: has {len(found)} texts that are long enough, {N_ARTICLES - N_COPIES} are needed")


def _changed(text: str, chance: random.Random) -> str:
    return " ".join("other" if chance.random() < 0.03 else word for word in text.split())


def _way(sets: ResultSets, texts: Sequence[str], n_rounds: int) -> Figures:
    made = [sets.prepare(text) for text in texts]
    found: Figures = {"prepared": _times(lambda: [sets.prepare(text) for text in texts], n_rounds)}
    found["n_hashes"] = sum(len(one.hashes) for one in made)
    found["n_pairs"] = len(sets.duplicates(made).pairs)
    fresh = sets.by_rule(0.5)  # keeps no set: each call compares
    found["kernel"] = _times(lambda: alike(made, sets.rule), 10 * n_rounds)
    found["compared"] = _compared(fresh, made, n_rounds)
    worst = {"all equal": made[:1] * N_ARTICLES, "just below": just_below(len(made[0].hashes), made[0].settings)}
    found["worst"] = {name: _compared(fresh, some, n_rounds) for name, some in worst.items()}
    return found


def _compared(sets: ResultSets, made: Sequence[Prepared], n_rounds: int) -> Figures:
    # A list that is new each time is no set that was kept: a function as preference keeps none.
    return _times(lambda: sets.duplicates(made, prefer=_in_order), 10 * n_rounds)


def _in_order(place: int) -> int:
    return place


def just_below(n_hashes: int, settings: int) -> list[Prepared]:
    """Return articles of which each two share as many hashes as still are no duplicates at 0.5, spread evenly."""
    rng = np.random.default_rng(1)
    n_common = (2 * n_hashes + 2) // 3 - 1
    common = rng.choice(2**31, n_common, replace=False).astype(np.uint32) * np.uint32(2)
    made = []
    for _ in range(N_ARTICLES):
        own = rng.choice(2**31, n_hashes - n_common, replace=False).astype(np.uint32) * np.uint32(2) + np.uint32(1)
        made.append(Prepared.of(np.sort(np.append(common, own)), n_hashes, 0, settings))
    return made


def _times(call: Callable[[], object], n_rounds: int) -> Figures:
    seconds = []
    for _ in range(n_rounds + 1):
        start = time.perf_counter()
        call()
        seconds.append(time.perf_counter() - start)
    return {"median_s": median(seconds[1:]), "least_s": min(seconds[1:])}


# ---------------------------------------------------------------------- over HTTP


def _http(texts: Sequence[str], n_requests: int) -> Figures:
    with tempfile.TemporaryDirectory() as name, _served(Path(name)) as (connection, process):
        first = [{"id": f"article-{n}", "version": 1, "text": text} for n, text in enumerate(texts)]
        prepared = _asked(connection, first)
        ids = [{"id": one["id"], "version": 1} for one in first]
        orders = [random.Random(n).sample(ids, len(ids)) for n in range(n_requests)]
        return {
            "prepared_ms": prepared["prepared_ms"],
            "new_sets": _requests(connection, process, orders),
            "one_set": _requests(connection, process, orders[:1] * n_requests),
        }


def _requests(connection: socket.socket, process: int, orders: Sequence[Sequence[object]]) -> Figures:
    seconds, inside = [], []
    before = _processor_s(process)
    for order in orders:
        start = time.perf_counter()
        told = _asked(connection, order)
        seconds.append(time.perf_counter() - start)
        inside.append(told["compare_ms"] / 1e3)
    used = max(_processor_s(process) - before, 1 / os.sysconf("SC_CLK_TCK"))
    return {
        "median_s": median(seconds),
        "p95_s": float(np.quantile(seconds, 0.95)),
        "compare_s": median(inside),
        "processor_s": used / len(orders),
        "a_minute_and_core": round(60 * len(orders) / used),
    }


def _asked(connection: socket.socket, given: Sequence[object]) -> Figures:
    body = json.dumps({"threshold": 0.5, "articles": given}).encode()
    head = f"POST /v1/duplicates HTTP/1.1\r\nHost: pmbf\r\nContent-Length: {len(body)}\r\n\r\n"
    connection.sendall(head.encode() + body)
    raw = b""
    while True:
        raw += connection.recv(1 << 18)
        head_bytes, between, answer = raw.partition(b"\r\n\r\n")
        if between and len(answer) >= int(head_bytes.lower().partition(b"content-length:")[2].split()[0]):
            told: Figures = json.loads(answer)
            return told


def _processor_s(process: int) -> float:
    fields = Path(f"/proc/{process}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


@contextmanager
def _served(folder: Path) -> Iterator[tuple[socket.socket, int]]:
    """Give a connection to a service, and the process that answers."""
    with Collection(folder / "c.pmbf", create=True) as collection:
        collection.add("A service has a collection, also if it is asked for duplicates alone.", name="a.txt")
    place, made = str(folder / "s"), str(folder / "c.pmbf")
    command = [sys.executable, "-m", "pmbf", "serve", "-c", made, "--socket", place, "--workers", "1"]
    with subprocess.Popen(command, stderr=subprocess.PIPE) as service, socket.socket(socket.AF_UNIX) as connection:
        try:
            assert service.stderr is not None
            service.stderr.readline()
            connection.connect(place)
            yield connection, service.pid
        finally:
            service.terminate()


# ---------------------------------------------------------------------- the table


def table(figures: Figures) -> str:
    """Return the times as tables in Markdown."""
    columns = "hashes | prepared | compared | kernel | all equal | just below"
    lines = report.head(f"| 100 articles of 1,600 characters | {columns} |")
    for one in figures["ways"]:
        cells = [one["prepared"], one["compared"], one["kernel"], *one["worst"].values()]
        lines.append(f"| {one['name']} | {one['n_hashes']:,} | {' | '.join(map(_cell, cells))} |")
    columns = "median | 95 % | compared | processor | requests a minute and core"
    lines += ["", *report.head(f"| over HTTP, ids alone | {columns} |")]
    for name, what in (("new_sets", "another order each time"), ("one_set", "the same set again")):
        one = figures["http"][name]
        told = (_ms(one[key]) for key in ("median_s", "p95_s", "compare_s", "processor_s"))
        lines.append(f"| {what} | {' | '.join(told)} | {one['a_minute_and_core']:,} |")
    return "\n".join(lines) + "\n"


def _cell(one: Figures) -> str:
    return f"{_ms(one['median_s'])} ({_ms(one['least_s'])})"


def _ms(seconds: float) -> str:
    return f"{1e3 * seconds:.3f} ms" if seconds < 1e-3 else f"{1e3 * seconds:.2f} ms"
