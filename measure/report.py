"""Figures as a Markdown table, with their machine and commit."""

from __future__ import annotations

import hashlib
import importlib.metadata
import json
import os
import platform
import subprocess
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from textwrap import fill
from typing import Any

import numpy as np

from pmbf import kernels

ROOT = Path(__file__).parent.parent

SHOWN = tuple(Path("pmbf", name) for name in ("cli", "pages", "serving/web", "sites"))
"""Parts of `pmbf/` that no figure depends on: what people see."""


def about() -> dict[str, Any]:
    """Return the versions, machine and commit of a run, and how many processes the machine had to run before it."""
    return {
        "processor": _processor(),
        "processors": str(os.cpu_count()),
        "system": platform.platform(),
        "python": platform.python_version(),
        "numpy": np.__version__,
        "kernels": kernels.NAME,
        "commit": _git("describe", "--always", "--dirty", "--abbrev=10"),
        "code": code(),
        "date": f"{datetime.now(UTC):%Y-%m-%d %H:%M}",
        "load": f"{os.getloadavg()[0]:.1f}",
    }


def code() -> dict[str, str]:
    """Return a checksum of the sources of each room of `pmbf/`, but of those that no figure depends on."""
    sources = (path for ending in ("py", "c", "h") for path in (ROOT / "pmbf").rglob(f"*.{ending}"))
    parts = {path.relative_to(ROOT): path for path in sources}
    rooms: dict[str, Any] = {}
    for name in sorted(parts):
        if not any(name.is_relative_to(shown) for shown in SHOWN):
            summed = rooms.setdefault(Path(name.parts[1]).stem, hashlib.sha256())
            summed.update(name.as_posix().encode() + b"\0" + parts[name].read_bytes())
    return {room: summed.hexdigest()[:8] for room, summed in rooms.items()}


def changed(then: Any, now: dict[str, str]) -> list[str]:
    """Return the rooms whose sources differ, of two answers of `code`. An older run has no such answer: all differ.

    >>> changed({"text": "1f", "screen": "07"}, {"text": "1f", "screen": "08"}), changed(None, {"text": "1f"})
    (['screen'], ['all rooms'])
    """
    if not isinstance(then, dict):
        return ["all rooms"]
    return sorted(room for room in {*then, *now} if then.get(room) != now.get(room))


def ages(folder: Path, names: Iterable[str]) -> str:
    """Return lines that say which rooms have changed since the figures in a folder, of those that name their commit."""
    now, since = code(), dict[str, list[str]]()
    for name, some in figures(folder, names).items():
        if isinstance(some, dict) and "about" in some and (rooms := changed(some["about"].get("code"), now)):
            since.setdefault(", ".join(rooms), []).append(name)
    where = folder.parent.name
    told = [f"{where}: {rooms}: changed since {', '.join(some)}" for rooms, some in since.items()]
    lines = [fill(one, 116, subsequent_indent="    ", break_on_hyphens=False) for one in told]
    return "\n".join(lines or [f"{where}: all figures are of today's engine"]) + "\n"


def line(about: dict[str, Any]) -> str:
    """Return a line about a run: what ran, where, when, and beside how much other work."""
    load = f", load {about['load']}" if "load" in about else ""
    return (
        f"{about['processor']}, {about['processors']} processors; Python {about['python']}, NumPy {about['numpy']}; "
        f"{about['kernels']} kernels, commit {about['commit']}, {about['date']}{load}"
    )


def figures(folder: Path, names: Iterable[str]) -> dict[str, dict[str, Any]]:
    """Return the figures in a folder by the name of their file.

    Raises:
        FileNotFoundError: A run's figures are missing.
    """
    return {name: json.loads((folder / f"{name}.json").read_text(encoding="utf-8")) for name in names}


def version(package: str) -> str:
    """Return the version of an installed distribution. The version of pmbf is that of the commit."""
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return ""


def head(titles: str) -> list[str]:
    """Return the first two lines of a Markdown table. All columns but the first are aligned right."""
    n_columns = titles.count("|") - 1
    return [titles, "|---" + (n_columns - 1) * "|---:" + "|"]


def time(seconds: float) -> str:
    """Return a time with its unit, with three digits."""
    if seconds >= 1:
        return f"{seconds:.3g} s"
    return f"{seconds * 1e3:.3g} ms" if seconds >= 1e-3 else f"{seconds * 1e6:.3g} µs"


def size(n_bytes: float) -> str:
    """Return a number of bytes with its unit, with three digits."""
    for unit, scale in (("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if n_bytes >= scale:
            return f"{n_bytes / scale:.3g} {unit}"
    return f"{n_bytes:.0f} bytes"


def power(values: Mapping[int, float]) -> str:
    """Return the power of a size by which values grow: the slope of the line through the logarithms of both.

    >>> power({10: 3.0, 20: 6.0, 40: 12.0}), power({10: 3.0})
    ('1.00', '')
    """
    if len(values) < 2 or not all(values.values()):
        return ""
    slope = np.polyfit(np.log([*values]), np.log([*values.values()]), 1)[0]
    return f"{slope:.2f}"


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.machine()


def _git(*arguments: str) -> str:
    try:
        asked = ["git", *arguments]
        return subprocess.run(asked, cwd=ROOT, capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return "unknown"
