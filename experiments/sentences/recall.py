"""How much of an edited passage screening by sentences still finds, for both codes.

    lone       one unit alone is the query: are its keys enough to name the unit it was made from?
    embedded   300 characters or more of a source, whole sentences, stand inside another text
    cut        characters in a row, cut anywhere between two words, stand inside another text

`candidate`: a unit of the source that meets the passage shares a key with a unit of the query that meets its copy.
`verified`: the report names the source for a stretch that meets the copy. `default`: `screen` without sentences does.
"""

from __future__ import annotations

import argparse
import random
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from experiments.sentences.editing import HOST_CHARS, edited, inside
from measure import report
from measure.commands import add_folder, add_numbers
from measure.corpora import described, read
from pmbf import Collection, kernels
from pmbf.kernels import CODES
from pmbf.screen.leaving_out import NOTHING
from pmbf.sentences import Sentences, build
from pmbf.sentences.beside import QueryUnits, columns
from pmbf.sentences.screening import SentenceFolder, candidates, compared
from pmbf.store.folder import Store

SHARES = (0.0, 0.05, 0.10, 0.15, 0.20, 0.25, 0.30)
CUT_SHARES = (0.0, 0.10, 0.20)
LENGTHS = (80, 120, 150, 200, 300)
EMBEDDED_CHARS = 300
LEAST_CHARS = 3000
_LEAST_UNIT = 100
N_WORDS = 20_000


@dataclass(frozen=True, slots=True)
class Passage:
    """A passage of a source.

    Args:
        document: Id of the source.
        start, stop: Where the passage stands.
        text: Its words.
    """

    document: int
    start: int
    stop: int
    text: str


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the experiments of sentences."""
    add_folder(parser)
    parser.add_argument("others", type=Path, nargs="*", help="folders of further .txt files in the collection")
    add_numbers(parser, n_cases=(300, "passages of each kind, or queries"), seed=(2, "of all draws"))


def run(folder: Path, others: Sequence[Path], *, n_cases: int, seed: int) -> dict[str, Any]:
    """Return how much is found. Settings were chosen with seed 1.

    Args:
        folder: A corpus of PAN with `src` and `susp`: passages come from the sources, hosts from the other texts.
        others: Folders of further texts that stand in the collection.
        n_cases: Passages of each kind.
        seed: Of all draws.
    """
    chance = random.Random(seed)
    hosts = [text for path in sorted((folder / "susp").glob("*.txt")) if len(text := read(path)) > 2 * HOST_CHARS]
    words = [word for host in chance.sample(hosts, min(50, len(hosts))) for word in host.split()][:N_WORDS]
    counts: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as scratch:
        place = Path(scratch) / "all.pmbf"
        with Collection(place, create=True) as collection:
            collection.load([folder / "src", *others])
        for code in CODES:
            with Store(place, writable=True) as store:
                build(store, code=code)
            draws = random.Random(seed + 1)  # the same passages for both codes
            with Store(place) as store:
                trial = Trial(store, Sentences(store), words, hosts, draws)
                for line in trial.lines(n_cases):
                    counts[f"{code} {line}"] += 1
        with Collection(place) as collection, Store(place) as store:
            trial = Trial(store, Sentences(store), words, hosts, random.Random(seed + 1))
            counts.update(trial.default_lines(collection, n_cases))
    return {
        "corpora": [described(one) for one in (folder, *others)],
        "n": n_cases,
        "seed": seed,
        "counts": dict(counts),
    }


class Trial:
    """Passages of one collection, edited and looked for."""

    def __init__(
        self,
        store: Store,
        sentences: Sentences,
        words: Sequence[str],
        hosts: Sequence[str],
        chance: random.Random,
        within: str = "/src/",
    ) -> None:
        self._store, self._sentences, self._words, self._hosts, self._chance = store, sentences, words, hosts, chance
        rows = store.catalog.live_documents()
        in_pan = {one.document for one in store.catalog.paths() if within in one.path}
        self._sources = [one for one in rows if one.id in in_pan and one.n_chars > LEAST_CHARS]

    def lines(self, n: int) -> Iterator[str]:
        """Yield a line for each passage looked for and for each found."""
        yield from self.lone_lines(n)
        for passage, share, query, place in self._embedded(n):
            yield from self._found(f"embedded {share}", passage, query, place)
        for length, passage, share, query, place in self._cut(n):
            yield from self._found(f"cut {length} {share}", passage, query, place)

    def lone_lines(self, n: int) -> Iterator[str]:
        """Yield a line for each lone unit looked for and for each found."""
        for _ in range(n):
            yield from self._lone(self._unit())

    def default_lines(self, collection: Collection, n: int) -> Iterator[str]:
        """Yield a line for each cut passage that screening without sentences finds."""
        for length, passage, share, query, place in self._cut(n // 2):
            yield f"default cut {length} {share} asked"
            found = collection.screen(query, min_chars=40)
            spans = [
                one.query for match in found.matches if match.document.id == passage.document for one in match.passages
            ]
            if any(span.start < place[1] and place[0] < span.stop for span in spans):
                yield f"default cut {length} {share} verified"

    def _lone(self, passage: Passage) -> Iterator[str]:
        for share in SHARES:
            yield f"lone {share} asked"
            asked = QueryUnits.of(self._edited(passage.text, share), self._sentences.code)
            [found] = candidates(self._sentences, [asked.units.keys], [NOTHING])
            documents, spans = self._sentences.documents(found.units), self._sentences.spans(found.units)
            is_it = (documents == passage.document) & (spans[:, 0] == passage.start)
            if is_it.any():
                yield f"lone {share} candidate"
            yield from [f"lone {share} others"] * int(len(set(found.units.tolist())) - is_it.any())
            if any(one.document.id == passage.document and one.alike for one in self._compared(asked, found)):
                yield f"lone {share} verified"

    def _found(self, kind: str, passage: Passage, query: str, place: tuple[int, int]) -> Iterator[str]:
        yield f"{kind} asked"
        asked = QueryUnits.of(query, self._sentences.code)
        [found] = candidates(self._sentences, [asked.units.keys], [NOTHING])
        spans, units = self._sentences.spans(found.units), asked.units.spans.astype(np.int64)[found.asked]
        is_it = (self._sentences.documents(found.units) == passage.document) & _meet(spans, passage.start, passage.stop)
        if (is_it & _meet(units, *place)).any():
            yield f"{kind} candidate"
        of_source = [
            pair for one in self._compared(asked, found) if one.document.id == passage.document for pair in one.pairs
        ]
        if any(pair.query.start < place[1] and place[0] < pair.query.stop for pair in of_source):
            yield f"{kind} verified"

    def _compared(self, asked: QueryUnits, found: Any) -> Iterator[Any]:
        backend = SentenceFolder.beside(self._store, self._sentences)
        return (one for _, one in compared(backend, [(asked, found)]))

    def _embedded(self, n: int) -> Iterator[tuple[Passage, float, str, tuple[int, int]]]:
        for _ in range(n):
            passage = self._sentences_of(EMBEDDED_CHARS)
            for share in SHARES:
                yield passage, share, *self._hosted(self._edited(passage.text, share))

    def _cut(self, n: int) -> Iterator[tuple[int, Passage, float, str, tuple[int, int]]]:
        for length in LENGTHS:
            for _ in range(n):
                passage = self._words_of(length)
                for share in CUT_SHARES:
                    yield length, passage, share, *self._hosted(self._edited(passage.text, share))

    def _edited(self, text: str, share: float) -> str:
        return edited(text, share, self._words, self._chance)

    def _hosted(self, copy: str) -> tuple[str, tuple[int, int]]:
        query, start, stop = inside(copy, self._chance.choice(self._hosts)[: 2 * HOST_CHARS])
        return query, (start, stop)

    def _unit(self) -> Passage:
        while True:
            document, text = self._text()
            if not (spans := kernels.units(text.encode()).spans.tolist()):
                continue
            start, stop = self._chance.choice(spans)
            if columns(text[start:stop]) >= _LEAST_UNIT:
                return Passage(document, start, stop, text[start:stop])

    def _sentences_of(self, n_chars: int) -> Passage:
        while True:
            document, text = self._text()
            spans = kernels.units(text.encode()).sentences.tolist()
            for first in range(self._chance.randrange(len(spans)), len(spans) - 2):
                start, stop = spans[first][0], spans[first + 2][1]
                if n_chars <= stop - start <= 2 * n_chars:
                    return Passage(document, start, stop, text[start:stop] + ".")

    def _words_of(self, n_chars: int) -> Passage:
        document, text = self._text()
        start = text.index(" ", self._chance.randrange(len(text) - 3 * n_chars)) + 1
        stop = text.find(" ", start + n_chars)
        stop = stop if 0 < stop < start + 2 * n_chars else start + n_chars
        return Passage(document, start, stop, text[start:stop])

    def _text(self) -> tuple[int, str]:
        document = self._chance.choice(self._sources)
        return document.id, self._store.generation.text(document) or ""


def _meet(spans: Any, start: int, stop: int) -> Any:
    return (spans[:, 0] < stop) & (spans[:, 1] > start)


def table(figures: dict[str, Any]) -> str:
    """Return all tables of some figures."""
    return "\n\n".join((lone(figures), embedded(figures), cut(figures)))


def lone(figures: dict[str, Any]) -> str:
    """Return which edited units name the unit they were made from."""
    rows = [("candidate", f"{code}: candidate", code) for code in CODES]
    rows += [("verified", f"{code}: verified", code) for code in CODES]
    lines = report.head(f"| words edited | {' | '.join(f'{share:.0%}' for share in SHARES)} |")
    for what, title, code in rows:
        cells = [_share(figures, f"{code} lone {share}", what) for share in SHARES]
        lines.append(f"| {title} | {' | '.join(cells)} |")
    for code in CODES:
        cells = [f"{_ratio(figures, f'{code} lone {share}', 'others'):.1f}" for share in SHARES]
        lines.append(f"| {code}: other units | {' | '.join(cells)} |")
    return "\n".join(lines)


def embedded(figures: dict[str, Any]) -> str:
    """Return which passages of 300 characters inside another text are found."""
    lines = report.head(f"| words edited | {' | '.join(f'{share:.0%}' for share in SHARES)} |")
    for code in CODES:
        for what in ("candidate", "verified"):
            cells = [_share(figures, f"{code} embedded {share}", what) for share in SHARES]
            lines.append(f"| {code}: {what} | {' | '.join(cells)} |")
    return "\n".join(lines)


def cut(figures: dict[str, Any]) -> str:
    """Return which passages of some lengths inside another text are found."""
    heads = [f"{share:.0%}" for share in CUT_SHARES]
    columns = [("words", "candidate"), ("words", "verified"), ("paper", "candidate"), ("default", "verified")]
    titles = (f"{code}: {what}, {', '.join(heads)}" for code, what in columns)
    lines = report.head(f"| characters | {' | '.join(titles)} |")
    for length in LENGTHS:
        cells = [
            ", ".join(_share(figures, f"{code} cut {length} {share}", what) for share in CUT_SHARES)
            for code, what in columns
        ]
        lines.append(f"| {length} | {' | '.join(cells)} |")
    return "\n".join(lines)


def _share(figures: dict[str, Any], kind: str, what: str) -> str:
    return f"{_ratio(figures, kind, what):.3f}".removeprefix("0")


def _ratio(figures: dict[str, Any], kind: str, what: str) -> float:
    counts = figures["counts"]
    return float(counts.get(f"{kind} {what}", 0) / max(1, counts.get(f"{kind} asked", 0)))
