"""From the texts of a collection to the lists of their chunks, by holders that are given documents and answer lists."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from pmbf import kernels
from pmbf.alike.similar.rules import TableRules
from pmbf.base.errors import PmbfError
from pmbf.jobs.executor import Executor, complete
from pmbf.kernels import Lists
from pmbf.store.catalog_tables import Document
from pmbf.store.generation import Generation
from pmbf.store.originals import original_text

Known = tuple[Document, list[str]]
"""A document's row in the catalog, and its paths."""

_BATCH_CHARS = 4_000_000
_BATCH_DOCUMENTS = 1024


class Reader:
    """A holder that reads texts.

    Args:
        generation: The files that the texts are in; whoever makes the holder holds the reader's lock.
        n_words: Words of a chunk.
        bits: Of a chunk ID.
    """

    def __init__(self, generation: Generation, n_words: int, bits: int) -> None:
        self._generation, self._n_words, self._bits = generation, n_words, bits

    def lists(self, documents: Sequence[Known]) -> tuple[Lists, dict[int, str]]:
        """Return the chunks of documents, and by id the reason of those whose text cannot be read; their list is empty.

        A damaged or missing text stops nothing.
        """
        texts, unread = [], dict[int, str]()
        for document, paths in documents:
            try:
                texts.append(original_text(self._generation, document, paths).encode("utf-8"))
            except (PmbfError, OSError) as error:
                unread[document.id] = str(error)
                texts.append(b"")
        return kernels.chunk_lists(texts, n_words=self._n_words, bits=self._bits), unread


def read_lists(
    executor: Executor,
    n_shards: int,
    generation: Generation,
    documents: Sequence[Document],
    paths: Mapping[int, list[str]],
    rules: TableRules,
) -> Iterator[tuple[Sequence[Document], Lists, dict[int, str]]]:
    """Yield documents with their lists and what could not be read, in order.

    Args:
        executor: Makes `n_shards` holders.
        n_shards: Number of holders, each given a batch at a time.
        generation: The collection's.
        documents: What to read.
        paths: Of each, by id.
        rules: With the bits of a chunk ID.

    Raises:
        IncompleteError: A process died.
    """
    executor.start(Reader, [(generation, rules.n_words, rules.bits)] * n_shards)
    cut = list(batches(documents))
    for first in range(0, len(cut), n_shards):
        some = cut[first : first + n_shards]
        known = [[(document, paths[document.id]) for document in batch] for batch in some]
        answers = complete(executor.call("lists", {shard: (batch,) for shard, batch in enumerate(known)}))
        for batch, (lists, unread) in zip(some, answers, strict=True):
            yield batch, lists, unread


def batches(documents: Sequence[Document]) -> Iterator[Sequence[Document]]:
    """Yield documents in batches that are read together: of so many characters, and so many."""
    chars = np.cumsum([document.n_chars for document in documents])
    start = 0
    while start < len(documents):
        before = chars[start - 1] if start else 0
        stop = int(np.searchsorted(chars, before + _BATCH_CHARS, "right"))
        yield documents[start : (stop := min(max(stop, start + 1), start + _BATCH_DOCUMENTS))]
        start = stop
