"""Pages of zeros, pages of other places, blocks of zeros: none is ever taken for what was written."""

import itertools
import shutil
import struct

import pytest
from conftest import words

from pmbf import Collection, CorruptError, PmbfError
from pmbf.store import codec
from pmbf.store.files import HEADER_BYTES, PAGE_BYTES

TEXTS = {f"text-{seed:02}": words(seed, 4000) for seed in range(20)}


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """Twenty texts in four blocks, and sixty short ones whose records are equally long: many on one page."""
    made = tmp_path_factory.mktemp("pages") / "c.pmbf"
    with Collection(made, create=True) as collection:
        collection.add_many([*TEXTS.items(), *((f"short-{seed:03}", words(1000 + seed, 30)) for seed in range(200))])
    return made


@pytest.fixture
def path(whole, tmp_path):
    shutil.copytree(whole, tmp_path / "c.pmbf")
    return tmp_path / "c.pmbf"


def found(path, text):
    """Return the names found for a text, `problem` where one could not be compared, or `refused`."""
    try:
        with Collection(path) as collection:
            matches = collection.screen(text, min_chars=60).matches
    except PmbfError as error:
        assert str(path) in str(error)
        return ["refused"]
    return ["problem"] if any(match.problem for match in matches) else [match.document.path for match in matches]


def texts_of(path):
    try:
        with Collection(path) as collection:
            return {listed.paths[0]: collection.text(listed.id) for listed in collection.documents()}
    except PmbfError as error:
        assert str(path) in str(error)
        return "refused"


def exchange(file, first, second, size=PAGE_BYTES):
    content = bytearray(file.read_bytes())
    content[first : first + size], content[second : second + size] = (
        content[second : second + size],
        content[first : first + size],
    )
    file.write_bytes(content)


def zero(file, start, size=PAGE_BYTES):
    content = bytearray(file.read_bytes())
    content[start : start + size] = bytes(len(content[start : start + size]))
    file.write_bytes(content)


def pages_of(file):
    head = 0 if file.name == "catalog.sqlite" else HEADER_BYTES
    return range(head, file.stat().st_size, PAGE_BYTES)


@pytest.mark.parametrize("kind", ["catalog.sqlite", "texts", "tiles", "postings"])
def test_a_page_of_zeros_or_of_another_place_changes_no_answer(path, kind):
    queries = [TEXTS["text-07"][:3000], words(1007, 30), words(1103, 30)]
    expected, stored = [found(path, query) for query in queries], texts_of(path)
    assert [len(names) for names in expected] == [1, 1, 1]
    for file in sorted(file for file in path.rglob("*") if kind in str(file.relative_to(path)) and file.is_file()):
        content, pages = file.read_bytes(), list(pages_of(file))
        some = pages[:: max(1, len(pages) // 4)]
        changes = [(zero, page) for page in some] + [(exchange, *pair) for pair in itertools.pairwise(some)]
        for change, *places in changes:
            change(file, *places)
            for query, names in zip(queries, expected, strict=True):
                assert found(path, query) in (names, ["problem"], ["refused"]), (file.name, change.__name__, places)
            assert texts_of(path) in (stored, "refused")
            for log in path.glob("catalog.sqlite-*"):
                log.unlink()
            file.write_bytes(content)


def blocks_of(file):
    payload = memoryview(file.read_bytes())[HEADER_BYTES:]
    with Collection(file.parent.parent) as collection:
        [entry] = collection._store.catalog.files("TEXT")
    start = 0
    while start < entry.payload_bytes:
        yield HEADER_BYTES + start, codec.block_bytes(payload, start)
        start += codec.block_bytes(payload, start)


def test_a_block_of_zeros_is_no_empty_block(path):
    """Zeros have the checksum of nothing: a reader that hops over them would take the next block for this one."""
    [file] = (path / "texts").iterdir()
    content = file.read_bytes()
    for start, size in blocks_of(file):
        zero(file, start, size // 16 * 16)
        answers = [found(path, text[:3000]) for text in TEXTS.values()]
        assert ["problem"] in answers
        assert all(names in (["problem"], [name]) for name, names in zip(TEXTS, answers, strict=True))
        assert texts_of(path) == "refused"
        file.write_bytes(content)


def test_blocks_of_equal_length_cannot_stand_for_each_other(tmp_path):
    """Each block is whole by itself; its page is not the one that was written."""
    block = codec.BLOCK_RAW_BYTES
    texts = {name: (name * block)[: block - 1] + "\n" for name in "ab"}
    path = tmp_path / "c.pmbf"
    with Collection(path, create=True) as collection:
        collection.add_many([*texts.items()])
    [file] = (path / "texts").iterdir()
    (first, size), (second, other_size) = blocks_of(file)
    if size != other_size:
        pytest.skip(f"blocks of {size} and {other_size} bytes")
    exchange(file, first, second, size)
    assert texts_of(path) == "refused"


def test_a_block_that_claims_no_bytes_is_refused():
    with pytest.raises(CorruptError, match="the text block at 0 is damaged"):
        codec.decode_block(memoryview(bytes(64)), 0, "here")
    with pytest.raises(CorruptError, match="the text block at 0 is damaged"):
        codec.decode_block(memoryview(struct.pack("<IIIB3x", 0, 0, 0, 0)), 0, "here")
