"""Columns of rows are read downwards, whatever signs stand around them; a text without rows has none."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pmbf.guard.apart import LEAST_ROWS, columns
from tests.conftest import words
from tests.guard.conftest import LIBRARY

FRAMES = ("{n},{word}", "{word};{n};x", '"{word}",{n}', "| {n} | {word} |", 'k{n} = "{word}"', '{{"w": "{word}"}},')


@given(st.integers(0, 1000), st.sampled_from(FRAMES), st.integers(2 * LEAST_ROWS, 200), st.booleans())
def test_a_word_a_row_is_read_downwards(seed, frame, n_rows, is_among_prose):
    chosen = words(seed, n_rows).split()
    rows = "\n".join(frame.format(n=n, word=word) for n, word in enumerate(chosen))
    prose = words(seed + 1, 3000)
    found = "\n\n".join(columns((f"{prose}\n\n{rows}\n\n{prose}" if is_among_prose else rows).encode()))
    assert " ".join(chosen) in found


@given(st.lists(st.sampled_from(["a", "é", ",", '"', "}", "\n", "\t", " ", "7", "{", "=", "中"]), max_size=400))
def test_any_text_is_looked_through_for_columns(chars):
    text = "".join(chars) * 3
    assert all(isinstance(one, str) for one in columns(text.encode()))


@pytest.mark.parametrize("name", sorted(path.name for path in LIBRARY.iterdir() if path.suffix in (".txt", ".md")))
def test_prose_has_no_columns(name):
    assert list(columns((LIBRARY / name).read_bytes())) == []


def test_a_megabyte_without_a_line_end_is_read_in_chunks():
    chosen = words(1, 30_000).split()
    found = " ".join(columns(("é" * 600_000 + "".join(f'{{"w": "{word}"}},' for word in chosen)).encode()))
    assert " ".join(chosen[-20_000:]) in found
