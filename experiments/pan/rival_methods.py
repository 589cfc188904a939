"""Methods that find the passages two texts share. Each is called with two texts and returns pairs of spans.

No method is tuned here. Each runs with its authors' settings, or with the choice that its docstring names. If a
passage is shorter than PAN's shortest case, then it is dropped, for every method.
"""

from __future__ import annotations

import importlib
import io
import re
import string
from collections import defaultdict
from collections.abc import Callable, Iterable
from typing import NamedTuple

from pmbf.report import Span
from pmbf.verify import Settings, Statistics, passages, prepare

Found = list[tuple[Span, Span]]
"""Spans of the suspicious text and of the source."""

Method = Callable[[str, str], Found]

MIN_CHARS = 150
JOIN_CHARS = 150
"""Some methods find only pieces. Pieces at most 150 characters apart in both texts become one passage."""

LEFT_OUT = frozenset(string.punctuation + string.whitespace)
_WORD = re.compile(r"\w+")


def ours(sample: Iterable[str]) -> Method:
    """Return pmbf's verification. A sample of the sources teaches it how rare words are."""
    statistics = Statistics.of(prepare(text).words for text in sample)
    settings = Settings(min_chars=MIN_CHARS)

    def found(suspicious: str, source: str) -> Found:
        shared = passages(prepare(suspicious), prepare(source), settings, statistics)
        return [(one.query, one.source) for one in shared]

    return found


def grams(suspicious: str, source: str, n_chars: int = 50) -> Found:
    """Return equal runs of at least 50 letters, each of full length. White space and punctuation do not count.

    Source:
        PAN 2012 and 2013, the baseline of the text alignment task.
    """
    here, there = _Letters.of(suspicious), _Letters.of(source)
    places: defaultdict[str, list[int]] = defaultdict(list)
    for start in range(len(here.text) - n_chars + 1):
        places[here.text[start : start + n_chars]].append(start)
    found, start = [], 0
    while start + n_chars <= len(there.text):
        runs = [
            (_equal(here.text, one, there.text, start), one)
            for one in places.get(there.text[start : start + n_chars], ())
        ]
        if not runs:
            start += 1
            continue
        length, best = max(runs)
        found.append((here.span(best, length), there.span(start, length)))
        start += length
    return found


def difflib_words(suspicious: str, source: str) -> Found:
    """Return matching blocks of 4 and more words by `difflib.SequenceMatcher`; blocks close together are joined."""
    from difflib import SequenceMatcher

    here, there = list(_WORD.finditer(suspicious.lower())), list(_WORD.finditer(source.lower()))
    matcher = SequenceMatcher(None, [one[0] for one in here], [one[0] for one in there], autojunk=False)
    return joined(
        (
            Span(here[block.a].start(), here[block.a + block.size - 1].end()),
            Span(there[block.b].start(), there[block.b + block.size - 1].end()),
        )
        for block in matcher.get_matching_blocks()
        if block.size >= 4
    )


def rapidfuzz_windows(suspicious: str, source: str, n_chars: int = 200, cutoff: float = 75) -> Found:
    """Return where windows of 200 characters fit best in the source, by `fuzz.partial_ratio_alignment`.

    Unrelated prose reaches a ratio of 50, equal texts reach 100. The least ratio of a match is half way between: 75.
    """
    from rapidfuzz import fuzz

    here, there, found = suspicious.lower(), source.lower(), []
    for start in range(0, len(here) - n_chars + 1, n_chars):
        piece = here[start : start + n_chars]
        best = fuzz.partial_ratio_alignment(piece, there, score_cutoff=cutoff) if len(there) >= n_chars else None
        if best:
            found.append((Span(start, start + n_chars), Span(best.dest_start, best.dest_end)))
    return joined(found)


def copydetect_prose(suspicious: str, source: str) -> Found:
    """Return the spans whose copydetect fingerprints are equal: shingles of 25 characters, prose not parsed as code.

    Every copy of 30 characters and more is found. copydetect does not say which copied slices of the two texts belong
    together. Here the k-th place of a fingerprint in one text belongs to its k-th place in the other text.
    """
    copydetect = importlib.import_module("copydetect")
    here, there = (
        copydetect.CodeFingerprint("text.txt", 25, 6, filter=False, fp=io.StringIO(text, newline=""))
        for text in (suspicious, source)
    )
    return joined(
        (Span(int(one), int(one) + here.k), Span(int(other), int(other) + there.k))
        for common in here.hashes & there.hashes
        for one, other in zip(here.hash_idx[common], there.hash_idx[common], strict=False)
    )


def joined(found: Iterable[tuple[Span, Span]]) -> Found:
    """Return passages in order; passages close to each other are joined.

    >>> joined([(Span(0, 50), Span(0, 50)), (Span(60, 90), Span(70, 95)), (Span(900, 950), Span(0, 50))])
    [(Span(start=0, stop=90), Span(start=0, stop=95)), (Span(start=900, stop=950), Span(start=0, stop=50))]
    """
    kept: Found = []
    for here, there in sorted(found):
        if kept and _near(kept[-1][0], here) and _near(*sorted((kept[-1][1], there))):
            kept[-1] = _around(kept[-1][0], here), _around(kept[-1][1], there)
        else:
            kept.append((here, there))
    return kept


class _Letters(NamedTuple):
    """A text without white space and punctuation, and the offset of each of its letters."""

    text: str
    places: list[int]

    @classmethod
    def of(cls, text: str) -> _Letters:
        places = [place for place, letter in enumerate(text) if letter not in LEFT_OUT]
        return cls("".join(text[place].lower()[:1] for place in places), places)

    def span(self, start: int, length: int) -> Span:
        return Span(self.places[start], self.places[start + length - 1] + 1)


def _equal(one: str, start: int, other: str, other_start: int) -> int:
    most = min(len(one) - start, len(other) - other_start)
    return next((length for length in range(most) if one[start + length] != other[other_start + length]), most)


def _near(one: Span, other: Span) -> bool:
    return other.start - one.stop <= JOIN_CHARS


def _around(one: Span, other: Span) -> Span:
    return Span(min(one.start, other.start), max(one.stop, other.stop))
