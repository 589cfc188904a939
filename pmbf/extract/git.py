"""Files of git: bundles and packs, object by object, and inflated loose objects.

Source:
    git's own documentation, gitformat-pack and gitformat-bundle.
"""

from __future__ import annotations

import hashlib
import re
import zlib
from collections.abc import Iterator

from pmbf.base.errors import IncompleteError
from pmbf.extract.reading import Reading
from pmbf.extract.streams import Stream

BETWEEN = "\n\n"

_COMMIT, _TREE, _BLOB, _TAG, _BY_OFFSET, _BY_NAME = 1, 2, 3, 4, 6, 7
_NAMES = {_COMMIT: b"commit", _TREE: b"tree", _BLOB: b"blob", _TAG: b"tag"}
_HEAD_BYTES, _NAME_BYTES = 12, 20
_LOOSE = re.compile(rb"(blob|tree|commit|tag) \d{1,12}\0")
_MODE = re.compile(rb"\d{5,6} ")

Object = tuple[int, bytes]
"""Type and content."""


def read(raw: bytes, kind: str, reading: Reading) -> str:
    """Return the texts of all objects of a bundle or a pack."""
    start = 0 if raw.startswith(b"PACK") else raw.find(b"\n\nPACK") + 2  # a branch may be called so
    if raw[start : start + 4] != b"PACK":
        raise IncompleteError("a bundle without a pack: cut short")
    head = reading.part(raw[:start].decode("utf-8", "replace"), "head") if reading.unseen else ""
    texts = (_text(one, f"object {number}", reading) for number, one in enumerate(_objects(raw, start, reading), 1))
    return BETWEEN.join(filter(None, [head, *texts]))


def loose(content: bytes, reading: Reading) -> str | None:
    """Return the text of an inflated loose object; None if the bytes are no such object."""
    found = _LOOSE.match(content)
    if not found:
        return None
    types = {name: number for number, name in _NAMES.items()}
    return _text((types[found[1]], content[found.end() :]), "object", reading)


def _text(one: Object, name: str, reading: Reading) -> str:
    type_, content = one
    if type_ == _TREE:
        content = b"\n".join(_names(content))
    return reading.embedded(content, name) if content else ""


def _names(tree: bytes) -> Iterator[bytes]:
    """Yield the names of a tree: each stands between a mode and a zero byte, behind which is the name of an object."""
    at = 0
    while (mode := _MODE.search(tree, at)) and 0 <= (stop := tree.find(b"\0", mode.end())) < len(tree) - _NAME_BYTES:
        at = mode.end()
        if stop > at:
            yield tree[at:stop]
            at = stop + 1 + _NAME_BYTES


def _objects(raw: bytes, start: int, reading: Reading) -> Iterator[Object]:
    """Yield the objects of a pack, deltas resolved; a delta that cannot be is a problem."""
    n_objects = int.from_bytes(raw[start + 8 : start + _HEAD_BYTES], "big")
    by_offset: dict[int, Object] = {}
    by_name: dict[bytes, Object] = {}
    at = start + _HEAD_BYTES
    for number in range(1, n_objects + 1):
        reading.spend_entries(1)
        offset = at
        try:
            type_, at = _type_of(raw, at)
            base: Object | None = None
            if type_ == _BY_OFFSET:
                back, at = _distance(raw, at)
                base = by_offset.get(offset - back)
            elif type_ == _BY_NAME:
                base, at = by_name.get(raw[at : at + _NAME_BYTES]), at + _NAME_BYTES
            content, at = _inflated(raw, at, reading)
        except (zlib.error, IndexError, EOFError) as error:
            reading.problem(f"object {number} of {n_objects}: damaged or cut short: {error}")
            return
        if type_ not in _NAMES:
            if base is None:
                reading.problem(f"object {number} of {n_objects}: what it changes is not in the pack")
                continue
            type_, content = base[0], _patched(base[1], content, reading)
        by_offset[offset] = by_name[_name(type_, content)] = (type_, content)
        yield type_, content
    if len(raw) - at not in (20, 32):  # the checksum of the whole
        reading.problem(f"{len(raw) - at} bytes after its last object")


def _type_of(raw: bytes, at: int) -> tuple[int, int]:
    """Return an object's type, and the offset behind its length."""
    type_ = raw[at] >> 4 & 7
    while raw[at] & 0x80:
        at += 1
    return type_, at + 1


def _distance(raw: bytes, at: int) -> tuple[int, int]:
    """Return how many bytes before an object its base begins, and the offset behind that number."""
    back = raw[at] & 0x7F
    while raw[at] & 0x80:
        at += 1
        back = (back + 1) << 7 | raw[at] & 0x7F
    return back, at + 1


def _inflated(raw: bytes, at: int, reading: Reading) -> tuple[bytes, int]:
    stream = Stream(raw, at, reading)
    content = b"".join(stream)
    if not stream.is_whole:
        raise EOFError("no end")
    return content, stream.stop


def _patched(base: bytes, delta: bytes, reading: Reading) -> bytes:
    """Return the object that a delta makes of another: pieces of the other, and new bytes."""
    at, pieces = 0, list[bytes]()
    try:
        for _ in range(2):  # the lengths of both
            while delta[at] & 0x80:
                at += 1
            at += 1
        while at < len(delta):
            code, at = delta[at], at + 1
            if code & 0x80:
                numbers = []
                for bit in range(7):
                    numbers.append(delta[at] if code >> bit & 1 else 0)
                    at += code >> bit & 1
                start = int.from_bytes(bytes(numbers[:4]), "little")
                length = int.from_bytes(bytes(numbers[4:]), "little")
                pieces.append(base[start : start + (length or 0x10000)])
            else:
                pieces.append(delta[at : at + code])
                at += code
            reading.spend_expanded(len(pieces[-1]))
    except IndexError:
        reading.problem("a delta is damaged: cut short")
    return b"".join(pieces)


def _name(type_: int, content: bytes) -> bytes:
    return hashlib.sha1(b"%b %d\0%b" % (_NAMES[type_], len(content), content), usedforsecurity=False).digest()
