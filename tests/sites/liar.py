"""A site that lies: the real server with one part in the way of the truth. `python -m tests.sites.liar LIE …`"""

from __future__ import annotations

import asyncio
import secrets
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from pmbf.serving.http.connections import Connection, Connections
from pmbf.serving.http.messages import HttpError, Response
from pmbf.sites import answering, held, protocol
from pmbf.sites.answering import Answers


def _changed(name: str, change: Callable[[Any], Any]) -> None:
    """Let what `Held` answers be changed before it is sent."""
    honest = getattr(held.Held, name)
    setattr(held.Held, name, lambda self, *given, **more: change(honest(self, *given, **more)))


def _documents(**change: Callable[[Any], Any]) -> None:
    """Change fields of the documents that are told."""

    def changed(answer: Any) -> Any:
        made = [replace(one, **{name: how(getattr(one, name)) for name, how in change.items()})
                for one in answer.documents]  # fmt: skip
        return replace(answer, documents=tuple(made))

    _changed("by_texts", changed)


def _body(raw: bytes) -> None:
    async def handled(self: Any, answer: Any, request: Any) -> Response:
        return Response(200, raw)

    Answers._handled = handled  # type: ignore[method-assign]


def _refusing(reason: str) -> None:
    async def handled(self: Any, answer: Any, request: Any) -> Response:
        return Response.refusal(HttpError(403, reason))

    Answers._handled = handled  # type: ignore[method-assign]


async def _dripping(self: Connections, connection: Connection, response: Response, *, stays: bool) -> int:
    for byte in response.encoded(stays=stays):
        connection.writer.write(bytes([byte]))
        await connection.writer.drain()
        await asyncio.sleep(0.3)
    return 0


def _row(at: int, change: Callable[[int], int]) -> Callable[[Any], Any]:
    return lambda rows: tuple((*row[:at], change(row[at]), *row[at + 1 :]) for row in rows)


PATIENT = "patient"
"""No lie: a site that answers any number of requests a minute."""
LIES: dict[str, Callable[[], None]] = {
    "version": lambda: setattr(answering, "VERSION", 1),
    "parameters": lambda: setattr(protocol, "parameters", lambda: "0" * 32),
    "epoch": lambda: _changed("by_keys", lambda answer: replace(answer, epoch="another")),
    "random units": lambda: _changed("by_keys", lambda answer: replace(
        answer, holds=True, units=tuple(range(32)), claims=tuple((unit, 0) for unit in range(32)), titles=("all",))),
    "no such unit": lambda: _changed("by_keys", lambda answer: replace(answer, claims=((10**6, 0),))),
    "other words": lambda: _documents(text=lambda text: text[::-1]),
    "more alike": lambda: _documents(alike=_row(4, lambda similar: min(10_000, similar + 900))),
    "less than alike": lambda: _documents(alike=_row(4, lambda similar: 3000)),
    "outside the text": lambda: _documents(alike=_row(1, lambda stop: stop + 100_000)),
    "outside the document": lambda: _documents(pairs=_row(3, lambda stop: stop + 100_000)),
    "other sentences": lambda: _documents(sentences=lambda some: tuple((0,) for _ in some)),
    "longer stretches": lambda: _documents(pairs=_row(3, lambda stop: stop - 1)),
    "endless units": lambda: _documents(
        text=lambda text: "a b " * 100_000, is_whole=lambda whole: True, alike=lambda rows: tuple(
            (*row[:2], 0, 400_000, *row[4:]) for row in rows)),
    "echoes": lambda: _refusing("the words of " + "your text " * 9),
    "words as epoch": lambda: setattr(held, "_epoch", lambda *given: "the words of your text"),
    "challenge": lambda: setattr(secrets, "token_hex", lambda n: "é" * 2 * n),
    "no JSON": lambda: _body(b"\xff\xfe"),
    "deep JSON": lambda: _body(b"[" * 100_000),
    "other JSON": lambda: _body(b'{"version": 2, "parameters": 7}'),
    "endless": lambda: _body(b" " * (17 << 20)),
    "dripping": lambda: setattr(Connections, "_send", _dripping),
    "sleeping": lambda: setattr(held.Held, "candidates", lambda *given: time.sleep(4)),
}  # fmt: skip


if __name__ == "__main__":
    if (lie := sys.argv.pop(1)) == PATIENT:
        answering.ASKS_A_MINUTE = 10**9
    else:
        LIES[lie]()
    from pmbf.__main__ import main

    main()
