"""How documents are called in the browser: relative to the folder that all files of the collection lie in.

The path of that folder on the server is for admins.
"""

from __future__ import annotations

import os
from dataclasses import replace
from functools import lru_cache
from typing import TypeVar

from pmbf.collection import Collection
from pmbf.pages.markup import common_folder
from pmbf.report import DocumentRef, Report
from pmbf.sentences import SentenceReport

Told = TypeVar("Told", Report, SentenceReport)


@lru_cache(maxsize=1)  # a process has one collection, opened again after each commit
def root(collection: Collection) -> str:
    """Return the folder that all files of a collection lie in, with a separator at its end; empty if there is none.

    Names that are no absolute paths do not count. If one of them is also a path inside the folder, then there is none.
    """
    paths = [path for one in collection.documents() for path in one.paths]
    found = common_folder([path for path in paths if os.path.isabs(path)])
    names = {path for path in paths if not os.path.isabs(path)}
    return "" if any(path.removeprefix(found) in names for path in paths if os.path.isabs(path)) else found


def spelled(report: Told, collection: Collection) -> Told:
    """Return a report with its documents called as the pages call them, and the collection without its folders."""
    folder = root(collection)

    def called(document: DocumentRef) -> DocumentRef:
        paths = tuple(path.removeprefix(folder) for path in document.paths)
        return replace(document, path=document.path.removeprefix(folder), paths=paths)

    name = os.path.basename(os.path.normpath(report.collection)) if report.collection else ""
    if isinstance(report, Report):
        matches = tuple(replace(one, document=called(one.document)) for one in report.matches)
        return replace(report, collection=name, matches=matches)
    sources = tuple(replace(one, document=called(one.document)) for one in report.sources)
    return replace(report, collection=name, sources=sources)
