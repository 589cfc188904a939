"""What was added to a collection and removed from it since the last run.

A document is known by its id and its contents together: ids are used again. So a modified document is one that was
removed and one that was added, whatever their ids are.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pmbf.alike.similar.documents import Documents
from pmbf.store.catalog_tables import Document, contents_key


@dataclass(frozen=True, slots=True, eq=False)
class Changes:
    """What differs between a collection and the table.

    Args:
        added: Documents of the collection that the table does not have, by id.
        keys: The key of each.
        gone: `KNOWN` rows of documents of the table that the collection does not have.
        kept: `KNOWN` rows of the others.
        incomplete: What was not read of documents of the collection, by id.
    """

    added: list[Document]
    keys: dict[int, int]
    gone: NDArray[np.void]
    kept: NDArray[np.void]
    incomplete: dict[int, str]

    def __bool__(self) -> bool:
        return bool(self.added) or len(self.gone) > 0


def changes(documents: Documents, known: NDArray[np.void]) -> Changes:
    """Return what differs between a collection and the documents of its table, `KNOWN` rows by ascending id.

    Files without text are no documents here.
    """
    live = documents.live()
    keys = {document.id: contents_key(document) for document in live}
    before = dict(zip(known["id"].tolist(), known["key"].tolist(), strict=True))
    is_kept = np.array([keys.get(id_) == key for id_, key in before.items()], np.bool_)
    incomplete = {document.id: document.problems for document in live if document.problems}
    added = [document for document in live if before.get(document.id) != keys[document.id]]
    return Changes(added, {one.id: keys[one.id] for one in added}, known[~is_kept], known[is_kept], incomplete)
