"""The texts of sources, read to be compared with a query, and kept with what is made of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from pmbf import verify
from pmbf.errors import PmbfError
from pmbf.fingerprint import QuerySample
from pmbf.screen.near import stretches_near
from pmbf.screen.sources import Source
from pmbf.span import Span
from pmbf.store.generation import Generation
from pmbf.store.originals import original_text
from pmbf.store.recent import Recent
from pmbf.store.tables import Document


class Read(NamedTuple):
    """A source with its text and the stretches that are compared, or the reason why it was not read."""

    source: Source
    recent: Recent
    text: verify.SourceText | None = None
    stretches: Sequence[Span] = ()
    problem: str | None = None

    @property
    def is_whole(self) -> bool:
        """Whether the whole text is compared."""
        return self.text is not None and len(self.stretches) == 1 and len(self.stretches[0]) == len(self.text.text)

    def keep(self) -> None:
        """Keep a stored text for the next query, if it is not kept with all that was made of it."""
        if self.text is not None and (place := _place(self.source.document)):
            _keep(self.recent, place, self.text)


def read(generation: Generation, source: Source, sample: QuerySample, n_query_chars: int) -> Read:
    """Return a source with its text and what earlier comparisons made of it. Only stored texts are kept.

    Args:
        generation: The files that hold the text.
        source: The source.
        sample: The sample of the query.
        n_query_chars: Characters of the query.
    """
    place, recent = _place(source.document), generation.recent
    text: verify.SourceText | None = recent.get(place)
    if text is None:
        try:
            text = verify.SourceText(original_text(generation, source.document, source.paths))
        except (PmbfError, OSError) as error:
            return Read(source, recent, problem=str(error))
        if place:
            _keep(recent, place, text)
    return Read(source, recent, text, stretches_near(text, sample, n_query_chars, generation.params))


def _keep(recent: Recent, place: tuple[int, ...], text: verify.SourceText) -> None:
    if text.n_kept != (n_bytes := text.n_bytes):
        text.n_kept = n_bytes
        recent.put(place, text, n_bytes)


def _place(document: Document) -> tuple[int, ...] | None:
    if not document.text_file:
        return None
    return document.text_file, document.text_offset, document.text_skip, document.text_bytes
