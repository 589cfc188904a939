"""How far a collection had come: a depot whose last manifest is lost is told, and not taken for the one before.

    depot/last             number of the last commit, noted after each: who comes anew knows it
    shelf/.seen/ID         number of the last commit that was seen here: an older copy of a whole depot is told, too

Both may be behind, if a process was killed between a commit and its note, and never ahead. Who copies a depot as it was
and has never seen a later one cannot know: its copy is whole.
"""

from __future__ import annotations

import contextlib
import re
import zlib
from pathlib import Path

from pmbf.base.errors import CorruptError
from pmbf.cluster.depot import Depot
from pmbf.store.folders import make_folder, replacing

_FOLDER = ".seen"
_LINE = re.compile(rb"([0-9]{1,12})_([0-9]{1,10})\n")


def to_bytes(number: int) -> bytes:
    """Return a note: a number and its checksum."""
    return b"%d_%d\n" % (number, zlib.crc32(b"%d" % number))


def from_bytes(content: bytes, where: str) -> int:
    """Return the number of a note, 0 if there is none; raise `CorruptError` if it is damaged."""
    found = _LINE.fullmatch(content)
    if not content:
        return 0
    if found is None or int(found[2]) != zlib.crc32(found[1]):
        raise CorruptError(f"{where}: holds {content[:40]!r}, expected a number and its checksum; delete it")
    return int(found[1])


def require_all(depot: Depot, number: int) -> None:
    """Raise `CorruptError` if a depot has come further than its last manifest's `number`, or its note is damaged."""
    where = f"{depot.address}/last"
    noted = from_bytes(depot.noted(), where)
    if noted > number:
        raise CorruptError(
            f"{depot.address}: manifest {noted} is missing, the last one is {number}; put back a copy of "
            f"manifests/{noted:012}. If there is none, then delete {where}: what came after state {number} is lost"
        )


def note(depot: Depot, number: int) -> None:
    """Note a commit in the depot, unless a later one is noted. A full disk is no error: the commit is made."""
    with contextlib.suppress(OSError):
        if from_bytes(depot.noted(), depot.address) < number:
            depot.note(to_bytes(number))


def require_not_older(shelf: Path, depot: Depot, *, id_: str, number: int) -> None:
    """Raise `CorruptError` for a generation that is older than one that was seen with this shelf; else remember it."""
    place, seen = shelf / _FOLDER / id_, 0
    with contextlib.suppress(FileNotFoundError):
        seen = from_bytes(place.read_bytes(), str(place))
    if seen > number:
        raise CorruptError(
            f"{depot.address}: state {seen} was seen here, the last one now is {number}: manifests are "
            f"missing, or the depot is an older copy. If the older one is meant, then delete {place}"
        )
    if seen < number:
        with contextlib.suppress(OSError):  # a disk that cannot be written remembers nothing
            make_folder(place.parent, mode=0o700)
            with replacing(place) as file:
                file.write(to_bytes(number))
