"""What is written where: a folder with an overview and a page for each pair, or one file with all of it.

FOLDER/index.html          the overview
FOLDER/pairs/0001.html     the first pair: both texts, side by side
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

from pmbf.base.errors import ParameterError
from pmbf.comparison.pages.names import Names
from pmbf.comparison.pages.overview import overview
from pmbf.comparison.pages.passages import passages_inside
from pmbf.comparison.reports import as_report
from pmbf.comparison.results import Comparison, Pair
from pmbf.pages import evidence_page, write_page
from pmbf.report import Report
from pmbf.sentences import SentenceReport

MOST_PAGES = 200
"""Pairs that have a page of their own, the highest shares first: a page takes 0.02 s and 100 kB."""
MOST_INSIDE = 500
"""Pairs whose passages stand in one file."""

Advance = Callable[[str, int, int], None]


def page(report: Comparison | Report | SentenceReport, *texts: Any, **how: Any) -> str:
    """Return any report as one HTML file that opens offline.

    Args:
        report: What was found. Of a comparison the file has the passages of its first `MOST_INSIDE` pairs.
        texts, how: As of `pmbf.pages.evidence_page`: `text` and `source_text`, which a report from JSON needs;
            `sources="whole"` for the whole texts of the sources; `hide_names=True`. None for a comparison.

    Raises:
        ParameterError: The report holds no texts, as one from JSON; or a value is none of those.
    """
    if not isinstance(report, Comparison):
        return evidence_page(report, *texts, **how)
    if texts or how:
        raise ParameterError(f"page is given {', '.join(how) or 'texts'}, which is not for a comparison")
    _require_texts(report)
    inside = passages_inside(report, Names(report), MOST_INSIDE)
    return overview(report, lambda i: f"#pair-{i + 1}" if i < MOST_INSIDE else "", inside)


def write_pages(comparison: Comparison, target: str | os.PathLike[str], *, on_progress: Advance | None = None) -> Path:
    """Write a comparison's pages, and return the path of the overview.

    Args:
        comparison: What was found.
        target: A folder, which gets an overview and a page for each pair; or a file that ends with `.html`.
        on_progress: Called with what is being done, how many pages are written, and how many there are.

    Raises:
        ParameterError: The comparison holds no texts, as one from JSON.
        OSError: A file cannot be written.
    """
    path = Path(target)
    if path.suffix.lower() in (".html", ".htm"):
        write_page(path, page(comparison))
        return path
    _require_texts(comparison)
    pages = path / "pairs"
    pages.mkdir(parents=True, exist_ok=True)
    n_pages = min(MOST_PAGES, len(comparison.pairs))
    write_page(
        path / "index.html", overview(comparison, lambda i: _link(comparison.pairs[i], i) if i < n_pages else "")
    )
    for i in range(n_pages):
        write_page(pages / _page(i), _evidence(comparison, i))
        if on_progress:
            on_progress("Writing pages", i + 1, n_pages)
    for i in range(n_pages, MOST_PAGES):
        (pages / _page(i)).unlink(missing_ok=True)  # of a comparison that was written here before
    return path / "index.html"


def _evidence(comparison: Comparison, i: int) -> str:
    pair = comparison.pairs[i]
    a, b = comparison.texts[pair.a], comparison.texts[pair.b]
    return evidence_page(as_report(pair, comparison), a, lambda document: b, sources="whole")


def _link(pair: Pair, i: int) -> str:
    """Return the address of a pair's page: side by side, at the longest passage."""
    lengths = [len(passage.a) for passage in pair.passages]
    return f"pairs/{_page(i)}#view=pair&p={1 + lengths.index(max(lengths))}"


def _page(i: int) -> str:
    return f"{i + 1:04}.html"


def _require_texts(comparison: Comparison) -> None:
    if comparison.members and not comparison.texts:
        raise ParameterError("the comparison holds no texts, as one from JSON: compare again to write pages")
