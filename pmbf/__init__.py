"""pmbf: which documents of a collection share text with this one, and which passages.

    Collection       a folder with all loaded documents: load, add_many, screen, screen_many, remove, compact, check
    repair           rebuilds the damaged parts of a collection
    Params           parameters of a new collection
    ResultSets       hides the copies in a list of search results
    near_duplicates  which texts of a list or a column are nearly the same, and which of them to keep
    Report           what a screening found: its Query, and for each source a Match with DocumentRef, Passage and Span
    PmbfError        the base of all errors; each of them says what to do

Other modules may change from version to version.

>>> import tempfile, pmbf
>>> collection = pmbf.Collection(tempfile.mkdtemp() + "/papers.pmbf", create=True)
>>> sea = "The sea comes in twice a day and goes out twice a day, and nobody on this coast has ever asked it why."
>>> _ = collection.add(sea, name="tides")
>>> report = collection.screen("As she put it: " + sea + " I disagree.")
>>> [(match.document.path, match.passages[0].query.start) for match in report.matches]
[('tides', 15)]
>>> collection.remove("tides")
1
>>> collection.screen(sea).found
False
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

from pmbf.base import __version__
from pmbf.base.errors import (
    BusyError,
    CorruptError,
    IncompleteError,
    NotFoundError,
    ParameterError,
    PmbfError,
    UnsupportedError,
)
from pmbf.base.views import VIEWS

if TYPE_CHECKING:
    from pmbf.alike.pairs import NearCluster, NearDuplicates, NearPair, near_duplicates
    from pmbf.alike.resultsets import ResultSets
    from pmbf.base.params import Params
    from pmbf.collection import Collection
    from pmbf.collection.checking import repair
    from pmbf.comparison import Cluster, Comparison, Member, Pair, compare
    from pmbf.comparison.pages import page, write_pages
    from pmbf.report import DocumentRef, Match, Passage, Query, Report, Span
    from pmbf.report.table import frame

__all__ = [
    "BusyError",
    "Cluster",
    "Collection",
    "Comparison",
    "CorruptError",
    "DocumentRef",
    "IncompleteError",
    "Match",
    "Member",
    "NearCluster",
    "NearDuplicates",
    "NearPair",
    "NotFoundError",
    "Pair",
    "ParameterError",
    "Params",
    "Passage",
    "PmbfError",
    "Query",
    "Report",
    "ResultSets",
    "Span",
    "UnsupportedError",
    "__version__",
    "compare",
    "frame",
    "near_duplicates",
    "page",
    "repair",
    "write_pages",
]


_MODULES = {
    "Collection": "collection",
    "repair": "collection.checking",
    "frame": "report.table",
    **dict.fromkeys(("page", "write_pages"), "comparison.pages"),
    **dict.fromkeys(("Cluster", "Comparison", "Member", "Pair", "compare"), "comparison"),
    **dict.fromkeys(("NearCluster", "NearDuplicates", "NearPair", "near_duplicates"), "alike.pairs"),
    "Params": "base.params",
    "ResultSets": "alike.resultsets",
    **dict.fromkeys(("DocumentRef", "Match", "Passage", "Query", "Report", "Span"), "report"),
}


_BY_DOTS = "alike", "verify"
"""Rooms that users reach by dots behind `import pmbf`, as `pmbf.alike.similar.update`."""


def __getattr__(name: str) -> object:
    # Importing NumPy takes a tenth of a second, the classes of a report a hundredth. `pmbf --help` and a hook that asks
    # the service do not wait for them.
    if name in _BY_DOTS:
        return importlib.import_module(f"pmbf.{name}")
    if name not in _MODULES:
        raise AttributeError(f"module 'pmbf' has no attribute {name!r}")
    return getattr(importlib.import_module(f"pmbf.{_MODULES[name]}"), name)


def _page(report: Report) -> str:
    from pmbf.pages import notebook_view

    return notebook_view(report)


VIEWS["Report"] = _page


def __dir__() -> list[str]:
    return __all__
