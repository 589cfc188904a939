"""A depot in an object store: `s3://bucket/folder`, with the extra `pmbf[store]`.

A commit needs a write that fails if the object is there (`If-None-Match: *`). A store that speaks S3 and ignores this
would let two commits win. So it is tried before the first commit, and such a store is refused.
"""

from __future__ import annotations

import hashlib
import os
import secrets
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

from pmbf.base.errors import NotFoundError, UnsupportedError
from pmbf.cluster.depot import Depot, FolderDepot
from pmbf.cluster.untrusted import commit_number, content_name, is_content

_PROTOCOL = "s3"
_PIECE_BYTES = 8 << 20
_YOUNG_S = 600.0
"""An object that was written so lately is not written again to make it young."""


def depot_at(address: str | os.PathLike[str]) -> Depot:
    """Return the depot at an address: a folder, or `s3://bucket/folder`.

    `UnsupportedError`: it is another kind of store.
    """
    return ObjectDepot(os.fspath(address)) if "://" in os.fspath(address) else FolderDepot(address)


class ObjectDepot(Depot):
    """A depot in an object store that speaks S3, at `s3://bucket/folder`.

    Where it is and who asks, the environment says: `AWS_ACCESS_KEY_ID`, `AWS_ENDPOINT_URL` and so on.

    Raises:
        UnsupportedError: The extra is not installed, or it is another kind of store.
    """

    def __init__(self, address: str) -> None:
        protocol, _, path = address.partition("://")
        if protocol != _PROTOCOL:
            raise UnsupportedError(f"{address}: a depot is a folder, or s3://BUCKET/FOLDER")
        try:
            import s3fs
        except ImportError as error:
            raise UnsupportedError(
                f"{address}: depots in object stores need the extra 'store': pip install 'pmbf[store]'",
                missing_extra="store",
            ) from error
        self._store = s3fs.S3FileSystem(use_listings_cache=False, skip_instance_cache=True)
        self._address, self._root, self._is_tried = address, path.rstrip("/"), False

    @property
    def address(self) -> str:
        return self._address

    def put(self, source: Path) -> str:
        with open(source, "rb") as file:
            name = hashlib.file_digest(file, "sha256").hexdigest()
        try:
            self.renew(name)
        except NotFoundError:
            self._store.put_file(str(source), self._file(name))
        return name

    def put_bytes(self, content: bytes) -> str:
        name = hashlib.sha256(content).hexdigest()
        self._store.pipe_file(self._file(name), content)
        return name

    def renew(self, name: str) -> None:
        place = self._file(name)
        try:
            if self._now() - self._written(place) > _YOUNG_S:
                bucket, _, key = place.partition("/")
                there = {"Bucket": bucket, "Key": key}
                self._store.call_s3("copy_object", **there, CopySource=there, MetadataDirective="REPLACE")
        except FileNotFoundError:
            raise self._missing(name) from None

    def files(self) -> Iterator[str]:
        for place in self._store.find(f"{self._root}/files"):
            if is_content(name := place.rpartition("/")[2]):
                yield name

    def delete(self, name: str, least_age_s: float) -> int:
        place = self._file(name)
        try:
            found = self._store.info(place)
            if self._now() - found["LastModified"].timestamp() < least_age_s:
                return 0
            self._store.rm_file(place)
        except FileNotFoundError:
            return 0
        return int(found["size"])

    def clean(self, least_age_s: float) -> None:
        """Do nothing: an object is there whole or not at all."""

    def commit(self, number: int, content: bytes) -> bool:
        """Store a manifest; raise `UnsupportedError` if the store writes over objects although it is told not to."""
        if not self._is_tried:
            trial = f"{self._root}/trial-{secrets.token_hex(8)}"
            won = [self._created(trial, b"1"), self._created(trial, b"2")]
            self._store.rm_file(trial)
            if won != [True, False]:
                raise UnsupportedError(f"{self._address}: this store lets two commits win; use a folder")
            self._is_tried = True
        return self._created(self._manifest(number), content)

    def numbers(self) -> list[int]:
        return [number for number, _ in self._manifests()]

    def noted(self) -> bytes:
        with suppress(FileNotFoundError):
            return bytes(self._store.cat_file(f"{self._root}/last", start=0, end=64))
        return b""

    def note(self, content: bytes) -> None:
        self._store.pipe_file(f"{self._root}/last", content)

    def generations(self) -> dict[int, float]:
        now = self._now()
        return {number: now - one["LastModified"].timestamp() for number, one in self._manifests() if one["size"]}

    def empty(self, number: int) -> None:
        self._store.pipe_file(self._manifest(number), b"")

    def _created(self, place: str, content: bytes) -> bool:
        """Write an object if it is not there; return whether it was written."""
        try:
            self._store.pipe_file(place, content, mode="create")
        except FileExistsError:
            return False
        except OSError as error:
            if "precondition" not in str(error).lower() and "conditionalrequestconflict" not in str(error).lower():
                raise
            return False
        return True

    def _manifests(self) -> list[tuple[int, Any]]:
        with suppress(FileNotFoundError):
            listed = self._store.ls(f"{self._root}/manifests", detail=True, refresh=True)
            numbers = [(commit_number(one["name"].rpartition("/")[2]), one) for one in listed]
            return [(number, one) for number, one in numbers if number is not None]
        return []

    def _content(self, number: int) -> bytes:
        with suppress(FileNotFoundError):
            return bytes(self._store.cat_file(self._manifest(number)))
        return b""

    def _pieces(self, name: str) -> Iterator[bytes]:
        try:
            with self._store.open(self._file(name), "rb", block_size=_PIECE_BYTES) as stored:
                while piece := stored.read(_PIECE_BYTES):
                    yield piece
        except FileNotFoundError:
            raise self._missing(name) from None

    def _now(self) -> float:
        """Return the time by the clock of the store."""
        clock = f"{self._root}/clock-{secrets.token_hex(8)}"
        self._store.pipe_file(clock, b"now")
        now = self._written(clock)
        self._store.rm_file(clock)
        return now

    def _written(self, place: str) -> float:
        return float(self._store.info(place, refresh=True)["LastModified"].timestamp())

    def _file(self, name: str) -> str:
        return f"{self._root}/files/{name[:2]}/{content_name(name, self._address)}"

    def _manifest(self, number: int) -> str:
        return f"{self._root}/manifests/{number:012}"
