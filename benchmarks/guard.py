"""The time that a hook waits for a leak check: in its own process and through the service, of a commit and of files of
10 kB, 1 and 10 MB.

Times are those on the clock, of the fastest of several rounds, with the files in the system's cache. Beside them is the
CPU time of the asking process, which other work on the machine does not make longer. Staged files are made of words of
documents that are not protected, in any order: a clean commit, as almost all commits are.
"""

from __future__ import annotations

import argparse
import os
import random
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from benchmarks import arguments
from measure import report
from measure.commands import add_folder, add_numbers
from measure.process import ROOT, installed
from measure.timing import command_s
from pmbf import Collection

Figures = dict[str, Any]

N_STAGED, STAGED_BYTES = 1000, 10_000
MOST_LETTERS = 30
"""Of a word: a longer one is an address, which a protected document may have, too."""
JOINED = {"one file": 1, "1 MB in one file": 100, "10 MB in one file": 1000}
"""Staged files that are joined to one."""
TARGETS_S = {
    "1,000 staged files, in process": 1.0,
    "one file, in process": 0.25,
    "1 MB in one file, in process": 0.4,
    "10 MB in one file, in process": 1.6,
    "1,000 staged files, service": 0.3,
    "one file, service": 0.06,
    "1 MB in one file, service": 0.2,
    "10 MB in one file, service": 1.4,
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the benchmark."""
    add_folder(parser)
    add_numbers(parser, n_documents=(10_000, "protected documents"), n_rounds=(9, "rounds; the fastest counts"))


def run(folder: Path, *, n_documents: int, n_rounds: int) -> Figures:
    """Return the times of each check.

    Args:
        folder: Searched for .txt files: first the protected documents, then those whose words are staged.
        n_documents: Number of protected documents.
        n_rounds: Rounds of each check.
    """
    files = sorted(folder.rglob("*.txt"))
    with tempfile.TemporaryDirectory() as name:
        place = Path(name)
        with Collection(place / "protected.pmbf", create=True) as made:
            made.load(files[:n_documents])
            n_loaded = made.n_documents
        n_bytes = _stage(place / "work", files[n_documents:])
        _join(place / "work", place)
        found: list[Figures] = [
            {"name": "python alone"} | _fastest([sys.executable, "-c", "pass"], place, {}, n_rounds)
        ]
        guard = [sys.executable, "-m", "pmbf", "guard", "-c", str(place / "protected.pmbf")]
        with _served(place) as socket:
            for how, variables in (("in process", {"PMBF_SOCKET": ""}), ("service", {"PMBF_SOCKET": socket})):
                for what, words, where in (
                    ("1,000 staged files", ["--staged"], place / "work"),
                    *((name, [f"{name}.txt"], place) for name in JOINED),
                ):
                    one = {"name": f"{what}, {how}"} | _fastest([*guard, *words], where, variables, n_rounds)
                    arguments.show(one)
                    found.append(one)
    load = os.getloadavg()[0]
    return {"n_documents": n_loaded, "staged_bytes": n_bytes, "n_rounds": n_rounds, "load": load, "checks": found}


def table(figures: Figures) -> str:
    """Return the times beside their targets, as Markdown."""
    lines = [
        f"{figures['n_documents']:,} protected documents; {N_STAGED:,} staged files of "
        f"{report.size(figures['staged_bytes'])} in all; the fastest of {figures['n_rounds']} rounds.",
        f"At the end of the rounds the machine had {figures['load']:.1f} processes to run.",
        f"{report.line(figures['about'])}.",
        "",
        *report.head("| check | passes | target | the asking process's own time |"),
    ]
    for one in figures["checks"]:
        target = TARGETS_S.get(one["name"])
        shown = f"≤ {report.time(target)}" if target else ""
        lines.append(f"| {one['name']} | {report.time(one['seconds'])} | {shown} | {report.time(one['cpu_s'])} |")
    return "\n".join(lines) + "\n"


def _join(work: Path, place: Path) -> None:
    """Write files of several staged files one behind the other: time grows with the size of a file, no faster."""
    for name, n_files in JOINED.items():
        some = (work / f"{number}.txt" for number in range(min(n_files, N_STAGED)))
        (place / f"{name}.txt").write_bytes(b"\n".join(path.read_bytes() for path in some))


def _stage(work: Path, files: Sequence[Path]) -> int:
    """Make a repository with staged files, and return their bytes."""
    words = " ".join(path.read_text(encoding="utf-8", errors="replace") for path in files[:400]).split()
    words = [word for word in words if len(word) <= MOST_LETTERS]
    shuffled = random.Random(1)
    work.mkdir()
    n_bytes = 0
    for number in range(N_STAGED):
        text = "\n".join(" ".join(shuffled.choices(words, k=20)) for _ in range(STAGED_BYTES // 50))
        content = text.encode()[:STAGED_BYTES].decode(errors="ignore").encode()
        n_bytes += len(content)
        (work / f"{number}.txt").write_bytes(content)
    for command in (["init", "-q"], ["add", "."]):
        subprocess.run(["git", *command], cwd=work, check=True)
    return n_bytes


@contextmanager
def _served(place: Path) -> Iterator[str]:
    """Run the service, and give its socket."""
    socket = str(place / "s.sock")
    command = [sys.executable, "-m", "pmbf", "serve", "-c", str(place / "protected.pmbf"), "--socket", socket]
    with subprocess.Popen(command, env=_environment({}), stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr
        said = process.stderr.readline()
        if "serving" not in said:
            raise RuntimeError(f"the service did not start: {said}")
        try:
            yield socket
        finally:
            process.terminate()


def _fastest(command: Sequence[str], where: Path, variables: dict[str, str], n_rounds: int) -> Figures:
    """Return the least times of a command, which must succeed."""
    seconds, cpu_s = command_s(command, n_rounds, cwd=where, env=_environment(variables))
    return {"seconds": seconds, "cpu_s": cpu_s}


def _environment(variables: dict[str, str]) -> dict[str, str]:
    return installed() | {"PYTHONPATH": str(ROOT), "PYTHONSAFEPATH": "1"} | variables
