"""The way out: a text in, the documents it shares passages with out, with proof.

text ─► sampled hashes in text order, stop shingles left out
     ─► per tile: hits per row, whole and in windows ─► rows above chance
     ─► their documents ─► exact shared hashes ─► candidates
     ─► texts compared in detail ─► Report
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from pmbf import kernels, verify
from pmbf.errors import ParameterError, PmbfError
from pmbf.fingerprint import QuerySample, query_sample
from pmbf.originals import original_text
from pmbf.records import Document
from pmbf.report import DocumentRef, Match, Passage, Query, Report
from pmbf.store import Store
from pmbf.text import clean

Hashes = NDArray[np.uint32]

WINDOW_HASHES = (24, 120)
"""Windows of a query, in sampled hashes: about 75 and 360 words at 5 % density, each half overlapping the next."""


CROWDED_RATE = 0.2
"""A row that takes one absent hash in five for its own says little: its few, long documents are always looked at."""


@dataclass(frozen=True, slots=True)
class Options:
    """What a screening looks for; the defaults suit a document of any length.

    Args:
        min_chars: Shortest passage, in characters of the query, at least 1; a shorter text must be found whole.
        min_similarity: Least similarity of a passage, 0 to 1.
        threshold: Least share of the query a source must cover, 0 to 1.
        false_rows: Rows that may pass by chance, expected per query, above 0.
        min_hits: Shared hashes in one window that make a document a candidate, at least 1.
        max_candidates: Documents compared in detail at most, best first, at least 1.
        method: `hashes` counts the query's hashes found in a row; `popcount` counts common bits, as in
            Tskhay, Butakov & Kim 2014.

    Raises:
        ParameterError: A value is outside its range.
    """

    min_chars: int = verify.Settings().min_chars
    min_similarity: float = verify.Settings().threshold
    threshold: float = 0.0
    false_rows: float = 1.0
    min_hits: int = 3
    max_candidates: int = 500
    method: str = "hashes"

    def __post_init__(self) -> None:
        for name, low in (("min_chars", 1), ("min_hits", 1), ("max_candidates", 1)):
            if getattr(self, name) < low:
                raise ParameterError(f"{name} is {getattr(self, name)}, expected at least {low}")
        for name in ("min_similarity", "threshold"):
            if not 0 <= getattr(self, name) <= 1:
                raise ParameterError(f"{name} is {getattr(self, name)}, expected a number from 0 to 1")
        if not self.false_rows > 0:
            raise ParameterError(f"false_rows is {self.false_rows}, expected a number above 0")
        if self.method not in ("hashes", "popcount"):
            raise ParameterError(f"method is {self.method!r}, expected 'hashes' or 'popcount'")


@dataclass(frozen=True, slots=True)
class Candidate:
    """A document that shares more sampled hashes with the query than phrases explain.

    Args:
        document: Which one.
        n_hits: Of the query's hashes, those the document has.
        densest: The same within the best window of `WINDOW_HASHES[0]`.
    """

    document: Document
    n_hits: int
    densest: int


def screen(store: Store, text: str, *, name: str = "", options: Options | None = None) -> Report:
    """Return which documents a text shares passages with.

    Args:
        store: The collection, at its generation.
        text: The whole text.
        name: What to call it in the report.
        options: What to look for.

    Raises:
        CorruptError: A file of the collection that the answer needs is damaged.
    """
    options = options or Options()
    text = clean(text)
    sample = query_sample(text, store.params)
    found = candidates(store, sample, options)
    checked = found[: options.max_candidates]
    problems = []
    if len(checked) < len(found):
        problems.append(
            f"{len(found)} candidates, only the best {len(checked)} compared; raise max_candidates (--max-candidates)"
        )
    matches = _resolved(list(_matches(store, text, sample, checked, options)), options, len(text))
    covered = verify.union_length([passage.query for match in matches for passage in match.passages])
    n_documents, _ = store.catalog.count_documents()
    return Report(
        query=_query(name, sample, len(informative(sample.hashes, store.stop_hashes()))),
        matches=matches,
        n_covered=covered,
        coverage=_share(covered, len(text)),
        n_documents=n_documents,
        n_candidates=len(checked),
        generation=store.generation,
        problems=tuple(problems),
        collection=str(store.folder),
    )


def candidates(store: Store, sample: QuerySample, options: Options | None = None) -> list[Candidate]:
    """Return the documents that share more sampled hashes with a query than chance and phrases explain, best first."""
    options = options or Options()
    hashes = informative(sample.hashes, store.stop_hashes())
    if not len(hashes):
        return []
    documents = list(_documents(store, hashes, options))
    found = _above_phrases(documents, _shared(store, documents, hashes), hashes, options)
    return sorted(found, key=lambda one: (-one.densest, -one.n_hits, one.document.id))


def windows(n_hashes: int) -> list[tuple[int, int]]:
    """Return the windows a query is screened in: the whole first, then each size, half overlapping.

    >>> windows(40)
    [(0, 40), (0, 24), (12, 36), (16, 40)]
    """
    spans = [(0, n_hashes)]
    for size in WINDOW_HASHES:
        if size < n_hashes:
            starts = [*range(0, n_hashes - size, size // 2), n_hashes - size]
            spans += [(start, start + size) for start in starts]
    return spans


def informative(hashes: Hashes, stops: Hashes) -> Hashes:
    """Return the hashes without stop shingles, unless little else is left: then boilerplate is what is asked for."""
    kept = hashes[~kernels.intersect(hashes, stops)]
    return kept if 2 * len(kept) >= len(hashes) else hashes


def rows_above_chance(store: Store, hashes: Hashes, options: Options) -> Iterator[tuple[int, NDArray[np.int64]]]:
    """Yield each tile's number and its rows that a query hits, in any window, more often than chance explains.

    Args:
        store: The collection.
        hashes: `(q,) uint32`, the query's in text order.
        options: `false_rows` may pass by chance, expected over all rows and windows; `method` says what is counted.
    """
    matrix, spans = store.matrix(), windows(len(hashes))
    for number, rows in matrix.rows_over(hashes, spans, false_rows=options.false_rows, method=options.method):
        crowded = np.flatnonzero(matrix.tiles[number].rates() > CROWDED_RATE)
        yield number, np.union1d(rows, crowded)


def _documents(store: Store, hashes: Hashes, options: Options) -> Iterator[Document]:
    """Yield the live documents of every row above chance."""
    ids: set[int] = set()
    for number, rows in rows_above_chance(store, hashes, options):
        ids.update(store.rows.documents(number, rows).tolist())
    return (document for document in store.documents(ids).values() if not document.removed)


def _shared(store: Store, documents: list[Document], hashes: Hashes) -> Iterator[NDArray[np.bool_]]:
    """Yield for each document which of the query's hashes it has, `(q,) bool`.

    All fingerprints are looked up in the sorted query at once; most documents of a hit row share next to nothing.
    """
    if not documents:
        return
    wanted, place = np.unique(hashes, return_inverse=True)
    prints = [store.fingerprint(document).hashes for document in documents]
    stored = np.concatenate(prints)
    found = np.flatnonzero(kernels.intersect(stored, wanted))
    at = np.searchsorted(wanted, stored[found])
    bounds = np.searchsorted(found, np.cumsum([0, *map(len, prints)]))
    for start, stop in itertools.pairwise(bounds.tolist()):
        has = np.zeros(len(wanted), np.bool_)
        has[at[start:stop]] = True
        yield has[place]


def _above_phrases(
    documents: list[Document], shared: Iterable[NDArray[np.bool_]], hashes: Hashes, options: Options
) -> Iterator[Candidate]:
    """Yield the documents that share enough hashes in one window."""
    for document, mask in zip(documents, shared, strict=True):
        needed = max(1, min(options.min_hits, len(hashes) // 8, document.n_hashes // 4))
        n_hits = int(np.count_nonzero(mask))
        if n_hits >= needed and (densest := _densest(mask, WINDOW_HASHES[0])) >= needed:
            yield Candidate(document, n_hits, densest)


def _densest(shared: NDArray[np.bool_], size: int) -> int:
    """Return the most hits in any window of so many hashes."""
    sums = np.concatenate([[0], np.cumsum(shared)])
    if len(shared) <= size:
        return int(sums[-1])
    return int((sums[size:] - sums[:-size]).max())


def _matches(store: Store, text: str, sample: QuerySample, found: list[Candidate], options: Options) -> Iterator[Match]:
    """Yield the candidates whose text really shares passages with the query."""
    if not found:
        return
    query = verify.prepare(text)
    settings = _settings(options, query)
    paths = store.paths_of(candidate.document.id for candidate in found)
    for candidate in found:
        document = candidate.document
        reference = DocumentRef(document.id, paths[document.id][0], tuple(paths[document.id]), document.n_chars)
        passages, problem = _compared(store, query, candidate, reference, settings)
        if passages or problem:
            yield _match(reference, candidate, sample, passages, problem, len(text))


def _settings(options: Options, query: verify.Prepared) -> verify.Settings:
    """Return what counts as a passage; a text too short to hold one is one as a whole."""
    usual, tokens = verify.Settings(), query.tokens
    return verify.Settings(
        seed_tokens=min(usual.seed_tokens, len(tokens)),
        min_chars=min(options.min_chars, int(tokens.stops[-1] - tokens.starts[0])),
        threshold=options.min_similarity,
    )


def _compared(
    store: Store, query: verify.Prepared, candidate: Candidate, reference: DocumentRef, settings: verify.Settings
) -> tuple[tuple[Passage, ...], str | None]:
    try:
        source = original_text(store, candidate.document, reference.paths)
    except (PmbfError, OSError) as error:
        return (), str(error)
    return verify.passages(query, verify.prepare(source), settings), None


def _match(
    reference: DocumentRef,
    candidate: Candidate,
    sample: QuerySample,
    passages: tuple[Passage, ...],
    problem: str | None,
    n_chars: int,
) -> Match:
    spans = [passage.query for passage in passages]
    covered = verify.union_length(spans)
    return Match(
        document=reference,
        containment=_share(candidate.n_hits, len(sample.hashes)),
        n_hits=candidate.n_hits,
        n_covered=covered,
        coverage=_share(covered, n_chars),
        longest=max(map(len, spans), default=0),
        passages=passages,
        problem=problem,
    )


def _resolved(matches: list[Match], options: Options, n_chars: int) -> tuple[Match, ...]:
    """Return the matches above the threshold, each passage knowing who else has it, best first."""
    kept = [match for match in matches if match.problem or match.coverage >= options.threshold]
    neighbours = verify.with_neighbours({match.document.id: match.passages for match in kept})
    kept = [replace(match, passages=neighbours[match.document.id]) for match in kept]
    return tuple(sorted(kept, key=lambda match: (-match.n_covered, -match.longest, match.document.path)))


def _query(name: str, sample: QuerySample, n_informative: int) -> Query:
    return Query(
        name=name,
        n_chars=sample.n_chars,
        n_tokens=sample.n_tokens,
        n_hashes=len(sample.hashes),
        n_mixed_tokens=sample.n_mixed,
        n_invisible=sample.n_invisible,
        n_stop_hashes=len(sample.hashes) - n_informative,
    )


def _share(part: int, whole: int) -> float:
    return part / whole if whole else 0.0
