"""The asks that a working process of the service answers: judge payloads, screen a file, by passages or sentences."""

from __future__ import annotations

from typing import Any

from pmbf.base.errors import ParameterError
from pmbf.collection import Collection
from pmbf.guard.checker import CollectionChecker
from pmbf.serving.service import requests, worker
from pmbf.verbs import AnyCollection


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

    Raises:
        NotFoundError: The collection has no sentences.
        ParameterError: The collection lies on a cluster, which has none.
    """
    if not isinstance(collection, Collection):
        raise ParameterError("a cluster has no sentences: ask a service of a collection in a folder")
    collection.sentences_status()  # raises before a long file is read
    report = collection.screen_sentences(body, name=header["name"], **header["options"])
    return {"report": report.to_dict(), "found": report.found}


ASKS: dict[str, worker.Ask] = {"judge": judge, "screen": screen, "sentences": sentences}


def main() -> None:
    """Answer asks until the service closes the socket."""
    worker.work(ASKS, requests.MAX_HEADER_BYTES)
