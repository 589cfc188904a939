"""Candidates compared in detail: each candidate's text with the query's, passage by passage.

    pairs of a query and a source ─► slices ─► texts read ─► compared: one native call a slice, threads share slices

A query with many sources and many queries with few sources each are the same: a list of pairs.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache, partial
from typing import NamedTuple

from pmbf import verify
from pmbf.base.span import Span
from pmbf.jobs.threads import in_order
from pmbf.kernels import NAT
from pmbf.screen.near import WHOLE_CHARS, in_whole, part, stretches_near
from pmbf.screen.options import Options
from pmbf.screen.screened import Screened, Shared
from pmbf.screen.sections import SectionRules, section_rules
from pmbf.screen.source_texts import Located, Read, read_each
from pmbf.screen.sources import Source
from pmbf.store.generation import Generation

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


class _Pair(NamedTuple):
    """The number of a query in its batch, and one of its sources."""

    number: int
    generation: Generation
    source: Source


def compared(
    batch: Sequence[Screened],
    sources: Sequence[Sequence[Located]],
    options: Options,
    statistics: verify.Statistics | None,
) -> list[list[Shared]]:
    """Return what each query of a batch shares with its sources, in their order.

    Sources that share nothing are left out. A text that cannot be read raises no error: its source has a `problem`.

    Args:
        batch: The queries.
        sources: The sources of each.
        options: What counts as found.
        statistics: How rare words are in the collection; None if unknown.
    """
    found: list[list[Shared]] = [[] for _ in batch]
    pairs = [_Pair(number, *located) for number, some in enumerate(sources) for located in some]
    calls = _calls(batch, pairs, options, statistics)
    with closing(in_order(calls, options.threads if len(pairs) > 1 else 1)) as results:
        for number, shared in itertools.chain.from_iterable(results):
            found[number].append(shared)
    return found


def _settings(options: Options, query: verify.Prepared, n_documents: int) -> verify.Settings:
    n_letters = verify.n_letters(query, Span(0, query.n_tokens))
    asked = options.min_chars, options.min_similarity, options.summaries
    most = max(options.min_chars, SHORT_QUERY_CHARS)
    return _settings_of(*asked, min(n_letters, most), min(query.n_words, _USUAL.seed_tokens), n_documents)


@lru_cache(maxsize=256)
def _settings_of(
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
    """A query as it is compared with texts.

    Args:
        screened: The query.
        prepared: Its text, prepared.
        options: What counts as found.
        of_others: How rare words are in the collection; None if unknown.
    """

    screened: Screened
    prepared: verify.Prepared
    options: Options
    of_others: verify.Statistics | None

    @cached_property
    def settings(self) -> verify.Settings:
        """What counts as a passage."""
        return _settings(self.options, self.prepared, self.screened.n_documents)

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
    batch: Sequence[Screened], pairs: Sequence[_Pair], options: Options, statistics: verify.Statistics | None
) -> Iterator[Callable[[], list[tuple[int, Shared]]]]:
    """Yield a call for each slice. The texts are read here, a call's when the call is asked for."""
    queries: dict[int, _Query] = {}
    for some in _slices(batch, pairs, options.threads):
        numbers = dict.fromkeys(pair.number for pair in some)
        new = [number for number in numbers if number not in queries]
        prepared = [verify.prepare(batch[number].read.text) for number in new]
        verify.make_ready(prepared, statistics)
        made = {
            number: _Query(batch[number], its, options, statistics) for number, its in zip(new, prepared, strict=True)
        }
        queries = {number: queries.get(number) or made[number] for number in numbers}
        read = read_each([(generation, source) for _, generation, source in some])
        stretches = [
            stretches_near(one.text, batch[number].sample, generation.params) if one.text else ()
            for (number, generation, _), one in zip(some, read, strict=True)
        ]
        yield partial(_compared, queries, [*zip(some, read, stretches, strict=True)], statistics)


def _slices(batch: Sequence[Screened], pairs: Sequence[_Pair], n_threads: int) -> Iterator[list[_Pair]]:
    """Yield pairs in slices, each for one call. Threads get `SHARES` slices each, of about the same cost."""
    share = sum(_cost(pair.source) for pair in pairs) / (SHARES * n_threads) if n_threads > 1 else TOGETHER_CHARS
    some: list[_Pair] = []
    cost, n_chars, last = 0, 0, -1
    for pair in pairs:
        more = pair.source.document.n_chars + (batch[pair.number].sample.n_chars if pair.number != last else 0)
        if some and (n_chars + more > TOGETHER_CHARS or cost >= share):
            yield some
            some, cost, n_chars = [], 0, 0
        some.append(pair)
        cost, n_chars, last = cost + _cost(pair.source), n_chars + more, pair.number
    if some:
        yield some


def _cost(source: Source) -> int:
    """Return how much of a source is compared, in characters: of a long one a part."""
    return min(source.document.n_chars, WHOLE_CHARS)


def _compared(
    queries: dict[int, _Query],
    pairs: Sequence[tuple[_Pair, Read, Sequence[Span]]],
    statistics: verify.Statistics | None,
) -> list[tuple[int, Shared]]:
    """Return what the pairs of a slice share, each with the number of its query: all stretches take one native call."""
    asked = []
    for pair, read, stretches in pairs:
        query = queries[pair.number]
        asked += [(query.prepared, part(read.text, one), query.settings) for one in stretches if read.text]
    found = iter(verify.passages_each(asked, statistics))
    shared = []
    for pair, read, stretches in pairs:
        passages = in_whole(stretches, [*itertools.islice(found, len(stretches))])
        if read.text and passages and (rules := queries[pair.number].rules):
            passages = rules.kept(read.text.text, passages)
        if passages or read.problem:
            shared.append((pair.number, Shared(pair.source, passages, read.problem)))
        read.keep()
    return shared
