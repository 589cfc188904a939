"""A collection in one folder, as the stages of a screening ask for it, in this thread or in a worker.

Workers open the files once more. So the files stay open until the last call is made, whoever closes the collection or
commits to it meanwhile. The catalog is lent to them (`lending.py`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import cast

from pmbf import kernels
from pmbf.jobs.threads import Threads
from pmbf.screen.comparing import compare_each
from pmbf.screen.lending import Lent, answer
from pmbf.screen.options import Options
from pmbf.screen.screened import Screened
from pmbf.screen.sources import sources
from pmbf.screen.stores import AnyCatalog
from pmbf.screen.vocabulary import word_statistics
from pmbf.screen.working import Workers, keep
from pmbf.store.catalog_tables import ListedPath
from pmbf.store.folder import Store
from pmbf.store.generation import Generation
from pmbf.verify import Statistics


@dataclass(frozen=True, slots=True)
class Folder:
    """A collection at one generation; see `pmbf.screen.backend.Backend`.

    Args:
        store: Its rows. Picklable, if they are lent.
        generation: Its files.
    """

    store: Store | Lent
    generation: Generation

    @staticmethod
    def of(store: Store) -> Folder:
        """Return an open collection."""
        return Folder(store, store.generation)

    @property
    def folder(self) -> Path:
        """Where it is."""
        return self.store.folder

    @property
    def commit_number(self) -> int:
        """Number of the commit that it shows."""
        return self.store.commit_number

    @property
    def catalog(self) -> AnyCatalog:
        """Its documents and paths. A worker's calls ask for documents alone."""
        return cast(AnyCatalog, self.store.catalog)

    @property
    def problems(self) -> tuple[str, ...]:
        """None: what cannot be read raises an error, or is the problem of a source."""
        return ()

    @property
    def statistics(self) -> Statistics | None:
        """How rare words are in it; None if it stores no texts."""
        return self.store.statistics if isinstance(self.store, Lent) else word_statistics(self.store)

    def listed_of(self, ids: Iterable[int]) -> Mapping[int, Sequence[ListedPath]]:
        """Return the paths of live documents as they are listed, sorted, by id."""
        return self.store.listed_of(ids)

    def again(self) -> Folder:
        """Return itself."""
        return self

    def compare(self, batch: Sequence[Screened], options: Options) -> None:
        """Compare queries with their candidates. The catalog is asked twice: for their rows, and for paths of matches.

        Raises:
            CorruptError: A file of the collection that the answer needs is damaged.
        """
        asked = [one for one in batch if one.candidates]
        if not asked:
            return
        some = sources(self.store, self.generation, [(one.candidates, one.left_out) for one in asked])
        compare_each(asked, some, options, self.statistics)
        paths = self.store.listed_of({source.document.id for one in asked for source in one.shared if not source.paths})
        for one in asked:
            for source in one.shared:
                source.name(paths, one.left_out)

    @contextmanager
    def workers(self, options: Options, jobs: int) -> Iterator[Workers]:
        """Yield workers. At the end the calls that threads have begun are waited for; the others must be cancelled.

        If NumPy answers for the kernels, then there are no threads: NumPy holds the lock.

        Args:
            options: What the calls are made with.
            jobs: Calls made at the same time, at least 1.
        """
        from pmbf.jobs.processes import Processes, asked_back  # imported only if workers are asked for

        assert isinstance(self.store, Store)
        answering = partial(answer, self.store)
        lent = Lent(self.folder, self.commit_number, self.statistics, answering)
        plain = replace(options, labels_of=None)  # not every function can be sent there
        far = replace(self, store=replace(lent, ask=asked_back)), plain
        with ExitStack() as stack:
            processes = stack.enter_context(Processes(jobs, keep, far, answering))
            if kernels.NAME != "native":
                yield Workers(jobs, None, far, processes)
                return
            near = replace(self, store=lent, generation=stack.enter_context(closing(self.generation.again()))), options
            yield Workers(jobs, stack.enter_context(Threads(jobs)), near, processes)
