"""Templates are read from TOML: those of pmbf by name, those of users by path.

name = "form"                    default: the file's name
about = "Applications of 2026"
rest = "skip"                    text in no section: compare (default) or skip

[[section]]
name = "aim"
rule = "same"                    compare (default), skip or same
start = ["Aim", "Goal*"]         lines; * stands for any letters
start_re = ['^B\\.\\d+ ']          regular expressions of RE2
end = ["Signature"]              default: the next section
end_re = []
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, NoReturn

from pmbf.base.contents import read_bounded
from pmbf.base.errors import NotFoundError, ParameterError, UnsupportedError
from pmbf.screen.templates.cutting import SectionPatterns, Template
from pmbf.screen.templates.patterns import Pattern, compiled, plain_pattern

SHIPPED = ("contract", "proposal", "thesis")
"""The templates that come with pmbf."""
MOST_BYTES = 1 << 20
"""Of a template."""
_MOST_DOTS = 1000
"""Dots in a line: for a key with n dots the parser takes memory for n² names."""

_MOST_SEARCHED = 200
"""Expressions, and lines with a `*`, of a template: each is searched in the whole text. Other lines are looked up."""

_KEYS = ("name", "about", "rest", "section")
_SECTION_KEYS = ("name", "rule", "start", "start_re", "end", "end_re")
_RULES, _RESTS = ("compare", "skip", "same"), ("compare", "skip")


def template_of(given: Template | str | os.PathLike[str]) -> Template:
    """Return a template: itself, one of pmbf by its name, or one of a file.

    Raises:
        NotFoundError: There is no such file.
        ParameterError: There is no template of that name, and no such file; or as for `load_template`.
        UnsupportedError, OSError: As for `load_template`.

    >>> template_of("thesis").name, template_of("contract").sections[0].rule
    ('thesis', 'skip')
    """
    if isinstance(given, Template):
        return given
    if isinstance(given, str) and given in SHIPPED:
        return _shipped(given)
    path = os.fspath(given)
    if not os.path.exists(path):
        if os.path.basename(path) != path or "." in path:
            raise NotFoundError(f"{path}: no such file, expected a template")
        from difflib import get_close_matches

        close = get_close_matches(path, SHIPPED, 1)
        meant = f"; did you mean {close[0]}?" if close else f"; those of pmbf are {', '.join(SHIPPED)}"
        raise ParameterError(f"{path!r} is no template of pmbf and no file{meant}")
    return load_template(path)


@cache
def _shipped(name: str) -> Template:
    return load_template(Path(__file__).parent / f"{name}.toml")


def load_template(path: str | os.PathLike[str]) -> Template:
    """Return the template that a file in TOML holds.

    Raises:
        ParameterError: It is no TOML, has an unknown key or a wrong value, or a pattern that RE2 does not take. The
            message names the line.
        UnsupportedError: It has a regular expression, and RE2 is not installed.
        NotFoundError, IncompleteError, OSError: It cannot be read.
    """
    import tomllib  # takes 4 ms, and most screenings have no template

    name, raw = os.fspath(path), read_bounded(path, MOST_BYTES, hint="a template is smaller")
    try:
        text = raw.decode("utf-8-sig").replace("\r\n", "\n")
        for number, line in enumerate(text.split("\n"), 1):
            if line.count(".") > _MOST_DOTS:
                raise ParameterError(f"{name}, line {number}: has more than {_MOST_DOTS} dots")
        values = tomllib.loads(text)
    except (ValueError, RecursionError) as error:  # also a number of more digits than Python reads
        raise ParameterError(f"{name}: no TOML: {error}") from None
    return _Reading(name, text).template(values)


class _Reading:
    """Checks the values of one file."""

    def __init__(self, name: str, text: str) -> None:
        self._name, self._lines = name, text.split("\n")
        self._headers = [place for place, line in enumerate(self._lines) if re.match(r"\s*\[\[", line)]

    def template(self, values: Mapping[str, Any]) -> Template:
        """Return the template."""
        self._require_known(values, _KEYS, None)
        found = values.get("section", [])
        if not (isinstance(found, list) and found and all(isinstance(one, dict) for one in found)):
            self._refuse("has no [[section]], expected at least one", "section", None)
        sections = tuple(self._section(one, number) for number, one in enumerate(found))
        for number, one in enumerate(sections):
            if one.name in (other.name for other in sections[:number]):
                self._refuse(f"two sections are named {one.name!r}; give one of them all patterns", "name", number)
        n_searched = sum(one.is_searched for section in sections for one in (*section.start, *section.end))
        if n_searched > _MOST_SEARCHED:
            told = f"has {n_searched:,} expressions and lines with *, expected at most {_MOST_SEARCHED}"
            self._refuse(f"{told}; headings without * are not limited", "section", None)
        name = self._text(values, "name", None, Path(self._name).stem)
        rest = self._choice(values, "rest", _RESTS, None)
        return Template(name, sections, rest, self._text(values, "about", None, ""))

    def _section(self, values: Mapping[str, Any], number: int) -> SectionPatterns:
        self._require_known(values, _SECTION_KEYS, number)
        name = self._text(values, "name", number)
        rule = self._choice(values, "rule", _RULES, number)
        start, end = ((*self._lines_of(values, key, number), *self._expressions(values, key, number)) for key in _SIDES)
        if not start:
            self._refuse(f"the section {name!r} has neither start nor start_re: it would never begin", "name", number)
        return SectionPatterns(name, rule, start, end)

    def _lines_of(self, values: Mapping[str, Any], key: str, number: int) -> list[Pattern]:
        for text in (texts := self._texts(values, key, number)):
            if "\n" in text or not plain_pattern(text).strip("*"):
                self._refuse(f"{key} has {text!r:.200}, expected one line with a letter", key, number, text)
        return [Pattern(text) for text in texts]

    def _expressions(self, values: Mapping[str, Any], key: str, number: int) -> list[Pattern]:
        key += "_re"
        for text in (texts := self._texts(values, key, number)):
            try:
                compiled(text)
            except ParameterError as error:
                self._refuse(str(error), key, number, text)
            except UnsupportedError as error:
                raise UnsupportedError(
                    f"{self._where(key, number, text)}: {error}", missing_extra=error.missing_extra
                ) from None
        return [Pattern(text, is_expression=True) for text in texts]

    # ------------------------------------------------------------------ values

    def _require_known(self, values: Mapping[str, Any], keys: Sequence[str], number: int | None) -> None:
        from difflib import get_close_matches

        for key in values:
            if key not in keys:
                close = get_close_matches(key, keys, 1)
                meant = f"did you mean {close[0]}?" if close else f"there are {', '.join(keys)}"
                self._refuse(f"there is no key {key!r}; {meant}", key, number)

    def _text(self, values: Mapping[str, Any], key: str, number: int | None, default: str | None = None) -> str:
        return str(self._value(values, key, number, _is_text, "a text of one line", default))

    def _choice(self, values: Mapping[str, Any], key: str, choices: Sequence[str], number: int | None) -> Any:
        return self._value(values, key, number, choices.__contains__, " or ".join(map(repr, choices)), choices[0])

    def _texts(self, values: Mapping[str, Any], key: str, number: int | None) -> list[str]:
        found: list[str] = self._value(values, key, number, _are_texts, "a list of texts", [])
        return found

    def _value(
        self,
        values: Mapping[str, Any],
        key: str,
        number: int | None,
        fits: Callable[[Any], bool],
        expected: str,
        default: Any,
    ) -> Any:
        value = values.get(key, default)
        if value is None:
            self._refuse(f"the section has no {key}", key, number)
        if key in values and not fits(value):
            self._refuse(f"{key} is {value!r:.200}, expected {expected}", key, number)
        return value

    # ------------------------------------------------------------------ where

    def _refuse(self, told: str, key: str, number: int | None, text: str = "") -> NoReturn:
        raise ParameterError(f"{self._where(key, number, text)}: {told}") from None

    def _where(self, key: str, number: int | None, text: str = "") -> str:
        """Return the file with the line of a key, or of a text in its value; of a section that lacks it its first."""
        first, stop = self._block(number)
        for place in range(first, stop):
            if re.match(rf"\s*\"?{re.escape(key)}\"?\s*=", self._lines[place]):
                spelled = (text, text.replace("\\", "\\\\"))
                inside = (at for at in range(place, stop) if text and any(one in self._lines[at] for one in spelled))
                return f"{self._name}, line {next(inside, place) + 1}"
        return self._name if number is None else f"{self._name}, line {first + 1}"

    def _block(self, number: int | None) -> tuple[int, int]:
        """Return the lines of a section by its number; None: those before the first one."""
        borders = [0, *self._headers, len(self._lines)]
        place = 0 if number is None else number + 1
        return (borders[place], borders[place + 1]) if place + 1 < len(borders) else (0, len(self._lines))


_SIDES = ("start", "end")


def _is_text(value: Any) -> bool:
    return isinstance(value, str) and bool(value.strip()) and "\n" not in value


def _are_texts(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(one, str) and one for one in value)
