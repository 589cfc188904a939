"""The texts of sources, read to be compared with a query, and kept with what is made of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from pmbf import verify
from pmbf.base.errors import PmbfError
from pmbf.screen.sources import Source
from pmbf.store.catalog_tables import Document
from pmbf.store.generation import Generation
from pmbf.store.originals import original_text
from pmbf.store.recent import Recent

Located = tuple[Generation, Source]
"""The files that hold the text of a source, and the source."""


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


def read_each(located: Sequence[Located]) -> list[Read]:
    """Return the texts of some sources, with what earlier comparisons made of them. Each is read once for all.

    Only stored texts are kept.
    """
    firsts = {source.document.id: (generation, source) for generation, source in located}
    places = {id_: _place(source.document) for id_, (_, source) in firsts.items()}
    known = {id_: generation.recent.get(places[id_]) for id_, (generation, _) in firsts.items()}
    read = {
        id_: Read(generation.recent, places[id_], known[id_]) if known[id_] else _read(generation, source, places[id_])
        for id_, (generation, source) in firsts.items()
    }
    return [read[source.document.id] for _, source in located]


def _read(generation: Generation, source: Source, place: tuple[int, ...] | None) -> Read:
    try:
        text = verify.prepare(original_text(generation, source.document, source.paths))
    except (PmbfError, OSError) as error:
        return Read(generation.recent, place, problem=str(error))
    found = Read(generation.recent, place, text)
    found.keep()  # whatever becomes of the comparison
    return found


def _place(document: Document) -> tuple[int, ...] | None:
    if not document.text_file:
        return None
    return document.text_file, document.text_offset, document.text_skip, document.text_bytes
