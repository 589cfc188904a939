"""Screenings that wait, run and are done. A table in memory, no broker: what runs when the service ends is lost.

A job is known for an hour after its end. Its evidence page holds the text, so the page is forgotten with the job.
"""

from __future__ import annotations

import asyncio
import hashlib
import secrets
import sqlite3
import sys
import time
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from pmbf.base.errors import PmbfError
from pmbf.report import Report
from pmbf.serving.http.messages import HttpError
from pmbf.serving.service.pool import Pool
from pmbf.serving.web.forms import Spooled
from pmbf.serving.web.history import History
from pmbf.serving.web.tokens import Token

MOST_WAITING = 256
MOST_OF_A_USER = 64
KEPT_S = 3600.0
SILENT_S = 15.0
NOT_KEPT = "the history cannot be read or written"
MOST_PAGES_BYTES = 256 << 20
"""Bytes of evidence pages and their texts in memory; beyond, the oldest pages are forgotten."""


@dataclass(slots=True, eq=False)
class Job:
    """One screening on its way.

    Args:
        by: The token that asked.
        name: Name of the text.
        asked: Its options, as the history names them.
        id: 16 hexadecimal digits, drawn by chance.
        state: `waiting`, `working`, `done` or `failed`.
        reason: Why it failed.
        screening: Its entry in the history once it is done.
        page, text: Its evidence page, as HTML, and its text, once it is done, until they are forgotten.
        until: When they are forgotten, in seconds since 1970.
        changes: Number of changes of state so far.
    """

    by: Token
    name: str
    asked: str = ""
    id: str = field(default_factory=lambda: secrets.token_hex(8))
    state: str = "waiting"
    reason: str = ""
    screening: str = ""
    page: str = ""
    text: str = ""
    until: float = 0.0
    changes: int = 0
    _changed: asyncio.Event = field(default_factory=asyncio.Event)

    def to_dict(self) -> dict[str, Any]:
        """Return what its asker may know, JSON-ready."""
        names = ("id", "name", "state", "reason", "screening", "changes")
        return {name: getattr(self, name) for name in names}

    @property
    def is_over(self) -> bool:
        return self.state in ("done", "failed")

    def turn(self, state: str, reason: str = "") -> None:
        """Go over to another state, and tell those who wait."""
        self.state, self.reason, self.changes = state, reason, self.changes + 1
        self._changed.set()
        self._changed = asyncio.Event()

    async def states(self, after: int = -1) -> AsyncIterator[dict[str, Any] | None]:
        """Yield its values now and after each change, until it is over; None after each 15 s without a change.

        `after` is the last number of changes that the asker knows.
        """
        while True:
            waiting = self._changed
            if self.changes > after:
                after = self.changes
                yield self.to_dict()
            if self.is_over:
                return
            try:
                await asyncio.wait_for(waiting.wait(), SILENT_S)
            except TimeoutError:
                yield None


class Jobs:
    """All jobs of the application.

    A screening whose answer takes longer than `answer_s` is given up, with its process.
    """

    def __init__(self, pool: Pool, history: History, *, answer_s: float) -> None:
        self._pool, self._history, self._answer_s = pool, history, answer_s
        self._jobs: dict[str, Job] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._places = asyncio.Semaphore(pool.n_workers)

    def submit(
        self,
        body: Spooled,
        *,
        by: Token,
        name: str,
        options: Mapping[str, Any],
        asked: str = "",
        keeps_text: bool = False,
    ) -> Job:
        """Take a text to be screened; its bytes are read and closed later. `HttpError`: too many wait.

        Args:
            body: The bytes of its file.
            by: The token that asks.
            name: Name of the text; its ending tells the format.
            options: Fields of `pmbf.screen.Options`, and `sentences`: whether it is screened sentence by sentence.
            asked: The options as the history names them: `Screening.options`.
            keeps_text: Whether the history keeps the text, too.
        """
        waiting = [one for one in self._jobs.values() if not one.is_over]
        if len(waiting) >= MOST_WAITING or sum(one.by.id == by.id for one in waiting) >= MOST_OF_A_USER:
            body.close()
            raise HttpError(503, f"{len(waiting)} texts wait already; ask again later", Retry_After="5")
        job = Job(by, name, asked)
        self._jobs[job.id] = job
        task = asyncio.create_task(self._run(job, body, dict(options), keeps_text=keeps_text))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return job

    def job(self, number: str, *, user: str | None) -> Job:
        """Return a job of the token of an id (None: of any). Raises `HttpError` if there is none."""
        job = self._jobs.get(number)
        if job is None or user not in (None, job.by.id):
            raise HttpError(404, f"there is no job {number!r}, or no longer")
        return job

    def of(self, screening: str) -> Job | None:
        """Return the job of a screening whose page is not forgotten; None if there is none."""
        return next((one for one in self._jobs.values() if one.screening == screening and one.page), None)

    def page_of(self, screening: str) -> str:
        """Return the evidence page of a screening; empty if it is forgotten."""
        job = self.of(screening)
        return job.page if job else ""

    def forget(self, screening: str) -> None:
        """Forget a screening's job and page at once."""
        for number in [number for number, one in self._jobs.items() if one.screening == screening]:
            del self._jobs[number]

    async def close(self) -> None:
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _run(self, job: Job, body: Spooled, options: dict[str, Any], *, keeps_text: bool) -> None:
        ask = "sentences" if options.pop("sentences", False) else "screen"
        header = {"ask": ask, "name": job.name, "options": options}
        try:
            async with self._places:  # a text that waits is not read into memory
                job.turn("working")
                content = await asyncio.to_thread(body.read)
                async with asyncio.timeout(self._answer_s):
                    found = await self._pool.ask(header, [content])
            if "error" in found:
                job.turn("failed", found["reason"])
                return
            text = found["text"] if keeps_text else None
            sha256 = hashlib.sha256(content).hexdigest()
            report, sentences = Report.from_json(found["report"]), found.get("sentences")
            kept = self._history.keep(
                report, by=job.by, sha256=sha256, options=job.asked, text=text, sentences=sentences
            )
            job.screening, job.page, job.text = kept.id, found["page"], found["text"]
            job.turn("done")
        except TimeoutError:
            job.turn("failed", f"the screening took longer than {self._answer_s:g} s")
        except (PmbfError, OSError) as error:
            job.turn("failed", str(error))
        except sqlite3.Error as error:
            job.turn("failed", f"{NOT_KEPT}: {error}")
        except asyncio.CancelledError:
            job.turn("failed", "the service ended")
            raise
        finally:
            body.close()
            if not job.is_over:
                job.turn("failed", "an error of the service, told on its standard error")
            job.until = time.time() + KEPT_S
            asyncio.get_running_loop().call_later(KEPT_S, self._jobs.pop, job.id, None)
            self._forget_pages()

    def _forget_pages(self) -> None:
        """Forget the oldest pages if all together are too large."""
        n_bytes = 0
        for one in reversed(self._jobs.values()):
            n_bytes += sys.getsizeof(one.page) + sys.getsizeof(one.text)
            if n_bytes > MOST_PAGES_BYTES:
                one.page = one.text = ""
