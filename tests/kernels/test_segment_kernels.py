"""Both twins of the kernels of rows in front of postings, beside the plain way: a row holds all hashes of a segment."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pmbf.base.errors import ParameterError
from pmbf.base.hashes import Hashes, first_bits, hash_dtype
from pmbf.base.params import HASH_BITS
from pmbf.kernels import (
    ALL_DOCUMENTS,
    Evident,
    EvidentRules,
    HitRules,
    Sampled,
    make_postings,
    page_checksums,
    reference_evident,
    reference_postings,
    row_of,
)
from pmbf.kernels.postings_layout import PADDING_BYTES, Postings, Segments
from pmbf.kernels.segment_rows import AskedRows, Row, RowsPages, SegmentRows, line_bits

PAGE = 64
HASHES = st.integers(0, 40) | st.integers(0, 2**64 - 1)
PAIRS = st.lists(st.tuples(HASHES, st.integers(0, 3)), max_size=40)
WIDTHS = st.sampled_from(HASH_BITS)
SHAPES = st.tuples(st.integers(1, 3).map(lambda n: 512 * n), st.integers(1, 3))
FILES = st.lists(st.sampled_from([None, 0, 1, 2]), min_size=1, max_size=6)
IDS = np.array([3, 70, 900, 2**31], np.uint32)
COPIED = EvidentRules(
    np.array([7000 // (1 + n) for n in range(9)], np.int32), np.array([70], np.uint32), little=1, n_run=99,
    most_common=0.9, n_first=4, enough=5.0, least=4.0, hits=HitRules(3, 5),
)  # fmt: skip


def twin(name: str) -> Any:
    """Return the kernels of one twin; the native one has no instruction sets here."""
    if name == "reference":
        modules = (reference_evident, reference_postings)
    else:
        modules = tuple(pytest.importorskip(f"pmbf.kernels.native_{one}") for one in ("evident", "postings"))
    return SimpleNamespace(**{name: getattr(one, name) for one in modules for name in one.__all__})


@pytest.fixture(scope="module", params=["reference", "native"])
def kernels(request: pytest.FixtureRequest) -> Any:
    """Both twins."""
    return twin(request.param)


def hashes_of(values: Sequence[int], width: int = 32) -> Hashes:
    """Return the first `width` bits of words of 64 bits as hashes; words below 2^32 differ in their last bits."""
    cut = [value % 2**width << (0 if width == 32 else 64 - width) for value in values]
    return np.array(cut, hash_dtype(width))


def made(pairs: list[tuple[int, int]], width: int = 32) -> Postings:
    ordered = sorted({(value % 2**width, number) for value, number in pairs})
    numbers = np.array([number for _, number in ordered], np.uint32)
    return make_postings(hashes_of([value for value, _ in ordered], width), numbers, IDS, width)


def plain_lines(hashes: Hashes, n_lines: int, k: int) -> list[list[int]]:
    """Return the bits that each hash sets in a row, in Python's numbers."""
    found = []
    for value in first_bits(hashes).tolist():
        mixed = (value * 0x9E3779B97F4A7C15 + 0x6A09E667F3BCC909) % 2**64
        for shift, factor in ((33, 0xFF51AFD7ED558CCD), (33, 0xC4CEB9FE1A85EC53)):
            mixed = (mixed ^ mixed >> shift) * factor % 2**64
        mixed ^= mixed >> 33
        block = (mixed >> 32) * (n_lines // 512) >> 32
        found.append([512 * block + (mixed >> 9 * j) % 512 for j in range(k)])
    return found


def beside(bits: np.ndarray, k: int, *, fill: int = 0, head: int | None = None) -> SegmentRows:
    """Lay rows side by side.

    Args:
        bits: `(n_lines, n_rows) bool`.
        fill: The bits of a line that no row has.
        head: Bytes before the lines in a file, whose pages are checked; None: there is no file.
    """
    n_lines, n_rows = bits.shape
    padded = np.full((n_lines, line_bits(n_rows)), fill, np.uint8)
    padded[:, :n_rows] = bits
    lines = np.packbits(padded, bitorder="little")
    content = np.concatenate([np.full(head or 0, 7, np.uint8), lines, np.zeros(PADDING_BYTES, np.uint8)])
    sums = page_checksums(content.tobytes(), page_bytes=PAGE)
    pages = RowsPages(content, sums, np.zeros(len(sums), np.uint8), PAGE, head or 0)
    return SegmentRows(content[head or 0 :], n_rows, n_lines, k, None if head is None else pages)


def with_rows(
    postings: list[Postings], files: Sequence[int | None], n_lines: int = 1024, k: int = 3, head: int | None = None
) -> list[Postings]:
    """Return postings with their rows, those of one file side by side, each file's first row one of no segment."""
    found = list(postings)
    for file in {file for file in files if file is not None}:
        members = [number for number, one in enumerate(files) if one == file]
        bits = np.ones((n_lines, file + len(members)), np.bool_)
        for place, number in enumerate(members):
            row = row_of(postings[number], n_lines, k)
            bits[:, file + place] = np.unpackbits(row.view(np.uint8), bitorder="little")
        rows = beside(bits, k, head=head)
        for place, number in enumerate(members):
            found[number] = replace(postings[number], row=(rows, file + place))
    return found


def answers(kernels: Any, postings: Sequence[Postings], hashes: Hashes) -> list[Any]:
    """Return what three kernels find for a query."""
    counts, keys = kernels.find_postings(postings, hashes, limit=5)
    [near] = kernels.find_near(postings, [hashes], [ALL_DOCUMENTS], least=2, window=4)
    query = Sampled(hashes, 2 * np.arange(len(hashes), dtype=np.uint32), 0.4)
    evident = kernels.evident(postings, [query, query], COPIED)
    told = [getattr(evident, name) for name in Evident.__slots__]
    return [one.tolist() for one in (counts, keys, near, *told)]


@given(PAIRS, WIDTHS, SHAPES, st.data())
def test_a_row_has_the_bits_of_its_hashes_and_no_others(
    kernels: Any, pairs: list[tuple[int, int]], width: int, shape: tuple[int, int], data: st.DataObject
) -> None:
    postings, (n_lines, k) = made(pairs, width), shape
    first, stop = (512 * n for n in sorted(data.draw(st.tuples(*[st.integers(0, n_lines // 512)] * 2))))
    expected = {at for lines in plain_lines(hashes_of([value for value, _ in pairs], width), *shape) for at in lines}
    whole, part = kernels.row_of(postings, n_lines, k), kernels.row_of(postings, n_lines, k, first, stop)
    assert (whole.dtype, whole.shape) == (np.uint64, (n_lines // 64,))
    assert expected == set(np.flatnonzero(np.unpackbits(whole.view(np.uint8), bitorder="little")).tolist())
    assert whole[first // 64 : stop // 64].tolist() == part.tolist()


@pytest.mark.parametrize("n_rows", [1, 2, 8, 9, 63, 64, 65, 511, 512])
@pytest.mark.parametrize("width", HASH_BITS)
@pytest.mark.parametrize("head", [None, 24])
def test_a_segment_may_have_the_hashes_whose_bits_its_row_has(
    kernels: Any, n_rows: int, width: int, head: int | None
) -> None:
    """Rows side by side, a row alone, segments without a row; bits that no row has are ones."""
    random = np.random.default_rng(n_rows)
    hashes = hashes_of(random.integers(0, 2**64, 60, np.uint64).tolist(), width)
    for n_lines, k in ((512, 1), (1024, 2), (1536, 3)):
        bits, alone = random.random((n_lines, n_rows)) < 0.6, random.random((n_lines, 1)) < 0.6
        rows, single = beside(bits, k, fill=1, head=head), beside(alone, k, head=head)
        owned = random.permutation(n_rows)[: n_rows - n_rows // 4].tolist()
        given_rows: list[Row | None] = [None, *((rows, place) for place in owned), (single, 0), None]
        found = kernels.segments_having(given_rows, hashes)
        having = [set(range(60))]
        having += [
            {place for place, lines in enumerate(plain_lines(hashes, n_lines, k)) if column[lines].all()}
            for column in [*bits.T[owned], alone[:, 0]]
        ]
        having.append(having[0])
        expected = sorted(place << 32 | number for number, places in enumerate(having) for place in places)
        assert (np.uint64, expected) == (found.dtype, found.tolist())


@given(st.lists(PAIRS, min_size=6, max_size=6), FILES, WIDTHS, SHAPES, st.none() | st.integers(0, 80), st.data())
def test_answers_with_rows_in_front_are_those_of_the_postings(
    kernels: Any,
    segments: list[list[tuple[int, int]]],
    files: list[int | None],
    width: int,
    shape: tuple[int, int],
    head: int | None,
    data: st.DataObject,
) -> None:
    here = segments[: len(files)]
    held = [value for pairs in here for value, _ in pairs]
    hashes = hashes_of(data.draw(st.lists(st.sampled_from(held) | HASHES if held else HASHES, max_size=30)), width)
    postings = [made(pairs, width) for pairs in here]
    expected = answers(twin("reference"), postings, hashes)
    asked = Segments(with_rows(postings, files, *shape, head))
    assert expected == answers(kernels, asked, hashes)
    assert expected == answers(kernels, asked, hashes)  # what is kept of them answers alike


@pytest.mark.parametrize(("n_segments", "width"), [(1, 64), (2, 56), (8, 32), (9, 48), (64, 40), (512, 32)])
def test_rows_of_many_segments_let_their_hashes_pass(kernels: Any, n_segments: int, width: int) -> None:
    values = [n * 0x9E3779B97F4A7C15 % 2**64 for n in range(n_segments + 30)]
    postings = [made([(values[n + i], i % 4) for i in range(0, 30, 7)], width) for n in range(n_segments)]
    asked = with_rows(postings, [0] * n_segments, head=100)
    hashes = hashes_of(values[:: max(1, n_segments // 40)], width)
    assert answers(twin("reference"), postings, hashes) == answers(kernels, asked, hashes)


def test_a_segment_is_not_asked_for_hashes_that_its_row_does_not_have(kernels: Any) -> None:
    """Its postings have the hashes, and are damaged: nothing of either is read."""
    good, damaged = made([(7, 0), (9, 1)]), made([(7, 2)])
    damaged = replace(damaged, directory=np.full_like(damaged.directory, 2**31))
    no_bits = beside(np.zeros((512, 2), np.bool_), 3)
    hashes = hashes_of([7, 9])
    counts, keys = kernels.find_postings([good, replace(damaged, row=(no_bits, 1))], hashes, limit=9)
    assert ([1, 1], [3 << 32, 70 << 32 | 1]) == (counts.tolist(), keys.tolist())
    counts, _ = kernels.find_postings([replace(good, row=(no_bits, 0))], hashes, limit=9)
    assert [0, 0] == counts.tolist()
    with pytest.raises(ParameterError, match="postings are damaged"):
        kernels.find_postings([good, damaged], hashes, limit=9)


@given(st.lists(HASHES, max_size=3), st.integers(1, 9), st.integers(0, 70), st.data())
def test_what_is_read_of_a_damaged_page_of_rows_is_refused_and_nothing_else(
    kernels: Any, values: list[int], n_segments: int, head: int, data: st.DataObject
) -> None:
    postings = [made([(value, n % 4) for value in range(n, 40, n_segments)]) for n in range(n_segments)]
    asked, hashes = with_rows(postings, [0] * n_segments, head=head), hashes_of(values)
    rows = asked[0].row[0]
    rows.pages.content[data.draw(st.integers(0, len(rows.pages.content) - 1))] ^= 1 << data.draw(st.integers(0, 7))
    is_damaged = [
        rows.pages.sums[page] != page_checksums(part.tobytes(), page_bytes=PAGE)[0]
        for page, part in enumerate(np.split(rows.pages.content, range(PAGE, len(rows.pages.content), PAGE)))
    ]
    size = max(1, rows.line_bits // 8)
    first_bytes = [head + line * rows.line_bits // 8 for lines in plain_lines(hashes, 1024, 3) for line in lines]
    if any(is_damaged[at // PAGE] or is_damaged[(at + size - 1) // PAGE] for at in first_bytes):
        for ask in (
            partial(kernels.segments_having, [one.row for one in asked], hashes),
            partial(kernels.find_postings, asked, hashes, limit=9),
            partial(kernels.find_near, asked, [hashes], [ALL_DOCUMENTS], least=1, window=1),
            partial(answers, kernels, asked, hashes),
        ):
            with pytest.raises(ParameterError, match="damaged"):
                ask()
    else:
        assert answers(twin("reference"), postings, hashes) == answers(kernels, asked, hashes)


@given(PAIRS, WIDTHS, st.data())
def test_a_row_of_damaged_postings_is_refused_or_made_within_its_bits(
    kernels: Any, pairs: list[tuple[int, int]], width: int, data: st.DataObject
) -> None:
    postings = made(pairs or [(1, 1)], width)
    bits, directory = postings.bits.copy(), postings.directory.copy()
    bits[data.draw(st.integers(0, len(bits) - 1))] ^= 1 << data.draw(st.integers(0, 7))
    if data.draw(st.booleans()):
        directory[data.draw(st.integers(0, len(directory) - 1))] ^= np.uint32(1 << data.draw(st.integers(0, 31)))
    try:
        assert 16 == len(kernels.row_of(replace(postings, bits=bits, directory=directory), 1536, 3, 512))
    except ParameterError as error:
        assert "damaged" in str(error)


ROWS = beside(np.ones((512, 9), np.bool_), 3, head=0)
NO_PAGES = replace(ROWS, pages=None)
SHAPE = "expected blocks of 512, and 1 to 3 a hash"


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ((replace(NO_PAGES, bits=ROWS.bits.view(np.int8)), 0), "bits is int8 (1032,), expected uint8 (n,)"),
        ((replace(NO_PAGES, bits=ROWS.bits[:-1]), 0), "row 0 of 9, 1031 bytes: the rows of the filter are damaged"),
        ((NO_PAGES, 9), "row 9 of 9, 1032 bytes"),
        ((NO_PAGES, -1), "row -1 of 9, 1032 bytes"),
        ((replace(NO_PAGES, n_rows=0), 0), "row 0 of 0, 1032 bytes"),
        ((replace(NO_PAGES, n_rows=17), 0), "row 0 of 17, 1032 bytes"),
        ((replace(NO_PAGES, bits=np.zeros(1 << 16, np.uint8), n_rows=513), 0), "row 0 of 513, 65536 bytes"),
        ((replace(NO_PAGES, n_lines=500), 0), f"500 bits of a row, 3 a hash; {SHAPE}"),
        ((replace(NO_PAGES, n_lines=0), 0), f"0 bits of a row, 3 a hash; {SHAPE}"),
        ((replace(NO_PAGES, n_hashes=0), 0), f"512 bits of a row, 0 a hash; {SHAPE}"),
        ((replace(NO_PAGES, n_hashes=4), 0), f"512 bits of a row, 4 a hash; {SHAPE}"),
        (
            (replace(ROWS, pages=ROWS.pages._replace(sums=np.zeros(3, np.uint32))), 0),
            "sums is for 3 pages, expected 17",
        ),
        ((ROWS, 3), "two segments have one row, expected a row for each"),
    ],
)
def test_what_is_no_row_is_refused_in_the_same_words(kernels: Any, row: Row, message: str) -> None:
    other, hashes = (ROWS, 3), hashes_of([7])
    postings = [replace(made([(7, 0)]), row=one) for one in (other, row)]
    for ask in (
        partial(kernels.segments_having, [other, None, row], hashes),
        partial(kernels.find_postings, postings, hashes, limit=9),
        partial(kernels.find_near, postings, [hashes], [ALL_DOCUMENTS], least=1, window=1),
        partial(kernels.evident, postings, [], COPIED),
    ):
        with pytest.raises(ParameterError) as raised:
            ask()
        assert message in str(raised.value)


@pytest.mark.parametrize(
    ("shape", "message"),
    [
        ((500, 3), f"500 bits of a row, 3 a hash; {SHAPE}"),
        ((2**40, 3), f"{2**40} bits of a row"),
        ((512, 4), f"512 bits of a row, 4 a hash; {SHAPE}"),
        ((1024, 3, 64), "bits 64 to 1024 of 1024, expected whole blocks of a row"),
        ((1024, 3, 512, 1536), "bits 512 to 1536 of 1024"),
        ((1024, 3, 1024, 512), "bits 1024 to 512 of 1024"),
        ((1024, 3, -512), "bits -512 to 1024 of 1024"),
    ],
)
def test_rows_of_other_shapes_are_not_made(kernels: Any, shape: tuple[int, ...], message: str) -> None:
    with pytest.raises(ParameterError) as raised:
        kernels.row_of(made([(7, 0)]), *shape)
    assert message in str(raised.value)


def test_rows_that_are_asked_again_answer_hashes_of_each_width_alike(kernels: Any) -> None:
    random = np.random.default_rng(4)
    rows: list[Row | None] = [(beside(random.random((512, 9)) < 0.7, 3), 5), None]
    asked, values = AskedRows(rows), random.integers(0, 2**64, 50, np.uint64).tolist()
    for width in (32, 64, 64, 40, 32):
        hashes = hashes_of(values, width)
        assert kernels.segments_having(rows, hashes).tolist() == kernels.segments_having(asked, hashes).tolist()


def test_no_row_and_no_hash_find_nothing(kernels: Any) -> None:
    hashes = hashes_of([7, 9])
    for rows, some in (([], hashes), ([(NO_PAGES, 4), None], hashes[:0])):
        found = kernels.segments_having(rows, some)
        assert (np.uint64, []) == (found.dtype, found.tolist())
    with pytest.raises(ParameterError, match="hashes is int64"):
        kernels.segments_having([None], np.array([7]))
