"""Reading a table of similarities: of one document, the highest of all, clusters, runs."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pmbf.alike.similar.database import SimilarState
from pmbf.alike.similar.documents import Documents, documents_of
from pmbf.alike.similar.known import Ids, TableRows
from pmbf.alike.similar.listing import changes
from pmbf.alike.similar.report import DocumentCluster, Similar, TableStatus
from pmbf.base.errors import NotFoundError
from pmbf.store.catalog_tables import contents_key


class Similarities:
    """The table that the last run left. Documents that were removed or changed since are left out.

    Args:
        collection: The collection's folder; or `pmbf.cluster.similar.SpreadDocuments`.

    Raises:
        NotFoundError: There is no collection, or no run yet.
        CorruptError: The table is damaged.

    Thread rule: use from the thread that opened it.

    >>> import tempfile, pmbf
    >>> with pmbf.Collection(tempfile.mkdtemp() + "/tides.pmbf", create=True) as collection:
    ...     _ = collection.add("The sea comes in twice a day and goes out twice a day.", name="sea")
    ...     _ = collection.add("They say the sea comes in twice a day and goes out twice a day.", name="they")
    >>> _ = pmbf.alike.similar.update(collection.path)
    >>> with Similarities(collection.path) as similarities:
    ...     [(one.other_path, one.shared, one.similarity) for one in similarities.of("sea")]
    [('they', 9, 1.0)]
    """

    def __init__(self, collection: str | os.PathLike[str] | Documents) -> None:
        self._documents = documents_of(collection).__enter__()
        try:
            self._state = _state_of(self._documents)
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> Similarities:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    def close(self) -> None:
        """Release the files."""
        if hasattr(self, "_state"):
            self._state.close()
        self._documents.__exit__()

    @property
    def asked_with(self) -> str:
        """The option that names the collection on the command line."""
        return self._documents.asked_with

    # ------------------------------------------------------------------ questions

    def of(self, what: int | str | os.PathLike[str]) -> list[Similar]:
        """Return the documents most similar to one, then those that have this one among their highest.

        Args:
            what: The document's id, or a path or name as it is listed.

        Raises:
            NotFoundError: There is no such document, or no run has taken it yet.
        """
        document = self._documents.find(what)
        if document not in self._paths(known := self._state.some_documents([document])):
            raise NotFoundError(
                f"{what}: no run has taken it yet; run `pmbf similar update {self._documents.asked_with}`"
            )
        own = self._state.rows_of(known)
        rows = [own.chosen(np.lexsort((own.others, -own.shared)))]
        if int(known["n_similar"][0]) > self._state.rules.keep:  # others share chunks with it that its rows do not name
            naming = np.setdiff1d(self._state.naming(document), own.others)
            found = self._state.rows_of(self._state.some_documents(naming.tolist()))
            turned = found.chosen(found.others == document).turned()
            rows.append(turned.chosen(np.lexsort((turned.others, -turned.shared))))
        others = np.unique(np.concatenate([one.others for one in rows] + [known["id"]]))
        table = Figures(self._state, self._state.some_documents(others.tolist()))
        return [one for some in rows for one in self._named(table, some)]

    def pairs(self, most: int = 20, threshold: float = 0.0) -> list[Similar]:
        """Return the most similar pairs, each once, in the direction of the higher similarity.

        Args:
            most: How many at most.
            threshold: Least similarity, 0 to 1.
        """
        table, limit = Figures.of_all(self._state), 4 * most + 20
        while True:
            best = TableRows.joined([])
            for rows in table.each_rows(threshold):
                best = TableRows.joined([best, rows])
                highest = np.lexsort((best.others, best.documents, -best.shared, -table.shares(best)[0]))
                best = best.chosen(highest[:limit])
            once = dict[tuple[int, ...], int]()
            for one, other in zip(best.documents.tolist(), best.others.tolist(), strict=True):
                once.setdefault((min(one, other), max(one, other)), one)
            found = [
                one
                for one in self._named(table, best)
                if once[min(one.document, one.other), max(one.document, one.other)] == one.document
            ]
            if len(found) >= most or len(best) < limit:
                return found[:most]
            limit *= 4

    def clusters(self, threshold: float = 0.5) -> list[DocumentCluster]:
        """Return the documents that similarities connect, the largest cluster first.

        Two documents are connected if one of them is similar to the other by at least the threshold. Of a document
        with cut rows only the rows that are kept connect.

        Args:
            threshold: Least similarity, 0 to 1.
        """
        table = Figures.of_all(self._state)
        pairs = [np.stack([one.documents, one.others], axis=1) for one in table.each_rows(threshold)]
        edges = np.concatenate([np.empty((0, 2), np.int64), *pairs])
        names = self._paths(table.rows_of(np.unique(edges)))
        edges = edges[np.isin(edges, list(names)).all(axis=1)]
        found = [DocumentCluster(tuple(some), tuple(names[one] for one in some)) for some in components(edges)]
        return sorted(found, key=lambda one: (-len(one.documents), one.documents))

    def rows(self) -> Iterator[Similar]:
        """Yield all rows: by document, the highest similarity first. Memory stays small."""
        table = Figures.of_all(self._state)
        for rows in table.each_rows():
            yield from self._named(table, rows.chosen(np.lexsort((rows.others, -rows.shared, rows.documents))))

    def n_untaken(self) -> int:
        """Return how many documents have no rows since no run could take them yet: new, changed or not read."""
        return len(changes(self._documents, self._state.documents()).added)

    def status(self) -> TableStatus:
        """Return what the table is about, and what has changed since."""
        known, rules = self._state.documents(), self._state.rules
        self._state.require_small()
        changed = changes(self._documents, known)
        incomplete = self._state.incomplete()
        live = self._documents.entries(incomplete)
        [(n_rows,)] = self._state.select("SELECT count(*) FROM similarity NOT INDEXED")
        if n_rows != int(np.minimum(known["n_similar"], rules.keep).sum()):
            self._state.verify()
        return TableStatus(
            n_documents=len(known),
            n_rows=n_rows,
            n_cut=int(np.count_nonzero(known["n_similar"] > rules.keep)),
            n_without=int(np.count_nonzero(known["n_counted"] == 0)),
            n_common=len(self._state.common()),
            rules=rules,
            n_new=sum(document.id not in incomplete for document in changed.added),
            n_gone=len(changed.gone),
            incomplete={live[id_][1][0].path: reason for id_, reason in incomplete.items() if id_ in live},
            runs=tuple(self._runs()),
        )

    # ------------------------------------------------------------------ private

    def _runs(self) -> Iterator[dict[str, Any]]:
        columns = "number, started, seconds, kind, n_documents, n_added, n_removed, n_again, n_rows, n_common, steps"
        for row in self._state.select(f"SELECT {columns} FROM run ORDER BY number"):
            values = dict(zip(columns.split(", "), row, strict=True))
            try:
                yield values | {"steps": json.loads(values["steps"])}
            except (TypeError, ValueError, RecursionError):
                raise self._state.damage(f"`steps` of run {values['number']} is {values['steps']!r}") from None

    def _named(self, table: Figures, rows: TableRows) -> list[Similar]:
        """Return rows with paths, without those of a document that is not what it was."""
        paths = self._paths(table.rows_of(np.union1d(rows.documents, rows.others)))
        columns = rows.documents, rows.others, rows.shared, *table.shares(rows)
        return [
            Similar(one, paths[one], other, paths[other], *figures)
            for one, other, *figures in zip(*(column.tolist() for column in columns), strict=True)
            if one in paths and other in paths
        ]

    def _paths(self, known: NDArray[np.void]) -> dict[int, str]:
        """Return the first path of those `KNOWN` documents that are what they were at the last run, by id."""
        keys = dict(zip(known["id"].tolist(), known["key"].tolist(), strict=True))
        entries = self._documents.entries(keys)
        return {id_: paths[0].path for id_, (row, paths) in entries.items() if contents_key(row) == keys[id_]}


def _state_of(documents: Documents) -> SimilarState:
    """Return what the last run left; `NotFoundError` if there was none."""
    with suppress(NotFoundError):
        state = SimilarState(documents.folder, documents.identity, asked_with=documents.asked_with)
        if state.n_runs:
            return state
        state.close()
    command = f"pmbf similar update {documents.asked_with}"
    raise NotFoundError(f"{documents.folder}: no similarities yet; compute them with `{command}`")


class Figures:
    """Rows of the table with their similarities, which follow from chunks that documents have and share.

    `known` are `KNOWN` rows of the documents that rows name, by ascending id. `CorruptError`: a row was not committed
    so.
    """

    def __init__(self, state: SimilarState, known: NDArray[np.void]) -> None:
        self._state, self._known = state, known

    @classmethod
    def of_all(cls, state: SimilarState) -> Figures:
        """Return the figures of all documents."""
        return cls(state, state.documents())

    def rows_of(self, ids: Ids) -> NDArray[np.void]:
        """Return the `KNOWN` rows of some documents."""
        places = np.minimum(np.searchsorted(self._known["id"], ids), max(0, len(self._known) - 1))
        if len(ids) and (not len(self._known) or (self._known["id"][places] != ids).any()):
            raise self._state.damage("a row names a document that has no list")
        return np.asarray(self._known[places])

    def shares(self, rows: TableRows) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return the similarity of each row, and that of the other direction."""
        sizes = [self.rows_of(ids)["n_counted"] for ids in (rows.documents, rows.others)]
        if len(rows) and (rows.shared < 1).any() | (rows.shared > np.minimum(*sizes)).any():
            raise self._state.damage("a row shares more chunks than a document has")
        return rows.shared / sizes[0], rows.shared / sizes[1]

    def each_rows(self, threshold: float = 0.0) -> Iterator[TableRows]:
        """Yield all rows whose similarity is not below a threshold, some at a time."""
        for rows in self._state.each_rows(self._known):
            yield rows.chosen(self.shares(rows)[0] >= threshold)


def components(edges: NDArray[np.int64]) -> list[list[int]]:
    """Return the nodes of each connected component of `(n, 2) int64` pairs, ascending; components by their first node.

    >>> components(np.array([[7, 3], [9, 8], [3, 5]]))
    [[3, 5, 7], [8, 9]]
    """
    nodes, ends = np.unique(edges, return_inverse=True)
    one, other = ends.reshape(-1, 2).T
    roots = np.arange(len(nodes))
    while True:
        least = np.minimum(roots[one], roots[other])
        before = roots.copy()
        np.minimum.at(roots, before[one], least)
        np.minimum.at(roots, before[other], least)
        roots = roots[roots]
        if np.array_equal(roots, before):
            break
    order = np.argsort(roots, kind="stable")
    cuts = np.flatnonzero(np.diff(roots[order])) + 1
    return [nodes[some].tolist() for some in np.split(order, cuts) if len(some)]
