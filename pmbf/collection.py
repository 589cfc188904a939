"""`Collection`: the public face. Each verb is one short call into the module that does the work.

Verbs that change a collection import their modules when they are called, so that a screening starts sooner.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import replace
from typing import TYPE_CHECKING, Unpack, overload

from pmbf import kernels
from pmbf.by_sentences import BySentences
from pmbf.errors import NoTextError, ParameterError
from pmbf.extract import Limits
from pmbf.intake.discovery import discover, several
from pmbf.intake.texts import Origin, Text, origins, read_text
from pmbf.report import Report, Texts
from pmbf.screen import Answer, LeavingOut, LeftPaths, Options, OptionValues, answers, reports, screen
from pmbf.store.folder import Store
from pmbf.store.listing import find, named
from pmbf.store.sourcetexts import SourceTexts, document_text

if TYPE_CHECKING:
    from pmbf.intake.adding import OnProblem
    from pmbf.intake.labelling import Labelling
    from pmbf.intake.loader import LoadReport, Progress
    from pmbf.store import check as checking
    from pmbf.store.compact import CompactReport
    from pmbf.store.stats import Stats


class Collection(BySentences):
    """A folder with all loaded documents.

    Opening costs milliseconds. The object shows the collection as it was when it was opened. Verbs that change the
    collection take the writer's lock while they run; this object shows their change at once. `len`, `in` and iteration
    are over documents.

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
        with threads or nullcontext(), self._writer(threads) as writer:
            loader = Loader(writer, self.params, limits=limits, threads=threads, jobs=jobs, on_progress=on_progress)
            report = loader.load(discover(roots, *patterns))
            if prune:
                loader.prune(roots)
            if labels:
                loader.label(roots, labels)
            return report

    def add(self, text: str, *, name: str, labels: Mapping[str, str] | None = None) -> int:
        """Store a text under a name, in place of the text of that name before; return its document's id.

        The name keeps its labels; `labels` changes some of them.

        Each call is a commit. For thousands of texts `add_many` is some 200 times as fast.

        Raises:
            ParameterError: The name is no `str` or empty; the text is no `str`, or looks like a path; or a label is
                wrong.
            BusyError: Another process is writing.
        """
        from pmbf.intake.adding import add_text, require_one

        pair = require_one(name, text)
        with self._writer() as writer:
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
        with self._writer() as writer:
            return add_texts(writer, pairs)

    def screen(
        self,
        query: str | bytes | os.PathLike[str],
        *,
        name: str = "",
        limits: Limits | None = None,
        **options: Unpack[OptionValues],
    ) -> Report:
        """Return which documents a text shares passages with, and where.

        Args:
            query: A text; or the bytes of a file, whose format its content and `name` tell; or a path. A `str`
                is always a text: if it looks like a path, then it is refused.
            name: The query's name in the report; the path by default.
            limits: Bounds for reading a file.
            options: Fields of `pmbf.screen.Options`: `min_chars`, `min_similarity`, `threshold`, …

        Raises:
            ParameterError: An option is unknown or outside its range. Or the query is neither text, bytes nor path, or
                is a `str` that looks like a path.
            NotFoundError: The path does not exist.
            UnsupportedError, IncompleteError: The file cannot be read as text, and no document is the same file.
            CorruptError: A file of the collection that the answer needs is damaged.
        """
        wanted, origin = Options.of(options), Origin.of(query, name)
        refused: NoTextError | None = None
        try:
            read = read_text(origin, limits or Limits())
        except NoTextError as error:
            read, refused = Text(origin.name, "", unread=True, sha256=error.sha256), error
        left_out = LeavingOut(self._store, wanted).of(origin)
        report = screen(self._store, read, options=wanted, left_out=left_out)
        if refused and not report.found:
            raise refused
        return self._with_texts(report, read)

    def screen_many(
        self,
        queries: Iterable[str | bytes | os.PathLike[str]],
        *,
        jobs: int = 1,
        limits: Limits | None = None,
        on_progress: Callable[[int], None] | None = None,
        **options: Unpack[OptionValues],
    ) -> Iterator[Report]:
        """Yield the report of each query, in order; the reports are those of `screen`.

        A query that cannot be read (a damaged file, NaN) stops nothing: its report compares nothing and says why in
        `problems`. Memory stays bounded. Change the collection through this object only after the last report.

        Args:
            queries: As for `screen`; texts and bytes have no name.
            jobs: Queries read and compared at the same time, at least 1: the first ones by threads, more by processes.
                These do not import the calling script.
            limits: Bounds for reading a file.
            on_progress: Called before each report, with the number of reports so far.
            options: Fields of `pmbf.screen.Options`, as for `screen`.

        Raises:
            ParameterError: `jobs` or an option is outside its range, or `queries` is a single text or path.
            CorruptError: A file of the collection that an answer needs is damaged.

        >>> import tempfile
        >>> with Collection(tempfile.mkdtemp() + "/tides.pmbf", create=True) as collection:
        ...     _ = collection.add("The sea comes in twice a day and goes out twice a day.", name="sea")
        ...     texts = ["The sea comes in twice a day and goes out.", "Nobody asks the moon why."]
        ...     [report.found for report in collection.screen_many(texts, min_chars=40)]
        [True, False]
        """
        found = self.answers(origins(several("queries", queries)), limits=limits, jobs=jobs, **options)
        return reports(found, on_progress)

    def answers(
        self,
        queries: Iterable[Origin | Text],
        *,
        limits: Limits | None = None,
        jobs: int = 1,
        leaving_out: LeftPaths | None = None,
        **options: Unpack[OptionValues],
    ) -> Iterator[Answer]:
        """Yield each query with its report, in order, as `screen_many` does.

        Args:
            queries: Origins to read, and texts that were read before.
            limits, jobs, options: As for `screen_many`.
            leaving_out: Returns the listed paths and names that a query is not compared with; see `LeftOut`.

        Raises:
            ParameterError, CorruptError: As for `screen_many`.
        """
        if jobs < 1:
            raise ParameterError(f"jobs is {jobs}, expected at least 1")
        wanted, bounds = Options.of(options), limits or Limits()
        found = answers(self._store, queries, limits=bounds, options=wanted, jobs=jobs, leaving_out=leaving_out)
        return (Answer(self._with_texts(one.report, one.query), one.query) for one in found)

    def _with_texts(self, report: Report, query: Text) -> Report:
        """Return a report with the texts that it is about, and the format of the query."""
        texts = Texts(query.content, SourceTexts(os.path.abspath(self.path)))
        return replace(report, query=replace(report.query, kind=query.kind), texts=texts)

    def text(self, document: int) -> str:
        """Return a document's text; raise what `document_text` raises."""
        return document_text(self._store, document)

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
        with self._writer() as writer:
            wanted = set(find(writer.store, what))
            writer.remove(one for one in wanted if isinstance(one, int))
            writer.detach([one for one in wanted if isinstance(one, str)])
            writer.commit()
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

        with self._writer() as writer:
            paths = writer.store.catalog.paths() if what is None else named(writer.store, several("what", what))
            return relabel(writer, paths, labels)

    def compact(self) -> CompactReport:
        """Give back the room of removed documents, and merge small files."""
        with self._writer() as writer:
            from pmbf.store.compact import compact

            report = compact(writer)
            self._follow(writer, compact=True)
            return report

    def check(self) -> checking.CheckReport:
        """Compare every file, row and bit with the data that it was made from; similarities with their checksums."""
        from pmbf.sentences import checking as sentences
        from pmbf.similar.checking import problems
        from pmbf.store import check as checking

        report = checking.check(self._store)
        report.problems += problems(self._store) + sentences.problems(self._store)
        return report


def repair(path: str | os.PathLike[str]) -> checking.CheckReport:
    """Rebuild the damaged parts of a collection from the whole ones. Damaged similarities are deleted; sentences that
    are damaged or do not fit any more are made anew.

    Raises:
        CorruptError: The catalog itself is damaged.
        BusyError: Another process is writing.
    """
    with Store(path, writable=True, trusting=True) as store:
        from pmbf.sentences import checking as sentences
        from pmbf.similar import checking as similar
        from pmbf.store import repair as repairing

        report = repairing.repair(store)
        if damaged := similar.problems(store):
            report.problems += damaged
            similar.give_up(store)
            report.repaired.append(f"similarities deleted: compute them with `pmbf similar update -c {store.folder}`")
        if damaged := sentences.problems(store):
            report.problems += damaged
            report.repaired.append(sentences.made_anew(store))
        return report
