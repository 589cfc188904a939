"""Fold, tokenise and sample a text: the reference of `native/text`, and its oracle. The rules are docs/text.md."""

from __future__ import annotations

import math
import os
import re
import stat
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from hashlib import sha256
from itertools import pairwise
from typing import Any

import mmh3
import numpy as np
from numpy.typing import NDArray

from pmbf.base.arrays import distinct
from pmbf.base.errors import ParameterError
from pmbf.base.hashes import Hashes, hash_dtype
from pmbf.base.params import Sampling
from pmbf.kernels import checks
from pmbf.kernels.inverted_checks import require_chunks
from pmbf.kernels.inverted_layout import Lists
from pmbf.kernels.reference_fold import is_single, letters_of, put_in_one_script, words_of
from pmbf.kernels.reference_hash import all_shingles, shingle_hash, thinned
from pmbf.kernels.reference_wordlist import word_list
from pmbf.kernels.types import Folded, Looks, Sample, Samples, TextsRead, Tokens

__all__ = ["chunk_lists", "fold", "looks", "read_texts", "sample", "sample_texts", "tokenise"]

_UNCLEAN = re.compile(rb"\A\xef\xbb\xbf|[\0-\x08\x0e-\x1f\x7f]")


def fold(utf8: bytes) -> Folded:
    """Return a text folded, and where each folded character stands in the original.

    Args:
        utf8: The original text.

    >>> fold("Naïve café".encode()).text
    'naive cafe'
    """
    text = decoded(utf8)
    letters, _ = letters_of(text)
    for word in words_of(letters):
        put_in_one_script(word)
    origins = [*(letter.origin for letter in letters), len(text)]
    return Folded("".join(chr(letter.code) for letter in letters), np.array(origins, np.uint32))


def tokenise(utf8: bytes) -> Tokens:
    """Return the tokens of a text.

    Args:
        utf8: The original text.

    >>> tokens = tokenise("Grüße, 世界".encode())
    >>> [(int(start), int(stop)) for start, stop in zip(tokens.starts, tokens.stops)]
    [(0, 5), (7, 8), (8, 9)]
    """
    return _tokens(decoded(utf8))[0]


def _tokens(text: str) -> tuple[Tokens, list[int]]:
    """Return the tokens of a text, and the number of folded letters of each."""
    letters, n_invisible = letters_of(text)
    words = words_of(letters)
    n_mixed = sum(map(put_in_one_script, words))
    origins = [*(letter.origin for letter in letters), len(text)]
    spelled = ["".join(chr(letter.code) for letter in word) for word in words]
    tokens = Tokens(
        hashes=np.array([token_hash(one.encode()) for one in spelled], np.uint64),
        starts=np.array([word[0].origin for word in words], np.uint32),
        stops=np.array([origins[bisect_right(origins, word[-1].origin)] for word in words], np.uint32),
        singles=np.array([is_single(word) for word in words], np.bool_),
        n_chars=len(text),
        n_mixed=n_mixed,
        n_invisible=n_invisible,
    )
    return tokens, [len(word) for word in words]


def token_hash(utf8: bytes) -> int:
    """Return the hash of a token: the first 64 bits of MurmurHash3 x64 128 with seed 0."""
    return mmh3.hash64(utf8, seed=0, signed=False)[0]


def sample(utf8: bytes, how: Sampling, *, positions: bool = True, starts: bool = True, words: bool = False) -> Sample:
    """Return the smallest distinct shingle hashes of each segment of a text.

    Args:
        utf8: The original text.
        how: How shingles are made and how many are kept; see `params.Sampling`. A shingle that begins with a single
            letter has twice as many tokens. If words can be long, then all shingles but those of two long words are
            four times as rare. The last segment has a quarter to five quarters of `segment_chars`. The shingles that
            are kept do not depend on `hash_bits`: they are chosen by the first 32 bits.
        positions: Whether hashes come in text order, with `token`. Otherwise they ascend inside each segment, and
            `token` is empty.
        starts: Whether `starts` are wanted, which is a third more work. Without positions they are empty.
        words: Whether the word list is wanted, which is a third more work. Otherwise `words` is empty.
    """
    tokens, n_letters = _tokens(decoded(utf8))
    shingles = _shingles(tokens, n_letters, how)
    begins = [int(tokens.starts[token]) for _, token in shingles]
    parts: list[list[tuple[int, int]]] = []
    edges = _segment_edges(tokens.n_chars, how.segment_chars)
    for begin, end in pairwise(edges):
        first: dict[int, tuple[int, int]] = {}
        for value, token in shingles[bisect_left(begins, begin) : bisect_left(begins, end)]:
            first.setdefault(value >> 32, (value, token))
        quota = max(how.min_hashes, math.ceil(how.density * (end - begin)))
        smallest = [first[upper] for upper in sorted(first)[:quota]]
        parts.append(sorted(smallest, key=lambda shingle: shingle[1]) if positions else smallest)
    kept = [shingle for part in parts for shingle in part]
    placed = np.array([token for _, token in kept] if positions else [], np.uint32)
    all_tokens = list(zip(tokens.hashes.tolist(), tokens.singles.tolist(), n_letters, strict=True))
    listed = word_list(all_tokens, tokens.starts.tolist(), edges) if words else b""
    return Sample(
        hashes=_cut([value for value, _ in kept], how),
        starts=tokens.starts[placed if starts else placed[:0]],
        token=placed,
        bounds=np.cumsum([0, *map(len, parts)]).astype(np.uint32),
        words=np.frombuffer(listed, np.uint8),
        n_chars=tokens.n_chars,
        n_tokens=len(tokens),
        n_shingles=len(shingles),
        n_mixed=tokens.n_mixed,
        n_invisible=tokens.n_invisible,
    )


def _shingles(tokens: Tokens, n_letters: list[int], how: Sampling) -> list[tuple[int, int]]:
    """Return the hash of each shingle and the number of its first token. A very short text is one shingle."""
    hashes, singles = tokens.hashes.tolist(), tokens.singles.tolist()
    is_long = [0 < how.long_letters <= n and not single for n, single in zip(n_letters, singles, strict=True)]
    shingles = []
    for at, single in enumerate(singles):
        stop = at + how.shingle_tokens * (2 if single else 1)
        near = range(at + 1, min(at + 2 * how.shingle_tokens, len(hashes)))
        other = next((token for token in near if is_long[token]), None) if is_long[at] else None
        if other is not None:
            shingles.append((shingle_hash([hashes[at], hashes[other]], ordered=False), at))
        elif stop <= len(hashes):
            shingles.append((_of_words(hashes[at:stop], single, how), at))
    if hashes and not shingles:
        shingles = [(_of_words(hashes, singles[0], how), 0)]
    return shingles


def _of_words(hashes: list[int], single: bool, how: Sampling) -> int:
    """Return the hash of a shingle of words in a row, the first of them perhaps a single letter."""
    value = shingle_hash(hashes, ordered=how.ordered)
    return thinned(value) if single or how.long_letters else value


def _segment_edges(n_chars: int, segment_chars: int) -> list[int]:
    """Return where segments begin and the last ends. A tail under a quarter of a segment joins the segment before."""
    edges = [*range(0, n_chars, segment_chars), n_chars]
    if len(edges) > 2 and 4 * (edges[-1] - edges[-2]) < segment_chars:
        del edges[-2]
    return edges


def _cut(hashes: list[int], how: Sampling) -> Hashes:
    """Return the bits of each hash that are kept."""
    if how.hash_bits == 32:
        return np.array([value >> 32 for value in hashes], np.uint32)
    return np.array(hashes, np.uint64) & np.uint64(2**64 - 2 ** (64 - how.hash_bits))


def sample_texts(
    content: bytes, starts: NDArray[np.int64], stops: NDArray[np.int64], how: Sampling, *, words: bool = True
) -> Samples:
    """Return the samples of many texts, without positions.

    Args:
        content: Holds the texts in UTF-8.
        starts, stops: `(n_texts,) int64`; text i is `content[starts[i]:stops[i]]`.
        how: As for `sample`.
        words: Whether the word lists are wanted, as for `sample`.

    >>> how = Sampling(shingle_tokens=3, min_hashes=8, segment_chars=65_536, density=0.05, ordered=True)
    >>> made = sample_texts("low tide, högh tide".encode(), np.array([0, 10]), np.array([8, 20]), how)
    >>> made.n_chars.tolist(), made.n_tokens.tolist(), made.firsts.tolist(), made.bounds.tolist()
    ([8, 9], [2, 2], [0, 1, 2], [0, 1, 2])
    """
    checks.require_texts(starts, stops)
    checks.require_texts_inside(starts, stops, len(content))
    places = zip(starts.tolist(), stops.tolist(), strict=True)
    no_hashes = np.zeros(0, np.uint32)
    none = Sample(no_hashes, no_hashes, no_hashes, np.zeros(1, np.uint32), np.zeros(0, np.uint8), -1, 0, 0, 0, 0)
    made = [_sample_or(none, content[start:stop], how, words) for start, stop in places]
    sizes = [np.diff(one.bounds.astype(np.int64)) for one in made]
    return Samples(
        bounds=np.cumsum(np.concatenate([np.zeros(1, np.int64), *sizes])),
        firsts=np.cumsum([0, *map(len, sizes)], dtype=np.int64),
        n_chars=np.array([one.n_chars for one in made], np.int64),
        n_tokens=np.array([one.n_tokens for one in made], np.int64),
        word_bounds=np.cumsum([0, *(len(one.words) for one in made)], dtype=np.int64),
        hashes=_joined([one.hashes for one in made], hash_dtype(how.hash_bits)),
        words=_joined([one.words for one in made], np.uint8),
    )


def _sample_or(none: Sample, utf8: bytes, how: Sampling, words: bool) -> Sample:
    try:
        return sample(utf8, how, positions=False, words=words)
    except ParameterError:
        return none


def _joined(parts: Sequence[NDArray[Any]], dtype: Any) -> NDArray[Any]:
    return np.concatenate([*parts, np.zeros(0, dtype)])


def decoded(utf8: bytes) -> str:
    """Return the text that some bytes are in UTF-8."""
    try:
        return utf8.decode()
    except UnicodeDecodeError as error:
        raise ParameterError(
            f"text is not UTF-8 at byte {error.start}, expected valid UTF-8; decode it with errors='replace' first"
        ) from None


def chunk_lists(texts: Sequence[bytes], *, n_words: int, bits: int = 32) -> Lists:
    """Return the IDs of all overlapping chunks of many texts: the top bits of the hashes of shingles, docs/text.md.

    Threads may call it side by side: the native twin works without the interpreter's lock.

    Args:
        texts: Texts in UTF-8.
        n_words: Tokens of a chunk, 1 to 32. As with shingles, a chunk that begins at a single letter, in scripts
            written without spaces, has twice as many tokens. A text with tokens and no chunk is one chunk.
        bits: Bits of an ID, 20 to 32. Fewer bits give equal IDs to more chunks.

    Returns:
        The IDs of each text, ascending, distinct.

    Source:
        Kasprzak, Brandejs & Brandejsová 2009, section 2: chunks are overlapping word sequences, 28 to 32 bits.

    >>> lists = chunk_lists([b"to be or not to be or not", b""], n_words=3)
    >>> len(lists[0]), len(lists[1])
    (4, 0)
    """
    require_chunks(n_words, bits)
    return Lists.of([_ids(utf8, n_words, bits) for utf8 in texts])


def _ids(utf8: bytes, n_words: int, bits: int) -> NDArray[np.uint32]:
    tokens = tokenise(utf8)
    hashes = all_shingles(tokens.hashes.tolist(), tokens.singles.tolist(), n_words)
    return distinct(np.array([value >> 64 - bits for value in hashes], np.uint32))


def looks(content: bytes) -> Looks:
    r"""Return what bytes look like.

    >>> looks(b"a b, c d")
    Looks(is_clean=True, longest=2, n_apart=1)
    >>> looks(b"\xff\xfea\0").is_clean
    False
    """
    spaces = np.flatnonzero(np.frombuffer(content, np.uint8) <= ord(" "))
    around = np.concatenate([[-1], spaces, [len(content)]])
    n_apart = int(np.count_nonzero(np.diff(spaces) == 2))
    return Looks(_is_clean(content), int(np.diff(around).max()) - 1, n_apart)


def _is_clean(content: bytes) -> bool:
    if _UNCLEAN.search(content):
        return False
    try:
        decoded(content)
    except ParameterError:
        return False
    return True


def read_texts(paths: Sequence[str], sizes: Sequence[int], how: Sampling) -> TextsRead:
    """Return the texts of the files of clean text.

    Left out are files that cannot be read, have another size, or are not clean.

    `Looks` says what clean means. HTML and other sources count as clean text here. Only regular files are read; the
    call never waits for a pipe or device.

    Args:
        paths: Paths of the files, without zero characters.
        sizes: The size of each file in bytes, as seen before. Memory is taken for that size.
        how: As for `sample`.

    Raises:
        ValueError: A path has a zero character, or the numbers of sizes and paths differ.
    """
    if len(paths) != len(sizes):
        raise ValueError(f"{len(paths)} paths and {len(sizes)} sizes")
    read = [_bytes(path, size) for path, size in zip(paths, sizes, strict=True)]
    clean = [(number, one) for number, one in enumerate(read) if one is not None and _is_clean(one)]
    texts = [one for _, one in clean]
    stops = np.cumsum([0, *map(len, texts)], dtype=np.int64)
    content = b"".join(texts)
    sums = [sha256(one).hexdigest() for one in texts]
    samples = sample_texts(content, stops[:-1], stops[1:], how)
    return TextsRead(np.array([at for at, _ in clean], np.int64), sums, content, stops[:-1], stops[1:], samples)


def _bytes(path: str, size: int) -> bytes | None:
    """Return the bytes of a regular file of `size` bytes; None for a file of another size and anything else."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return None
    try:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode) or status.st_size != size:
            return None
        content = os.read(descriptor, size + 1)
    except OSError:
        return None
    finally:
        os.close(descriptor)
    return content if len(content) == size else None
