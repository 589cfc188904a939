"""The texts of sources, read to be compared with a query, and kept with what is made of them."""

from __future__ import annotations

from typing import NamedTuple

from pmbf import verify
from pmbf.base.errors import PmbfError
from pmbf.screen.sources import Source
from pmbf.store.catalog_tables import Document
from pmbf.store.generation import Generation
from pmbf.store.originals import original_text
from pmbf.store.recent import Recent


class Read(NamedTuple):
    """The text of a source, or the reason why it was not read."""

    recent: Recent
    place: tuple[int, ...] | None
    text: verify.Prepared | None = None
    problem: str | None = None

    def keep(self) -> None:
        """Keep a stored text for the next query, if it is not kept with all that was made of it."""
        if self.text is not None and self.place and self.text.has_grown:
            self.text.has_grown = False
            self.recent.put(self.place, self.text, self.text.n_bytes)


class Texts(dict[int, Read]):
    """The texts of the sources of many queries, by the id of the document. Each is read once for all."""

    def of(self, generation: Generation, source: Source) -> Read:
        """Return the text of a source, with what earlier comparisons made of it. Only stored texts are kept.

        Args:
            generation: The files that hold the text.
            source: The source.
        """
        found = self.get(source.document.id)
        if found is None:
            found = self[source.document.id] = _read(generation, source)
        return found


def _read(generation: Generation, source: Source) -> Read:
    place, recent = _place(source.document), generation.recent
    if known := recent.get(place):
        return Read(recent, place, known)
    try:
        text = verify.prepare(original_text(generation, source.document, source.paths))
    except (PmbfError, OSError) as error:
        return Read(recent, place, problem=str(error))
    return Read(recent, place, text)


def _place(document: Document) -> tuple[int, ...] | None:
    if not document.text_file:
        return None
    return document.text_file, document.text_offset, document.text_skip, document.text_bytes
