"""The algebra of spans is that of sets of characters."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given, settings
from hypothesis import strategies as st

from pmbf.base.span import Span, common, length_in, length_inside, meets, merged, overlap, union_length

spans = st.builds(lambda start, length: Span(start, start + length), st.integers(0, 60), st.integers(1, 30))
unions = st.lists(spans, max_size=12)


def characters(found: list[Span]) -> set[int]:
    return {place for span in found for place in range(span.start, span.stop)}


@settings(max_examples=100, deadline=None)
@given(unions)
def test_a_union_has_each_character_once_and_no_two_spans_that_touch(found: list[Span]) -> None:
    union = merged(found)

    assert characters(found) == characters(union)
    assert all(one.stop < other.start for one, other in pairwise(union))
    assert union_length(found) == len(characters(found))


@settings(max_examples=100, deadline=None)
@given(unions, unions)
def test_what_two_unions_have_in_common_is_their_intersection(found: list[Span], cover: list[Span]) -> None:
    both = characters(found) & characters(cover)

    assert characters(common(found, cover)) == both
    assert all(one.stop <= other.start for one, other in pairwise(common(found, cover)))
    assert length_inside(found, cover) == len(both)


@settings(max_examples=100, deadline=None)
@given(spans, spans)
def test_two_spans_meet_where_they_overlap(one: Span, other: Span) -> None:
    both = characters([one]) & characters([other])

    assert overlap(one, other) == len(both)
    assert meets(one, other) == bool(both)


@settings(max_examples=100, deadline=None)
@given(spans, unions)
def test_one_span_has_as_much_of_a_union_as_they_have_characters_in_common(span: Span, cover: list[Span]) -> None:
    assert length_in(span, merged(cover)) == len(characters([span]) & characters(cover))
