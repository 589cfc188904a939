"""The original text of a document: stored, or read again from its file where the collection stores none."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

from pmbf.base.contents import read_bounded
from pmbf.base.errors import IncompleteError, PmbfError
from pmbf.extract import Limits, extract
from pmbf.store.catalog_tables import Document
from pmbf.store.generation import Generation
from pmbf.text import clean


def original_text(generation: Generation, document: Document, paths: Sequence[str]) -> str:
    """Return a document's text.

    Raises:
        CorruptError: The stored text is damaged.
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
