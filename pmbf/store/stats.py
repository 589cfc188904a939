"""How large a collection is, how full its rows are, and what it runs on."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

from pmbf import kernels
from pmbf.filter import SEGMENT_BITS
from pmbf.report.as_json import AsJson
from pmbf.store.catalog_tables import BINARY_KIND
from pmbf.store.folder import Store


@dataclass(frozen=True, slots=True)
class Stats(AsJson):
    """Sizes and fills of a collection.

    Args:
        n_documents: Live documents, files without text included.
        n_without_text: Live documents that are files without text.
        n_removed: Removed documents that wait for compaction.
        n_chars, n_hashes: Of the live documents, added up.
        n_segments: Segments: each has a file of postings, and a row of the filter.
        n_tiles, n_sealed, n_rows: Files with rows of the filter, those of them with rows side by side, and rows in all.
            In a collection of the kind `rows`: its tiles, those of them that take no more documents, and rows in all.
        fill: Mean share of set bits in a row.
        fpr: Mean false-positive rate of a row, ε.
        bits_per_hash: Bits of all rows over the hashes that they hold.
        tile_bytes, postings_bytes, fingerprint_bytes, text_bytes, catalog_bytes: Sizes on disk. Those of fingerprints
            are those of all records: word lists, and the fingerprints of documents whose text is not stored.
        generation: Number of the last commit.
        kernels: `native` or `reference`.
        params: Parameters, by name.
    """

    n_documents: int
    n_without_text: int
    n_removed: int
    n_chars: int
    n_hashes: int
    n_segments: int
    n_tiles: int
    n_sealed: int
    n_rows: int
    fill: float
    fpr: float
    bits_per_hash: float
    tile_bytes: int
    postings_bytes: int
    fingerprint_bytes: int
    text_bytes: int
    catalog_bytes: int
    generation: int
    kernels: str
    params: dict[str, Any]


def measure(store: Store, twin: str) -> Stats:
    """Return a store's figures; reads every row of the filter and of the catalog."""
    n_removed = n_documents = n_without_text = n_chars = n_hashes = 0
    for document in store.catalog.all_documents():
        n_removed += document.removed
        if not document.removed:
            n_documents += 1
            n_without_text += document.kind == BINARY_KIND
            n_chars += document.n_chars
            n_hashes += document.n_hashes
    rows = _rows(store, n_hashes)
    kinds = ("TILE", "ROWS", "POST", "FPRT", "TEXT")
    sizes = {kind: sum(file.payload_bytes for file in store.catalog.files(kind)) for kind in kinds}
    return Stats(
        n_documents=n_documents,
        n_without_text=n_without_text,
        n_removed=n_removed,
        n_chars=n_chars,
        n_hashes=n_hashes,
        n_segments=len(store.generation.posted.files),
        n_tiles=rows.n_files,
        n_sealed=rows.n_sealed,
        n_rows=len(rows.fills),
        fill=sum(rows.fills) / len(rows.fills) if rows.fills else 0.0,
        fpr=sum(fill**rows.bits_a_hash for fill in rows.fills) / len(rows.fills) if rows.fills else 0.0,
        bits_per_hash=rows.n_bits / rows.n_hashes if rows.n_hashes else 0.0,
        tile_bytes=sizes["TILE"] + sizes["ROWS"],
        postings_bytes=sizes["POST"],
        fingerprint_bytes=sizes["FPRT"],
        text_bytes=sizes["TEXT"],
        catalog_bytes=store.catalog.location.stat().st_size,
        generation=store.commit_number,
        kernels=twin,
        params=asdict(store.params),
    )


class _Rows(NamedTuple):
    """Files of rows, sealed ones, the share of set bits of each row, bits of all, the hashes they hold, and k."""

    n_files: int
    n_sealed: int
    fills: list[float]
    n_bits: int
    n_hashes: int
    bits_a_hash: int


def _rows(store: Store, n_hashes: int) -> _Rows:
    """Return the figures of the rows."""
    stored_tiles = [one for _, one in store.generation.tiles()]
    if stored_tiles:
        tiles, n_sealed = [one.tile for one in stored_tiles], sum(not one.growing for one in stored_tiles)
        fills = [popcount / tile.row_bits for tile in tiles for popcount in tile.popcounts.tolist()]
        return _Rows(
            len(tiles),
            n_sealed,
            fills,
            sum(tile.n_rows * tile.row_bits for tile in tiles),
            n_hashes,
            store.params.n_hashes,
        )
    posted = store.generation.posted
    files = [posted.rows_in(serial) for serial in posted.row_files]
    fills = [
        int(kernels.popcounts(one.bits_of(number)[None])[0]) / one.rows.n_lines
        for one in files
        for number in range(one.rows.n_rows)
    ]
    n_bits = sum(one.rows.n_rows * one.rows.n_lines for one in files)
    n_sealed, n_held = sum(one.rows.n_rows > 1 for one in files), sum(sum(one.n_hashes) for one in files)
    return _Rows(len(files), n_sealed, fills, n_bits, n_held, SEGMENT_BITS)
