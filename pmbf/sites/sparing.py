"""What keeps a site that does not show its texts from being read bit by bit: blurred bars, few questions a sentence.

An exact score tells how many letters of a guess are right, and an exact bar tells of one letter whether it is. So below
the level `text` a unit is alike or not, and the bar is another one for other words: the site's secret draws it. And
each unit of a document is compared with `MOST_QUESTIONS` units of a partner a day, found alike or not.

    registry/questions/NAME.DAY   the units of documents that NAME has asked about on a day (UTC), 8 bytes a question
"""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from pmbf.base.span import Span
from pmbf.kernels import Units
from pmbf.sentences.beside import (
    AROUND_CHARS,
    LEAST_PART,
    LEAST_SIMILARITY,
    Alike,
    PlacedWords,
    QueryUnits,
    UnitPair,
    columns,
    plain,
    shared_part,
    similarity,
)
from pmbf.sentences.report import StretchPair
from pmbf.sites.keying import Keys
from pmbf.store import folders

MOST_QUESTIONS = 32
"""Units of a partner that a unit of a document is compared with in a day. On a day of 20,000 units of PAN13, 228 texts,
187 of 37,028 units are asked about more often."""
BLURRED_SIMILARITY, BLURRED_COLUMNS = 0.10, 60
"""How far a bar is raised at most: that of the similarity, and that of the columns of a part."""

_SEPARATOR = "\n\n"


class Blurred(QueryUnits):
    """Units of a query, each by its words alone, which are alike to a unit of a document or not.

    A secret has up to 64 bytes.
    """

    def __init__(self, units: Sequence[str], secret: bytes) -> None:
        stops = np.cumsum([len(one) + len(_SEPARATOR) for one in units], dtype=np.int64)
        starts = stops - [len(one) + len(_SEPARATOR) for one in units]
        spans = np.stack([starts, stops - len(_SEPARATOR)], axis=1).astype(np.uint32)
        text = _SEPARATOR.join(units)
        super().__init__(text, Units(spans, spans, np.empty((len(units), 0), np.uint64), len(text)))
        self._bars = [_drawn(plain(one), secret) for one in units]

    def alike(self, text: str, candidates: Sequence[UnitPair]) -> list[Alike]:
        """Return the units that are alike to a unit of a document or to a part of one; how much is not told."""
        found: dict[int, Span] = {}
        for number, (start, stop), _ in candidates:
            if number not in found and (source := self._source(number, text, Span(start, stop))):
                found[number] = source
        return [Alike(self.spans[one], found[one], 0.0, 0, (one,)) for one in sorted(found)]

    def pairs(self, text: str, alike: Sequence[Alike]) -> list[StretchPair]:
        """Return nothing: the asker knows which of its units touch."""
        return []

    def _source(self, number: int, text: str, source: Span) -> Span | None:
        bar = self._bars[number]
        least = LEAST_SIMILARITY + BLURRED_SIMILARITY * bar
        if similarity(self.plain_units[number], plain(text[source.start : source.stop])) >= least:
            return source
        base = max(0, source.start - AROUND_CHARS)
        other = PlacedWords.of(text[base : source.stop + AROUND_CHARS])
        part = shared_part(self._words(number), other)
        if part is None:
            return None
        ours, theirs, found = part
        own = self.spans[number]
        sides = self.text[own.start + ours.start : own.start + ours.stop], other.text[theirs.start : theirs.stop]
        if found < least or min(map(columns, sides)) < LEAST_PART + BLURRED_COLUMNS * bar:
            return None
        return Span(theirs.start + base, theirs.stop + base)


def _drawn(words: str, secret: bytes) -> float:
    """Return a number from 0 to 1, equal for equal words: the mean of two even ones, so that it is seldom near an end.

    At an end of an even number one letter would decide alone: what is alike there is right for sure.
    """
    made = hashlib.blake2b(words.encode(), key=secret, digest_size=8).digest()
    return (int.from_bytes(made[:4]) + int.from_bytes(made[4:])) / 2**33


class Questions:
    """How often each unit of a site's documents was asked about on a day, partner by partner. One thread uses it."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder / "questions"
        self._asked: dict[str, tuple[str, Keys]] = {}

    def allowed(self, partner: str, places: Keys) -> NDArray[np.bool_]:
        """Count questions of a partner, and return which of them are answered. They are on disk before that.

        Of each question there is the unit that it is about, `(n,) uint64`.
        """
        day, before = self._of_today(partner)
        order = np.argsort(places, kind="stable")
        ascending = places[order]
        ranks = np.arange(len(places)) - np.searchsorted(ascending, ascending)
        known = np.searchsorted(before, ascending, "right") - np.searchsorted(before, ascending)
        is_allowed = np.empty(len(places), np.bool_)
        is_allowed[order] = ranks + known < MOST_QUESTIONS
        self._asked[partner] = day, np.sort(np.concatenate([before, places[is_allowed]]))
        self._add(partner, day, places[is_allowed])
        return is_allowed

    def left_out(self, partner: str) -> bool:
        """Return whether a unit was asked about today as often as it may be.

        It is told with all later answers of the day, so that it says of no question whether it met that unit.
        """
        _, before = self._of_today(partner)
        most = MOST_QUESTIONS - 1
        return bool((before[most:] == before[: max(0, len(before) - most)]).any())

    def _of_today(self, partner: str) -> tuple[str, Keys]:
        """Return the day and the units that were asked about, ascending, one for each question."""
        day = _today()
        if self._asked.get(partner, ("", None))[0] != day:
            file = self._file(partner, day)
            raw = file.read_bytes() if file.exists() else b""
            self._asked[partner] = day, np.sort(np.frombuffer(raw, "<u8", len(raw) // 8).astype(np.uint64))
            for old in self._folder.glob(f"{partner}.*"):
                if old != file:
                    old.unlink()
        return self._asked[partner]

    def _add(self, partner: str, day: str, places: Keys) -> None:
        if not len(places):
            return
        folders.make_folder(self._folder, mode=0o700)
        file = os.open(self._file(partner, day), os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
        with open(file, "wb") as out:
            out.seek(os.fstat(file).st_size // 8 * 8)  # behind what a crash has cut
            out.write(places.astype("<u8").tobytes())
            out.flush()
            os.fsync(file)

    def _file(self, partner: str, day: str) -> Path:
        return self._folder / f"{partner}.{day}"


def _today() -> str:
    return time.strftime("%Y-%m-%d", time.gmtime())
