"""The texts of sources, read to be compared with a query, and kept with what is made of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from pmbf import verify
from pmbf.base.errors import PmbfError
from pmbf.base.span import Span
from pmbf.fingerprint import QuerySample
from pmbf.screen.near import WHOLE_CHARS, stretches_near
from pmbf.screen.screened import Screened
from pmbf.screen.sources import Source
from pmbf.store.catalog_tables import Document
from pmbf.store.generation import Generation
from pmbf.store.originals import original_text
from pmbf.store.recent import Recent


class Read(NamedTuple):
    """The text of a source and the stretches that are compared, or the reason why it was not read."""

    recent: Recent
    place: tuple[int, ...] | None
    text: verify.Prepared | None = None
    stretches: Sequence[Span] = ()
    problem: str | None = None

    def keep(self) -> None:
        """Keep a stored text for the next query, if it is not kept with all that was made of it."""
        if self.text is not None and self.place and self.text.n_kept != (n_bytes := self.text.n_bytes):
            self.text.n_kept = n_bytes
            self.recent.put(self.place, self.text, n_bytes)


def read(generation: Generation, source: Source, sample: QuerySample, n_query_chars: int) -> Read:
    """Return the text of a source, with what earlier comparisons made of it. Only stored texts are kept.

    Args:
        generation: The files that hold the text.
        source: The source.
        sample: The sample of the query.
        n_query_chars: Characters of the query.
    """
    place, recent = _place(source.document), generation.recent
    text: verify.Prepared | None = recent.get(place)
    is_new = text is None
    if text is None:
        try:
            text = verify.prepare(original_text(generation, source.document, source.paths))
        except (PmbfError, OSError) as error:
            return Read(recent, place, problem=str(error))
    found = Read(recent, place, text, stretches_near(text, sample, n_query_chars, generation.params))
    if is_new:
        found.keep()
    return found


class Texts:
    """The texts of the sources of many queries. One that is compared whole with each query is read once for all."""

    def __init__(self) -> None:
        self._whole: dict[int, Read] = {}

    def of(self, generation: Generation, source: Source, query: Screened) -> Read:
        """Return the text of a source, as `read` does."""
        known = self._whole.get(source.document.id)
        if known is None:
            known = read(generation, source, query.sample, query.sample.n_chars)
            if known.text is not None and len(known.text.text) <= WHOLE_CHARS:
                self._whole[source.document.id] = known
        return known


def _place(document: Document) -> tuple[int, ...] | None:
    if not document.text_file:
        return None
    return document.text_file, document.text_offset, document.text_skip, document.text_bytes
