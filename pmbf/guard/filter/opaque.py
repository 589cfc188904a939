"""Opaque ids: the names of an endpoint filter's rows, and the map from them to documents, which stays behind.

An id is a keyed hash of a document's contents and of the part's number. Without the key an id tells nothing; under one
key it is the same in every export. So a collection has one map for each key, `exports/KEYID.json`. The map only grows:
ids of documents that were removed or changed keep their names.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import astuple, dataclass
from pathlib import Path
from typing import Any

from pmbf.base.errors import CorruptError, UnsupportedError
from pmbf.store import files, folders
from pmbf.store.sitekey import KEY_BYTES, SiteKey

FOLDER = "exports"
VERSION = 1
_SHOWN = re.compile(r"\bpx-[0-9a-f]{16}\b")


@dataclass(frozen=True, slots=True)
class Stretch:
    """A stretch of a document, what an opaque id means: its id and path when it was exported, and code points."""

    document: int
    path: str
    start: int
    stop: int


def row_id(sha256: str, part: int, key: SiteKey) -> int:
    """Return the id of a numbered part of a document, 64 bits."""
    secret = key.derived("row-ids", KEY_BYTES)
    return int.from_bytes(hashlib.blake2b(f"{sha256} {part}".encode(), key=secret, digest_size=8).digest(), "little")


def shown(row: int) -> str:
    """Return an id as people and reports write it, such as `px-00000000000000ff`."""
    return f"px-{row:016x}"


def ids_in(text: str) -> list[str]:
    """Return the ids that stand in a text, each once, in order."""
    return list(dict.fromkeys(_SHOWN.findall(text)))


def remember(folder: Path, key: SiteKey, places: Mapping[int, Stretch]) -> None:
    """Add ids to the collection's map. The caller holds the writer's lock."""
    path = folder / FOLDER / f"{key.id.hex()}.json"
    path.parent.mkdir(mode=0o700, exist_ok=True)
    known = _read(path) if path.exists() else {}
    known |= {shown(row): list(astuple(place)) for row, place in places.items()}
    content = {"pmbf_export": VERSION, "sha256": _sum(known), "ids": dict(sorted(known.items()))}
    with folders.replacing(path) as file:
        file.write(json.dumps(content).encode())


def resolve(folder: Path, ids: Iterable[str]) -> Iterator[tuple[str, Stretch | None]]:
    """Yield the stretch that each id means; None if no export of the collection has the id."""
    known: dict[str, list[Any]] = {}
    for path in sorted((folder / FOLDER).glob("*.json")):
        known |= _read(path)
    for one in ids:
        yield one, Stretch(*known[one]) if one in known else None


def _read(path: Path) -> dict[str, list[Any]]:
    try:
        with files.opened(path) as file:
            content = json.loads(file.read())
    except (ValueError, RecursionError):
        content = None
    version = content.get("pmbf_export") if isinstance(content, dict) else None
    if isinstance(version, int) and version > VERSION:
        raise UnsupportedError(f"{path}: has version {version}, this pmbf reads up to {VERSION}; upgrade pmbf")
    if version != VERSION or content.get("sha256") != _sum(content.get("ids")):
        raise CorruptError(f"{path}: the map of opaque ids is damaged; put back a copy, or delete it and export again")
    ids: dict[str, list[Any]] = content["ids"]
    return ids


def _sum(ids: Any) -> str:
    return hashlib.sha256(json.dumps(ids, sort_keys=True).encode()).hexdigest()
