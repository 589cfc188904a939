"""A report of sentences from JSON text: what `SentenceReport.to_json` wrote."""

from __future__ import annotations

import json
from typing import Any

from pmbf.errors import ParameterError, UnsupportedError
from pmbf.report import DocumentRef, Section
from pmbf.sentences.report import SCHEMA_VERSION, Origin, Pair, Sentence, SentenceReport, SiteAnswer, Source
from pmbf.span import Span

_COUNTED = ("n_found", "n_claimed", "n_compared")


def from_json(line: str) -> SentenceReport:
    """Return the report that `SentenceReport.to_json` wrote; raise what `SentenceReport.from_json` raises."""
    try:
        values = json.loads(line)
        if values["schema"] > SCHEMA_VERSION:
            raise UnsupportedError(
                f"the report has schema {values['schema']}, this pmbf reads up to {SCHEMA_VERSION}; upgrade pmbf"
            )
        if values["schema"] == 1:
            _forget_shares(values)
        values["schema"] = SCHEMA_VERSION
        for name in _COUNTED:
            values.pop(name, None)
        made: dict[str, Any] = {
            "sentences": tuple(map(_sentence, values["sentences"])),
            "sources": tuple(map(_source, values["sources"])),
            "problems": tuple(values["problems"]),
            "sections": tuple(Section(**one | {"span": Span(*one["span"])}) for one in values["sections"]),
            "skipped": tuple(Span(*one) for one in values["skipped"]),
            "sites": tuple(SiteAnswer(**one) for one in values["sites"]),
        }
        return SentenceReport(**values | made)
    except KeyError as error:
        raise ParameterError(f"no report of sentences as to_json writes it: it lacks {error}") from error
    except (TypeError, ValueError, AttributeError) as error:
        raise ParameterError(f"no report of sentences as to_json writes it: {error}") from error


def _forget_shares(values: dict[str, Any]) -> None:
    """Take out what schema 1 called the similarity of a claim: the share of equal keys."""
    claimed = {one["document"]["id"]: one["pairs"] for one in values["sources"] if one["claimed"]}
    origins = (origin for one in values["sentences"] for origin in one["origins"] if origin["document"] in claimed)
    for one in (*origins, *(pair for pairs in claimed.values() for pair in pairs)):
        one["similarity"] = None


def _sentence(values: dict[str, Any]) -> Sentence:
    origins = tuple(Origin(**one | {"span": Span(*one["span"])}) for one in values["origins"])
    return Sentence(Span(*values["span"]), values["outcome"], origins, values.get("not_counted"))


def _source(values: dict[str, Any]) -> Source:
    document = values["document"] | {name: tuple(values["document"][name]) for name in ("paths", "labels")}
    pairs = (one | {"query": Span(*one["query"]), "source": Span(*one["source"])} for one in values["pairs"])
    return Source(**values | {"document": DocumentRef(**document), "pairs": tuple(Pair(**one) for one in pairs)})
