"""What the tests of similarities share: small texts, a table as plain values, and the same computed from sets."""

import contextlib
import random
import shutil
import sqlite3
from pathlib import Path

from pmbf import Collection, kernels
from pmbf.alike.similar import update
from pmbf.jobs.executor import Inline
from pmbf.store.catalog_tables import contents_key
from pmbf.store.folder import Store

RULES = {"n_words": 2, "keep": 3, "min_shared": 2, "common": 6, "bits": 28}
"""Rows of three, so that they are cut; chunks in more than six documents are common."""


def text_of(choice: int, n_phrases: int = 12) -> str:
    """Return a text of up to five phrases out of some, the same for the same number."""
    chosen = random.Random(choice)
    numbers = chosen.choices(range(n_phrases), k=chosen.randrange(1, 6))
    return ". ".join(f"ax{n} by{n} cz{n}" for n in numbers)


def made(folder: Path, texts: dict[str, str]) -> Path:
    """Return a collection of texts by name."""
    with Collection(folder, create=True) as collection:
        collection.add_many(texts.items())
    return folder


def ranged(folder: Path, n_ranges: int = 1, **how):
    """Update a collection over ranges in this process."""
    return update(folder, jobs=n_ranges, executor=Inline(), **how)


def table(folder: Path) -> dict[str, list]:
    """Return what the database says that must be the same whatever the history was."""
    with contextlib.closing(sqlite3.connect(folder / "similar" / "similarities.sqlite")) as connection:
        columns = "id, key, n_chunks, n_counted, n_similar, least, rows_crc"
        return {
            "document": connection.execute(f"SELECT {columns} FROM document ORDER BY id").fetchall(),
            "similarity": connection.execute("SELECT * FROM similarity ORDER BY document, other").fetchall(),
            "common": connection.execute("SELECT chunks FROM common").fetchall(),
        }


def anew(folder: Path, into: Path) -> dict[str, list]:
    """Return the table that a full run makes of a copy, with the same common chunks."""
    shutil.copytree(folder, into)
    assert ranged(into, full=True).kind == "full"
    return table(into)


def from_sets(folder: Path, common: set[int], keep: int = 3, least: int = 2) -> set[tuple[int, int, int]]:
    """Return the rows of a table, computed with sets: document, other, shared."""
    with Collection(folder) as collection:
        texts = {one.id: collection.text(one.id) for one in collection if one.kind != "binary"}
    with Store(folder) as store:
        keys = {one.id: contents_key(one) for one in store.catalog.live_documents()}
    lists = kernels.chunk_lists([text.encode() for text in texts.values()], n_words=2, bits=28)
    chunks = {id_: set(lists[number].tolist()) - common for number, id_ in enumerate(texts)}
    rows = set()
    for one in chunks:
        found = [(other, len(chunks[one] & chunks[other])) for other in chunks if other != one]
        best = sorted((-n, keys[other], other) for other, n in found if n >= least)[:keep]
        rows |= {(one, other, -n) for n, _, other in best}
    return rows
