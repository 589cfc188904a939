"""The second look: documents with little evidence are compared if they have the other words near their hits, too.

    the query      ··· a storm that broke the old mast near the harbour wall ···
                             ▲─────▲          a hit: two words that a document has, too
                       ├───────────────────────────────────────────────┤   its words are looked up
    the document's word list      storm · broke · mast · harbour           what says more than the words of its topic?

A copied passage has most of the words around a hit, however it is reworded. A document that has a hit by chance has
few of them. Each document has a list of its words, in parts; so its text is not read, and a look takes a microsecond.

How much a word says depends on how rare it is, and on the words of the part: it is -ln p of the probability p that a
part of another document has it. What the words say on average is taken off.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from pmbf import kernels, verify
from pmbf.base.errors import CorruptError, ParameterError
from pmbf.base.params import Params
from pmbf.kernels import EVIDENCE_UNITS, N_WORD_CLASSES, NO_WORD, UNKNOWN, QueryWords, WordLists
from pmbf.screen.candidates import Candidate
from pmbf.screen.options import SENSITIVITIES, Doubts, Options
from pmbf.screen.screened import Screened

MARGIN_TOKENS = 40
"""Words that are looked up on both sides of the hits, besides those between them."""

LEAST_SAID = 10.0
"""Nats that the words must say: chosen from 8 to 14 with PAN13's first half (decision 0052)."""

ALWAYS_SHARE = 4
"""A fourth of the documents that may be compared are compared whatever their words say."""

BRINGING_SHARE, MORE_TIMES = 4, 4
"""If a fourth of the doubtful documents compared first share passages, then the next ones are compared, too: four times
as many in all. A manual has dozens of sources, each by a few lines; an essay has none."""

_PAGE_WORDS = 400
"""Words of at least 4 letters among 1,000 words of a text."""

_FALSE_SHARE = 1 / 48
"""Share of the numbers of a list that it has: so often it has a word by chance."""


class Lists(Protocol):
    """Has the word lists of documents, as `pmbf.store.generation.Generation`."""

    def words_of(self, ids: NDArray[np.uint32], /) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
        """Return the word lists of some documents, end to end, and where each begins and ends."""


def has_words(params: Params) -> bool:
    """Return whether a second look is taken at the documents of a collection: it has word lists and texts."""
    return params.index != "rows" and params.store_text


def look(lists: Lists, batch: Sequence[Screened], options: Options, statistics: verify.Statistics | None) -> None:
    """Leave each query of a batch the candidates that it is compared with: of few doubtful ones all."""
    many = [
        one for one in batch if sum(some.window is not None for some in one.candidates) > _doubts(one, options).n_unseen
    ]
    words = asked_words(many, statistics) if many else {}
    for number, query in enumerate(many):
        said: Mapping[int, float] = {}
        if number in words:
            try:
                said = told(lists, query.candidates, words[number])
            except CorruptError as error:  # evidence alone decides
                query.warnings = (*query.warnings, str(error))
        leave(query, said, options)


def asked_words(batch: Sequence[Screened], statistics: verify.Statistics | None) -> dict[int, QueryWords]:
    """Return the words of those queries that have doubtful candidates, by the number of the query.

    They are made ready to be compared. Without statistics there are none: nobody knows how much a word says.
    """
    doubtful = [(number, one) for number, one in enumerate(batch) if any(some.window for some in one.candidates)]
    if statistics is None:
        return {}
    texts = []
    for _, query in doubtful:
        query.prepared = query.prepared or verify.prepare(query.read.text)
        texts.append(query.prepared)
    verify.make_ready(texts, statistics)
    return {number: _words(text, statistics) for (number, _), text in zip(doubtful, texts, strict=True)}


def told(lists: Lists, candidates: Iterable[Candidate], words: QueryWords) -> dict[int, float]:
    """Return what the words around the hits say for each doubtful candidate, in nats, by its id.

    A document without a word list is left out.

    Raises:
        CorruptError: A list is damaged.
    """
    windows = {one.document: one.window for one in candidates if one.window}
    ids, margin = np.array(list(windows), np.uint32), np.array([-MARGIN_TOKENS, MARGIN_TOKENS])
    around = np.array(list(windows.values()), np.int64).reshape(-1, 2) + margin
    held = WordLists(*lists.words_of(ids))
    try:
        units = kernels.words_said(words, held, np.clip(around, 0, len(words.keys)))
    except ParameterError as error:
        raise CorruptError(f"{error}; run `pmbf check --repair`") from error
    is_known = units != UNKNOWN
    return dict(zip(ids[is_known].tolist(), (units[is_known] / EVIDENCE_UNITS).tolist(), strict=True))


def leave(query: Screened, told: Mapping[int, float], options: Options) -> None:
    """Leave a query the candidates that are sure, and those of the others for which the words say most."""
    n_before = len(query.candidates)
    query.candidates, query.later = chosen(query.candidates, told, _doubts(query, options))
    query.n_found -= n_before - len(query.candidates)


def go_on(batch: Sequence[Screened], compare: Callable[[Sequence[Screened]], None]) -> None:
    """Compare queries with more candidates, if a share of the doubtful ones so far brought passages."""
    more = {
        number: replace(one, candidates=[some._replace(window=None) for some in one.later], later=(), shared=())
        for number, one in enumerate(batch)
        if one.later and _has_brought(one)
    }
    if more:
        compare([*more.values()])
    for number, found in more.items():
        query = batch[number]
        query.candidates, query.shared = [*query.candidates, *found.candidates], [*query.shared, *found.shared]
        query.n_found += len(found.candidates)


def _has_brought(query: Screened) -> bool:
    doubtful = {one.document for one in query.candidates if one.window}
    n_brought = sum(source.document.id in doubtful for source in query.shared if source.passages)
    return n_brought * BRINGING_SHARE >= len(doubtful)


def _doubts(query: Screened, options: Options) -> Doubts:
    return SENSITIVITIES[options.sensitivity].of(len(query.sample.hashes))


def chosen(
    candidates: Sequence[Candidate], told: Mapping[int, float], doubts: Doubts
) -> tuple[list[Candidate], list[Candidate]]:
    """Return the candidates that are compared, best first as they were; and those that are if these bring something.

    If the doubtful ones are few, then all are compared. Else those are for which the words say enough; of these, those
    for which evidence and words together say most. A few are compared whatever their words say: in a small collection
    the words of a passage are in most documents.

    Args:
        candidates: Best first.
        told: What the words say for those that are not sure. If it is empty, then evidence alone decides.
        doubts: How many of these are compared.
    """
    doubtful = [one for one in candidates if one.window]
    if len(doubtful) <= doubts.n_unseen:
        return list(candidates), []
    said = {one.document: told.get(one.document, LEAST_SAID) for one in doubtful}
    doubtful.sort(key=lambda one: (said[one.document] < LEAST_SAID, -one.evidence - said[one.document]))
    n_enough = sum(nats >= LEAST_SAID for nats in said.values())
    n_first = doubts.n_compared if told else doubts.n_unseen
    best = {one.document for one in doubtful[: min(n_first, max(n_enough, n_first // ALWAYS_SHARE))]}
    later = doubtful[n_first : min(n_enough, MORE_TIMES * n_first)] if told else []
    return [one for one in candidates if not one.window or one.document in best], later


def _words(text: verify.Prepared, statistics: verify.Statistics) -> QueryWords:
    """Return the words of a query, each with what it says; the text is made ready under the statistics."""
    made = text.made(statistics)
    words = kernels.word_keys(made, statistics)
    classes = _classes(statistics.n_pages)[words.n_holding]
    return QueryWords(words.keys, words.before, np.where(words.is_word, classes, np.uint8(NO_WORD)), *_tables())


@lru_cache(maxsize=8)
def _classes(n_pages: int) -> NDArray[np.uint8]:
    """Return the class of a word that n of `n_pages` pages hold, for each n."""
    rarity = -2 * np.log2((np.arange(n_pages + 1) + 0.5) / (n_pages + 1))
    classes: NDArray[np.uint8] = np.clip(rarity.round(), 0, N_WORD_CLASSES - 1).astype(np.uint8)
    return classes


@lru_cache(maxsize=1)
def _tables() -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Return what a word says that a part has, and what on average, by its class and the class of the part."""
    pages = kernels.words_of_size() / _PAGE_WORDS
    rates = 2.0 ** (-np.arange(N_WORD_CLASSES) / 2)[:, None]
    chance = 1 - (1 - _FALSE_SHARE) * (1 - rates) ** pages
    says = -EVIDENCE_UNITS * np.log(chance)
    return says.round().astype(np.int32), (chance * says).round().astype(np.int32)
