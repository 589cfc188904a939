"""What a query is not compared with: paths are left out, and with its last path a document.

Two people who hand in the same file are two paths of one document. If the path of the first person is left out, then
the document stays, and its match is named by the path of the second person.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from pmbf.intake.texts import Origin, Text
from pmbf.screen.options import Options
from pmbf.store.folder import Store

LeftPaths = Callable[[Origin | Text], Iterable[str]]
"""Returns the paths and names, as the collection lists them, that a query is not compared with."""


@dataclass(frozen=True, slots=True, eq=False)
class LeftOut:
    """What one query is not compared with.

    Args:
        documents: `(n,) uint32`, the ids of the documents of which every path is left out, ascending.
        paths: The paths that are left out; no match is named by one of them.
    """

    documents: NDArray[np.uint32] = field(default_factory=lambda: np.empty(0, np.uint32))
    paths: frozenset[str] = frozenset()

    def kept(self, paths: Sequence[str]) -> tuple[str, ...]:
        """Return those paths of a document that are not left out."""
        return tuple(path for path in paths if path not in self.paths)


NOTHING = LeftOut()


@dataclass(frozen=True, slots=True)
class LeavingOut:
    """Finds what each query of a screening is not compared with.

    Args:
        store: The collection, with its catalog.
        options: What is left out of every screening.
        further: Returns further paths for a query.
    """

    store: Store
    options: Options
    further: LeftPaths | None = None

    def of(self, query: Origin | Text) -> LeftOut:
        """Return what a query is not compared with. Paths that the collection does not list leave out nothing.

        Raises:
            CorruptError: The catalog is damaged.
        """
        wanted = set(self.further(query)) if self.further else set()
        if self.options.exclude_self:
            wanted |= own_paths(query)
        listed = self.store.catalog.some_paths(wanted) if wanted else {}
        if not listed:
            return NOTHING
        paths = frozenset(listed)
        by_document = self.store.paths_of(one.document for one in listed.values())
        whole = [document for document, its in by_document.items() if paths.issuperset(its)]
        return LeftOut(np.array(sorted(whole), np.uint32), paths)


def own_paths(query: Origin | Text) -> set[str]:
    """Return under which paths and names a query may be listed itself: its path and its name, also made absolute."""
    named = {query.name, query.path} if isinstance(query, Origin) else {query.name}
    return {form for one in named - {"", "-"} for form in (one, os.path.abspath(one))}
