"""The engine of an earlier commit as a peer: its tree is built once, then it measures itself on the same texts."""

from __future__ import annotations

import io
import subprocess
import sys
import tarfile
from pathlib import Path
from typing import Any

from measure.process import ROOT, FailedError, alone

COMMIT = "761f868"
"""The fastest engine before recall was kept as a collection grows."""
EARLIER = {f"pmbf {COMMIT}, {part}": f"pmbf, {part}" for part in ("candidates", "whole screen")}
"""Names of the peers, and what the earlier tree calls them."""


def measured(name: str, texts: Path) -> dict[str, Any]:
    """Return the figures of a peer of `EARLIER`, measured by its own `benchmarks.peers`.

    Raises:
        FailedError: The checkout has not the commit, or the commit cannot be built.
    """
    figures: dict[str, Any] = alone(
        "benchmarks.peers:measure", tree=_built(ROOT / "build" / COMMIT), name=EARLIER[name], texts=str(texts)
    )
    return figures


def _built(tree: Path) -> Path:
    """Return the commit's tree with its kernels, which is written and built if it is not there."""
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
