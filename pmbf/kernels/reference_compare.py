"""Texts made ready, and queries compared with their sources. The reference of `native/align/sources.c`."""

from __future__ import annotations

from collections.abc import Sequence

from pmbf.kernels.asked import Counts, Made, Question, WordTypes
from pmbf.kernels.evident_rules import WordKeys
from pmbf.kernels.reference_evident import keys_of
from pmbf.kernels.reference_judge import compare_pair
from pmbf.kernels.reference_ready import Ready, asked_of, ready_text
from pmbf.kernels.reference_sides import sides_of
from pmbf.kernels.types import Extent, JudgedPassages, Tokens

__all__ = ["compare", "extent_of", "ready", "sides", "tokens_of", "word_keys", "words_of"]


def ready(texts: Sequence[bytes], counts: Counts, commonest: tuple[int, int]) -> list[Made]:
    """Return some texts made ready to be compared with each other.

    Args:
        texts: The texts, in UTF-8.
        counts: Counts of other texts. Those of a query among them do not matter.
        commonest: One word in the first number of a text of words, and one in the second number of a text of single
            letters, is among the commonest of its language, which most pages in that language hold.
    """
    return [ready_text(text, commonest) for text in texts]


def tokens_of(made: Made) -> Tokens:
    """Return the tokens of a text that was made ready, as `tokenise` does."""
    found: Ready = made
    return found.tokens


def extent_of(made: Made) -> Extent:
    """Return how much text was made ready."""
    return tokens_of(made).extent


def words_of(made: Made) -> WordTypes:
    """Return the words of a text that was made ready."""
    found: Ready = made
    return WordTypes(found.words.keys, found.words.types)


def word_keys(made: Made, counts: Counts) -> WordKeys:
    """Return the words of a text with the keys that they have in word lists; these counts made the text ready."""
    found: Ready = made
    return WordKeys(*keys_of(found.tokens), counts.of_others(found.words.keys)[0][found.words.types])


def compare(
    questions: Sequence[Question],
    texts: Sequence[bytes | None],
    made: Sequence[Made | None],
    commonest: tuple[int, int],
) -> tuple[list[list[JudgedPassages]], list[Made]]:
    """Return the passages that each query of a batch shares with each of its texts.

    The second list has the texts made ready: that saves making them ready once more.

    Args:
        questions: The queries, made ready by `ready` under the same counts, with the numbers of their texts.
        texts: The texts of all queries, in UTF-8; None for a text that was made ready.
        made: Each text made ready under the same counts of others, or None.
        commonest: As for `ready`.
    """
    every = [ready_text(text or b"", commonest) if one is None else one for text, one in zip(texts, made, strict=True)]
    asked = [(asked_of(one.query, one.terms), one.sources) for one in questions]
    return [[compare_pair(query, every[source]) for source in some] for query, some in asked], every


def sides(
    query: str, ours: Made, source: str, theirs: Made, found: JudgedPassages
) -> list[tuple[int, int, int, int, float]]:
    """Return where the sides of each passage of two texts begin and end, in characters, and how much of it counts.

    A verbatim or edited side begins with a word, and ends with a word or with closing punctuation that follows the word
    in both texts. A side of another kind includes the characters glued to its first and last word. Of the words a share
    counts, as each run of names is one word: that of the side that has more of it, 0 to 1.

    Args:
        query, source: The texts, of which `compare` took the UTF-8.
        ours, theirs: Both made ready.
        found: Their passages.
    """
    return sides_of(query, tokens_of(ours), source, tokens_of(theirs), found)
