"""Candidates beside the plain way of finding them; many queries beside one at a time."""

from __future__ import annotations

import random
from bisect import bisect_left
from functools import cache

import numpy as np
import pytest
from conftest import words

from pmbf import Collection
from pmbf.base.errors import ParameterError
from pmbf.fingerprint import query_sample
from pmbf.screen import EVIDENCE_HASHES, Candidate, Options, candidates, widespread
from pmbf.store.folder import Store

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
    """Return the candidates of a query by looking into every fingerprint; no hash of these texts is common."""
    sample, n_words, found = query_sample(text, store.params), store.params.shingle_tokens, []
    distinct, firsts = np.unique(sample.hashes, return_index=True)
    tokens = dict(zip(distinct.tolist(), sample.token[firsts].tolist(), strict=True))
    documents = {
        one.id: set(store.generation.fingerprint(one).hashes.tolist()) for one in store.catalog.live_documents()
    }

    @cache
    def weight(value: int) -> int:
        n_having = max(sum(value in hashes for hashes in documents.values()), 1)
        return max(1, int(1024 * np.log((len(documents) + 1) / n_having)))

    def evidence(hashes: set[int]) -> float:
        places = sorted(
            place for value, place in zip(distinct.tolist(), firsts.tolist(), strict=True) if value in hashes
        )
        worth, before = [], -99
        for place in places:
            value = int(sample.hashes[place])
            worth.append(weight(value) * min(n_words, tokens[value] - before) // n_words)
            before = tokens[value]
        near = [worth[at : bisect_left(places, place + EVIDENCE_HASHES)] for at, place in enumerate(places)]
        return max(map(sum, near), default=0) / 1024

    share = min(1, store.params.density * sample.n_chars / max(1, len(sample)))
    least = min(options.min_evidence, evidence(set(distinct.tolist())) * share / 2)
    for number, hashes in documents.items():
        n_hits = len(hashes & set(distinct.tolist()))
        if n_hits and evidence(hashes) >= least:
            found.append(Candidate(number, n_hits, evidence(hashes)))
    return sorted(found, key=lambda one: (-one.evidence, -one.n_hits, one.document))


@pytest.mark.parametrize("min_evidence", [1.0, 12.0, 20.0])
@pytest.mark.parametrize("text", QUERIES, ids=range(len(QUERIES)))
def test_candidates_are_those_found_plainly(store: Store, text: str, min_evidence: float) -> None:
    options = Options(min_evidence=min_evidence)
    expected = plainly(store, text, options)
    assert expected == candidates(store.generation, query_sample(text, store.params), options)


def test_a_hash_weighs_the_more_the_fewer_documents_have_it(tmp_path) -> None:
    """One passage in one text of thirty-one, another in five: equally long, the first says more."""
    rare, spread = words(7000, 40), words(7001, 40)
    texts = [
        ("rare", words(1) + " " + rare),
        *((f"{n}", words(n) + " " + (spread if n < 7 else "")) for n in range(2, 32)),
    ]
    with Collection(tmp_path / "c.pmbf", create=True) as made:
        made.add_many(texts)
    with Store(tmp_path / "c.pmbf") as store:
        sample = query_sample(f"{words(7002, 100)} {rare} {words(7003, 100)} {spread}", store.params)
        first, *others = candidates(store.generation, sample)
        assert "rare" in store.paths_of([first.document])[first.document][0]
        assert len(others) == 5
        assert first.evidence > 1.3 * others[0].evidence


def translated(text: str, chosen: random.Random) -> str:
    """Return a text with the short words around its long words changed, as a translation there and back does."""
    return " ".join(f"{word} {chosen.choice(['ab', 'cde', 'f gh'])}" for word in text.split() if len(word) > 4)


def test_a_source_of_which_only_the_long_words_are_left_is_the_best_candidate(tmp_path) -> None:
    chosen = random.Random(91)
    texts = [" ".join(f"{word} of" for word in words(seed, 200).split()) for seed in range(300)]
    with Collection(tmp_path / "c.pmbf", create=True) as made:
        made.add_many((f"text-{number}", text) for number, text in enumerate(texts))
    with Store(tmp_path / "c.pmbf") as store:
        for number in range(20):
            query = f"{words(8000 + number, 100)} {translated(texts[number], chosen)}"
            first = candidates(store.generation, query_sample(query, store.params))[0].document
            assert f"text-{number}" == store.paths_of([first])[first][0]


@pytest.mark.parametrize("n_words", [15, 30, 60])
def test_a_short_text_is_found_by_its_copy_whatever_is_needed(store: Store, n_words: int) -> None:
    text = " ".join(words(21, 300).split()[100 : 100 + n_words])
    found = candidates(store.generation, query_sample(text, store.params), Options(min_evidence=1e6))
    assert "text-21" in [store.paths_of([one.document])[one.document][0] for one in found]


def test_an_empty_collection_has_no_candidates(tmp_path) -> None:
    with Collection(tmp_path / "c.pmbf", create=True) as made:
        assert not made.screen(words(1)).found


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


def test_the_first_answer_takes_one_query(store: Store) -> None:
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
    assert taken == 1


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


# ---------------------------------------------------------------------- text that many documents share


def collection_with(tmp_path, n_documents: int, n_holding: int, passage: str, n_words: int = 150):
    """Return a collection of which the first documents hold a passage, each in words of its own."""
    made = Collection(tmp_path / "shared.pmbf", create=True)
    holding = ((n, own_words(n, n_words)) for n in range(n_documents))
    made.add_many(
        (f"{n}", f"{text} {passage} {own_words(3000 + n, 50)}" if n < n_holding else text) for n, text in holding
    )
    return made


def own_words(seed: int, n_words: int) -> str:
    """Return a text of words that the text of no other seed has."""
    return words(seed, n_words).replace("o", f"o{seed}")


@pytest.mark.parametrize(("n_documents", "n_holding"), [(5, 5), (12, 12), (40, 40), (60, 50), (300, 45), (2000, 50)])
def test_what_few_dozen_documents_share_is_found_in_all_of_them(tmp_path, n_documents: int, n_holding: int) -> None:
    passage = words(9999, 60)
    with collection_with(tmp_path, n_documents, n_holding, passage) as made:
        found = made.screen(f"{words(7001)} {passage} {words(7002)}").matches
    assert {str(n) for n in range(n_holding)} == {match.document.path for match in found}
    assert {"verbatim"} == {passage.kind for match in found for passage in match.passages}


@pytest.mark.parametrize(("n_documents", "n_holding"), [(100, 100), (600, 200), (2000, 1000)])
def test_what_more_documents_share_is_found_in_some(tmp_path, n_documents: int, n_holding: int) -> None:
    passage = words(9999, 60)
    with collection_with(tmp_path, n_documents, n_holding, passage) as made:
        found = made.screen(f"{words(7001)} {passage} {words(7002)}").matches
    assert 1 <= len(found) <= widespread.MOST_SHARING
    assert all(int(match.document.path) < n_holding for match in found)


def test_what_many_share_is_not_told_of_others_where_the_copied_document_has_it(tmp_path) -> None:
    notice = words(9999, 60)
    with collection_with(tmp_path, 300, 200, notice) as made:
        found = made.screen(f"{words(7001)} {own_words(17, 150)} {notice} {own_words(3017, 50)}").matches
    assert ["17"] == [match.document.path for match in found]


def test_phrases_of_a_passage_elsewhere_hide_no_document_that_holds_the_passage(tmp_path) -> None:
    passage = words(9999, 60)
    phrases = [" ".join(passage.split()[start : start + 5]) for start in range(0, 60, 5)]
    with Collection(tmp_path / "shared.pmbf", create=True) as made:
        made.add_many(
            (f"{n}", f"{words(n)} {phrases[n % 12]} {phrases[n % 7]}" if n % 4 else f"{words(n)} {passage}")
            for n in range(160)
        )
        found = made.screen(f"{words(7001)} {passage} {words(7002)}").matches
    assert {str(n) for n in range(0, 160, 4)} <= {match.document.path for match in found}


def test_phrases_that_many_share_make_no_candidate(tmp_path) -> None:
    phrases = [words(9000 + n, 5) for n in range(20)]
    with collection_with(
        tmp_path, 300, 200, " ".join(f"{one} {words(8000 + n, 9)}" for n, one in enumerate(phrases))
    ) as made:
        assert not made.screen(" ".join(f"{words(7000 + n, 9)} {one}" for n, one in enumerate(phrases))).found
