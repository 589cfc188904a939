"""The original text of a document: stored, or read again from its file where the collection stores none.

It is asked for by the document's row, by its id, or by its id whenever a report needs it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

from pmbf.base.contents import read_bounded
from pmbf.base.errors import IncompleteError, PmbfError
from pmbf.extract import Limits, extract
from pmbf.store.catalog_tables import Document
from pmbf.store.folder import Store
from pmbf.store.generation import Generation
from pmbf.store.listing import absent
from pmbf.text import clean


def original_text(generation: Generation, document: Document, paths: Sequence[str]) -> str:
    """Return a document's text.

    Raises:
        IncompleteError: No text is stored, and no file with the same contents is left.
    """
    text = generation.text(document, recent=True)
    return read_again(document, paths) if text is None else text


def read_again(document: Document, paths: Sequence[str]) -> str:
    """Return a document's text from a file that still has the same contents.

    Raises:
        IncompleteError: There is none.
    """
    limits = Limits()
    for path in paths:
        try:
            content = read_bounded(path, limits.max_bytes)
        except (PmbfError, OSError):  # gone, or no file any more
            continue
        if hashlib.sha256(content).hexdigest() == document.sha256:
            return clean(extract(content, path, limits).text)
    raise IncompleteError(
        f"{paths[0]}: its text is not stored, and the file is gone, has changed or is larger than {limits.max_bytes} "
        "bytes; load it again to compare it, or into a collection that stores texts"
    )


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
    """The texts of a collection's documents, for a report that may outlive the `Collection` object; its absolute path.

    A call opens the collection. So a report can be shown in another thread, after `close`, and once it was pickled.
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
