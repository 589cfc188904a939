"""A document's text by its id: from an opened store, or from a folder whenever the text is asked for."""

from __future__ import annotations

from dataclasses import dataclass

from pmbf.store.folder import Store
from pmbf.store.listing import absent
from pmbf.store.originals import read_again


def document_text(store: Store, document: int) -> str:
    """Return a document's text.

    Raises:
        NotFoundError: There is no such document.
        IncompleteError: The collection stores no texts, and the file is gone or has changed.
    """
    if not (row := store.living([document]).get(document)):
        raise absent(store, document)
    text = store.generation.text(row, recent=True)
    return read_again(row, store.paths_of([document])[document]) if text is None else text


@dataclass(frozen=True, slots=True)
class SourceTexts:
    """The texts of a collection's documents, for a report that may outlive the `Collection` object.

    A call opens the collection. So a report can be shown in another thread, after `close`, and once it was pickled.

    Args:
        folder: The collection's absolute path.
    """

    folder: str

    def __call__(self, document: int) -> str:
        """Return a document's text.

        Raises:
            NotFoundError: The document or the collection is gone.
            IncompleteError: As for `document_text`.
        """
        store = Store(self.folder)
        try:
            return document_text(store, document)
        finally:
            store.close()
