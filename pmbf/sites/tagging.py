"""Points and tags for private set intersection: what a site has, without telling it what is asked.

    key ── BLAKE2b ── Elligator 2 ──► point of the group of prime order of Edwards25519
    (point · a) · k · 1/a  =  point · k ──► tag

An asker sends point · a, with a secret of this one question. The site multiplies by its own secret k, and cannot tell
point · a from a random point. Points are 32 bytes, secrets too. The work is that of libsodium, in the extra `psi`. For
each of its keys a site has a tag, a number that only its secret makes, and gives all of them to every asker at once.

    registry/psi.key     the site's secret
    registry/psi.tags    32 bytes BLAKE2b under the secret, then the keys, ascending, and the tag of each, 8 bytes both
    registry/tags/NAME   the tags of another site, as they were given

A tag costs two operations on a curve, so tags are kept: of a collection that has grown only new keys get theirs. Who
has all tags and no secret cannot say of any key whether it is among them.

Source:
    Huberman, Franklin & Hogg 1999, Enhancing privacy and trust in electronic communities (the multiplications);
    RFC 9380, Hashing to elliptic curves (from keys to points).
"""

from __future__ import annotations

import hashlib
import os
import secrets
import zlib
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np

from pmbf.base.arrays import among
from pmbf.base.errors import UnsupportedError
from pmbf.sites.keying import Keys
from pmbf.sites.protocol import MalformedError
from pmbf.store import folders
from pmbf.store.sitekey import SiteKey, read_or_make_key

POINT_BYTES = 32
TAG_BITS = 48
_CHUNK = 512
PAGE_TAGS = 1 << 20
MOST_TAGS = 100 << 20
_STORED_EVERY = 1 << 18
_DIGEST_BYTES, _TAG_BYTES = 32, TAG_BITS // 8


def library() -> Any:
    """Return libsodium; raise `UnsupportedError` if the extra `psi` is not installed."""
    try:
        from nacl import bindings
    except ImportError:
        raise UnsupportedError(
            "private questions need the extra 'psi'; run: pip install 'pmbf[psi]'", missing_extra="psi"
        ) from None
    return bindings


def secret_of(key: SiteKey) -> bytes:
    """Return the secret of a site."""
    return bytes(library().crypto_core_ed25519_scalar_reduce(key.derived("psi", 64)))


def random_secret() -> bytes:
    """Return the secret of a question."""
    return bytes(library().crypto_core_ed25519_scalar_reduce(secrets.token_bytes(64)))


def inverse(secret: bytes) -> bytes:
    """Return what undoes a multiplication by a secret."""
    return bytes(library().crypto_core_ed25519_scalar_invert(secret))


def points_of(keys: Keys, secret: bytes) -> list[bytes]:
    """Return the points of keys, each multiplied by a secret."""
    sodium = library()

    def point(key: bytes) -> bytes:
        uniform = hashlib.blake2b(key, person=b"pmbf-point", digest_size=POINT_BYTES).digest()
        on_curve = sodium.crypto_core_ed25519_from_uniform(uniform)
        return bytes(sodium.crypto_scalarmult_ed25519_noclamp(secret, on_curve))

    return _each(point, [one.tobytes() for one in keys.astype("<u8")])


def multiplied(points: Sequence[bytes], secret: bytes) -> list[bytes]:
    """Return points of another site, each multiplied by a secret.

    Raise `MalformedError` for what is no point of the group.
    """
    sodium = library()

    def product(point: bytes) -> bytes:
        try:
            return bytes(sodium.crypto_scalarmult_ed25519_noclamp(secret, point))
        except RuntimeError:
            raise MalformedError("a point is none of the group") from None

    return _each(product, points)


def tags_of(points: Iterable[bytes]) -> Keys:
    """Return the tags of points, `(n,) uint64`: 48 bits of a hash, from which no point can be made."""
    made = (hashlib.blake2b(point, person=b"pmbf-tag", digest_size=8).digest() for point in points)
    return np.asarray(np.frombuffer(b"".join(made), "<u8").astype(np.uint64) >> np.uint64(64 - TAG_BITS))


def _each(work: Callable[[bytes], bytes], values: Sequence[bytes]) -> list[bytes]:
    """Return what is made of each value; in threads, since libsodium works without the interpreter's lock."""
    if len(values) <= _CHUNK:
        return [work(one) for one in values]
    pieces = [values[first : first + _CHUNK] for first in range(0, len(values), _CHUNK)]
    with ThreadPoolExecutor(os.cpu_count()) as threads:
        return [one for piece in threads.map(lambda some: [work(one) for one in some], pieces) for one in piece]


# ---------------------------------------------------------------------- tags


class TagSet:
    """The tags of a site's keys.

    `on_progress` is called with a sentence when many tags are to be made. `UnsupportedError`: the extra `psi` is not
    installed.
    """

    def __init__(self, folder: Path, on_progress: Callable[[str], None] = lambda told: None) -> None:
        key, _ = read_or_make_key(folder / "psi.key")
        self._secret, self._mac = secret_of(key), key.derived("psi-file", 32)
        self._file, self._on_progress = folder / "psi.tags", on_progress
        self._keys, self._tags = self._read()
        self._publish()

    def cover(self, keys: Keys) -> None:
        """Make the tags of keys that have none, and forget those of keys that are gone.

        All keys of the site, `(n,) uint64`, ascend and are distinct.
        """
        kept = among(self._keys, keys)
        new = keys[~among(keys, self._keys)]
        if kept.all() and not len(new):
            return
        self._keys, self._tags = self._keys[kept], self._tags[kept]
        for first in range(0, len(new), _STORED_EVERY):
            if len(new) > _STORED_EVERY:
                self._on_progress(f"tags for private questions: {len(new) - first:,} keys are left")
            some = new[first : first + _STORED_EVERY]
            both = np.concatenate([self._keys, some])
            order = np.argsort(both)
            tags = tags_of(points_of(some, self._secret))
            self._keys, self._tags = both[order], np.concatenate([self._tags, tags])[order]
            self._store()
        if not len(new):
            self._store()
        self._publish()

    def multiplied(self, points: list[bytes]) -> list[bytes]:
        """Return points multiplied by the secret; raise `MalformedError` if something is no point."""
        return multiplied(points, self._secret)

    @property
    def n_tags(self) -> int:
        """How many tags there are."""
        return len(self._ascending)

    def page(self, number: int) -> bytes:
        """Return up to `PAGE_TAGS` tags as they are sent."""
        return packed_tags(self._ascending[number * PAGE_TAGS : (number + 1) * PAGE_TAGS])

    def _publish(self) -> None:
        self._ascending = np.unique(self._tags)
        self.id = id_of(self._ascending)

    def _read(self) -> tuple[Keys, Keys]:
        """Return the keys and tags of the file; none if it is missing, damaged or of another secret."""
        content = self._file.read_bytes() if self._file.exists() else b""
        body = content[_DIGEST_BYTES:]
        if content[:_DIGEST_BYTES] != self._digest(body) or len(body) % 16:
            return np.empty(0, np.uint64), np.empty(0, np.uint64)
        keys, tags = np.frombuffer(body, "<u8").astype(np.uint64).reshape(2, -1)
        return keys, tags

    def _store(self) -> None:
        body = np.concatenate([self._keys, self._tags]).astype("<u8").tobytes()
        with folders.replacing(self._file) as file:
            file.write(self._digest(body) + body)

    def _digest(self, body: bytes) -> bytes:
        return hashlib.blake2b(body, key=self._mac, digest_size=_DIGEST_BYTES).digest()


def id_of(tags: Keys) -> str:
    """Return what tells one set of tags from another."""
    return hashlib.sha256(tags.astype("<u8").tobytes()).hexdigest()[:32]


def packed_tags(tags: Keys) -> bytes:
    """Return ascending tags as they are sent: differences, first bytes of all first, compressed."""
    gaps = np.diff(tags, prepend=np.uint64(0)).astype("<u8").view(np.uint8).reshape(-1, 8)
    return zlib.compress(gaps[:, :_TAG_BYTES].T.tobytes(), 1)


def unpacked_tags(raw: bytes, n: int) -> Keys:
    """Return `n` tags; raise `MalformedError` if the bytes are not what `packed_tags` returns."""
    try:
        planes = zlib.decompressobj().decompress(raw, n * _TAG_BYTES + 1)
    except zlib.error:
        raise MalformedError("tags cannot be read") from None
    if len(planes) != n * _TAG_BYTES:
        raise MalformedError("there are fewer or more tags than it says")
    gaps = np.zeros((n, 8), np.uint8)
    gaps[:, :_TAG_BYTES] = np.frombuffer(planes, np.uint8).reshape(_TAG_BYTES, n).T
    return np.asarray(np.cumsum(gaps.view("<u8").ravel().astype(np.uint64), dtype=np.uint64))


def kept_tags(file: Path, id_: str, n: int, page: Callable[[int], bytes]) -> Keys:
    """Return the tags of another site, from a file if it has them, else page by page; then they are in the file.

    There are `n` with the id `id_`, or `MalformedError` is raised. `page` returns a page, as it was sent.
    """
    if file.exists() and file.stat().st_size == 8 * n:
        kept = np.frombuffer(file.read_bytes(), "<u8").astype(np.uint64)
        if id_of(kept) == id_:
            return kept
    pages = (unpacked_tags(page(first // PAGE_TAGS), min(PAGE_TAGS, n - first)) for first in range(0, n, PAGE_TAGS))
    tags = np.concatenate([np.empty(0, np.uint64), *pages])
    if id_of(tags) != id_ or (tags[1:] <= tags[:-1]).any():
        raise MalformedError("its tags are not those that it named")
    folders.make_folder(file.parent, mode=0o700)
    with folders.replacing(file) as target:
        target.write(tags.astype("<u8").tobytes())
    return tags
