"""The options of a screening."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from numbers import Integral, Real
from typing import Any, NamedTuple, TypedDict

from pmbf import verify
from pmbf.base.errors import ParameterError
from pmbf.base.labels import Conditions, conditions
from pmbf.screen.templates import Template, template_of


class Doubts(NamedTuple):
    """Documents of little evidence: how many a query looks at, and with how many it is compared, at most.

    Args:
        n_looked_at: Those whose words are looked up; see `screen.looking`.
        n_compared: Those of them that are compared first; more if these bring something.
        n_unseen: Those that are compared if no document has a word list.
    """

    n_looked_at: int
    n_compared: int
    n_unseen: int

    def of(self, n_hashes: int) -> Doubts:
        """Return the numbers for a query: a short one has fewer. Chance hits it less often.

        >>> SENSITIVITIES["normal"].of(60)
        Doubts(n_looked_at=20, n_compared=5, n_unseen=5)
        """
        least = max(16, n_hashes // 3), max(4, n_hashes // 12), max(4, n_hashes // 12)
        return Doubts(*map(min, self, least))


SENSITIVITIES = {"fast": Doubts(32, 4, 8), "normal": Doubts(100, 12, 24), "thorough": Doubts(250, 30, 60)}
"""Among 3,000 to 80,000 documents, the source is among the candidates of 95, 97 or 98 % of PAN13's randomly changed
passages, and of 82, 87 or 90 % of the translated ones."""

_NUMBERS: dict[str, tuple[type[Any], float, float, str]] = {
    "min_chars": (Integral, 1, math.inf, "a whole number, at least 1"),
    "max_candidates": (Integral, 1, math.inf, "a whole number, at least 1"),
    "threads": (Integral, 1, 64, "a whole number from 1 to 64"),
    "min_similarity": (Real, 0, 1, "a number from 0 to 1"),
    "threshold": (Real, 0, 1, "a number from 0 to 1"),
}
_ABOVE_ZERO: dict[str, type[Any]] = {"false_rows": Real, "min_evidence": Real}


class OptionValues(TypedDict, total=False):
    """The fields of `Options` as keyword arguments, none of them required."""

    min_chars: int
    min_similarity: float
    threshold: float
    false_rows: float | None
    sensitivity: str
    min_evidence: float | None
    max_candidates: int
    method: str
    exclude_quotations: bool
    exclude_bibliography: bool
    apparatus: bool
    ignore: Sequence[str]
    exclude_self: bool
    exclude_same: Sequence[str]
    where: Mapping[str, str | Sequence[str]]
    where_not: Mapping[str, str | Sequence[str]]
    labels_of: Callable[[str], Mapping[str, str]] | None
    summaries: bool
    threads: int
    template: Template | str | os.PathLike[str] | None


@dataclass(frozen=True, slots=True)
class Options:
    """The options of a screening; the defaults suit a document of any length.

    Args:
        min_chars: Shortest passage, in characters of the query, at least 1. A shorter query must be found whole.
        min_similarity: Least similarity of a passage, 0 to 1.
        threshold: Least share of the query that a source must cover, 0 to 1.
        false_rows: Only with the method `popcount`: expected rows per query that pass by chance, above 0; None: 2 % of
            the rows. If there are fewer rows, then all of them pass, and the report says so.
        sensitivity: How many documents with little evidence are looked at: `fast`, `normal` or `thorough`; see
            `SENSITIVITIES`.
        min_evidence: In place of the sensitivity: nats, above 0, that the hashes of a candidate weigh within 50 words.
            All documents with as much are compared. A higher number never adds a document. What shares a run of words
            with the query that very many documents have is compared whatever the number is.
        max_candidates: The most documents that are compared in detail, those with most evidence first, at least 1.
        method: Which documents may be candidates. `hashes`: all that have hashes of the query; `popcount`, only in a
            collection of the kind `rows`: those in rows of the filter that have more bits in common with the query
            than chance explains, as in Tskhay, Butakov & Kim 2014.
        exclude_quotations: Whether text in quotation marks and block quotes does not count.
        exclude_bibliography: Whether the list of cited works does not count.
        apparatus: Whether a report says which passages stand in quotations or in the bibliography. That takes half the
            time of a text that shares nothing. Excluded text is looked for in any case.
        ignore: Texts whose passages do not count: templates, forms, task descriptions.
        exclude_self: Whether a query is not compared with what is listed under its own path or name. An identical copy
            under another path is a match, named by that path.
        exclude_same: Names of labels. A query is not compared with paths that share its value of one of them.
        where: The values that labels must have, by name, so that a path is looked at; several values: one of them. A
            value may be a glob. An empty value: there must be no such label.
        where_not: The same for paths that are not looked at.
        labels_of: Returns the labels of a query that the collection does not list, by its absolute path or its name.
        summaries: Whether a passage may be a summary of a source, or of a long stretch of it.
        threads: Threads that compare the candidates of a query, 1 to 64. The answers are the same.
        template: What cuts the query into sections, each with a rule what it is compared with: a template, the name of
            one of pmbf (`contract`, `proposal`, `thesis`), or the path of a file (docs/templates.md).

    Raises:
        ParameterError: A value is outside its range, or the template is wrong.
        NotFoundError, UnsupportedError: There is no file of such a template, or it needs the extra `templates`.
    """

    min_chars: int = verify.Settings().min_chars
    min_similarity: float = verify.Settings().threshold
    threshold: float = 0.0
    false_rows: float | None = None
    sensitivity: str = "normal"
    min_evidence: float | None = None
    max_candidates: int = 500
    method: str = "hashes"
    exclude_quotations: bool = False
    exclude_bibliography: bool = False
    apparatus: bool = True
    ignore: tuple[str, ...] = ()
    exclude_self: bool = False
    exclude_same: tuple[str, ...] = ()
    where: Conditions = field(default_factory=dict)
    where_not: Conditions = field(default_factory=dict)
    labels_of: Callable[[str], Mapping[str, str]] | None = None
    summaries: bool = True
    threads: int = 1
    template: Template | str | os.PathLike[str] | None = None

    @property
    def template_name(self) -> str:
        """The name of the template; empty if there is none."""
        return self.template.name if isinstance(self.template, Template) else ""

    @staticmethod
    def of(values: Mapping[str, Any]) -> Options:
        """Return the options with these values, by name.

        Raises:
            ParameterError: There is no option of that name, or a value is outside its range.

        >>> Options.of({"min_char": 40})
        Traceback (most recent call last):
        pmbf.base.errors.ParameterError: there is no option min_char; did you mean min_chars?
        """
        if not values:
            return USUAL
        names = [one.name for one in fields(Options)]
        for name in values:
            if name not in names:
                raise ParameterError(f"there is no option {name}; {_meant(name, names)}")
        return Options(**values)

    def __post_init__(self) -> None:
        for name, (kind, low, most, expected) in _NUMBERS.items():
            value = getattr(self, name)
            if not (isinstance(value, kind) and low <= value <= most):
                raise ParameterError(f"{name} is {value!r}, expected {expected}")
        for name, kind in _ABOVE_ZERO.items():
            value = getattr(self, name)
            if value is not None and not (isinstance(value, kind) and value > 0):
                raise ParameterError(f"{name} is {value!r}, expected a number above 0, or None")
        if not isinstance(self.sensitivity, str) or self.sensitivity not in SENSITIVITIES:
            expected = " or ".join(map(repr, SENSITIVITIES))
            raise ParameterError(f"sensitivity is {self.sensitivity!r}, expected {expected}")
        if self.method not in ("hashes", "popcount"):
            raise ParameterError(f"method is {self.method!r}, expected 'hashes' or 'popcount'")
        for name, texts in (("ignore", "texts"), ("exclude_same", "names of labels")):
            value = getattr(self, name)
            if isinstance(value, str) or not all(isinstance(one, str) for one in value):
                raise ParameterError(f"{name} is {value!r:.80}, expected a list of {texts}")
            object.__setattr__(self, name, tuple(value))
        for name in ("where", "where_not"):
            object.__setattr__(self, name, conditions(getattr(self, name), name))
        if self.template is not None:
            object.__setattr__(self, "template", template_of(self.template))


USUAL = Options()
"""The options of who asks for none."""


def _meant(name: str, names: Sequence[str]) -> str:
    from difflib import get_close_matches

    close = get_close_matches(name, names, 1)
    return f"did you mean {close[0]}?" if close else f"there are {', '.join(names)}"
