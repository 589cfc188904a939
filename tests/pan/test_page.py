"""docs/pan.md says what the figures say."""

from __future__ import annotations

from pathlib import Path

import pytest

from experiments import page


def test_the_page_says_what_the_figures_say() -> None:
    assert page.text(page.read()) == page.PAGE.read_text(encoding="utf-8")


def test_a_figure_that_changes_changes_the_page() -> None:
    figures = page.read()
    figures["pan13-align"]["scores"]["all"]["macro"]["plagdet"] = 0.12345

    text = page.text(figures)

    assert "0.123 |" in text  # beside the published ones
    assert "0.1235 |" in text or "0.1234 |" in text  # in the table of the run


def test_the_page_and_its_plot_are_written(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")

    page.write(page=tmp_path / "pan.md")

    assert page.text(page.read()) == (tmp_path / "pan.md").read_text(encoding="utf-8")
    assert "plagdet" in (tmp_path / "plots" / "pan13.svg").read_text(encoding="utf-8")
