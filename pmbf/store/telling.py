"""What a folder is: a collection, one that has lost its catalog, a depot, or something else."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import NamedTuple

from pmbf.base.errors import CorruptError, ParameterError

RAY = "ray://"

CATALOG = "catalog.sqlite"
_OF_A_COLLECTION = re.compile(r"\d{6,}\.(?:text|fprt|post|tile|docs)")
_FOLDERS = ("texts", "fingerprints", "postings", "tiles")


def is_collection(folder: str | os.PathLike[str]) -> bool:
    """Return whether a folder is a collection of pmbf; a catalog alone may be that of another program."""
    return _holds(folder, CATALOG) and any(_holds(folder, name) for name in ("writer.lock", "generation"))


def is_depot(folder: str | os.PathLike[str]) -> bool:
    """Return whether a folder is the depot of a cluster: it holds a numbered manifest."""
    return any(len(name) == 12 and name.isdecimal() for name in _names(Path(folder, "manifests")))


class OnNodes(NamedTuple):
    """Where a collection on many nodes is: its depot, and the Ray cluster that is asked; empty: this machine is."""

    depot: str
    ray: str


def on_nodes(address: str) -> OnNodes | None:
    """Return where a collection on many nodes is; None if the address is a folder, and no depot.

    Raises:
        ParameterError: It begins with `ray://` and names no cluster, or no depot.

    >>> on_nodes("ray://10.0.0.1:6379/mnt/depot"), on_nodes("s3://bucket/depot"), on_nodes("papers.pmbf")
    (OnNodes(depot='/mnt/depot', ray='10.0.0.1:6379'), OnNodes(depot='s3://bucket/depot', ray=''), None)
    """
    if address.startswith(RAY):
        ray, _, depot = address.removeprefix(RAY).partition("/")
        if not (ray and depot):
            raise ParameterError(f"{address}: expected ray://HOST:PORT/PATH/OF/DEPOT, or ray://auto/PATH/OF/DEPOT")
        return OnNodes(depot if "://" in depot else f"/{depot}", ray)
    if "://" in address or (is_depot(address) and not is_collection(address)):
        return OnNodes(address, "")
    return None


def has_lost_its_catalog(folder: str | os.PathLike[str]) -> bool:
    """Return whether a folder holds files of a collection, and no catalog."""
    if _holds(folder, CATALOG):
        return False
    return any(_OF_A_COLLECTION.fullmatch(name) for one in _FOLDERS for name in _names(Path(folder, one)))


def require_catalog(folder: str | os.PathLike[str]) -> None:
    """Refuse a collection that has lost its catalog; a new one would stand over its files."""
    if has_lost_its_catalog(folder):
        n_bytes = sum(one.stat().st_size for one in Path(folder, "texts").glob("*.text"))
        kept = f"its texts ({n_bytes:,} bytes) are in texts/" if n_bytes else "its texts were not stored"
        raise CorruptError(
            f"{folder}: {CATALOG} is missing: restore it from a copy; {kept}. Without a copy, load the documents into "
            "a new collection"
        )


def holder_of(path: str | os.PathLike[str]) -> str | None:
    """Return the collection or depot that a path lies in, or is; None if it lies in neither."""
    place = os.path.realpath(path)
    for folder in (place, *map(os.fspath, Path(place).parents)):
        if is_collection(folder) or is_depot(folder) or has_lost_its_catalog(folder):
            return folder
    return None


def proposed(folder: str | os.PathLike[str]) -> str:
    """Return a name for a collection of a folder's documents.

    >>> proposed("theses"), proposed("."), proposed("cat.pmbf")
    ('theses.pmbf', 'my.pmbf', 'my.pmbf')
    """
    name = os.path.basename(os.path.normpath(folder))
    return "my.pmbf" if name in ("", ".", "..") or name.endswith(".pmbf") else f"{os.fspath(folder)}.pmbf"


def _names(folder: Path) -> list[str]:
    try:
        return os.listdir(folder)
    except OSError:
        return []


def _holds(folder: str | os.PathLike[str], name: str) -> bool:
    return os.path.exists(os.path.join(folder, name))
