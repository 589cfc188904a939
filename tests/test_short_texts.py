"""Short texts, one short sentence in a long text, and lists."""

from __future__ import annotations

import random

import pytest
from conftest import words

from pmbf import Collection, Params, verify
from pmbf.base.span import Span

SHORT_TEXTS = [
    *("天", "天地", "海阔天空", "床前明月光疑", "人人为我，我为人人"),  # 1 to 8 Chinese letters
    *("の", "ありがとう", "東京タワー", "สวัสดี", "ภาษาไทย", "ລາວ", "ខ្មែរ", "မြန်မာ", "བོད་ཡིག"),
    *("안녕하세요", "один", "два слова", "hello", "two words", "three short words", "1"),
    *("中a", "a 天", "天 b 地", "ab 天 cd"),  # words and letters
]


@pytest.mark.parametrize("n_others", [0, 1200])
def test_a_text_of_a_few_letters_or_words_is_found_by_its_copy_in_every_script(
    collection: Collection, n_others: int
) -> None:
    collection.add_many((f"other-{number}", words(number, 50)) for number in range(n_others))
    collection.add_many((text, text) for text in SHORT_TEXTS)
    found = {text: [match.document.path for match in collection.screen(text).matches] for text in SHORT_TEXTS}
    assert {text: [text] for text in SHORT_TEXTS} == found


def test_a_short_query_in_letters_is_found_as_a_whole_and_not_in_part(collection: Collection) -> None:
    collection.add("子曰學而時習之不亦說乎有朋自遠方來不亦樂乎人不知而不慍不亦君子乎", name="analects")
    whole, in_part = (collection.screen(text).matches for text in ("有朋自遠方來不亦", "有朋自遠方來不亦悲哉秋風"))
    assert [Span(0, 8)] == [passage.query for match in whole for passage in match.passages]
    assert not in_part


def test_with_the_profile_for_sentences_each_copied_sentence_of_twelve_words_is_found(tmp_path) -> None:
    def n_found(params: Params) -> int:
        with Collection(tmp_path / f"{params.density}.pmbf", create=True, params=params) as made:
            made.add_many((f"text-{seed}", words(seed, 300)) for seed in range(60))
            texts = ((seed, " ".join(words(seed, 300).split()[90:102])) for seed in range(60))
            queries = (f"{words(900 + seed, 400)} {copied} {words(800 + seed, 400)}" for seed, copied in texts)
            answers = enumerate(made.screen_many(queries))
            return sum([f"text-{seed}"] == [match.document.path for match in one.matches] for seed, one in answers)

    assert n_found(Params.sentences(density=Params().density)) < n_found(Params.sentences()) == 60


# ---------------------------------------------------------------------- lists


def items(n_items: int) -> list[str]:
    """Return items of two to four words each."""
    chosen = random.Random(n_items)
    return [words(7000 + number, chosen.randint(2, 4)) for number in range(n_items)]


def rows(n_rows: int) -> list[str]:
    """Return rows of a table: names and numbers."""
    chosen = random.Random(n_rows)
    return [
        ";".join(f"{words(8000 + n, 1)};{chosen.randrange(10_000)}" for n in range(m, m + 3)) for m in range(n_rows)
    ]


@pytest.mark.parametrize("n_items", [15, 60, 400])
def test_a_list_in_another_order_or_numbered_is_found_whole_without_other_texts(n_items: int) -> None:
    listed = items(n_items)
    shuffled = random.Random(1).sample(listed, n_items)
    numbered = [f"{number}. {item}" for number, item in enumerate(listed, 1)]
    table = rows(n_items)
    for copy, source in ((shuffled, listed), (numbered, listed), (random.Random(2).sample(table, n_items), table)):
        found = verify.passages(verify.prepare("\n".join(copy)), verify.prepare("\n".join(source)))
        n_found = sum(len(passage.query) for passage in found)
        assert n_found > 0.9 * len("\n".join(copy))


def test_two_lists_of_different_things_share_nothing() -> None:
    ours, theirs = ("\n".join(some) for some in (items(60), rows(60)))
    assert not verify.passages(verify.prepare(ours), verify.prepare(theirs))


def test_a_shuffled_list_is_found_in_a_small_collection(collection: Collection) -> None:
    collection.add_many((f"other-{seed}", words(seed, 300)) for seed in range(12))
    collection.add("\n".join(items(60)), name="list")
    [match] = collection.screen("\n".join(random.Random(1).sample(items(60), 60))).matches
    assert "list" == match.document.path


# ---------------------------------------------------------------------- short reworded queries


def test_a_reworded_query_of_thirty_words_is_found_and_as_much_of_a_long_text_is_not(collection: Collection) -> None:
    collection.add_many((f"text-{seed}", words(seed, 300)) for seed in range(12))
    there = words(5, 300).split()[60:90]
    some = [there[start : start + 3] for start in range(0, 30, 3)]
    reworded = " ".join(word for three in random.Random(4).sample(some, 10) for word in three)
    short, long = (
        collection.screen(text).matches for text in (reworded, f"{words(90, 300)} {reworded} {words(91, 300)}")
    )
    assert [["text-5"], []] == [[match.document.path for match in found] for found in (short, long)]
