"""The collection of a site as it answers tasks: its keys in memory, its units, and what of a document is shown.

Thread rule: one thread makes and uses it.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from pmbf.base.arrays import begins
from pmbf.base.errors import ParameterError
from pmbf.base.span import Span, merged
from pmbf.screen.leaving_out import NOTHING
from pmbf.sentences import Sentences
from pmbf.sentences.beside import Alike
from pmbf.sentences.by_keys import Candidates
from pmbf.sentences.report import StretchPair
from pmbf.sentences.screening import ComparedDocument, SentenceFolder, candidates, compared
from pmbf.sentences.state import read_state
from pmbf.sites.keying import Keys, read
from pmbf.sites.protocol import (
    CODE,
    LEAST_CLAIMED,
    LEAST_SHARED,
    MOST_CLAIMS,
    MOST_TEXT_CHARS,
    MOST_TITLE_CHARS,
    SCALE,
    KeysAnswer,
)
from pmbf.sites.registry import Level
from pmbf.sites.sparing import Blurred
from pmbf.sites.tagging import TagSet
from pmbf.sites.texts import CUT, AlikeDocument, Resembling, TextsAnswer, TextsAsked
from pmbf.store.folder import Store
from pmbf.store.originals import original_text

EXCERPTS, EXCERPT_CHARS = 5, 300
"""Excerpts that a site shows in a task, and characters of each, at the level `excerpt`."""


class LateError(Exception):
    """The asker does not wait any longer."""


class Held:
    """A collection that answers tasks; `tagging` makes its tags, if it answers private questions.

    Raises:
        NotFoundError: There is no collection, or it has no sentences.
        ParameterError: Its sentences have another code than `words`.
        CorruptError: It is damaged.
        UnsupportedError: The extra `psi` is not installed.
    """

    def __init__(self, folder: Path, tagging: Callable[[], TagSet] | None = None) -> None:
        self._folder = folder
        self._tags = tagging() if tagging else None
        self._open()
        if self._tags:
            self._tags.cover(self._keys)

    def _open(self) -> None:
        store = Store(self._folder)
        try:
            sentences = Sentences(store)
            if sentences.code != CODE:
                raise ParameterError(
                    f"{self._folder}: its sentences have the code {sentences.code!r}, and sites compare {CODE!r}; run "
                    f"`pmbf sentences build -c {self._folder}`"
                )
            self._keys = sentences.known_keys()
        except BaseException:
            store.close()
            raise
        self._store, self._sentences, self.epoch = store, sentences, _epoch(store, sentences.state.next_serial)

    def refresh(self) -> None:
        """Show the collection as it is now. If it has changed, then the epoch is another one."""
        with Store(self._folder) as now:
            epoch = _epoch(now, read_state(now.folder, now.generation.identity).next_serial)
        if epoch != self.epoch:
            before = self._store
            self._open()
            before.close()

    @property
    def n_documents(self) -> int:
        """Documents that have sentences."""
        return self._sentences.status().n_documents

    @property
    def key_bits(self) -> int:
        """Bits of a key that are kept."""
        return self._sentences.state.key_bits

    @property
    def problems(self) -> tuple[str, ...]:
        """Why answers may miss documents. No path is told."""
        state = self._sentences.state
        found = []
        if state.commit != self._store.commit_number:
            found.append("its sentences are not those of its last commit")
        if state.unread:
            found.append(f"{len(state.unread):,} of its documents have no sentences")
        return tuple(found)

    @property
    def tags(self) -> TagSet | None:
        """The tags of all keys as they are now; None if private questions are not answered. A new key takes 0.2 ms."""
        if self._tags:
            self._tags.cover(self._keys)
        return self._tags

    def candidates(self, asked: Keys, task: Keys) -> Candidates:
        """Return the units that share a key with units of a task: those that a plain look-up returns.

        The fingerprints of the units are `(n, n_keys) uint64`; `task` is the key of the task.
        """
        [found] = candidates(self._sentences, [read(asked, self._keys, task)], [NOTHING])
        return found

    def places(self, found: Candidates) -> Keys:
        """Return of each candidate which unit of which document it is, `(n,) uint64`; commits do not change that."""
        documents, starts = self._sentences.documents(found.units), self._sentences.spans(found.units)[:, 0]
        return np.asarray(documents.astype(np.uint64) << np.uint64(32) | starts.astype(np.uint64))

    def by_keys(self, found: Candidates, level: Level, *, texts: bool) -> KeysAnswer:
        """Return what candidates tell at a level; `texts`: whether the asker will send words."""
        if level != "text":
            found = found.chosen(found.n_equal >= LEAST_SHARED)
        sure = found.chosen(found.n_equal >= LEAST_CLAIMED)
        holds = len(sure.asked) > 0
        if level == "none":
            return KeysAnswer(self.epoch, holds)
        if texts:
            return KeysAnswer(self.epoch, holds, tuple(found.asked[begins(found.asked)].tolist()))
        pairs = dict.fromkeys(zip(sure.asked.tolist(), self._sentences.documents(sure.units).tolist(), strict=True))
        units = dict[int, list[int]]()
        n_of_unit = dict[int, int]()
        for unit, document in pairs:  # those with most equal keys come first
            n_of_unit[unit] = n_of_unit.get(unit, 0) + 1
            if n_of_unit[unit] <= MOST_CLAIMS:
                units.setdefault(document, []).append(unit)
        titles = self._titles(units) if level != "count" else dict.fromkeys(units, "")
        ids = sorted(units, key=lambda one: (units[one], titles[one]))
        rows = tuple((unit, place) for place, document in enumerate(ids) for unit in units[document])
        return KeysAnswer(self.epoch, holds, (), rows, tuple(titles[one] for one in ids))

    def by_texts(
        self, message: TextsAsked, found: Candidates, level: Level, until: float, secret: bytes
    ) -> TextsAnswer:
        """Compare the words of units with those of their candidates.

        The asker stops waiting at a time of `time.monotonic` (`LateError`). The site's secret draws the bars below the
        level `text`.
        """
        places = np.full(1 + max(message.numbers, default=0), -1, np.int64)
        places[list(message.numbers)] = np.arange(len(message.numbers))
        known = found.chosen(found.asked < len(places))
        known = known._replace(asked=places[known.asked])
        known = known.chosen(known.asked >= 0)
        documents, n_unread = list[ComparedDocument](), 0
        asked = message.asked() if level == "text" else Blurred(message.words, secret)
        if level != "text":
            known = known.chosen(known.n_equal >= LEAST_SHARED)
        for _, one in compared(SentenceFolder.beside(self._store, self._sentences), [(asked, known)]):
            if time.monotonic() > until:
                raise LateError
            n_unread += one.problem is not None
            documents += [] if one.problem else [one]
        if level != "text":
            return TextsAnswer(self.epoch, n_unread, resembling=tuple(self._resembling(documents, level)))
        documents.sort(key=lambda one: (-sum(len(unit.sentences) for unit in one.alike), one.document.id))
        return TextsAnswer(self.epoch, n_unread, tuple(self._shown(documents)))

    def _titles(self, ids: Iterable[int]) -> dict[int, str]:
        """Return the last part of each document's first path: folders are nobody's business."""
        return {id_: title_of(paths[0].path) for id_, paths in self._store.listed_of(ids).items()}

    def _shown(self, compared: Sequence[ComparedDocument]) -> Iterator[AlikeDocument]:
        """Yield the documents as they are shown at the level `text`."""
        titles = self._titles(one.document.id for one in compared)
        n_excerpts = n_chars = 0
        for one in compared:
            text, given = self._text(one), Given.nothing()
            if n_chars + len(text) <= MOST_TEXT_CHARS:
                given, n_chars = Given.all_of(text), n_chars + len(text)
            elif n_excerpts < EXCERPTS:
                given = Given.excerpts(text, [pair.source for pair in one.pairs][: EXCERPTS - n_excerpts])
                n_excerpts += len(given.stretches)
            yield _document(one, given, titles[one.document.id])

    def _resembling(self, compared: Sequence[ComparedDocument], level: Level) -> Iterator[Resembling]:
        """Yield the documents as they are shown below the level `text`; equal ones are in no order of the site."""
        titles = {} if level == "count" else self._titles(one.document.id for one in compared)

        def order(one: ComparedDocument) -> tuple[int, list[int], str]:
            return -len(one.alike), [unit.sentences[0] for unit in one.alike], titles.get(one.document.id, "")

        n_excerpts = 0
        for one in sorted(compared, key=order):
            given = Given.nothing()
            if level == "excerpt" and n_excerpts < EXCERPTS:
                stretches = merged(unit.source for unit in one.alike)
                given = Given.excerpts(self._text(one), stretches[: EXCERPTS - n_excerpts])
                n_excerpts += len(given.stretches)
            title = titles.get(one.document.id, "")
            units = tuple((unit.sentences[0], *given.place(unit.source)) for unit in one.alike)
            yield Resembling(title, one.document.kind if title else "", given.text, units)

    def _text(self, one: ComparedDocument) -> str:
        paths = self._store.paths_of([one.document.id])[one.document.id]
        return original_text(self._store.generation, one.document, paths)


class Given(NamedTuple):
    """The words of a document that an asker is given, where they stand in both, and whether they are all."""

    text: str | None
    stretches: Sequence[tuple[Span, int]] = ()
    is_whole: bool = False

    @classmethod
    def nothing(cls) -> Given:
        """Return no words."""
        return cls(None)

    @classmethod
    def all_of(cls, text: str) -> Given:
        """Return the whole text."""
        return cls(text, [(Span(0, len(text)), 0)], True)

    @classmethod
    def excerpts(cls, text: str, spans: Sequence[Span]) -> Given:
        """Return the beginning of each span, `EXCERPT_CHARS` characters at most."""
        length, stretches, parts = 0, list[tuple[Span, int]](), list[str]()
        for span in spans:
            cut = Span(span.start, min(span.stop, span.start + EXCERPT_CHARS))
            stretches.append((cut, length))
            parts.append(text[cut.start : cut.stop])
            length += len(cut) + len(CUT)
        return cls(CUT.join(parts), stretches)

    def place(self, span: Span) -> tuple[int, int]:
        """Return where a span of the document stands in the words; 0, 0 if it is withheld."""
        for stretch, start in self.stretches:
            if stretch.start <= span.start < stretch.stop:
                shift = start - stretch.start
                return span.start + shift, min(span.stop, stretch.stop) + shift
        return 0, 0


def _document(one: ComparedDocument, given: Given, title: str) -> AlikeDocument:
    return AlikeDocument(
        title,
        one.document.kind,
        given.text,
        given.is_whole,
        tuple((*_both(unit, given), round(SCALE * unit.similarity), unit.n_equal) for unit in one.alike),
        tuple(unit.sentences for unit in one.alike),
        tuple((*_both(pair, given), round(SCALE * (pair.similarity or 0))) for pair in one.pairs),
    )


def _both(one: Alike | StretchPair, given: Given) -> tuple[int, int, int, int]:
    """Return where both sides stand: in the shared text, and in the words that are given."""
    return one.query.start, one.query.stop, *given.place(one.source)


def title_of(path: str) -> str:
    r"""Return the last part of a path as it is told; bytes that are no UTF-8 are `?`, and what is too long is cut.

    >>> title_of("/secret/caf\udce9.txt")
    'caf?.txt'
    """
    return os.path.basename(path).encode("utf-8", "replace").decode()[:MOST_TITLE_CHARS]


def _epoch(store: Store, serial: int) -> str:
    """Return the state of a collection and its sentences."""
    return f"{store.generation.identity.collection_id.hex()[:16]}-{store.commit_number}-{serial}"
