"""The verbs of a collection that are about sentences; `Collection` has them."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Unpack

from pmbf.errors import ParameterError
from pmbf.extract import Limits
from pmbf.intake.texts import Origin, Text, read_text
from pmbf.opened import Opened
from pmbf.report import Texts
from pmbf.screen import LeavingOut, Options, OptionValues
from pmbf.store.sourcetexts import SourceTexts
from pmbf.templates import template_of

if TYPE_CHECKING:
    from pmbf.sentences import SentenceReport
    from pmbf.sentences import Status as SentencesStatus

_OPTIONS = {"exclude_self", "exclude_same", "where", "where_not", "labels_of", "template"}


class BySentences(Opened):
    """An opened folder that can be screened by sentences."""

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

        with self._writer() as writer:
            build(writer.store, code=code, key_bits=key_bits, on_read=on_read or (lambda n_read, n_all: None))
        return self.sentences_status()

    def drop_sentences(self) -> bool:
        """Delete the sentences; return whether there were any."""
        from pmbf.sentences import drop

        with self._writer():
            return drop(self.path)

    def sentences_status(self) -> SentencesStatus:
        """Return how large the sentences are, and whether they show the collection as it is.

        Raises:
            NotFoundError: The collection has no sentences.
            CorruptError: They are damaged.
        """
        return self._sentences.status()

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
            query: As for `screen`.
            name: The query's name in the report; the path by default.
            limits: Bounds for reading a file.
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
        origin = Origin.of(query, name)
        return self.answer_by_sentences(origin, read_text(origin, limits or Limits()), **options)

    def answer_by_sentences(self, asked: Origin | Text, read: Text, **options: Unpack[OptionValues]) -> SentenceReport:
        """Return the report of a text that was read before.

        Args:
            asked: Where the text comes from: tells under which paths it may be listed itself.
            read: The text.
            options: As for `screen_sentences`; raises what that raises.
        """
        from pmbf.sentences import screen_sentences

        wanted, sentences = _of_sentences(options), self._sentences
        template = None if wanted.template is None else template_of(wanted.template)
        report = screen_sentences(self._store, sentences, read, LeavingOut(self._store, wanted).of(asked), template)
        return replace(report, texts=Texts(read.content, SourceTexts(os.path.abspath(self.path))))


def _of_sentences(options: OptionValues) -> Options:
    """Return the options of a screening by sentences.

    Raises:
        ParameterError: There is another one.
    """
    if other := options.keys() - _OPTIONS:
        raise ParameterError(f"{min(other)} is no option of a screening by sentences")
    return Options.of(options)
