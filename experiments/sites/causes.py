"""Why united sites answer otherwise than one collection with all texts: each rule that a house applies by itself is
applied by house in the one collection, too, until the answers are equal.

A rule that makes them equal is the cause. An answer that no rule explains is unexplained: nothing is assumed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np
from numpy.typing import NDArray

from pmbf.intake.texts import Text
from pmbf.sentences import SentenceReport, Sentences, screening
from pmbf.sentences.comparing import Asked
from pmbf.sentences.reader import Candidates
from pmbf.sentences.segments import Keys, Numbers
from pmbf.store.folder import Store

CAUSES = {
    "copies": "a text that stands in two houses is a source of each",
    "counts": "each house counts by itself how common a key is",
    "most": "each house compares a unit with 100 candidates of its own",
    "counts and most": "both of the last two together",
    "withheld": "a site gives at most 2 million characters of texts an answer, so places in the others are not told",
}
"""What an answer differs by that is meant so."""
UNEXPLAINED = "unexplained"
_BY_HOUSE = {"counts": (True, False), "most": (False, True), "counts and most": (True, True)}

Answer = tuple[list[Any], dict[Any, Any]]
"""Of each sentence the outcome and the origins; of each source its sentences, stretches and equal keys."""


@dataclass(frozen=True, slots=True)
class Names:
    """The documents by what houses call them.

    Args:
        house_of: The house of each name.
        same: Of each name the first name of the same text.
        lengths: Characters of each name's text.
    """

    house_of: Mapping[str, str]
    same: Mapping[str, str]
    lengths: Mapping[str, int]


class _Part(Sentences):
    """The units of one house among those of the one collection: a key counts as often as it stands in that house."""

    def __init__(self, store: Store, is_in: NDArray[np.bool_]) -> None:
        super().__init__(store)
        self._is_in = is_in

    def _having(self, known: Keys) -> tuple[Numbers, Numbers]:
        places, units = super()._having(known)
        inside = self._is_in[units]
        return places[inside], units[inside]


class Together:
    """One collection with the texts of all houses, which can apply each rule by house.

    Args:
        folder: The collection's.
        houses: The names of the texts of each house.
    """

    def __init__(self, folder: Path, houses: Mapping[str, Sequence[str]], texts: Mapping[str, str]) -> None:
        self._store = Store(folder)
        self._whole = Sentences(self._store)
        paths = {one.path: one.document for one in self._store.catalog.paths()}
        first = {document: name for name, document in sorted(paths.items(), reverse=True)}
        house_of = {name: house for house, names in houses.items() for name in names}
        lengths = {name: len(text) for name, text in texts.items()}
        self.names = Names(house_of, {name: first[document] for name, document in paths.items()}, lengths)
        owners = self._whole.documents(np.arange(len(self._whole)))
        self._is_in = {house: np.isin(owners, [paths[name] for name in names]) for house, names in houses.items()}
        self._places = {house: _places(paths[name] for name in names) for house, names in houses.items()}
        self._parts = {house: _Part(self._store, is_in) for house, is_in in self._is_in.items()}

    def close(self) -> None:
        """Close the collection."""
        self._store.close()

    def screened(self, query: str) -> SentenceReport:
        """Return what one collection answers."""
        return screening.screen_sentences(self._store, self._whole, Text("", query))

    def cause(self, query: str, united: SentenceReport, one: SentenceReport) -> str:
        """Return why answers differ, one of `CAUSES` or `UNEXPLAINED`; nothing if they are equal."""
        mine, expected = united_answer(united, self.names), self.by_house(one)
        if mine == expected:
            return "copies" if self._has_copies(one) else ""
        for name, rules in _BY_HOUSE.items():
            if mine == self._answered(query, *rules):
                return name
        not_whole = self._not_whole(united)
        if not_whole and _blind(mine, not_whole) == _blind(self._answered(query, True, True), not_whole):
            return "withheld"
        return UNEXPLAINED

    def _has_copies(self, report: SentenceReport) -> bool:
        return any(len(self._houses(source.document.paths)) > 1 for source in report.sources)

    def _houses(self, paths: Sequence[str]) -> list[str]:
        return sorted({self.names.house_of[path] for path in paths})

    def by_house(self, report: SentenceReport) -> Answer:
        """Return an answer of one collection with each source in each house that holds it."""
        called = {
            one.document.id: [(house, self.names.same[one.document.path]) for house in self._houses(one.document.paths)]
            for one in report.sources
        }
        return _answer([(report, called)])

    def _not_whole(self, united: SentenceReport) -> set[Any]:
        """Return the sources of sites whose whole text was not given."""
        called = {one.document.id: _called(one.document.path, one.site, self.names) for one in united.sources}
        return {
            called[one.document.id]
            for one in united.sources
            if one.site and one.document.n_chars != self.names.lengths[called[one.document.id][1]]
        }

    def _answered(self, query: str, counts: bool, most: bool) -> Answer:
        """Return what one collection answers that applies rules by house."""
        keys = Asked.of(query, self._whole.code).units.keys
        reports = []
        for house, found in self._candidates(keys, counts, most):
            with mock.patch.object(screening, "candidates", return_value=found):
                report = self.screened(query)
            names = {one.document.id: [(house, self.names.same[one.document.path])] for one in report.sources}
            reports.append((report, names))
        return _answer(reports)

    def _candidates(self, keys: Keys, counts: bool, most: bool) -> Iterator[tuple[str, Candidates]]:
        """Yield the candidates in each house."""
        whole = self._whole.look_up(keys)
        found = {
            house: self._parts[house].look_up(keys) if counts else whole.chosen(is_in[whole.units])
            for house, is_in in self._is_in.items()
        }
        if most:
            for house, some in found.items():
                places = self._places[house][self._whole.documents(some.units)]
                order = np.lexsort((some.units, places, -some.n_equal, some.asked))  # as the house has its documents
                ordered = Candidates(*(column[order] for column in some))
                yield house, ordered.chosen(_ranks(ordered.asked) < screening.MOST_CANDIDATES)
            return
        asked, units, n_equal = (np.concatenate(column) for column in zip(*found.values(), strict=True))
        order = np.lexsort((units, -n_equal, asked))
        kept = np.zeros(len(order), np.bool_)
        kept[order] = _ranks(asked[order]) < screening.MOST_CANDIDATES
        ends = np.cumsum([len(some.asked) for some in found.values()])[:-1]
        for (house, some), which in zip(found.items(), np.split(kept, ends), strict=True):
            yield house, some.chosen(which)


def _places(documents: Iterable[int]) -> Numbers:
    """Return the place of each document in a house, by id; a copy in another house may have come there earlier."""
    first = dict[int, int]()
    for place, document in enumerate(documents):
        first.setdefault(document, place)
    places = np.zeros(1 + max(first, default=0), np.int64)
    places[list(first)] = list(first.values())
    return places


def _ranks(asked: Numbers) -> Numbers:
    return np.asarray(np.arange(len(asked)) - np.searchsorted(asked, asked))


def _called(path: str, site: str, names: Names) -> tuple[str, str]:
    name = path.split(": ")[-1]
    return site or names.house_of[name], names.same[name]


def united_answer(report: SentenceReport, names: Names) -> Answer:
    """Return what united sites answer."""
    called = {one.document.id: [_called(one.document.path, one.site, names)] for one in report.sources}
    return _answer([(report, called)])


def _answer(reports: Sequence[tuple[SentenceReport, Mapping[int, Sequence[Any]]]]) -> Answer:
    """Return what reports about one text say together, whatever the ids of documents."""
    origins: list[set[Any]] = [set() for _ in reports[0][0].sentences]
    outcomes = [one.outcome for one in reports[0][0].sentences]
    sources = dict[Any, Any]()
    for report, called in reports:
        for number, sentence in enumerate(report.sentences):
            outcomes[number] = "found" if sentence.outcome == "found" else outcomes[number]
            for it in sentence.origins:
                origins[number] |= {(name, it.span, it.similarity) for name in called[it.document]}
        for one in report.sources:
            sources |= dict.fromkeys(called[one.document.id], (one.n_sentences, one.pairs, one.n_equal))
    return [*zip(outcomes, origins, strict=True)], sources


def _blind(answer: Answer, names: set[Any]) -> Answer:
    """Return an answer without the places in some sources."""
    sentences = [
        (outcome, {(name, span if name not in names else None, similar) for name, span, similar in origins})
        for outcome, origins in answer[0]
    ]
    sources = {
        name: row if name not in names else (row[0], tuple((pair.query, pair.similarity) for pair in row[1]), row[2])
        for name, row in answer[1].items()
    }
    return sentences, sources
