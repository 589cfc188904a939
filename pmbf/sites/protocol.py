"""What asker and site say to each other, version 2: JSON over HTTP over mutual TLS, every field checked by both sides.

    GET  /v1/site    ─► Hello          what the site is, and a challenge for one task
    POST /v1/keys    ─► KeysAnswer     a line of JSON (KeysAsked) and the fingerprints of units, random ones among them
    POST /v1/texts   ─► TextsAnswer    with consent alone: the words of the units that the site may have

The parameters of both sides are compared first. If they differ, then nothing is asked: an empty answer would be wrong.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import cache
from typing import Any

from pmbf import kernels
from pmbf.base.errors import PmbfError
from pmbf.kernels import CODES
from pmbf.sentences import verdict
from pmbf.sites.keying import Keys, packed, unpacked

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
    """The site refuses, in words of its own.

    Args:
        told: What is said in the report.
        status: Of the response; the log has it in place of the site's words.
    """

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
    made = hashlib.sha256(b"pmbf-sites-2")
    for from_each in (False, True):
        units = kernels.units(_PROBE.encode(), code=CODE, from_each=from_each)
        made.update(units.sentences.tobytes() + units.spans.tobytes() + units.keys.astype("<u8").tobytes())
    rules = (verdict.LEAST_SIMILARITY, verdict.LEAST_PART, verdict.LEAST_SENTENCE, verdict.LEAST_OF_SHORT)
    made.update(repr((rules, LEAST_CLAIMED)).encode())
    return made.hexdigest()[:32]


class Fields:
    """The fields of a message, each checked when it is taken.

    Args:
        raw: JSON.

    Raises:
        MalformedError: It is no object in JSON.
    """

    def __init__(self, raw: bytes) -> None:
        try:
            values = json.loads(raw)
        except (ValueError, RecursionError):
            raise MalformedError("it is no JSON") from None
        if not isinstance(values, dict):
            raise MalformedError("it is no object")
        self._values: dict[str, Any] = values

    @classmethod
    def of(cls, value: object) -> Fields:
        """Return the fields of an object within a message."""
        if not isinstance(value, dict):
            raise MalformedError("a part of it is no object")
        made = cls(b"{}")
        made._values = value
        return made

    def number(self, name: str, most: int) -> int:
        """Return a whole number from 0 to `most`."""
        return whole(self._values.get(name), most, name)

    def flag(self, name: str) -> bool:
        """Return whether a flag is set."""
        value = self._values.get(name)
        if not isinstance(value, bool):
            raise MalformedError(f"{name} is no flag")
        return value

    def text(self, name: str, most: int) -> str:
        """Return a text of up to `most` characters."""
        return words(self._values.get(name), most, name)

    def optional(self, name: str) -> Any:
        """Return a field as it is; None if there is none."""
        return self._values.get(name)

    def items(self, name: str, most: int) -> list[Any]:
        """Return a list of up to `most` items."""
        value = self._values.get(name)
        if not isinstance(value, list) or len(value) > most:
            raise MalformedError(f"{name} is no list of up to {most:,} items")
        return value

    def rows(self, name: str, most: int, bounds: Sequence[int]) -> list[list[int]]:
        """Return a list of rows of whole numbers, each from 0 to its bound."""
        return [row(one, bounds, name) for one in self.items(name, most)]


def whole(value: Any, most: int, name: str) -> int:
    """Return a whole number from 0 to `most`; raise `MalformedError` for anything else."""
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value <= most:
        raise MalformedError(f"{name} is no whole number up to {most:,}")
    return value


def words(value: Any, most: int, name: str) -> str:
    """Return a text that can be encoded; raise `MalformedError` for anything else."""
    if not isinstance(value, str) or len(value) > most:
        raise MalformedError(f"{name} is no text of up to {most:,} characters")
    try:
        value.encode()
    except UnicodeEncodeError:
        raise MalformedError(f"{name} has half a character") from None
    return value


def row(value: Any, bounds: Sequence[int], name: str) -> list[int]:
    """Return a row of whole numbers, each from 0 to its bound; raise `MalformedError` for anything else."""
    if not isinstance(value, list) or len(value) != len(bounds):
        raise MalformedError(f"a row of {name} has not {len(bounds)} numbers")
    return [whole(one, bound, name) for one, bound in zip(value, bounds, strict=True)]


@dataclass(frozen=True, slots=True)
class Hello:
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

    version: int
    parameters: str
    key: str
    epoch: str
    level: str
    n_documents: int
    key_bits: int
    problems: tuple[str, ...]
    challenge: str

    def encoded(self) -> bytes:
        """Return the message."""
        return json.dumps(asdict(self)).encode()

    @classmethod
    def decoded(cls, raw: bytes) -> Hello:
        """Return the message; of another version only the version is read."""
        fields = Fields(raw)
        version = fields.number("version", 1 << 30)
        if version != VERSION:
            return cls(version, "", "", "", "", 0, 0, (), "")
        problems = tuple(words(one, 2000, "problems") for one in fields.items("problems", 20))
        return cls(
            version,
            fields.text("parameters", 200),
            fields.text("key", 200),
            fields.text("epoch", 200),
            fields.text("level", 200),
            fields.number("n_documents", 1 << 40),
            fields.number("key_bits", 64),
            problems,
            fields.text("challenge", 64),
        )


@dataclass(frozen=True, slots=True)
class KeysAsked:
    """The line before the fingerprints.

    Args:
        challenge, nonce: Random bytes of the site and of the asker, hexadecimal.
        epoch: That of the site's `Hello`.
        n_units: Units of the task, 1 to `MOST_UNITS`.
        texts: Whether the asker will send the words of units that the site may have.
        seconds: How long the asker waits.
    """

    challenge: str
    nonce: str
    epoch: str
    n_units: int
    texts: bool
    seconds: int

    def encoded(self, fingerprints: Keys) -> bytes:
        """Return the message."""
        return json.dumps(asdict(self)).encode() + b"\n" + packed(fingerprints)

    @classmethod
    def decoded(cls, raw: bytes) -> tuple[KeysAsked, Keys]:
        """Return the line and the fingerprints of the units."""
        line, _, rest = raw.partition(b"\n")
        fields = Fields(line)
        n_units = fields.number("n_units", MOST_UNITS)
        fingerprints = unpacked(rest, n_units, N_KEYS)
        if fingerprints is None or not n_units:
            raise MalformedError(f"{len(rest)} bytes are no fingerprints of {n_units} units")
        challenge, nonce, epoch = (fields.text(name, 200) for name in ("challenge", "nonce", "epoch"))
        texts, seconds = fields.flag("texts"), fields.number("seconds", 1 << 20)
        return cls(challenge, nonce, epoch, n_units, texts, seconds), fingerprints


@dataclass(frozen=True, slots=True)
class KeysAnswer:
    """What a site knows by keys alone.

    Args:
        epoch: The state that answered.
        holds: Whether any unit has `LEAST_CLAIMED` equal keys or more.
        units: If words will be sent: the units that the site may have, ascending.
        claims: Otherwise: unit and document (from 0); how many keys are equal is not told.
        titles: The documents, by number; empty texts below the level `title`.
        left_out: Whether the asker has asked too often today about something that the site has.
    """

    epoch: str
    holds: bool
    units: tuple[int, ...] = ()
    claims: tuple[tuple[int, int], ...] = ()
    titles: tuple[str, ...] = ()
    left_out: bool = False

    def encoded(self) -> bytes:
        """Return the message."""
        return json.dumps(asdict(self), ensure_ascii=False, separators=(",", ":")).encode()

    @classmethod
    def decoded(cls, raw: bytes, n_units: int) -> KeysAnswer:
        """Return the message about a task of `n_units` units."""
        fields = Fields(raw)
        units = tuple(whole(one, n_units - 1, "units") for one in fields.items("units", n_units))
        titles = tuple(words(one, MOST_TITLE_CHARS, "titles") for one in fields.items("titles", MOST_CLAIMS * n_units))
        bounds = (n_units - 1, len(titles) - 1)
        claims = tuple((unit, document) for unit, document in fields.rows("claims", MOST_CLAIMS * n_units, bounds))
        if len(set(claims)) < len(claims) or len(set(units)) < len(units):
            raise MalformedError("a unit is claimed that cannot be")
        return cls(fields.text("epoch", 200), fields.flag("holds"), units, claims, titles, fields.flag("left_out"))
