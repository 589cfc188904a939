"""Why two articles are duplicates, stems, and what a background teaches."""

from __future__ import annotations

import builtins

import pytest

from pmbf import NotFoundError, ParameterError, ResultSets, UnsupportedError
from tests.resultsets.test_sets import OTHER, STORY, scrambled


def test_shared_sentences_stand_where_they_are_said_to():
    sets = ResultSets(0.3, features="sentences")
    first = "An old tale, told again for our readers on Sunday. " + STORY
    second = STORY.replace("His daughter", "Her brother").upper()
    found = sets.duplicates([first, second]).why(0, 1)
    assert len(found) == 5
    for one in found:
        assert one.text == first[one.first.start : one.first.stop]
        assert one.text.upper() == second[one.second.start : one.second.stop]
    assert found[0].text == "The harbour of the old town was quiet that night"


def test_words_are_explained_by_passages():
    first, second = "Dear reader! " + STORY, STORY.replace("grey", "white")
    found = ResultSets(0.3).duplicates([first, OTHER, second]).why(0, 2)
    assert sum(len(one.first) for one in found) > 0.9 * len(STORY)
    assert all(first[one.first.start : one.first.stop] == one.text for one in found)


def test_reasons_need_texts_and_places():
    sets = ResultSets()
    found = sets.duplicates([STORY, sets.prepare(STORY), ("key", STORY)])
    assert found.why(0, 2)
    with pytest.raises(NotFoundError, match="the text of article 1 is not there"):
        found.why(0, 1)
    for place in (-1, 3):
        with pytest.raises(ParameterError, match=f"there is no article {place}, expected 0 to 2"):
            found.why(0, place)


# ---------------------------------------------------------------------- stems

FORMS = {
    "english": ("The captains sailed past the old lighthouses.", "The captain sails past the old lighthouse."),
    "german": ("Die alten Häuser standen über dem stillen Hafen.", "Die alte Häuser standen über dem stille Hafen."),
    "russian": ("Старые корабли стояли рядом с тихими гаванями.", "Старый корабль стоял рядом с тихой гаванью."),
}


@pytest.mark.parametrize("language", FORMS)
def test_forms_of_a_word_are_one_word_if_stemmed(language):
    pytest.importorskip("Stemmer")
    plain, stemmed = ResultSets(features="sentences"), ResultSets(features="sentences", stem=language)
    one, other = FORMS[language]
    assert not plain.is_duplicate(one, other)
    assert stemmed.is_duplicate(one, other)


def test_what_is_prepared_does_not_depend_on_what_was_prepared_before():
    # "resume" and "résumé" fold to the same letters, but have different stems.
    pytest.importorskip("Stemmer")
    texts = ["They resume the quiet work above the harbour.", "They résumé the quiet work above the harbour."]
    alone = [bytes(ResultSets(features="sentences", stem="english").prepare(text)) for text in texts]
    for order in (texts, texts[::-1]):
        sets = ResultSets(features="sentences", stem="english")
        made = {text: bytes(sets.prepare(text)) for text in order}
        assert [made[text] for text in texts] == alone


def test_a_full_table_of_stems_begins_anew(monkeypatch):
    pytest.importorskip("Stemmer")
    monkeypatch.setattr("pmbf.alike.resultsets.prepared.MOST_WORDS", 50)
    sets = ResultSets(features="sentences", stem="english")
    texts = [scrambled(STORY, 0.5, seed) for seed in range(20)]
    fresh = [bytes(ResultSets(features="sentences", stem="english").prepare(text)) for text in texts]
    assert [bytes(sets.prepare(text)) for text in texts] == fresh


def test_a_missing_stemmer_says_what_to_install(monkeypatch):
    real = builtins.__import__

    def without(name, *rest, **more):
        if name == "Stemmer":
            raise ImportError(name)
        return real(name, *rest, **more)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(UnsupportedError, match=r"needs PyStemmer: pip install 'pmbf\[stem\]'") as caught:
        ResultSets(features="sentences", stem="english")
    assert caught.value.missing_extra == "stem"


def test_an_unknown_language_is_refused_with_those_that_are_known():
    pytest.importorskip("Stemmer")
    with pytest.raises(ParameterError, match=r"stem is 'klingon', expected one of .*english, .*swedish"):
        ResultSets(features="sentences", stem="klingon")


# ---------------------------------------------------------------------- boilerplate

FOOTER = (
    " This work may be copied under the terms of the common licence. You should have received a copy of it."
    " There is no warranty of any kind for the contents of this page. Report mistakes to the editors of the archive."
)


def unlike(n: int) -> list[str]:
    return [". ".join(" ".join(f"w{seed}x{i}x{j}" for i in range(24)) for j in range(8)) + "." for seed in range(n)]


@pytest.mark.parametrize("features", ["words", "sentences"])
def test_what_many_unlike_articles_share_does_not_count(features):
    sets = ResultSets(0.4, features=features, keep=512)
    own = ("Bread is baked at dawn in our village.", "Two ships collided near the northern cape.")
    articles = [one + FOOTER for one in own]
    assert sets.duplicates(articles).keep == (0,)
    assert sets.learn([text + FOOTER for text in unlike(30)] + [STORY] * 30, more_than=10) > 0
    assert sets.duplicates(articles).keep == (0, 1)
    assert not sets.is_duplicate(*articles)
    # A story with thirty copies is no boilerplate.
    assert sets.duplicates([STORY, STORY + FOOTER]).keep == (0,)
    other = ResultSets(0.4, features=features, keep=512)
    other.boilerplate = sets.boilerplate
    assert other.duplicates(articles).keep == (0, 1)


def test_ten_articles_are_no_background():
    sets = ResultSets(features="sentences")
    assert sets.learn([text + FOOTER for text in unlike(10)]) == 0
    assert sets.learn([]) == 0
    with pytest.raises(ParameterError, match="more_than is 0"):
        sets.learn([], more_than=0)


def test_a_text_of_more_words_than_the_table_holds_is_prepared(monkeypatch):
    pytest.importorskip("Stemmer")
    text = ". ".join(" ".join(f"w{i}x{j}" for j in range(9)) for i in range(30))
    expected = bytes(ResultSets(features="sentences", stem="english").prepare(text))
    monkeypatch.setattr("pmbf.alike.resultsets.prepared.MOST_WORDS", 50)
    assert bytes(ResultSets(features="sentences", stem="english").prepare(text)) == expected
