"""From lists to the rows of the table: all of them, or those of targets and of documents near a change."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from pmbf.sharing import Highest, Ranked
from pmbf.similar.archive import Archive
from pmbf.similar.counting import Entries, Found, OnCounted, Ranges, Targets, all_rows, pass_by
from pmbf.similar.known import Ids, Rows
from pmbf.similar.rules import Rules
from pmbf.similar.state import State

_ALL_SHARE = 4
"""All rows are computed if more than one document in 4 is a target: passing by in parts would take longer."""

Numbers = NDArray[np.uint32]


@dataclass(frozen=True, slots=True, eq=False)
class Table:
    """The rows of a run.

    Args:
        archive: All documents; their `KNOWN` rows are complete.
        rewritten: Ids of the documents whose rows are in `rows`.
        rows: All rows of these documents.
        common: The common chunks.
        is_whole: Whether these are all documents.
        n_again: Of the targets those that are not new.
        n_patched: Documents with changed rows that are no targets.
    """

    archive: Archive
    rewritten: Ids
    rows: Rows
    common: Numbers
    is_whole: bool
    n_again: int = 0
    n_patched: int = 0


def whole(ranges: Ranges, archive: Archive, rules: Rules, common: Numbers | None, on_counted: OnCounted) -> Table:
    """Return all rows.

    Args:
        ranges: They will hold all documents.
        archive: The documents.
        rules: How much is kept.
        common: The common chunks; None: those that are common now.
        on_counted: Called with the documents counted, and how many there are.
    """
    batches = archive.batches()
    common = ranges.common(batches) if common is None else common
    archive.known["n_counted"] = ranges.hold(batches, common)
    rows = _tabled(archive, np.arange(len(archive)), all_rows(ranges, archive, rules, on_counted))
    return Table(archive, archive.known["id"].copy(), rows, common, is_whole=True)


def near(
    ranges: Ranges, archive: Archive, state: State, new: Ids, gone: Ids, common: Numbers, on_counted: OnCounted
) -> Table:
    """Return the rows that a change touches, or all if it touches many.

    Args:
        ranges: They will hold the targets.
        archive: All documents; those that are not new have the columns of the run before. Those that left come last.
        state: The table of the run before.
        new: Ids of new documents.
        gone: Ids of documents that left; an id may be in both.
        common: The common chunks.
        on_counted: Called with the documents counted, and how many there are.
    """
    rules, known, n = state.rules, archive.known, len(archive)
    is_new, is_target = np.zeros(n, np.bool_), np.zeros(n, np.bool_)
    is_new[archive.numbers(new)] = True
    losing = archive.numbers(np.setdiff1d(state.having(gone), np.union1d(gone, new)))
    is_cut = known["n_similar"][losing] > rules.keep
    is_target[losing[is_cut]] = True
    n_again = int(np.count_nonzero(is_target))
    is_target |= is_new
    numbers = np.flatnonzero(is_target)
    if len(numbers) * _ALL_SHARE > n:
        return whole(ranges, archive, rules, common, on_counted)
    targets = Targets(
        np.concatenate([numbers, np.arange(n, archive.n_all)]), is_new, np.where(is_target, 2**32, known["least"])
    )
    found = pass_by(ranges, archive, rules, targets, common, on_counted)
    known["n_counted"][numbers] = np.concatenate([np.empty(0, np.int64), *found.n_counted])[: len(numbers)]
    known["n_similar"] += found.n_more
    known["least"][known["n_similar"] <= rules.keep] = 0
    parts = [_tabled(archive, some, one) for some, one in _of_targets(targets, found, n)]
    touched = np.union1d(losing[~is_cut], found.told.all_documents())
    if len(touched):
        n_similar = known["n_similar"][touched]
        patched = replace(_patched(touched, archive, state, gone, found.told), totals=n_similar.astype(np.uint32))
        parts.append(_tabled(archive, touched, patched))
    rewritten = known["id"][np.concatenate([numbers, touched])]
    return Table(archive, rewritten, _joined(parts), common, False, n_again, len(touched))


def _of_targets(targets: Targets, found: Found, n_documents: int) -> Iterator[tuple[Ids, Ranked]]:
    """Yield the targets that did not leave, part by part, with their rows."""
    for part, ranked in zip(targets.parts(), found.rows, strict=True):
        n = int(np.count_nonzero(part < n_documents))
        yield part[:n], replace(ranked, offsets=ranked.offsets[: n + 1], totals=ranked.totals[:n])


def _patched(numbers: Ids, archive: Archive, state: State, gone: Ids, told: Entries) -> Ranked:
    """Return the rows of documents that are no targets: those that stay, and what the documents are told."""
    before = state.rows_of(np.sort(archive.known[numbers], order="id"))
    before = before.chosen(~np.isin(before.others, gone))
    row_of = np.zeros(len(archive), np.uint32)
    row_of[numbers] = np.arange(len(numbers), dtype=np.uint32)
    stay = Entries()
    others = archive.numbers(before.others).astype(np.uint32)
    stay.add(archive.numbers(before.documents).astype(np.uint32), others, before.shared.astype(np.uint32))
    highest = Highest(len(numbers), state.rules.keep, ranks=archive.ranks)
    for entries in (stay, told):
        rows = [row_of[part] for part in entries.documents]
        counts = entries.counts_by(rows, entries.targets, len(numbers))
        highest.add(counts, np.arange(len(numbers), dtype=np.uint32))
    return highest.ranked()


def _tabled(archive: Archive, numbers: Ids, ranked: Ranked) -> Rows:
    """Return rows of documents by id; what `KNOWN` says of the rows is set in the archive."""
    known, sizes = archive.known, np.diff(ranked.offsets).astype(np.int64)
    ids, lasts = known["id"][numbers], ranked.offsets[1:].astype(np.int64) - 1
    rows = Rows(np.repeat(ids, sizes), known["id"][ranked.documents], ranked.counts.astype(np.int64))
    least = np.zeros(len(numbers), np.int64)
    least[ranked.is_cut] = ranked.counts[lasts[ranked.is_cut]]
    known["n_similar"][numbers], known["least"][numbers] = ranked.totals, least
    known["rows_crc"][numbers] = rows.checksums(ids)
    return rows


def _joined(parts: Sequence[Rows]) -> Rows:
    columns = [(one.documents, one.others, one.shared) for one in (Rows.none(), *parts)]
    return Rows(*(np.concatenate(column) for column in zip(*columns, strict=True)))
