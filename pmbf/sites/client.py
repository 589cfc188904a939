"""One site is asked: a connection, a deadline for all of it, and each answer checked before it is believed."""

from __future__ import annotations

import contextlib
import http.client
import random
import re
import secrets
import socket
import ssl
import time
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from pmbf.base.errors import PmbfError
from pmbf.sentences.beside import QueryUnits
from pmbf.serving.http.messages import JSON_TYPE
from pmbf.sites import auditlog, private, protocol
from pmbf.sites.keying import NONCE_BYTES, Keys, fingerprints, packed, random_ones, task_key, top_bits
from pmbf.sites.private import LEAST_PRIVATELY, MOST_KEYS, PointsAnswer, PointsAsked, PrivateQuestion, TagsAsked
from pmbf.sites.protocol import (
    LEAST_RANDOM,
    MOST_BODY_BYTES,
    MOST_UNITS,
    N_KEYS,
    PADDED_UNITS,
    VERSION,
    EpochError,
    Hello,
    KeysAnswer,
    KeysAsked,
    MalformedError,
    Refusal,
    RefusedError,
    SiteError,
)
from pmbf.sites.registry import LEVELS, Partner, Registry, parse_address
from pmbf.sites.tagging import kept_tags
from pmbf.sites.texts import SharedUnits, TextsAnswer
from pmbf.sites.tls import client_context, fingerprint_of

_CHALLENGE = re.compile(f"[0-9a-f]{{{2 * NONCE_BYTES}}}")
_EPOCH = re.compile(r"[0-9a-f]{16}-[0-9]{1,20}-[0-9]{1,20}")
_UNFINISHED = "it was not asked to the end"
_PIECE = 1 << 16
_RETRIES = 1
"""A site whose collection has changed since its hello is asked once more."""


@dataclass(slots=True)
class PartnerAnswer:
    """What a site told.

    Args:
        hello: What it said of itself, or None.
        n_units: Units whose fingerprints were sent.
        holds: Whether it has any; None if it did not say.
        claims: Without words: unit of the query, document.
        titles: The documents of the claims.
        left_out: Whether the site leaves out what it was asked about too often today.
        shared: The words that were sent, or None.
        texts: What the site found when it compared them, or None.
        n_keys, n_equal: Keys that were asked privately, and those of them that the site has.
        problem: Why the answer is missing, or None.
    """

    hello: Hello | None = None
    n_units: int = 0
    holds: bool | None = None
    claims: Sequence[tuple[int, int]] = ()
    titles: Sequence[str] = ()
    left_out: bool = False
    shared: SharedUnits | None = None
    texts: TextsAnswer | None = None
    n_keys: int = 0
    n_equal: int = 0
    problem: str | None = None


@dataclass(slots=True)
class Conversation:
    """What is asked of one site.

    Args:
        registry: Ours.
        partner: The site.
        asked: The query.
        numbers: The units of the query that are asked for.
        texts: Whether words may be sent.
        seconds: How long all of it may take.
        private: Whether not even the site may learn what is asked.
    """

    registry: Registry
    partner: Partner
    asked: QueryUnits
    numbers: Sequence[int]
    texts: bool
    seconds: float
    private: bool = False
    answer: PartnerAnswer = field(default_factory=lambda: PartnerAnswer(problem=_UNFINISHED))
    _until: float = 0.0
    _connection: http.client.HTTPConnection | None = None

    def run(self) -> None:
        """Ask; `answer` holds what the site told, or why it told nothing."""
        self._until = time.monotonic() + self.seconds
        try:
            self._asked_again()
            self.answer.problem = None
        except (PmbfError, OSError, http.client.HTTPException, RecursionError, ValueError) as error:
            told = PartnerAnswer(self.answer.hello, self.answer.n_units, problem=self._reason(error))
            told.shared = self.answer.shared
            self.answer = told
            with contextlib.suppress(SiteError):
                words = f"it refuses ({error.status})" if isinstance(error, RefusedError) else told.problem
                self._note("failed", problem=words)  # no words of the site: it may have ours
        finally:
            self.hang_up()

    def hang_up(self) -> None:
        """End the connection, also while another thread waits for an answer."""
        connection, self._connection = self._connection, None
        if connection and connection.sock:
            with contextlib.suppress(OSError):
                connection.sock.shutdown(socket.SHUT_RDWR)
            connection.close()

    def _asked_again(self) -> None:
        for attempt in range(_RETRIES + 1):
            self.answer = PartnerAnswer(problem=_UNFINISHED)
            try:
                self._ask()
                return
            except EpochError:
                if attempt == _RETRIES:
                    raise

    def _ask(self) -> None:
        hello = self._greeted()
        if not self.numbers:
            self.answer.holds = False
            return
        if self.private:
            self._ask_privately(hello)
            return
        order = self._filled_up()
        nonce = secrets.token_hex(NONCE_BYTES)
        mine, theirs = self.registry.own.fingerprint, self.partner.card.fingerprint
        key = task_key(self.registry.federation_key(), mine, theirs, *map(bytes.fromhex, (hello.challenge, nonce)))
        message = KeysAsked(hello.challenge, nonce, hello.epoch, len(order), self.texts, max(1, int(self._left())))
        sent = self._fingerprints(order, hello, key)
        self._note("fingerprints", task=hello.challenge[:8], n_units=len(order), epoch=hello.epoch)
        self.answer.n_units = len(self.numbers)
        told = KeysAnswer.decoded(self._exchanged("POST", protocol.KEYS, message.encoded(packed(sent))), len(order))
        self._require_epoch(told.epoch, hello)
        if any(order[unit] < 0 for unit in (*told.units, *(unit for unit, _ in told.claims))):
            raise MalformedError("it says that it has units of random numbers")
        if told.claims and not told.holds:
            raise MalformedError("it claims units, and says that it holds none")
        self.answer.holds, self.answer.titles, self.answer.left_out = told.holds, told.titles, told.left_out
        self.answer.claims = [(order[unit], document) for unit, document in told.claims]
        if self.texts and told.units:
            self._send_words(hello, order, told.units)

    def _greeted(self) -> Hello:
        """Return what the site says of itself, once it fits what we are.

        `SiteError`: it is of another version, or has other parameters or another key.
        """
        hello = Hello.decoded(self._exchanged("GET", protocol.SITE))
        if hello.version != VERSION:
            older = "it" if hello.version < VERSION else "this one"
            raise SiteError(
                f"it speaks version {hello.version} of the protocol, and this pmbf version {VERSION}; upgrade {older}"
            )
        self.answer.hello = hello
        if hello.parameters != protocol.parameters():
            raise SiteError("its parameters are others (units, keys or thresholds): it runs another version of pmbf")
        if hello.key != self.registry.federation_key().id.hex():
            raise SiteError("its federation key is another one")
        if hello.level not in LEVELS or not _EPOCH.fullmatch(hello.epoch):
            raise MalformedError("its hello has no such level, or no epoch")
        if hello.key_bits not in (32, 64) or not _CHALLENGE.fullmatch(hello.challenge):
            raise MalformedError("its hello says something impossible")
        return hello

    def _filled_up(self) -> list[int]:
        """Return the unit of the query at each place of the task, -1 for a random one.

        Units stay in the order of the text: those that overlap have equal fingerprints, which tell the order anyway.
        """
        n = len(self.numbers)
        if n > MOST_UNITS - LEAST_RANDOM:
            raise SiteError(f"the text has {n:,} units to ask for, and a task at most {MOST_UNITS - LEAST_RANDOM:,}")
        order, chance = list(self.numbers), random.SystemRandom()
        for _ in range(LEAST_RANDOM + -(n + LEAST_RANDOM) % PADDED_UNITS):
            order.insert(chance.randrange(len(order) + 1), -1)
        return order

    def _ask_privately(self, hello: Hello) -> None:
        """Ask which keys the site has, so that it does not learn them. Units with enough of them are claims."""
        question = PrivateQuestion(top_bits(self.asked.units.keys[self.numbers], hello.key_bits))
        n_keys = len(question.points)
        if n_keys > MOST_KEYS:
            raise SiteError(f"the text has {question.n_distinct:,} keys, and a private question at most {MOST_KEYS:,}")
        message = PointsAsked(hello.challenge, hello.epoch, n_keys, max(1, int(self._left())))
        self._note("private", task=hello.challenge[:8], n_keys=n_keys, epoch=hello.epoch)
        self.answer.n_units, self.answer.n_keys = len(self.numbers), question.n_distinct
        raw = self._exchanged("POST", private.POINTS, message.encoded(b"".join(question.points)))
        told, points = PointsAnswer.decoded(raw, n_keys)
        self._require_epoch(told.epoch, hello)
        self.answer.n_equal, n_of_unit = question.found(points, self._tags(told))
        equal = zip(self.numbers, n_of_unit, strict=True)
        self.answer.claims = [(unit, 0) for unit, n_equal in equal if n_equal >= LEAST_PRIVATELY]
        self.answer.titles = ["its documents"]
        self.answer.holds = bool(self.answer.claims)

    def _tags(self, told: PointsAnswer) -> Keys:
        """Return the tags of the site, which are kept in the registry until they change."""

        def page(number: int) -> bytes:
            return self._exchanged("POST", private.TAGS, TagsAsked(told.tags, number).encoded())

        return kept_tags(self.registry.folder / "tags" / self.partner.name, told.tags, told.n_tags, page)

    def _fingerprints(self, order: Sequence[int], hello: Hello, key: Keys) -> Keys:
        """Return the fingerprints in the order of the task.

        Random units have random fingerprints, not random keys: of 32 bits a large site has every thousandth key.
        """
        places = np.array(order)
        made = random_ones(len(order), N_KEYS)
        made[places >= 0] = fingerprints(top_bits(self.asked.units.keys[places[places >= 0]], hello.key_bits), key)
        return made

    def _send_words(self, hello: Hello, order: Sequence[int], units: Sequence[int]) -> None:
        """Send the words of the units that the site may have, and take what it found."""
        place = {order[unit]: unit for unit in units}
        shared = SharedUnits(self.asked, sorted(place))
        self._note("words", task=hello.challenge[:8], n_chars=shared.n_chars)
        self.answer.shared = shared
        message = shared.asking(hello.challenge, [place[number] for number in shared.numbers])
        told = TextsAnswer.decoded(self._exchanged("POST", protocol.TEXTS, message.encoded()), shared)
        self._require_epoch(told.epoch, hello)
        self.answer.texts, self.answer.holds = told, bool(told.documents or told.resembling)

    def _require_epoch(self, epoch: str, hello: Hello) -> None:
        if epoch != hello.epoch:
            raise EpochError("its epoch has changed within the task")

    # ------------------------------------------------------------------ the connection

    def _left(self) -> float:
        left = self._until - time.monotonic()
        if left <= 0:
            raise TimeoutError
        return left

    def _exchanged(self, method: str, path: str, body: bytes = b"") -> bytes:
        """Return the body of an answer.

        `SiteError`: the site refuses, its collection has changed (`EpochError`), or the answer is too long
        (`MalformedError`). `OSError`, `HTTPException`: there is no answer.
        """
        connection = self._connected()
        connection.request(method, path, body or None, {"Content-Type": JSON_TYPE})
        response = connection.getresponse()
        raw = self._read(connection, response)
        if response.status == 200:
            return raw
        try:
            reason = Refusal.read(raw).error
        except MalformedError:
            reason = ""
        if response.status == 409 and "epoch" in reason:
            raise EpochError("the epoch has changed within the task, it says")
        told = f"it refuses ({response.status})"
        raise RefusedError(f"{told}: {reason}" if reason else told, response.status)

    def _read(self, connection: http.client.HTTPConnection, response: http.client.HTTPResponse) -> bytes:
        raw = bytearray()
        while piece := response.read(_PIECE):
            raw += piece
            if len(raw) > MOST_BODY_BYTES:
                raise MalformedError(f"its answer is longer than {MOST_BODY_BYTES:,} bytes")
            if connection.sock:
                connection.sock.settimeout(self._left())
        return bytes(raw)

    def _connected(self) -> http.client.HTTPConnection:
        """Return the connection, whose other end has shown the certificate of the registry."""
        if self._connection and self._connection.sock:
            self._connection.sock.settimeout(self._left())
            return self._connection
        host, port = parse_address(self.partner.card.address)
        context = client_context(self.registry, self.partner.card)
        made = http.client.HTTPSConnection(host, port, timeout=self._left(), context=context)
        made.auto_open = 0  # a connection that is made behind our back would show no certificate to us
        self._connection = made
        made.connect()
        if not isinstance(made.sock, ssl.SSLSocket) or fingerprint_of(made.sock) != self.partner.card.fingerprint:
            raise SiteError("it shows another certificate than the registry has")
        return made

    def _reason(self, error: BaseException) -> str:
        """Return in words why a site did not answer."""
        if isinstance(error, TimeoutError) or time.monotonic() >= self._until:
            return f"it did not answer within {self.seconds:g} s"
        if isinstance(error, MalformedError):
            return f"it answers what cannot be: {error}"
        if isinstance(error, ssl.SSLCertVerificationError):
            return "it shows another certificate than the registry has"
        if isinstance(error, ssl.SSLError):
            return f"no secure connection: {error.reason or 'refused'}; it may not know our certificate"
        if isinstance(error, PmbfError):
            return str(error)
        if isinstance(error, ConnectionResetError | BrokenPipeError):  # and `RemoteDisconnected`
            return "it ended the connection; it may not know our certificate"
        if isinstance(error, OSError) and error.strerror:
            return f"it cannot be reached: {error.strerror}"
        return "it does not speak the protocol"

    def _note(self, event: str, **values: object) -> None:
        """Write a line to the log. What cannot be logged is not asked."""
        try:
            auditlog.write(self.registry.log_file, "asker", self.partner.name, event, **values)
        except OSError as error:
            raise SiteError(f"nothing is asked, since the log cannot be written: {error.strerror}") from None
