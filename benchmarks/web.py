"""The web application under users who upload at once: how soon an upload is answered and screened, errors, memory.

Each user uploads a text of 1 MB, made of words of the folder's texts in any order, and waits for the end of its
screening. The same for one user alone comes first. Memory is that of all processes of the application together, the
greatest that was seen. Times are those on the clock.
"""

from __future__ import annotations

import argparse
import http.client
import json
import os
import random
import re
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import median, quantiles
from typing import Any

from benchmarks import arguments
from measure import report
from measure.process import installed
from pmbf import Collection
from pmbf.web import state
from pmbf.web.tokens import Tokens

Figures = dict[str, Any]

UPLOAD_BYTES = 1_000_000
PAGE_BYTES = os.sysconf("SC_PAGE_SIZE")


@dataclass(frozen=True, slots=True)
class Upload:
    """Seconds to the answer of an upload, and to the end of its screening; how it ended."""

    answered_s: float
    done_s: float
    state: str


def add_arguments(some: Any) -> None:
    """Add the benchmark to the command line."""
    what = "the web application under users who upload at once"
    one = arguments.add_benchmark(some, "web", what, _run, table)
    arguments.add_folder(one)
    one.add_argument("--documents", type=int, default=2000, help="documents of the collection (2000)")
    one.add_argument("--users", type=int, default=50, help="users who upload at once (50)")


def _run(given: argparse.Namespace) -> Figures:
    return run(given.folder, n_documents=given.documents, n_users=given.users)


def run(folder: Path, *, n_documents: int, n_users: int) -> Figures:
    """Return the times of one user and of many at once, and the memory.

    Args:
        folder: Searched for .txt files: the documents, and the words of the uploads.
        n_documents: Documents of the collection.
        n_users: Users who upload at once.
    """
    files = sorted(folder.rglob("*.txt"))[:n_documents]
    with tempfile.TemporaryDirectory() as name:
        place = Path(name)
        with Collection(place / "c.pmbf", create=True) as made:
            made.load(files)
            n_loaded = made.n_documents
        texts = list(uploads(files, n_users))
        with served(place) as (port, token, process):
            alone = [upload(port, token, text) for text in texts[:5]]
            with Watched(process) as memory, ThreadPoolExecutor(n_users) as users:
                many = list(users.map(lambda text: upload(port, token, text), texts))
    return {
        "n_documents": n_loaded,
        "upload_bytes": UPLOAD_BYTES,
        "users": [figures_of(1, alone), figures_of(n_users, many)],
        "bytes_before": memory.before,
        "bytes_at_most": memory.most,
    }


def figures_of(n_users: int, some: Sequence[Upload]) -> Figures:
    """Return the median and the 95th percentile of both times, and how many were not done."""
    found: Figures = {"n_users": n_users, "n_not_done": sum(one.state != "done" for one in some)}
    for what, times in (("answered", [one.answered_s for one in some]), ("screened", [one.done_s for one in some])):
        found |= {f"{what}_p50_s": median(times), f"{what}_p95_s": quantiles(times, n=20, method="inclusive")[-1]}
    return found


def table(figures: Figures) -> str:
    """Return the times and the memory as Markdown."""
    lines = [
        f"{figures['n_documents']:,} documents; uploads of {report.size(figures['upload_bytes'])}.",
        f"{report.line(figures['about'])}.",
        "",
        *report.head("| users | answered p50 | p95 | screened p50 | p95 | not done |"),
    ]
    for one in figures["users"]:
        times = [report.time(one[f"{what}_{p}_s"]) for what in ("answered", "screened") for p in ("p50", "p95")]
        lines.append(f"| {one['n_users']} | {' | '.join(times)} | {one['n_not_done']} |")
    before, most = report.size(figures["bytes_before"]), report.size(figures["bytes_at_most"])
    return "\n".join([*lines, "", f"All processes together: {before} before, {most} at most."]) + "\n"


def uploads(files: Sequence[Path], n: int) -> Iterator[bytes]:
    """Yield texts of words of the files, in any order."""
    words = [word for path in files[:200] for word in path.read_text(encoding="utf-8").split()]
    for seed in range(n):
        chosen = random.Random(seed)
        yield " ".join(chosen.choices(words, k=UPLOAD_BYTES // 4)).encode()[:UPLOAD_BYTES]


def upload(port: int, token: str, text: bytes) -> Upload:
    """Upload a text, and wait for the end of its screening."""
    started = time.perf_counter()
    found = asked(port, token, "POST", "/v1/screenings?name=upload.txt", text)
    answered = time.perf_counter() - started
    if "jobs" not in found:
        return Upload(answered, answered, "refused")
    events = asked(port, token, "GET", f"/v1/jobs/{found['jobs'][0]['id']}/events")
    return Upload(answered, time.perf_counter() - started, events["state"])


def asked(port: int, token: str, method: str, target: str, body: bytes | None = None) -> dict[str, Any]:
    """Return the last JSON object of an answer."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=600)
    connection.request(method, target, body, {"Authorization": f"Bearer {token}"})
    said = connection.getresponse().read().decode()
    connection.close()
    found: dict[str, Any] = json.loads(re.findall(r"\{.*\}", said)[-1])
    return found


@contextmanager
def served(place: Path) -> Iterator[tuple[int, str, subprocess.Popen[str]]]:
    """Run the application; give its port, a token, its process."""
    db = state.opened(place / "state")
    token, _ = Tokens(db).add("benchmark", "admin")
    db.close()
    command = [sys.executable, "-m", "pmbf", "web", "-c", str(place / "c.pmbf"), "--port", "0"]
    with subprocess.Popen(
        [*command, "--state", str(place / "state")],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        env=installed(),
    ) as process:
        assert process.stdout is not None
        found = re.search(r":(\d+)/", process.stdout.readline())
        assert found, "the application did not start"
        yield int(found[1]), token, process
        process.terminate()


class Watched:
    """The memory of a process and its children while something runs, in bytes: before, and the greatest seen."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process, self._over = process, threading.Event()
        self.before = self.most = self._held()
        self._thread = threading.Thread(target=self._watch)

    def __enter__(self) -> Watched:
        self._thread.start()
        return self

    def __exit__(self, *exc: object) -> None:
        self._over.set()
        self._thread.join()

    def _watch(self) -> None:
        while not self._over.wait(0.05):
            self.most = max(self.most, self._held())

    def _held(self) -> int:
        """Return the resident bytes of the process and its children."""
        number = self._process.pid
        children = Path(f"/proc/{number}/task/{number}/children").read_text(encoding="ascii").split()
        sizes = [Path(f"/proc/{one}/statm").read_text(encoding="ascii").split()[1] for one in [str(number), *children]]
        return PAGE_BYTES * sum(map(int, sizes))
