"""A template cuts a text: where sections begin and end, in every script, with exact offsets."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pmbf.base.span import Span, union_length
from pmbf.screen.templates import Pattern, Template, template_of
from pmbf.screen.templates.cutting import SectionPatterns

FORM = Template(
    "form",
    (
        SectionPatterns("aim", "compare", (Pattern("Aim"),), (Pattern("Signature*"),)),
        SectionPatterns("method", "same", (Pattern("Method"), Pattern("Vorgehen"))),
        SectionPatterns("legal", "skip", (Pattern("Legal *"),)),
    ),
)


def pieces(template: Template, text: str) -> list[tuple[str, str]]:
    return [(one.name, text[one.span.start : one.span.stop]) for one in template.cut(text)]


def test_a_section_ends_before_the_next_one_or_with_the_text() -> None:
    text = "Title\n\nAim\nTo see.\n\nMethod\nWe look."
    assert pieces(FORM, text) == [("aim", "Aim\nTo see.\n\n"), ("method", "Method\nWe look.")]


def test_a_section_ends_before_its_end_pattern() -> None:
    assert pieces(FORM, "Aim\nTo see.\nSignature: Berg\nmore") == [("aim", "Aim\nTo see.\n")]


@pytest.mark.parametrize(
    "heading", ["AIM", "1. Aim:", "## 2.1  aim", "**Aim**", "IV. Aim", "§ 3 Aim", "  a) Aim.", "第三章 Aim"]
)
def test_a_heading_is_known_with_number_and_marks(heading: str) -> None:
    text = f"𝔘 before\n{heading}\nTo see."
    assert pieces(FORM, text) == [("aim", f"{heading.lstrip()}\nTo see.")]


@pytest.mark.parametrize("line", ["Aims", "The aim", "Aim of all this is to see", "2ndAim"])
def test_other_lines_are_no_heading(line: str) -> None:
    assert FORM.cut(f"{line}\nTo see.") == []


def test_letters_are_compared_composed() -> None:
    template = Template("t", (SectionPatterns("s", "skip", (Pattern("Résumé"),)),))
    text = "RE\u0301SUME\u0301\r\nElle dit.\r\n"
    assert pieces(template, text) == [("s", text)]


def test_a_star_stands_for_any_letters() -> None:
    assert pieces(FORM, "Legal notice of 2026\nAll rights.") == [("legal", "Legal notice of 2026\nAll rights.")]
    assert FORM.cut("Legality\nAll rights.") == []


def test_headings_of_a_table_of_contents_are_no_sections() -> None:
    assert pieces(FORM, "Aim\nMethod\nLegal notes\n\nAim\nTo see.\n") == [("aim", "Aim\nTo see.\n")]


def test_sections_of_one_name_that_touch_are_one() -> None:
    assert len(FORM.cut("Method\nWe look.\nVorgehen\nWir sehen.\n")) == 1


def test_an_expression_begins_a_section_inside_a_line() -> None:
    pytest.importorskip("re2")
    template = Template("t", (SectionPatterns("aim", "same", (Pattern(r"^Ziel \d+: ", True),)),))
    text = "é\nZIEL 12: das Meer sehen"
    assert pieces(template, text) == [("aim", "ZIEL 12: das Meer sehen")]


def test_an_expression_that_python_needs_years_for_comes_to_an_end() -> None:
    pytest.importorskip("re2")
    template = Template("t", (SectionPatterns("a", "skip", (Pattern("^(a+)+$", True),)),))
    assert template.cut("a" * 50_000 + "b\nmore") == []


def cut_by(expression: str, text: str) -> list[str]:
    pytest.importorskip("re2")
    template = Template("t", (SectionPatterns("a", "skip", (Pattern(expression, True),)),))
    return [text[one.span.start :] for one in template.cut(text)]


def test_an_expression_that_looks_ahead_from_each_place_comes_to_an_end() -> None:
    """Over the whole text at once RE2 takes 5.6 s for 40,000 letters, and four times as long for twice as many."""
    text = "x" * 1_000_000
    assert len(cut_by("x(?:(?s:.*)Q)?", text)) == 1000


def test_an_expression_is_searched_in_each_line_alone() -> None:
    assert cut_by("Aim(?s:.*)see", "Aim\nto see.\nmore") == []
    assert cut_by("^see", "Aim\nto see\nsee this.\nmore") == ["see this.\nmore"]


@pytest.mark.parametrize("before", [0, 1, 700, 995, 996, 998, 1000, 1003, 2500])
def test_a_heading_inside_a_long_line_is_found(before: int) -> None:
    filled = ("é bell " * 1000)[:before].rstrip() + " "
    text = f"{filled}M.12 measures{' and bells' * 300}"
    assert cut_by(r"M\.\d+ ", text) == [text[len(filled) :]]


def test_neither_end_of_a_piece_is_the_end_of_a_line() -> None:
    text = "bell " * 1000 + "end"
    assert cut_by("^bell", text) == [text]
    assert cut_by("bell $", text) == cut_by("^end", text) == cut_by("l e", f"{text}\nmore")[1:] == []


def test_what_is_skipped() -> None:
    text = "Title\nAim\nTo see.\nLegal note\nAll."
    sections = FORM.cut(text)
    assert FORM.skipped(sections, len(text)) == [Span(18, len(text))]
    form = Template("form", FORM.sections, "skip")
    assert form.skipped(sections, len(text)) == [Span(0, 6), Span(18, len(text))]


def test_nothing_is_skipped_of_a_text_without_sections() -> None:
    assert Template("form", FORM.sections, "skip").skipped([], 100) == []


LINES = st.sampled_from(["Aim", "Method", "Legal x", "Signature", "", "To see.", "𝔘 é", "1. Aim", "\r"])


@given(st.lists(LINES, max_size=30).map("\n".join))
def test_sections_are_ascending_disjoint_and_begin_with_their_heading(text: str) -> None:
    found = FORM.cut(text)
    assert union_length(one.span for one in found) == sum(len(one.span) for one in found)
    assert found == sorted(found, key=lambda one: one.span)
    for one in found:
        heading, _, below = text[one.span.start : one.span.stop].partition("\n")
        assert any(word in heading for word in ("Aim", "Method", "Legal")) and below.strip()


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("thesis", "Inhaltsverzeichnis\nEinleitung 3\n\n1 Einleitung\nMeer.\n\n3 Methodik\nSehen.", "contents"),
        ("thesis", "摘要\n本文研究潮汐。\n\n参考文献\n[1] 王。", "abstract"),
        ("proposal", "1. Project summary\nThe sea.\n\n5. Budget\n100", "summary"),
        ("contract", "§ 1 Vertragsgegenstand\nBrot.\n\n§ 7 Haftung\nKeine.", "subject"),
    ],
)
def test_the_templates_of_pmbf_know_many_languages(name: str, text: str, expected: str) -> None:
    found = template_of(name).cut(text)
    assert found[0].name == expected
    assert len(found) >= 2
