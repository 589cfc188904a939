"""What a working process of the application answers: screen a text, draw a page, show and change the collection.

Documents are called relative to the folder that all files of the collection lie in: its path is for admins.
"""

from __future__ import annotations

import os
from dataclasses import replace
from functools import lru_cache
from itertools import islice
from typing import Any, TypeVar

from pmbf.collection import Collection
from pmbf.extract import Limits
from pmbf.intake.texts import Origin, read_text
from pmbf.pages import evidence_page
from pmbf.pages.markup import common_folder
from pmbf.report import DocumentRef, Report
from pmbf.sentences import SentenceReport
from pmbf.sentences.forms import as_passages
from pmbf.serving.service import worker
from pmbf.store.listing import Listed

Told = TypeVar("Told", Report, SentenceReport)

MOST_LISTED = 200
MOST_SHOWN_CHARS = 200_000


def screen(collection: Collection, header: dict[str, Any], body: bytes) -> dict[str, Any]:
    """Screen one file: its report, its evidence page, its text."""
    report = spelled(collection.screen(body, name=header["name"], **header["options"]), collection)
    texts = report.texts
    assert texts is not None  # a screening attaches them
    page = evidence_page(report, texts.query, texts.source)
    return {"report": report.to_json(), "page": page, "text": texts.query}


def sentences(collection: Collection, header: dict[str, Any], body: bytes) -> dict[str, Any]:
    """Screen one file sentence by sentence: as `screen`, and the report of its sentences besides."""
    report = spelled(collection.screen_sentences(body, name=header["name"], **header["options"]), collection)
    texts = report.texts
    assert texts is not None  # a screening attaches them
    told = {"report": as_passages(report).to_json(), "sentences": report.to_json()}
    return told | {"page": evidence_page(report), "text": texts.query}


def page(collection: Collection, header: dict[str, Any], body: bytes) -> dict[str, Any]:
    """Draw the evidence page of a report whose text was kept; the report comes before the text."""
    line, text = body[: header["n_report"]].decode(), body[header["n_report"] :].decode("utf-8", "surrogatepass")
    report = (SentenceReport if header["by_sentences"] else Report).from_json(line)
    return {"page": evidence_page(report, text, collection.text)}


def documents(collection: Collection, header: dict[str, Any], body: bytes) -> dict[str, Any]:
    """List the documents whose path holds some words, by ascending id."""
    words, first, folder = header["search"].casefold().split(), header["first"], root(collection)
    rows = (_row(one, folder) for one in collection.documents())
    found = list(islice((row for row in rows if _fits(row["paths"], words)), first, first + MOST_LISTED + 1))
    return {"documents": found[:MOST_LISTED], "more": len(found) > MOST_LISTED, "folder": folder}


def _row(one: Listed, folder: str) -> dict[str, Any]:
    paths = [path.removeprefix(folder) for path in one.paths]
    return {"id": one.id, "paths": paths, "labels": list(one.labels), "n_chars": one.n_chars}


def _fits(paths: list[str], words: list[str]) -> bool:
    """Return whether each word stands in some path."""
    return all(any(word in path.casefold() for path in paths) for word in words)


def document(collection: Collection, header: dict[str, Any], body: bytes) -> dict[str, Any]:
    """Return the beginning of a document's text."""
    text = collection.text(header["id"])
    return {"text": text[:MOST_SHOWN_CHARS], "n_chars": len(text)}


def add(collection: Collection, header: dict[str, Any], body: bytes) -> dict[str, Any]:
    """Add one file to the collection, in place of the one of that name before."""
    read = read_text(Origin.of(body, header["name"]), Limits())
    return {"id": collection.add(read.text, name=header["name"]), "problems": list(read.problems)}


def remove(collection: Collection, header: dict[str, Any], body: bytes) -> dict[str, Any]:
    """Remove a document."""
    return {"removed": collection.remove(header["id"])}


# ---------------------------------------------------------------------- how documents are called


@lru_cache(maxsize=1)  # a process has one collection, opened again after each commit
def root(collection: Collection) -> str:
    """Return the folder that all files of a collection lie in, with a separator at its end; empty if there is none.

    Names that are no absolute paths do not count. If one of them is also a path inside the folder, then there is none.
    """
    paths = [path for one in collection.documents() for path in one.paths]
    found = common_folder([path for path in paths if os.path.isabs(path)])
    names = {path for path in paths if not os.path.isabs(path)}
    return "" if any(path.removeprefix(found) in names for path in paths if os.path.isabs(path)) else found


def spelled(report: Told, collection: Collection) -> Told:
    """Return a report with its documents called as the pages call them, and the collection without its folders."""
    folder = root(collection)

    def called(document: DocumentRef) -> DocumentRef:
        paths = tuple(path.removeprefix(folder) for path in document.paths)
        return replace(document, path=document.path.removeprefix(folder), paths=paths)

    name = os.path.basename(os.path.normpath(report.collection)) if report.collection else ""
    if isinstance(report, Report):
        matches = tuple(replace(one, document=called(one.document)) for one in report.matches)
        return replace(report, collection=name, matches=matches)
    sources = tuple(replace(one, document=called(one.document)) for one in report.sources)
    return replace(report, collection=name, sources=sources)


ASKS: dict[str, worker.Ask] = {one.__name__: one for one in (screen, sentences, page, documents, document, add, remove)}


def main() -> None:
    """Answer asks until the application closes the socket."""
    worker.work(ASKS)
