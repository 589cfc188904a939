"""Collections of the kind `rows`: the filter and the texts answer, beside a collection with postings."""

from __future__ import annotations

import dataclasses
import shutil
from pathlib import Path

import numpy as np
import pytest
from conftest import names, words
from hypothesis import given, settings
from hypothesis import strategies as st

from pmbf import Collection, CorruptError, ParameterError, Params
from pmbf.base.params import PROFILES
from pmbf.cluster import manifest
from pmbf.cluster.objects import depot_at
from pmbf.collection.checking import repair
from pmbf.fingerprint import query_sample
from pmbf.screen import Options
from pmbf.screen.by_rows import ALL_PASSED, OWN_HASHES, n_documents_having
from pmbf.screen.candidates import candidates, find, find_each
from pmbf.screen.widespread import MOST_SHARING
from pmbf.store import generation as generations
from pmbf.store.folder import Store
from pmbf.store.sampled import hashes_of, whole

SMALL = {"segment_chars": 1024, "row_capacity": 200}
"""Rows of some two short texts; a longer text lies in several."""

N_DOCUMENTS = 120


def text(number: int) -> str:
    """Return a text of its own; some are long, and each has a part of another one."""
    own = words(number, 1500 if number % 40 == 7 else 150)
    return f"{own} {words(number * 7 % N_DOCUMENTS, 150)[100:500]}"


def query(number: int) -> str:
    """Return parts of two documents among words of its own; every fourth query has no part."""
    if number % 4 == 3:
        return words(9000 + number, 300)
    parts = [words(number % N_DOCUMENTS, 150)[:600], words(8000 + number, 100), text(number * 11 % N_DOCUMENTS)[900:]]
    return " ".join(parts)


def made(path: Path, **params: object) -> Path:
    """Return a collection with all texts, one after another, so that ids are the same whatever the parameters."""
    with Collection(path, create=True, params=dataclasses.replace(Params.rows(**SMALL), **params)) as collection:
        collection.add_many((f"text-{number}", text(number)) for number in range(N_DOCUMENTS))
        assert collection.check().problems == []
    return path


@pytest.fixture(scope="module")
def rows(tmp_path_factory):
    return made(tmp_path_factory.mktemp("rows") / "c.pmbf")


@pytest.fixture(scope="module")
def usual(tmp_path_factory):
    return made(tmp_path_factory.mktemp("usual") / "c.pmbf", index="postings")


def kinds(path: Path) -> set[str]:
    """Return the kinds of the files of a collection."""
    with Store(path) as store:
        return {file.kind for file in store.catalog.files()}


# ---------------------------------------------------------------------- beside postings


def test_such_a_collection_has_no_postings_and_its_parameters_say_so(rows):
    assert kinds(rows) == {"TILE", "DOCS", "TEXT"}
    with Collection(rows) as collection:
        assert collection.params == Params.rows(**SMALL)
        assert collection.stats().postings_bytes == 0
        assert collection.stats().n_rows > 40


def test_the_kind_of_a_collection_is_a_parameter():
    assert Params.from_json(Params().to_json(), name="c").index == "postings"
    assert Params.from_json(Params.rows().to_json(), name="c") == Params.rows()
    with pytest.raises(ParameterError, match="index is 'trees', expected 'postings' or 'rows'"):
        Params(index="trees")


@pytest.mark.parametrize("sensitivity", OWN_HASHES)
def test_each_candidate_has_the_hits_that_the_postings_tell(rows, usual, sensitivity):
    options, n_candidates = Options(sensitivity=sensitivity), 0
    with Store(rows) as by_rows, Store(usual) as by_postings:
        for number in range(80):
            sample = query_sample(query(number), by_rows.params)
            having = by_postings.generation.documents_having(sample.hashes, limit=1 << 40)
            told = dict(zip(having.ids.tolist(), np.diff(having.bounds).tolist(), strict=True))
            found = candidates(by_rows.generation, sample, options)
            assert [one.n_hits for one in found] == [told.get(one.document) for one in found]
            n_candidates += len(found)
    assert n_candidates > 100


def test_a_source_has_the_same_passages_in_both_kinds(rows, usual):
    n_found = 0
    with Collection(rows) as by_rows, Collection(usual) as by_postings:
        for number in range(60):
            found, expected = by_rows.screen(query(number)), by_postings.screen(query(number))
            known = {match.document.path: match for match in expected.matches}
            for match in found.matches:
                n_found += 1
                assert match.passages == known[match.document.path].passages
                assert (match.n_hits, match.containment) == (
                    known[match.document.path].n_hits,
                    known[match.document.path].containment,
                )
    assert n_found > 60


@settings(max_examples=40)
@given(st.integers(0, N_DOCUMENTS - 1), st.integers(0, 500), st.integers(300, 900))
def test_a_verbatim_copy_is_always_named(rows, number, start, n_chars):
    copied = text(number)[start : start + n_chars]
    with Collection(rows) as collection:
        assert f"text-{number}" in names(collection.screen(copied))
        assert f"text-{number}" in names(collection.screen(f"{words(7000, 200)} {copied} {words(7001, 200)}"))


def test_each_part_of_a_document_in_many_rows_is_found(rows):
    with Store(rows) as store:
        store.generation.matrix()
        assert len(store.generation.rows.rows_of(8)) > 3  # that of text-7
    with Collection(rows) as collection:
        for start in range(0, len(text(7)) - 400, 500):
            assert "text-7" in names(collection.screen(text(7)[start : start + 400]))


def test_many_queries_are_answered_as_each_alone(rows):
    queries = [query(number) for number in range(40)]
    with Collection(rows) as collection:
        alone = [collection.screen(one) for one in queries]
        assert list(collection.screen_many(queries, jobs=2)) == alone
        generation = collection._store.generation
        samples = [query_sample(one, generation.params) for one in [*queries, "", "one word"]]
        for options in (Options(), Options(method="popcount"), Options(min_evidence=9.0)):
            assert find(generation, samples, options) == find_each(generation, samples, options)


@pytest.mark.parametrize("method", ["hashes", "popcount"])
@settings(max_examples=15)
@given(left=st.sets(st.integers(1, N_DOCUMENTS), max_size=30), number=st.integers(0, 40))
def test_what_is_left_out_is_as_if_it_were_removed(tmp_path_factory, rows, method, left, number):
    removed = tmp_path_factory.mktemp("removed") / "c.pmbf"
    shutil.copytree(rows, removed)
    with Collection(removed) as collection:
        collection.remove(*left) if left else None
    with Store(rows) as whole_one, Store(removed) as expected:
        remaining = whole_one.generation.without(np.array(sorted(left), np.uint32))
        sample, options = query_sample(query(number), whole_one.params), Options(method=method)
        assert find(remaining, [sample], options) == find(expected.generation, [sample], options)


def test_a_clause_of_a_few_documents_names_all_and_one_of_many_names_three(tmp_path):
    few, many = words(-1, 60), words(-2, 60)
    with Collection(tmp_path / "c.pmbf", create=True, params=Params.rows(**SMALL)) as collection:
        texts = [f"{words(n, 100)} {few if n < 12 else ''} {many if n % 2 else ''}" for n in range(200)]
        collection.add_many((f"text-{number}", one) for number, one in enumerate(texts))
        assert {f"text-{number}" for number in range(12)} <= {*names(collection.screen(few))}
        assert len(names(collection.screen(many))) >= MOST_SHARING


def test_text_of_one_row_that_was_looked_up_in_stretches_is_found(rows, monkeypatch):
    with Collection(rows) as collection:
        expected = [collection.screen(query(number)) for number in range(20)]
        monkeypatch.setattr("pmbf.screen.by_rows._LOOK_UP_BYTES", 1 << 10)
        monkeypatch.setattr("pmbf.screen.by_rows._COMPARED_TOGETHER", 3)
        found = [collection.screen(query(number)) for number in range(20)]
    assert [names(one) for one in found] == [names(one) for one in expected]


def test_how_many_documents_have_a_hash_follows_from_the_rows(rows, usual):
    with Store(rows) as by_rows, Store(usual) as by_postings:
        for number in range(20):
            sample = query_sample(text(number), by_rows.params)
            exact = by_postings.generation.documents_having(sample.hashes, limit=1 << 40).n_having
            matrix = by_rows.generation.matrix()
            told = n_documents_having(matrix.look_up(sample.hashes).n_hit, matrix)
            assert told.min() >= 1
            assert np.abs(told - exact).max() <= 2


# ---------------------------------------------------------------------- hashes made from texts


@pytest.mark.parametrize("params", [{}, {"store_text": False}, {"hash_bits": 48}], ids=str)
def test_the_hashes_are_those_of_the_fingerprints(tmp_path, monkeypatch, params):
    monkeypatch.setattr(generations, "SAMPLED_BYTES", 1 << 14)  # most are made anew each time
    path = made(tmp_path / "c.pmbf", **params)
    with Collection(path) as collection:
        collection.remove(*range(1, 30))
        collection.compact()
        assert collection.check().problems == []
    with Store(path) as store:
        ids = store.generation.directory.live_ids()
        for _ in range(2):
            documents, parts = hashes_of(store.generation, whole(store.generation, ids))
            for id_, row in store.documents(ids.tolist()).items():
                own = np.concatenate([one for one, owner in zip(parts, documents, strict=True) if owner == id_])
                assert own.tolist() == store.generation.fingerprint(row).hashes.tolist()


def test_a_collection_without_texts_names_its_sources(tmp_path):
    file = tmp_path / "text.txt"
    file.write_text(text(5), encoding="utf-8")
    with Collection(tmp_path / "c.pmbf", create=True, params=Params.rows(store_text=False)) as collection:
        collection.load([file])
        assert names(collection.screen(text(5)[:500])) == [str(file)]
    assert kinds(tmp_path / "c.pmbf") == {"TILE", "DOCS", "FPRT"}


# ---------------------------------------------------------------------- changes, damage


@pytest.mark.slow
@settings(max_examples=12)
@given(st.lists(st.tuples(st.sampled_from(["add", "remove", "compact", "repair"]), st.integers(0, 11)), max_size=8))
def test_a_history_leaves_what_is_there_findable_and_nothing_else(tmp_path_factory, changes):
    path, living = tmp_path_factory.mktemp("history") / "c.pmbf", set[int]()
    Collection(path, create=True, params=Params.rows(**SMALL)).close()
    for verb, number in [("add", 0), *changes]:
        group = {number * 5 + one for one in range(5)}
        with Collection(path) as collection:
            if verb == "add":
                collection.add_many((f"text-{one}", text(one)) for one in sorted(group))
                living |= group
            elif verb == "remove" and group & living:
                collection.remove(*(f"text-{one}" for one in group & living))
                living -= group
            elif verb == "compact":
                collection.compact()
        if verb == "repair":
            assert (repair(path).problems, repair(path).remaining) == ([], [])
        with Collection(path) as collection:
            assert collection.check().problems == []
            for one in range(0, 60, 4):
                found = names(collection.screen(words(one, 150)[:800]))
                assert (f"text-{one}" in found) == (one in living)
                assert {int(name.removeprefix("text-")) for name in found} <= living
    assert "POST" not in kinds(path)


def test_a_lost_tile_stops_each_answer_and_is_made_anew(tmp_path):
    path = made(tmp_path / "c.pmbf")
    with Collection(path) as collection:
        expected = [collection.screen(query(number)) for number in range(20)]
    tile = next(path.glob("tiles/*.tile"))
    tile.unlink()
    with Collection(path) as collection, pytest.raises(CorruptError, match=f"{tile.name}.*check --repair"):
        collection.screen(query(0))
    assert repair(path).remaining == []
    with Collection(path) as collection:
        found = [collection.screen(query(number)) for number in range(20)]
    assert [one.matches for one in found] == [one.matches for one in expected]


def test_bits_that_are_cleared_behind_right_checksums_change_an_answer(tmp_path):
    path = made(tmp_path / "c.pmbf")
    with Store(path) as store:
        sample = query_sample(text(9), store.params)
        assert candidates(store.generation, sample, Options())
        for tile in store.generation.matrix().tiles.values():
            tile._bits, tile._check = np.zeros_like(tile.bits), None
        assert candidates(store.generation, sample, Options()) == []


def test_the_postings_of_such_a_collection_are_not_asked_in_silence(rows):
    with Store(rows) as store, pytest.raises(ParameterError, match="has no postings"):
        store.generation.documents_having(query_sample(text(9), store.params).hashes, limit=9)


# ---------------------------------------------------------------------- the paper's method


def test_the_papers_method_is_refused_where_there_are_postings(usual):
    with Collection(usual) as collection, pytest.raises(ParameterError, match="made with `pmbf load --index rows`"):
        collection.screen(query(0), method="popcount")


def test_the_papers_method_names_the_copy_and_leaves_rows_out(rows):
    with Collection(rows) as collection:
        for number in range(0, 40, 4):
            report = collection.screen(words(number, 150), method="popcount")
            assert f"text-{number}" == names(report)[0]
            assert report.warnings == ()


def test_the_papers_method_says_when_all_rows_pass(rows):
    with Collection(rows) as collection:
        report = collection.screen(query(0), method="popcount", false_rows=1e6)
        assert report.warnings == (ALL_PASSED,)
        assert collection.screen(query(0), false_rows=1e6).warnings == ()


def test_the_usual_share_of_rows_passes_by_chance_at_most(rows):
    with Store(rows) as store:
        matrix, n_passed = store.generation.matrix(), 0
        for number in range(3, 83, 4):  # texts of their own
            sample = query_sample(query(number), store.params)
            n_passed += sum(len(found) for _, found in matrix.rows_with_common_bits(
                sample.hashes, false_rows=0.02 * matrix.n_rows))  # fmt: skip
        assert n_passed <= 20 * 0.02 * matrix.n_rows * 2


# ---------------------------------------------------------------------- elsewhere


@pytest.mark.parametrize("profile", PROFILES)
def test_each_profile_has_its_rows(tmp_path, profile):
    params = dataclasses.replace(PROFILES[profile](), index="rows")
    with Collection(tmp_path / "c.pmbf", create=True, params=params) as collection:
        collection.add_many((f"text-{number}", text(number)) for number in range(10))
        assert "text-4" in names(collection.screen(text(4)[:700]))


def test_a_depot_is_not_made_of_rows(tmp_path):
    (tmp_path / "depot").mkdir()
    with pytest.raises(ParameterError, match="nodes answer from postings"):
        manifest.created(depot_at(str(tmp_path / "depot")), Params.rows())
