"""Measurements in processes of their own, on one thread: each has its own memory, and a crash ends no other."""

from __future__ import annotations

import gc
import importlib
import json
import os
import resource
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
THREADS = ("OMP", "OPENBLAS", "MKL", "NUMEXPR", "RAYON")


class FailedError(RuntimeError):
    """A measurement ended without figures."""


def alone(function: str, *, timeout_s: float | None = None, tree: Path = ROOT, **arguments: Any) -> Any:
    """Return what a function returns when called in a new process with one thread.

    Args:
        function: `module:name` of a function.
        timeout_s: Seconds on the clock after which the process is ended.
        tree: The checkout whose modules are imported.
        arguments: Arguments of the function, which JSON can hold.

    Raises:
        FailedError: The process took too long, or ended without a result. Its last output is in the message.
    """
    environment = installed() | {f"{name}_NUM_THREADS": "1" for name in THREADS} | {"PYTHONPATH": str(tree)}
    with tempfile.TemporaryDirectory() as folder:
        answer = Path(folder) / "answer.json"
        command = [sys.executable, "-P", __file__, function, str(answer)]
        # The output of libraries goes to a file, since a pipe could fill up.
        with (Path(folder) / "printed.txt").open("w+", encoding="utf-8", errors="replace") as printed:
            try:
                done = subprocess.run(
                    command,
                    cwd=tree,
                    env=environment,
                    input=json.dumps(arguments),
                    text=True,
                    stdout=printed,
                    stderr=subprocess.STDOUT,
                    timeout=timeout_s,
                )
            except subprocess.TimeoutExpired:
                raise FailedError(f"not done after {timeout_s:g} s") from None
            if done.returncode or not answer.exists():
                printed.seek(0)
                last = printed.read().strip().splitlines()[-3:]
                raise FailedError(f"{function}: ended with code {done.returncode}: {' | '.join(last)}")
        return json.loads(answer.read_text(encoding="utf-8"))


def installed() -> dict[str, str]:
    """Return the environment in which a process starts as an installed package does, from its bytecode."""
    return {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}


def resident_bytes() -> int:
    """Return the memory that this process holds now, with mapped files. Without /proc it is the peak."""
    gc.collect()
    try:
        pages = int(Path("/proc/self/statm").read_text().split()[1])
    except OSError:
        return peak_bytes()
    return pages * resource.getpagesize()


def peak_bytes() -> int:
    """Return the most memory that this process has held."""
    try:
        # Without /proc, the memory that the parent held at the start counts too.
        lines = Path("/proc/self/status").read_text().splitlines()
        return 1024 * next(int(line.split()[1]) for line in lines if line.startswith("VmHWM"))
    except (OSError, StopIteration):
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        return peak if sys.platform == "darwin" else 1024 * peak


def folder_bytes(folder: Path) -> int:
    """Return the bytes of all files below a folder."""
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def main() -> None:
    """Call the function the command line names, with arguments from standard input, and write what it returns."""
    module, _, name = sys.argv[1].partition(":")
    result = getattr(importlib.import_module(module), name)(**json.loads(sys.stdin.read()))
    Path(sys.argv[2]).write_text(json.dumps(result), encoding="utf-8")


if __name__ == "__main__":
    main()
