"""From lists to the rows of the table: all of them, or those of targets and of documents near a change."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from pmbf.alike.sharing import Highest, Ranked
from pmbf.alike.similar.counting import Entries, Found, OnCounted, Ranges, Targets, pass_by
from pmbf.alike.similar.database import SimilarState
from pmbf.alike.similar.known import Ids, KnownRows, TableRows
from pmbf.alike.similar.rules import TableRules

_ALL_SHARE = 4
"""All rows are computed if more than one document in 4 is a target: passing by in parts would take longer."""

Numbers = NDArray[np.uint32]


@dataclass(frozen=True, slots=True, eq=False)
class Table:
    """The rows of a run.

    Args:
        archive: All documents; their `KNOWN` rows are complete.
        rows: All rows of the documents whose rows differ.
        before: All rows that these documents had, unless they are all documents.
        common: The common chunks.
        is_whole: Whether these are all documents.
        n_again: Of the targets those that are not new.
        n_patched: Documents with changed rows that are no targets.
    """

    archive: KnownRows
    rows: TableRows
    before: TableRows
    common: Numbers
    is_whole: bool
    n_again: int = 0
    n_patched: int = 0


def whole(
    ranges: Ranges, archive: KnownRows, rules: TableRules, common: Numbers | None, on_counted: OnCounted
) -> Table:
    """Return all rows. Without common chunks those are taken that are common now."""
    batches = archive.batches()
    common = ranges.common(batches) if common is None else common
    archive.known["n_counted"] = ranges.hold(batches, common)
    highest = Highest(len(archive), rules.keep, archive.ranks)
    for batch, counts in ranges.counts(batches, once=True):
        highest.add(counts, batch.documents, mirrored=True)
        on_counted(int(batch.documents[-1]) + 1, len(archive))
    rows = _tabled(archive, np.arange(len(archive)), highest.ranked())
    return Table(archive, rows, TableRows.joined([]), common, is_whole=True)


class Near:
    """The rows that a change touches; the ranges will hold the targets.

    Documents that are not new have the columns of the run before, whose table the state is. Those that left come last.
    """

    def __init__(
        self, ranges: Ranges, archive: KnownRows, state: SimilarState, common: Numbers, on_counted: OnCounted
    ) -> None:
        self._ranges, self._archive, self._state = ranges, archive, state
        self._common, self._on_counted, self._keep = common, on_counted, state.rules.keep

    def table(self, new: Ids, gone: Ids) -> Table:
        """Return the rows that a change touches, or all if it touches many. An id may be new and gone.

        First all lists pass by what is new and what left. Then it is known which cut rows have lost more than they
        gained: these are filled again, from a second passing.
        """
        archive, known = self._archive, self._archive.known
        fresh, lost = archive.numbers(new), self._lost(new, gone)
        fresh.sort()
        if len(fresh) * _ALL_SHARE > len(archive):
            return self._whole()
        least = known["least"].copy()
        least[fresh] = 2**32
        found = self._passed_by(np.concatenate([fresh, np.arange(len(archive), archive.n_all)]), fresh, least)
        again = np.flatnonzero(self._lacking(lost, found))
        if (len(fresh) + len(again)) * _ALL_SHARE > len(archive):
            return self._whole()
        touched = np.setdiff1d(np.union1d(np.flatnonzero(lost), found.told.joined()[0]), again)
        before = self._state.rows_of(np.sort(known[np.union1d(again, touched)], order="id"))
        known["n_counted"][fresh] = np.concatenate([np.empty(0, np.int64), *found.n_counted])[: len(fresh)]
        known["n_similar"] += found.n_more
        known["least"][known["n_similar"] <= self._keep] = 0
        parts = [_tabled(archive, *one) for one in self._of_targets(fresh, found)]
        refilled = self._passed_by(again, fresh[:0], np.full(len(archive), 2**32))
        parts += [_tabled(archive, *one) for one in self._of_targets(again, refilled)]
        if len(touched):
            stay = before.chosen(~np.isin(before.others, gone))
            parts.append(_tabled(archive, touched, self._patched(touched, stay, found.told)))
        return Table(archive, TableRows.joined(parts), before, self._common, False, len(again), len(touched))

    def _lost(self, new: Ids, gone: Ids) -> Ids:
        """Return how many of its rows each document loses, `(n_documents,) int64`."""
        documents, n_rows = self._state.having(gone)
        stay = ~np.isin(documents, np.union1d(gone, new))
        lost = np.zeros(len(self._archive), np.int64)
        lost[self._archive.numbers(documents[stay])] = n_rows[stay]
        return lost

    def _lacking(self, lost: Ids, found: Found) -> NDArray[np.bool_]:
        """Return which cut rows have lost more than they gained: what was cut off may rank higher than what is left.

        A gain counts if it shares more than the last row did. All that was cut off ranks below that row.
        """
        known = self._archive.known
        gained = np.zeros(len(lost), np.int64)
        for documents, _, shared in found.told.parts:
            gained += np.bincount(documents[shared > known["least"][documents]], minlength=len(lost))
        return np.asarray((known["n_similar"] > self._keep) & (lost > gained))

    def _passed_by(self, targets: Ids, fresh: Ids, least: Ids) -> Found:
        is_new = np.zeros(len(self._archive), np.bool_)
        is_new[fresh] = True
        wanted = Targets(targets, is_new, least)
        return pass_by(self._ranges, self._archive, self._state.rules, wanted, self._common, self._on_counted)

    def _of_targets(self, targets: Ids, found: Found) -> Iterator[tuple[Ids, Ranked]]:
        """Yield the targets that did not leave, part by part, with their rows."""
        first = 0
        for ranked in found.rows:
            part = targets[first : first + len(ranked.totals)]
            first += len(ranked.totals)
            yield part, replace(ranked, offsets=ranked.offsets[: len(part) + 1], totals=ranked.totals[: len(part)])

    def _whole(self) -> Table:
        return whole(self._ranges, self._archive, self._state.rules, self._common, self._on_counted)

    def _patched(self, numbers: Ids, stay: TableRows, told: Entries) -> Ranked:
        """Return the rows of documents that are no targets: those that stay, and what the documents are told."""
        archive = self._archive
        is_patched, row_of = np.zeros(len(archive), np.bool_), np.zeros(len(archive), np.uint32)
        is_patched[numbers], row_of[numbers] = True, np.arange(len(numbers), dtype=np.uint32)
        highest = Highest(len(numbers), self._keep, archive.ranks)
        numbered = (archive.numbers(ids).astype(np.uint32) for ids in (stay.documents, stay.others))
        for documents, others, shared in ((*numbered, stay.shared.astype(np.uint32)), told.joined()):
            which = is_patched[documents]
            highest.add_pairs(row_of[documents[which]], others[which], shared[which])
        return replace(highest.ranked(), totals=archive.known["n_similar"][numbers].astype(np.uint32))


def _tabled(archive: KnownRows, numbers: Ids, ranked: Ranked) -> TableRows:
    """Return rows of documents by id; what `KNOWN` says of the rows is set in the archive."""
    known, sizes = archive.known, np.diff(ranked.offsets).astype(np.int64)
    ids, lasts = known["id"][numbers], ranked.offsets[1:].astype(np.int64) - 1
    rows = TableRows(np.repeat(ids, sizes), known["id"][ranked.documents], ranked.counts.astype(np.int64))
    least = np.zeros(len(numbers), np.int64)
    least[ranked.is_cut] = ranked.counts[lasts[ranked.is_cut]]
    known["n_similar"][numbers], known["least"][numbers] = ranked.totals, least
    known["rows_crc"][numbers] = rows.checksums(ids)
    return rows
