"""Parts of a report that stand alone: query, document, scores of a passage, why text does not count, sections."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Literal

from pmbf.base.pickled import by_fields
from pmbf.base.span import Span

Rule = Literal["compare", "skip", "same"]
"""What a section is compared with: everything, nothing, or the sections of the same name."""

NotCounted = Literal["skipped", "elsewhere", "bibliography", "quotation", "ignored"]
"""Why text that sources share does not count: it stands in a skipped section; in a `same` section, but elsewhere in the
source; in the bibliography or in a quotation that options exclude; in an ignored text."""

WHERE: Mapping[NotCounted, str] = {
    "skipped": "in skipped sections",
    "elsewhere": "in other sections of sources",
    "bibliography": "in the bibliography",
    "quotation": "in quotations",
    "ignored": "in ignored texts",
}
"""Where such text stands, in words."""


def told_amounts(amounts: Mapping[NotCounted, int], n_chars: int, percent: Callable[[float], str]) -> str:
    """Return how much of a text does not count, and where that stands, as the end of a sentence.

    Args:
        amounts: Characters by the reason, at least one.
        n_chars: Characters of the text.
        percent: Returns a share in words.

    >>> told_amounts({"skipped": 3, "quotation": 1}, 10, "{:.0%}".format)
    '30% of the whole text in skipped sections, 10% in quotations'
    """
    first, *others = [(percent(n / max(1, n_chars)), WHERE[reason]) for reason, n in amounts.items()]
    return ", ".join([f"{first[0]} of the whole text {first[1]}", *(f"{n} {where}" for n, where in others)])


@by_fields
@dataclass(frozen=True, slots=True)
class Scores:
    """Levenshtein similarities of a passage's two sides, 0 to 1. None: the sides are too long for that similarity.

    Args:
        characters: Similarity of the folded texts.
        words: Similarity of the words in order; all forms of one word are equal.
        sorted_words: Similarity of the sorted words: the order does not count.
    """

    characters: float | None
    words: float | None
    sorted_words: float | None


@dataclass(frozen=True, slots=True)
class Section:
    """A section of a query that a template found.

    Args:
        name: Its name in the template.
        rule: What it is compared with: `compare` with everything, `skip` with nothing, `same` with sections of the
            same name.
        span: Where it stands in the query, its heading included.
        n_covered: Its characters that stand in sources and count, each once.
        n_elsewhere: Of a `same` section the sources that share text with it outside their sections of that name; this
            text does not count.
        n_excluded: Its characters that do not count: quotations and bibliography if the options exclude them, ignored
            texts.
    """

    name: str
    rule: Rule
    span: Span
    n_covered: int = 0
    n_elsewhere: int = 0
    n_excluded: int = 0

    @property
    def coverage(self) -> float:
        """Share of its characters that count which stand in sources, 0 to 1."""
        return self.n_covered / max(1, len(self.span) - self.n_excluded)


@by_fields
@dataclass(frozen=True, slots=True)
class DocumentRef:
    """A document of the collection.

    Args:
        id: Its number.
        path, paths: The path that it is listed under; every path with the same contents that is not left out.
        n_chars: Code points of its text.
        kind: Its file format; `text` for a text without a file.
        labels: The labels of each of `paths`, in the same order; empty if none of them has a label.
    """

    id: int
    path: str
    paths: tuple[str, ...]
    n_chars: int
    kind: str = ""
    labels: tuple[dict[str, str], ...] = field(default=(), hash=False)

    def require_consistent(self) -> None:
        """Refuse labels that are not those of its paths. Raises `ValueError`."""
        if len(self.labels) not in (0, len(self.paths)):
            raise ValueError(f"a document has {len(self.paths)} paths and labels of {len(self.labels)}")


@by_fields
@dataclass(frozen=True, slots=True)
class Query:
    """The screened text: its name, its size, and signs of manipulation.

    Args:
        name: A path, or the name given.
        n_chars: Code points.
        n_tokens: Tokens: words, or letters in scripts written without spaces.
        n_hashes: Sampled hashes that were looked up.
        n_mixed_tokens: Tokens that mix scripts (look-alike letters).
        n_invisible: Zero-width and other invisible characters.
        n_common_hashes: Common hashes: very many documents have their shingles (licences, templates), so they say
            nothing.
        n_quoted, n_listed: Characters in quotation marks and block quotes; of the bibliography.
        n_excluded: Characters that do not count, because the options exclude them or they stand in an ignored text.
        excluded: Where those characters are, ascending and disjoint.
        kind: The file format that it was read from; empty for a text that came from no file.
    """

    name: str
    n_chars: int
    n_tokens: int
    n_hashes: int
    n_mixed_tokens: int = 0
    n_invisible: int = 0
    n_common_hashes: int = 0
    n_quoted: int = 0
    n_listed: int = 0
    n_excluded: int = 0
    excluded: tuple[Span, ...] = ()
    kind: str = ""

    @property
    def n_counted(self) -> int:
        """Characters that count: shares are shares of them."""
        return self.n_chars - self.n_excluded
