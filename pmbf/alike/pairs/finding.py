"""Texts in, `NearDuplicates` out."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache, partial
from hashlib import sha256
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pmbf import verify
from pmbf.alike.pairs.bands import Background, Band, banded
from pmbf.alike.pairs.features import BY_WORDS, UNREAD, Featured, Features, featured
from pmbf.alike.pairs.linking import linked, ranks_of
from pmbf.alike.pairs.plans import Joined, Joining
from pmbf.alike.pairs.results import NearDuplicates
from pmbf.alike.pairs.texts import TextSource
from pmbf.alike.pairs.work import Work
from pmbf.jobs.threads import in_order
from pmbf.kernels import Lists, join_lists
from pmbf.report import Passage

PROVED_TOGETHER = 1 << 20
"""Pairs whose passages are found in one call have at most a million characters together, or are one pair."""
_PREPARED = 256
"""Texts that are kept prepared."""
_GONE = "its text is not stored, and its file is gone or has changed; load it again"


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is compared, and what is wanted of it.

    Args:
        features: What is made of a text.
        band: Which features count.
        background: The frequencies that a band needs.
        keep: Which text of a cluster is kept: `first`, `longest` or `newest`.
        proof: Whether the passages of each pair are wanted.
    """

    features: Features
    band: Band = field(default_factory=Band)
    background: Background | None = None
    keep: str = "first"
    proof: bool = False


def found_in(source: TextSource, how: Joining, wanted: Wanted, work: Work | None = None) -> NearDuplicates:
    """Return the near-duplicates among the texts of a source; `work` keeps finished parts.

    Raises:
        ParameterError: There is no background for a band, the plan `term` is too large, or `keep` is wrong.
        IncompleteError: A process died; finished parts are kept in `work`.
    """
    ranks = ranks_of(wanted.keep, source.lengths, source.times)
    made = placed(features_of(source, wanted.features, how, work), source.places)
    lists = banded(made.lists, wanted.band, wanted.background)
    links = linked(lists, ranks, how, work)
    return NearDuplicates(
        source.labels,
        links,
        threshold=how.threshold,
        features=wanted.features.kind,
        by_words=_numbers((made.languages == BY_WORDS) & (made.lists.sizes > 0)),
        proofs=list(proofs(links.joined, source, how)) if wanted.proof else None,
        problems=(*source.problems, *(f"{source.labels[one]}: {_GONE}" for one in _numbers(made.languages == UNREAD))),
        title=source.title,
    )


def background_of(source: TextSource, features: Features, how: Joining, work: Work | None = None) -> Background:
    """Return in how many texts of a source each feature is; texts not read, and paths of equal texts, do not count."""
    return Background.of(features_of(source, features, how, work).lists)


def features_of(source: TextSource, features: Features, how: Joining, work: Work | None = None) -> Featured:
    """Return the features of all texts of a source, in the order of its batches; `work` keeps them."""
    parts, done = list[Featured](), 0
    for part in in_order(_calls(source, features, work), how.jobs):
        how.advance("Making features", done, len(source.places))
        parts.append(part)
        done += len(part.lists)
    languages = np.concatenate([np.empty(0, np.int8), *(part.languages for part in parts)])
    return Featured(join_lists([part.lists for part in parts]), languages)


def placed(made: Featured, places: Sequence[int]) -> Featured:
    """Return the features of texts in another order; a text may be there several times."""
    if places == range(len(made.lists)):
        return made
    return Featured(Lists.of([made.lists[place] for place in places]), made.languages[list(places)])


def _calls(source: TextSource, features: Features, work: Work | None) -> Iterator[Callable[[], Featured]]:
    """Yield what makes the features of each batch. The texts are read here: a store is used by one thread."""
    for number, batch in enumerate(source.batches()):
        name, run = f"features-{number:06d}", sha256(f"{features.key()} {batch.key}".encode()).hexdigest()
        if work and (stored := work.read(name, run)) is not None:
            offsets = np.append(np.uint64(0), np.cumsum(stored["sizes"], dtype=np.uint64))
            made = Featured(Lists(offsets, stored["features"]), stored["languages"])
            yield lambda made=made: made  # type: ignore[misc]
            continue
        yield partial(_made, batch.texts(), features, partial(work.write, name, run) if work else None)


def _made(
    texts: Sequence[bytes | None], features: Features, write: Callable[[dict[str, NDArray[Any]]], None] | None
) -> Featured:
    made = featured([text or b"" for text in texts], features)
    made.languages[[text is None for text in texts]] = UNREAD
    if write:
        write({"sizes": made.lists.sizes, "features": made.lists.features, "languages": made.languages})
    return made


def _numbers(chosen: NDArray[np.bool_]) -> list[int]:
    return list(np.flatnonzero(chosen).tolist())


# ---------------------------------------------------------------------- proof


def proofs(found: Joined, source: TextSource, how: Joining) -> Iterator[tuple[Passage, ...]]:
    """Yield the passages that the texts of each pair share, in the order of the pairs, in characters of both."""
    settings = verify.Settings()

    @lru_cache(_PREPARED)
    def prepared(number: int) -> verify.Prepared:
        return verify.prepare(source.text(number))

    done = 0
    for some in _together(found, source.lengths):
        how.advance("Proving", done, len(found.first))
        pairs = [verify.TextPair(prepared(a), prepared(b), settings) for a, b in some]
        yield from verify.passages_each(pairs, None, beside=False)
        done += len(some)


def _together(found: Joined, lengths: Sequence[int]) -> Iterator[list[tuple[int, int]]]:
    """Yield the pairs in lists whose texts have `PROVED_TOGETHER` characters; those of a first text count it once."""
    some: list[tuple[int, int]] = []
    n_chars = 0
    for a, b in zip(found.first.tolist(), found.second.tolist(), strict=True):
        more = lengths[b] + (0 if some and some[-1][0] == a else lengths[a])
        if some and n_chars + more > PROVED_TOGETHER:
            yield some
            some, n_chars, more = [], 0, lengths[a] + lengths[b]
        some.append((a, b))
        n_chars += more
    if some:
        yield some
