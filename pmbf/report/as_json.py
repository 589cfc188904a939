"""A report as JSON-ready dicts and lists, and back."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import asdict, replace
from typing import Any

from pmbf.places import Place
from pmbf.report import SCHEMA_VERSION, DocumentRef, Match, Passage, Query, Report, Scores, Section
from pmbf.report.typed import as_written, require_schema, require_types, tuple_of
from pmbf.span import Span


def as_dict(report: Report, *, with_text: bool) -> dict[str, Any]:
    """Return a report as dicts and lists; `Report.to_dict` says how."""
    values = asdict(replace(report, texts=None), dict_factory=with_lists)
    del values["texts"]
    values["query"]["excluded"] = [[span["start"], span["stop"]] for span in values["query"]["excluded"]]
    for section in values["sections"]:
        section["span"] = [section["span"]["start"], section["span"]["stop"]]
    for match, one in zip(values["matches"], report.matches, strict=True):
        match["counts"] = one.counts
        for passage in match["passages"]:
            for side in ("query", "source"):
                passage[side] = [passage[side]["start"], passage[side]["stop"]]
                if not with_text:
                    del passage[f"{side}_text"], passage[f"{side}_place"]
    return values


def from_json(line: str) -> Report:
    """Return the report that `Report.to_json` wrote; raise what `Report.from_json` raises."""
    with as_written("report"):
        values = json.loads(line)
        require_schema(values, SCHEMA_VERSION, "report")
        values["query"] = _query(values["query"])
        values["matches"] = tuple(map(_match, tuple_of(values["matches"])))
        values["problems"] = tuple_of(values["problems"])
        values["warnings"] = tuple_of(values["warnings"])
        values["sections"] = tuple(map(section, tuple_of(values["sections"])))
        made = Report(**values | {"texts": None})
        require_types(made)
        _require_inside(made)
    return made


def _require_inside(report: Report) -> None:
    """Refuse spans that end behind the text. Raises `ValueError`."""
    spans = [*report.query.excluded, *(one.span for one in report.sections)]
    spans += [passage.query for match in report.matches for passage in match.passages]
    if max((span.stop for span in spans), default=0) > report.query.n_chars:
        raise ValueError(f"a span ends behind the {report.query.n_chars} characters of the text")


def with_lists(pairs: Iterable[tuple[str, Any]]) -> dict[str, Any]:
    """Return a dict whose tuples are lists: the `dict_factory` of what is JSON-ready."""
    return {name: list(value) if isinstance(value, tuple) else value for name, value in pairs}


def _query(values: dict[str, Any]) -> Query:
    return Query(**values | {"excluded": tuple(Span(*span) for span in tuple_of(values["excluded"]))})


def section(values: dict[str, Any]) -> Section:
    """Return a section, of its values in JSON."""
    return Section(**values | {"span": Span(*values["span"])})


def document(values: dict[str, Any]) -> DocumentRef:
    """Return a document, of its values in JSON. Raises `ValueError` if its labels are not those of its paths."""
    paths, labels = tuple_of(values["paths"]), tuple_of(values["labels"])
    if len(labels) not in (0, len(paths)):
        raise ValueError(f"a document has {len(paths)} paths and labels of {len(labels)}")
    return DocumentRef(**values | {"paths": paths, "labels": labels})


def _match(values: dict[str, Any]) -> Match:
    passages = tuple(map(_passage, tuple_of(values["passages"])))
    values.pop("counts", None)
    return Match(**values | {"document": document(values["document"]), "passages": passages})


def _passage(values: dict[str, Any]) -> Passage:
    scores = values["scores"]
    return Passage(
        **values
        | {"query": Span(*values["query"]), "source": Span(*values["source"]), "also_in": tuple_of(values["also_in"])}
        | {"scores": Scores(**scores) if scores else None}
        | {name: Place(**values[name]) for name in ("query_place", "source_place") if values.get(name)}
    )
