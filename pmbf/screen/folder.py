"""A collection in one folder, as the stages of a screening ask for it, in this thread or in a worker.

Workers open the files once more. So the files stay open until the last call is made, whoever closes the collection or
commits to it meanwhile. The catalog is lent to them: their calls ask for rows, and the collection answers. A worker
that opened the catalog for itself would see the last commit, which may be a later one than the files are of. So every
report shows one commit.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager, suppress
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from random import Random
from typing import Any, cast
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from pmbf import kernels, verify
from pmbf.base.errors import CorruptError
from pmbf.kernels import WordTypes
from pmbf.screen.comparing import compare_each
from pmbf.screen.looking import go_on, look
from pmbf.screen.options import Options
from pmbf.screen.screened import Screened
from pmbf.screen.sources import sources
from pmbf.screen.stores import AnyCatalog
from pmbf.screen.working import Workers, keep
from pmbf.store.catalog_tables import Document, ListedPath
from pmbf.store.folder import Store
from pmbf.store.generation import Generation

SAMPLED = 64
SAMPLED_CHARS = 20_000
"""How rare words are is learnt from the first 20,000 characters of 64 documents: some 20 ms, once for an open
collection."""

_known: WeakKeyDictionary[Store, verify.Statistics] = WeakKeyDictionary()


@dataclass(frozen=True, slots=True)
class Folder:
    """A collection at one generation; see `pmbf.screen.backend.Backend`.

    The rows are picklable if they are lent. There are no `problems`: what cannot be read raises an error, or is the
    problem of a source.
    """

    store: Store | Lent
    generation: Generation
    folder: Path
    commit_number: int
    problems: tuple[str, ...] = ()

    @staticmethod
    def of(store: Store) -> Folder:
        """Return an open collection."""
        return Folder(store, store.generation, store.folder, store.commit_number)

    @property
    def catalog(self) -> AnyCatalog:
        """Its documents and paths. A worker's calls ask for documents alone."""
        return cast(AnyCatalog, self.store.catalog)

    @property
    def statistics(self) -> verify.Statistics | None:
        """How rare words are in it; None if it stores no texts."""
        return self.store.statistics if isinstance(self.store, Lent) else word_statistics(self.store)

    def listed_of(self, ids: Iterable[int]) -> Mapping[int, Sequence[ListedPath]]:
        """Return the paths of live documents as they are listed, sorted, by id."""
        return self.store.listed_of(ids)

    def again(self) -> Folder:
        """Return itself."""
        return self

    def compare(self, batch: Sequence[Screened], options: Options) -> None:
        """Compare queries with their candidates: the catalog is asked for rows first, and for paths of matches last."""
        asked = [one for one in batch if one.candidates]
        if not asked:
            return
        look(self.generation, asked, options, self.statistics)
        self._compare(asked, options)
        go_on(asked, partial(self._compare, options=options))
        paths = self.store.listed_of({source.document.id for one in asked for source in one.shared if not source.paths})
        for one in asked:
            for source in one.shared:
                source.name(paths, one.left_out)

    def _compare(self, asked: Sequence[Screened], options: Options) -> None:
        some = sources(self.store, self.generation, [(one.candidates, one.left_out) for one in asked])
        compare_each(asked, some, options, self.statistics)

    @contextmanager
    def workers(self, options: Options, jobs: int) -> Iterator[Workers]:
        """Yield workers. At the end the calls that threads have begun are waited for; the others must be cancelled.

        If NumPy answers for the kernels, then there are no threads: NumPy holds the lock.
        """
        from pmbf.jobs.processes import Processes, asked_back  # imported only if workers are asked for
        from pmbf.jobs.threads import Threads

        assert isinstance(self.store, Store)
        answering = partial(_answer, self.store)
        lent = Lent(self.statistics, answering)
        plain = replace(options, labels_of=None)  # not every function can be sent there
        far = replace(self, store=replace(lent, ask=asked_back)), plain
        with ExitStack() as stack:
            processes = stack.enter_context(Processes(jobs, keep, far, answering))
            if kernels.NAME != "native":
                yield Workers(jobs, None, far, processes)
                return
            again = stack.enter_context(closing(self.generation.again()))
            near = replace(self, store=lent, generation=again), options
            yield Workers(jobs, stack.enter_context(Threads(jobs)), near, processes)


@dataclass(frozen=True)
class Lent:
    """What a worker knows of a collection beside its files; its rows, paths and checksums are asked for.

    `ask` returns what `_answer` does for a question. It is picklable if the worker is a process.
    """

    statistics: verify.Statistics | None
    ask: Callable[..., Any]

    @property
    def catalog(self) -> Lent:
        """Itself."""
        return self

    def documents(self, ids: Iterable[int]) -> Mapping[int, Document]:
        """Return the rows of documents, by id."""
        return self._asked("documents", ids)

    def living(self, ids: Iterable[int]) -> Mapping[int, Document]:
        """Return the rows of those documents that were not removed, by id."""
        return self._asked("living", ids)

    def listed_of(self, ids: Iterable[int]) -> Mapping[int, Sequence[ListedPath]]:
        """Return the paths of live documents as they are listed, sorted, by id."""
        return self._asked("listed_of", ids)

    def by_sha256(self, contents: Iterable[str]) -> list[Document]:
        """Return the live documents with these contents, by descending id."""
        found: list[Document] = self.ask("by_sha256", list(contents))
        return found

    def _asked(self, what: str, ids: Iterable[int]) -> dict[int, Any]:
        wanted = list(ids)
        return self.ask(what, wanted) if wanted else {}


def _answer(store: Store, what: str, values: list[Any]) -> Any:
    """Return what a worker asks for, in any thread."""
    told: dict[str, Callable[[list[Any]], Any]] = {
        "documents": store.documents,
        "living": store.living,
        "listed_of": store.listed_of,
        "by_sha256": store.catalog.by_sha256,
    }
    with store.catalog.lent():
        return told[what](values)


def word_statistics(store: Store) -> verify.Statistics | None:
    """Return the word statistics of a fair sample of the stored texts; None if the collection stores no texts.

    Computed once for each open store. The same documents give the same statistics.
    """
    found = _known.get(store)
    if found is None:
        found = _known[store] = verify.Statistics.of(_sample(store))
    return found if found.n_words else None


def _sample(store: Store) -> Iterator[WordTypes]:
    documents = store.documents(_sampled_ids(store, SAMPLED, seed=0).tolist())
    for document in documents.values():
        # A damaged text is reported when it is a candidate. Here the other texts teach as much.
        with suppress(CorruptError):
            text = store.generation.beginning(document, SAMPLED_CHARS)
            if text is not None:
                yield verify.prepare(text).words


def _sampled_ids(store: Store, n_documents: int, seed: int) -> NDArray[np.uint32]:
    """Return the ids of at most `n_documents` live documents, drawn at random with a seed, ascending."""
    ids = store.generation.directory.live_ids()
    if len(ids) > n_documents:
        ids = ids[sorted(Random(seed).sample(range(len(ids)), n_documents))]  # numpy.random takes 5 ms to import
    return ids
