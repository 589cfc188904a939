"""Fold, tokenise and sample a text: the NumPy reference of the text kernels, and their oracle."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pmbf.errors import ParameterError
from pmbf.hashes import Hashes, hash_dtype
from pmbf.kernels import checks
from pmbf.kernels.reference_fold import Block, blocks
from pmbf.kernels.reference_hash import joined_hashes, shingle_hashes, token_hashes, whole_hash
from pmbf.kernels.types import Folded, Sample, Samples, Tokens
from pmbf.params import Sampling

__all__ = ["fold", "sample", "sample_texts", "tokenise"]

_INDEX_BITS = 32


def fold(utf8: bytes) -> Folded:
    """Return a text folded, and where each folded character stands in the original.

    Args:
        utf8: The original text.

    Raises:
        ParameterError: The bytes are not valid UTF-8.

    >>> fold("Naïve café".encode()).text
    'naive cafe'
    """
    text = decoded(utf8)
    done = list(blocks(text))
    codes = _joined([block.codes for block in done], np.uint32)
    origins = [block.origin[:-1] for block in done] + [np.array([len(text)], np.uint32)]
    return Folded(_text(codes), _joined(origins, np.uint32))


def tokenise(utf8: bytes) -> Tokens:
    """Return the tokens of a text.

    Args:
        utf8: The original text.

    Raises:
        ParameterError: The bytes are not valid UTF-8.

    >>> tokens = tokenise("Grüße, 世界".encode())
    >>> [(int(start), int(stop)) for start, stop in zip(tokens.starts, tokens.stops)]
    [(0, 5), (7, 8), (8, 9)]
    """
    return _tokens(decoded(utf8))[0]


def _tokens(text: str) -> tuple[Tokens, NDArray[np.intp]]:
    """Return the tokens of a text, and the folded letters of each, `(n,) intp`."""
    found = list(blocks(text))
    parts = [_block_tokens(block) for block in found]
    tokens = Tokens(
        hashes=_joined([part.hashes for part in parts], np.uint64),
        starts=_joined([part.starts for part in parts], np.uint32),
        stops=_joined([part.stops for part in parts], np.uint32),
        singles=_joined([part.singles for part in parts], np.bool_),
        n_chars=len(text),
        n_mixed=sum(part.n_mixed for part in parts),
        n_invisible=sum(part.n_invisible for part in parts),
    )
    return tokens, _joined([block.stops - block.starts for block in found], np.intp)


def sample(utf8: bytes, how: Sampling, *, positions: bool = True, starts: bool = True) -> Sample:
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

    Raises:
        ParameterError: The bytes are not valid UTF-8.
    """
    tokens, n_letters = _tokens(decoded(utf8))
    hashes, first = _shingles(tokens, n_letters, how)
    edges = _segment_edges(tokens.n_chars, how.segment_chars)
    cuts = np.searchsorted(tokens.starts[first], edges)
    quotas = [max(how.min_hashes, math.ceil(how.density * n)) for n in np.diff(edges).tolist()]
    uppers = (hashes >> np.uint64(32)).astype(np.uint32)
    kept = [_smallest(uppers, start, stop, quota) for start, stop, quota in zip(cuts, cuts[1:], quotas, strict=False)]
    if positions:
        kept = [np.sort(places) for places in kept]
    at = _joined(kept, np.intp)
    placed = first[at] if positions else first[:0]
    return Sample(
        hashes=_cut(hashes[at], how),
        starts=tokens.starts[placed if starts else placed[:0]],
        token=placed.astype(np.uint32),
        bounds=np.cumsum([0, *map(len, kept)]).astype(np.uint32),
        n_chars=tokens.n_chars,
        n_tokens=len(tokens),
        n_shingles=len(hashes),
        n_mixed=tokens.n_mixed,
        n_invisible=tokens.n_invisible,
    )


def sample_texts(content: bytes, starts: NDArray[np.int64], stops: NDArray[np.int64], how: Sampling) -> Samples:
    """Return the samples of many texts, without positions.

    Args:
        content: Holds the texts in UTF-8.
        starts, stops: `(n_texts,) int64`; text i is `content[starts[i]:stops[i]]`.
        how: As for `sample`.

    Raises:
        ParameterError: An array has another dtype or shape, or a text reaches outside the bytes.

    >>> how = Sampling(shingle_tokens=3, min_hashes=8, segment_chars=65_536, density=0.05, ordered=True)
    >>> made = sample_texts("low tide, högh tide".encode(), np.array([0, 10]), np.array([8, 20]), how)
    >>> made.n_chars.tolist(), made.n_tokens.tolist(), made.firsts.tolist(), made.bounds.tolist()
    ([8, 9], [2, 2], [0, 1, 2], [0, 1, 2])
    """
    checks.require_texts(starts, stops)
    checks.require_texts_inside(starts, stops, len(content))
    places = zip(starts.tolist(), stops.tolist(), strict=True)
    no_hashes = np.zeros(0, np.uint32)
    none = Sample(no_hashes, no_hashes, no_hashes, np.zeros(1, np.uint32), -1, 0, 0, 0, 0)
    made = [_sample_or(none, content[start:stop], how) for start, stop in places]
    sizes = [np.diff(one.bounds.astype(np.int64)) for one in made]
    return Samples(
        bounds=np.cumsum(np.concatenate([np.zeros(1, np.int64), *sizes])),
        firsts=np.cumsum([0, *map(len, sizes)], dtype=np.int64),
        n_chars=np.array([one.n_chars for one in made], np.int64),
        n_tokens=np.array([one.n_tokens for one in made], np.int64),
        hashes=_joined([one.hashes for one in made], hash_dtype(how.hash_bits)),
    )


def _cut(hashes: NDArray[np.uint64], how: Sampling) -> Hashes:
    """Return the bits of each hash that are kept."""
    if how.hash_bits == 32:
        return (hashes >> np.uint64(32)).astype(np.uint32)
    return hashes & np.uint64(2**64 - 2 ** (64 - how.hash_bits))


def _sample_or(none: Sample, utf8: bytes, how: Sampling) -> Sample:
    try:
        return sample(utf8, how, positions=False)
    except ParameterError:
        return none


def decoded(utf8: bytes) -> str:
    """Return the text that some bytes are in UTF-8.

    Raises:
        ParameterError: The bytes are not valid UTF-8.
    """
    try:
        return utf8.decode()
    except UnicodeDecodeError as error:
        raise ParameterError(
            f"text is not UTF-8 at byte {error.start}, expected valid UTF-8; decode it with errors='replace' first"
        ) from None


def _joined(parts: Sequence[NDArray[Any]], dtype: Any) -> NDArray[Any]:
    return np.concatenate([*parts, np.zeros(0, dtype)])


def _shingles(
    tokens: Tokens, n_letters: NDArray[np.intp], how: Sampling
) -> tuple[NDArray[np.uint64], NDArray[np.intp]]:
    """Return the weighed hash of each shingle and the number of its first token. A very short text is one shingle."""
    thin = tokens.singles if how.long_letters == 0 else np.ones(len(tokens), np.bool_)
    lengths = np.where(tokens.singles, 2 * how.shingle_tokens, how.shingle_tokens)
    begins = np.arange(len(tokens)) + lengths <= len(tokens)
    first, second = _long_words(tokens, n_letters, how)
    begins[first] = True
    if begins.any():
        hashes = shingle_hashes(
            tokens.hashes, tokens.singles, thin, shingle_tokens=how.shingle_tokens, ordered=how.ordered
        )
        hashes[first] = joined_hashes(tokens.hashes[first], tokens.hashes[second])
        return hashes[begins], np.flatnonzero(begins)
    whole = [whole_hash(tokens.hashes, thin, ordered=how.ordered)] if len(tokens) else []
    return np.array(whole, np.uint64), np.zeros(len(whole), np.intp)


def _long_words(
    tokens: Tokens, n_letters: NDArray[np.intp], how: Sampling
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return the long words that have another one behind them, less than two shingles' tokens away, and the others."""
    if how.long_letters == 0:
        return np.empty(0, np.intp), np.empty(0, np.intp)
    at = np.flatnonzero((n_letters >= how.long_letters) & ~tokens.singles)
    near = np.diff(at) < 2 * how.shingle_tokens
    return at[:-1][near], at[1:][near]


def _segment_edges(n_chars: int, segment_chars: int) -> NDArray[np.int64]:
    """Return where segments begin and the last ends. A tail under a quarter of a segment joins the segment before."""
    edges = [*range(0, n_chars, segment_chars), n_chars]
    if len(edges) > 2 and 4 * (edges[-1] - edges[-2]) < segment_chars:
        del edges[-2]
    return np.array(edges, np.int64)


def _smallest(hashes: NDArray[np.uint32], start: int, stop: int, quota: int) -> NDArray[np.intp]:
    """Return where each of the `quota` smallest distinct hashes of `hashes[start:stop]` first occurs, by hash."""
    keys = hashes[start:stop].astype(np.uint64) << np.uint64(_INDEX_BITS)
    keys |= np.arange(stop - start, dtype=np.uint64)
    keys.sort()
    values = keys >> np.uint64(_INDEX_BITS)
    distinct = keys[np.append(True, values[1:] != values[:-1])[: len(keys)]]
    first: NDArray[np.intp] = (distinct[:quota] & np.uint64((1 << _INDEX_BITS) - 1)).astype(np.intp)
    return first + start


def _block_tokens(block: Block) -> Tokens:
    utf8, offsets = _encoded(block.codes)
    return Tokens(
        hashes=token_hashes(utf8, offsets[block.starts], offsets[block.stops]),
        starts=block.origin[block.starts],
        stops=block.origin_stops(),
        singles=block.singles,
        n_chars=int(block.origin[-1]),
        n_mixed=block.n_mixed,
        n_invisible=block.n_invisible,
    )


def _encoded(codes: NDArray[np.uint32]) -> tuple[bytes, NDArray[np.intp]]:
    """Return code points in UTF-8, and the byte at which each begins, `(n + 1,)`; the last number is the length."""
    if not (codes >= 0x80).any():
        return codes.astype(np.uint8).tobytes(), np.arange(len(codes) + 1)
    widths = (codes >= 0x80).astype(np.intp) + (codes >= 0x800) + (codes >= 0x10000) + 1
    return _text(codes).encode(), np.append(0, np.cumsum(widths))


def _text(codes: NDArray[np.uint32]) -> str:
    return codes.astype("<u4").tobytes().decode("utf-32-le")
