"""A passage is measured to its last letter, whatever parts its outermost words."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pmbf import Collection
from pmbf.guard.allowing import Allowances
from pmbf.guard.checker import CollectionChecker, to_the_letter
from pmbf.guard.policy import Policy
from pmbf.guard.sources import Plan
from pmbf.guard.types import Payload
from pmbf.report import DocumentRef, Match, Passage, Span
from pmbf.text import fold
from tests.conftest import words
from tests.guard.conftest import check

MIDDLE = words(3, 40)
SOURCE = f"{words(1, 60)} Well-ground a x b {MIDDLE} the 800x600 lamp was dry-rubbed. {words(2, 60)}"


@pytest.fixture(scope="module")
def checker(tmp_path_factory):
    with Collection(tmp_path_factory.mktemp("borders") / "c.pmbf", create=True) as made:
        made.add(SOURCE, name="lamps.txt")
        yield CollectionChecker(made)


def found(checker, text):
    """Return the passages found in a text, as texts."""
    content = f"{words(8, 80)} {text} {words(9, 80)}".encode()
    plan = Plan("path", iter([Payload("a.txt", ("a.txt",), content, "path")]), 1)
    verdict = check(plan, Policy(block_chars=1), checker, Allowances(b"key"))
    return [one.text for finding in verdict.findings for one in finding.snippets]


@pytest.mark.parametrize("text", [
    f"{MIDDLE} the 800x600 lamp was dry-\nrubbed.",
    f"{MIDDLE} the 800x600 lamp was dry­rubbed.",
    f"{MIDDLE} the 800х600 lamp was dry-rubbed.",  # the letter between the numbers is Cyrillic
    f"{MIDDLE} the 800x600 lamp was dry-\n   > rubbed.",
    f"Well-\nground a x b {MIDDLE}",
    f"well ground а х b {MIDDLE}",  # two whole words of Cyrillic letters
    f"WELLGROUND A X B {MIDDLE}",
])  # fmt: skip
def test_words_at_the_edge_belong_to_the_passage_however_they_are_parted(checker, text):
    [passage] = found(checker, text)
    assert sum(map(str.isalnum, passage)) == sum(map(str.isalnum, text))


def test_half_a_word_does_not(checker):
    [passage] = found(checker, f"{MIDDLE} the 800x600 lamp was dry-rub-")
    assert passage.endswith("lamp was dry")
    [passage] = found(checker, f"{MIDDLE} the 800x600 lamp was drift")
    assert passage.endswith("lamp was")


def letters(text):
    return fold(text).text.replace(" ", "")


@given(st.text("ab-\n .é中", max_size=30), st.text("ab-\n .é中", max_size=30), st.text("ab-\n .é中", max_size=30))
def test_what_is_added_has_the_same_letters_on_both_sides(before, between, after):
    text, source = f"{before} word {between}", f"{after} word {between}"
    at, there = len(before) + 1, len(after) + 1
    passage = Passage(Span(at, at + 4), Span(there, there + 4), 1.0, "verbatim")
    match = Match(DocumentRef(1, "d", ("d",), len(source)), 1.0, 1, 4, 1.0, 4, (passage,))
    [made] = to_the_letter(match, text, source).passages
    assert 0 <= made.query.start <= at and at + 4 <= made.query.stop <= len(text)
    assert 0 <= made.source.start <= there and there + 4 <= made.source.stop <= len(source)
    assert letters(text[at + 4 : made.query.stop]) == letters(source[there + 4 : made.source.stop])
    assert letters(text[made.query.start : at]) == letters(source[made.source.start : there])
    assert letters(between) == letters(text[at + 4 : made.query.stop])
