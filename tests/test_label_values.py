"""One label: what it may be, and how it is kept."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pmbf import ParameterError
from pmbf.base.labels import MOST_LABELS, conditions, decoded, encoded, fits, merged, tidy


@given(st.dictionaries(st.text(), st.text()))
def test_labels_are_what_they_were_once_they_are_tidy(some):
    try:
        labels = merged({}, some)
    except ParameterError:
        return
    assert decoded(encoded(labels)) == labels
    assert encoded(labels).isascii()
    assert merged(labels, labels) == labels
    assert all(fits(labels, conditions({name: value})) for name, value in labels.items() if "[" not in value)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("", "x"),
        (" ", "x"),
        ("a=b", "x"),
        ("a\x1bb", "x"),
        ("a" * 101, "x"),
        ("a", "x" * 4097),
        ("a", 7),
        ("\udce9", "x"),
    ],
)
def test_a_label_that_could_not_be_shown_or_asked_for_is_refused(name, value):
    with pytest.raises(ParameterError):
        tidy(name, value)


def test_a_path_has_at_most_64_labels():
    with pytest.raises(ParameterError, match=f"{MOST_LABELS + 1} labels, expected at most {MOST_LABELS}"):
        merged({}, {f"label{number}": "x" for number in range(MOST_LABELS + 1)})


def test_two_spellings_of_a_letter_are_one_label():
    assert tidy("auteur", unicodedata.normalize("NFD", "Müller")) == ("auteur", "Müller")
