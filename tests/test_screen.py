"""Candidates beside the plain way of finding them; many queries beside one at a time."""

from __future__ import annotations

import numpy as np
import pytest
from conftest import words

from pmbf import Collection, screen
from pmbf.errors import ParameterError
from pmbf.fingerprint import query_sample
from pmbf.screen import DENSE_HASHES, PASSAGE_HASHES, Candidate, Options, candidates, candidates_of_each, informative
from pmbf.store import Store

N_DOCUMENTS = 60


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    """Sixty texts; every third repeats a part of the one before it, one is removed, one is of many segments."""
    folder = tmp_path_factory.mktemp("screen") / "c.pmbf"
    texts = [words(seed, 300) for seed in range(N_DOCUMENTS)]
    for number in range(2, N_DOCUMENTS, 3):
        texts[number] = texts[number - 1][200:900] + " " + texts[number]
    texts[7] = words(900, 40_000) + " " + texts[7]
    with Collection(folder, create=True) as made:
        made.add_many((f"text-{number}", text) for number, text in enumerate(texts))
        made.remove("text-11")
        assert made.check().problems == []
    with Store(folder) as opened:
        yield opened


QUERIES = [
    words(0, 300),
    words(5000, 400) + words(13, 300) + words(5001, 400) + words(14, 100),
    words(900, 40_000),
    words(10, 300) + " " + words(10, 300),
    words(5002, 500),
    words(3, 12),
    "",
]


def plainly(store: Store, text: str, options: Options) -> list[Candidate]:
    """Return the candidates of a query by looking into every fingerprint."""
    hashes = informative(query_sample(text, store.params).hashes, store.stop_hashes())
    found = []
    for document in store.catalog.live_documents() if len(hashes) else ():
        has = np.isin(hashes, store.fingerprint(document).hashes).astype(int)
        most, densest = (
            max(int(has[start : start + size].sum()) for start in range(len(has)))
            for size in (PASSAGE_HASHES, DENSE_HASHES)
        )
        needed = max(1, min(options.min_hits, len(hashes) // 8, document.n_hashes // 4))
        if most >= needed:
            found.append(Candidate(document.id, int(has.sum()), densest))
    return sorted(found, key=lambda one: (-one.densest, -one.n_hits, one.document))


@pytest.mark.parametrize("min_hits", [1, 3, 6])
@pytest.mark.parametrize("text", QUERIES, ids=range(len(QUERIES)))
def test_where_every_row_passes_candidates_are_those_found_plainly(store: Store, text: str, min_hits: int) -> None:
    options = Options(min_hits=min_hits, false_rows=1e9)
    assert plainly(store, text, options) == candidates(store, query_sample(text, store.params), options)


@pytest.mark.parametrize("method", ["hashes", "popcount"])
def test_many_queries_have_the_candidates_each_has_alone(store: Store, method: str) -> None:
    options = Options(method=method)
    samples = [query_sample(text, store.params) for text in QUERIES]
    alone = [candidates(store, sample, options) for sample in samples]
    assert alone == candidates_of_each(store, samples, options)
    assert any(alone)


def test_no_queries_have_no_candidates(store: Store) -> None:
    assert [] == candidates_of_each(store, [])


# ---------------------------------------------------------------------- many texts


def tour(seed: int) -> str:
    """Return a text with a passage of a stored one, or without."""
    return words(6000 + seed, 200) + (" " + words(seed % N_DOCUMENTS, 300) if seed % 3 else "")


@pytest.mark.parametrize("jobs", [1, 2])
def test_many_reports_are_those_of_single_screenings(store: Store, tmp_path, jobs: int) -> None:
    file, missing = tmp_path / "file.txt", tmp_path / "missing.txt"
    file.write_text(tour(1), encoding="utf-8")
    queries = [*(tour(seed) for seed in range(30)), tour(4).encode(), file, missing, "", "lone \ud800 " + tour(2)]
    done: list[int] = []
    with Collection(store.folder) as collection:
        found = list(collection.screen_many(queries, jobs=jobs, on_progress=done.append, min_chars=80))
        for query, report in zip(queries, found, strict=True):
            if query == missing:
                assert (f"{missing}: no such file",) == report.problems
                assert (str(missing), 0, False) == (report.query.name, report.query.n_chars, report.found)
            else:
                assert collection.screen(query, min_chars=80) == report
    assert list(range(1, len(queries) + 1)) == done
    assert sum(report.found for report in found) == 22


def test_every_report_shows_one_generation_whatever_is_committed_meanwhile(tmp_path) -> None:
    texts = [(f"text-{seed}", words(seed)) for seed in range(12)]
    with Collection(tmp_path / "c.pmbf", create=True) as made:
        made.add_many(texts)
        generation = made.generation
        reports = made.screen_many([text for _, text in texts], jobs=2)
        with Collection(tmp_path / "c.pmbf") as other:
            other.remove(*(name for name, _ in texts[6:]))
            other.add("something else altogether", name="late")
            other.compact()
        found = list(reports)
    assert [[name] for name, _ in texts] == [[m.document.path for m in one.matches] for one in found]
    assert {generation} == {report.generation for report in found}


def test_no_more_queries_are_read_than_the_processes_need(store: Store) -> None:
    taken = 0

    def endless():
        nonlocal taken
        while True:
            taken += 1
            yield tour(taken)

    with Collection(store.folder) as collection:
        reports = collection.screen_many(endless())
        next(reports)
        reports.close()
    assert taken == screen.many.BATCH_QUERIES


def test_fewer_than_one_process_is_refused(store: Store) -> None:
    with Collection(store.folder) as collection, pytest.raises(ParameterError, match="jobs is 0"):
        collection.screen_many([], jobs=0)


def test_who_asks_for_short_passages_gets_them_however_little_they_say(tmp_path):
    common, copied = "it is what it was and not this", words(94)
    with Collection(tmp_path / "short.pmbf", create=True) as made:
        for number in range(8):
            made.add(
                f"{words(number)}. It is this, and that it was, what it is not. {words(number + 50)}", name=f"{number}"
            )
        made.add(f"{words(90)} {common}; {words(91)} {copied}", name="source")
        query = f"{words(92)} {common}. {words(93)} {copied}"

        [usual], [short] = (made.screen(query, min_chars=chars).matches for chars in (65, 25))

    assert [len(copied)] == [len(passage.query) for passage in usual.passages]
    assert [len(common), len(copied)] == [len(passage.query) for passage in short.passages]
