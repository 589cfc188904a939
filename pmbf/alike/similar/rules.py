"""The rules of a table of similarities: what a chunk is, which chunks count, how much is kept of a document."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, replace

from pmbf.base.errors import ParameterError
from pmbf.base.params import require_within

WIDTHS = (28, 30, 32)
"""Bits of a chunk ID (Kasprzak & Brandejs 2009, section 2.2)."""

_MOST_LOAD = 0.25
"""Chunks of all documents / possible IDs; 0.74 keeps similarities within 1 %, see `docs/similar.md`."""


@dataclass(frozen=True, slots=True)
class TableRules:
    """What decides the table of similarities; it changes with a renewal alone.

    Args:
        n_words: Words of a chunk, 1 to 32.
        bits: Of a chunk ID: 28, 30 or 32; 0 follows the size of the collection.
        keep: Similarities kept of a document, 1 to 10,000: those with the most shared chunks.
        min_shared: Fewest shared chunks of two documents that are similar, at least 1.
        common: A chunk that more documents have is a common chunk; at least 1.

    Raises:
        ParameterError: A value is outside its range.

    >>> TableRules(n_words=4).keep
    100
    """

    n_words: int = 5
    bits: int = 0
    keep: int = 100
    min_shared: int = 3
    common: int = 1000

    def __post_init__(self) -> None:
        require_within("n_words", self.n_words, 1, 32)
        require_within("keep", self.keep, 1, 10_000)
        require_within("min_shared", self.min_shared, 1, 2**31)
        require_within("common", self.common, 1, 2**31)
        if self.bits not in (0, *WIDTHS):
            raise ParameterError(f"bits is {self.bits}, expected 28, 30 or 32, or 0 for what fits the collection")

    def fitting(self, n_chunks: int) -> TableRules:
        """Return the rules with the bits that so many chunks need, if they have none.

        >>> [TableRules().fitting(n).bits for n in (20_000_000, 104_000_000, 1_580_000_000)]
        [28, 30, 32]
        """
        enough = [bits for bits in WIDTHS if n_chunks <= _MOST_LOAD * 2**bits]
        return replace(self, bits=self.bits or min(enough, default=WIDTHS[-1]))

    def to_json(self) -> str:
        """Return the rules as a line of JSON."""
        return json.dumps(asdict(self), sort_keys=True)

    @classmethod
    def from_json(cls, line: str) -> TableRules:
        """Return the rules that `to_json` wrote.

        Raises:
            TypeError, ValueError: Another line.
        """
        return cls(**json.loads(line))
