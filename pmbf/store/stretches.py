"""Long texts by stretches of 4,096 characters: which stretch has which hash, and the text of some of them.

    a text ─► its sampled hashes, each in the stretch where it begins ─► postings of the stretches, beside the text

A query finds the stretches that have its hashes, and reads the blocks of these: 50 MB cost what a stretch costs. The
postings are laid out as in a file of the kind `POST`. A stretch has the number of the byte of the text where it begins.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pmbf import kernels
from pmbf.base.errors import ParameterError
from pmbf.base.params import Params
from pmbf.base.span import Span
from pmbf.fingerprint import query_sample
from pmbf.store import codec, postings
from pmbf.store.catalog_tables import Document
from pmbf.store.files import damaged
from pmbf.store.generation import Generation
from pmbf.store.having import FirstPlaces, Having
from pmbf.store.postings import StoredPostings

STRETCH_CHARS = 4096

LONG_CHARS = 1 << 19
"""A stored text of more characters has a record of its stretches: a seventh of its length. Below, reading and sampling
the whole text takes 5 ms at most."""

_OCTETS = 1 << 20
"""Bytes that are looked at together for where characters begin."""


def is_by_stretches(document: Document) -> bool:
    """Return whether a document's record has the stretches of its text."""
    return document.fingerprint_file > 0 and document.text_file > 0 and bool(is_long(document.n_chars))


def is_long(n_chars: Any) -> Any:
    """Return whether the record of a stored text of so many characters has its stretches; of an array, whether each."""
    return n_chars > LONG_CHARS


def begin_of(generation: Generation, document: Document) -> int:
    """Return the offset where the stretches of a document begin in its file, behind the word list."""
    file, start = generation.file(document.fingerprint_file), document.fingerprint_offset
    if not generation.has_words:
        return start
    file.check(start, start + codec.LEAST_WORDED)
    return start + codec.worded_bytes(file.payload, start)


def postings_of(utf8: bytes, params: Params) -> bytes:
    """Return the postings of the stretches of a text, as its record has them: 4 ns a character."""
    sampled = query_sample(utf8, params, starts=True)
    pairs = postings.distinct_pairs(sampled.hashes, sampled.starts // np.uint32(STRETCH_CHARS))
    made = kernels.make_postings(*pairs, _begins(utf8), params.hash_bits)
    return b"".join(postings.payload([made], np.empty(0, np.uint32), params.hash_bits))


def _begins(utf8: bytes) -> NDArray[np.uint32]:
    """Return the byte where each stretch begins."""
    octets, found, n_chars = np.frombuffer(utf8, np.int8), [], 0
    for at in range(0, len(octets), _OCTETS):
        firsts = np.flatnonzero(octets[at : at + _OCTETS] >= -64)  # the others go on with a character
        found.append(firsts[-n_chars % STRETCH_CHARS :: STRETCH_CHARS] + at)
        n_chars += len(firsts)
    return np.concatenate(found).astype(np.uint32)


class LongText:
    """A stored text of which a comparison reads the stretches that it needs.

    Safe to share between threads: at worst a place is looked up twice.

    Args:
        generation: Has the files.
        document: One that `is_by_stretches`.

    Raises:
        CorruptError: The record or the text is damaged where it is read.
    """

    has_grown = False
    """As of `verify.Prepared`: what is kept does not change."""

    n_bytes = 1 << 14
    """Memory of the places of its blocks, about."""

    def __init__(self, generation: Generation, document: Document) -> None:
        self.n_chars, self.n_stretches = document.n_chars, -(-document.n_chars // STRETCH_CHARS)
        self._generation, self._document = generation, document
        self._file = generation.file(document.text_file)
        self._blocks = [(0, document.text_offset)]

    @property
    def text(self) -> str:
        """The whole text."""
        return self._generation.text(self._document) or ""

    def having(self, firsts: FirstPlaces, limit: int) -> Having:
        """Return which stretches have the hashes of a query, as documents; see `FirstPlaces.having`."""
        try:
            counts, keys = kernels.find_postings([self._stored.to_find()], firsts.hashes, limit=limit)
        except ParameterError as error:
            raise damaged(self._stored.file.path, str(error)) from error
        having = firsts.having(keys, counts, limit)
        return replace(having, ids=np.searchsorted(self._begins, having.ids).astype(np.uint32))

    def read(self, span: Span) -> str:
        """Return the characters of some stretches. The span ends where a stretch or the text ends."""
        document, file = self._document, self._file
        first, last = span.start // STRETCH_CHARS, -(-span.stop // STRETCH_CHARS)
        start, stop = (int(self._begins[at]) + document.text_skip for at in (first, last))
        n_before, offset = self._block_with(start)
        raw, end = codec.decode_blocks(file.payload, offset, stop - n_before, str(file.path))
        file.check(offset, end)
        try:
            text = raw[start - n_before : stop - n_before].decode("utf-8")
        except UnicodeDecodeError as error:
            raise damaged(file.path, f"the text of document {document.id} is no UTF-8") from error
        if len(text) != len(span):
            what = f"has {len(text)} characters from {span.start} on, expected {len(span)}"
            raise damaged(file.path, f"the text of document {document.id} {what}")
        return text

    @cached_property
    def _stored(self) -> StoredPostings:
        document, file = self._document, self._generation.file(self._document.fingerprint_file)
        stop = document.fingerprint_offset + document.fingerprint_bytes
        return StoredPostings.of_file(file, begin_of(self._generation, document), stop)

    @cached_property
    def _begins(self) -> NDArray[np.int64]:
        """The byte where each stretch begins, and the text ends."""
        return np.append(self._stored.documents.astype(np.int64), self._document.text_bytes)

    def _block_with(self, at: int) -> tuple[int, int]:
        """Return the block that has a byte: raw bytes before it, and its offset. Each block tells where the next is."""
        n_before, offset = self._blocks[-1]
        passed, payload = [], self._file.payload
        while n_before <= at and offset + codec.BLOCK.size <= len(payload):
            passed.append((n_before, offset))
            n_before, offset = n_before + codec.raw_bytes(payload, offset), offset + codec.block_bytes(payload, offset)
        self._file.check_each(np.array([one for _, one in passed], np.int64), codec.BLOCK.size)
        if n_before <= at:
            raise damaged(self._file.path, f"the text of document {self._document.id} leaves the file")
        self._blocks += passed[1:]
        return self._blocks[bisect_right(self._blocks, (at, len(payload))) - 1]
