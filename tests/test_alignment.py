"""Passages whose words were shuffled, replaced or summed up: found, named for what they are, and nothing else is."""

from __future__ import annotations

import math
import random
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pmbf.base.arrays import among
from pmbf.base.errors import ParameterError, UnsupportedError
from pmbf.kernels import NAT, Rules
from pmbf.kernels.reference_align import align
from pmbf.kernels.reference_likeness import EXACT_CHARS, EXACT_WORDS, common_share, found_share, scores
from pmbf.kernels.reference_reworded import Alignment, needed_evidence, ranked
from pmbf.kernels.reference_words import weigh
from pmbf.passages.compare import bars_of
from pmbf.passages.edits import MAX_TOKENS
from pmbf.report import Passage, Report, Scores, Span
from pmbf.verify import Edit, Prepared, Settings, Statistics, edits, passages, prepare, word_pairs
from tests.paired import pair_of, spelled, weighed

SYLLABLES = [first + vowel + last for first in "bdfghklmnprstvz" for vowel in "aeiou" for last in ("", "n", "r", "st")]


class Language:
    """Made-up texts: words as rare as words are, sentences, paragraphs."""

    def __init__(self, seed: int) -> None:
        self.rng = random.Random(seed)
        made = {"".join(self.rng.choices(SYLLABLES, k=self.rng.choice((1, 2, 2, 3, 3)))) for _ in range(6000)}
        self.lexicon = sorted(sorted(made), key=lambda word: (len(word) + self.rng.random(), word))
        self.shares = [1 / (rank + 8) for rank in range(len(self.lexicon))]

    def sentence(self, n_words: int = 14) -> list[str]:
        """Return some words."""
        return self.rng.choices(self.lexicon, self.shares, k=n_words)

    def sentences(self, count: int) -> list[list[str]]:
        """Return some sentences."""
        return [self.sentence(self.rng.randint(9, 19)) for _ in range(count)]

    def shuffled(self, sentence: list[str], replaced: float) -> list[str]:
        """Return a sentence in another order, with a share of its words replaced."""
        other = [self.sentence(1)[0] if self.rng.random() < replaced else word for word in sentence]
        self.rng.shuffle(other)
        return other

    def statistics(self) -> Statistics:
        """Return what sixty texts teach."""
        return Statistics.of(prepare(written(self.sentences(60))).words for _ in range(60))


def written(sentences: list[list[str]], end: str = ". ") -> str:
    return end.join(" ".join(words).capitalize() for words in sentences) + "."


def planted(language: Language, replaced: float, n_copied: int = 6) -> tuple[str, str, Span, Span]:
    """Return a query and a source with a reworded part in the middle of each, and where it is."""
    original = language.sentences(n_copied)
    copy = [language.shuffled(sentence, replaced) for sentence in original]
    before, before_there = written(language.sentences(12)) + " ", written(language.sentences(20)) + " "
    ours, theirs = written(copy), written(original)
    query = f"{before}{ours} {written(language.sentences(9))}"
    source = f"{before_there}{theirs} {written(language.sentences(15))}"
    return (
        query, source, Span(len(before), len(before) + len(ours)),
        Span(len(before_there), len(before_there) + len(theirs)),
    )  # fmt: skip


@pytest.fixture
def language() -> Language:
    """A language that says the same in each test, whichever ran before."""
    made = Language(1)
    made.rng.seed(2)
    return made


@pytest.fixture(scope="module")
def statistics() -> Statistics:
    return Language(1).statistics()


def near(one: Span, other: Span, chars: int) -> bool:
    return abs(one.start - other.start) <= chars and abs(one.stop - other.stop) <= chars


@pytest.mark.parametrize("replaced", [0.0, 0.2, 0.35])
def test_a_reworded_part_is_one_passage_from_sentence_to_sentence(
    language: Language, statistics: Statistics, replaced: float
) -> None:
    n_whole = 0
    for _ in range(20):
        query, source, here, there = planted(language, replaced)
        found = passages(prepare(query), prepare(source), None, statistics)
        assert ["reworded"] == [passage.kind for passage in found]
        assert found[0].query.start < here.stop and here.start < found[0].query.stop
        n_whole += near(found[0].query, here, 1) and near(found[0].source, there, 1)
    assert n_whole >= 14


def test_without_statistics_the_two_texts_are_all_there_is_to_learn_from(language: Language) -> None:
    found = 0
    for _ in range(20):
        query, source, here, _ = planted(language, 0.1)
        found += any(near(passage.query, here, 120) for passage in passages(prepare(query), prepare(source)))
    assert found >= 14


def test_texts_of_one_language_and_nothing_more_share_no_passage(language: Language, statistics: Statistics) -> None:
    for _ in range(30):
        one, other = (prepare(written(language.sentences(60))) for _ in range(2))
        assert passages(one, other, None, statistics) == ()


def test_a_summary_is_told_from_a_copy(language: Language, statistics: Statistics) -> None:
    chapters = [language.sentences(5) for _ in range(12)]
    source = written([sentence for chapter in chapters for sentence in chapter])
    summed_up = [language.shuffled(chapter[0], 0.05) for chapter in chapters]
    before, after = (written(language.sentences(10)) for _ in range(2))
    query = f"{before}\n\n{written(summed_up)}\n\n{after}"

    [passage] = passages(prepare(query), prepare(source), None, statistics)

    assert passage.kind == "summary"
    assert passage.source == Span(0, len(source))
    assert near(passage.query, Span(len(before) + 2, len(query) - len(after) - 2), 120)
    assert passage.similarity > 0.8
    for other in (Settings(max_summed_chars=len(source) // 2), Settings(min_summary_chars=len(query))):
        assert "summary" not in {one.kind for one in passages(prepare(query), prepare(source), other, statistics)}


@pytest.mark.parametrize("seed", [0, 2, 3])
def test_what_is_copied_among_words_of_the_topic_is_no_summary(seed: int) -> None:
    language = Language(seed)
    chapters = [language.sentences(30) for _ in range(6)]
    statistics = language.statistics()
    source = written([sentence for chapter in chapters for sentence in chapter])
    on_topic = [language.shuffled(chapter[0], 0.4) for chapter in chapters]
    copied = written(chapters[3][20:23])
    around = f"{written(on_topic[:3])} {copied} {written(on_topic[3:])}"
    query = "\n\n".join((written(language.sentences(10)), around, written(language.sentences(10))))

    [passage] = passages(prepare(query), prepare(source), None, statistics)

    start = query.index(copied)
    assert passage.kind == "verbatim"
    assert near(passage.query, Span(start, start + len(copied)), 9)


def test_words_that_the_rest_of_the_text_has_too_say_less_for_a_summary(
    language: Language, statistics: Statistics
) -> None:
    chapters = [language.sentences(5) for _ in range(12)]
    source = prepare(written([sentence for chapter in chapters for sentence in chapter]))
    summed_up = [language.shuffled(chapter[0], 0.05) for chapter in chapters]
    words = [word for sentence in summed_up for word in sentence]

    def summaries(rest: list[list[str]], least: int) -> list[int]:
        query = prepare("\n\n".join(map(written, (rest[:20], summed_up, rest[20:]))))
        found = ranked(align(pair_of(query, source, statistics, Rules(summary_evidence=least))))
        return [one.score for one in found if one.is_summary]

    on_topic = [language.rng.sample(words, 3) + language.sentence(9) for _ in range(40)]
    [said], [said_on_topic] = summaries(language.sentences(40), 0), summaries(on_topic, 0)

    assert said_on_topic < 0.7 * said
    assert summaries(on_topic, said_on_topic) and not summaries(on_topic, said_on_topic + 1)


def test_a_long_source_asks_for_more_evidence_of_a_summary(language: Language, statistics: Statistics) -> None:
    chapters = [language.sentences(5) for _ in range(12)]
    summed_up = [language.shuffled(chapter[0], 0.05) for chapter in chapters]
    source = prepare(written([sentence for chapter in chapters for sentence in chapter]))
    query = prepare("\n\n".join(map(written, (language.sentences(10), summed_up, language.sentences(10)))))

    def summaries(times: int) -> list[Alignment]:
        found = ranked(align(pair_of(query, source, statistics, Rules(summary_times=times))))
        return [one for one in found if one.is_summary]

    [summary] = summaries(0)
    most = summary.score * len(summary.query) // len(summary.source)
    assert summaries(most) == [summary]
    assert not summaries(most + 1)


def test_a_summary_says_for_copying_what_its_words_say_each_once(language: Language, statistics: Statistics) -> None:
    chapters = [language.sentences(5) for _ in range(12)]
    source = prepare(written([sentence for chapter in chapters for sentence in chapter]))
    summed_up = written([language.shuffled(chapter[0], 0.05) for chapter in chapters])
    query = prepare(f"{written(language.sentences(10))}\n\n{summed_up}\n\n{written(language.sentences(10))}")

    [summary] = ranked(align(pair_of(query, source, statistics, Rules())))
    [passage] = passages(query, source, None, statistics)

    assert passage.kind == "summary"
    assert passage.evidence == round(summary.score / NAT, 1) >= Rules().summary_evidence / NAT


def test_few_words_said_again_and_again_are_not_reworded_where_many_texts_are_compared(
    language: Language, statistics: Statistics
) -> None:
    kinds = dict[bool, list[list[str]]]()
    for repeated in (False, True):
        few = language.lexicon[900:915]
        original = [language.rng.sample(few, 12) for _ in range(6)] if repeated else language.sentences(6)
        texts = (original, [language.shuffled(sentence, 0.1) for sentence in original])
        query, source = (
            prepare(f"{written(language.sentences(15))} {written(text)} {written(language.sentences(15))}")
            for text in texts
        )
        kinds[repeated] = [
            [passage.kind for passage in passages(query, source, Settings(least_topical_evidence=nats), statistics)]
            for nats in (0, 30)
        ]

    assert kinds == {False: [["reworded"], ["reworded"]], True: [["reworded"], []]}


def test_a_short_reworded_passage_that_is_less_alike_needs_more_evidence() -> None:
    usual, wary = bars_of(Settings()), bars_of(Settings(least_topical_evidence=20, short_doubt=0.3))
    assert [needed_evidence(usual, n, likeness) for n in (1, 600) for likeness in (0.33, 0.9)] == [0] * 4
    needed = [round(needed_evidence(wary, 300, likeness)) for likeness in (0.33, 0.4, 0.48, 0.9)]
    assert needed == [28, 24, 20, 20]
    assert [round(needed_evidence(wary, n, 0.33)) for n in (0, 600, 6000)] == [36, 20, 20]
    with pytest.raises(ParameterError, match="short_doubt is 2"):
        Settings(short_doubt=2)
    with pytest.raises(ParameterError, match="least_evidence is -1"):
        Settings(least_evidence=-1)
    with pytest.raises(ParameterError, match="least_topical_evidence is -2"):
        Settings(least_topical_evidence=-2)
    with pytest.raises(ParameterError, match="max_summed_chars is 0"):
        Settings(max_summed_chars=0)


def test_a_copy_to_the_letter_stays_verbatim_beside_a_reworded_part(language: Language, statistics: Statistics) -> None:
    query, source, here, _ = planted(language, 0.2)
    quoted = written(language.sentences(4))

    found = passages(prepare(f"{quoted} {query}"), prepare(f"{source} {quoted}"), None, statistics)

    assert ["verbatim", "reworded"] == [passage.kind for passage in found]
    assert found[0].query == Span(0, len(quoted))
    assert near(found[1].query, Span(here.start + len(quoted) + 1, here.stop + len(quoted) + 1), 120)


def test_a_copy_stays_whole_though_the_source_says_a_part_of_it_again(
    language: Language, statistics: Statistics
) -> None:
    copied = language.sentences(8)
    again = [language.shuffled(sentence, 0.0) for sentence in copied[2:7]]
    query = " ".join(written(part) for part in (language.sentences(5), copied, language.sentences(5)))
    source = " ".join(written(part) for part in (copied, language.sentences(90), again, language.sentences(30)))

    [passage] = passages(prepare(query), prepare(source), None, statistics)

    assert (passage.kind, passage.source) == ("verbatim", Span(0, len(written(copied))))


def test_copies_with_something_else_between_them_mostly_stay_apart(language: Language, statistics: Statistics) -> None:
    n_apart = 0
    for _ in range(20):
        one, other = language.sentences(2), language.sentences(2)
        between = [language.sentence(33)]
        query = " ".join(map(written, (language.sentences(6), one, between, other, language.sentences(6))))
        source = " ".join(map(written, (language.sentences(9), one, other, language.sentences(9))))

        found = passages(prepare(query), prepare(source), None, statistics)

        told = [(query[passage.query.start : passage.query.stop], passage.kind) for passage in found]
        n_apart += told == [(written(one), "verbatim"), (written(other), "verbatim")]
    assert n_apart >= 14


def test_a_template_filled_in_twice_is_no_copy_and_a_sentence_with_a_changed_word_is(language: Language) -> None:
    rng = random.Random(5)
    rare = language.lexicon[600:2000]
    entry = "This is a {} function of the {} type which returns {} to its caller and never fails at all. "

    def page() -> str:
        return " ".join(entry.format(*rng.sample(rare, 3)) + written(language.sentences(4)) for _ in range(8))

    statistics = Statistics.of(prepare(page()).words for _ in range(60))
    sentence = rng.sample(rare, 16)
    changed = " ".join([*sentence[:8], "another", *sentence[9:]])
    query, source = prepare(f"{page()} {changed}."), prepare(f"{page()} {' '.join(sentence)}.")

    [passage] = passages(query, source, None, statistics)

    assert (passage.kind, query.text[passage.query.start : passage.query.stop]) == ("edited", f"{changed}.")
    assert len(passages(query, source, Settings(least_evidence=0), statistics)) > 1


def test_passages_of_all_kinds_are_disjoint_in_the_query(language: Language, statistics: Statistics) -> None:
    for seed in range(20):
        rng = random.Random(seed)
        parts = language.sentences(30)
        copy = [language.shuffled(part, 0.3) if rng.random() < 0.5 else part for part in rng.choices(parts, k=40)]

        found = passages(prepare(written(copy)), prepare(written(parts)), None, statistics)

        assert found
        assert all(one.query.stop <= other.query.start for one, other in pairwise(found))
        assert all(0 <= passage.similarity <= 1 for passage in found)


def test_who_asks_for_equal_texts_gets_no_reworded_ones(language: Language, statistics: Statistics) -> None:
    query, source, *_ = planted(language, 0.2)

    assert passages(prepare(query), prepare(source), Settings(threshold=1.0), statistics) == ()
    assert Settings().reworded_threshold == pytest.approx(0.33)


def test_a_reworded_passage_is_as_long_as_the_settings_ask(language: Language, statistics: Statistics) -> None:
    query, source, *_ = planted(language, 0.0)

    for options in ({"min_reworded_chars": 5000}, {"min_reworded_source_chars": 5000}):
        assert passages(prepare(query), prepare(source), Settings(**options), statistics) == ()  # type: ignore[arg-type]


def test_shuffled_clauses_of_a_script_without_spaces_are_found() -> None:
    rng = random.Random(3)
    letters = [chr(0x4E00 + place) for place in range(2500)]

    def clause() -> str:
        return "".join(rng.choices(letters, [1 / (rank + 5) for rank in range(2500)], k=8))

    statistics = Statistics.of(prepare("，".join(clause() for _ in range(200))).words for _ in range(40))
    clauses = [clause() for _ in range(12)]
    copy = rng.sample(clauses, 12)
    query = "。".join(clause() for _ in range(30)) + "。" + "，".join(copy) + "。" + clause()
    source = "。".join(clause() for _ in range(40)) + "。" + "，".join(clauses) + "。" + clause()

    found = passages(prepare(query), prepare(source), None, statistics)

    assert "reworded" in [passage.kind for passage in found]


def test_statistics_make_common_words_light_and_unknown_ones_heavy() -> None:
    texts = [prepare(f"the sea {name}").words for name in ("alpha", "beta", "gamma", "delta")]
    statistics = Statistics.of(texts)
    keys = prepare("the sea alpha unknown").words
    [the, sea, alpha, unknown] = keys.types.tolist()

    _, rarities, priors = weigh(statistics, keys, 8)

    assert rarities[the] == rarities[sea] == 0 < rarities[alpha] < rarities[unknown]
    assert priors[the] > priors[alpha] > priors[unknown] > 0


def test_no_texts_teach_nothing() -> None:
    _, rarities, priors = weigh(Statistics.of([]), prepare("one two").words, 8)

    assert (rarities.tolist(), len(set(priors.tolist()))) == ([0, 0], 1)


def test_words_of_a_language_with_few_texts_are_not_rare_for_that(language: Language, statistics: Statistics) -> None:
    other = Language(77)
    other.lexicon = [f"x{word}" for word in other.lexicon]
    mixed = Statistics.of(
        prepare(written((language if place % 8 else other).sentences(60))).words for place in range(160)
    )
    text = prepare(written(other.sentences(60)))

    n_like, rarities, priors = weighed(text, mixed)
    _, alone, alone_priors = weighed(text, other.statistics())
    assert 15 <= n_like <= 25
    common = alone_priors > np.quantile(alone_priors, 0.9)
    assert np.abs(rarities - alone)[common].mean() < 0.3 * NAT
    assert np.abs(np.log(priors[common] / alone_priors[common])).mean() < 0.3


def test_a_query_teaches_as_one_more_text_whose_words_are_counted_once_less(statistics: Statistics) -> None:
    query, other = prepare(written(Language(5).sentences(300))), prepare(written(Language(6).sentences(9)))

    found = Statistics.of([other.words]).beside(query.words)

    both = Statistics.of([other.words, query.words])
    own = among(both.keys, query.words.keys)
    pairs = zip(found.of_others(both.keys), found.of_own(both.keys), strict=True)
    n_holding, n_times = (others + one for others, one in pairs)
    assert np.array_equal(n_holding, both.n_holding) and np.array_equal(n_times, both.n_times - own)
    assert (found.n_pages, found.n_words) == (both.n_pages, both.n_words)


def test_two_texts_teach_more_than_a_collection_in_another_language(language: Language, statistics: Statistics) -> None:
    found = 0
    for _ in range(20):
        query, source, here, _ = planted(language, 0.1)
        foreign, theirs = (text.translate(str.maketrans("aeiou", "äяœыø")) for text in (query, source))
        found += any(
            near(one.query, here, 120) for one in passages(prepare(foreign), prepare(theirs), None, statistics)
        )
    assert found >= 14


# Scores


def test_scores_see_what_they_are_for() -> None:
    one, other = prepare("alpha beta gamma delta"), prepare("delta gamma beta alpha")

    letters, words, sorted_words = scores(spelled(one), spelled(other), Span(0, 4), Span(0, 4))

    assert (letters, words, sorted_words) == (0.31818181818181823, 0.0, 1.0)


def test_long_sides_have_only_the_scores_that_cost_little() -> None:
    text = prepare(" ".join(f"w{n}" for n in range(EXACT_WORDS + 1)))
    whole = Span(0, text.n_tokens)
    assert len(spelled(text).spelling) > EXACT_CHARS

    letters, words, sorted_words = scores(spelled(text), spelled(text), whole, whole)

    assert math.isnan(letters) and math.isnan(words) and sorted_words == 1.0


def test_shares_of_common_words() -> None:
    assert common_share([], []) == found_share([], []) == 0.0
    assert found_share([1, 2, 2, 3], [2]) == 0.5


def test_scores_come_back_from_json() -> None:
    passage = Passage(Span(0, 3), Span(1, 4), 0.5, "reworded", (), Scores(0.25, None, 0.5))
    report = Report.from_json(_report_with(passage))

    assert report.matches[0].passages == (passage,)


@pytest.mark.parametrize(("schema", "way_out"), [(1, "make it anew"), (3, "upgrade pmbf")])
def test_a_report_of_another_schema_is_refused_with_the_way_out(schema: int, way_out: str) -> None:
    of_today = _report_with(Passage(Span(0, 3), Span(1, 4), 1.0, "verbatim"))
    with pytest.raises(UnsupportedError, match=f"the report has schema {schema}, this pmbf reads 2; {way_out}$"):
        Report.from_json(of_today.replace('"schema": 2', f'"schema": {schema}'))


def _report_with(passage: Passage) -> str:
    from pmbf.report import DocumentRef, Match, Query

    match = Match(DocumentRef(1, "a", ("a",), 9), 0.5, 3, 3, 0.3, 3, (passage,))
    return Report(Query("q", 10, 2, 1), (match,), 3, 0.3, 1, 1, 1).to_json()


# Hostile texts: no timing here, but a quadratic step would not come back


@pytest.mark.parametrize(
    ("query", "source"),
    [
        ("word " * 200_000, "word " * 200_000),
        ("a b c d e f g " * 30_000, "g f e d c b a " * 30_000),
        (" ".join(f"w{n % 12000}" for n in range(200_000)), " ".join(f"w{n * 7 % 12000}" for n in range(200_000))),
    ],
    ids=["same word", "same phrase backwards", "every word some times"],
)
def test_endless_repetition_comes_to_an_end(query: str, source: str) -> None:
    ours: Prepared = prepare(query)

    found = passages(ours, prepare(source))

    assert all(one.query.stop <= other.query.start for one, other in pairwise(found))


# What was changed


def test_edits_turn_the_source_into_the_query() -> None:
    source = "At dawn the old fisherman rowed out, alone, to where the water is black and the wind never rests."
    query = "Then: at dawn the fisherman sailed out alone to where all the water is BLACK and the wind rests."
    passage = Passage(Span(6, len(query)), Span(0, len(source)), 0.8, "edited")

    found = [
        (query[edit.query.start : edit.query.stop], source[edit.source.start : edit.source.stop])
        for edit in edits(query, source, passage)
    ]

    assert [("", "old"), ("sailed", "rowed"), ("all", ""), ("", "never")] == found


def test_a_verbatim_passage_has_no_edits_and_an_empty_side_is_one() -> None:
    assert edits("Ein Wort", "ein WORT", Passage(Span(0, 8), Span(0, 8), 1.0, "verbatim")) == []
    assert edits("a b", "…", Passage(Span(0, 3), Span(0, 1), 0.0, "edited")) == [Edit(Span(0, 3), Span(0, 0))]


def test_edits_of_a_very_long_passage_are_refused() -> None:
    text = "a " * (MAX_TOKENS + 1)
    with pytest.raises(ParameterError, match="ask for a part"):
        edits(text, text, Passage(Span(0, len(text)), Span(0, len(text)), 1.0, "edited"))


@settings(max_examples=60, deadline=None)
@given(st.lists(st.sampled_from(["sea", "tide", "Mole,", "and", "…"]), max_size=30), st.integers(0, 2**32 - 1))
def test_word_pairs_put_together_are_both_sides(chosen: list[str], seed: int) -> None:
    source, query = " ".join(chosen), " ".join(chosen[seed % 5 :] + chosen[: seed % 3])
    passage = Passage(Span(0, len(query)), Span(0, len(source)), 0.5, "edited")
    for n_each_end in (2, 100):
        pairs = word_pairs(query, source, passage, n_each_end)
        assert query == "".join(query[pair.query.start : pair.query.stop] for pair in pairs)
        assert source == "".join(source[pair.source.start : pair.source.stop] for pair in pairs)


# Slips of the pen


def test_a_text_read_by_a_machine_is_found_in_spite_of_its_errors(language: Language, statistics: Statistics) -> None:
    rng = random.Random(11)

    def misread(word: str) -> str:
        if len(word) < 6 or rng.random() < 0.5:
            return word
        at = rng.randrange(1, min(6, len(word) - 1))
        return word[:at] + rng.choice("0cxq") + word[at + 1 :] if rng.random() < 0.5 else word[:at] + word[at + 1 :]

    original = language.sentences(8)
    copy = written([[misread(word) for word in language.shuffled(sentence, 0.0)] for sentence in original])
    query = f"{written(language.sentences(15))} {copy} {written(language.sentences(15))}"

    [passage] = passages(prepare(query), prepare(written(original)), None, statistics)

    assert passage.kind == "reworded"
    assert len(passage.query) > 0.8 * len(copy)
