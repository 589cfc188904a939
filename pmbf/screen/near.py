"""Of a long source, only what lies near the query's hashes is compared: whole books would be prepared for a paragraph.

    segments of the source      │ 0 │ 1 │ 2 │ 3 │ 4 │ 5 │ …        65,536 characters each, sampled by themselves
    with a hash of the query            ▲       ▲   ▲
    compared                          ├───┤   ├───────┤            with a margin on both sides

What a segment without any hash of the query has in common with it is at most a few words in a row.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np

from pmbf import kernels, verify
from pmbf.files import StoreFiles
from pmbf.fingerprint import query_sample
from pmbf.records import Document
from pmbf.report import Passage, Span

WHOLE_PARTS = 4
"""A source of at most so many segments is compared whole: that takes some ten milliseconds."""

MARGIN_CHARS = 8192
"""A passage that reaches further into a segment has hundreds of hashes there."""


def stretches_near(files: StoreFiles, document: Document, text: str) -> list[Span]:
    """Return the stretches of a document that may share passages with a query, ascending, apart from each other.

    Args:
        files: Where its fingerprint is.
        document: Any.
        text: The query's, clean.

    Raises:
        CorruptError: The fingerprint is damaged.
    """
    whole = [Span(0, document.n_chars)]
    if document.n_parts <= WHOLE_PARTS:
        return whole
    sampled, wanted = files.fingerprint(document), np.sort(query_sample(text, files.params).hashes)
    found = np.flatnonzero(kernels.intersect(sampled.hashes, wanted))
    parts = sorted(set((np.searchsorted(sampled.bounds, found, side="right") - 1).tolist()))
    size = files.params.segment_chars
    # The last segment may be longer than the others.
    ends = {document.n_parts - 1: document.n_chars}
    spans = [Span(part * size, ends.get(part, (part + 1) * size)) for part in parts]
    return _merged(spans, document.n_chars) or whole


def _merged(spans: Iterable[Span], n_chars: int) -> list[Span]:
    """Return ascending spans with their margins, those that meet as one."""
    merged: list[Span] = []
    for span in spans:
        start, stop = max(0, span.start - MARGIN_CHARS), min(n_chars, span.stop + MARGIN_CHARS)
        if merged and start <= merged[-1].stop:
            merged[-1] = Span(merged[-1].start, stop)
        else:
            merged.append(Span(start, stop))
    return merged


def passages_near(
    query: verify.Prepared,
    source: str,
    stretches: Sequence[Span],
    settings: verify.Settings,
    statistics: verify.Statistics | None,
) -> tuple[Passage, ...]:
    """Return the passages a query shares with some stretches of a source, in query order, in characters of the source.

    They never overlap on the query's side: where two stretches hold the same words, the longer passage is told.
    """
    found = [
        _moved(passage, stretch.start)
        for stretch in stretches
        for passage in verify.passages(
            query, verify.prepare(source[stretch.start : stretch.stop]), settings, statistics
        )
    ]
    if len(stretches) == 1:
        return tuple(found)
    kept: list[Passage] = []
    for passage in sorted(found, key=lambda one: (-len(one.query), one.query, one.source)):
        if all(passage.query.stop <= other.query.start or other.query.stop <= passage.query.start for other in kept):
            kept.append(passage)
    return tuple(sorted(kept, key=lambda one: one.query))


def _moved(passage: Passage, by: int) -> Passage:
    return replace(passage, source=Span(passage.source.start + by, passage.source.stop + by))
