"""The engine of an earlier commit as a peer: its tree is built once, then it measures itself on the same texts."""

from __future__ import annotations

import io
import subprocess
import sys
import tarfile
from pathlib import Path
from typing import Any

from measure.process import ROOT, FailedError, alone

Figures = dict[str, Any]

COMMIT = "761f868"
"""The fastest engine before recall was kept as a collection grows."""
EARLIER = {f"pmbf {COMMIT}, {part}": f"pmbf, {part}" for part in ("candidates", "whole screen")}
"""Names of the peers, and what the earlier tree calls them."""


def measured(name: str, texts: Path) -> Figures:
    """Return the figures of a peer of `EARLIER`, measured by its own `benchmarks.peers`. Raises the errors of `own`."""
    return own("benchmarks.peers:measure", name=EARLIER[name], texts=str(texts))


def own(function: str, **arguments: Any) -> Figures:
    """Return what a function of the earlier tree returns, in a process of its own.

    Raises:
        FailedError: The checkout has not the commit, the commit cannot be built, or the function failed.
    """
    figures: Figures = alone(function, tree=_built(), **arguments)
    return figures


def today(function: str, **arguments: Any) -> Figures:
    """Return what a function of `benchmarks.either` returns with today's engine, in a process of its own."""
    figures: Figures = alone(f"benchmarks.either:{function}", **arguments)
    return figures


def ours(function: str, **arguments: Any) -> Figures:
    """Return what a function of today's `benchmarks.either` returns with the earlier engine. Raises as `own` does."""
    tree = _built()
    beside = tree.with_name(f"{COMMIT}-either")
    beside.mkdir(exist_ok=True)
    for name, home in (("pmbf", tree), ("benchmarks", ROOT), ("measure", ROOT)):
        if not (beside / name).exists():
            (beside / name).symlink_to(home / name)
    figures: Figures = alone(f"benchmarks.either:{function}", tree=beside, **arguments)
    return figures


def _built() -> Path:
    """Return the commit's tree with its kernels, which is written and built if it is not there."""
    tree = ROOT / "build" / COMMIT
    if not any(tree.glob("pmbf/kernels/*.so")):
        archive = _done(["git", "archive", COMMIT], ROOT)
        with tarfile.open(fileobj=io.BytesIO(archive)) as files:
            files.extractall(tree, filter="data")
        _done([sys.executable, "setup.py", "-q", "build_ext", "--inplace"], tree)
    return tree


def _done(command: list[str], folder: Path) -> bytes:
    done = subprocess.run(command, cwd=folder, capture_output=True)
    if done.returncode:
        last = done.stderr.decode(errors="replace").strip().splitlines()[-1:]
        raise FailedError(f"{' '.join(command)}: {''.join(last)}")
    return done.stdout
