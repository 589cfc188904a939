"""From the texts of a collection to its units, how these follow each change, and whether they are what the texts say.

    build       all documents anew
    follow      after a change: new documents get a segment, those that left are noted in the state; small segments, and
                those that many documents left, become one
    problems    what is damaged or stale; `made_anew` makes it from the texts

The caller holds the writer's lock of the collection. A segment is written before the state names it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace

import numpy as np

from pmbf import kernels
from pmbf.base.errors import NotFoundError, ParameterError, PmbfError
from pmbf.kernels import CODES
from pmbf.sentences.segments import KEY_BITS, StoredUnits, UnitSegment, write_segment
from pmbf.sentences.state import NamedSegment, SentencesState, exists, opened, read_state, with_gone, write_state
from pmbf.store.catalog_tables import BINARY_KIND, Document, contents_key
from pmbf.store.folder import Store
from pmbf.store.originals import original_text

OnRead = Callable[[int, int], None]
"""Called with the documents read so far, and how many there are."""

MOST_UNITS = 1 << 20
"""A segment is written once so many units wait; segments together of more units are not joined."""
GONE_SHARE = 0.25
"""Share of the documents that left from which on a segment is written anew."""
_SOME_DOCUMENTS = 512


def build(
    store: Store, *, code: str = "words", key_bits: int = 32, on_read: OnRead = lambda n_read, n_all: None
) -> SentencesState:
    """Cut all texts of a collection into units, in place of those that are there.

    Killed at any moment, the sentences are those before or the new ones.

    Raises:
        ParameterError: There is no such code, or no such number of bits.
        OSError: The disk is full; the sentences before are kept.
    """
    if code not in CODES or key_bits not in KEY_BITS:
        raise ParameterError(f"code is {code!r} with keys of {key_bits} bits; expected {', '.join(CODES)} and 32 or 64")
    state = SentencesState(code, key_bits, store.commit_number, next_serial=_next_serial(store))
    state = _with_new(store, state, [*_live(store).values()], on_read)
    write_state(store.folder, store.generation.identity, state)
    return state


def follow(store: Store, changed: Iterable[int] | None = None, *, since: int = -1, compact: bool = False) -> None:
    """Let the sentences follow a change of the collection, if it has sentences and they are not damaged.

    Args:
        changed: The documents that may have changed since the commit `since`; None: any. If the sentences are older,
            then all documents are looked at.
        compact: Whether the room of all documents that left is given back.
    """
    if not exists(store.folder):
        return
    try:
        state, segments = opened(store.folder, store.generation.identity)
    except PmbfError:
        return  # a screening and `pmbf check` say that they are damaged
    if state.commit == store.commit_number and not compact:
        return
    documents = _looked_at(store, None if state.commit != since else changed)
    state = _changed(store, state, segments, documents)
    state = _tidied(store, replace(state, commit=store.commit_number), compact)
    write_state(store.folder, store.generation.identity, state)


def _live(store: Store) -> dict[int, Document]:
    """Return the documents with text, by id, ascending."""
    return {one.id: one for one in store.catalog.live_documents() if one.kind != BINARY_KIND}


def _next_serial(store: Store) -> int:
    """Return a serial that no segment of the sentences before has: those stay until the new state is there."""
    try:
        return read_state(store.folder, store.generation.identity).next_serial
    except PmbfError:
        used = (store.folder / "sentences").glob("*.units")
        return max((int(path.stem) for path in used if path.stem.isdecimal()), default=0) + 1


def _looked_at(store: Store, changed: Iterable[int] | None) -> dict[int, Document | None] | None:
    """Return by id the documents that may have changed, None for one that is not there; None: look at all."""
    if changed is None:
        return None
    wanted = set(changed)
    found = store.catalog.documents(wanted)
    return {id_: _with_text(found.get(id_)) for id_ in wanted}


def _with_text(document: Document | None) -> Document | None:
    return None if document is None or document.removed or document.kind == BINARY_KIND else document


def _changed(
    store: Store, state: SentencesState, segments: Sequence[UnitSegment], looked_at: dict[int, Document | None] | None
) -> SentencesState:
    """Return the state with the documents that came and those that left."""
    if looked_at is None:
        before = [*state.unread, *(id_ for one in segments for id_ in one.ids.tolist())]
        looked_at = dict.fromkeys(before) | _live(store)
    gone: dict[int, list[int]] = {}
    kept = set()
    for segment in segments:
        ids = np.asarray(segment.ids).astype(np.int64)
        among = np.isin(ids, np.fromiter(looked_at, np.int64, len(looked_at))) & ~segment.is_gone
        for place in np.flatnonzero(among).tolist():
            document = looked_at[int(ids[place])]
            if document is not None and contents_key(document) == segment.contents[place]:
                kept.add(document.id)
            else:
                gone.setdefault(segment.file.serial, []).append(place)
    new = [one for _, one in sorted(looked_at.items()) if one is not None and one.id not in kept]
    unread = {id_: reason for id_, reason in state.unread.items() if id_ not in looked_at}
    return _with_new(store, replace(with_gone(state, gone), unread=unread), new)


def _with_new(
    store: Store, state: SentencesState, documents: Sequence[Document], on_read: OnRead = lambda n_read, n_all: None
) -> SentencesState:
    """Return the state with segments of the units of new documents."""
    waiting: list[StoredUnits] = []
    unread = dict(state.unread)
    n_read = n_units = 0
    for units, n_documents in _read(store, state.code, documents, unread):
        waiting.append(units)
        n_read, n_units = n_read + n_documents, n_units + len(units.spans)
        on_read(n_read, len(documents))
        if n_units >= MOST_UNITS or n_read == len(documents):
            state = _written(store, state, StoredUnits.joined(waiting))
            waiting, n_units = [], 0
    return replace(state, unread=unread)


def _read(
    store: Store, code: str, documents: Sequence[Document], unread: dict[int, str]
) -> Iterator[tuple[StoredUnits, int]]:
    """Yield the units of some documents at a time, and how many documents these are; note those that cannot be read."""
    for first in range(0, len(documents), _SOME_DOCUMENTS):
        some = documents[first : first + _SOME_DOCUMENTS]
        paths = store.catalog.paths_of([one.id for one in some])
        taken = []
        for document in some:
            try:
                text = original_text(store.generation, document, paths.get(document.id) or [f"document {document.id}"])
            except (PmbfError, OSError) as error:
                unread[document.id] = str(error)
                continue
            found = kernels.units(text.encode("utf-8"), code=code)
            taken.append((contents_key(document), document.id, found.spans, found.keys))
        yield _units(taken, CODES[code]), len(some)


def _units(taken: Sequence[tuple[int, int, np.ndarray, np.ndarray]], n_keys: int) -> StoredUnits:
    contents, ids = (np.array([one[column] for one in taken], np.int64) for column in (0, 1))
    counts = np.array([len(one[2]) for one in taken], np.int64)
    spans = np.concatenate([np.empty((0, 2), np.uint32), *(one[2] for one in taken)])
    keys = np.concatenate([np.empty((0, n_keys), np.uint64), *(one[3] for one in taken)])
    return StoredUnits(contents, ids, counts, spans, keys)


def _written(store: Store, state: SentencesState, units: StoredUnits) -> SentencesState:
    """Return the state with one more segment."""
    identity, serial, own = store.generation.identity, state.next_serial, state.code == "paper"
    file = write_segment(store.folder, identity, serial, units, key_bits=state.key_bits, own=own)
    named = NamedSegment(file.serial, file.payload_bytes, file.payload_crc)
    return replace(state, next_serial=serial + 1, segments=(*state.segments, named))


def _tidied(store: Store, state: SentencesState, compact: bool) -> SentencesState:
    """Return the state with few segments, and without those that many documents left."""
    folder, identity = store.folder, store.generation.identity
    segments = [UnitSegment(folder, one.file, identity, one.gone) for one in state.segments]
    least_gone = 0.0 if compact else GONE_SHARE
    left = [one for one in segments if len(one.gone) > least_gone * len(one.ids)]
    joined = [one for one in segments if one in left or one in _small(segments)]
    if not joined:
        return state
    units = StoredUnits.joined([one.all().without(one.gone.tolist()) for one in joined])
    serials = {one.file.serial for one in joined}
    state = replace(state, segments=tuple(one for one in state.segments if one.serial not in serials))
    return _written(store, state, units) if len(units.ids) else state


def _small(segments: Sequence[UnitSegment]) -> list[UnitSegment]:
    """Return the newest segments that are joined: each at most twice as large as all newer ones together.

    So there are few segments, and a unit is written anew at most as often as the units can be halved.
    """
    joined: list[UnitSegment] = []
    for segment in reversed(segments):
        n_newer = sum(map(len, joined))
        if joined and (len(segment) > 2 * n_newer or len(segment) + n_newer > MOST_UNITS):
            break
        joined.append(segment)
    return joined if len(joined) > 1 else []


# ---------------------------------------------------------------------- are they what the texts say?


def problems(store: Store) -> list[str]:
    """Return what is wrong with the sentences of a collection; nothing if there are none.

    Compared are all checksums, the documents with those of the catalog, and the units of each with its text.
    """
    try:
        state, segments = opened(store.folder, store.generation.identity)
        return [*_problems(store, state, segments)]
    except NotFoundError:
        return []
    except PmbfError as error:
        return [str(error)]


def made_anew(store: Store) -> str:
    """Make the sentences anew, of the same kind if that is known; return what was done."""
    try:
        state = read_state(store.folder, store.generation.identity)
    except PmbfError:
        state = SentencesState("words", 32)
    build(store, code=state.code, key_bits=state.key_bits)
    return f"sentences made anew with the code {state.code!r}"


def _problems(store: Store, state: SentencesState, segments: list[UnitSegment]) -> Iterator[str]:
    where = f"{store.folder}/sentences"
    if state.commit != store.commit_number:
        yield f"{where}: shows commit {state.commit}, the collection is at {store.commit_number}"
    live = _live(store)
    known: set[int] = set(state.unread)
    for id_ in sorted(known - live.keys()):
        yield f"{where}: document {id_} is not in the collection"
    for segment in segments:
        for place, (id_, contents) in enumerate(zip(segment.ids.tolist(), segment.contents.tolist(), strict=True)):
            if segment.is_gone[place]:
                continue
            document = live.get(id_)
            if document is None or contents_key(document) != contents or id_ in known:
                yield f"{where}: document {id_} is not the one of the collection"
            elif not _fits(store, state, segment, place, document):
                yield f"{where}: the units of document {id_} are not those of its text"
            known.add(id_)
    for id_ in sorted(live.keys() - known):
        yield f"{where}: document {id_} has no units"


def _fits(store: Store, state: SentencesState, segment: UnitSegment, place: int, document: Document) -> bool:
    """Return whether a document's units are those of its text, as far as it can be read."""
    try:
        paths = store.catalog.paths_of([document.id]).get(document.id, [])
        text = original_text(store.generation, document, paths)
    except PmbfError:
        return True  # the check of the collection says so
    first = int(segment.firsts[place])
    stop = int(segment.firsts[place + 1]) if place + 1 < len(segment.firsts) else len(segment)
    wanted = kernels.units(text.encode("utf-8"), code=state.code)
    shift = np.uint64(64 - state.key_bits)
    keys = wanted.keys >> shift << shift
    if not segment.has_own:
        keys = np.sort(keys, axis=1)
    own = segment.keys_by_unit[first:stop]
    return np.array_equal(segment.spans[first:stop], wanted.spans) and np.array_equal(own, keys)
