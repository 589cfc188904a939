"""From a collection to its endpoint filter.

each text ─► sample ─► without phrases that many documents have, and without ignored texts ─► parts ─► rows ─► file
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from pmbf.base.arrays import distinct
from pmbf.base.errors import IncompleteError, NotFoundError, ParameterError
from pmbf.collection import Collection
from pmbf.guard.filter import filterfile, opaque
from pmbf.guard.filter.filterfile import Hashes, part_bounds
from pmbf.guard.filter.opaque import Stretch
from pmbf.guard.filter.sampling import RUN, keyed_sample
from pmbf.report.as_json import AsJson
from pmbf.screen.weighing import COMMON_DOCUMENTS
from pmbf.store import locks
from pmbf.store.listing import Listed
from pmbf.store.sitekey import SiteKey

COMMON_SHARE = 0.02
"""A hash that more than 2 % of the documents have is left out of a filter, if these are more than 50."""


@dataclass(frozen=True, slots=True)
class ExportReport(AsJson):
    """What an export did.

    Args:
        n_documents: Documents of the collection.
        n_rows: Rows of the filter, fillers included.
        n_bytes: Size of the file.
        key_id: Id of the site key, hexadecimal.
        too_short: Paths of documents with too few letters to be found. A document with 171 letters that say enough is
            never too short.
        problems: Path and reason of each document that could not be read; these documents are not protected.
    """

    n_documents: int
    n_rows: int
    n_bytes: int
    key_id: str
    too_short: tuple[str, ...]
    problems: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True, eq=False)
class _Kept:
    """A document's sample without the letters of the text: each hash, and the characters of its gram."""

    hashes: Hashes
    starts: NDArray[np.uint32]
    stops: NDArray[np.uint32]


@dataclass(slots=True)
class _Sampled:
    """Documents with their samples, and the problems of documents that could not be sampled."""

    documents: list[Listed] = field(default_factory=list)
    samples: list[_Kept] = field(default_factory=list)
    problems: list[tuple[str, str]] = field(default_factory=list)


def require_possible(collection: Collection, out: str | os.PathLike[str]) -> None:
    """Refuse a file that no endpoint filter may replace, before anything is written: ParameterError, NotFoundError."""
    if collection.path.resolve() in (Path(out).resolve(), *Path(out).resolve().parents):
        raise ParameterError(f"{out}: lies in the collection, which must stay here; name a file outside")
    filterfile.require_replaceable(out)
    if not Path(out).absolute().parent.is_dir():
        raise NotFoundError(f"{out}: there is no such folder; make it first")


def export(
    collection: Collection,
    out: str | os.PathLike[str],
    key: SiteKey,
    *,
    ignore: Sequence[str] = (),
    on_progress: Callable[[], None] = lambda: None,
) -> ExportReport:
    """Write the endpoint filter of a collection, and store in the collection what its opaque ids mean.

    The same collection, key and ignored texts make the same file. Memory: some 1.5 bytes for each character of all
    texts.

    Args:
        collection: Open.
        out: The file. An existing endpoint filter is replaced, once the new one is written.
        key: The site key.
        ignore: Public texts: passages in them are not protected.
        on_progress: Called after each document.

    Raises:
        IncompleteError: No document has enough letters, so that any text would be clean.
        BusyError: Another process is writing to the collection.
    """
    require_possible(collection, out)
    folder = collection.path.resolve()
    sampled = _sampled(collection, key, on_progress)
    dropped = distinct(np.concatenate([_common_hashes(sampled.samples), ignored_hashes(ignore, key)]))
    rows: dict[int, Hashes] = {}
    places: dict[int, Stretch] = {}
    too_short = []
    for document, sample in zip(sampled.documents, sampled.samples, strict=True):
        own = list(_parts(document, sample, dropped, key))
        rows |= {row: hashes for row, hashes, _ in own}
        places |= {row: place for row, _, place in own}
        if not own:
            too_short.append(document.paths[0])
    n_documents = len(sampled.documents) + len(sampled.problems)
    if not rows:
        raise IncompleteError(
            f"{collection.path} has {n_documents} documents, and none that is long enough and can be read: nothing "
            "would be protected; `pmbf load` others"
        )
    with locks.writer_lock(folder):
        # The map is written first, so that every id can be resolved at any time.
        opaque.remember(folder, key, places)
    n_rows, n_bytes = filterfile.write(out, rows, key)
    return ExportReport(n_documents, n_rows, n_bytes, key.id.hex(), tuple(too_short), tuple(sampled.problems))


def ignored_hashes(texts: Iterable[str], key: SiteKey) -> Hashes:
    """Return the hashes of texts that do not count, ascending, each once."""
    return distinct(np.concatenate([np.empty(0, np.uint32), *(keyed_sample(text, key).hashes for text in texts)]))


def _sampled(collection: Collection, key: SiteKey, on_progress: Callable[[], None]) -> _Sampled:
    sampled = _Sampled()
    for document in collection.documents():
        try:
            sample = keyed_sample(collection.text(document.id), key)
        except IncompleteError as error:
            sampled.problems.append((document.paths[0], str(error).removeprefix(f"{document.paths[0]}: ")))
        else:
            sampled.documents.append(document)
            sampled.samples.append(_Kept(sample.hashes, *sample.bounds()))
        on_progress()
    return sampled


def _common_hashes(samples: Sequence[_Kept]) -> Hashes:
    """Return the hashes that too many documents have, ascending: licences, templates, phrases of the house."""
    least = int(max(COMMON_DOCUMENTS, COMMON_SHARE * len(samples)))
    hashes = np.sort(np.concatenate([np.empty(0, np.uint32), *(distinct(sample.hashes) for sample in samples)]))
    return distinct(hashes[least:][hashes[least:] == hashes[: max(0, len(hashes) - least)]])


def _parts(document: Listed, sample: _Kept, dropped: Hashes, key: SiteKey) -> Iterator[tuple[int, Hashes, Stretch]]:
    """Yield the row id, the hashes and the place of each part of a document that can be found."""
    kept: NDArray[np.intp] = np.flatnonzero(~np.isin(sample.hashes, dropped))
    for number, (start, stop) in enumerate(part_bounds(len(kept))):
        at = kept[start:stop]
        hashes = distinct(sample.hashes[at])
        if len(hashes) >= RUN:
            first = int(sample.starts[at[0]]) if start else 0
            last = int(sample.stops[at[-1]]) if stop < len(kept) else document.n_chars
            place = Stretch(document.id, document.paths[0], first, last)
            yield opaque.row_id(document.sha256, number, key), hashes, place
