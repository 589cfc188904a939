"""A query of more than four million characters is compared length by length: a text of 50 MB and its copy, compared as
a whole, take two gigabytes.

    the query         ├─────────────┼┤                              lengths with 8,192 characters in common: each is a
                                    ├┼────────────┼┤                query of its own, with its own hashes
                                                  ├┼─────────────┤
    their passages           ├───────┤
                                    ├──────────────┤
                                                  ├──┤
    told                     ├───────────────────────┤              joined, if both sides go on where they ended
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from pmbf.base.params import Params
from pmbf.base.span import Span
from pmbf.fingerprint import query_sample
from pmbf.intake.texts import Text
from pmbf.report import CERTAINTIES, Passage
from pmbf.report.values import Scores
from pmbf.screen.near import in_whole
from pmbf.screen.options import Options
from pmbf.screen.screened import Screened
from pmbf.screen.sources import Source

LENGTH_CHARS = 1 << 22
"""Characters from the beginning of a length to that of the next, at most."""

COMMON_CHARS = 8192
"""Characters that two lengths have in common: a shorter passage stands in one of them as a whole."""

GAP_CHARS = 200
"""How far two passages that are joined are apart on a side, at most, and how much farther than on the other."""

_KINDS = ("verbatim", "edited", "reworded")
"""The kinds that are joined, the most literal first."""

Compare = Callable[[Sequence[Screened], Sequence[Sequence[Source]]], None]
"""Fills in what the sources of each query share with it."""


def is_lengthwise(query: Screened, sources: Sequence[Source], options: Options) -> bool:
    """Return whether a query is compared length by length: a very long one, with stored texts.

    A text that is not stored is read once and compared as a whole, and so are the sections of a template.
    """
    is_long = query.sample.n_chars > LENGTH_CHARS and options.template is None
    return is_long and all(one.files and one.document.text_file for one in sources)


def compare_lengthwise(query: Screened, sources: Sequence[Source], compare: Compare) -> None:
    """Fill in what each source shares with a query that `is_lengthwise`."""
    found: list[tuple[Passage, ...]] = [()] * len(sources)
    params = [one.files.params for one in sources if one.files]
    for start, length in _lengths(query, params[0]) if params else ():
        again = [replace(one) for one in sources]
        compare([length], [again])
        for number, one in enumerate(again):
            sources[number].problem = sources[number].problem or one.problem
            more = [replace(passage, query=_moved(passage.query, start)) for passage in one.passages]
            found[number] = _together(found[number], more, one.document.n_chars)
    for source, passages in zip(sources, found, strict=True):
        source.passages = passages


def _lengths(query: Screened, params: Params) -> Iterator[tuple[int, Screened]]:
    """Yield where each length of a query begins, and the length as a query."""
    text = query.read.text
    n_lengths = -(-len(text) // LENGTH_CHARS)
    for number in range(n_lengths):
        start, stop = (len(text) * at // n_lengths for at in (number, number + 1))
        part = text[start : stop + COMMON_CHARS]
        yield start, replace(query, read=Text("", part), sample=query_sample(part, params))


def _moved(span: Span, by: int) -> Span:
    return Span(span.start + by, span.stop + by)


def _together(passages: Sequence[Passage], more: Sequence[Passage], n_chars: int) -> tuple[Passage, ...]:
    """Return the passages of some lengths and those of the next one, in query order, those that go on joined.

    `n_chars` are those of the source.
    """
    if not passages or not more:
        return (*passages, *more)
    kept, added, begin = list(passages), list(more), more[0].query.start
    for at, one in enumerate(passages):
        if one.query.stop < begin - GAP_CHARS:
            continue
        for other in more[:2]:
            if other in added and (joined := _joined(one, other, n_chars)):
                kept[at] = joined
                added.remove(other)
                break
    return in_whole([tuple(kept), tuple(added)])


def _joined(one: Passage, other: Passage, n_chars: int) -> Passage | None:
    """Return two passages as one, if the second goes on in both texts where the first ends; else None.

    What is said of it is the mean of what is said of both, each taken for its share of the query's characters.
    """
    gap, of_source = other.query.start - one.query.stop, other.source.start - one.source.stop
    goes_on = max(gap, of_source, abs(gap - of_source)) <= GAP_CHARS and {one.kind, other.kind} <= {*_KINDS}
    if not goes_on or other.query.start < one.query.start or other.source.start < one.source.start:
        return None
    if other.query.stop <= one.query.stop:
        return one
    kind = max(one.kind, other.kind, key=_KINDS.index)
    if kind == "verbatim" and gap > 0:
        kind = "edited"  # words between them differ
    n_of_one = min(other.query.start - one.query.start, len(one.query))
    share = n_of_one / (n_of_one + len(other.query))

    def mean(a: float | None, b: float | None) -> float | None:
        return None if a is None or b is None else share * a + (1 - share) * b

    pairs = [(getattr(one.scores, name), getattr(other.scores, name)) for name in Scores.__slots__]
    source = Span(one.source.start, max(one.source.stop, other.source.stop))
    return replace(
        one,
        query=Span(one.query.start, other.query.stop),
        source=source,
        similarity=mean(one.similarity, other.similarity) or 0.0,
        kind=kind,
        scores=Scores(*[mean(*pair) for pair in pairs]),
        evidence=round(one.evidence * n_of_one / len(one.query) + other.evidence, 1),
        in_order=round(mean(one.in_order, other.in_order) or 0.0, 3),
        certainty=min(one.certainty or "", other.certainty or "", key=CERTAINTIES.index),
        source_share=round(min(1.0, len(source) / n_chars), 3),
    )
