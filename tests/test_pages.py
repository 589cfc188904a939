"""The pages of docs/ that are written from figures say what the figures say."""

from __future__ import annotations

from pathlib import Path

import pytest

from experiments.pages import PAGES, pan, paper, tradeoffs
from experiments.pages.page import DOCS, RESULTS, Page

ALL = pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)


@ALL
def test_a_page_says_what_the_figures_say(page: Page) -> None:
    assert page.text(page.read()) == (DOCS / f"{page.name}.md").read_text(encoding="utf-8")


def test_every_file_of_figures_is_on_a_page() -> None:
    told = "\n".join(path.read_text(encoding="utf-8") for path in DOCS.rglob("*.md"))
    generated = {name for page in PAGES for name in page.figures}
    assert [] == [one.name for one in RESULTS.glob("*.json") if one.name not in told and one.stem not in generated]


@ALL
def test_a_page_names_the_commit_of_each_of_its_figures(page: Page) -> None:
    figures = page.read()
    text = page.text(figures)

    abouts = [one.get("run", one).get("about") for one in figures.values()]
    assert abouts
    assert [] == [about for about in abouts if about and about["commit"] not in text]


@ALL
def test_prose_stays_within_120_columns(page: Page) -> None:
    lines = page.text(page.read()).split("\n")

    assert [] == [line for line in lines if len(line) > 120 and not line.startswith("|")]


def test_a_figure_that_changes_changes_its_page() -> None:
    for page, name, path, shown in (
        (pan.PAGE, "pan13-align", ("scores", "all", "macro", "plagdet"), "0.123 |"),
        (pan.PAGE, "pan13-align", ("halves", "second", "scores", "all", "plagdet"), "0.123 |"),
        (pan.PAGE, "pan13-retrieve", ("unlisted", "detections"), "0.1234567 passages"),
        (pan.PAGE, "pan13-retrieve", ("losses", "03-random-obfuscation", "recall", "no_candidate"), "| 12.35 |"),
        (paper.PAGE, "paper-similarity", ("equal", "rows"), "| 0.12 |"),
        (tradeoffs.PAGE, "retrieval-second", ("found", 1, "recall"), "| 0.123 |"),
    ):
        figures = page.read()
        place = figures[name]
        for key in path[:-1]:
            place = place[key]
        place[path[-1]] = 0.1234567

        assert page.text(figures).count(shown) == page.text(page.read()).count(shown) + 1, path


@ALL
def test_a_page_and_its_plots_are_written(page: Page, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")

    page.write(docs=tmp_path)

    assert page.text(page.read()) == (tmp_path / f"{page.name}.md").read_text(encoding="utf-8")
    assert {f"{name}.svg" for name in page.plots} == {path.name for path in tmp_path.glob("plots/*.svg")}
