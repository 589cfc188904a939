"""`Collection`: documents in a folder. Each verb is one short call into the module that does the work.

Verbs that change a collection import their modules when they are called, so that a screening starts sooner.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, overload

from pmbf import kernels
from pmbf.base.errors import ParameterError
from pmbf.base.params import Params
from pmbf.collection.by_sentences import WithSentences
from pmbf.collection.opened import OpenFolder
from pmbf.extract import Limits
from pmbf.intake.discovery import discover, is_among, several
from pmbf.screen import Folder
from pmbf.store.folder import Store
from pmbf.store.listing import Listed, find, listed_in, named
from pmbf.store.originals import SourceTexts, document_text

if TYPE_CHECKING:
    from pmbf.intake.adding import OnProblem
    from pmbf.intake.labelling import Labelling
    from pmbf.intake.loader import LoadReport, Progress
    from pmbf.store.check import CheckReport
    from pmbf.store.compact import CompactReport
    from pmbf.store.stats import Stats


class Collection(WithSentences):
    """A folder with all loaded documents.

    Opening costs milliseconds. The object shows the collection as it was when it was opened. Verbs that change the
    collection take the writer's lock while they run; this object shows their change at once.

    Args:
        path: The collection's folder.
        create: Whether to make the collection if it is not there.
        params: Parameters of a new collection; an existing one has its own.

    Raises:
        NotFoundError: There is no collection, and `create` is false.
        ParameterError: `params` differ from those of the existing collection, or the folder holds other files.
        CorruptError: The catalog is damaged.
        UnsupportedError: A newer pmbf wrote it.

    Thread rule: any thread may call any verb. Each thread reads through files that it opens at its first call, and
    shows the collection as it is then. Threads that change the collection wait for each other. An iterator
    (`screen_many`, `documents`) goes on in the thread that began it.
    """

    def __init__(self, path: str | os.PathLike[str], *, create: bool = False, params: Params | None = None) -> None:
        self.path = Path(path)
        self._opened = OpenFolder(self.path)
        if create and not (self.path / "catalog.sqlite").exists():
            Store.create(self.path, params or Params())
        _ = self._store  # a folder that is no collection is refused here
        if params is not None and params != self.params:
            mine, theirs = asdict(self.params), asdict(params)
            unlike = ", ".join(f"{one} is {mine[one]}, not {theirs[one]}" for one in mine if mine[one] != theirs[one])
            self.close()
            raise ParameterError(f"{self.path}: was made with other parameters ({unlike}); they cannot change")

    def __reduce__(self) -> tuple[type[Collection], tuple[str]]:
        return type(self), (str(self.path),)

    def close(self) -> None:
        """Release the files. What another thread is reading stays open until it has read it."""
        self._is_closed = True
        self._opened.close()

    @property
    def id(self) -> str:
        return str(self._store.catalog.meta["collection_id"])

    @property
    def n_documents(self) -> int:
        totals = self._store.generation.directory.totals()
        return totals.n_live + totals.n_without_text

    @property
    def n_without_text(self) -> int:
        return self._store.generation.directory.totals().n_without_text

    def documents(self) -> Iterator[Listed]:
        """Yield every document by ascending id. Memory does not grow with their number.

        They are those of the commit that is the last one when the first document is asked for. So documents may be
        added and removed meanwhile.

        Raises:
            CorruptError: The catalog is damaged; rows that are missing are told behind the last document.
        """
        _ = self._store  # a closed object is refused here
        return listed_in(self.path)

    def is_among_documents(self, place: str) -> bool:
        return is_among(self._store.catalog, place)

    def text(self, document: int) -> str:
        return document_text(self._store, document)

    def load(
        self,
        paths: Iterable[str | os.PathLike[str]],
        *,
        include: Sequence[str] = (),
        exclude: Sequence[str] = (),
        prune: bool = False,
        labels: Labelling | None = None,
        limits: Limits | None = None,
        jobs: int = 1,
        on_progress: Callable[[Progress], None] | None = None,
    ) -> LoadReport:
        """Load files and folders: new files are added, changed ones replaced, unchanged ones skipped.

        Args:
            paths: Files and folders; folders are walked recursively.
            include: Glob patterns; if there are any, a file found in a folder must fit one of them.
            exclude: Glob patterns; a file or folder found in a folder must fit none of them.
            prune: Whether to take out the paths below `paths` whose file is gone.
            labels: Returns the labels of a path; asked for each path at or below `paths`, the files loaded before too.
                A `LabelTable`, a `LabelPattern` of `pmbf.intake.labelling`, or any function.
            limits: Bounds for reading a file.
            jobs: Threads that read files and compress texts, at least 1; processes on the NumPy kernels.
            on_progress: Called after each batch: up to 256 files, or a tenth of a second.

        Raises:
            ParameterError: `paths`, `include` or `exclude` is a single text or path, or a label is wrong.
            BusyError, OSError: Another process is writing, or the disk is full; what was committed before is kept.
        """
        from pmbf.intake.loader import Loader
        from pmbf.jobs.threads import Threads

        roots, patterns = list(several("paths", paths)), (several("include", include), several("exclude", exclude))
        threads = Threads(jobs) if jobs > 1 else None
        with threads or nullcontext(), self._opened.writer(threads) as writer:
            loader = Loader(writer, limits=limits, threads=threads, jobs=jobs, on_progress=on_progress)
            report = loader.load(discover(roots, *patterns, listing=kernels.list_folder))
            if prune:
                loader.prune(roots)
            if labels:
                loader.label(roots, labels)
            return report

    def add(self, text: str, *, name: str, labels: Mapping[str, str] | None = None) -> int:
        """Store a text under a name, in place of the text of that name before; return its document's id.

        The name keeps its labels; `labels` changes some of them. Each call is a commit. For
        thousands of texts `add_many` is some 200 times as fast.

        Raises:
            ParameterError: The name is no `str` or empty; the text is no `str`, or looks like a path; or a label is
                wrong.
            BusyError: Another process is writing.
        """
        from pmbf.intake.adding import add_text, require_one

        pair = require_one(name, text)
        with self._opened.writer() as writer:
            return add_text(writer, pair, labels)

    @overload
    def add_many(self, texts: Iterable[tuple[str, str]]) -> list[int]: ...

    @overload
    def add_many(self, texts: Iterable[tuple[str, str]], *, on_problem: OnProblem) -> list[int | None]: ...

    def add_many(
        self, texts: Iterable[tuple[str, str]], *, on_problem: OnProblem | None = None
    ) -> Sequence[int | None]:
        """Store pairs of a name and a text, the name first, in one commit; return their documents' ids.

        Args:
            texts: The pairs.
            on_problem: Called with a sentence for each pair that cannot be stored, such as NaN in a column of texts.
                The other pairs are stored, and the id of this one is None.

        Raises:
            ParameterError: A name is no `str` or empty, or a text is no `str`, and there is no `on_problem`. Or most
                pairs look swapped: a text under 4 words with a name of 8 or more. Or most texts look like paths.
                Nothing is stored.
            BusyError: Another process is writing.
        """
        from pmbf.intake.adding import add_texts, checked

        pairs = checked(texts, on_problem)
        with self._opened.writer() as writer:
            return add_texts(writer, pairs)

    def stats(self) -> Stats:
        """Return the size of the collection and how full its rows are."""
        from pmbf.store.stats import measure

        return measure(self._store, kernels.NAME)

    def remove(self, *what: int | str | os.PathLike[str]) -> int:
        """Remove documents by id, or take out paths and names; return the number of ids, paths and names taken out.

        A document goes with its last path. Answers leave it out from now on; `compact` gives its room back.

        Raises:
            NotFoundError: An id, path or name is not in the collection; then nothing is removed.
        """
        with self._opened.writer() as writer:
            wanted = set(find(writer.store, what))
            writer.remove(one for one in wanted if isinstance(one, int))
            writer.detach([one for one in wanted if isinstance(one, str)])
            writer.commit(in_journal=True)
            return len(wanted)

    def label(self, what: Iterable[int | str | os.PathLike[str]] | None, labels: Mapping[str, str] | Labelling) -> int:
        """Change labels of paths and names, in one commit; return how many paths change.

        Args:
            what: Paths, names and ids, whose paths are all meant; None: every path.
            labels: New values by the name of a label, an empty one takes the label away; or a function that returns
                them for a path.

        Raises:
            NotFoundError: An id, path or name is not in the collection; then nothing changes.
            ParameterError: A label is wrong; then nothing changes.

        >>> import tempfile
        >>> with Collection(tempfile.mkdtemp() + "/tides.pmbf", create=True) as collection:
        ...     _ = collection.add("The sea comes in twice a day.", name="sea", labels={"author": "berg"})
        ...     _ = collection.label(["sea"], {"author": "", "group": "a"})
        ...     [document.labels for document in collection.documents()]
        [({'group': 'a'},)]
        """
        from pmbf.intake.labelling import relabel

        with self._opened.writer() as writer:
            paths = writer.store.catalog.paths() if what is None else named(writer.store, several("what", what))
            return relabel(writer, paths, labels)

    def compact(self) -> CompactReport:
        """Give back the room of removed documents, and merge small files."""
        with self._opened.writer() as writer:
            from pmbf.store.compact import compact

            report = compact(writer)
            self._opened.follow(writer, compact=True)
            return report

    def check(self) -> CheckReport:
        """Compare every file, row and bit with the data that it was made from; similarities with their checksums."""
        from pmbf.collection.checking import check

        return check(self._store)

    @property
    def _store(self) -> Store:
        return self._opened.store

    def _find(self, what: Iterable[int | str | os.PathLike[str]]) -> list[int | str]:
        return find(self._store, what)

    @property
    def _backend(self) -> Folder:
        return Folder.of(self._store)

    @property
    def _source_texts(self) -> SourceTexts:
        return SourceTexts(os.path.abspath(self.path))
