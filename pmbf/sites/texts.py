"""The second part of a task, with consent alone: words of the query go to the site, which compares them itself.

A site sees the stretches of the query whose units share keys with its own, and nothing between them. At the level
`text` it tells how alike units are; below, each of them is alike or not.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Annotated

import numpy as np

from pmbf import kernels
from pmbf.base.errors import ParameterError
from pmbf.base.span import Span, merged
from pmbf.kernels import Units
from pmbf.sentences.beside import TOUCHING_CHARS, QueryUnits
from pmbf.sites.keying import Keys
from pmbf.sites.protocol import (
    CODE,
    MOST_TEXT_CHARS,
    MOST_TITLE_CHARS,
    MOST_UNITS,
    N_KEYS,
    SCALE,
    MalformedError,
    Message,
    Place,
    Token,
    require_within,
)

_BETWEEN = "\n" * (TOUCHING_CHARS + 12)
"""Between two stretches: far enough for their units not to touch."""
CUT = "\n…\n"
"""Between two excerpts of a document."""
_MOST_DOCUMENTS = 100 * MOST_UNITS
MOST_UNIT_CHARS = 1000
"""Characters of a unit, but for words that are longer themselves; comparing longer ones would take hours."""


@dataclass(frozen=True, slots=True)
class TextsAsked(Message):
    """Some units of a query with their words.

    Args:
        challenge: That of the task.
        text: The stretches that the units lie in, with line ends between them.
        numbers: The units' numbers in the task.
        units: Start and stop of each unit in `text`.
        sentences: Start and stop of each sentence, or of what of it lies in a stretch, ascending.
    """

    challenge: Annotated[str, 64]
    text: Annotated[str, MOST_TEXT_CHARS]
    numbers: Annotated[tuple[Annotated[int, MOST_UNITS - 1], ...], MOST_UNITS]
    units: Annotated[tuple[tuple[Place, Place], ...], MOST_UNITS]
    sentences: Annotated[tuple[tuple[Place, Place], ...], 2 * MOST_UNITS]

    def require_consistent(self) -> None:
        """Refuse units without a number, too long, outside the text or the sentences. Raises `MalformedError`."""
        n_chars = len(self.text)
        require_within("units and sentences", (*self.units, *self.sentences), (n_chars, n_chars))
        if len(self.numbers) != len(self.units) or len(set(self.numbers)) < len(self.numbers):
            raise MalformedError("each unit has not one number")
        if sum(stop - start for start, stop in self.units) > MOST_UNIT_CHARS * len(self.units) + 2 * n_chars:
            raise MalformedError("its units are too long")
        if not _lie_in(self.sentences, self.units):
            raise MalformedError("the units do not lie in the sentences")

    @property
    def words(self) -> list[str]:
        return [self.text[start:stop] for start, stop in self.units]

    def keys(self) -> Keys:
        """Return the keys of each unit, `(n_units, n_keys) uint64`, made of its words alone.

        `MalformedError`: the words of a unit are not one unit.
        """
        made = np.zeros((len(self.units), N_KEYS), np.uint64)
        for place, one in enumerate(self.words):
            units = kernels.units(one.encode(), code=CODE, from_each=True)
            if units.spans[:1].tolist() != [[0, len(one)]]:
                raise MalformedError("the words of a unit are not one unit")
            made[place] = units.keys[0]
        return made

    def asked(self) -> QueryUnits:
        """Return the units as they are compared at the level `text`."""
        spans, sentences = (np.array(some, np.uint32).reshape(-1, 2) for some in (self.units, self.sentences))
        return QueryUnits(self.text, Units(sentences, spans, np.empty((len(spans), N_KEYS), np.uint64), len(self.text)))


def _lie_in(sentences: Sequence[tuple[int, int]], units: Sequence[tuple[int, int]]) -> bool:
    """Return whether sentences ascend and are disjoint, and each unit has a part of one."""
    bounds = [place for sentence in sentences for place in sentence]
    if any(one > other for one, other in pairwise(bounds)):
        return False
    stops = [stop for _, stop in sentences]
    firsts = [bisect_right(stops, start) for start, _ in units]
    return all(
        start < stop and at < len(sentences) and sentences[at][0] < stop
        for at, (start, stop) in zip(firsts, units, strict=True)
    )


class SharedUnits:
    """Some units of a query, ascending, made ready to be sent, and the way back from the answer to the query.

    `ParameterError`: their words are more than a site takes.
    """

    def __init__(self, asked: QueryUnits, numbers: Sequence[int]) -> None:
        self.numbers = numbers
        stretches = merged([asked.spans[number] for number in numbers])
        self._stretches = _joined(stretches)
        self._starts, parts, length = list[int](), list[str](), 0
        for one in self._stretches:
            self._starts.append(length)
            parts.append(asked.text[one.start : one.stop])
            length += len(one) + len(_BETWEEN)
        self.text = _BETWEEN.join(parts)
        self.n_chars = sum(map(len, parts))
        if len(self.text) > MOST_TEXT_CHARS:
            raise ParameterError(f"{self.n_chars:,} characters are too many to be compared at a site")
        self.units = [self._there(asked.spans[number]) for number in numbers]
        self.sentences: list[tuple[int, int]] = []
        self.sentence_numbers: list[int] = []
        number = 0
        for stretch in self._stretches:
            while asked.sentences[number].stop <= stretch.start:
                number += 1
            at = number
            while at < len(asked.sentences) and asked.sentences[at].start < stretch.stop:
                one = asked.sentences[at]
                self.sentences.append(self._there(Span(max(one.start, stretch.start), min(one.stop, stretch.stop))))
                self.sentence_numbers.append(at)
                at += 1

    def _there(self, span: Span) -> tuple[int, int]:
        at = bisect_right([one.start for one in self._stretches], span.start) - 1
        shift = self._starts[at] - self._stretches[at].start
        return span.start + shift, span.stop + shift

    def back(self, start: int, stop: int) -> Span:
        """Return where a span of the shared text stands in the query.

        Raise `MalformedError` unless it lies in one stretch.
        """
        at = bisect_right(self._starts, start) - 1
        shift = self._stretches[at].start - self._starts[at]
        if not start < stop or stop + shift > self._stretches[at].stop:
            raise MalformedError("a span lies outside what was asked")
        return Span(start + shift, stop + shift)

    def asking(self, challenge: str, numbers: Sequence[int]) -> TextsAsked:
        """Return the message, with the numbers that the units have in a task."""
        return TextsAsked(challenge, self.text, tuple(numbers), tuple(self.units), tuple(self.sentences))


def _joined(spans: Sequence[Span]) -> list[Span]:
    """Return stretches; units with at most `TOUCHING_CHARS` between them lie in one."""
    joined: list[Span] = []
    for span in spans:
        if joined and span.start - joined[-1].stop <= TOUCHING_CHARS:
            joined[-1] = Span(joined[-1].start, span.stop)
        else:
            joined.append(span)
    return joined


@dataclass(frozen=True, slots=True)
class AlikeDocument:
    """A document that has units of a query, at the level `text`.

    Args:
        title: Its name.
        kind: Its file format.
        text: Its words: all, or excerpts of a long one; None if they are withheld.
        is_whole: Whether `text` is the whole document.
        alike: Start and stop in the shared text, start and stop in `text` (0, 0 if these words are withheld),
            similarity in ten thousandths, equal keys; of one unit each.
        sentences: For each of `alike` the sentences that stand there, by place among the sentences sent.
        pairs: Start and stop in the shared text, start and stop in `text`, similarity.
    """

    title: Annotated[str, MOST_TITLE_CHARS]
    kind: Annotated[str, 100]
    text: Annotated[str, MOST_TEXT_CHARS] | None
    is_whole: bool
    alike: tuple[tuple[Place, Place, Place, Place, Place, Place], ...]
    sentences: tuple[tuple[Place, ...], ...]
    pairs: tuple[tuple[Place, Place, Place, Place, Place], ...]

    def require_about(self, shared: SharedUnits) -> None:
        """Refuse what is not about some units of a query. Raises `MalformedError`."""
        asked, found, n_units = len(shared.text), len(self.text or ""), len(shared.units)
        require_within("alike", self.alike, (asked, asked, found, found, SCALE, N_KEYS))
        require_within("pairs", self.pairs, (asked, asked, found, found, SCALE))
        require_within("sentences", ([max(one, default=0)] for one in self.sentences), [len(shared.sentences) - 1])
        if max(len(self.alike), len(self.pairs)) > n_units:
            raise MalformedError("a document has more than was asked for")
        if len(self.sentences) != len(self.alike) or not all(self.sentences) or not self.alike or not self.pairs:
            raise MalformedError("a document has nothing that was asked for")


@dataclass(frozen=True, slots=True)
class Resembling:
    """A document that has units of a query, below the level `text`: how alike they are is not told.

    Args:
        title: Its name; empty below the level `title`.
        kind: Its file format; empty below the level `title`.
        text: Excerpts, at the level `excerpt`; None if its words are withheld.
        units: Place of an alike unit among those sent, start and stop in `text` (0, 0 if these words are withheld).
    """

    title: Annotated[str, MOST_TITLE_CHARS]
    kind: Annotated[str, 100]
    text: Annotated[str, MOST_TEXT_CHARS] | None
    units: tuple[tuple[Place, Place, Place], ...]

    def require_about(self, shared: SharedUnits) -> None:
        """Refuse what is not about some units of a query. Raises `MalformedError`."""
        found = len(self.text or "")
        require_within("units", self.units, (len(shared.units) - 1, found, found))
        if not self.units or any(one >= other for (one, _, _), (other, _, _) in pairwise(self.units)):
            raise MalformedError("the alike units of a document are none, or do not ascend")
        if any(not start < stop and (start, stop) != (0, 0) for _, start, stop in self.units):
            raise MalformedError("a stretch of a document is empty")


@dataclass(frozen=True, slots=True)
class TextsAnswer(Message):
    """What a site found when it compared words.

    Args:
        epoch: The state that answered.
        n_unread: Documents whose text could not be read.
        documents: Those with alike units, at the level `text`.
        resembling: Those with alike units, below it.
    """

    epoch: Token
    n_unread: Annotated[int, 1 << 40]
    documents: Annotated[tuple[AlikeDocument, ...], _MOST_DOCUMENTS] = ()
    resembling: Annotated[tuple[Resembling, ...], _MOST_DOCUMENTS] = ()

    @classmethod
    def decoded(cls, raw: bytes, shared: SharedUnits) -> TextsAnswer:
        """Return the message about some units of a query."""
        told = cls.read(raw)
        for document in told.documents:
            document.require_about(shared)
        for one in told.resembling:
            one.require_about(shared)
        return told
