"""The parameters of a collection: `Params`, checked once, and the formulas behind a row.

Letters from the papers: m bits in a row, k bits set per hash (`n_hashes`), n hashes a row may hold (`capacity`), ε the
chance that an absent hash looks present (`fpr`).
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Callable
from dataclasses import asdict, dataclass, fields
from functools import cached_property
from typing import Any, Literal

from pmbf.base.errors import ParameterError, UnsupportedError

Placement = Literal["single-row", "multi-row"]
Index = Literal["postings", "rows"]

FOLD_VERSION = "14.0.0+2"
"""Unicode version of the shipped fold table, and the revision of pmbf's own rules from text to fingerprint."""

WORD_BITS = 64

HASH_BITS = (32, 40, 48, 56, 64)
"""Bits that a sampled hash may have: those beyond 32 are stored as whole bytes."""


@dataclass(frozen=True, slots=True)
class Sampling:
    """How a text is sampled: what the kernels ask of `Params`, which says what each is and checks its range."""

    shingle_tokens: int
    ordered: bool
    density: float
    min_hashes: int
    segment_chars: int
    long_letters: int = 0
    hash_bits: int = 32


@dataclass(frozen=True)
class Params:
    """Everything that decides what a fingerprint and a row look like; frozen for a collection's life.

    Args:
        shingle_tokens: Tokens in a shingle, 1 to 32; twice this number in scripts written without spaces.
        long_letters: Letters of a long word, at least, 0 to 64. Two long words near each other are a shingle in either
            order, whatever stands between them. If 0, then no word is long.
        ordered: Whether the order of the tokens inside a shingle counts.
        density: Sampled hashes per character of text, in (0, 1].
        min_hashes: Fewest hashes a text keeps (all it has if fewer), 1 to 1024.
        segment_chars: Characters sampled together; longer texts are sampled segment by segment, at least 1024.
        n_hashes: Bits set per hash, k, 1 to 16. This and the next four are of collections of the kind `rows`.
        fpr: Chance that an absent hash looks present in a full row, ε, in (0, 0.5].
        placement: `multi-row` splits long documents over rows, `single-row` never does.
        docs_per_row: Documents of typical length that a row is made for, 1 to 4096.
        row_capacity: Hashes a row is made for, at least those of a segment; None lets each new tile follow the
            documents of its time.
        store_text: Whether texts are kept, compressed, for verification.
        fold_version: The rules the fingerprints were made by (docs/text.md).
        hash_bits: Bits of a sampled hash, 32, 40, 48, 56 or 64. With 32 bits, at 300 hashes a document, a hash that one
            of ten million documents has is shared by 1.4 others by chance; with 48 bits, by 0.00002.
        index: `postings`: a query asks the postings of segments, behind one row of the filter for each segment.
            `rows`: the paper's way, without postings: a row holds some two dozen documents.

    Raises:
        ParameterError: A value is outside its range.

    >>> Params(density=0.05).shingle_tokens
    3
    """

    shingle_tokens: int = 3
    long_letters: int = 5
    ordered: bool = True
    density: float = 0.05
    min_hashes: int = 32
    segment_chars: int = 65_536
    n_hashes: int = 3
    fpr: float = 0.01
    placement: Placement = "multi-row"
    docs_per_row: int = 24
    row_capacity: int | None = None
    store_text: bool = True
    fold_version: str = FOLD_VERSION
    hash_bits: int = 32
    index: Index = "postings"

    def __post_init__(self) -> None:
        require_within("shingle_tokens", self.shingle_tokens, 1, 32)
        require_within("long_letters", self.long_letters, 0, 64)
        require_within("min_hashes", self.min_hashes, 1, 1024)
        require_within("segment_chars", self.segment_chars, 1024, 2**31)
        require_within("n_hashes", self.n_hashes, 1, 16)
        require_within("docs_per_row", self.docs_per_row, 1, 4096)
        if self.row_capacity is not None:
            require_within("row_capacity", self.row_capacity, 64, 2**27)
        if not isinstance(self.hash_bits, int) or self.hash_bits not in HASH_BITS:
            raise ParameterError(f"hash_bits is {self.hash_bits!r}, expected 32, 40, 48, 56 or 64")
        if not (_is_number(self.density) and 0 < self.density <= 1):
            raise ParameterError(f"density is {self.density!r}, expected a number in (0, 1]")
        if not (_is_number(self.fpr) and 0 < self.fpr <= 0.5):
            raise ParameterError(f"fpr is {self.fpr!r}, expected a number in (0, 0.5]")
        for name, value in (("ordered", self.ordered), ("store_text", self.store_text)):
            if not isinstance(value, bool):
                raise ParameterError(f"{name} is {value!r}, expected True or False")
        if self.placement not in ("single-row", "multi-row"):
            raise ParameterError(f"placement is {self.placement!r}, expected 'single-row' or 'multi-row'")
        if self.index not in ("postings", "rows"):
            raise ParameterError(f"index is {self.index!r}, expected 'postings' or 'rows'")

    @cached_property
    def sampling(self) -> Sampling:
        """How the texts are sampled."""
        return Sampling(
            self.shingle_tokens,
            self.ordered,
            self.density,
            self.min_hashes,
            self.segment_chars,
            self.long_letters,
            self.hash_bits,
        )

    @classmethod
    def obfuscation(cls, **changed: Any) -> Params:
        """Return parameters for sources that were reworded throughout: pairs of words in any order, sampled densely.

        Args:
            changed: Other values, by name; they win.

        >>> Params.obfuscation(fpr=0.003).shingle_tokens
        2
        """
        return cls(**({"shingle_tokens": 2, "long_letters": 0, "ordered": False, "density": 0.12} | changed))

    @classmethod
    def sentences(cls, **changed: Any) -> Params:
        """Return parameters for one or two sentences copied into a long text: nearly every shingle is kept.

        Args:
            changed: Other values, by name; they win.

        >>> Params.sentences().density
        0.4
        """
        return cls(**({"long_letters": 0, "density": 0.4} | changed))

    @classmethod
    def rows(cls, **changed: Any) -> Params:
        """Return parameters for a collection without postings, whose rows answer (decision 0045).

        With six bits for each hash, three absent hashes in a thousand look present: a third of the usual rate at the
        same size. A row that passes for no reason costs two dozen documents.

        Args:
            changed: Other values, by name; they win.

        >>> Params.rows().fpr
        0.003
        """
        own: dict[str, Any] = {"index": "rows", "n_hashes": 6, "fpr": 0.003}
        return cls(**(own | changed))

    def digest(self) -> bytes:
        """Return 8 bytes that differ between any two parameter sets."""
        return hashlib.blake2b(self.to_json().encode(), digest_size=8).digest()

    def to_json(self) -> str:
        """Return the parameters as one line of JSON with sorted keys."""
        return json.dumps(asdict(self), sort_keys=True)

    @classmethod
    def from_json(cls, line: str, *, name: str) -> Params:
        """Return the parameters that `to_json` wrote.

        Args:
            line: The line that `to_json` wrote.
            name: The name of the collection in error messages.

        Raises:
            UnsupportedError: The line holds a parameter this version does not know, or lacks one, or the fingerprints
                were made by other rules than this version's.
        """
        values: dict[str, Any] = json.loads(line)
        known = {field.name for field in fields(cls)}
        if unknown := sorted(values.keys() - known):
            raise UnsupportedError(
                f"{name}: unknown parameters {', '.join(unknown)}: written by a newer pmbf; upgrade pmbf"
            )
        if lacking := sorted(known - values.keys()):
            raise UnsupportedError(
                f"{name}: no parameters {', '.join(lacking)}: written by an earlier pmbf; "
                "load the documents into a new collection"
            )
        if (found := values["fold_version"]) != FOLD_VERSION:
            raise UnsupportedError(
                f"{name}: fingerprints by the rules {found}, expected {FOLD_VERSION}; "
                "load the documents into a new collection, or use the pmbf that made this one"
            )
        return cls(**values)


PROFILES: dict[str, Callable[..., Params]] = {
    "default": Params,
    "obfuscation": Params.obfuscation,
    "sentences": Params.sentences,
}
"""What makes the parameters of each profile. A keyword argument changes one of them."""


def target_fill(*, n_hashes: int, fpr: float) -> float:
    """Return the share of set bits at which a row reaches its false-positive rate: ε^(1/k).

    >>> round(target_fill(n_hashes=3, fpr=0.01), 4)
    0.2154
    """
    return float(fpr ** (1 / n_hashes))


def bits_per_row(capacity: int, *, n_hashes: int, fpr: float) -> int:
    """Return the width of a row that stays under a false-positive rate.

    Args:
        capacity: Hashes the row may hold, at least 1.
        n_hashes: Bits set per hash, k.
        fpr: Chance that an absent hash looks present in a full row, in (0, 1).

    Raises:
        ParameterError: `capacity` is below 1 or `fpr` is not inside (0, 1).

    Source:
        Broder & Mitzenmacher 2004, Network Applications of Bloom Filters, solved for the width.

    >>> bits_per_row(1000, n_hashes=2, fpr=0.05)
    7903
    """
    if capacity < 1:
        raise ParameterError(f"capacity is {capacity}, expected at least 1")
    if not 0 < fpr < 1:
        raise ParameterError(f"fpr is {fpr}, expected a number inside (0, 1)")
    return math.ceil(-n_hashes * capacity / math.log1p(-target_fill(n_hashes=n_hashes, fpr=fpr)))


def words_per_row(capacity: int, *, n_hashes: int, fpr: float) -> int:
    """Return the 64-bit words of a row, `bits_per_row` rounded up.

    >>> words_per_row(1000, n_hashes=3, fpr=0.01)
    194
    """
    return -(-bits_per_row(capacity, n_hashes=n_hashes, fpr=fpr) // WORD_BITS)


def room(popcount: int, *, row_bits: int, n_hashes: int, fpr: float) -> int:
    """Return how many more hashes a row may take before it passes its false-positive rate, at least 0.

    Args:
        popcount: Bits set in the row, 0 to `row_bits`.
        row_bits: Width of the row, m.

    Source:
        Swamidass & Baldi 2007, the number of elements behind a fill: n = -m/k · ln(1 - popcount/m).

    >>> room(0, row_bits=12416, n_hashes=3, fpr=0.01)
    1004
    >>> room(12416, row_bits=12416, n_hashes=3, fpr=0.01)
    0
    """
    if popcount >= row_bits:
        return 0
    free_share = (1 - popcount / row_bits) / (1 - target_fill(n_hashes=n_hashes, fpr=fpr))
    return max(0, math.floor(row_bits / n_hashes * math.log(free_share)))


def require_within(name: str, value: int, low: int, high: int) -> None:
    """Refuse what is no whole number of a range.

    Raises:
        ParameterError: The value is outside `[low, high]`, or no integer.
    """
    if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
        raise ParameterError(f"{name} is {value!r}, expected an integer from {low} to {high}")


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
