"""Figures as a Markdown table, with the machine and the commit they belong to."""

from __future__ import annotations

import os
import platform
import subprocess
from pathlib import Path
from typing import Any

import numpy as np

from pmbf import kernels

ROOT = Path(__file__).parent.parent


def about() -> dict[str, str]:
    """Return what ran where."""
    return {
        "processor": _processor(),
        "processors": str(os.cpu_count()),
        "system": platform.platform(),
        "python": platform.python_version(),
        "numpy": np.__version__,
        "kernels": kernels.NAME,
        "commit": _git("describe", "--always", "--dirty", "--abbrev=10"),
    }


def table(figures: dict[str, Any]) -> str:
    """Return results as a Markdown table under a line about the run."""
    about, size = figures["about"], figures["size"]
    row_bytes, n_megabytes = 8 * size["row_words"], size["n_bytes"] / 1e6
    lines = [
        f"{about['processor']}, {about['processors']} processors; {about['kernels']} kernels, commit {about['commit']}",
        f"{size['n_rows']} rows of {row_bytes:,} bytes, k = {size['n_hashes']}: {n_megabytes:.0f} MB",
        "",
        "| what | takes | limit in the same run | takes | ratio |",
        "|---|---:|---|---:|---:|",
    ]
    for one in figures["results"]:
        times = _time(one["seconds"]), _time(one["limit_seconds"])
        lines.append(f"| {one['what']} | {times[0]} | {one['limit']} | {times[1]} | {one['ratio']:.2f} |")
    return "\n".join(lines) + "\n"


def _time(seconds: float) -> str:
    if seconds >= 1:
        return f"{seconds:.3g} s"
    return f"{seconds * 1e3:.3g} ms" if seconds >= 1e-3 else f"{seconds * 1e6:.3g} µs"


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
