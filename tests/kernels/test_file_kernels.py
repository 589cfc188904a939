"""Both twins of the kernel that reads plain texts from their files: equal results, equal errors."""

from __future__ import annotations

import hashlib
import os
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, seed, settings
from hypothesis import strategies as st

from pmbf.base.errors import UnsupportedError
from pmbf.base.params import Sampling
from pmbf.kernels import TextsRead, reference_text

HOW = Sampling(shingle_tokens=4, long_letters=5, ordered=True, density=0.05, min_hashes=8, segment_chars=100)
CLEAN = b"The tide comes in twice a day.\r\n\tSo they say.\f\v\n"
UNCLEAN = {
    "a byte order mark": b"\xef\xbb\xbf" + CLEAN,
    "a zero byte": CLEAN + b"\0",
    "an escape": b"\x1b[1m" + CLEAN,
    "a backspace": CLEAN * 99 + b"\x08",
    "a shift": CLEAN + b"\x0e",
    "a delete": CLEAN[:31] + b"\x7f" + CLEAN,
    "a cut character": CLEAN + "é".encode()[:1],
    "Latin-1": "Ebbe für Ebbe".encode("latin-1"),
}


@pytest.fixture(scope="module", params=["reference", "native"])
def kernels(request: pytest.FixtureRequest) -> Any:
    """Both twins."""
    if request.param == "reference":
        return reference_text
    try:
        from pmbf.kernels import native_text
    except UnsupportedError as error:
        pytest.skip(str(error))
    return native_text


def as_plain(read: TextsRead, n_files: int) -> list[Any]:
    """Return what was read of each file, None of those that were left out."""
    found: list[Any] = [None] * n_files
    places = zip(read.numbers.tolist(), read.sha256, read.starts.tolist(), read.stops.tolist(), strict=True)
    samples = read.samples
    for at, (number, sha256, start, stop) in enumerate(places):
        bounds = samples.bounds[samples.firsts[at] : samples.firsts[at + 1] + 1]
        hashes = samples.hashes[bounds[0] : bounds[-1]].tolist()
        numbers = int(samples.n_chars[at]), int(samples.n_tokens[at])
        found[number] = sha256, read.content[start:stop], hashes, (bounds - bounds[0]).tolist(), *numbers
    assert len(samples.firsts) == len(read.numbers) + 1
    return found


def expected(content: bytes) -> Any:
    """Return what a file of clean text is to give, by the other kernels."""
    sampled = reference_text.sample(content, HOW, positions=False)
    hashes, bounds = sampled.hashes.tolist(), sampled.bounds.tolist()
    return hashlib.sha256(content).hexdigest(), content, hashes, bounds, sampled.n_chars, sampled.n_tokens


def size_of(path: Path) -> int:
    try:
        return path.stat().st_size
    except (OSError, ValueError):
        return 1


def taken(kernels: Any, *paths: Path) -> list[Any]:
    sizes = list(map(size_of, paths))
    return as_plain(kernels.read_texts(list(map(str, paths)), sizes, HOW), len(paths))


@pytest.mark.parametrize("n_bytes", [0, 1, 54, 55, 56, 57, 63, 64, 65, 119, 120, 127, 128, 1000, 70_001])
def test_a_text_of_any_length_is_read_whole(kernels: Any, tmp_path: Path, n_bytes: int) -> None:
    content = (CLEAN * (n_bytes // len(CLEAN) + 1))[:n_bytes]
    (tmp_path / "a").write_bytes(content)
    assert [expected(content)] == taken(kernels, tmp_path / "a")


@seed(31)
@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.text(max_size=300).map(str.encode) | st.binary(max_size=40), max_size=4))
def test_any_files_come_out_as_the_other_kernels_say(kernels: Any, tmp_path: Path, contents: list[bytes]) -> None:
    paths = [tmp_path / str(number) for number in range(len(contents))]
    for path, content in zip(paths, contents, strict=True):
        path.write_bytes(content)
    assert taken(reference_text, *paths) == (found := taken(kernels, *paths))
    assert all(one is None or one == expected(content) for one, content in zip(found, contents, strict=True))


@pytest.mark.parametrize("content", UNCLEAN.values(), ids=UNCLEAN)
def test_what_is_not_clean_text_is_left_alone(kernels: Any, tmp_path: Path, content: bytes) -> None:
    (tmp_path / "a").write_bytes(content)
    (tmp_path / "b").write_bytes(CLEAN)
    assert [None, expected(CLEAN)] == taken(kernels, tmp_path / "a", tmp_path / "b")


def test_what_is_no_regular_file_is_left_alone_without_waiting(kernels: Any, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    names = ("pipe", "loop", "missing", ".", "x" * 300)
    assert [None] * len(names) == taken(kernels, *(tmp_path / name for name in names))


@pytest.mark.parametrize("content", [b"", CLEAN])
@pytest.mark.parametrize("more", [-1, 1, 70_000])
def test_a_file_that_has_changed_its_size_is_left_alone(
    kernels: Any, tmp_path: Path, content: bytes, more: int
) -> None:
    (tmp_path / "a").write_bytes(content)
    (tmp_path / "b").write_bytes(CLEAN)
    paths, size = [str(tmp_path / "a"), str(tmp_path / "b")], max(0, len(content) + more)
    found = as_plain(kernels.read_texts(paths, [size, len(CLEAN)], HOW), 2)
    assert found[1] == expected(CLEAN)
    assert found[0] is None if size != len(content) else found[0] == expected(content)


def test_each_path_has_a_size(kernels: Any) -> None:
    with pytest.raises(ValueError, match="2 paths and 1 sizes"):
        kernels.read_texts(["a", "b"], [1], HOW)


def test_a_file_that_is_longer_than_it_says_is_left_alone(kernels: Any) -> None:
    assert [None] == taken(kernels, Path("/proc/self/status"))


def test_names_that_are_no_unicode_are_opened(kernels: Any, tmp_path: Path) -> None:
    path = os.fsencode(tmp_path) + b"/caf\xe9"
    with open(path, "wb") as file:
        file.write(CLEAN)
    assert [expected(CLEAN)] == taken(kernels, Path(os.fsdecode(path)))


def test_a_name_with_a_zero_is_refused(kernels: Any) -> None:
    with pytest.raises(ValueError, match="embedded null"):
        taken(kernels, Path("a\0b"))


@pytest.fixture(params=["reference", "native"])
def looks(request: pytest.FixtureRequest) -> Any:
    """The kernel that looks at bytes, of both twins."""
    if request.param == "reference":
        return reference_text.looks
    try:
        from pmbf.kernels import native_text
    except UnsupportedError as error:
        pytest.skip(str(error))
    return native_text.looks


@pytest.mark.parametrize("content", UNCLEAN.values(), ids=UNCLEAN)
def test_what_is_not_clean_does_not_look_so(looks: Any, content: bytes) -> None:
    assert looks(CLEAN).is_clean
    assert not looks(content).is_clean


@pytest.mark.parametrize("at", [0, 1, 61, 62, 63, 64, 65, 127, 200])
def test_runs_and_single_bytes_are_counted_over_all_borders(looks: Any, at: int) -> None:
    assert looks(b"\n" * at + b"x" * 70 + b" a b\tc  d").longest == 70
    assert looks(b"-" * at + b" a b\tc  d").n_apart == 3
    assert looks(b" " * at + b"a b c").n_apart == 1 + (at > 0)


@seed(33)
@settings(max_examples=300, deadline=None)
@given(
    st.lists(
        st.sampled_from([b" ", b"a", b"a ", b"\n", b"\0", b"\x7f", b"\xe4", "中".encode(), b"x" * 59]), max_size=60
    )
)
def test_any_bytes_look_alike_to_both_twins(pieces: list[bytes]) -> None:
    native_text = pytest.importorskip("pmbf.kernels.native_text", exc_type=UnsupportedError)
    content = b"".join(pieces)
    assert reference_text.looks(content) == native_text.looks(content)
    assert reference_text.looks(content).longest == max(map(len, re.split(rb"[\0- ]", content)))
