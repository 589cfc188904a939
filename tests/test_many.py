"""Many texts: the workers, their errors and their end; candidates of many queries beside those of one."""

from __future__ import annotations

import gc
import threading
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import pytest
from conftest import names, words
from hypothesis import given, settings
from hypothesis import strategies as st

from pmbf import Collection, verify
from pmbf.base.errors import CorruptError, ParameterError
from pmbf.fingerprint import query_sample
from pmbf.intake.texts import Origin, Text
from pmbf.screen import Options, answering, comparing, working
from pmbf.screen.candidates import find, find_each
from pmbf.screen.leaving_out import NOTHING

pytestmark = pytest.mark.slow

N_DOCUMENTS = 90


def document(seed: int) -> str:
    """Return a text; each fourth has a part of the one before, and all end with the same notice."""
    part = words(seed - 1, 150)[100:600] if seed % 4 == 0 else ""
    return f"{words(seed, 150)} {part} {words(7777, 30)}"


def query(seed: int) -> str:
    """Return a copy, a part, a mixture, an edited text, or a text of its own."""
    text = document(seed).split()
    kinds = [
        text,
        text[:70],
        text[20:90] + words(500 + seed, 60).split() + document(seed + 1).split()[:60],
        [word if at % 9 else "another" for at, word in enumerate(text)],
        words(900 + seed, 120).split(),
        text * 2,
    ]
    return " ".join(kinds[seed % len(kinds)])


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("many") / "c.pmbf"
    with Collection(path, create=True) as made:
        made.add_many((f"text-{seed}", document(seed)) for seed in range(N_DOCUMENTS))
    return path


@pytest.fixture(params=["threads", "processes"])
def runner(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Threads alone, and processes alone."""
    monkeypatch.setattr(working, "FEW_CALLS", 10**9 if request.param == "threads" else 0)
    return str(request.param)


def test_workers_give_the_answers_of_one_thread_in_order(folder: Path, runner: str) -> None:
    queries = [query(seed) for seed in range(80)]
    with Collection(folder) as collection:
        expected = list(collection.screen_many(queries))
        assert expected == list(collection.screen_many(queries, jobs=3))
        assert expected[:12] == [collection.screen(one) for one in queries[:12]]
    assert sum(report.found for report in expected) >= 60


def test_the_collector_of_cycles_is_on_between_two_reports(folder: Path) -> None:
    with Collection(folder) as collection:
        assert all(gc.isenabled() for _ in collection.screen_many(map(query, range(9))))


def test_threads_hand_over_to_processes(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(working, "FEW_CALLS", 5)
    queries = [query(seed) for seed in range(60)]
    with Collection(folder) as collection:
        assert list(collection.screen_many(queries)) == list(collection.screen_many(queries, jobs=2))


def test_reports_show_one_generation_though_documents_go_meanwhile(folder: Path, tmp_path: Path, runner: str) -> None:
    with Collection(tmp_path / "c.pmbf", create=True) as made:
        made.add_many((f"text-{seed}", document(seed)) for seed in range(40))
        generation = made.generation
        reports = made.screen_many((document(seed) for seed in range(40)), jobs=2)
        first = next(reports)
        with Collection(tmp_path / "c.pmbf") as other:
            other.remove(*(f"text-{seed}" for seed in range(20, 40)))
            other.add("something else altogether", name="late")
            other.compact()
        found = [first, *reports]
    assert {generation} == {report.generation for report in found}
    assert all(f"text-{seed}" in names(report) for seed, report in enumerate(found))


def endless(taken: list[int]) -> Iterator[str]:
    for seed in range(10**6):
        taken.append(seed)
        yield query(seed % 80)


def test_no_more_queries_are_taken_than_workers_need(folder: Path, runner: str) -> None:
    taken: list[int] = []
    with Collection(folder) as collection:
        reports = collection.screen_many(endless(taken), jobs=2)
        assert 10 == len(list(islice(reports, 10)))
        n_taken = len(taken)
        reports.close()  # type: ignore[attr-defined]
    assert n_taken == len(taken) <= 10 + 6 * answering.MOST_QUERIES


def test_a_closed_iterator_leaves_no_thread(folder: Path) -> None:
    before = set(threading.enumerate())
    with Collection(folder) as collection:
        reports = collection.screen_many(endless([]), jobs=3)
        next(reports)
        assert set(threading.enumerate()) > before
        reports.close()  # type: ignore[attr-defined]
    assert set(threading.enumerate()) == before


def test_a_collection_closed_meanwhile_is_told(folder: Path) -> None:
    collection = Collection(folder)
    reports = collection.screen_many(endless([]), jobs=2)
    next(reports)
    collection.close()
    with pytest.raises((ParameterError, CorruptError), match="closed"):
        list(islice(reports, 10**4))


@pytest.mark.parametrize("error", [MemoryError("full"), KeyboardInterrupt()])
def test_an_error_of_a_worker_is_raised_and_ends_all(
    folder: Path, monkeypatch: pytest.MonkeyPatch, error: BaseException
) -> None:
    compared, n_calls = comparing._compare, iter(range(10**6))

    def failing(*arguments: Any) -> Any:
        if next(n_calls) > 20:
            raise error
        return compared(*arguments)

    monkeypatch.setattr(comparing, "_compare", failing)
    monkeypatch.setattr(working, "FEW_CALLS", 10**9)
    before = set(threading.enumerate())
    with Collection(folder) as collection, pytest.raises(type(error)):
        list(islice(collection.screen_many(endless([]), jobs=2), 10**4))
    assert set(threading.enumerate()) == before


def test_an_error_of_the_queries_is_raised_behind_no_thread(folder: Path) -> None:
    def broken() -> Iterator[str]:
        yield from (query(seed) for seed in range(20))
        raise KeyboardInterrupt

    before = set(threading.enumerate())
    with Collection(folder) as collection, pytest.raises(KeyboardInterrupt):
        list(collection.screen_many(broken(), jobs=2))
    assert set(threading.enumerate()) == before


def test_batches_grow_while_texts_are_short(tmp_path: Path) -> None:
    def sizes(queries: list[Origin | Text]) -> list[int]:
        return [len(batch) for batch in answering.batches((one, NOTHING) for one in queries)]

    short = sizes([Text("", "word")] * 1000)
    assert [1, 2, 4, 8, 16, 32, 64, 64] == short[:8]
    assert 1000 == sum(short)
    assert [1] * 5 == sizes([Text("", b"x" * answering.MOST_SIZE)] * 5)
    assert [1, 2, 4, 4, 4, 1] == sizes([Origin("", "x" * (answering.MOST_SIZE // 4))] * 16)
    file = tmp_path / "long.txt"
    file.write_bytes(b"x" * (answering.MOST_SIZE // 2))
    assert [1, 2, 2, 1] == sizes([Origin.of(file)] * 6)
    assert [1, 2, 1] == sizes(
        [Origin.of(tmp_path / "none"), Origin.of(tmp_path), Origin("-", path="-"), Origin("", b"")]
    )


@pytest.mark.parametrize(
    "options",
    [{}, {"min_evidence": 3.0}, {"sensitivity": "thorough"}, {"min_chars": 30}],
    ids=lambda options: ",".join(options) or "usual",
)
def test_candidates_of_many_queries_are_those_of_each(folder: Path, options: dict[str, Any]) -> None:
    wanted = Options(**options)
    with Collection(folder) as collection:
        generation = collection._store.generation
        samples = [query_sample(query(seed), generation.params) for seed in range(60)]
        samples += [query_sample(text, generation.params) for text in ("", "one", words(7777, 30), words(7777, 30) * 3)]
        assert find_each(generation, samples, wanted) == find(generation, samples, wanted)
        left = generation.without(generation.directory.live_ids()[5:50])
        assert find_each(left, samples, wanted) == find(left, samples, wanted)
        assert [] == find(generation, [], wanted)


def test_removed_documents_are_no_candidates_of_many_queries(tmp_path: Path) -> None:
    with Collection(tmp_path / "c.pmbf", create=True) as made:
        made.add_many((f"text-{seed}", document(seed)) for seed in range(20))
        made.remove("text-3")
        texts = [document(seed) for seed in range(20)]
        found = list(made.screen_many(texts))
        assert ["text-3" in names(report) for report in found] == [False] * 20
        assert found == [made.screen(text) for text in texts]


@settings(max_examples=60, deadline=None)
@given(st.lists(st.integers(0, 10**6), min_size=1, max_size=4), st.sampled_from([0, 3, 20]), st.booleans())
def test_queries_of_a_batch_share_with_each_source_what_each_shares_alone(
    seeds: list[int], n_pages: int, foreign: bool
) -> None:
    texts = [query(seed) for seed in seeds] + ["老渔夫 and 中文字 " * 9, "a b", document(seeds[0])]
    pages = [verify.prepare("слово за слово " * 9 if foreign else document(n)).words for n in range(n_pages)]
    statistics = verify.Statistics.of(pages) if n_pages else None
    wanted = [verify.Settings(min_chars=40 + at, least_evidence=0.0) for at in range(len(texts))]
    sources = [verify.prepare(text) for text in [*texts[1:], *(document(seed) for seed in seeds)]]

    asked = [(verify.prepare(text), its) for text, its in zip(texts, wanted, strict=True)]
    pairs = [verify.TextPair(one, source, its) for one, its in asked for source in sources]
    found = verify.passages_each(pairs, statistics)

    for (one, source, its, *_), some in zip(pairs, found, strict=True):
        beside = statistics.beside(one.words) if statistics and one.is_known(statistics) else statistics
        assert some == verify.passages(verify.prepare(one.text), verify.prepare(source.text), its, beside)
    assert any(found)


def test_a_source_that_is_compared_whole_with_one_query_is_not_with_the_next(tmp_path: Path) -> None:
    source = words(1, 6300).split()  # 37,000 characters
    places = 700, 2300, 3900, 5500
    everywhere = " ".join(" ".join(source[at : at + 60]) for at in places)
    queries = ["nothing of it", everywhere, " ".join(source[6000:6100])]
    with Collection(tmp_path / "c.pmbf", create=True) as made:
        made.add_many([("long", " ".join(source))])
        alone = [made.screen(text) for text in queries]
        assert 2 == sum(report.found for report in alone)
        assert alone == list(made.screen_many(queries))


def test_a_row_is_asked_for_once_while_its_text_is_kept(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with Collection(folder) as made:
        first = made.screen(query(0))
        asked: list[list[int]] = []
        monkeypatch.setattr(made._store.catalog, "documents", asked.append)
        assert first.found and made.screen(query(0)) == first
        assert not asked
