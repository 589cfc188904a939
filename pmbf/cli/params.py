"""`--param NAME=VALUE`: the settings that few users change, each once, with its help and its parser.

A name is that of the field in Python. Ranges are checked by the class that has the field.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any, NamedTuple

from pmbf.base.contents import size_of
from pmbf.cli.arguments import chosen, number, option, parse_share


class Param(NamedTuple):
    """A setting: its name, how its value is written, what it does, and what makes a value of a word."""

    name: str
    metavar: str
    text: str
    parse: Callable[[str], Any]


whole = partial(number, int, None, None)
"""Returns a whole number."""


def choice(name: str, metavar: str, text: str) -> Param:
    """Return a setting whose value is one of some words."""
    return Param(name, metavar, text, partial(chosen, metavar.split("|")))


def count(name: str, text: str) -> Param:
    """Return a setting whose value is a whole number."""
    return Param(name, "N", text, whole)


def real(name: str, metavar: str, text: str, *, least: float | None = None) -> Param:
    """Return a setting whose value is a number."""
    return Param(name, metavar, text, partial(number, float, least, None))


def yes_or_no(name: str, text: str) -> Param:
    """Return a setting that is on or off."""
    return Param(name, "yes|no", text, lambda word: chosen(("yes", "no"), word) == "yes")


READING = (
    Param("max_bytes", "SIZE", "Read no larger file: 500K, 20M, 1G (default: 256M).", size_of),
    real("timeout_s", "SECONDS", "Spend no more time on one file (default: 60; 1800 with --ocr)."),
)
SIMILARITY = (
    Param(
        "min_similarity", "SHARE", "Least similarity of a passage's two sides: 0.8, 80% (default: 0.6).", parse_share
    ),
)
CANDIDATES = (
    count("max_candidates", "The most documents compared in detail (default: 500)."),
    choice(
        "method",
        "hashes|popcount",
        "In a collection of rows: weigh shared hashes, or count shared bits as in the paper (default: hashes).",
    ),
    real("false_rows", "N", "With popcount only: rows that may pass by chance (default: 2% of the rows)."),
)
PAGES = (
    choice(
        "html_sources",
        "passages|whole",
        "What a page holds of the sources: passages with 2,000 characters around, or whole texts (default: passages).",
    ),
    yes_or_no("hide_names", "Whether pages hold no name of a text or document (default: no)."),
)
WORDS = (
    yes_or_no("with_text", "Whether JSON and tables hold the words of passages, JSON the page or line (default: no)."),
)
SAMPLING = (
    count("shingle_tokens", "Words in a row that are hashed together (default: 3)."),
    count("long_letters", "Letters of a long word: two of them are hashed together (default: 5; 0: no word is long)."),
    yes_or_no("ordered", "Whether the order of the words in a shingle counts (default: yes)."),
    real("density", "SHARE", "Hashes kept for each character of text (default: 0.05)."),
    count("hash_bits", "Bits of a hash: 32, 40, 48, 56, 64 (default: 32; 48 for ten million documents and more)."),
)
ROWS = (
    count("n_hashes", "With --index rows: bits set in a row for each hash (default: 6)."),
    real("fpr", "RATE", "With --index rows: false-positive rate of a full row (default: 0.003)."),
    choice(
        "placement",
        "single-row|multi-row",
        "With --index rows: whether long documents may be split over rows (default: multi-row).",
    ),
    count("docs_per_row", "With --index rows: typical documents a row is made for (default: 24)."),
    count("row_capacity", "With --index rows: hashes that a row is made for (overrides docs_per_row)."),
)


class KnownParams:
    """The settings of one command: the parser of its `--param`.

    >>> KnownParams(READING)("max_bytes=2K")
    ('max_bytes', 2048)
    """

    def __init__(self, *groups: Iterable[Param]) -> None:
        self.by_name = {one.name: one for group in groups for one in group}

    def __call__(self, word: str) -> tuple[str, Any]:
        """Return the name and the value of `NAME=VALUE`."""
        name, _, value = word.partition("=")
        if name not in self.by_name:
            from difflib import get_close_matches

            near = get_close_matches(name, self.by_name, 1, 0.5)
            expected = f"did you mean {near[0]!r}?" if near else f"expected one of {', '.join(self.by_name)}"
            raise ValueError(f"{name!r} is no parameter of this command; {expected}")
        if not value:
            raise ValueError(f"{name} has no value, expected {name}={self.by_name[name].metavar}")
        try:
            return name, self.by_name[name].parse(value)
        except ValueError as error:
            raise ValueError(f"{name}: {error}") from None

    @property
    def option(self) -> Any:
        """The option `--param` of the command."""
        names = ", ".join(self.by_name)
        text = f"A setting that few change; repeatable: {names}. `--param help` says what they do."
        return option("--param", "NAME=VALUE", text, parser=self)

    def text(self) -> str:
        """Return the help of all settings."""
        spelled = {f"{one.name}={one.metavar}": one.text for one in self.by_name.values()}
        width = max(map(len, spelled))
        return "".join(f"  {name:<{width}}  {text}\n" for name, text in spelled.items())


def of(given: Sequence[tuple[str, Any]] | None, *groups: Iterable[Param]) -> dict[str, Any]:
    """Return the given values of some settings, by name.

    >>> of([("max_bytes", 9), ("fpr", 0.1)], READING)
    {'max_bytes': 9}
    """
    names = {one.name for group in groups for one in group}
    return {name: value for name, value in given or () if name in names}
