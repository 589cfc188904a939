"""pmbf: which documents of a collection share text with this one, and which passages.

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

from typing import TYPE_CHECKING

from pmbf.errors import (
    BusyError,
    CorruptError,
    IncompleteError,
    NotFoundError,
    ParameterError,
    PmbfError,
    UnsupportedError,
)
from pmbf.params import Params
from pmbf.report import DocumentRef, Match, Passage, Query, Report, Span

if TYPE_CHECKING:
    from pmbf.collection import Collection, repair

__version__ = "0.1.0"

__all__ = [
    "BusyError",
    "Collection",
    "CorruptError",
    "DocumentRef",
    "IncompleteError",
    "Match",
    "NotFoundError",
    "ParameterError",
    "Params",
    "Passage",
    "PmbfError",
    "Query",
    "Report",
    "Span",
    "UnsupportedError",
    "__version__",
    "repair",
]


def __getattr__(name: str) -> object:
    # NumPy takes a tenth of a second to import: `pmbf --help` must not wait for it.
    if name in ("Collection", "repair"):
        from pmbf import collection

        return getattr(collection, name)
    raise AttributeError(f"module 'pmbf' has no attribute {name!r}")
