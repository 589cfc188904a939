"""Reading a table of similarities: of one document, the highest of all, clusters, runs."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from pmbf.errors import NotFoundError
from pmbf.similar.changes import changes
from pmbf.similar.components import components
from pmbf.similar.documents import Documents, documents_of
from pmbf.similar.rules import Rules
from pmbf.similar.state import State
from pmbf.store.tables import contents_key

_TOGETHER = 10_000


@dataclass(frozen=True, slots=True)
class Similar:
    """A row of the table: how much of a document is in another one, and the other way round.

    Args:
        document: Its id.
        path: Its first path or name.
        other: Id of the other document.
        other_path: Its first path or name.
        shared: Chunks that both have; common ones left out.
        similarity: Share of the document's chunks.
        reverse: Share of the other document's chunks.
    """

    document: int
    path: str
    other: int
    other_path: str
    shared: int
    similarity: float
    reverse: float

    def to_dict(self) -> dict[str, Any]:
        """Return the row as a JSON-ready dict."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class Cluster:
    """Documents that are connected by similarities, directly or through others.

    Args:
        documents: Their ids, ascending.
        paths: The first path or name of each.
    """

    documents: tuple[int, ...]
    paths: tuple[str, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return the cluster as JSON-ready lists."""
        return {"documents": list(self.documents), "paths": list(self.paths)}


@dataclass(frozen=True, slots=True)
class Status:
    """What the table is about, and what has changed since.

    Args:
        n_documents: Documents of the table.
        n_rows: Rows.
        n_cut: Documents that more documents are similar to than rows are kept.
        n_without: Documents without a chunk that counts.
        n_common: Common chunks.
        rules: What decides the table.
        n_new: Documents of the collection that the table does not have yet.
        n_gone: Documents of the table that the collection does not have any more.
        incomplete: By path, why a document's text could not be read: it has no rows.
        runs: Each run: number, start, seconds, what changed, seconds of each step.
    """

    n_documents: int
    n_rows: int
    n_cut: int
    n_without: int
    n_common: int
    rules: Rules
    n_new: int
    n_gone: int
    incomplete: dict[str, str]
    runs: tuple[dict[str, Any], ...]

    def to_dict(self) -> dict[str, Any]:
        """Return the status as JSON-ready dicts and lists."""
        return asdict(self)


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
    >>> _ = pmbf.similar.update(collection.path)
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
        if document not in self._paths([document]):
            raise NotFoundError(
                f"{what}: no run has taken it yet; run `pmbf similar update {self._documents.asked_with}`"
            )
        own = "WHERE document = ? ORDER BY shared DESC, other"
        turned = "SELECT other, document, shared, reverse, similarity FROM similar WHERE other = ? AND document NOT IN"
        rows = self._state.select(f"SELECT {_COLUMNS} FROM similar {own}", [document])
        rows += self._state.select(
            f"{turned} (SELECT other FROM similarity WHERE document = ?) ORDER BY shared DESC, document",
            [document, document],
        )
        return self._named(rows)

    def pairs(self, most: int = 20, threshold: float = 0.0) -> list[Similar]:
        """Return the most similar pairs, each once, in the direction of the higher similarity.

        Args:
            most: How many at most.
            threshold: Least similarity, 0 to 1.
        """
        query = (
            f"SELECT {_COLUMNS} FROM similar WHERE similarity >= ? ORDER BY similarity DESC, shared DESC, 1, 2 LIMIT ?"
        )
        limit = 4 * most + 20
        while True:
            rows = self._state.select(query, [threshold, limit])
            once = {tuple(sorted(row[:2])): row for row in reversed(rows)}
            found = [
                one for one in self._named(rows) if once[tuple(sorted((one.document, one.other)))][0] == one.document
            ]
            if len(found) >= most or len(rows) < limit:
                return found[:most]
            limit *= 4

    def clusters(self, threshold: float = 0.5) -> list[Cluster]:
        """Return the documents that similarities connect, the largest cluster first.

        Two documents are connected if one of them is similar to the other by at least the threshold. Of a document
        with cut rows only the rows that are kept connect.

        Args:
            threshold: Least similarity, 0 to 1.
        """
        pairs = self._state.select("SELECT document, other FROM similarity WHERE similarity >= ?", [threshold])
        edges = np.array(pairs, np.int64).reshape(-1, 2)
        names = self._paths(np.unique(edges).tolist())
        edges = edges[np.isin(edges, list(names)).all(axis=1)]
        found = [Cluster(tuple(some), tuple(names[one] for one in some)) for some in components(edges)]
        return sorted(found, key=lambda one: (-len(one.documents), one.documents))

    def rows(self) -> Iterator[Similar]:
        """Yield all rows: by document, the highest similarity first. Memory stays small."""
        waiting = []
        for row in self._state.iterate(f"SELECT {_COLUMNS} FROM similar ORDER BY document, shared DESC, other"):
            waiting.append(row)
            if len(waiting) == _TOGETHER:
                yield from self._named(waiting)
                waiting = []
        yield from self._named(waiting)

    def n_untaken(self) -> int:
        """Return how many documents have no rows since no run could take them yet: new, changed or not read."""
        return len(changes(self._documents, self._state.documents()).added)

    def status(self) -> Status:
        """Return what the table is about, and what has changed since."""
        known = self._state.documents()
        changed = changes(self._documents, known)
        incomplete = self._state.incomplete()
        live = self._documents.entries(incomplete)
        [(n_rows,)] = self._state.select("SELECT count(*) FROM similarity")
        rules = self._state.rules
        return Status(
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
        for row in self._state.iterate(f"SELECT {columns} FROM run ORDER BY number"):
            values = dict(zip(columns.split(", "), row, strict=True))
            yield values | {"steps": json.loads(values["steps"])}

    def _named(self, rows: Sequence[tuple[Any, ...]]) -> list[Similar]:
        """Return rows with paths, without those of a document that is not what it was."""
        paths = self._paths({id_ for row in rows for id_ in row[:2]})
        return [
            Similar(one, paths[one], other, paths[other], *figures)
            for one, other, *figures in rows
            if one in paths and other in paths
        ]

    def _paths(self, ids: Iterable[int]) -> dict[int, str]:
        """Return the first path of those documents that are what they were at the last run, by id."""
        wanted = json.dumps(sorted(ids))
        keys = self._state.select("SELECT id, key FROM document WHERE id IN (SELECT value FROM json_each(?))", [wanted])
        entries = self._documents.entries(id_ for id_, _ in keys)
        same = [id_ for id_, key in keys if id_ in entries and contents_key(entries[id_][0]) == key]
        return {id_: entries[id_][1][0].path for id_ in same}


_COLUMNS = "document, other, shared, similarity, reverse"


def _state_of(documents: Documents) -> State:
    """Return what the last run left.

    Raises:
        NotFoundError: There was none.
    """
    with suppress(NotFoundError):
        state = State(documents.folder, documents.identity, asked_with=documents.asked_with)
        if state.n_runs:
            return state
        state.close()
    command = f"pmbf similar update {documents.asked_with}"
    raise NotFoundError(f"{documents.folder}: no similarities yet; compute them with `{command}`")
