"""Every document of a collection, as a list shows it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from itertools import islice
from typing import Any

from pmbf.errors import NotFoundError
from pmbf.report.as_json import with_lists
from pmbf.store.folder import Store


@dataclass(frozen=True, slots=True)
class Listed:
    """A document as `Collection.documents` lists it."""

    id: int
    paths: tuple[str, ...]
    kind: str
    n_chars: int
    n_tokens: int
    n_hashes: int
    sha256: str
    problems: tuple[str, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return the document as JSON-ready dicts and lists."""
        return asdict(self, dict_factory=with_lists)


def listed(store: Store, most: int | None = None) -> Iterator[Listed]:
    """Yield every document, or the first `most`, by ascending id."""
    documents = list(islice(store.catalog.live_documents(), most))
    paths = store.paths_of(document.id for document in documents)
    for row in documents:
        yield Listed(
            id=row.id,
            paths=tuple(paths[row.id]),
            kind=row.kind,
            n_chars=row.n_chars,
            n_tokens=row.n_tokens,
            n_hashes=row.n_hashes,
            sha256=row.sha256,
            problems=tuple(row.problems.splitlines()),
        )


def find(store: Store, what: int | str | os.PathLike[str]) -> int | str:
    """Return a document's id, or a path or name as it is listed; a path may be relative to the current folder.

    Raises:
        NotFoundError: There is none such.
    """
    if isinstance(what, int):
        row = store.catalog.documents([what]).get(what) if 0 <= what < 2**32 else None
        if row and not row.removed:
            return what
    else:
        for path in (os.fspath(what), os.path.abspath(what)):
            if store.catalog.path(path):
                return path
    shown = what if isinstance(what, int) else os.fspath(what)
    raise NotFoundError(f"{store.folder}: has no document {shown!r}; see `pmbf list`")
