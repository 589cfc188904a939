"""Where a writer goes on: how much there is, and the tiles that take more documents."""

from __future__ import annotations

from pmbf.filter import Tile
from pmbf.rowindex import RowIndex
from pmbf.store.catalog_tables import BINARY_KIND
from pmbf.store.folder import Store
from pmbf.store.placing import Placer


def totals(store: Store, rebuild: bool) -> tuple[int, int]:
    """Return the live documents with text and their hashes, told by the catalog if the directory is rebuilt."""
    if rebuild:
        rows = store.catalog.live_documents()
        hashes = [document.n_hashes for document in rows if document.kind != BINARY_KIND]
        return len(hashes), sum(hashes)
    known = store.generation.directory.totals()
    return known.n_live, known.n_hashes


def placer(store: Store, rebuild: bool, mean_hashes: float) -> Placer | None:
    """Return a placer with the tiles that take more documents; with `rebuild` there are none. None: nothing is placed.

    Only a collection of the kind `rows` has tiles.
    """
    if store.params.index != "rows":
        return None
    tiles: dict[int, Tile] = {}
    rows = RowIndex()
    for number, stored in () if rebuild else store.generation.growing_tiles():
        tiles[number] = stored.tile.writable()
        rows.put_tile(number, stored.entries.copy())
    used = max(store.generation.tile_files(), default=-1)
    next_tile = max(int(store.catalog.meta["next_tile"]), used + 1)
    return Placer(store.params, tiles, rows, next_tile=next_tile, mean_hashes=mean_hashes)
