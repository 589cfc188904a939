"""A working process: keeps the collection open, answers frames from its socket until that ends.

Before each answer it looks whether there was a commit, or another collection in its place, and then opens that: so an
answer always shows what was committed before it was asked for, and nobody waits for a reload.
"""

from __future__ import annotations

import json
import os
import signal
import socket
import sys
from typing import Any

from pmbf.collection import Collection
from pmbf.errors import CorruptError, IncompleteError, NotFoundError, ParameterError, PmbfError, UnsupportedError
from pmbf.extract import Limits, extract
from pmbf.guard.allowing import Allowances
from pmbf.guard.checker import CollectionChecker, open_protected
from pmbf.guard.checking import judged
from pmbf.guard.public import PublicText
from pmbf.jobs import frames
from pmbf.service import requests

KINDS = {
    ParameterError: "parameter",
    UnsupportedError: "unread",
    IncompleteError: "unread",
    NotFoundError: "missing",
    CorruptError: "damaged",
}
"""What the service makes an answer of: the first that an error is."""


class Protected:
    """A collection's folder, open at its last commit."""

    def __init__(self, folder: str) -> None:
        self._folder = folder
        self._state = self._current()
        self._collection = open_protected(folder)

    def collection(self) -> Collection:
        """Return the collection as it is now."""
        state = self._current()
        if state != self._state:
            collection = open_protected(self._folder)
            self._collection.close()
            self._collection, self._state = collection, state
        return self._collection

    def _current(self) -> tuple[object, ...]:
        """Return what differs after a commit, for another collection, and once others may write to this one."""
        known: list[object] = []
        for name in ("", "catalog.sqlite"):
            try:
                status = os.stat(os.path.join(self._folder, name))
                known += [status.st_dev, status.st_ino, status.st_mode]
            except FileNotFoundError:  # opening it tells
                known.append(None)
        try:
            with open(os.path.join(self._folder, "generation"), "rb") as file:
                return (*known, file.read())
        except FileNotFoundError:  # nothing was committed yet
            return (*known, b"")


def answer(protected: Protected, header: dict[str, Any], body: bytes) -> dict[str, Any]:
    """Return the answer to one request; an error is one, too."""
    try:
        collection = protected.collection()
        state = {"generation": collection.generation, "n_documents": collection.n_documents}
        return state | _ASKED[header["ask"]](collection, header, body)
    except (PmbfError, OSError, MemoryError) as error:
        kind = next((name for one, name in KINDS.items() if isinstance(error, one)), "failed")
        return {"error": kind, "reason": str(error) or type(error).__name__}


def _judge(collection: Collection, header: dict[str, Any], body: bytes) -> dict[str, Any]:
    """Look at payloads under a policy."""
    policy = requests.policy_of(header)
    ignored, start = requests.ignored_of(header, body)
    texts = _texts(ignored, Limits(max_bytes=policy.max_bytes, timeout_s=policy.timeout_s))
    checker = CollectionChecker.under(policy, collection)
    key = checker.key if header["key"] is None else bytes.fromhex(header["key"])
    public = PublicText(texts, policy.allow_licences)
    allowances = Allowances(key, frozenset(header["listed"]), policy.allow_inline, public)
    payloads = requests.payloads_of(header, body, start)
    return {"judged": [one.to_dict() for one in judged(payloads, policy, checker, allowances)]}


def _texts(files: list[requests.Named], limits: Limits) -> tuple[str, ...]:
    texts = []
    for name, content in files:
        extracted = extract(content, name, limits)
        if extracted.problems:
            raise IncompleteError(f"{name}: {extracted.problems[0]}; it cannot be ignored as a whole")
        texts.append(extracted.text)
    return tuple(texts)


def _screen(collection: Collection, header: dict[str, Any], body: bytes) -> dict[str, Any]:
    """Screen one file."""
    return {"report": collection.screen(body, name=header["name"], **header["options"]).to_dict()}


def _status(collection: Collection, header: dict[str, Any], body: bytes) -> dict[str, Any]:
    return {"id": collection.id}


_ASKED = {"judge": _judge, "screen": _screen, "status": _status}


def main() -> None:
    """Answer what comes through the socket whose number is given, for the collection whose folder is."""
    number, folder = int(sys.argv[1]), sys.argv[2]
    for one in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(one, signal.SIG_IGN)  # the service decides; it ends us by closing the socket
    with socket.socket(fileno=number) as joined, joined.makefile("rwb", buffering=0) as stream:
        try:
            protected = Protected(folder)
        except (PmbfError, OSError) as error:
            frames.send(stream, {}, json.dumps({"error": "failed", "reason": str(error)}).encode())
            return
        frames.send(stream, {}, json.dumps(answer(protected, {"ask": "status"}, b"")).encode())
        while request := frames.receive(stream, requests.MAX_HEADER_BYTES):
            frames.send(stream, {}, json.dumps(answer(protected, *request)).encode())
