"""A site answers: who may ask, how much, and which task is under way. One thread does the work, task after task."""

from __future__ import annotations

import asyncio
import secrets
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from pmbf.base.errors import PmbfError
from pmbf.sentences.by_keys import Candidates
from pmbf.serving.http.messages import HttpError, Request, Response, Route, Routes
from pmbf.sites import auditlog, private, protocol
from pmbf.sites.held import Held, LateError
from pmbf.sites.keying import NONCE_BYTES, Keys, fingerprints, task_key, top_bits
from pmbf.sites.private import PointsAnswer, PointsAsked, TagsAsked
from pmbf.sites.protocol import MOST_BODY_BYTES, N_KEYS, PADDED_UNITS, VERSION, Hello, KeysAsked, MalformedError
from pmbf.sites.registry import Level, Partner, Registry, opened
from pmbf.sites.sparing import Questions
from pmbf.sites.tagging import TagSet
from pmbf.sites.texts import TextsAsked

TASK_S = 300.0
"""Seconds that a challenge can be used, and that candidates wait for words."""
MOST_OPEN, MOST_WAITING = 16, 2
"""Tasks of a partner that are open, and requests of a partner that wait or are answered, at the same time."""
ASKS_A_MINUTE = 120
"""Requests of a partner in a minute."""
REFUSAL_EVERY_S = 60.0
"""A refused partner gets a line in the log at most so often: a flood must not fill the disk."""


@dataclass(slots=True)
class Task:
    """A task of a partner.

    Args:
        until: When it ends, by `time.monotonic`.
        epoch: The state that answers; empty until the fingerprints have come.
        asked: The fingerprints of the units, and the key of the task, until the words have come.
        found: The candidates, until the words have come.
    """

    partner: str
    until: float
    epoch: str = ""
    asked: tuple[Keys, Keys] | None = None
    found: Candidates | None = None


@dataclass(slots=True)
class Taken:
    """What a partner has taken: requests in this minute and units on this day."""

    n_waiting: int = 0
    minute: float = 0.0
    n_asks: int = 0
    day: str = ""
    n_units: int = 0
    told: float = float("-inf")
    open: dict[str, Task] = field(default_factory=dict)


class Answers:
    """The answers of a site. The registry is read anew before each: a changed level counts at once.

    `held` makes the collection, in the thread that answers.
    """

    def __init__(self, registry: Registry, held: Callable[[], Held]) -> None:
        self._folder = registry.folder
        self._thread = ThreadPoolExecutor(1, "pmbf-site")
        self._held = self._thread.submit(held).result()
        self._federation, self._secret = registry.federation_key(), registry.own_secret()
        self._questions = Questions(registry.folder)
        today = time.strftime("%Y-%m-%d", time.gmtime())
        asked = auditlog.units_today(registry.log_file)
        self._taken = {name: Taken(day=today, n_units=n) for name, n in asked.items()}

    @property
    def n_documents(self) -> int:
        return self._held.n_documents

    def routes(self) -> Routes:
        """Return the table of routes."""
        return {
            protocol.SITE: Route("GET", partial(self._handled, self._hello)),
            protocol.KEYS: Route("POST", partial(self._handled, self._keys), most_bytes=MOST_BODY_BYTES),
            protocol.TEXTS: Route("POST", partial(self._handled, self._texts), most_bytes=MOST_BODY_BYTES),
            private.POINTS: Route("POST", partial(self._handled, self._points), most_bytes=MOST_BODY_BYTES),
            private.TAGS: Route("POST", partial(self._handled, self._tags), most_bytes=MOST_BODY_BYTES),
        }

    def close(self) -> None:
        self._thread.shutdown()

    # ------------------------------------------------------------------ who may ask

    async def _handled(self, answer: Callable[[Asking, bytes], bytes], request: Request) -> Response:
        """Answer a request of a partner who may ask."""
        try:
            registry = opened(self._folder)
        except (PmbfError, OSError) as error:
            raise _unable() from error
        partner = registry.known_by(request.shown)
        if partner is None:
            raise HttpError(403, "this site does not know your certificate")
        level, taken = registry.level_of(partner), self._taken.setdefault(partner.name, Taken())
        asking = Asking(registry, partner, level, taken, time.monotonic())
        try:
            if level == "closed":
                raise HttpError(403, "this site does not answer you")
            self._require_few(asking)
            taken.n_waiting += 1
            try:
                body = await asyncio.get_running_loop().run_in_executor(self._thread, answer, asking, request.body)
            finally:
                taken.n_waiting -= 1
            return Response(200, body)
        except MalformedError as error:
            raise self._refused(asking, HttpError(400, f"the question is malformed: {error}")) from None
        except LateError:
            raise self._refused(asking, HttpError(504, "the deadline of the task has passed")) from None
        except HttpError as error:
            raise self._refused(asking, error) from None
        except (PmbfError, OSError) as error:
            self._refused(asking, HttpError(500, type(error).__name__))
            raise _unable() from error

    def _require_few(self, asking: Asking) -> None:
        taken, now = asking.taken, asking.arrived
        if now - taken.minute >= 60:
            taken.minute, taken.n_asks = now, 0
        taken.n_asks += 1
        if taken.n_asks > ASKS_A_MINUTE:
            raise HttpError(429, f"you may ask {ASKS_A_MINUTE} times a minute", Retry_After="60")
        if taken.n_waiting >= MOST_WAITING:
            raise HttpError(429, f"{MOST_WAITING} of your questions are being answered", Retry_After="1")

    def _refused(self, asking: Asking, error: HttpError) -> HttpError:
        """Write a refusal to the log, unless one was written just now."""
        if asking.arrived - asking.taken.told >= REFUSAL_EVERY_S:
            asking.taken.told = asking.arrived
            asking.note("refused", status=error.status, reason=str(error))
        return error

    # ------------------------------------------------------------------ answers, in the one thread

    def _hello(self, asking: Asking, body: bytes) -> bytes:
        held, tasks = self._held, asking.taken.open
        held.refresh()
        for challenge in [one for one, task in tasks.items() if task.until < time.monotonic()]:
            del tasks[challenge]
        while len(tasks) >= MOST_OPEN:
            del tasks[next(iter(tasks))]
        challenge = secrets.token_hex(NONCE_BYTES)
        tasks[challenge] = Task(asking.partner.name, time.monotonic() + TASK_S)
        return Hello(
            VERSION,
            protocol.parameters(),
            self._federation.id.hex(),
            held.epoch,
            asking.level,
            held.n_documents,
            held.key_bits,
            held.problems,
            challenge,
        ).encoded()

    def _keys(self, asking: Asking, body: bytes) -> bytes:
        message, asked = KeysAsked.decoded(body)
        if asking.level == "private":
            raise HttpError(403, "this site answers private questions alone; ask with --private")
        task = self._begun(asking, message, len(asked))
        certificates = asking.partner.card.fingerprint, asking.registry.own.fingerprint
        secret = task_key(self._federation, *certificates, *map(_bytes, (message.challenge, message.nonce)))
        found = self._held.candidates(asked, secret)
        if asking.level != "text":
            found = found.chosen(self._questions.allowed(asking.partner.name, self._held.places(found)))
        answer = self._held.by_keys(found, asking.level, texts=message.texts)
        answer = replace(answer, left_out=asking.level != "text" and self._questions.left_out(asking.partner.name))
        if message.texts and asking.level != "none":
            task.asked, task.found = (asked, secret), found
        asking.note(
            "fingerprints", task=message.challenge[:8], level=asking.level, n_units=_counted(len(asked)),
            holds=answer.holds, n_documents=len(answer.titles), epoch=message.epoch,
        )  # fmt: skip
        return answer.encoded()

    def _texts(self, asking: Asking, body: bytes) -> bytes:
        message = TextsAsked.read(body)
        if asking.level in ("none", "private"):
            raise HttpError(403, "this site does not compare words for you")
        task = self._task(asking, message.challenge)
        if task.found is None or task.asked is None:
            raise HttpError(409, "no words are expected for this task: none were announced, or they have come")
        found, (asked, secret), task.found = task.found, task.asked, None
        self._require_epoch(task.epoch)
        _require_asked(message, asked, secret, self._held.key_bits)
        self._count(asking, len(message.numbers))
        answer = self._held.by_texts(message, found, asking.level, task.until, self._secret)
        given = [one.text or "" for one in answer.documents] + [one.text or "" for one in answer.resembling]
        asking.note(
            "words", task=message.challenge[:8], level=asking.level, n_units=len(message.numbers),
            n_chars=len(message.text), n_documents=len(given), n_given=sum(map(len, given)),
        )  # fmt: skip
        return answer.encoded()

    def _points(self, asking: Asking, body: bytes) -> bytes:
        message, points = PointsAsked.decoded(body)
        tags, n_units = self._require_private(asking), -(-len(points) // N_KEYS)
        task = self._begun(asking, message, n_units)
        made = PointsAnswer(task.epoch, tags.id, tags.n_tags).encoded(b"".join(tags.multiplied(points)))
        asking.note(
            "private", task=message.challenge[:8], level=asking.level, n_keys=len(points), n_units=_counted(n_units),
            epoch=task.epoch,
        )  # fmt: skip
        return made

    def _tags(self, asking: Asking, body: bytes) -> bytes:
        message, tags = TagsAsked.read(body), self._require_private(asking)
        if message.tags != tags.id:
            raise HttpError(409, "the epoch has changed: the tags are no longer those that the task began with")
        return tags.page(message.page)

    def _require_private(self, asking: Asking) -> TagSet:
        """Return the tags, for a partner who may ask for them."""
        if asking.level == "none":
            raise HttpError(403, "this site does not answer private questions of yours")
        if not (tags := self._held.tags):
            raise HttpError(403, "this site answers no private questions; it was started without --private")
        return tags

    def _begun(self, asking: Asking, message: KeysAsked | PointsAsked, n_units: int) -> Task:
        """Return the task that a question begins."""
        task = self._task(asking, message.challenge)
        if task.epoch:
            raise HttpError(409, "this task was asked before; a task is asked once")
        task.epoch = message.epoch
        self._count(asking, _counted(n_units))
        self._require_epoch(message.epoch)
        if time.monotonic() - asking.arrived > message.seconds:
            raise LateError
        return task

    def _task(self, asking: Asking, challenge: str) -> Task:
        task = asking.taken.open.get(challenge)
        if task is None or task.until < time.monotonic():
            raise HttpError(409, "this task is unknown or has ended; ask the site for a new challenge")
        return task

    def _count(self, asking: Asking, n_units: int) -> None:
        """Count units of today; refuse more than a partner may ask for."""
        taken, today = asking.taken, time.strftime("%Y-%m-%d", time.gmtime())
        if taken.day != today:
            taken.day, taken.n_units = today, 0
        if taken.n_units + n_units > asking.partner.units_a_day:
            left = max(0, asking.partner.units_a_day - taken.n_units)
            raise HttpError(429, f"you may ask for {left:,} more units today, and the task has {n_units:,}")
        taken.n_units += n_units

    def _require_epoch(self, epoch: str) -> None:
        if epoch != self._held.epoch:
            raise HttpError(409, "the epoch has changed: the collection is not the one that the task began with")


@dataclass(frozen=True, slots=True)
class Asking:
    """A partner with a request: the registry as it is now, how much the partner is shown, what it has taken."""

    registry: Registry
    partner: Partner
    level: Level
    taken: Taken
    arrived: float

    def note(self, event: str, **values: Any) -> None:
        """Write a line to the log."""
        auditlog.write(self.registry.log_file, "site", self.partner.name, event, **values)


def _counted(n_units: int) -> int:
    """Return how many units a task counts as: askers fill tasks up, and a small task tells as much as a filled one."""
    return -(-n_units // PADDED_UNITS) * PADDED_UNITS


def _require_asked(message: TextsAsked, asked: Keys, task: Keys, key_bits: int) -> None:
    """Refuse words of which the keys were not asked for in the task."""
    if max(message.numbers, default=0) >= len(asked):
        raise MalformedError("a unit has a number that was not asked for")
    made = fingerprints(top_bits(message.keys(), key_bits), task)
    if (made != asked[list(message.numbers)]).any():
        raise MalformedError("its words are not those whose keys were asked for")


def _unable() -> HttpError:
    """Return the refusal of a site that has an error of its own. The error is not told: it may name a path."""
    return HttpError(500, "the site cannot answer now; ask its contact")


def _bytes(value: str) -> bytes:
    try:
        return bytes.fromhex(value)
    except ValueError:
        raise MalformedError("a challenge or nonce is not hexadecimal") from None
