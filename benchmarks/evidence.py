"""The evidence page of a long text in Chromium: its size, how soon it is loaded, how quickly it answers.

    python -m benchmarks.evidence [--sources whole] [--keep FILE]

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
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from pmbf import Collection, Report

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
    """Return the figures of one visit to the page, in milliseconds."""
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
    opened = 1000 * (time.perf_counter() - began)
    page.wait_for_timeout(200)
    page.evaluate("window.longest = 0")
    for _ in range(100):
        page.mouse.wheel(0, 200)
        page.wait_for_timeout(16)
    tied = page.evaluate("window.longest")
    page.close()
    return {"load": load, "source on or off": switch, "longest task while scrolling": scrolling,
            "first side by side": opened, "longest task while scrolling tied": tied}  # fmt: skip


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the figures of the page."""
    from playwright.sync_api import sync_playwright

    parser = argparse.ArgumentParser(prog="python -m benchmarks.evidence", description=__doc__)
    parser.add_argument("--sources", choices=("passages", "whole"), default="passages")
    parser.add_argument("--keep", type=Path, help="where the page is kept")
    given = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        report = planted(Path(folder))
        began = time.perf_counter()
        html = report.to_html(sources=given.sources)
        made = time.perf_counter() - began
        path = given.keep or Path(folder) / "page.html"
        path.write_text(html, encoding="utf-8")
        print(f"{report.query.n_chars:,} characters, {sum(len(match.passages) for match in report.matches)} passages,")
        print(f"{len(report.matches)} sources: {path.stat().st_size / 1e6:.2f} MB, written in {made:.2f} s")
        visits = []
        for _ in range(RUNS):
            browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
            visits.append(measured(path, browser))
            browser.close()
        for name in visits[0]:
            print(f"{statistics.median(visit[name] for visit in visits):8.0f} ms  {name}")


if __name__ == "__main__":
    main()
