"""Points for private set intersection: keys become points of a group, and points are multiplied by secrets.

    key ── BLAKE2b ── Elligator 2 ──► point of the group of prime order of Edwards25519
    (point · a) · k · 1/a  =  point · k

An asker sends point · a, with a secret of this one question. The site multiplies by its own secret k, and cannot tell
point · a from a random point. Points are 32 bytes, secrets too. The work is that of libsodium, in the extra `psi`.

Source:
    Huberman, Franklin & Hogg 1999, Enhancing privacy and trust in electronic communities (the multiplications);
    RFC 9380, Hashing to elliptic curves (from keys to points).
"""

from __future__ import annotations

import hashlib
import os
import secrets
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np

from pmbf.base.errors import UnsupportedError
from pmbf.sites.keying import Keys
from pmbf.sites.protocol import MalformedError
from pmbf.store.sitekey import SiteKey

POINT_BYTES = 32
TAG_BITS = 48
_CHUNK = 512


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
