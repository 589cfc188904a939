"""What the folder `sentences/` of a collection holds: one small file names the segments, and is replaced whole.

    sentences/state            a line of JSON and its CRC-32: code, commit, segments, documents that left
    sentences/NNNNNN.units     the segments

So a store is at one commit or at the next one, never between two. Files that the state does not name are left over.
"""

from __future__ import annotations

import json
import re
import shutil
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field, replace
from itertools import chain, pairwise
from pathlib import Path
from typing import Any

import numpy as np

from pmbf.base.errors import CorruptError, NotFoundError, UnsupportedError
from pmbf.kernels import CODES
from pmbf.sentences.segments import KEY_BITS, KIND, UnitSegment
from pmbf.store import files, folders
from pmbf.store.files import BESIDE_KINDS, MAX_ID, Identity, StoredFile

FORMAT = 2
"""Version of the state, of the segments and of the rules by which a text is cut into units."""

_FOLDER, _SUFFIX = BESIDE_KINDS[KIND]
_NAME = "state"
_OWN_NAME = re.compile(rf"[0-9]{{6,}}\.{_SUFFIX}(\.tmp)?|{_NAME}\.tmp")


@dataclass(frozen=True, slots=True)
class NamedSegment:
    """A segment as the state names it, as a `StoredFile`; `gone` are the places of documents that left, ascending."""

    serial: int
    payload_bytes: int
    payload_crc: int
    gone: tuple[int, ...] = ()

    @property
    def file(self) -> StoredFile:
        """The segment's row."""
        return StoredFile(self.serial, KIND, self.payload_bytes, self.payload_crc)


@dataclass(frozen=True, slots=True)
class SentencesState:
    """What the sentences of a collection are.

    Args:
        code: The code of their keys, one of `CODES`.
        commit: The commit of the collection that they show.
        segments: In order of their serials.
        unread: Documents whose text could not be read, by id, with the reason.
    """

    code: str
    key_bits: int
    commit: int = 0
    next_serial: int = 1
    segments: tuple[NamedSegment, ...] = ()
    unread: dict[int, str] = field(default_factory=dict)


def location(folder: Path) -> Path:
    return folder / _FOLDER / _NAME


def exists(folder: Path) -> bool:
    """Return whether a collection has sentences, damaged ones included."""
    return location(folder).exists()


def read_state(folder: Path, identity: Identity) -> SentencesState:
    """Return the state.

    Raises:
        NotFoundError: The collection has no sentences.
        CorruptError: The state is damaged, or that of another collection.
        UnsupportedError: A newer or an earlier pmbf wrote it.
    """
    path = location(folder)
    try:
        with files.opened(path) as file:
            line, _, crc = file.read().rpartition(b" ")
    except FileNotFoundError:
        raise NotFoundError(f"{folder}: has no sentences; make them with `pmbf sentences build -c {folder}`") from None
    if crc.strip() != b"%08x" % zlib.crc32(line):
        raise damage(folder, f"{path}: its checksum does not fit")
    try:
        return _state(folder, identity, json.loads(line))
    except (KeyError, TypeError, ValueError, AttributeError, RecursionError) as error:
        raise damage(folder, f"{path}: is no state of sentences: {error}") from None


def _state(folder: Path, identity: Identity, values: dict[str, Any]) -> SentencesState:
    """Return the state that a file's values tell; raise what `read_state` raises, or a builtin error."""
    path = location(folder)
    if type(version := values.pop("format")) is not int:
        raise damage(folder, f"{path}: its format is {version!r:.80}")
    if version > FORMAT:
        raise UnsupportedError(f"{path}: was written by a newer pmbf; upgrade pmbf")
    if version < FORMAT:
        told = f"was written by an earlier pmbf, which cut units in another way; {_anew(folder)}"
        raise UnsupportedError(f"{path}: {told}")
    if values.pop("collection") != _identified(identity):
        raise damage(folder, f"{path}: belongs to another collection")
    segments = tuple(NamedSegment(**row | {"gone": tuple(row["gone"])}) for row in values.pop("segments"))
    unread = {int(document): reason for document, reason in values.pop("unread").items()}
    state = SentencesState(**values, segments=segments, unread=unread)
    if state.code not in CODES or state.key_bits not in KEY_BITS:
        raise damage(folder, f"{path}: names the code {state.code!r} with {state.key_bits} bits")
    if not _is_possible(state):
        raise damage(folder, f"{path}: has numbers that no state has")
    return state


def _is_possible(state: SentencesState) -> bool:
    """Return whether a writer can have made the numbers of a state: they are used without a check later."""
    sizes = [(one.serial, one.payload_bytes, one.payload_crc) for one in state.segments]
    numbers = [state.commit, state.next_serial, *chain(*sizes), *chain(*(one.gone for one in state.segments))]
    if any(type(one) is not int for one in numbers) or any(type(one) is not str for one in state.unread.values()):
        return False
    return (
        0 <= state.commit < 2**63
        and state.next_serial <= MAX_ID
        and _ascend([0, *(serial for serial, *_ in sizes), state.next_serial])
        and all(files.are_possible(serial, False, n_bytes, crc, -1) for serial, n_bytes, crc in sizes)
        and all(_ascend([-1, *one.gone, MAX_ID]) for one in state.segments)
        and all(0 < id_ <= MAX_ID for id_ in state.unread)
    )


def _ascend(numbers: Sequence[int]) -> bool:
    return all(a < b for a, b in pairwise(numbers))


def write_state(folder: Path, identity: Identity, state: SentencesState) -> None:
    """Replace the state, and delete the segments that the new one does not name."""
    values = asdict(state) | {"format": FORMAT, "collection": _identified(identity)}
    line = json.dumps(values).encode()
    folders.own_folder(location(folder).parent)
    with folders.replacing(location(folder)) as file:
        file.write(line + b" %08x\n" % zlib.crc32(line))
    named = {one.file.name for one in state.segments}
    for left in _own_files(folder):
        if f"{_FOLDER}/{left.name}" not in named:
            left.unlink(missing_ok=True)


def drop(folder: Path) -> bool:
    """Delete the sentences; return whether there were any. The state goes first: without it there are none."""
    there = exists(folder)
    location(folder).unlink(missing_ok=True)
    for left in _own_files(folder):
        left.unlink(missing_ok=True)
    if there and not any((folder / _FOLDER).iterdir()):
        shutil.rmtree(folder / _FOLDER)
    return there


def opened(
    folder: Path, identity: Identity, shown: SentencesState | None = None
) -> tuple[SentencesState, list[UnitSegment]]:
    """Return the state, or the one `shown` if it is still there, with its segments; raise what these two raise.

    A writer may delete a segment between the two: then the newer state is read.
    """
    while True:
        state = shown or read_state(folder, identity)
        try:
            segments = [UnitSegment(folder, one.file, identity, one.gone) for one in state.segments]
            _require_one_kind(folder, state, segments)
            return state, segments
        except CorruptError:
            if not shown and read_state(folder, identity) == state:
                raise
            shown = None


def _require_one_kind(folder: Path, state: SentencesState, segments: Sequence[UnitSegment]) -> None:
    """Refuse segments that are not of the state's kind, or have a document twice. Raises `CorruptError`."""
    kind = state.key_bits, CODES[state.code], state.code == "paper"
    if any((one.key_bits, one.n_keys, one.has_own) != kind for one in segments):
        raise damage(folder, f"{folder / _FOLDER}: a segment has keys of another kind than {state.code!r}")
    ids = np.sort(np.concatenate([np.empty(0, np.uint32), *(one.ids[~one.is_gone] for one in segments)]))
    if (ids[1:] == ids[:-1]).any():
        raise damage(folder, f"{folder / _FOLDER}: has a document twice")


def with_gone(state: SentencesState, gone: dict[int, list[int]]) -> SentencesState:
    """Return the state with more documents that left, places by serial."""
    segments = (replace(one, gone=tuple(sorted({*one.gone, *gone.get(one.serial, ())}))) for one in state.segments)
    return replace(state, segments=tuple(segments))


def damage(folder: Path, what: str) -> CorruptError:
    """Return the error for damaged sentences, with the way out."""
    return CorruptError(f"{what}; {_anew(folder)}")


def _anew(folder: Path) -> str:
    return f"make the sentences anew with `pmbf sentences build -c {folder}`"


def _identified(identity: Identity) -> str:
    return f"{identity.collection_id.hex()} {identity.params_digest.hex()}"


def _own_files(folder: Path) -> Iterator[Path]:
    return (path for path in (folder / _FOLDER).glob("*") if _OWN_NAME.fullmatch(path.name) and not path.is_dir())
