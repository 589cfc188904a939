"""What is written where: a folder with an overview and a page for each pair, or one file with all of it.

FOLDER/index.html          the overview
FOLDER/pairs/0001.html     the first pair: both texts, side by side
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

from pmbf.comparison.pages.names import Names
from pmbf.comparison.pages.overview import overview
from pmbf.comparison.pages.passages import passages_inside
from pmbf.comparison.reports import as_report
from pmbf.comparison.results import Comparison, Pair
from pmbf.errors import ParameterError
from pmbf.pages import evidence_page, write_page

MOST_PAGES = 200
"""Pairs that have a page of their own, the highest shares first: a page takes 0.02 s and 100 kB."""
MOST_INSIDE = 500
"""Pairs whose passages stand in one file."""

Advance = Callable[[str, int, int], None]


def one_file(comparison: Comparison) -> str:
    """Return a comparison as one HTML file, with the passages of its first `MOST_INSIDE` pairs.

    Raises:
        ParameterError: The comparison holds no texts, as one from JSON.
    """
    _require_texts(comparison)
    inside = passages_inside(comparison, Names(comparison), MOST_INSIDE)
    return overview(comparison, lambda i: f"#pair-{i + 1}" if i < MOST_INSIDE else "", inside)


def write(comparison: Comparison, target: str | os.PathLike[str], advance: Advance) -> Path:
    """Write a comparison's pages, and return the path of the overview.

    Args:
        comparison: What was found.
        target: A file that ends with `.html`, or a folder, which is made.
        advance: Called with what is being done, how many pages are written, and how many there are.

    Raises:
        ParameterError: The comparison holds no texts, as one from JSON.
        OSError: A file cannot be written.
    """
    path = Path(target)
    if path.suffix.lower() in (".html", ".htm"):
        write_page(path, one_file(comparison))
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
        advance("Writing pages", i + 1, n_pages)
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
