"""The evidence page of a long text in Chromium: its size, how soon it is loaded, how quickly it answers.

The text has 600,000 characters, 300 edited passages of 40 sources, each of 60,000 characters. A figure is the median of
three runs of a new browser.
"""

from __future__ import annotations

import argparse
import random
import shutil
import statistics
import tempfile
import time
from pathlib import Path
from typing import Any

from benchmarks import arguments
from measure import report
from pmbf import Collection, Report
from pmbf.pages import Extent

Figures = dict[str, Any]

SEED, N_CHARS, N_PASSAGES, N_SOURCES, SOURCE_CHARS, PASSAGE_WORDS = 7, 600_000, 300, 40, 60_000, 60
RUNS = 3
SWITCH = """async () => {
    const frame = () => new Promise((done) => requestAnimationFrame(done));
    const took = [];
    for (let i = 0; i < 10; i++) {
        await frame();
        const began = performance.now();
        document.querySelector("[data-source='1']").click();
        document.body.getBoundingClientRect();
        took.push(performance.now() - began);
        await frame();
    }
    return took.sort((a, b) => a - b)[5];
}"""
WATCH = """() => { window.longest = 0; new PerformanceObserver((list) => {
    for (const one of list.getEntries()) window.longest = Math.max(window.longest, one.duration); })
    .observe({ type: "longtask" }); }"""


def add_arguments(some: Any) -> None:
    """Add the benchmark to the command line."""
    what = "the evidence page of a long text in Chromium"
    one = arguments.add_benchmark(some, "evidence", what, _run, table)
    one.add_argument("--sources", choices=("passages", "whole"), default="passages", help="how much of the sources")
    one.add_argument("--keep", type=Path, metavar="FILE", help="where the page is kept")


def _run(given: argparse.Namespace) -> Figures:
    return run(sources=given.sources, keep=given.keep)


def run(*, sources: Extent, keep: Path | None = None) -> Figures:
    """Return the size of the page, the time in which it is written, and the figures of visits to it.

    Args:
        sources: How much of the sources the page holds.
        keep: Where the page is kept; None: nowhere.
    """
    from playwright.sync_api import sync_playwright

    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        found = planted(Path(folder))
        began = time.perf_counter()
        html = found.to_html(sources=sources)
        written_s = time.perf_counter() - began
        path = keep or Path(folder) / "page.html"
        path.write_text(html, encoding="utf-8")
        visits = []
        for _ in range(RUNS):
            browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
            visits.append(measured(path, browser))
            version = browser.version
            browser.close()
        return {
            "browser": f"Chromium {version}",
            "sources": sources,
            "n_chars": found.query.n_chars,
            "n_passages": sum(len(match.passages) for match in found.matches),
            "n_sources": len(found.matches),
            "n_bytes": path.stat().st_size,
            "written_s": written_s,
            "visit_s": {name: statistics.median(visit[name] for visit in visits) for name in visits[0]},
        }


def table(figures: Figures) -> str:
    """Return the figures as Markdown."""
    lines = [
        f"{figures['n_chars']:,} characters, {figures['n_passages']} passages of {figures['n_sources']} sources; "
        f"{figures['browser']}; the median of {RUNS} visits.",
        f"{report.line(figures['about'])}.",
        "",
        *report.head(f"| | {figures['sources']} |"),
        f"| file | {report.size(figures['n_bytes'])} |",
        f"| written in | {report.time(figures['written_s'])} |",
        *(f"| {name} | {report.time(one) if one else 'under 50 ms'} |" for name, one in figures["visit_s"].items()),
    ]
    return "\n".join(lines) + "\n"


def planted(folder: Path) -> Report:
    """Return the report of the long text."""
    chosen = random.Random(SEED)
    words = ["".join(chosen.choices("bcdfghlmnprstaeiou", k=chosen.randint(2, 11))) for _ in range(20_000)]
    weights = [1 / (rank + 20) for rank in range(len(words))]  # as often as words of a language, which gzip knows

    def prose(n_chars: int) -> str:
        paragraphs: list[str] = []
        while sum(map(len, paragraphs)) < n_chars:
            paragraphs.append(" ".join(chosen.choices(words, weights, k=90)).capitalize() + ".")
        return "\n\n".join(paragraphs)[:n_chars]

    sources = [prose(SOURCE_CHARS) for _ in range(N_SOURCES)]
    parts = []
    for i in range(N_PASSAGES):
        own = sources[i % N_SOURCES].split()
        start = chosen.randrange(len(own) - PASSAGE_WORDS)
        taken = own[start : start + PASSAGE_WORDS]
        for place in chosen.sample(range(5, PASSAGE_WORDS - 5), 3):
            taken[place] = chosen.choice(words)
        copied = " ".join(taken)
        parts += [prose(N_CHARS // N_PASSAGES - len(copied) - 4), copied]
    with Collection(folder / "c.pmbf", create=True) as collection:
        collection.add_many((f"/library/source-{i}.txt", text) for i, text in enumerate(sources))
        return collection.screen("\n\n".join(parts), name="thesis.txt")


def measured(path: Path, browser: Any) -> dict[str, float]:
    """Return the figures of one visit to the page, in seconds: 0 for tasks under 0.05 s, which no browser tells."""
    page = browser.new_page(viewport={"width": 1440, "height": 900})
    page.goto(path.as_uri())
    page.wait_for_function("performance.getEntriesByType('navigation')[0].loadEventEnd > 0")
    load = page.evaluate("performance.getEntriesByType('navigation')[0].loadEventEnd")
    page.evaluate(WATCH)
    switch = page.evaluate(SWITCH)
    page.hover("#text", position={"x": 200, "y": 400})
    page.evaluate("window.longest = 0")
    for _ in range(100):
        page.mouse.wheel(0, 400)
        page.wait_for_timeout(16)
    scrolling = page.evaluate("window.longest")
    assert page.evaluate("document.getElementById('text').scrollTop") > 30_000
    began = time.perf_counter()
    page.keyboard.press("j")
    page.keyboard.press("s")
    page.wait_for_selector("#source mark.now")
    opened = time.perf_counter() - began
    page.wait_for_timeout(200)
    page.evaluate("window.longest = 0")
    for _ in range(100):
        page.mouse.wheel(0, 200)
        page.wait_for_timeout(16)
    tied = page.evaluate("window.longest")
    page.close()
    told = {"loaded after": load, "source on or off": switch, "longest task while scrolling": scrolling}
    shown = {"side by side for the first time": opened, "longest task while scrolling, tied": tied / 1000}
    return {name: milliseconds / 1000 for name, milliseconds in told.items()} | shown
