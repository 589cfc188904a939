"""A report of sentences from JSON text: what `SentenceReport.to_json` wrote."""

from __future__ import annotations

import json
from typing import Any

from pmbf.report.as_json import document, section
from pmbf.report.typed import as_written, require_schema, require_types, tuple_of
from pmbf.sentences.report import SCHEMA_VERSION, Origin, Pair, Sentence, SentenceReport, SiteAnswer, Source
from pmbf.span import Span

_COUNTED = ("n_found", "n_claimed", "n_compared")


def from_json(line: str) -> SentenceReport:
    """Return the report that `SentenceReport.to_json` wrote; raise what `SentenceReport.from_json` raises."""
    with as_written("report of sentences"):
        values = json.loads(line)
        require_schema(values, SCHEMA_VERSION, "report")
        for name in _COUNTED:
            values.pop(name, None)
        made: dict[str, Any] = {
            "sentences": tuple(map(_sentence, tuple_of(values["sentences"]))),
            "sources": tuple(map(_source, tuple_of(values["sources"]))),
            "problems": tuple_of(values["problems"]),
            "sections": tuple(map(section, tuple_of(values["sections"]))),
            "skipped": tuple(Span(*one) for one in tuple_of(values["skipped"])),
            "sites": tuple(SiteAnswer(**one) for one in tuple_of(values["sites"])),
            "texts": None,
        }
        report = SentenceReport(**values | made)
        require_types(report)
        _require_inside(report)
    return report


def _require_inside(report: SentenceReport) -> None:
    """Refuse spans that end behind the text. Raises `ValueError`."""
    spans = [*report.skipped, *(one.span for one in report.sentences), *(one.span for one in report.sections)]
    spans += [pair.query for source in report.sources for pair in source.pairs]
    if max((span.stop for span in spans), default=0) > report.n_chars:
        raise ValueError(f"a span ends behind the {report.n_chars} characters of the text")


def _sentence(values: dict[str, Any]) -> Sentence:
    origins = tuple(Origin(**one | {"span": Span(*one["span"])}) for one in tuple_of(values["origins"]))
    return Sentence(Span(*values["span"]), values["outcome"], origins, values["not_counted"])


def _source(values: dict[str, Any]) -> Source:
    pairs = (one | {"query": Span(*one["query"]), "source": Span(*one["source"])} for one in tuple_of(values["pairs"]))
    return Source(**values | {"document": document(values["document"]), "pairs": tuple(Pair(**one) for one in pairs)})
