"""The document that is the same file as a query, byte for byte: files without text are compared by their checksum."""

from __future__ import annotations

from pmbf.report import DocumentRef, Match
from pmbf.screen.leaving_out import LeftOut
from pmbf.screen.stores import Named
from pmbf.store.catalog_tables import TEXT_KIND
from pmbf.store.listing import labels_of


def same_files(store: Named, sha256: str, left_out: LeftOut) -> tuple[Match, ...]:
    """Return a match for each document without a word that was made from a file with this checksum.

    Args:
        store: The collection.
        sha256: The checksum of the query's file, hexadecimal; empty if the query is compared by its text.
        left_out: What the query is not compared with.

    Raises:
        CorruptError: The catalog is damaged.
    """
    if not sha256:
        return ()
    found = store.catalog.by_sha256([sha256])
    rows = [row for row in found if row.kind != TEXT_KIND and not row.n_tokens and row.id not in left_out.documents]
    listed = store.listed_of(row.id for row in rows)
    matches = []
    for row in rows:
        kept = left_out.kept(listed[row.id])
        paths = tuple(one.path for one in kept)
        document = DocumentRef(row.id, paths[0], paths, row.n_chars, row.kind, labels_of(kept))
        matches.append(Match(document, 0.0, 0, 0, 1.0, 0, (), in_order=1.0, certainty="sure", same_file=True))
    return tuple(matches)
