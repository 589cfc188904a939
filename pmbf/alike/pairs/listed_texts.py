"""Where texts come from: a list, a mapping, a column of a table."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

from pmbf.alike.pairs.results import Label
from pmbf.base.errors import ParameterError
from pmbf.text import utf8

BATCH_TEXTS = 1000


class TextBatch(NamedTuple):
    """Texts whose features are made together.

    Args:
        key: Tells the texts from others.
        texts: Returns them in UTF-8; None for a text that cannot be read.
    """

    key: str
    texts: Callable[[], Sequence[bytes | None]]


class TextSource(Protocol):
    """Texts in an order that stays. The features of a text that has several labels are made once."""

    @property
    def labels(self) -> Sequence[Label]:
        """What the texts are called."""

    @property
    def lengths(self) -> Sequence[int]:
        """Characters of each text."""

    @property
    def times(self) -> Sequence[float] | None:
        """When each text was made; the largest is the newest."""

    @property
    def places(self) -> Sequence[int]:
        """The place of each text among those of all batches."""

    @property
    def problems(self) -> tuple[str, ...]:
        """What was not read, and why."""

    @property
    def title(self) -> str:
        """What was named."""

    def batches(self) -> Iterator[TextBatch]:
        """Yield the texts, each once. One thread reads them."""

    def text(self, number: int) -> str:
        """Return a text."""


@dataclass(frozen=True)
class ListedTexts:
    """Texts in memory. Where there is none, there is an empty one."""

    labels: Sequence[Label]
    texts: Sequence[str]
    times: Sequence[float] | None = None
    problems: tuple[str, ...] = ()
    title: str = ""

    @property
    def lengths(self) -> Sequence[int]:
        """Characters of each text."""
        return list(map(len, self.texts))

    @property
    def places(self) -> Sequence[int]:
        """The order of the list."""
        return range(len(self.texts))

    def batches(self) -> Iterator[TextBatch]:
        """Yield the texts, in order."""
        for start in range(0, len(self.texts), BATCH_TEXTS):
            some = self.texts[start : start + BATCH_TEXTS]
            yield TextBatch(str(start), lambda some=some: list(map(utf8, some)))  # type: ignore[misc]

    def text(self, number: int) -> str:
        """Return a text."""
        return self.texts[number]


def listed_texts(texts: Iterable[Any] | Mapping[Any, Any], times: Iterable[float] | None = None) -> ListedTexts:
    """Return a list, a mapping or a column of a table as a source.

    Raises:
        ParameterError: It is a single text, or something in it is neither a text, None nor NaN.

    >>> listed_texts({"a": "sea", "b": None}).labels
    ['a', 'b']
    """
    if isinstance(texts, str | bytes):
        raise ParameterError(f"texts is the single {texts!r:.80}, expected a list, even of one")
    labels: Sequence[Label]
    if isinstance(texts, Mapping):
        labels, held = list(texts), list(texts.values())
    elif hasattr(texts, "iloc") and hasattr(texts, "tolist"):  # a column of pandas; a frame has no `tolist`
        column: Any = texts
        labels, held = list(column.index), column.tolist()
    elif hasattr(texts, "columns"):
        raise ParameterError("texts is a whole table, expected one column of it, such as frame['text']")
    else:
        held = list(texts)
        labels = range(len(held))
    given = None if times is None else list(times)
    return ListedTexts(labels, [_text(one, number) for number, one in enumerate(held)], given)


def _text(one: Any, number: int) -> str:
    if isinstance(one, str):
        return one
    if one is None or one != one or type(one).__name__ == "NAType":
        return ""
    raise ParameterError(f"texts[{number}] is {one!r:.80}, expected a text, None or NaN")
