"""How large a collection is, how full its rows are, and what it runs on."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from pmbf.store.folder import Store
from pmbf.store.tables import BINARY_KIND


@dataclass(frozen=True, slots=True)
class Stats:
    """Sizes and fills of a collection.

    Args:
        n_documents: Live documents, files without text included.
        n_without_text: Live documents that are files without text.
        n_removed: Removed documents that wait for compaction.
        n_chars, n_hashes: Of the live documents, added up.
        n_tiles, n_sealed, n_rows: Tiles, those of them that take no more documents, and rows in all.
        fill: Mean share of set bits in a row.
        fpr: Mean false-positive rate of a row, ε.
        bits_per_hash: Bits of all rows over live hashes.
        tile_bytes, postings_bytes, fingerprint_bytes, text_bytes, catalog_bytes: Sizes on disk.
        generation: Number of the last commit.
        kernels: `native` or `reference`.
        params: Parameters, by name.
    """

    n_documents: int
    n_without_text: int
    n_removed: int
    n_chars: int
    n_hashes: int
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

    def to_dict(self) -> dict[str, Any]:
        """Return the figures as a JSON-ready dict."""
        return asdict(self)


def measure(store: Store, kernels: str) -> Stats:
    """Return a store's figures; reads every tile's head and every document's row."""
    n_removed = n_documents = n_without_text = n_chars = n_hashes = 0
    for document in store.catalog.all_documents():
        n_removed += document.removed
        if not document.removed:
            n_documents += 1
            n_without_text += document.kind == BINARY_KIND
            n_chars += document.n_chars
            n_hashes += document.n_hashes
    stored = [one for _, one in store.generation.tiles()]
    tiles = [one.tile for one in stored]
    n_rows = sum(tile.n_rows for tile in tiles)
    n_bits = sum(tile.n_rows * tile.row_words * 64 for tile in tiles)
    n_set = sum(int(tile.popcounts.sum()) for tile in tiles)
    rates = sum(float(tile.rates().sum()) for tile in tiles)
    kinds = ("TILE", "POST", "FPRT", "TEXT")
    sizes = {kind: sum(file.payload_bytes for file in store.catalog.files(kind)) for kind in kinds}
    return Stats(
        n_documents=n_documents,
        n_without_text=n_without_text,
        n_removed=n_removed,
        n_chars=n_chars,
        n_hashes=n_hashes,
        n_tiles=len(tiles),
        n_sealed=sum(not one.growing for one in stored),
        n_rows=n_rows,
        fill=n_set / n_bits if n_bits else 0.0,
        fpr=rates / n_rows if n_rows else 0.0,
        bits_per_hash=n_bits / n_hashes if n_hashes else 0.0,
        tile_bytes=sizes["TILE"],
        postings_bytes=sizes["POST"],
        fingerprint_bytes=sizes["FPRT"],
        text_bytes=sizes["TEXT"],
        catalog_bytes=store.catalog.location.stat().st_size,
        generation=store.commit_number,
        kernels=kernels,
        params=asdict(store.params),
    )
