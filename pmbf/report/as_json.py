"""A report as JSON-ready dicts and lists, and back."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import asdict, replace
from typing import Any

from pmbf.errors import ParameterError, UnsupportedError
from pmbf.places import Place
from pmbf.report import SCHEMA_VERSION, DocumentRef, Match, Passage, Query, Report, Scores, Section
from pmbf.span import Span


def as_dict(report: Report, *, with_text: bool) -> dict[str, Any]:
    """Return a report as dicts and lists; `Report.to_dict` says how."""
    values = asdict(replace(report, texts=None), dict_factory=with_lists)
    del values["texts"]
    values["query"]["excluded"] = [[span["start"], span["stop"]] for span in values["query"]["excluded"]]
    for section in values["sections"]:
        section["span"] = [section["span"]["start"], section["span"]["stop"]]
    for match in values["matches"]:
        for passage in match["passages"]:
            for side in ("query", "source"):
                passage[side] = [passage[side]["start"], passage[side]["stop"]]
                if not with_text:
                    del passage[f"{side}_text"], passage[f"{side}_place"]
    return values


def from_json(line: str) -> Report:
    """Return the report that `Report.to_json` wrote; raise what `Report.from_json` raises."""
    try:
        values = json.loads(line)
        if values["schema"] > SCHEMA_VERSION:
            raise UnsupportedError(
                f"the report has schema {values['schema']}, this pmbf reads up to {SCHEMA_VERSION}; upgrade pmbf"
            )
        values["query"] = _query(_renamed(values["query"]))
        values["schema"] = SCHEMA_VERSION
        values["matches"] = tuple(_match(match) for match in values["matches"])
        values["problems"] = tuple(values["problems"])
        values["warnings"] = tuple(values.get("warnings", ()))
        values["sections"] = tuple(_section(one) for one in values.get("sections", ()))
        return Report(**values | {"texts": None})
    except KeyError as error:
        raise ParameterError(f"no report as to_json writes it: it lacks {error}") from error
    except (TypeError, ValueError, AttributeError) as error:
        raise ParameterError(f"no report as to_json writes it: {error}") from error


def with_lists(pairs: Iterable[tuple[str, Any]]) -> dict[str, Any]:
    """Return a dict whose tuples are lists: the `dict_factory` of what is JSON-ready."""
    return {name: list(value) if isinstance(value, tuple) else value for name, value in pairs}


def _query(values: dict[str, Any]) -> Query:
    return Query(**values | {"excluded": tuple(Span(*span) for span in values.get("excluded", ()))})


def _section(values: dict[str, Any]) -> Section:
    return Section(**values | {"span": Span(*values["span"])})


def _match(values: dict[str, Any]) -> Match:
    document = values["document"] | {"paths": tuple(values["document"]["paths"])}
    document["labels"] = tuple(document.get("labels", ()))
    return Match(**values | {"document": DocumentRef(**document), "passages": tuple(map(_passage, values["passages"]))})


def _passage(values: dict[str, Any]) -> Passage:
    scores = values.get("scores")
    return Passage(
        **values
        | {"query": Span(*values["query"]), "source": Span(*values["source"]), "also_in": tuple(values["also_in"])}
        | {"scores": Scores(**scores) if scores else None}
        | {name: Place(**values[name]) for name in ("query_place", "source_place") if values.get(name)}
    )


def _renamed(query: dict[str, Any]) -> dict[str, Any]:
    """Return a query's values under the names of this schema: schema 1 said `n_stop_hashes`."""
    return {{"n_stop_hashes": "n_common_hashes"}.get(name, name): value for name, value in query.items()}
