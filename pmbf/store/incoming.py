"""Documents about to be stored: one, as a reader returns it, and many, as columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pmbf.base.arrays import spans
from pmbf.fingerprint import Fingerprint
from pmbf.kernels import Samples
from pmbf.store.catalog_tables import made_from

Numbers = NDArray[np.int64]

Contents = tuple[str, str]
"""The SHA-256 of a document, and what `made_from` returns for its kind. One document alone has both."""


class NewDocument(NamedTuple):
    """A document about to be stored.

    Args:
        kind: Of file.
        sha256: Of the bytes it came from, hexadecimal.
        utf8: The original text.
        taken: The text's fingerprint.
        problems: What was not read of the file, one per line.
    """

    kind: str
    sha256: str
    utf8: bytes
    taken: Fingerprint
    problems: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class NewDocuments:
    """Documents about to be stored, as columns.

    Args:
        kinds: Of file, of each.
        sha256: Of the bytes that each came from, hexadecimal.
        content: Bytes in which the original texts lie, in UTF-8.
        starts, stops: `(n,) int64`, where each text begins and ends in them.
        samples: The fingerprint of each.
        problems: What was not read of a file, one per line, by the document's place here. Those read whole are left
            out.
    """

    kinds: Sequence[str]
    sha256: Sequence[str]
    content: bytes
    starts: Numbers
    stops: Numbers
    samples: Samples
    problems: Mapping[int, str] = field(default_factory=dict)

    @classmethod
    def of(cls, documents: Sequence[NewDocument]) -> NewDocuments:
        """Return some documents as columns."""
        stops = np.cumsum([0, *(len(one.utf8) for one in documents)], dtype=np.int64)
        return cls(
            [one.kind for one in documents],
            [one.sha256 for one in documents],
            b"".join(one.utf8 for one in documents),
            stops[:-1],
            stops[1:],
            _samples_of([one.taken for one in documents]),
            {at: one.problems for at, one in enumerate(documents) if one.problems},
        )

    def __len__(self) -> int:
        return len(self.sha256)

    @property
    def contents(self) -> list[Contents]:
        """What each is known by."""
        return list(zip(self.sha256, map(made_from, self.kinds), strict=True))

    @property
    def n_bytes(self) -> Numbers:
        """Bytes of each text, `(n,) int64`."""
        return self.stops - self.starts

    def some(self, places: Sequence[int]) -> NewDocuments:
        """Return the documents at some places, in their order there."""
        if list(places) == list(range(len(self))):
            return self
        at = np.array(places, np.int64)
        return NewDocuments(
            [self.kinds[place] for place in places],
            [self.sha256[place] for place in places],
            self.content,
            self.starts[at],
            self.stops[at],
            some_samples(self.samples, at),
            {now: self.problems[place] for now, place in enumerate(places) if place in self.problems},
        )

    def followed_by(self, others: NewDocuments) -> NewDocuments:
        """Return these documents and then others."""
        n, n_bytes = len(self), len(self.content)
        return NewDocuments(
            [*self.kinds, *others.kinds],
            [*self.sha256, *others.sha256],
            self.content + others.content,
            np.concatenate([self.starts, others.starts + n_bytes]),
            np.concatenate([self.stops, others.stops + n_bytes]),
            joined_samples([self.samples, others.samples]),
            {**self.problems, **{n + at: problems for at, problems in others.problems.items()}},
        )


def first_of_each(contents: Sequence[Contents], known: Sequence[int | None]) -> list[int]:
    """Return the places of those contents that nobody knows, of equal ones the first place.

    >>> first_of_each([("a", ""), ("b", ""), ("a", ""), ("c", "")], [None, 7, None, None])
    [0, 3]
    """
    firsts: dict[Contents, int] = {}
    for at, one in enumerate(contents):
        if known[at] is None:
            firsts.setdefault(one, at)
    return list(firsts.values())


def some_samples(samples: Samples, places: Numbers) -> Samples:
    """Return the samples of the texts at some places, in their order there."""
    n_parts = np.diff(samples.firsts)[places]
    parts = spans(samples.firsts[places], n_parts)
    counts = np.diff(samples.bounds)[parts]
    return Samples(
        bounds=_from_0(counts),
        firsts=_from_0(n_parts),
        n_chars=samples.n_chars[places],
        n_tokens=samples.n_tokens[places],
        word_bounds=_from_0(n_words := np.diff(samples.word_bounds)[places]),
        hashes=samples.hashes[spans(samples.bounds[parts], counts)],
        words=samples.words[spans(samples.word_bounds[places], n_words)],
    )


def joined_samples(some: Sequence[Samples]) -> Samples:
    """Return the samples of at least one, end to end."""
    if len(some) == 1:
        return some[0]
    return Samples(
        bounds=_from_0(np.concatenate([np.diff(one.bounds) for one in some])),
        firsts=_from_0(np.concatenate([np.diff(one.firsts) for one in some])),
        n_chars=np.concatenate([one.n_chars for one in some]),
        n_tokens=np.concatenate([one.n_tokens for one in some]),
        word_bounds=_from_0(np.concatenate([np.diff(one.word_bounds) for one in some])),
        hashes=np.concatenate([one.hashes for one in some]),
        words=np.concatenate([one.words for one in some]),
    )


def _samples_of(taken: Sequence[Fingerprint]) -> Samples:
    sizes = [np.diff(one.bounds.astype(np.int64)) for one in taken]
    return Samples(
        bounds=_from_0(np.concatenate([np.zeros(0, np.int64), *sizes])),
        firsts=_from_0(np.array([len(one) for one in sizes], np.int64)),
        n_chars=np.array([one.n_chars for one in taken], np.int64),
        n_tokens=np.array([one.n_tokens for one in taken], np.int64),
        word_bounds=_from_0(np.array([len(one.words) for one in taken], np.int64)),
        hashes=np.concatenate([np.empty(0, np.uint32), *(one.hashes for one in taken)]),
        words=np.frombuffer(b"".join(one.words for one in taken), np.uint8),
    )


def _from_0(counts: Numbers) -> Numbers:
    """Return where each of some spans begins, the first at 0, and where the last one ends."""
    ends = np.zeros(len(counts) + 1, np.int64)
    np.cumsum(counts, out=ends[1:])
    return ends
