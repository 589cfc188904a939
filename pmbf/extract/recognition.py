"""Text recognition: pictures of pages are read by tesseract, a program of its own that must be installed.

It gets a picture through a pipe and writes no file. It has the memory limit of the reading process, one thread and at
most `PAGE_S` seconds for a page.

Source:
    Smith 2007, An overview of the Tesseract OCR engine.
"""

from __future__ import annotations

import contextlib
import os
import re
import shutil

from pmbf.base.errors import IncompleteError, ParameterError

try:
    import resource
except ImportError:  # Windows has none
    resource = None  # type: ignore[assignment]

PROGRAM = "tesseract"
PAGE_S = 60
WOULD_HELP = f"`pmbf load` and `pmbf screen` read scans with --ocr eng, if {PROGRAM} is installed"
"""Ends the problem of a document with scanned pages that were not read."""
_LANGUAGES = re.compile(r"\w[\w/]*(\+\w[\w/]*)*")


def require(languages: str) -> None:
    """Refuse languages that cannot be recognised here: `ParameterError` says what is wrong, or what to install."""
    import subprocess  # imported late: a load without scans does not wait for it

    require_names(languages)
    if not shutil.which(PROGRAM):
        raise ParameterError(f"--ocr needs the program {PROGRAM}, which is not in PATH; install it")
    done = subprocess.run([PROGRAM, "--list-langs"], capture_output=True, text=True, check=False, timeout=PAGE_S)
    known = done.stdout.splitlines()[1:]
    if missing := sorted(set(languages.split("+")) - set(known)):
        raise ParameterError(f"{PROGRAM} has no language {missing[0]!r} (--ocr), expected some of {', '.join(known)}")


def require_names(languages: str) -> None:
    """Refuse what are no names of languages, written as in `eng+deu`. Raises `ParameterError`."""
    if not _LANGUAGES.fullmatch(languages):
        raise ParameterError(f"ocr is {languages!r}, expected languages as {PROGRAM} names them: eng, or eng+deu")


def text_of(grey: bytes, width: int, height: int, languages: str) -> str:
    """Return the text in a picture, a byte for each pixel, row after row; `IncompleteError` if tesseract fails."""
    import subprocess

    command = [PROGRAM, "stdin", "stdout", "-l", languages]
    try:
        done = subprocess.run(
            command,
            input=b"P5 %d %d 255\n" % (width, height) + grey,  # a picture in the format PGM
            capture_output=True,
            env=os.environ | {"OMP_THREAD_LIMIT": "1"},
            timeout=PAGE_S,
            check=False,
            preexec_fn=_limit_time,
        )
    except FileNotFoundError:
        raise IncompleteError(f"text recognition: {PROGRAM} is not installed") from None
    except subprocess.TimeoutExpired:
        raise IncompleteError(f"text recognition took longer than {PAGE_S} s") from None
    if done.returncode:
        said = " ".join(done.stderr.decode("utf-8", "replace").split())
        raise IncompleteError(f"text recognition failed: {said or done.returncode}")
    return done.stdout.decode("utf-8", "replace").replace("\f", "")


def _limit_time() -> None:
    """Limit this process, also if its parent is killed before its time."""
    if resource:
        with contextlib.suppress(OSError, ValueError):  # a lower limit was inherited
            resource.setrlimit(resource.RLIMIT_CPU, (PAGE_S, PAGE_S))
