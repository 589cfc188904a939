"""Labels: what people know of a listed path beside its text, such as an author, a group or a date.

A label has a name and a value. Two paths with the same contents have labels of their own: two people may hand in the
same file.
"""

from __future__ import annotations

import fnmatch
import json
import unicodedata
from collections.abc import Iterable, Mapping, Sequence

from pmbf.base.errors import CorruptError, ParameterError

Labels = dict[str, str]
"""The labels of one path: values by name, in the order of the names."""

Conditions = Mapping[str, Sequence[str]]
"""Wanted values by the name of a label; a value may be a glob, and an empty one means that there is no such label."""

SHOWN_CHARS = 40
"""Characters of a value that are shown to a person."""

MOST_LABELS, MOST_NAME_CHARS, MOST_VALUE_CHARS = 64, 100, 4096
"""Most labels of a path, characters of a name, and characters of a value."""


def tidy(name: object, value: object) -> tuple[str, str]:
    """Return the name and value of a label as they are kept: in NFC, each run of white space one space.

    Raises:
        ParameterError: The name is empty, too long, or has a character that cannot be shown or is `=`; or the value is
            no text, or is too long.

    >>> tidy("author", " Anna  Berg ")
    ('author', 'Anna Berg')
    """
    if not isinstance(name, str) or not isinstance(value, str):
        raise ParameterError(f"a label is {name!r:.80} with the value {value!r:.80}, expected two texts")
    name, value = _normal(name), _normal(value)
    if not name or len(name) > MOST_NAME_CHARS or "=" in name or not name.isprintable():
        what = f"1 to {MOST_NAME_CHARS} characters that can be shown, none of them `=`"
        raise ParameterError(f"the name of a label is {name!r:.80}, expected {what}")
    if len(value) > MOST_VALUE_CHARS:
        raise ParameterError(f"the label {name} has {len(value)} characters, expected at most {MOST_VALUE_CHARS}")
    return name, value


def merged(before: Labels, changes: Mapping[str, str]) -> Labels:
    """Return labels after some changes; an empty value takes a label away.

    Raises:
        ParameterError: A name or value is wrong, or there would be more than `MOST_LABELS` labels.

    >>> merged({"author": "berg", "group": "a"}, {"group": "", "date": "2024"})
    {'author': 'berg', 'date': '2024'}
    """
    tidied = before | dict(tidy(name, value) for name, value in changes.items())
    kept = {name: tidied[name] for name in sorted(tidied) if tidied[name]}
    if len(kept) > MOST_LABELS:
        raise ParameterError(f"a path would have {len(kept)} labels, expected at most {MOST_LABELS}")
    return kept


def told(labels: Mapping[str, str]) -> str:
    """Return labels as they are shown to a person: long values are cut.

    >>> told({"author": "Anna Berg", "group": "a"}), told({})
    ('author=Anna Berg, group=a', '')
    """
    return ", ".join(f"{name}={_cut(value)}" for name, value in labels.items())


def _cut(value: str) -> str:
    return value if len(value) <= SHOWN_CHARS else value[: SHOWN_CHARS - 1] + "…"


def encoded(labels: Labels) -> str:
    """Return labels as the catalog holds them: JSON in ASCII, or nothing if there are none.

    >>> encoded({"author": "Müller"}), encoded({})
    ('{"author": "M\\\\u00fcller"}', '')
    """
    return json.dumps(labels) if labels else ""


def decoded(text: str) -> Labels:
    """Return the labels that `encoded` wrote; anything else is a `CorruptError`.

    >>> decoded('{"author": "berg"}'), decoded("")
    ({'author': 'berg'}, {})
    """
    if not text:
        return {}
    try:
        labels = json.loads(text)
    except (ValueError, RecursionError):
        labels = None
    if not isinstance(labels, dict) or set(map(type, labels.values())) != {str}:
        raise CorruptError(f"the labels of a path are {text!r:.200}, which no writer puts there; run `pmbf check`")
    return labels


def conditions(wanted: object, name: str = "where") -> Conditions:
    """Return conditions, checked: a mapping from the name of a label to a value or several.

    `name` is the argument that they were given as, for the `ParameterError`.

    >>> conditions({"author": "berg", "group": ["a", "b"]})
    {'author': ('berg',), 'group': ('a', 'b')}
    """
    if not isinstance(wanted, Mapping):
        raise ParameterError(
            f"{name} is {wanted!r:.80}, expected the value of each label by its name: {{'year': '2015'}}"
        )
    found: dict[str, tuple[str, ...]] = {}
    for label, values in wanted.items():
        several = (values,) if isinstance(values, str) or not isinstance(values, Iterable) else tuple(values)
        pairs = [tidy(label, value) for value in several]
        if not pairs:
            raise ParameterError(f"the label {label} is to have one of no values, expected at least one")
        found[pairs[0][0]] = tuple(value for _, value in pairs)
    return found


def fits(labels: Mapping[str, str], wanted: Conditions) -> bool:
    """Return whether labels fit conditions: of each named label one of the values.

    >>> fits({"author": "berg"}, {"author": ["b*", "stone"]}), fits({"author": "berg"}, {"group": [""]})
    (True, True)
    >>> fits({"author": "berg"}, {"author": ["berg"], "group": ["a"]})
    False
    """
    return all(_is_one_of(labels.get(name, ""), values) for name, values in wanted.items())


def are_looked_at(labels: Mapping[str, str], where: Conditions, where_not: Conditions) -> bool:
    """Return whether labels fit some conditions, and do not fit others; without conditions they do."""
    return fits(labels, where) and not (where_not and fits(labels, where_not))


def _is_one_of(value: str, patterns: Sequence[str]) -> bool:
    return value in patterns or bool(value and any(fnmatch.fnmatchcase(value, pattern) for pattern in patterns))


def _normal(text: str) -> str:
    return " ".join(unicodedata.normalize("NFC", text).split())
