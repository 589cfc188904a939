"""Keyed fingerprints: the keys of units under a key of one task, so that nobody without the federation key reads them.

    federation key ── BLAKE2b over both certificates, the site's challenge, the asker's nonce ──► task key
    key of a unit  ── SipHash-2-4 under the task key, top 48 bits ──► fingerprint on the wire

Both sides make the task key; it is never sent. A site makes the fingerprints of all its keys anew for each task, keeps
those that are asked for, and looks these up as at home. So keyed and plain answers are equal but for chance: of 4.4
million keys and 2,560 fingerprints two are equal by chance in one task of 25,000.

Source:
    Aumasson & Bernstein 2012, SipHash: a fast short-input PRF.
"""

from __future__ import annotations

import hashlib
import secrets

import numpy as np
from numpy.typing import NDArray

from pmbf import kernels
from pmbf.store.sitekey import SiteKey

WIRE_BYTES = 6
"""Bytes of a fingerprint."""
NONCE_BYTES = 16

_DROPPED_BITS = np.uint64(64 - 8 * WIRE_BYTES)
_BITS = (1 << np.arange(16)).astype(np.uint16)
_CHUNK = 1 << 18
_FILTER_BITS = 16

Keys = NDArray[np.uint64]


def task_key(federation: SiteKey, asker: bytes, site: bytes, challenge: bytes, nonce: bytes) -> Keys:
    """Return the key of a task, `(2,) uint64`.

    Args:
        federation: The federation key.
        asker, site: The fingerprints of both certificates, 32 bytes each.
        challenge: Random bytes of the site, used once.
        nonce: Random bytes of the asker.
    """
    made = hashlib.blake2b(key=federation.derived("task", 32), person=b"pmbf-task", digest_size=16)
    for part in (asker, site, challenge, nonce):
        made.update(part)
    return np.frombuffer(made.digest(), "<u8")


def fingerprints(keys: Keys, key: Keys) -> Keys:
    """Return the fingerprints of keys, in the shape of `keys`."""
    keyed = kernels.siphash_windows(keys.ravel(), width=1, key=key)
    return np.asarray((keyed >> _DROPPED_BITS).reshape(keys.shape))


def top_bits(keys: Keys, n_bits: int) -> Keys:
    """Return keys of which a site keeps some bits, with zeros in place of the others."""
    shift = np.uint64(64 - n_bits)
    return np.asarray(keys >> shift << shift)


def packed(values: Keys) -> bytes:
    """Return the fingerprints of units as they are sent: 2 bytes a unit, then 6 bytes for each fingerprint.

    Units of neighbouring sentences overlap: some of their fingerprints are equal, place by place. Bit j of a unit's 2
    bytes says that its fingerprint j is that of the unit before, and is not sent. All numbers are little-endian. A unit
    has 16 fingerprints at most.
    """
    same = np.zeros(values.shape, np.bool_)
    np.equal(values[1:], values[:-1], out=same[1:])
    masks = (same * _BITS[: values.shape[1]]).sum(axis=1).astype("<u2")
    sent = values[~same].astype("<u8").reshape(-1, 1).view(np.uint8)[:, :WIRE_BYTES]
    return bytes(masks.tobytes() + sent.tobytes())


def unpacked(raw: bytes, n_units: int, n_keys: int) -> Keys | None:
    """Return the fingerprints of units, `(n_units, n_keys) uint64`; None if the bytes are not what `packed` returns."""
    if len(raw) < 2 * n_units:
        return None
    masks = np.frombuffer(raw, "<u2", n_units)
    same = (masks[:, None] & _BITS[:n_keys]) > 0
    rest = len(raw) - 2 * n_units
    if (masks >> n_keys).any() or same[:1].any() or rest != WIRE_BYTES * int((~same).sum()):
        return None
    sent = np.zeros((rest // WIRE_BYTES, 8), np.uint8)
    sent[:, :WIRE_BYTES] = np.frombuffer(raw, np.uint8, rest, 2 * n_units).reshape(-1, WIRE_BYTES)
    places = np.full(same.shape, -1, np.int64)
    places[~same] = np.arange(len(sent))
    np.maximum.accumulate(places, axis=0, out=places)  # of equal ones the one that was sent; places ascend
    return np.asarray(sent.view("<u8").ravel().astype(np.uint64)[places])


def random_ones(n_units: int, n_keys: int) -> Keys:
    """Return random fingerprints, which no key has but by chance, `(n_units, n_keys) uint64`."""
    drawn = np.frombuffer(secrets.token_bytes(8 * n_units * n_keys), np.uint64)
    return np.asarray((drawn >> _DROPPED_BITS).reshape(n_units, n_keys))


def read(asked: Keys, known: Keys, key: Keys) -> Keys:
    """Return the plain keys behind fingerprints, `(n, n_keys)`.

    One that nobody has in place of those that are not known.

    All keys of the site, `(n_known,)`, ascend and are distinct; `key` is that of the task.
    """
    wanted, places = np.unique(asked, return_inverse=True)
    plain = np.full(len(wanted), _unknown(known), np.uint64)
    heads = np.zeros(1 << _FILTER_BITS, np.bool_)
    shift = np.uint64(8 * WIRE_BYTES - _FILTER_BITS)
    heads[wanted >> shift] = True
    for first in range(0, len(known), _CHUNK):
        some = known[first : first + _CHUNK]
        made = fingerprints(some, key)
        near = np.flatnonzero(heads[made >> shift])
        at = np.searchsorted(wanted, made[near])
        equal = at < len(wanted)
        equal[equal] = wanted[at[equal]] == made[near][equal]
        plain[at[equal]] = some[near[equal]]
    return np.asarray(plain[places.reshape(asked.shape)])


def _unknown(known: Keys) -> np.uint64:
    """Return a key that no unit has, with zeros where keys of 32 bits have zeros."""
    heads = known >> np.uint64(32)
    gaps = np.flatnonzero(np.diff(heads) > 1)
    if not len(heads) or heads[0] > 0:
        return np.uint64(0)
    head = heads[gaps[0]] if len(gaps) else heads[-1]
    return np.uint64((int(head) + 1 & 0xFFFFFFFF) << 32)
