"""Sources: the candidates of queries with their rows of the catalog, their texts, and the names that a report gives.

The catalog is asked twice for all queries of a batch: before comparing for the rows of the candidates, and afterwards
for the paths of those that share passages, which are a few of them. A row is kept with the text.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from pmbf import verify
from pmbf.base.errors import PmbfError
from pmbf.report import DocumentRef, Match, Passage
from pmbf.screen.candidates import Candidate
from pmbf.screen.leaving_out import LeftOut
from pmbf.screen.near import Text
from pmbf.screen.stores import Named
from pmbf.store.catalog_tables import TEXT_KIND, Document, ListedPath
from pmbf.store.generation import Generation
from pmbf.store.listing import labels_of
from pmbf.store.originals import original_text
from pmbf.store.stretches import LongText, is_by_stretches


@dataclass(slots=True, eq=False)
class Source:
    """A candidate of one query, and what is found of it on its way into the report.

    Args:
        candidate: The candidate.
        document: Its row of the catalog.
        files: Those that hold its text; None in another process than the one that compares.
        paths: The paths that it is listed under and that are not left out, sorted. They are known before comparing if
            its text must be read again from one of them, and else afterwards if it shares passages.
        passages: What it shares with the query, in query order.
        problem: Why it was not compared.
    """

    candidate: Candidate
    document: Document
    files: Generation | None
    paths: Sequence[ListedPath] = ()
    passages: tuple[Passage, ...] = ()
    problem: str | None = None

    def __reduce__(self) -> tuple[Any, ...]:
        return Source, (self.candidate, self.document, None, self.paths, self.passages, self.problem)

    def name(self, paths: Mapping[int, Sequence[ListedPath]], left_out: LeftOut) -> None:
        """Fill in its paths, unless they are known, of those of each document."""
        if not self.paths:
            self.paths = left_out.kept(paths[self.document.id])

    @property
    def reference(self) -> DocumentRef:
        """The document as a report names it; its paths must be known."""
        return reference(self.document, self.paths)


def reference(document: Document, listed: Sequence[ListedPath]) -> DocumentRef:
    """Return a document as a report names it, by some of its paths, at least one."""
    paths = tuple([one.path for one in listed])
    return DocumentRef(document.id, paths[0], paths, document.n_chars, document.kind, labels_of(listed))


class Rows(Protocol):
    """The rows of documents and paths, as `pmbf.store.folder.Store` has them."""

    def documents(self, ids: Iterable[int], /) -> Mapping[int, Document]:
        """Return the rows of documents, by id."""

    def listed_of(self, ids: Iterable[int], /) -> Mapping[int, Sequence[ListedPath]]:
        """Return the paths of documents as they are listed, sorted, by id."""


def sources(store: Rows, files: Generation, found: Sequence[tuple[Sequence[Candidate], LeftOut]]) -> list[list[Source]]:
    """Return the sources of some queries, in the same order. The catalog is asked once for all of them.

    `found` has the candidates of each query, and what is left out for it.
    """
    rows = _rows(store, files, list({candidate.document for some, _ in found for candidate in some}))
    every = [[Source(one, rows[one.document], files) for one in some] for some, _ in found]
    if unstored := {row.id for row in rows.values() if row.n_chars and not row.text_file}:
        paths = store.listed_of(unstored)
        for its, (_, left_out) in zip(every, found, strict=True):
            for one in its:
                if one.document.id in unstored:
                    one.paths = left_out.kept(paths[one.document.id])
    return every


def _rows(store: Rows, files: Generation, ids: Sequence[int]) -> Mapping[int, Document]:
    """Return the rows of documents, by id: those that are kept with their texts, and the others of the catalog."""
    kept: dict[int, Document] = {id_: one[0] for id_, one in zip(ids, files.recent.get_each(ids), strict=True) if one}
    others = [id_ for id_ in ids if id_ not in kept]
    return {**kept, **store.documents(others)} if others else kept


def texts_of(some: Iterable[Source]) -> list[Text | None]:
    """Return the texts of sources, with what earlier comparisons made of them. Each is read once for all.

    A text that cannot be read is None: the reason becomes the problem of its source.
    """
    read: dict[int, Text | str] = {}
    texts = []
    for one in some:
        id_ = one.document.id
        if id_ not in read:
            assert one.files
            kept = one.files.recent.get(id_)
            read[id_] = kept[1] if kept else _read(one)
        text = read[id_]
        if isinstance(text, str):
            one.problem = text
        texts.append(None if isinstance(text, str) else text)
    return texts


def _read(source: Source) -> Text | str:
    """Return the text of a source, or the reason why it cannot be read."""
    assert source.files
    try:
        text: Text
        if is_by_stretches(source.document):
            text = LongText(source.files, source.document)
        else:
            text = verify.prepare(original_text(source.files, source.document, [one.path for one in source.paths]))
    except (PmbfError, OSError) as error:
        return str(error)
    keep(source, text)  # whatever becomes of the comparison
    return text


def keep(source: Source, text: Text) -> None:
    """Keep a stored text for the next query, with its row and all that was made of it."""
    if source.files and source.document.text_file:
        text.has_grown = False
        source.files.recent.put(source.document.id, (source.document, text), text.n_bytes)


def same_files(store: Named, sha256: str, left_out: LeftOut) -> tuple[Match, ...]:
    """Return a match for each document without a word that was made from a file with this checksum, byte for byte."""
    found = store.catalog.by_sha256([sha256])
    rows = [row for row in found if row.kind != TEXT_KIND and not row.n_tokens and row.id not in left_out.documents]
    listed = store.listed_of(row.id for row in rows)
    named = [reference(row, left_out.kept(listed[row.id])) for row in rows]
    return tuple(Match(one, 0.0, 0, 0, 1.0, 0, (), in_order=1.0, certainty="sure", same_file=True) for one in named)
