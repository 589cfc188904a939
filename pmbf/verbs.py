"""`AnyCollection`: the verbs that a collection has wherever its documents lie."""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Self, Unpack

from pmbf.base.errors import NoTextError, NotFoundError, ParameterError
from pmbf.base.params import Params
from pmbf.extract import Limits
from pmbf.intake.discovery import several
from pmbf.intake.texts import Origin, Text, origins, read_text
from pmbf.report import Report, Texts
from pmbf.screen import Answer, Backend, LeavingOut, LeftPaths, Options, OptionValues, answers, reports, screened
from pmbf.store.listing import Listed

_SHOWN_ROWS = 10
"""Documents in the table that a notebook shows."""

_USUAL_LIMITS = Limits()


class AnyCollection(ABC):
    """Documents in a folder or on the nodes of a cluster. `len`, `in` and iteration are over documents."""

    path: Path
    """Where the collection is."""
    _is_closed = False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    def __repr__(self) -> str:
        size = "closed" if self._is_closed else f"{len(self):,} documents"
        return f"<{type(self).__name__} {str(self.path)!r}: {size}>"

    def _repr_html_(self) -> str:
        """Return a notebook's view: a table of the first ten documents."""
        if self._is_closed:
            return f"<p>{_as_html(repr(self))}</p>"
        rows = "".join(
            f"<tr><td>{one.id}</td><td>{one.n_chars:,}</td><td>{_as_html(one.kind)}</td>"
            f"<td>{_as_html(', '.join(one.paths))}</td></tr>"
            for one in islice(self, _SHOWN_ROWS)
        )
        more = f", the first {_SHOWN_ROWS} of them" if len(self) > _SHOWN_ROWS else ""
        caption = f"<caption>{_as_html(str(self.path))}: {len(self):,} documents{more}</caption>"
        head = "<tr><th>id</th><th>characters</th><th>kind</th><th>paths</th></tr>"
        return f"<table>{caption}<thead>{head}</thead><tbody>{rows}</tbody></table>"

    def __len__(self) -> int:
        return self.n_documents

    def __iter__(self) -> Iterator[Listed]:
        """Yield every document by ascending id, as `documents` does."""
        return self.documents()

    def __contains__(self, what: object) -> bool:
        """Whether a document is listed under a path or name; or whether the collection has a document's id."""
        what = what.id if isinstance(what, Listed) else what
        try:
            return isinstance(what, int | str | os.PathLike) and bool(self._find([what]))
        except NotFoundError:
            return False

    # ------------------------------------------------------------------ what differs

    @property
    @abstractmethod
    def id(self) -> str:
        """Random hexadecimal digits, chosen when the collection was made."""

    @property
    @abstractmethod
    def n_documents(self) -> int:
        """How many documents there are, files without text included, removed ones left out."""

    @property
    @abstractmethod
    def n_without_text(self) -> int:
        """How many documents are files without text, known by their checksum: no text is compared with them."""

    @abstractmethod
    def documents(self) -> Iterator[Listed]:
        """Yield every document by ascending id. Memory does not grow with their number."""

    @abstractmethod
    def text(self, document: int) -> str:
        """Return a document's text.

        Raises:
            NotFoundError: There is no such document.
            IncompleteError: The text is not stored and its file is gone or has changed; or no node can read it.
        """

    @abstractmethod
    def close(self) -> None:
        """Release what is open."""

    @abstractmethod
    def is_among_documents(self, place: str) -> bool:
        """Return whether what is written at a place would be loaded with the documents: in their folder, or below it.

        Args:
            place: The absolute path of a file or folder, which need not exist.
        """

    @abstractmethod
    def _find(self, what: Iterable[int | str | os.PathLike[str]]) -> Sequence[int | str]:
        """Return each document's id, or path or name as it is listed; raise what `pmbf.store.listing.find` raises."""

    @property
    @abstractmethod
    def _backend(self) -> Backend:
        """The collection as screening asks for it, at the generation that this object shows."""

    @property
    @abstractmethod
    def _source_texts(self) -> Callable[[int], str]:
        """Returns the texts of documents, for a report."""

    # ------------------------------------------------------------------ what all do

    @property
    def params(self) -> Params:
        """The parameters that the collection was made with."""
        return self._backend.generation.params

    @property
    def generation(self) -> int:
        """Number of the commit that this object shows."""
        return self._backend.commit_number

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
            CorruptError: A file of the collection that the answer needs is damaged. Volumes of a cluster that no node
                answers for are named in `problems` instead.
        """
        wanted, origin = Options.of(options), Origin.of(query, name)
        refused: NoTextError | None = None
        try:
            read = read_text(origin, limits or _USUAL_LIMITS)
        except NoTextError as error:
            read, refused = Text(origin.name, "", unread=True, sha256=error.sha256), error
        backend = self._backend
        [answer] = screened(backend, wanted, [(read, LeavingOut(backend, wanted).of(origin))])
        if refused and not answer.report.found:
            raise refused
        return _with_texts(answer, self._source_texts).report

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
        >>> from pmbf import Collection
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
        wanted, bounds = Options.of(options), limits or _USUAL_LIMITS
        texts, backend = self._source_texts, self._backend
        left_out = LeavingOut(backend, wanted, leaving_out)
        found = answers(backend, queries, left_out, limits=bounds, options=wanted, stages=screened, jobs=jobs)
        return (_with_texts(one, texts) for one in found)


def _with_texts(answer: Answer, source: Callable[[int], str]) -> Answer:
    """Return an answer whose report has the texts that it is about."""
    report, query = answer.report, answer.query
    return Answer(replace(report, texts=Texts(query.content, source)), query)


def _as_html(text: str) -> str:
    from html import escape

    return escape(text.encode("utf-8", "backslashreplace").decode())
