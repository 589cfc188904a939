"""What a query is not compared with: paths are left out, and with its last path a document.

Two people who hand in the same file are two paths of one document. If the path of the first person is left out, then
the document stays, and its match is named by the path of the second person.
"""

from __future__ import annotations

import os
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from pmbf.base.errors import ParameterError
from pmbf.base.labels import Labels, are_looked_at, decoded
from pmbf.intake.texts import Origin, Text
from pmbf.screen.options import Options
from pmbf.screen.stores import AnyStore
from pmbf.store.catalog_tables import ListedPath

LeftPaths = Callable[[Origin | Text], Iterable[str]]
"""Returns the paths and names, as the collection lists them, that a query is not compared with."""


@dataclass(frozen=True, slots=True, eq=False)
class LeftOut:
    """What one query is not compared with.

    Args:
        documents: `(n,) uint32`, the ids of the documents of which every path is left out, ascending.
        paths: The paths of other documents that are left out; no match is named by one of them.
    """

    documents: NDArray[np.uint32] = field(default_factory=lambda: np.empty(0, np.uint32))
    paths: frozenset[str] = frozenset()

    def kept(self, paths: Sequence[ListedPath]) -> list[ListedPath]:
        """Return those paths of a document that are not left out."""
        return [one for one in paths if one.path not in self.paths] if self.paths else [*paths]


NOTHING = LeftOut()


class LeavingOut:
    """Finds what each query of a screening is not compared with; `further` returns further paths for a query."""

    def __init__(self, store: AnyStore, options: Options, further: LeftPaths | None = None) -> None:
        self._store, self._options, self._further = store, options, further

    def of(self, query: Origin | Text) -> LeftOut:
        """Return what a query is not compared with. Paths that the collection does not list leave out nothing.

        Raises:
            ParameterError: A condition or `exclude_same` names a label that no path has.
        """
        options, always = self._options, self._always
        left: list[ListedPath] = []
        if self._further:
            left += self._listed(set(self._further(query)))
        if options.exclude_self or options.exclude_same:
            own = self._listed(own_paths(query))
            left += own if options.exclude_self else []
            by_label = self._by_label if options.exclude_same else {}
            left += [one for pair in self._values(query, own) for one in by_label.get(pair, ())]
        if not left:
            return always
        paths = always.paths.union(one.path for one in left)
        by_document = self._store.listed_of({one.document for one in left})
        whole = [document for document, its in by_document.items() if paths.issuperset(one.path for one in its)]
        gone = {one.path for document in whole for one in by_document[document]}
        documents = np.union1d(always.documents, np.array(whole, np.uint32))
        return LeftOut(documents, paths - gone)

    def _listed(self, paths: set[str]) -> list[ListedPath]:
        return list(self._store.catalog.some_paths(paths).values()) if paths else []

    @cached_property
    def _always(self) -> LeftOut:
        """What the conditions on labels leave out of every query."""
        where, where_not = self._options.where, self._options.where_not
        if not (where or where_not):
            return NOTHING
        self._require_known([*where, *where_not])
        left: dict[int, list[str]] = defaultdict(list)
        for row, labels in self._labelled:
            if not are_looked_at(labels, where, where_not):
                left[row.document].append(row.path)
        n_paths: Mapping[int, int] = Counter(row.document for row, _ in self._labelled)
        if not where:
            n_paths = {document: len(its) for document, its in self._store.listed_of(left).items()}
        whole = sorted(document for document, its in left.items() if len(its) == n_paths[document])
        others = left.keys() - set(whole)
        return LeftOut(np.array(whole, np.uint32), frozenset(path for one in others for path in left[one]))

    @cached_property
    def _labelled(self) -> list[tuple[ListedPath, Labels]]:
        """The paths with their labels; those without labels, too, if there are labels that a path must have."""
        catalog = self._store.catalog
        rows = catalog.paths() if self._options.where else catalog.labelled_paths()
        return [(row, decoded(row.labels)) for row in rows]

    @cached_property
    def _by_label(self) -> dict[tuple[str, str], list[ListedPath]]:
        """The paths with each label that `exclude_same` names, by the label's name and value."""
        if not self._options.labels_of:
            self._require_known(self._options.exclude_same)
        found: dict[tuple[str, str], list[ListedPath]] = defaultdict(list)
        for row, labels in self._labelled:
            for name in labels.keys() & set(self._options.exclude_same):
                found[name, labels[name]].append(row)
        return found

    def _values(self, query: Origin | Text, own: Sequence[ListedPath]) -> set[tuple[str, str]]:
        """Return the query's labels that `exclude_same` names: those of its own path, or else those that were given."""
        of_query = self._options.labels_of
        known = [decoded(one.labels) for one in own]
        if of_query and not any(known):
            path = os.path.abspath(query.path) if isinstance(query, Origin) and query.path else query.name
            known = [dict(of_query(path))]
        return {(name, labels[name]) for labels in known for name in labels.keys() & set(self._options.exclude_same)}

    def _require_known(self, names: Sequence[str]) -> None:
        known = {name for _, labels in self._labelled for name in labels}
        if unknown := [name for name in names if name not in known]:
            there = f"there are {', '.join(sorted(known))}" if known else "no path has a label"
            raise ParameterError(f"{self._store.folder}: no path has the label {unknown[0]}; {there}")


def own_paths(query: Origin | Text) -> set[str]:
    """Return under which paths and names a query may be listed itself: its path and its name, also made absolute."""
    named = {query.name, query.path} if isinstance(query, Origin) else {query.name}
    return {form for one in named - {"", "-"} for form in (one, os.path.abspath(one))}
