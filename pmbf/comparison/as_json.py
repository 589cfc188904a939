"""A comparison from JSON text: what `Comparison.to_json` wrote."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from pmbf.comparison.results import SCHEMA_VERSION, Cluster, Comparison, Member, Pair, Settings, Shared
from pmbf.report.as_json import section
from pmbf.report.typed import as_written, require_schema, require_types, tuple_of
from pmbf.span import Span


def from_json(line: str) -> Comparison:
    """Return the comparison that `Comparison.to_json` wrote; raise what `Comparison.from_json` raises."""
    with as_written("comparison"):
        values = json.loads(line)
        require_schema(values, SCHEMA_VERSION, "comparison")
        values["members"] = tuple(map(_member, tuple_of(values["members"])))
        for name in ("pairs", "not_counted"):
            values[name] = tuple(map(_pair, tuple_of(values[name])))
        values["clusters"] = tuple(Cluster(**_with_tuples(one)) for one in tuple_of(values["clusters"]))
        values["settings"] = Settings(**_with_tuples(values["settings"]))
        made = Comparison(**_with_tuples(values) | {"texts": {}})
        require_types(made)
        _require_consistent(made)
    return made


def _require_consistent(made: Comparison) -> None:
    """Refuse dates that are none, pairs without a passage, pairs and clusters of no members. Raises `ValueError`."""
    for member in made.members:
        datetime.fromisoformat(member.date or "2000-01-01")
    named = {name for pair in (*made.pairs, *made.not_counted) for name in (pair.a, pair.b)}
    named.update(name for cluster in made.clusters for name in cluster.members)
    if not all(pair.passages for pair in (*made.pairs, *made.not_counted)):
        raise ValueError("a pair has no passage")
    if strange := sorted(named - made.by_name.keys()):
        raise ValueError(f"{strange[0]!r} is no member")


def _with_tuples(values: Mapping[str, Any]) -> dict[str, Any]:
    return {name: tuple(value) if isinstance(value, list) else value for name, value in values.items()}


def _member(values: Mapping[str, Any]) -> Member:
    spans = {name: tuple(Span(*span) for span in tuple_of(values[name])) for name in ("excluded", "library")}
    sections = tuple(map(section, tuple_of(values["sections"])))
    return Member(**{**_with_tuples(values), **spans, "sections": sections})


def _pair(values: Mapping[str, Any]) -> Pair:
    passages = tuple(
        Shared(**{**passage, "a": Span(*passage["a"]), "b": Span(*passage["b"])})
        for passage in tuple_of(values["passages"])
    )
    return Pair(**{**values, "passages": passages})
