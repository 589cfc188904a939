"""Parts of a report that stand alone: the scores of a passage, the sections of a query."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from pmbf.span import Span

Rule = Literal["compare", "skip", "same"]
"""What a section is compared with: everything, nothing, or the sections of the same name."""


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

    def __reduce__(self) -> tuple[type[Scores], tuple[Any, ...]]:
        return Scores, (self.characters, self.words, self.sorted_words)


@dataclass(frozen=True, slots=True)
class Section:
    """A section of a query that a template found.

    Args:
        name: Its name in the template.
        rule: What it is compared with: `compare` with everything, `skip` with nothing, `same` with sections of the
            same name.
        span: Where it stands in the query, its heading included.
        n_covered: Its characters that stand in sources, each counted once.
        n_elsewhere: Of a `same` section the sources that share text with it outside their sections of that name; this
            text does not count.
    """

    name: str
    rule: Rule
    span: Span
    n_covered: int = 0
    n_elsewhere: int = 0

    @property
    def coverage(self) -> float:
        """Share of its characters that stand in sources, 0 to 1."""
        return self.n_covered / max(1, len(self.span))
