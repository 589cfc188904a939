"""A collection that is spread over nodes gives the reports of the same collection in one folder."""

import json
import random
from itertools import chain

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pmbf import ParameterError
from pmbf.base.params import Params
from pmbf.jobs.executor import Local
from tests.conftest import words

from .conftest import cut, nodes_of, stored, texts, told, told_here


def queries_of(documents, seed):
    """Return queries: documents themselves, parts of two of them together, and a text that shares nothing."""
    own = [(f"own-{name}", text) for name, text in documents[:3]]
    mixed = [
        ("mixed", documents[seed % 7][1][:900] + " and then " + documents[-1 - seed % 5][1][200:]),
        ("alien", "nothing of these lines was ever seen in other places " * 3),
        ("empty", ""),
    ]
    return own + mixed


@settings(max_examples=3)
@given(
    seed=st.integers(1, 10**6),
    n_parts=st.integers(1, 9),
    n_common=st.sampled_from([0, 57]),
    hash_bits=st.sampled_from([32, 48, 64]),
)
def test_reports_are_those_of_one_folder_for_any_placement(tmp_path_factory, seed, n_parts, n_common, hash_bits):
    tmp_path = tmp_path_factory.mktemp("spread")
    from pmbf import Collection

    documents, params = texts(seed, 64, n_common), Params(hash_bits=hash_bits)
    depot, manifest = stored(tmp_path, cut(documents, n_parts, seed), params)
    queries = queries_of(documents, seed)
    with Collection(tmp_path / "whole.pmbf", create=True, params=params) as collection:
        collection.add_many(documents)
        expected = told_here(collection, queries, manifest)
    assert sum('"matches": []' not in one for one in expected) >= 3
    for n_nodes in (1, 3, 7):
        names = [f"{seed}-{number}" for number in range(n_nodes)]  # the names decide the placement
        with nodes_of(depot, tmp_path, names) as nodes:
            assert expected == told(nodes, manifest, queries)


def with_phrases(seed, n, n_holding):
    """Return named texts: the first hold a clause whose phrases the others have here and there."""
    draw, clause = random.Random(seed), words(-seed, 60).split()
    phrases = [clause[start : start + 5] for start in range(0, 60, 5)]
    made = []
    for number in range(n):
        own = words(seed * 10_000 + number, 150).split()
        made.append(own + clause if number < n_holding else [*own, *chain(*draw.sample(phrases, 2))])
    draw.shuffle(made)
    return clause, [(f"text-{number:04}", " ".join(one)) for number, one in enumerate(made)]


@settings(max_examples=3)
@given(seed=st.integers(1, 10**6), n_parts=st.integers(1, 9), n_holding=st.integers(40, 60))
def test_what_some_fifty_documents_share_is_told_alike_for_any_placement(tmp_path_factory, seed, n_parts, n_holding):
    tmp_path = tmp_path_factory.mktemp("spread")
    from pmbf import Collection

    clause, documents = with_phrases(seed, 160, n_holding)
    depot, manifest = stored(tmp_path, cut(documents, n_parts, seed))
    queries = [("clause", f"{words(7001)} {' '.join(clause)} {words(7002)}"), *documents[:8]]
    with Collection(tmp_path / "whole.pmbf", create=True) as collection:
        collection.add_many(documents)
        expected = told_here(collection, queries, manifest)
    n_found = len(json.loads(expected[0])["matches"])
    assert (n_found >= n_holding) == (n_holding <= 50)
    for n_nodes in (1, 3, 7):
        with nodes_of(depot, tmp_path, [f"{seed}-{number}" for number in range(n_nodes)]) as nodes:
            assert expected == told(nodes, manifest, queries)


OPTIONS = [
    {"exclude_self": True},
    {"sensitivity": "thorough", "min_chars": 30},
    {"min_evidence": 3.0},
    {"min_evidence": 30.0},
    {"threshold": 0.2, "max_candidates": 2},
    {"exclude_quotations": True},
]


@pytest.mark.parametrize("options", OPTIONS)
def test_options_mean_the_same(tmp_path, whole, options):
    documents = texts(5, 40)
    depot, manifest = stored(tmp_path, cut(documents, 4, 5))
    with whole(documents) as collection:
        queries = [(name, text) for name, text in documents[:4]]
        expected = told_here(collection, queries, manifest, **options)
    with nodes_of(depot, tmp_path, "abc") as nodes:
        assert expected == told(nodes, manifest, queries, **options)


def test_the_papers_measure_is_refused(tmp_path):
    documents = texts(5, 12)
    depot, manifest = stored(tmp_path, cut(documents, 2, 5))
    with (
        nodes_of(depot, tmp_path, "a") as nodes,
        pytest.raises(ParameterError, match="made with `pmbf load --index rows`"),
    ):
        told(nodes, manifest, documents[:1], method="popcount")


def test_processes_and_threads_answer_the_same(tmp_path):
    documents = texts(7, 40)
    depot, manifest = stored(tmp_path, cut(documents, 5, 7))
    queries = queries_of(documents, 7) * 4
    with nodes_of(depot, tmp_path, "a") as nodes:
        expected = told(nodes, manifest, queries)
    with nodes_of(depot, tmp_path, "abc", executor=Local()) as nodes:
        assert expected == told(nodes, manifest, queries, jobs=3)
