"""`ResultSets`: articles in, groups out, in every script."""

from __future__ import annotations

import random
import threading

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pmbf import CorruptError, NotFoundError, ParameterError, ResultSets, UnsupportedError
from pmbf.alike.resultsets import PreparedArticle
from pmbf.alike.resultsets.prepared import MOST_KEPT

STORY = (
    "The harbour of the old town was quiet that night. A lighthouse stood on the hill above the grey houses. "
    "Nobody had climbed the narrow stairs since the winter storm. The keeper wrote every evening into a black book. "
    "His daughter brought bread and apples from the market on Saturdays. They rarely spoke about the lost ships."
)
OTHER = (
    "Parliament passed the budget after a long debate on Tuesday. Ministers promised lower taxes for small companies. "
    "The opposition called the plan careless and asked for new elections. Economists expect growth of two percent."
)


def scrambled(text: str, share: float, seed: int) -> str:
    """Return a text with a share of its words replaced."""
    chosen = random.Random(seed)
    return " ".join(f"w{chosen.random()}" if chosen.random() < share else word for word in text.split())


@pytest.fixture(params=["words", "sentences"])
def sets(request: pytest.FixtureRequest) -> ResultSets:
    return ResultSets(0.4, features=request.param)


def test_a_copy_is_hidden_behind_the_first_article(sets):
    found = sets.duplicates([OTHER, STORY, "Breaking! " + STORY, STORY])
    assert found.keep == (0, 1)
    [group] = found.groups
    assert (group.representative, [member.article for member in group.members]) == (1, [2, 3])
    assert group.members[1].similarity == group.members[1].contained == 1.0
    assert [pair[:2] for pair in found.pairs] == [(1, 2), (1, 3), (2, 3)]


@pytest.mark.parametrize("text", [
    "他看见港口上面有一座旧灯塔。天已经黑了，没有人在那里等他们。第二天早上船长回来了，带着很多新的消息。",
    "Старый маяк стоял над тихой гаванью. Ночью там никого больше не было! Смотритель писал вечерами письма дочери.",
    "الميناء القديم كان هادئا في تلك الليلة الباردة. هل سمعت صوت البحر العظيم في الليل؟ كتب الحارس رسالة طويلة.",
    "그는 항구 위의 오래된 등대를 보았다. 밤이 되자 아무도 그곳에 남아 있지 않았다. 등대지기는 매일 저녁 편지를 썼다.",
    "वह समुद्र के किनारे पुराने घर में रहता था। हर शाम वह लहरों की आवाज़ सुनता था। उसकी बेटी शहर से रोटी लाती थी।",
    "ชายคนนั้นเห็นประภาคารเก่าเหนือท่าเรือ ตอนกลางคืนไม่มีใครอยู่ที่นั่นอีกแล้ว",
    "Ο παλιός φάρος στεκόταν πάνω από το λιμάνι. Τη νύχτα δεν υπήρχε πια κανείς εκεί. Ο φύλακας έγραφε κάθε βράδυ.",
])  # fmt: skip
def test_copies_are_found_in_all_scripts(sets, text):
    assert sets.duplicates([OTHER, text, text.upper()]).keep == (0, 1)


@pytest.mark.parametrize(("prefer", "shown"), [("first", 0), ("longest", 1), (lambda article: -article, 2)])
def test_the_preferred_article_is_shown(prefer, shown):
    longer = STORY + " The end of the story was never told to anybody in the town."
    found = ResultSets(0.4).duplicates([STORY, longer, STORY], prefer=prefer)
    assert found.keep == (shown,)
    assert found.groups[0].representative == shown


def test_a_teaser_is_a_duplicate_by_containment_alone():
    teaser = STORY[: STORY.index("Nobody")]
    assert ResultSets(0.5).duplicates([STORY, teaser]).keep == (0, 1)
    found = ResultSets(0.5, measure="containment").duplicates([STORY, teaser])
    [member] = found.groups[0].members
    assert member.contained == 1.0 and member.similarity < 0.5


def test_a_chain_is_hidden_whole_only_if_connected():
    words = [f"word{i}" for i in range(300)]
    chain = [" ".join(words[start : start + 100]) for start in (0, 35, 70)]
    assert ResultSets(0.4, linkage="star").duplicates(chain).keep == (0, 2)
    found = ResultSets(0.4, linkage="connected").duplicates(chain)
    assert found.keep == (0,)
    near, far = found.groups[0].members
    assert 0.4 < near.similarity < 0.6 and 0.1 < far.similarity < 0.3  # 65 and 30 of 100 words, in shingles of three


def test_a_cut_copy_of_a_long_article_is_found_although_both_are_trimmed():
    words = [f"word{i}" for i in range(3000)]
    whole, cut = " ".join(words), " ".join(words[:2000])
    found = ResultSets(0.55, keep=64).duplicates([whole, cut])
    assert found.keep == (0,)
    assert 0.55 < found.groups[0].members[0].similarity < 0.8  # two thirds in truth
    assert found.groups[0].members[0].contained == 1.0


@settings(max_examples=40)
@given(st.randoms(use_true_random=False))
def test_the_order_of_the_articles_does_not_change_the_pairs(chance):
    texts = [OTHER, STORY, *(scrambled(STORY, share, seed) for seed, share in enumerate((0, 0.03, 0.1, 0.2, 0.4))), ""]
    sets, order = ResultSets(0.3), chance.sample(range(len(texts)), len(texts))
    expected = {(frozenset(pair[:2]), pair[2]) for pair in sets.duplicates(texts).pairs}
    found = sets.duplicates([texts[place] for place in order])
    assert expected == {(frozenset((order[one], order[other])), score) for one, other, score in found.pairs}
    alike = {frozenset(pair[:2]) for pair in found.pairs}
    assert all({group.representative, member.article} in alike for group in found.groups for member in group.members)
    assert not any({one, other} in alike for one in found.keep for other in found.keep if one != other)


def test_two_articles_are_duplicates_as_in_a_set(sets):
    texts = [STORY, OTHER, *(scrambled(STORY, share / 20, share) for share in range(10)), "", "Yes.", "Yes."]
    pairs = {pair[:2] for pair in sets.duplicates(texts).pairs}
    for one in range(len(texts)):
        for other in range(one + 1, len(texts)):
            assert sets.is_duplicate(texts[one], texts[other]) == ((one, other) in pairs)


def test_articles_without_words_are_no_duplicates(sets):
    assert sets.duplicates(["", "", " \n", "!?"]).keep == (0, 1, 2, 3)
    assert sets.duplicates([]).keep == ()


# ---------------------------------------------------------------------- bytes


def test_prepared_bytes_are_read_as_they_were(sets):
    texts = [STORY, STORY * 30, OTHER, ""]
    made = [sets.prepare(text) for text in texts]
    stored = [bytes(one) for one in made]
    assert all(len(raw) <= 520 for raw in stored)
    assert [bytes(sets.read(raw)) for raw in stored] == stored
    assert sets.duplicates(stored).pairs == sets.duplicates(texts).pairs
    assert [sets.read(raw).n_chars for raw in stored] == [len(text) for text in texts]


def test_bytes_of_another_version_or_other_settings_are_refused(sets):
    raw = bytes(sets.prepare(STORY))
    with pytest.raises(UnsupportedError, match="is of version 2, expected 1; prepare it again"):
        sets.read(b"\2" + raw[1:])
    other = ResultSets(features="sentences" if len(sets.prepare(STORY).hashes) > 6 else "words")
    with pytest.raises(ParameterError, match=r"other settings than features='(words|sentences)', stem=None"):
        other.read(raw)
    with pytest.raises(ParameterError, match="other settings"):
        other.duplicates([sets.prepare(STORY)])


@settings(max_examples=200)
@given(st.one_of(st.binary(max_size=40), st.binary(max_size=600)), st.booleans())
def test_hostile_bytes_are_read_or_refused_with_a_reason(raw, as_ours):
    sets = ResultSets()
    if as_ours:
        raw = bytes(sets.prepare(""))[: 1 + len(raw) % 8] + raw
    try:
        read = sets.read(raw)
    except (CorruptError, UnsupportedError, ParameterError) as error:
        assert "prepare it again" in str(error)
    else:
        assert bytes(read) == raw
        assert sets.duplicates([read, read, STORY]).keep in ((0, 2), (0, 1, 2))


def test_keeps_of_different_length_are_compared():
    text = " ".join(f"word{i}" for i in range(2000))
    few, many = ResultSets(keep=16), ResultSets(keep=512)
    assert many.duplicates([few.prepare(text), many.prepare(text)]).keep == (0,)


# ---------------------------------------------------------------------- keys, threads, wrong values


def test_a_key_stands_for_an_article_that_was_given(sets):
    assert sets.duplicates([(("a", 1), STORY), (("b", 1), OTHER)]).keep == (0, 1)
    assert sets.duplicates([(("b", 1), None), (("a", 1), None), STORY]).keep == (0, 1)
    with pytest.raises(NotFoundError, match=r"no article is kept under \('a', 2\), 'c'; give it with its text"):
        sets.duplicates([(("a", 2), None), (("a", 1), None), ("c", None)])


def test_articles_used_longest_ago_are_forgotten():
    sets = ResultSets(cache=2)
    for key in "abc":
        sets.put(key, STORY)
    assert [one is None for one in sets.known("abc")] == [True, False, False]
    assert ResultSets(cache=0).duplicates([("a", STORY), ("b", STORY)]).keep == (0,)


def test_threads_share_a_result_set():
    pytest.importorskip("Stemmer")
    sets = ResultSets(features="sentences", stem="english")
    texts = [scrambled(STORY, 0.2, seed) for seed in range(40)]
    expected = [bytes(ResultSets(features="sentences", stem="english").prepare(text)) for text in texts]
    found: list[list[bytes]] = []
    threads = [
        threading.Thread(target=lambda: found.append([bytes(sets.prepare(one)) for one in texts])) for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [expected] * 4


@pytest.mark.parametrize(("values", "message"), [
    ({"threshold": 0}, "threshold is 0, expected a number above 0"),
    ({"threshold": 1.01}, "threshold is 1.01"),
    ({"threshold": float("nan")}, "threshold is nan"),
    ({"threshold": True}, "threshold is True"),
    ({"threshold": "0.5"}, "threshold is '0.5'"),
    ({"features": "letters"}, "features is 'letters', expected 'words' or 'sentences'"),
    ({"keep": 7}, "keep is 7"),
    ({"keep": MOST_KEPT + 1}, "keep is 4097"),
    ({"keep": 64.0}, "keep is 64.0"),
    ({"stem": "english"}, "which are not stemmed"),
    ({"measure": "cosine"}, "measure is 'cosine'"),
    ({"linkage": "ward"}, "linkage is 'ward'"),
    ({"cache": -1}, "cache is -1"),
])  # fmt: skip
def test_wrong_values_are_refused(values, message):
    with pytest.raises(ParameterError, match=message):
        ResultSets(**values)


@pytest.mark.parametrize(("articles", "message"), [
    ([3], "an article is int"),
    ([("key",)], "an article is a tuple of 1"),
    ([("key", 3)], "an article is int"),
    ([None], "an article is NoneType"),
])  # fmt: skip
def test_what_is_no_article_is_refused(articles, message):
    with pytest.raises(ParameterError, match=message):
        ResultSets().duplicates(articles)


def test_a_set_has_at_most_5000_articles():
    one = ResultSets().prepare("")
    with pytest.raises(ParameterError, match="a set has 5001 articles, expected at most 5000"):
        ResultSets().duplicates([one] * 5001)


def test_lone_surrogates_and_controls_are_taken(sets):
    assert sets.duplicates([STORY + "\udc80\x00", STORY]).keep == (0,)
    assert sets.duplicates([STORY + "\udc80", STORY]).why(0, 1)


def test_the_same_set_is_compared_once():
    sets = ResultSets()
    made = [sets.prepare(STORY) for _ in range(3)]
    assert sets.duplicates(made).groups is sets.duplicates(made).groups
    assert sets.duplicates(made, prefer="longest").groups is not sets.duplicates(made).groups
    assert isinstance(made[0], PreparedArticle) and np.array_equal(made[0].hashes, sets.read(bytes(made[0])).hashes)
