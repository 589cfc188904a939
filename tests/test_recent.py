"""What was compared lately is kept for the next query, up to some bytes."""

from __future__ import annotations

import random
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from pmbf import Collection, Report
from pmbf.store import codec, generation
from pmbf.store.recent import Recent

WORDS = [f"{root}{end}" for root in ("berg", "wald", "stein", "fluss", "nacht") for end in ("er", "en", "ung", "lich")]


def test_the_values_used_longest_ago_go_first() -> None:
    recent = Recent(800)
    for number in range(8):
        recent.put(number, f"value {number}", 100)
    recent.get(0)
    recent.put(8, "value 8", 100)

    assert [number for number in range(9) if recent.get(number)] == [0, 2, 3, 4, 5, 6, 7, 8]
    assert recent.n_bytes == 800


def test_a_value_takes_the_place_of_the_one_before() -> None:
    recent = Recent(800)
    recent.put("text", "short", 20)
    recent.put("text", "longer", 70)

    assert (recent.get("text"), recent.n_bytes) == ("longer", 70)


def test_a_value_too_large_is_not_kept_nor_the_one_before() -> None:
    recent = Recent(800)
    recent.put("text", "short", 20)
    recent.put("text", "huge", 101)

    assert (recent.get("text"), recent.n_bytes) == (None, 0)


def test_threads_never_keep_more_bytes_than_allowed() -> None:
    recent = Recent(4000)

    def use(seed: int) -> None:
        rng = random.Random(seed)
        for _ in range(2000):
            key = rng.randrange(60)
            recent.put(key, key, rng.randrange(1, 500))
            assert recent.get(rng.randrange(60)) in (None, *range(60))

    with ThreadPoolExecutor(4) as threads:
        list(threads.map(use, range(4)))
    kept = [recent.get(key) for key in range(60)]
    assert 0 < recent.n_bytes <= 4000 and any(kept)
    recent.clear()
    assert recent.n_bytes == 0


@pytest.fixture
def texts() -> list[str]:
    rng = random.Random(3)
    return [" ".join(f"{rng.choice(WORDS)}{rng.randrange(300)}" for _ in range(120)) + "." for _ in range(60)]


@pytest.fixture
def collection(tmp_path: Path, texts: list[str]) -> Iterator[Collection]:
    with Collection(tmp_path / "c.pmbf", create=True) as made:
        made.add_many((f"text {number}", text) for number, text in enumerate(texts))
        yield made
        assert not made.check().problems


@pytest.fixture
def unpacked(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The offsets of the blocks that are unpacked from now on."""
    offsets, decode = [], codec.decode_block

    def counted(content: memoryview, offset: int, where: str) -> bytes:
        offsets.append(offset)
        return decode(content, offset, where)

    monkeypatch.setattr(codec, "decode_block", counted)
    return offsets


def found(report: Report) -> list[object]:
    return [(match.document.path, match.passages) for match in report.matches]


def test_a_text_compared_lately_is_not_unpacked_again(
    collection: Collection, texts: list[str], unpacked: list[int]
) -> None:
    query = " ".join(text[:400] for text in texts[:9])
    first = collection.screen(query)
    unpacked.clear()

    again = collection.screen(query)

    assert len(first.matches) == 9 and found(again) == found(first)
    assert not unpacked


def test_small_texts_of_one_block_are_unpacked_together(
    collection: Collection, texts: list[str], unpacked: list[int]
) -> None:
    collection.screen(texts[0])
    unpacked.clear()

    matches = [collection.screen(text).matches for text in texts[:20]]

    assert all(len(one) == 1 for one in matches)
    assert len(unpacked) == len(set(unpacked)) <= 3


@pytest.mark.parametrize("n_bytes", [0, 30_000])
def test_reports_do_not_depend_on_what_is_kept(
    tmp_path: Path, texts: list[str], monkeypatch: pytest.MonkeyPatch, n_bytes: int
) -> None:
    queries = [texts[number] + texts[number + 1][:300] for number in range(8)] * 2
    reports = []
    for most in (generation.RECENT_BYTES, n_bytes):
        monkeypatch.setattr(generation, "RECENT_BYTES", most)
        with Collection(tmp_path / f"{most}.pmbf", create=True) as collection:
            collection.add_many((f"text {number}", text) for number, text in enumerate(texts))
            reports.append([found(collection.screen(query, threads=2)) for query in queries])

    assert reports[0] == reports[1] and all(reports[0])


def test_a_text_put_in_the_place_of_another_is_the_one_that_is_compared(
    collection: Collection, texts: list[str]
) -> None:
    assert collection.screen(texts[0]).matches
    collection.add_many([("text 0", texts[0][::-1])])

    assert not collection.screen(texts[0]).matches
