"""Are the sentences of a collection what its texts say? What is damaged or stale is made anew from the texts."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from pmbf import kernels
from pmbf.base.errors import NotFoundError, PmbfError
from pmbf.sentences.building import build
from pmbf.sentences.segments import UnitSegment
from pmbf.sentences.state import SentencesState, opened, read_state
from pmbf.store.catalog_tables import BINARY_KIND, Document, contents_key
from pmbf.store.folder import Store
from pmbf.store.originals import original_text


def problems(store: Store) -> list[str]:
    """Return what is wrong with the sentences of a collection; nothing if there are none.

    Compared are all checksums, the documents with those of the catalog, and the units of each with its text.

    Raises:
        OSError: A file cannot be opened, for another reason than damage.
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
    live = {one.id: one for one in store.catalog.live_documents() if one.kind != BINARY_KIND}
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
