"""Candidates compared in detail: each candidate's text with the query's, passage by passage.

    pairs of a query and a source ─► slices ─► texts read ─► compared: one native call a slice, threads share slices

A query with many sources and many queries with few sources each are the same: a list of pairs.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache, partial

from pmbf import verify
from pmbf.base.errors import CorruptError
from pmbf.kernels import NAT
from pmbf.screen.lengthwise import compare_lengthwise, is_lengthwise
from pmbf.screen.near import WHOLE_CHARS, Text, in_whole, parts_near
from pmbf.screen.options import Options
from pmbf.screen.screened import Screened
from pmbf.screen.sections import SectionRules, section_rules
from pmbf.screen.sources import Source, keep, texts_of

SHORT_DOUBT, TOPICAL_EVIDENCE, MANY_DOCUMENTS = 0.35, 22.0, 1000
"""Chance matches become likelier in large collections: among thousands of documents some pair shares the words of a few
sentences. So both bars, 0.35 of similarity and 22 nats of evidence, rise with log(documents), and are full from 1,000
documents on."""

SHORT_QUERY_CHARS = 300
"""In a query under 300 characters (50 words) the least lengths of a reworded passage fall in proportion: in the query
from 150 characters to half of its length, in the source from 200 to two thirds of it. Either most of a query so short
is from one source, or nothing is."""

LEAST_SUMMARY_CHARS = 450
"""Characters of the shortest summary; a hundred words have 500 and more. A shorter one is a few sentences on the same
topic, and one document in thousands has their words."""
_LONGER_THAN_ANY = 2**31 - 1

SUMMARY_TIMES = 2.0
"""Nats of evidence of a summary for each time that the source is as long: the longer a source, the more words of its
topic it has. The 184 summaries of PAN13's training corpus that are found have 2.3 and more; the 14 that 200 texts
without a copy seem to hold of manuals have 0.7 to 1.9. From 1,000 documents on, as above."""

TOGETHER_CHARS = 1 << 20
"""Pairs of a slice have at most a million characters together, or are one pair."""

SHARES = 4
"""Slices for each thread. The last threads wait for each other as long as a slice takes."""

_USUAL = verify.Settings()

_Numbered = tuple[int, Source]
"""The number of a query in its batch, and one of its sources."""


def compare_each(
    batch: Sequence[Screened],
    sources: Sequence[Sequence[Source]],
    options: Options,
    statistics: verify.Statistics | None,
) -> None:
    """Fill in `shared` of each query of a batch: its sources that share passages with it, in their order.

    A text that cannot be read raises no error: its source has a `problem`, and is among these. `statistics` tell how
    rare words are in the collection; None if that is unknown.
    """
    compare = partial(_compare_each, options=options, statistics=statistics)
    asked = list(zip(batch, sources, strict=True))
    lengthwise = [is_lengthwise(*pair, options) for pair in asked]
    compare(batch, [() if alone else some for alone, some in zip(lengthwise, sources, strict=True)])
    for alone, (query, some) in zip(lengthwise, asked, strict=True):
        if alone:
            compare_lengthwise(query, some, compare)
        query.shared = [one for one in some if one.passages or one.problem]


def _compare_each(
    batch: Sequence[Screened],
    sources: Sequence[Sequence[Source]],
    options: Options,
    statistics: verify.Statistics | None,
) -> None:
    """Fill in what the sources of each query share with it."""
    pairs = [(number, source) for number, some in enumerate(sources) for source in some]
    calls = _calls(batch, pairs, options, statistics)
    if options.threads == 1 or len(pairs) < 2:
        for call in calls:
            call()
    else:
        from pmbf.jobs.threads import in_order

        with closing(in_order(calls, options.threads)) as made:
            deque(made, maxlen=0)


@lru_cache(maxsize=256)
def settings_of(
    min_chars: int, min_similarity: float, summaries: bool, n_letters: int, n_words: int, n_documents: int
) -> verify.Settings:
    """Return what counts as a passage. A text too short to hold a passage is one as a whole.

    In a short text a reworded passage may be shorter. If the options ask for passages shorter than usual, then little
    evidence is no reason to drop one.
    """
    doubt = min(1.0, math.log(max(1, n_documents)) / math.log(MANY_DOCUMENTS))
    least, share = min(min_chars, n_letters), min(1.0, n_letters / SHORT_QUERY_CHARS)
    return verify.Settings(
        seed_tokens=n_words,
        min_chars=least,
        threshold=min_similarity,
        min_reworded_chars=max(min_chars, int(share * _USUAL.min_reworded_chars)),
        min_reworded_source_chars=max(min_chars, int(share * _USUAL.min_reworded_source_chars)),
        least_evidence=_USUAL.least_evidence if least >= _USUAL.min_chars else 0.0,
        min_summary_chars=LEAST_SUMMARY_CHARS if summaries else _LONGER_THAN_ANY,
        least_topical_evidence=TOPICAL_EVIDENCE * doubt,
        short_doubt=SHORT_DOUBT * doubt,
        rules=replace(_USUAL.rules, summary_times=round(SUMMARY_TIMES * doubt * NAT)),
    )


@dataclass(frozen=True, eq=False)
class _Query:
    """A query as it is compared with texts; `of_others` tells how rare words are in the collection."""

    screened: Screened
    prepared: verify.Prepared
    options: Options
    of_others: verify.Statistics | None

    @cached_property
    def settings(self) -> verify.Settings:
        """What counts as a passage."""
        options, text = self.options, self.prepared
        asked = options.min_chars, options.min_similarity, options.summaries
        n_letters = min(text.n_letters, max(options.min_chars, SHORT_QUERY_CHARS))
        return settings_of(*asked, n_letters, min(text.n_words, _USUAL.seed_tokens), self.screened.n_documents)

    @cached_property
    def rules(self) -> SectionRules | None:
        """The rules of its sections, or None if everything is compared with everything."""
        if self.options.template is None:
            return None
        statistics = self.of_others
        if statistics is not None and self.prepared.is_known(statistics):
            statistics = statistics.beside(self.prepared.words)
        return section_rules(self.screened.exempt.sections, self.options, self.prepared, self.settings, statistics)


def _calls(
    batch: Sequence[Screened], pairs: Sequence[_Numbered], options: Options, statistics: verify.Statistics | None
) -> Iterator[Callable[[], None]]:
    """Yield a call for each slice. The texts are read here, a call's when the call is asked for."""
    queries: dict[int, _Query] = {}
    for some in _slices(batch, pairs, options.threads):
        before, queries = queries, {}
        for number, _ in some:
            if number not in queries:
                made = before.get(number)
                text = (
                    batch[number].prepared or verify.prepare(batch[number].read.text) if made is None else made.prepared
                )
                queries[number] = made or _Query(batch[number], text, options, statistics)
        verify.make_ready([one.prepared for one in queries.values()], statistics)
        texts = texts_of([source for _, source in some])
        yield partial(_compare, queries, some, texts, statistics)


def _slices(batch: Sequence[Screened], pairs: Sequence[_Numbered], n_threads: int) -> Iterator[list[_Numbered]]:
    """Yield pairs in slices, each for one call. Threads get `SHARES` slices each, of about the same cost.

    The cost is the characters that are compared: of a long source a part.
    """
    share: float = TOGETHER_CHARS
    if n_threads > 1:
        share = sum(min(one.document.n_chars, WHOLE_CHARS) for _, one in pairs) / (SHARES * n_threads)
    some: list[_Numbered] = []
    cost, n_chars, last = 0, 0, -1
    for number, source in pairs:
        more = source.document.n_chars + (batch[number].sample.n_chars if number != last else 0)
        if some and (n_chars + more > TOGETHER_CHARS or cost >= share):
            yield some
            some, cost, n_chars = [], 0, 0
        some.append((number, source))
        cost, n_chars, last = cost + min(source.document.n_chars, WHOLE_CHARS), n_chars + more, number
    if some:
        yield some


def _compare(
    queries: dict[int, _Query],
    pairs: Sequence[_Numbered],
    texts: Sequence[Text | None],
    statistics: verify.Statistics | None,
) -> None:
    """Fill in what the pairs of a slice share: all stretches of their texts take one native call."""
    asked: list[verify.TextPair] = []
    bounds = [0]
    for (number, source), text in zip(pairs, texts, strict=True):
        query, n_chars = queries[number], source.document.n_chars
        if isinstance(text, verify.Prepared) and n_chars <= WHOLE_CHARS:
            asked.append(verify.TextPair(query.prepared, text, query.settings, 0, n_chars))
        elif text:
            with _telling(source):
                asked += _pairs_of(query, source, text)
        bounds.append(len(asked))
    found = verify.passages_each(asked, statistics)
    for (number, source), text, start, stop in zip(pairs, texts, bounds, bounds[1:], strict=False):
        passages = found[start] if stop - start == 1 else in_whole(found[start:stop])
        if text and passages and (rules := queries[number].rules):
            with _telling(source):
                source.passages = rules.kept(text.text, passages, source.document.n_chars)
        else:
            source.passages = passages
        if text and text.has_grown:
            keep(source, text)


def _pairs_of(query: _Query, source: Source, text: Text) -> list[verify.TextPair]:
    """Return a query with each part of a source that it is compared with."""
    assert source.files
    parts = parts_near(text, query.screened.sample, source.files.params, query.options.sensitivity)
    n_chars = source.document.n_chars
    return [verify.TextPair(query.prepared, part, query.settings, at, n_chars) for at, part in parts]


@contextmanager
def _telling(source: Source) -> Iterator[None]:
    """Make it the problem of a source that a part of its text is damaged. The parts of a long text are read late."""
    try:
        yield
    except CorruptError as error:
        source.problem = str(error)
