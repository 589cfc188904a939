"""Fold, tokenise, hash and sample a text, on one core and each instruction set, beside reading its bytes from memory.

A text is one buffer of UTF-8, sampled in one call with the default parameters. The limit is the time to read its bytes
as words; as many other bytes are read before, so that they come from memory, not from a cache. Each round takes all
times, one after another. A time is that of the fastest round, so that other work on the machine is left out of both
sides of a ratio.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np

from benchmarks import machine
from measure import report
from pmbf.params import Params

Figures = dict[str, Any]

LEVELS = ("portable", "AVX2", "AVX-512")
NAMES = {"en": "English", "ru": "Russian", "zh": "Chinese"}
TARGETS_MB_PER_S = {"en": 700, "ru": 700, "zh": 550}
"""Wanted speed on the best instruction set."""
TARGET_PORTABLE_MB_PER_S = 350
_CACHE_BYTES = 128 << 20
_LETTERS = {"en": "abcdefghijklmnopqrstuvwxyz", "ru": "абвгдежзийклмнопрстуфхцчшщъыьэюя"}
_WORD_LETTERS = {"en": 4.7, "ru": 5.6}
"""Mean length of the words of a text."""
_N_WORDS, _N_HAN, _SENTENCE = 20_000, 3500, 15
_MADE_BYTES = 1 << 20


def run(given: Mapping[str, Path], *, n_bytes: int, n_rounds: int) -> Figures:
    """Return the figures of an English, a Russian and a Chinese text.

    Args:
        given: Files, or folders of `.txt` files, by language of `NAMES`. The texts of other languages are made up.
        n_bytes: Bytes of each text. A shorter text is repeated.
        n_rounds: Rounds; each time is the least.

    Raises:
        UnsupportedError: The native kernels are not built; nothing is measured on NumPy.
    """
    rows = []
    for language in NAMES:
        text = read(given[language], n_bytes) if language in given else made(language)
        utf8 = cut(text * (n_bytes // len(text) + 1), n_bytes)
        rows += measure(utf8, n_rounds=n_rounds, language=language, real=language in given)
    return {"about": report.about(), "n_bytes": n_bytes, "rows": rows}


def measure(utf8: bytes, *, n_rounds: int, **named: Any) -> list[Figures]:
    """Return the figures of a text, the best instruction set first."""
    from pmbf.kernels.native_text import TextKernels

    kernels = [TextKernels(level) for level in reversed(range(TextKernels().level + 1))]
    words = machine.lines_of(np.frombuffer(utf8, np.uint8))
    others = np.ones(_CACHE_BYTES // 8, np.uint64)
    times: list[list[float]] = []
    for _ in range(n_rounds):
        machine.read_in_order(others)
        taken = [_seconds(machine.read_in_order, words)]
        taken += [_seconds(one.sample, utf8, Params().sampling, positions=False) for one in kernels]
        times.append(taken)
    read_s, *sample_s = map(min, zip(*times, strict=True))
    return [
        {**named, "level": LEVELS[one.level], "best": one is kernels[0], "seconds": seconds, "read_s": read_s}
        for one, seconds in zip(kernels, sample_s, strict=True)
    ]


def table(figures: Figures) -> str:
    """Return the figures as a Markdown table under a line about the run."""
    n_bytes = figures["n_bytes"]
    lines = [
        report.line(figures["about"]),
        f"texts of {report.size(n_bytes)}; UTF-8 a second",
        "",
        *report.head("| text | instruction set | sampled | target | read from memory | ratio |"),
    ]
    for one in figures["rows"]:
        speed, target = n_bytes / one["seconds"] / 1e6, _target(one)
        shown = f"**{speed:.0f} MB/s**" if target and speed < target else f"{speed:.0f} MB/s"
        wanted = f"≥ {target} MB/s" if target else ""
        what = f"{NAMES[one['language']]}{'' if one['real'] else ', made up'} | {one['level']}"
        ratio = one["seconds"] / one["read_s"]
        lines.append(f"| {what} | {shown} | {wanted} | {n_bytes / one['read_s'] / 1e9:.1f} GB/s | {ratio:.1f} |")
    return "\n".join(lines) + "\n"


def read(texts: Path, n_bytes: int) -> bytes:
    """Return the UTF-8 of a file, or of a folder's `.txt` files, up to `n_bytes` bytes."""
    files = sorted(texts.rglob("*.txt")) if texts.is_dir() else [texts]
    found: list[bytes] = []
    while files and sum(map(len, found)) < n_bytes:
        found.append(files.pop(0).read_bytes().decode("utf-8", "replace").encode())
    if not (text := b"\n".join(found)):
        raise ValueError(f"{texts}: holds no text, expected a file or a folder of .txt files")
    return cut(text, n_bytes)


def made(language: str) -> bytes:
    """Return a made-up text: sentences of words as long, and as unequally frequent, as those of the language.

    >>> 0.5 < len(made("ru").decode()) / len(made("ru")) < 0.6
    True
    """
    random = np.random.default_rng(1)
    if language == "zh":
        words, between = [chr(0x4E00 + number) for number in random.permutation(_N_HAN)], ""
    else:
        letters, lengths = list(_LETTERS[language]), random.poisson(_WORD_LETTERS[language] - 1, _N_WORDS) + 1
        words, between = ["".join(random.choice(letters, length)) for length in lengths], " "
    ranks = np.arange(1, len(words) + 1)
    drawn = random.choice(words, _MADE_BYTES // 4, p=(1 / ranks) / (1 / ranks).sum()).tolist()
    sentences = (drawn[start : start + _SENTENCE] for start in range(0, len(drawn), _SENTENCE))
    stop = ". " if between else "。"
    return stop.join(between.join(sentence).capitalize() for sentence in sentences).encode()


def cut(utf8: bytes, n_bytes: int) -> bytes:
    """Return at most `n_bytes` bytes, without cutting a code point in two."""
    return utf8[:n_bytes].decode("utf-8", "ignore").encode()


def _target(one: Figures) -> int:
    if one["level"] == "portable":
        return TARGET_PORTABLE_MB_PER_S
    return TARGETS_MB_PER_S[one["language"]] if one["best"] else 0


def _seconds(call: Any, *arguments: Any, **options: Any) -> float:
    start = perf_counter()
    call(*arguments, **options)
    return perf_counter() - start
