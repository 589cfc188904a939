"""Every document of a collection, as a list shows it."""

from __future__ import annotations

import itertools
import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from pmbf.base.errors import NotFoundError
from pmbf.base.labels import Conditions, Labels, are_looked_at, decoded
from pmbf.report.as_json import AsJson
from pmbf.store.catalog_tables import Document, ListedPath
from pmbf.store.folder import Store

Entry = tuple[Document, Sequence[ListedPath]]
"""A document's row, and its paths."""


@dataclass(frozen=True, slots=True)
class Listed(AsJson):
    """A document as `Collection.documents` lists it; `labels` are those of each path, or empty if no path has any."""

    id: int
    paths: tuple[str, ...]
    kind: str
    n_chars: int
    n_tokens: int
    n_hashes: int
    sha256: str
    problems: tuple[str, ...]
    labels: tuple[Labels, ...] = field(default=(), hash=False)

    def fitting(self, where: Conditions, where_not: Conditions) -> list[str]:
        """Return the paths whose labels fit some conditions, and do not fit others."""
        labelled = zip(self.paths, self.labels or ({},) * len(self.paths), strict=True)
        return [path for path, labels in labelled if are_looked_at(labels, where, where_not)]


def listed(store: Store) -> Iterator[Listed]:
    """Yield every document by ascending id. Memory does not grow with their number."""
    return (as_listed(row, paths) for row, paths in store.documents_with_paths())


def listed_in(folder: str | os.PathLike[str]) -> Iterator[Listed]:
    """Yield every document of a collection's folder, as `listed`; the folder is opened for the first one."""
    with Store(folder) as store:
        yield from listed(store)


def as_listed(row: Document, paths: Sequence[ListedPath]) -> Listed:
    """Return a document as a list shows it."""
    return Listed(
        id=row.id,
        paths=tuple(one.path for one in paths),
        labels=labels_of(paths),
        kind=row.kind,
        n_chars=row.n_chars,
        n_tokens=row.n_tokens,
        n_hashes=row.n_hashes,
        sha256=row.sha256,
        problems=tuple(row.problems.splitlines()),
    )


def labels_of(paths: Sequence[ListedPath]) -> tuple[Labels, ...]:
    """Return the labels of each path, or nothing if no path has any."""
    return tuple(decoded(one.labels) for one in paths) if any(one.labels for one in paths) else ()


def find(store: Store, what: Iterable[int | str | os.PathLike[str]]) -> list[int | str]:
    """Return each document's id, or path or name as it is listed; a path may be relative to the current folder.

    Raises:
        NotFoundError: There is none such.
        CorruptError: The catalog is damaged: it might be there.
    """
    asked = list(what)
    rows = store.living(one for one in asked if isinstance(one, int))
    spelled = {one: (os.fspath(one), os.path.abspath(one)) for one in asked if not isinstance(one, int)}
    listed = store.catalog.some_paths({path for paths in spelled.values() for path in paths})
    found: list[int | str] = []
    for one in asked:
        here = [path for path in spelled[one] if path in listed] if one in spelled else []
        if isinstance(one, int) and one in rows:
            found.append(one)
        elif here:
            found.append(here[0])
        else:
            raise absent(store, one)
    return found


def absent(store: Store, one: int | str | os.PathLike[str]) -> NotFoundError:
    """Return the error of a document that is not there; CorruptError if the catalog is damaged: it might be there."""
    store.catalog.require_indexes(ListedPath)
    shown = one if isinstance(one, int) else os.fspath(one)
    return NotFoundError(f"{store.folder}: has no document {shown!r}; see `pmbf list`")


def named(store: Store, what: Iterable[int | str | os.PathLike[str]]) -> list[ListedPath]:
    """Return paths and names as they are listed; of an id, all paths of its document.

    Raises:
        NotFoundError: There is none such.
    """
    found = find(store, what)
    by_id = store.listed_of(one for one in found if isinstance(one, int))
    by_path = store.catalog.some_paths(one for one in found if isinstance(one, str))
    return list({one.path: one for one in [*by_path.values(), *itertools.chain(*by_id.values())]}.values())
