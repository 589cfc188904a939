"""A private question: which of its keys has a site? The site learns how many were asked, to within 320.

    POST /v1/points  ─► PointsAnswer   a line of JSON (PointsAsked) and blinded points, random ones among them
    POST /v1/tags    ─► bytes          a page of the site's tags (TagsAsked), unless the asker has them

The points come back multiplied by the site's secret. The asker takes its own secret out, makes tags, and looks for them
among those of the site.
"""

from __future__ import annotations

import random
import secrets
from dataclasses import dataclass, field
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from pmbf.base.arrays import among
from pmbf.sites.keying import Keys
from pmbf.sites.protocol import LEAST_RANDOM, MOST_UNITS, N_KEYS, PADDED_UNITS, MalformedError, Message, Token
from pmbf.sites.tagging import MOST_TAGS, PAGE_TAGS, POINT_BYTES, inverse, multiplied, points_of, random_secret, tags_of

POINTS, TAGS = "/v1/points", "/v1/tags"
MOST_KEYS, PADDED_KEYS, LEAST_RANDOM_KEYS = (N_KEYS * n for n in (MOST_UNITS, PADDED_UNITS, LEAST_RANDOM))
"""Keys of a question; a multiple of 320, 40 of them random: as units of other questions."""
LEAST_PRIVATELY = 4
"""Equal keys of 10 from which on a unit is claimed. They may stand anywhere in the site, so chance finds more of them
than in one unit. Of 2 to 8, 4 has the best mean of precision and recall: docs/sites-figures.md."""


@dataclass(frozen=True, slots=True)
class PointsAsked(Message):
    """The line before the points of an asker: the challenge and epoch of the site, and how long the asker waits."""

    challenge: Token
    epoch: Token
    n_keys: Annotated[int, MOST_KEYS]
    seconds: Annotated[int, 1 << 20]

    @classmethod
    def decoded(cls, raw: bytes) -> tuple[PointsAsked, list[bytes]]:
        """Return the line and the points."""
        line, _, rest = raw.partition(b"\n")
        asked = cls.read(line)
        if not asked.n_keys:
            raise MalformedError("it has no point")
        return asked, _points(rest, asked.n_keys)


@dataclass(frozen=True, slots=True)
class PointsAnswer(Message):
    """The line before the points of a site: the tags to be looked through, by their id, and their number."""

    epoch: Token
    tags: Annotated[str, 64]
    n_tags: Annotated[int, MOST_TAGS]

    @classmethod
    def decoded(cls, raw: bytes, n_keys: int) -> tuple[PointsAnswer, list[bytes]]:
        """Return the line and the points, in answer to as many."""
        line, _, rest = raw.partition(b"\n")
        return cls.read(line), _points(rest, n_keys)


@dataclass(frozen=True, slots=True)
class TagsAsked(Message):
    """A question for a page of tags, from 0, by their id."""

    tags: Annotated[str, 64]
    page: Annotated[int, MOST_TAGS // PAGE_TAGS]


def _points(raw: bytes, n: int) -> list[bytes]:
    if len(raw) != n * POINT_BYTES:
        raise MalformedError(f"{len(raw):,} bytes are not {n:,} points")
    return [raw[first : first + POINT_BYTES] for first in range(0, len(raw), POINT_BYTES)]


@dataclass(slots=True)
class PrivateQuestion:
    """The keys of a query as points, in random order, under a secret that is used once.

    Args:
        keys: `(n_units, n_keys) uint64`, as the site keeps them.
        n_distinct: Keys that are asked for.
        points: What is sent; needs the extra `psi` (`UnsupportedError`).
    """

    keys: Keys
    n_distinct: int = field(init=False)
    points: list[bytes] = field(init=False)
    _secret: bytes = field(init=False, repr=False)
    _order: NDArray[np.int64] = field(init=False, repr=False)
    _places: NDArray[np.int64] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        distinct, places = np.unique(self.keys, return_inverse=True)
        n = self.n_distinct = len(distinct)
        n_random = LEAST_RANDOM_KEYS + -(n + LEAST_RANDOM_KEYS) % PADDED_KEYS
        drawn = np.frombuffer(secrets.token_bytes(8 * n_random), "<u8").astype(np.uint64)
        order = [*range(n + n_random)]
        random.SystemRandom().shuffle(order)  # in ascending order each place would tell the beginning of its key
        self._order, self._places = np.array(order), places.reshape(self.keys.shape)
        self._secret = random_secret()
        self.points = points_of(np.concatenate([distinct, drawn])[self._order], self._secret)

    def found(self, answered: list[bytes], tags: Keys) -> tuple[int, list[int]]:
        """Return how many of the keys the site has, and how many of each unit.

        The points come back multiplied by the site's secret; `tags` are all of the site. `MalformedError`: something is
        no point, or random keys are said to be there.
        """
        has = np.empty(len(self._order), np.bool_)
        has[self._order] = among(tags_of(multiplied(answered, inverse(self._secret))), tags)
        if has[self.n_distinct :].any():
            raise MalformedError("it says that it has random keys")
        return int(has.sum()), has[self._places].sum(axis=1).tolist()
