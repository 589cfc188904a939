"""What asker and site say to each other, version 2: JSON over HTTP over mutual TLS, every field checked by both sides.

    GET  /v1/site    ─► Hello          what the site is, and a challenge for one task
    POST /v1/keys    ─► KeysAnswer     a line of JSON (KeysAsked) and the fingerprints of units, random ones among them
    POST /v1/texts   ─► TextsAnswer    with consent alone: the words of the units that the site may have

The parameters of both sides are compared first. If they differ, then nothing is asked: an empty answer would be wrong.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Annotated, Any, Self

from pmbf import kernels
from pmbf.base.errors import PmbfError
from pmbf.kernels import CODES
from pmbf.report.as_json import made, plain
from pmbf.sentences import beside
from pmbf.sites.keying import Keys, unpacked

VERSION = 2
SITE, KEYS, TEXTS = "/v1/site", "/v1/keys", "/v1/texts"
CODE = "words"
"""Of the paper's code a key has 20 bits: a third of all keys of a large site would be equal by chance."""
N_KEYS = CODES[CODE]

MOST_UNITS = 16_384
"""Units of a task; a text of two million characters has some 16,000 sentences."""
PADDED_UNITS, LEAST_RANDOM = 32, 4
"""A task has a multiple of 32 units. The units that fill it up have random keys; 4 of them at least, so that a site
which claims all units is always told."""
LEAST_CLAIMED = 3
"""Equal keys of 10 from which on a site claims a unit whose words nobody has compared (docs/sites.md: how often
wrongly)."""
MOST_CLAIMS = 10
"""Documents that are named for a unit without its words."""
LEAST_SHARED = 2
"""Equal keys from which on a site below the level `text` asks for a unit's words: with one, any three words could be
tried, and what no key is equal to is not counted."""
MOST_BODY_BYTES = 16 << 20
MOST_TEXT_CHARS = 2_000_000
"""Characters of documents that a site gives in an answer, and of a query that it takes."""
MOST_TITLE_CHARS = 4096
SCALE = 10_000
"""Similarities are whole numbers, in ten thousandths."""

_PROBE = (
    "The sea comes in twice a day; nobody asks it why. Straße, İstanbul, naïve ½ — and ﬁsh. " * 4
    + "\n\n潮水一天来两次，没有人问它为什么。" * 9
    + "\n\nПрилив приходит дважды в день. ไม่มีใครถามว่าทำไม 밀물은 하루에 두 번 온다. " * 5
)


class MalformedError(PmbfError):
    """A message is not one of this protocol, or says something impossible."""


class SiteError(PmbfError):
    """A site did not answer, or not as it should; the message says what, without the name of the site."""


class RefusedError(SiteError):
    """The site refuses, in words of its own: the report has them, the log has the status in their place."""

    def __init__(self, told: str, status: int) -> None:
        super().__init__(told)
        self.status = status


class EpochError(SiteError):
    """The site's collection has changed since the task began."""


@cache
def parameters() -> str:
    """Return a digest of all that must be equal on both sides: units, keys, and when two units are alike.

    It is taken of what the kernels make of a text in several scripts. So it differs if a table or a rule differs.
    """
    digest = hashlib.sha256(b"pmbf-sites-2")
    for from_each in (False, True):
        units = kernels.units(_PROBE.encode(), code=CODE, from_each=from_each)
        digest.update(units.sentences.tobytes() + units.spans.tobytes() + units.keys.astype("<u8").tobytes())
    rules = (beside.LEAST_SIMILARITY, beside.LEAST_PART, beside.LEAST_SENTENCE, beside.LEAST_OF_SHORT)
    digest.update(repr((rules, LEAST_CLAIMED)).encode())
    return digest.hexdigest()[:32]


Place = Annotated[int, 1 << 31]
"""A number of a unit or a document, or a place in a text: each message has bounds of its own besides."""
Token = Annotated[str, 200]
"""Random bytes, an id or a state, in words that are short."""


def read_object(raw: bytes) -> dict[str, Any]:
    """Return an object in JSON; raise `MalformedError` for anything else."""
    try:
        values = json.loads(raw)
    except (ValueError, RecursionError):
        raise MalformedError("it is no JSON") from None
    if not isinstance(values, dict):
        raise MalformedError("it is no object")
    return values


def require_within(name: str, rows: Iterable[Sequence[int]], bounds: Sequence[int]) -> None:
    """Refuse rows of numbers of which one is above its bound. Raises `MalformedError`."""
    if any(number > bound for row in rows for number, bound in zip(row, bounds, strict=True)):
        raise MalformedError(f"a number of {name} is too large")


class Message:
    """A message in JSON: each field is of its type and within its bound, or the message is refused."""

    __slots__ = ()
    WHOLE = True

    def encoded(self, content: bytes | None = None) -> bytes:
        """Return the message; with bytes behind it, which stand behind a line end."""
        line = json.dumps(plain(self), ensure_ascii=False, separators=(",", ":")).encode()
        return line if content is None else line + b"\n" + content

    @classmethod
    def read(cls, raw: bytes) -> Self:
        """Return the message; raise `MalformedError` if it is none."""
        values = read_object(raw)
        try:
            found: Self = made(cls, values)
            return found
        except (TypeError, ValueError) as error:
            raise MalformedError(str(error)) from None


@dataclass(frozen=True, slots=True)
class Refusal(Message):
    """Why a site does not answer, in words of its own."""

    error: Annotated[str, 1000]


@dataclass(frozen=True, slots=True)
class Hello(Message):
    """What a site says of itself.

    Args:
        version: Of the protocol.
        parameters: As `parameters` returns them.
        key: Id of the federation key.
        epoch: The state of the site's sentences; another state has another epoch.
        level: How much it shows to this asker.
        n_documents: How many documents it has.
        key_bits: Bits of a key that it keeps, the top ones: 32 or 64.
        problems: Why its answers may miss documents.
        challenge: Random bytes for one task, hexadecimal.
    """

    version: Annotated[int, 1 << 30]
    parameters: Token
    key: Token
    epoch: Token
    level: Token
    n_documents: Annotated[int, 1 << 40]
    key_bits: Annotated[int, 64]
    problems: Annotated[tuple[Annotated[str, 2000], ...], 20]
    challenge: Annotated[str, 64]

    @classmethod
    def decoded(cls, raw: bytes) -> Hello:
        """Return the message; of another version only the version is read."""
        version = read_object(raw).get("version")
        if type(version) is int and version != VERSION and 0 <= version <= 1 << 30:
            return cls(version, "", "", "", "", 0, 0, (), "")
        return cls.read(raw)


@dataclass(frozen=True, slots=True)
class KeysAsked(Message):
    """The line before the fingerprints.

    Args:
        challenge, nonce: Random bytes of the site and of the asker, hexadecimal.
        epoch: That of the site's `Hello`.
        n_units: Units of the task, 1 to `MOST_UNITS`.
        texts: Whether the asker will send the words of units that the site may have.
        seconds: How long the asker waits.
    """

    challenge: Token
    nonce: Token
    epoch: Token
    n_units: Annotated[int, MOST_UNITS]
    texts: bool
    seconds: Annotated[int, 1 << 20]

    @classmethod
    def decoded(cls, raw: bytes) -> tuple[KeysAsked, Keys]:
        """Return the line and the fingerprints of the units."""
        line, _, rest = raw.partition(b"\n")
        asked = cls.read(line)
        fingerprints = unpacked(rest, asked.n_units, N_KEYS)
        if fingerprints is None or not asked.n_units:
            raise MalformedError(f"{len(rest)} bytes are no fingerprints of {asked.n_units} units")
        return asked, fingerprints


@dataclass(frozen=True, slots=True)
class KeysAnswer(Message):
    """What a site knows by keys alone.

    Args:
        epoch: The state that answered.
        holds: Whether any unit has `LEAST_CLAIMED` equal keys or more.
        units: If words will be sent: the units that the site may have, ascending.
        claims: Otherwise: unit and document (from 0); how many keys are equal is not told.
        titles: The documents, by number; empty texts below the level `title`.
        left_out: Whether the asker has asked too often today about something that the site has.
    """

    epoch: Token
    holds: bool
    units: Annotated[tuple[Place, ...], MOST_UNITS] = ()
    claims: Annotated[tuple[tuple[Place, Place], ...], MOST_CLAIMS * MOST_UNITS] = ()
    titles: Annotated[tuple[Annotated[str, MOST_TITLE_CHARS], ...], MOST_CLAIMS * MOST_UNITS] = ()
    left_out: bool = False

    @classmethod
    def decoded(cls, raw: bytes, n_units: int) -> KeysAnswer:
        """Return the message about a task of `n_units` units."""
        told = cls.read(raw)
        require_within("claims", told.claims, (n_units - 1, len(told.titles) - 1))
        require_within("units", [told.units], [n_units - 1] * len(told.units))
        if any(len(set(some)) < len(some) for some in (told.claims, told.units)):
            raise MalformedError("a unit is claimed that cannot be")
        if max(len(told.claims), len(told.titles)) > MOST_CLAIMS * n_units:
            raise MalformedError(f"it claims more than {MOST_CLAIMS} documents a unit")
        return told
