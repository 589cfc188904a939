"""Manifests: which volumes make a generation of a cluster's collection.

A *volume* is the folder of an ordinary collection that is sealed: nobody changes it again, and its name is the SHA-256
of the list of its files. A change of documents makes a new volume in place of the old one. The files that both have
are stored once.

The collection's documents are those of the volumes, in the order of the manifest. A document's id is its id in the
volume plus the volume's offset.
"""

from __future__ import annotations

import hashlib
import json
import os
import secrets
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, fields, replace
from functools import cached_property

from pmbf.base.errors import BusyError, CorruptError, NotFoundError, ParameterError, UnsupportedError
from pmbf.base.params import Params
from pmbf.cluster import noted
from pmbf.cluster.depot import Depot
from pmbf.cluster.untrusted import MOST_COMMITS, collection_id, content_name, json_object, whole
from pmbf.store import telling
from pmbf.store.files import MAX_ID

FORMAT_VERSION = 1

_MOST = 2**63 - 1


@dataclass(frozen=True, slots=True)
class Volume:
    """A sealed part of a collection.

    Args:
        name: SHA-256 of the list of its files, hexadecimal.
        key: The name that its first version had: it decides which nodes have it.
        offset: What is added to an id of the volume.
        n_ids: The highest id in it.
        n_live: Live documents with text.
        n_without_text: Live documents without text.
        n_hashes: Sampled hashes of the live documents.
        n_bytes: Bytes of its files.
    """

    name: str
    key: str
    offset: int
    n_ids: int
    n_live: int
    n_without_text: int
    n_hashes: int
    n_bytes: int

    @property
    def n_documents(self) -> int:
        """Live documents, those without text included."""
        return self.n_live + self.n_without_text

    def own(self, ids: Iterable[int]) -> list[int]:
        """Return those ids of the collection that the volume has, as its own."""
        return [id_ - self.offset for id_ in ids if id_ in self]

    def __contains__(self, id_: int) -> bool:
        """Whether the volume has an id of the collection."""
        return self.offset < id_ <= self.offset + self.n_ids


@dataclass(frozen=True)
class Manifest:
    """A generation of a cluster's collection: the number of its commit, from 1, its volumes by offset, a random id."""

    number: int
    params: Params
    volumes: tuple[Volume, ...] = ()
    id: str = ""

    @property
    def next_offset(self) -> int:
        """The offset of a volume that is added."""
        return max((one.offset + one.n_ids for one in self.volumes), default=0)

    @property
    def n_documents(self) -> int:
        """Live documents, those without text included."""
        return sum(one.n_documents for one in self.volumes)

    @cached_property
    def digest(self) -> str:
        """What names this state of the collection, and no other."""
        return hashlib.sha256(self.to_bytes()).hexdigest()

    @cached_property
    def _offsets(self) -> list[int]:
        return [one.offset for one in self.volumes]

    def volume_of(self, id_: int) -> Volume:
        """Return the volume that has an id; raise `NotFoundError` if there is none."""
        at = bisect_left(self._offsets, id_) - 1
        if at < 0 or id_ not in self.volumes[at]:
            raise NotFoundError(f"there is no document {id_}")
        return self.volumes[at]

    def following(self, *, changed: Iterable[Volume] = (), added: Sequence[Volume] = ()) -> Manifest:
        """Return the next manifest.

        Volumes that have `changed` take the place of those with the same offset. Those that are `added` are given their
        offsets here, in order. `UnsupportedError`: there would be more ids than a collection has.
        """
        by_offset = {one.offset: one for one in changed}
        volumes, offset = [by_offset.get(one.offset, one) for one in self.volumes], self.next_offset
        for one in added:
            volumes.append(replace(one, offset=offset))
            offset += one.n_ids
        if offset > MAX_ID:
            raise UnsupportedError(f"a collection holds {MAX_ID} documents at most; load the others into another one")
        return replace(self, number=self.number + 1, volumes=tuple(volumes))

    def joined(self, volumes: Iterable[Volume]) -> Manifest:
        """Return the next manifest, in which each of some volumes takes the place of all that have its ids."""
        new = sorted(volumes, key=lambda one: one.offset)
        kept = [one for one in self.volumes if not any(one.offset + 1 in other for other in new)]
        volumes = tuple(sorted([*kept, *new], key=lambda one: one.offset))
        return replace(self, number=self.number + 1, volumes=volumes)

    def to_bytes(self) -> bytes:
        """Return the manifest as it is stored: a line of JSON, and a line with the checksum of the first line."""
        params = json.loads(self.params.to_json())
        content = {"format": FORMAT_VERSION, "number": self.number, "id": self.id, "params": params}
        line = json.dumps(content | {"volumes": [asdict(one) for one in self.volumes]}).encode()
        return line + b"\n" + hashlib.sha256(line).hexdigest().encode() + b"\n"

    @classmethod
    def from_bytes(cls, content: bytes, where: str) -> Manifest:
        """Return the manifest that `to_bytes` wrote. Nothing of it is believed: see `pmbf.cluster.untrusted`.

        `CorruptError`: it is damaged, or says what no pmbf writes. `UnsupportedError`: it is of a newer or an earlier
        pmbf.
        """
        line, _, checksum = content.partition(b"\n")
        if hashlib.sha256(line).hexdigest().encode() + b"\n" != checksum:
            raise CorruptError(f"{where}: its checksum does not fit; put back a copy")
        read = json_object(line, where)
        version = whole(read.get("format"), "format", where, 1, 2**31)
        if version > FORMAT_VERSION:
            raise UnsupportedError(f"{where}: has format {version}, this pmbf reads {FORMAT_VERSION}; upgrade pmbf")
        number = whole(read.get("number"), "number", where, 1, MOST_COMMITS)
        volumes = _volumes(read.get("volumes"), where)
        return cls(number, _params(read.get("params"), where), volumes, collection_id(read.get("id"), where))


def created(depot: Depot, params: Params) -> Manifest:
    """Commit the first manifest of a depot, without volumes.

    `ParameterError`: the depot has a collection, or the parameters ask for one without postings. `CorruptError`: it had
    one, and its manifests are lost.
    """
    _require_free(depot.address)
    if params.index != "postings":
        raise ParameterError(f"{depot.address}: nodes answer from postings; leave out index={params.index!r}")
    first = Manifest(1, params, id=secrets.token_hex(16))
    noted.require_all(depot, number := last_number(depot))
    if number or not depot.commit(1, first.to_bytes()):
        raise ParameterError(f"{depot.address}: has a collection already")
    noted.note(depot, 1)
    return first


def _require_free(address: str) -> None:
    """Refuse a folder that holds a collection of one folder, or files of others."""
    if telling.is_collection(address) or telling.has_lost_its_catalog(address):
        raise ParameterError(f"{address}: is a collection: use -c {address}; a depot needs a folder of its own")
    found = {name for name in os.listdir(address) if name[:1] != "."} if os.path.isdir(address) else set[str]()
    if found - {"lost+found"} and not found & {"manifests", "files", "last"}:
        raise ParameterError(f"{address}: is a folder of files; a depot needs a folder of its own")


def last_number(depot: Depot) -> int:
    """Return the number of the last manifest, 0 if there is none."""
    return max(depot.numbers(), default=0)


def last(depot: Depot) -> Manifest:
    """Return the last manifest of a depot.

    `NotFoundError`: it has none; `CorruptError`: it is damaged, or a later one is missing.
    """
    number = last_number(depot)
    noted.require_all(depot, number)
    if not number:
        if telling.is_collection(depot.address) or telling.has_lost_its_catalog(depot.address):
            raise NotFoundError(f"{depot.address}: is a collection of one folder, no depot: use -c {depot.address}")
        raise NotFoundError(f"{depot.address}: no collection there; make one with `pmbf cluster init {depot.address}`")
    return read(depot, number)


def read(depot: Depot, number: int) -> Manifest:
    """Return the manifest of a number.

    `NotFoundError`: there is none, or it was emptied; `CorruptError`: it is damaged.
    """
    where = f"{depot.address}: manifest {number}"
    manifest = Manifest.from_bytes(depot.manifest(number), where)
    if manifest.number != number:
        raise CorruptError(f"{where}: is manifest {manifest.number} under another number; put back a copy")
    return manifest


def commit(depot: Depot, manifest: Manifest) -> None:
    """Make a manifest the last one.

    `BusyError`: somebody else has committed its number meanwhile; nothing has changed.
    """
    if not depot.commit(manifest.number, manifest.to_bytes()):
        raise BusyError(
            f"{depot.address}: another process has committed state {manifest.number} meanwhile; nothing of this "
            "change was kept, make it again"
        )
    noted.note(depot, manifest.number)


def missing(depot: Depot) -> list[int]:
    """Return the numbers of manifests that are missing before later ones: the first of each gap."""
    numbers = {0, *depot.numbers()}
    return sorted(number + 1 for number in numbers if number + 1 not in numbers and number < max(numbers))


def _params(value: object, where: str) -> Params:
    try:
        return Params.from_json(json.dumps(value), name=where)
    except UnsupportedError:
        raise
    except (AttributeError, TypeError, ValueError) as error:  # no dictionary, or values that no collection has
        raise CorruptError(f"{where}: `params` are not those of a collection ({error})") from error


def _volumes(value: object, where: str) -> tuple[Volume, ...]:
    if not isinstance(value, list):
        raise CorruptError(f"{where}: `volumes` is {value!r:.80}, expected a list")
    volumes = tuple(_volume(one, where) for one in value)
    end = 0
    for one in volumes:
        if one.offset < end:
            raise CorruptError(f"{where}: volume {one.name[:12]} has ids of the one before it")
        end = one.offset + one.n_ids
    if end > MAX_ID or len({one.name for one in volumes}) < len(volumes):
        what = f"ids up to {end}" if end > MAX_ID else "a volume twice"
        raise CorruptError(f"{where}: has {what}, expected ids up to {MAX_ID} and each volume once")
    return volumes


def _volume(value: object, where: str) -> Volume:
    names = {field.name for field in fields(Volume)}
    if not isinstance(value, dict) or set(value) != names:
        found = sorted(value) if isinstance(value, dict) else f"{value!r:.80}"
        raise CorruptError(f"{where}: a volume has the fields {found}, expected {sorted(names)}")
    n_ids = whole(value["n_ids"], "n_ids", where, 0, MAX_ID)
    volume = Volume(
        name=content_name(value["name"], where),
        key=content_name(value["key"], where),
        offset=whole(value["offset"], "offset", where, 0, MAX_ID),
        n_ids=n_ids,
        n_live=whole(value["n_live"], "n_live", where, 0, n_ids),
        n_without_text=whole(value["n_without_text"], "n_without_text", where, 0, n_ids),
        n_hashes=whole(value["n_hashes"], "n_hashes", where, 0, _MOST),
        n_bytes=whole(value["n_bytes"], "n_bytes", where, 0, _MOST),
    )
    if volume.n_documents > volume.n_ids:
        raise CorruptError(f"{where}: volume {volume.name[:12]} has {volume.n_documents} documents, {volume.n_ids} ids")
    return volume
