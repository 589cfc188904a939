"""The verbs of a collection that answer by single sentences: the store of its sentences, and what is asked of it."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Unpack

from pmbf.base.errors import ParameterError
from pmbf.collection.opened import OpenFolder
from pmbf.extract import Limits
from pmbf.intake.discovery import several
from pmbf.intake.texts import Origin, Text, origins, read_text
from pmbf.report import Texts
from pmbf.screen import LeavingOut, OptionValues, answers, reports
from pmbf.verbs import AnyCollection

if TYPE_CHECKING:
    from pmbf.sentences import SentenceAnswer, SentenceFolder, SentenceReport
    from pmbf.sentences import Status as SentencesStatus


class WithSentences(AnyCollection):
    """A collection in a folder, with a store of its sentences."""

    _opened: OpenFolder

    def build_sentences(
        self, *, code: str = "words", key_bits: int = 32, on_read: Callable[[int, int], None] | None = None
    ) -> SentencesStatus:
        """Cut all texts into units, so that `screen_sentences` can answer; from now on they follow each change.

        Args:
            code: `words`, or `paper` for the 100 bits of Jiang's paper: docs/sentences.md compares them.
            key_bits: Bits of a key, 32; 64 above 100 million units.
            on_read: Called with the documents read so far, and how many there are.

        Raises:
            ParameterError: There is no such code, or no such number of bits.
            BusyError, OSError: Another process is writing, or the disk is full; sentences that were there are kept.
        """
        from pmbf.sentences import build

        with self._opened.writer() as writer:
            build(writer.store, code=code, key_bits=key_bits, on_read=on_read or (lambda n_read, n_all: None))
        return self.sentences_status()

    def drop_sentences(self) -> bool:
        """Delete the sentences; return whether there were any."""
        from pmbf.sentences import drop

        with self._opened.writer():
            return drop(self.path)

    def sentences_status(self) -> SentencesStatus:
        """Return how large the sentences are, and whether they are up to date; raise what `screen_sentences` does."""
        return self._opened.sentences.status()

    def screen_sentences(
        self,
        query: str | bytes | os.PathLike[str],
        *,
        name: str = "",
        limits: Limits | None = None,
        **options: Unpack[OptionValues],
    ) -> SentenceReport:
        """Return which sentences of a text stand in which documents; the collection needs sentences.

        Args:
            query, name, limits: As for `screen`.
            options: Of the fields of `pmbf.screen.Options` those that leave out documents (`exclude_self`,
                `exclude_same`, `where`, `where_not`, `labels_of`), and `template`.

        Raises:
            NotFoundError: The collection has no sentences, or the path does not exist.
            ParameterError: As for `screen`, or an option has another meaning.
            CorruptError: The sentences are damaged.
            UnsupportedError, IncompleteError: The file cannot be read as text.

        >>> import tempfile
        >>> from pmbf import Collection
        >>> with Collection(tempfile.mkdtemp() + "/tides.pmbf", create=True) as collection:
        ...     _ = collection.add("The sea comes in twice a day and goes out twice a day.", name="sea")
        ...     _ = collection.build_sentences()
        ...     collection.screen_sentences("He says: the sea comes in twice a day and goes out again twice a day.")
        <SentenceReport of '': 1 of 1 sentence, 1 source>
        """
        from pmbf.sentences import options_of, screen_sentences

        origin = Origin.of(query, name)
        read, wanted = read_text(origin, limits or Limits()), options_of(options)
        backend = self._with_sentences
        report = screen_sentences(backend, read, LeavingOut(backend, wanted).of(origin), wanted)
        return replace(report, texts=Texts(read.content, self._source_texts))

    def screen_sentences_many(
        self,
        queries: Iterable[str | bytes | os.PathLike[str]],
        *,
        jobs: int = 1,
        limits: Limits | None = None,
        on_progress: Callable[[int], None] | None = None,
        **options: Unpack[OptionValues],
    ) -> Iterator[SentenceReport]:
        """Yield the report of each query, in order; the reports are those of `screen_sentences`.

        Args:
            queries, jobs, limits, on_progress: As for `screen_many`; so is what becomes of a query that cannot be read.
            options: As for `screen_sentences`.

        Raises:
            NotFoundError, ParameterError, CorruptError: As for `screen_sentences`.
        """
        found = self.answers_by_sentences(origins(several("queries", queries)), limits=limits, jobs=jobs, **options)
        return reports(found, on_progress)

    def answers_by_sentences(
        self,
        queries: Iterable[Origin | Text],
        *,
        limits: Limits | None = None,
        jobs: int = 1,
        **options: Unpack[OptionValues],
    ) -> Iterator[SentenceAnswer]:
        """Yield each query with its report, in order, as `screen_sentences_many` does.

        Args:
            queries: Origins to read, and texts that were read before.
        """
        from pmbf.sentences import SentenceAnswer, options_of, screened

        if jobs < 1:
            raise ParameterError(f"jobs is {jobs}, expected at least 1")
        wanted, backend, texts = options_of(options), self._with_sentences, self._source_texts
        of_each = LeavingOut(backend, wanted)
        bounds = limits or Limits()
        found = answers(backend, queries, of_each, limits=bounds, options=wanted, stages=screened, jobs=jobs)
        return (SentenceAnswer(replace(one.report, texts=Texts(one.query.content, texts)), one.query) for one in found)

    @property
    def _with_sentences(self) -> SentenceFolder:
        from pmbf.sentences import SentenceFolder

        store = self._opened.store
        return SentenceFolder.beside(store, self._opened.sentences)
