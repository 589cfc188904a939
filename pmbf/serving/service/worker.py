"""A working process: keeps the collection open, and answers frames from its socket until the socket is closed.

Before each answer the process looks whether there was a commit, or another collection in the same place. If so, then it
opens the collection again; the nodes of a cluster fetch what is new. So each answer knows every commit before its
request. The table of asks is given: here stands that of the service, which judges payloads and screens files.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import socket
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pmbf.base.errors import (
    BusyError,
    CorruptError,
    IncompleteError,
    NotFoundError,
    ParameterError,
    PmbfError,
    UnsupportedError,
    unexamined,
)
from pmbf.collection import Collection
from pmbf.guard.checker import CollectionChecker, open_cluster, open_protected
from pmbf.jobs import frames
from pmbf.serving.service import requests
from pmbf.store.files import opened
from pmbf.verbs import AnyCollection

if TYPE_CHECKING:
    from pmbf.cluster.collection import ClusterCollection

KINDS = {
    ParameterError: "parameter",
    UnsupportedError: "unread",
    IncompleteError: "unread",
    NotFoundError: "missing",
    CorruptError: "damaged",
    BusyError: "busy",
}
"""The kind of an error in an answer: the first class that the error is an instance of."""
Ask = Callable[[Any, dict[str, Any], bytes], dict[str, Any]]
"""Answers a frame's header and body with JSON-ready values: of the collection, which is the first argument."""
STATUS = "status"
"""The ask that every working process answers: the state of its collection."""


class Protected:
    """A collection's folder, open at its last commit."""

    def __init__(self, folder: str) -> None:
        self._folder = folder
        self._state = self._current()
        self._collection = open_protected(folder)

    def close(self) -> None:
        self._collection.close()

    def health(self) -> dict[str, Any]:
        """Return nothing: a folder is there as a whole, or not at all."""
        return {}

    def collection(self) -> Collection:
        """Return the collection at its last commit."""
        state = self._current()
        if state != self._state:
            collection = open_protected(self._folder)
            self._collection.close()
            self._collection, self._state = collection, state
        return self._collection

    def _current(self) -> tuple[object, ...]:
        """Return values that change with a commit, with another collection, and with the right of others to write."""
        known: list[object] = []
        for name in ("", "catalog.sqlite"):
            try:
                status = os.stat(os.path.join(self._folder, name))
                known += [status.st_dev, status.st_ino, status.st_mode]
            except FileNotFoundError:  # opening the collection raises the error
                known.append(None)
        try:
            with opened(Path(self._folder, "generation")) as file:
                return (*known, file.read())
        except FileNotFoundError:  # nothing was committed yet
            return (*known, b"")


class ProtectedCluster:
    """A cluster's collection, at its last commit.

    Without the address of a Ray cluster, its nodes are processes of this machine. `fetch_all` is empty, or they fetch
    all volumes now, and those of each commit.
    """

    def __init__(self, depot: str, ray: str, fetch_all: str = "") -> None:
        self._collection = open_cluster(depot, ray, fetch_all=bool(fetch_all))

    def collection(self) -> ClusterCollection:
        """Return the collection at its last commit."""
        if not self._collection.is_last():
            self._collection.refresh()
        return self._collection

    def health(self) -> dict[str, Any]:
        """Return which nodes and volumes do not answer now."""
        from pmbf.cluster.upkeep import health

        return {"cluster": health(self._collection.nodes, self._collection.manifest).to_dict()}

    def close(self) -> None:
        self._collection.close()


def answer(
    protected: Protected | ProtectedCluster, asks: Mapping[str, Ask], header: dict[str, Any], body: bytes
) -> dict[str, Any]:
    """Return the answer to one request; an error is an answer, too."""
    try:
        collection = protected.collection()
        sizes = {"n_documents": collection.n_documents, "n_without_text": collection.n_without_text}
        state = {"generation": collection.generation} | sizes
        asked = header["ask"]
        return state | protected.health() if asked == STATUS else state | asks[asked](collection, header, body)
    except (PmbfError, OSError, MemoryError) as error:
        kind = next((name for one, name in KINDS.items() if isinstance(error, one)), "failed")
        return {"error": kind, "reason": str(error) or type(error).__name__}
    except Exception as error:  # of one request; the process answers the next one
        return {"error": "unread", "reason": unexamined(error)}


def work(asks: Mapping[str, Ask]) -> None:
    """Answer frames from the socket `sys.argv[1]`, a number, for the collection at the place `sys.argv[2]`.

    The place is JSON: `[folder]`, or `[depot, Ray address or "", "all" or ""]` of a cluster.
    """
    number, place = int(sys.argv[1]), json.loads(sys.argv[2])
    for one in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(one, signal.SIG_IGN)  # signals are for the service, which ends us by closing the socket
    with socket.socket(fileno=number) as joined, joined.makefile("rwb", buffering=0) as stream:
        try:
            protected = Protected(*place) if len(place) == 1 else ProtectedCluster(*place)
        except (PmbfError, OSError) as error:
            frames.send(stream, {}, json.dumps({"error": "failed", "reason": str(error)}).encode())
            return
        with contextlib.closing(protected):
            frames.send(stream, {}, json.dumps(answer(protected, asks, {"ask": STATUS}, b"")).encode())
            while request := frames.receive(stream, requests.MAX_HEADER_BYTES):
                frames.send(stream, {}, json.dumps(answer(protected, asks, *request)).encode())
                del request  # the next body comes before the name is given anew


# ---------------------------------------------------------------------- the asks of the service


def judge(collection: AnyCollection, header: dict[str, Any], body: bytes) -> dict[str, Any]:
    """Judge payloads under the session that comes with them."""
    session, start = requests.session_of(header, body)
    checker = CollectionChecker.under(session.policy, collection)
    payloads = requests.payloads_of(header, body, start)
    return {"judged": [one.to_dict() for one in session.judged(payloads, checker)]}


def screen(collection: AnyCollection, header: dict[str, Any], body: bytes) -> dict[str, Any]:
    """Screen one file."""
    return {"report": collection.screen(body, name=header["name"], **header["options"]).to_dict()}


def sentences(collection: AnyCollection, header: dict[str, Any], body: bytes) -> dict[str, Any]:
    """Screen one file sentence by sentence.

    `NotFoundError`: the collection has no sentences. `ParameterError`: it lies on a cluster, which has none.
    """
    if not isinstance(collection, Collection):
        raise ParameterError("a cluster has no sentences: ask a service of a collection in a folder")
    collection.sentences_status()  # raises before a long file is read
    report = collection.screen_sentences(body, name=header["name"], **header["options"])
    return {"report": report.to_dict(), "found": report.found}


ASKS: dict[str, Ask] = {"judge": judge, "screen": screen, "sentences": sentences}


def main() -> None:
    """Answer asks until the service closes the socket."""
    work(ASKS)
