"""`pmbf.near_duplicates`: lists, mappings, tables; which text is kept; proof."""

import random
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pmbf import ParameterError, Span
from pmbf.alike.pairs import Features, finding, linking, near_duplicates
from pmbf.alike.pairs.features import featured
from pmbf.text import utf8
from pmbf.verify import passages, prepare

SEA = "The sea comes in twice a day and goes out twice a day, and nobody on this coast has ever asked it why."
HILL = "Behind the last house the road climbs a hill that the maps of three centuries spell in three ways."
WORDS = ["sea", "coast", "the", "house", "of", "road", "海", "水", "море"]


def edited(text, seed, n=1):
    words, drawn = text.split(), random.Random(seed)
    for place in drawn.sample(range(len(words)), n):
        words[place] = f"word{drawn.random()}"
    return " ".join(words)


@settings(max_examples=150, deadline=None)
@given(
    st.lists(st.lists(st.sampled_from(WORDS), max_size=9).map(" ".join), max_size=12),
    st.sampled_from([0.2, 0.5, 1.0]),
    st.sampled_from(["words", "spotsigs"]),
    st.sampled_from(["first", "longest"]),
)
def test_pairs_are_those_of_a_brute_force_and_each_dropped_text_is_like_a_kept_one(texts, tau, kind, keep):
    sets = [set(one.tolist()) for one in featured([utf8(text) for text in texts], Features(kind)).lists]
    alike = {
        (i, j) for (i, a), (j, b) in combinations(enumerate(sets), 2) if a and b and len(a & b) / len(a | b) >= tau
    }
    found = near_duplicates(texts, threshold=tau, features=kind, keep=keep)
    told = {(pair.a, pair.b) for pair in found.pairs}
    assert alike == told
    assert found.is_whole
    assert found.n_pairs == len(found.pairs) == len(told)
    for pair in found.pairs:
        a, b = sets[pair.a], sets[pair.b]
        assert (len(a & b) / len(a | b), len(a & b) / len(a), len(a & b) / len(b)) == pytest.approx(pair[2:5])
        assert pair.shared == len(a & b)
    kept = set(np.flatnonzero(found.keep).tolist())
    assert not any({i, j} <= kept for i, j in alike)
    for cluster in found.clusters:
        assert cluster.kept in kept
        assert all((min(one, cluster.kept), max(one, cluster.kept)) in alike for one in cluster.others)
    assert len(texts) == len(kept) + sum(len(cluster.others) for cluster in found.clusters)


def test_equal_texts_are_pairs_of_each_other():
    found = near_duplicates([SEA, HILL, SEA.upper(), SEA, edited(SEA, 1)])
    assert [(0, 2), (0, 3), (0, 4), (2, 3), (2, 4), (3, 4)] == [pair[:2] for pair in found.pairs]
    assert [(0, (2, 3, 4))] == found.clusters
    assert [True, True, False, False, False] == found.keep.tolist()


def test_if_equal_texts_are_too_many_then_each_is_a_pair_with_one_of_them(monkeypatch):
    texts = [SEA, HILL, SEA.upper(), SEA, edited(SEA, 1)]
    whole = near_duplicates(texts)
    monkeypatch.setattr(linking, "MOST_PAIRS", 5)
    found = near_duplicates(texts)
    assert [(0, 2), (0, 3), (0, 4)] == [pair[:2] for pair in found.pairs]
    assert (False, whole.clusters, whole.keep.tolist()) == (found.is_whole, found.clusters, found.keep.tolist())


def test_a_chain_of_texts_does_not_drop_what_is_unlike_the_kept_one():
    words = [f"w{i}" for i in range(60)]
    texts = [" ".join(words[start : start + 30]) for start in (0, 8, 16, 24)]
    found = near_duplicates(texts, threshold=0.5)
    assert [(0, 1), (1, 2), (2, 3)] == [pair[:2] for pair in found.pairs]
    assert [True, False, True, False] == found.keep.tolist()


def test_the_longest_or_the_newest_text_is_kept_if_asked_for():
    texts = [SEA, SEA + " Why?", SEA + " Why"]
    assert [False, True, False] == near_duplicates(texts, keep="longest").keep.tolist()
    assert [False, False, True] == near_duplicates(texts, keep="newest", times=[2, 3, 5]).keep.tolist()
    assert [True, False, False] == near_duplicates(texts, keep="newest", times=[5, 5, 5]).keep.tolist()


def test_a_mapping_gives_its_keys_and_a_column_its_index():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"text": [SEA, None, HILL, edited(SEA, 3), float("nan")]}, index=list("vwxyz"))
    found = near_duplicates(frame["text"])
    assert [("v", "y")] == [pair[:2] for pair in found.pairs]
    assert ["v", "w", "x", "z"] == frame[found.keep].index.tolist()
    assert [("v", "y")] == [pair[:2] for pair in near_duplicates(dict(frame["text"])).pairs]
    assert ["a", "b"] == pandas.DataFrame(found.pairs).columns.tolist()[:2]
    with pytest.raises(ParameterError, match="one column"):
        near_duplicates(frame)


def test_proof_has_the_passages_in_characters_of_both_texts():
    [pair] = near_duplicates([f"As he wrote: {SEA}", SEA], proof=True).pairs
    [passage] = pair.passages
    assert (Span(13, 13 + len(SEA)), Span(0, len(SEA))) == (passage.query, passage.source)
    assert near_duplicates([SEA, SEA]).pairs[0].passages is None


@pytest.mark.parametrize("texts", [[], [""], [SEA], ["", "", None], ["  ", "!"]])
def test_without_two_texts_with_words_there_is_no_pair(texts):
    found = near_duplicates(texts)
    assert ([], [], [True] * len(texts)) == (found.pairs, found.clusters, found.keep.tolist())


def test_texts_of_one_word_are_pairs_if_they_are_equal():
    assert [(0, 2)] == [pair[:2] for pair in near_duplicates(["sea", "hill", "Sea!", "sea hill"]).pairs]


SCRIPTS = {
    "chinese": "海水一天来两次，也退两次，这条海岸上从来没有人问过它为什么。",
    "thai": "ทะเลขึ้นวันละสองครั้งและลงวันละสองครั้งและไม่มีใครบนชายฝั่งนี้เคยถามว่าทำไม",
    "russian": "Море приходит два раза в день и уходит два раза в день, и никто на этом берегу не спрашивал, почему.",
    "arabic": "يأتي البحر مرتين في اليوم ويذهب مرتين في اليوم ولم يسأله أحد على هذا الساحل لماذا يفعل ذلك",
    "devanagari": "समुद्र दिन में दो बार आता है और दो बार जाता है, और इस तट पर किसी ने उससे कभी नहीं पूछा कि क्यों।",
}


@pytest.mark.parametrize("script", SCRIPTS)
@pytest.mark.parametrize("kind", ["words", "spotsigs"])
def test_near_duplicates_are_found_in_every_script(script, kind):
    text = SCRIPTS[script]
    found = near_duplicates([text, HILL, text + " 2026", text[:10]], features=kind)
    assert (0, 2) in [pair[:2] for pair in found.pairs]
    assert all(1 not in pair[:2] for pair in found.pairs)
    assert (0 in found.by_words) == (kind == "spotsigs" and script in ("chinese", "thai"))


def test_texts_with_broken_surrogates_are_compared():
    assert 1 == near_duplicates([SEA + "\udc80", SEA + "\udc81"]).n_pairs


def test_jobs_give_the_same(monkeypatch):
    monkeypatch.setattr(linking, "FEW_FEATURES", 0)
    texts = [edited(SEA * 5, i % 17, 4) for i in range(60)]
    alone, two = near_duplicates(texts, threshold=0.3), near_duplicates(texts, threshold=0.3, jobs=2)
    assert alone.pairs == two.pairs != []
    assert alone.clusters == two.clusters


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        ({"threshold": 0}, "threshold is 0"),
        ({"threshold": 1.01}, "threshold is 1.01"),
        ({"features": "letters"}, "features is 'letters'"),
        ({"keep": "best"}, "keep is 'best'"),
        ({"keep": "newest"}, "0 times, expected times of 1"),
        ({"jobs": 0}, "jobs is 0"),
    ],
)
def test_wrong_values_are_refused(wrong, told):
    with pytest.raises(ParameterError, match=told):
        near_duplicates([SEA], **wrong)


@pytest.mark.parametrize("texts", [SEA, [SEA, 3], [b"sea"]])
def test_what_is_no_text_is_refused(texts):
    with pytest.raises(ParameterError, match="expected"):
        near_duplicates(texts)


@pytest.mark.parametrize("together", [1, 300, 1 << 20])
def test_proofs_are_those_of_each_pair_alone(monkeypatch, together):
    monkeypatch.setattr(finding, "PROVED_TOGETHER", together)
    texts = [f"{one} {HILL} {edited(SEA, seed)}" for seed, one in enumerate((SEA, HILL, SEA, HILL.upper(), SEA, HILL))]
    found = near_duplicates(texts, threshold=0.3, proof=True)
    assert found.n_pairs > 5
    for pair in found.pairs:
        assert pair.passages == passages(prepare(texts[pair.a]), prepare(texts[pair.b])) != ()


def test_a_progress_function_is_told_how_much_is_done():
    told = []
    near_duplicates([SEA] * 3 + [HILL], proof=True, on_progress=lambda *step: told.append(step))
    assert ("Making features", 0, 4) == told[0]
    assert {"Making features", "Comparing", "Proving"} == {what for what, _, _ in told}
    assert all(0 <= done < total for _, done, total in told)
