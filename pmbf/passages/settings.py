"""What counts as a passage: `Settings`, checked once."""

from __future__ import annotations

from dataclasses import dataclass, field

from pmbf.base.errors import ParameterError
from pmbf.base.params import require_within
from pmbf.kernels import Rules

SURE_CHARS = 600
"""Characters from which a reworded passage is beyond chance. Two texts of one topic share words by chance, but hardly
ever over 600 characters."""

LIKENESS_TIMES = 2.7
"""A short reworded passage that is less similar than it should be needs more topical evidence: 22 nats become 34 if 0.2
of similarity are lacking. Of the characters of 800 randomly changed and translated pairs of PAN13's training corpus
97 % are left (91 % if such passages are refused). Of 7,500 pairs of news 99 have an alarm (73), of 1,500 pairs of
manuals of one package 3 (1)."""

SURE_WORDS = 12
"""Words in an equal run that two texts never share by chance. A letter that is a token counts as half a word."""

_CHARS = ("min_chars", "min_reworded_chars", "min_reworded_source_chars", "min_summary_chars", "max_summed_chars")


@dataclass(frozen=True, slots=True)
class Settings:
    """What counts as a passage. Lengths count a letter that is a token (Han, Kana, Thai and so on) as three characters.

    Args:
        seed_tokens: Words in the shortest equal run that a passage may grow from, 1 to 32. A letter that is a token
            counts as half a word.
        max_gap_tokens: Most tokens between two equal runs of one passage, in either text, 0 to 1000.
        min_chars: Characters of the shortest passage, in the query, at least 1.
        threshold: Least similarity of an edited passage, in [0, 1]; see `reworded_threshold`.
        min_reworded_chars: Characters of the shortest reworded passage, in the query, at least 1.
        min_reworded_source_chars: The same in the source.
        min_summary_chars: Characters of the shortest summary, at least 1.
        max_summed_chars: Characters of the longest source that a summary can sum up, at least 1. A longer source has
            most words of its topic.
        least_evidence: Least evidence of a passage without a long equal run, in nats, at least 0. 22 nats are about
            thirteen words that are rare in texts of their kind.
        least_topical_evidence: Least evidence of a reworded passage when each word counts once and is expected as often
            as in the rest of both texts, in nats, at least 0. Texts of one topic repeat the same few words.
        short_doubt: Similarity above the threshold that a very short reworded passage should have, in [0, 1]. It falls
            with the length of the passage, to 0 at `SURE_CHARS` characters. What is lacking costs topical evidence.
        rules: The numbers of the alignment that finds reworded passages and summaries.

    Raises:
        ParameterError: A value is outside its range.

    >>> Settings(min_chars=200).threshold
    0.6
    """

    seed_tokens: int = 4
    max_gap_tokens: int = 30
    min_chars: int = 65
    threshold: float = 0.6
    min_reworded_chars: int = 150
    min_reworded_source_chars: int = 200
    min_summary_chars: int = 150
    max_summed_chars: int = 30_000
    least_evidence: float = 22.0
    least_topical_evidence: float = 0.0
    short_doubt: float = 0.0
    rules: Rules = field(default_factory=Rules)

    def __post_init__(self) -> None:
        require_within("seed_tokens", self.seed_tokens, 1, 32)
        require_within("max_gap_tokens", self.max_gap_tokens, 0, 1000)
        for name in _CHARS:
            require_within(name, getattr(self, name), 1, 2**31)
        for name in ("least_evidence", "least_topical_evidence"):
            if not getattr(self, name) >= 0:
                raise ParameterError(f"{name} is {getattr(self, name)}, expected a number of nats, at least 0")
        for name in ("threshold", "short_doubt"):
            if not 0 <= getattr(self, name) <= 1:
                raise ParameterError(f"{name} is {getattr(self, name)}, expected a number in [0, 1]")

    @property
    def reworded_threshold(self) -> float:
        """Least similarity of a reworded passage or a summary: 1 if `threshold` is 1, 0.33 if it is 0.6."""
        return max(0.0, 1 - 1.675 * (1 - self.threshold))
