"""The checker of an endpoint filter, which has neither the texts nor the names of the protected documents."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from pmbf.base.errors import UnsupportedError
from pmbf.base.span import merged, union_length
from pmbf.guard.filter.filterfile import EndpointFilter
from pmbf.guard.filter.opaque import shown
from pmbf.guard.filter.sampling import keyed_sample
from pmbf.intake.texts import Text
from pmbf.report import DocumentRef, Match, Passage, Query, Report, Span
from pmbf.store.ownership import require_unshared
from pmbf.store.sitekey import SiteKey
from pmbf.text import tokenise


def open_endpoint(path: str, key: SiteKey) -> EndpointFilter:
    """Return an endpoint filter that only its owner can replace by an older filter of the same key."""
    require_unshared(path, f"chmod go-w {path}")
    if os.path.exists(path) and not os.path.isfile(path):  # opening a pipe would wait for a writer
        raise UnsupportedError(f"{path}: not a regular file, expected an endpoint filter")
    return EndpointFilter(path, key)


@dataclass(slots=True)
class _Row:
    """The runs of a text that a row holds: their spans, and their distinct hashes."""

    spans: list[Span] = field(default_factory=list)
    hits: set[int] = field(default_factory=set)


class EndpointChecker:
    """Compares texts with an endpoint filter.

    A match names a row by its opaque id. Its passages have a span in the text; their span in the document is empty, and
    the document's length is 0. A passage is as long as the shared text can be: up to 21 letters too long at either
    end.

    Args:
        endpoint: The filter.
        key: Its site key.
        min_chars: Of the shortest passage that counts, in characters of the text.
    """

    def __init__(self, endpoint: EndpointFilter, key: SiteKey, *, min_chars: int) -> None:
        self._endpoint = endpoint
        self._key = key
        self._min_chars = min_chars

    @property
    def key(self) -> bytes:
        """Derived from the site key."""
        return self._key.derived("allow", 32)

    def check(self, texts: Iterable[Text]) -> Iterator[Report]:
        """Yield the report on each text, in order."""
        return map(self._report, texts)

    def _report(self, query: Text) -> Report:
        text = query.text
        sample = keyed_sample(text, self._key)
        by_row: dict[int, _Row] = {}
        for run in self._endpoint.runs(sample):
            row = by_row.setdefault(run.row, _Row())
            row.spans.append(sample.span_around(run.start, run.stop))
            row.hits |= set(sample.hashes[run.start : run.stop].tolist())
        matches = [self._match(number, row, len(sample), len(text)) for number, row in by_row.items()]
        matches = sorted((one for one in matches if one.passages), key=lambda one: (-one.n_covered, one.document.path))
        n_covered = union_length([passage.query for match in matches for passage in match.passages])
        return Report(
            Query(query.name, len(text), len(tokenise(text)), len(sample)),
            tuple(matches),
            n_covered,
            n_covered / max(1, len(text)),
            n_documents=len(self._endpoint.ids),
            n_candidates=len(by_row),
            generation=0,
            problems=query.problems,
            collection=str(self._endpoint.path),
        )

    def _match(self, number: int, row: _Row, n_hashes: int, n_chars: int) -> Match:
        spans = [span for span in merged(row.spans) if len(span) >= self._min_chars]
        n_covered = union_length(spans)
        return Match(
            DocumentRef(0, shown(number), (shown(number),), 0),
            containment=min(1.0, len(row.hits) / max(1, n_hashes)),
            n_hits=len(row.hits),
            n_covered=n_covered,
            coverage=n_covered / max(1, n_chars),
            longest=max(map(len, spans), default=0),
            passages=tuple(Passage(span, Span(0, 0), 1.0, "verbatim") for span in spans),
        )
