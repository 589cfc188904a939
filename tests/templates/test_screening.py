"""Screening with a template: what is skipped, what is compared with the same section alone, what the report says."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import pmbf
from pmbf import Collection
from pmbf.report import Report
from pmbf.screen.templates import Pattern, Template
from pmbf.screen.templates.cutting import SectionPatterns
from pmbf.sentences import SentenceReport
from tests.commands.conftest import run
from tests.sentences.texts import text as prose

FORM = Template(
    "form",
    (
        SectionPatterns("aim", "compare", (Pattern("Aim"),)),
        SectionPatterns("method", "same", (Pattern("Method"),)),
        SectionPatterns("legal", "skip", (Pattern("Legal"),)),
    ),
)

AIM, METHOD, LEGAL = prose(1, 2, 3, 4), prose(5, 6, 7, 8), prose(9, 10, 11, 12)


@pytest.fixture
def forms(tmp_path: Path) -> Iterator[Collection]:
    with Collection(tmp_path / "forms.pmbf", create=True) as collection:
        collection.add(f"𝔘\nAim\n{AIM}\n\nMethod\n{METHOD}\n\nLegal\n{LEGAL}\n", name="whole")
        collection.add(f"Aim\n{METHOD}\n\nMethod\n{prose(30, 31, 32)}\n", name="method-as-aim")
        collection.add(f"{METHOD} {prose(40, 41)}", name="no-sections")
        collection.build_sentences()
        yield collection
        assert not collection.check().problems


def asked(aim: str = "", method: str = "", legal: str = "") -> str:
    fill = prose(90, 91)
    return f"Title é\n\nAim\n{aim or fill}\n\nMethod\n{method or prose(92, 93)}\n\nLegal\n{legal or prose(94, 95)}\n"


def paths(report: Report) -> list[str]:
    """Return the sources of text that counts."""
    return sorted(match.document.path for match in report.matches if match.counts)


def test_a_skipped_section_does_not_count_and_is_listed(forms: Collection) -> None:
    query = asked(legal=LEGAL)
    assert paths(forms.screen(query)) == ["whole"]
    report = forms.screen(query, template=FORM)
    [match] = report.matches
    assert (report.found, match.counts, match.coverage, match.certainty) == (True, False, 0.0, "sure")
    assert [one.not_counted for one in match.passages] == ["skipped"]
    assert report.not_counted == {"skipped": match.n_not_counted} and match.n_not_counted >= len(LEGAL)
    [skipped] = [one.span for one in report.sections if one.rule == "skip"]
    assert report.query.excluded == (skipped,)
    assert query[skipped.start : skipped.stop].startswith("Legal\n")


def test_the_share_of_a_section_is_of_its_characters_that_count(forms: Collection) -> None:
    quoted = prose(60, 61)
    query = asked(aim=f"{AIM}\n\nShe wrote: “{quoted}”")
    [whole] = [one for one in forms.screen(query, template=FORM).sections if one.name == "aim"]
    report = forms.screen(query, template=FORM, exclude_quotations=True)
    aim, _, legal = report.sections
    assert (whole.n_excluded, aim.n_excluded, legal.n_excluded) == (0, len(quoted) + 2, len(legal.span))
    assert aim.coverage == aim.n_covered / (len(aim.span) - len(quoted) - 2) > whole.coverage
    assert aim.n_excluded + legal.n_excluded == report.query.n_excluded
    assert Report.from_json(report.to_json()) == report


def test_a_same_section_is_compared_with_the_same_section_alone(forms: Collection) -> None:
    query = asked(method=METHOD)
    assert paths(forms.screen(query)) == ["method-as-aim", "no-sections", "whole"]
    report = forms.screen(query, template=FORM)
    assert paths(report) == ["whole"]
    [method] = [one for one in report.sections if one.name == "method"]
    assert method.n_elsewhere == 2
    assert method.coverage > 0.9
    others = {match.document.path: {one.not_counted for one in match.passages} for match in report.matches[1:]}
    assert others == {"method-as-aim": {"elsewhere"}, "no-sections": {"elsewhere"}}
    assert sum(report.not_counted.values()) < 30, "what counts in one source counts"


def test_text_that_stands_elsewhere_in_its_source_is_told_first_and_is_found(forms: Collection, tmp_path: Path) -> None:
    (tmp_path / "q.txt").write_text(f"Methods\n{AIM}\n")
    ended = run("screen", tmp_path / "q.txt", "-c", forms.path, "--template", "proposal", "--passages", "1")
    assert ended.exit_code == 1
    said = " ".join(ended.stdout.split())
    assert "Found in 1 of 3 documents, but not counted: 98 % of the whole text in other sections of sources." in said
    assert "not counted (in other sections of sources)" in said
    plain = run("screen", tmp_path / "q.txt", "-c", forms.path, "--template", "thesis")
    assert "98 % of this text is found in 1 of 3 documents." in plain.stdout


def test_a_threshold_hides_nothing_that_a_template_takes_out(forms: Collection) -> None:
    report = forms.screen(asked(legal=LEGAL), template=FORM, threshold=0.2)
    assert [match.document.path for match in report.matches] == ["whole"]
    assert report.n_below == 0


def test_a_compared_section_is_compared_with_everything(forms: Collection) -> None:
    report = forms.screen(asked(aim=METHOD), template=FORM)
    assert paths(report) == ["method-as-aim", "no-sections", "whole"]


def test_a_copy_of_the_whole_form_counts_but_for_what_is_skipped(forms: Collection) -> None:
    query = asked(AIM, METHOD, LEGAL)
    report = forms.screen(query, template=FORM)
    assert paths(report) == ["whole"]
    covered = {one.name: one.n_covered for one in report.sections}
    assert covered["aim"] >= len(AIM) and covered["method"] >= len(METHOD) and covered["legal"] == 0
    assert {one.not_counted for one in report.matches[0].passages} == {None, "skipped"}
    for passage in report.matches[0].passages:
        source = forms.text(report.matches[0].document.id)[passage.source.start : passage.source.stop]
        ours = query[passage.query.start : passage.query.stop]
        assert passage.kind != "verbatim" or ours.split() == source.split()


def test_a_passage_over_a_border_is_cut_at_it(forms: Collection, tmp_path: Path) -> None:
    """The source has the words without a heading, so that one passage covers both sections of the query."""
    with Collection(tmp_path / "plain.pmbf", create=True) as plain:
        plain.add(f"{AIM}\n\n{METHOD}", name="plain")
        query = f"Aim\n{AIM}\n\nMethod\n{METHOD}\n"
        assert plain.screen(query).coverage > 0.9
        report = plain.screen(query, template=FORM)
        [match] = report.matches
        assert report.sections[1].n_covered == 0 and report.sections[1].n_elsewhere == 1
        assert [one.not_counted for one in match.passages].count("elsewhere") == 1
        for passage in match.passages:
            assert passage.not_counted or passage.query.stop <= query.index("Method")
            assert plain.text(1)[passage.source.start : passage.source.stop] == (
                query[passage.query.start : passage.query.stop].strip()
            )


def test_the_same_section_is_found_though_the_words_stand_elsewhere_too(tmp_path: Path) -> None:
    with Collection(tmp_path / "twice.pmbf", create=True) as twice:
        twice.add(f"Aim\n{METHOD}\n\nMethod\n{METHOD.replace('.', '!')}\n", name="twice")
        twice.build_sentences()
        query = f"Method\n{METHOD}\n"
        text, method = twice.text(1), twice.text(1).index("Method")
        [match] = twice.screen(query, template=FORM).matches
        assert all(passage.source.start >= method for passage in match.passages)
        sentences = twice.screen_sentences(query, template=FORM)
        assert sentences.n_found == 4
        assert all(text.index("Method") <= pair.source.start for one in sentences.sources for pair in one.pairs)


def test_a_template_without_its_sections_compares_the_whole_text_and_says_so(forms: Collection) -> None:
    for template in (FORM, Template("form", FORM.sections, "skip")):
        report = forms.screen(f"{METHOD}", template=template)
        assert (report.template, report.sections) == ("form", ())
        assert paths(report) == ["method-as-aim", "no-sections", "whole"]
        sentences = forms.screen_sentences(METHOD, template=template)
        assert sentences.sections == () and sentences.n_found == 4


def test_a_passage_over_the_border_of_a_skipped_section_counts_up_to_it(tmp_path: Path) -> None:
    with Collection(tmp_path / "plain.pmbf", create=True) as plain:
        plain.add(f"{AIM} {LEGAL}", name="plain")
        query = f"Aim\n{AIM}\nLegal\n{LEGAL}\n"
        [match] = plain.screen(query, template=FORM).matches
        passage, skipped = match.passages
        assert skipped.not_counted == "skipped" and query[skipped.query.start :].startswith(LEGAL[:10])
        assert query[passage.query.start : passage.query.stop] in (AIM, AIM.removesuffix("."))
        assert passage.n_excluded == 0 and passage.kind == "verbatim"


def test_rest_is_skipped_if_the_template_says_so(forms: Collection) -> None:
    query = f"{AIM}\n\nAim\n{prose(90)}\n"
    assert forms.screen(query, template=FORM).found
    report = forms.screen(query, template=Template("form", FORM.sections, "skip"))
    assert not paths(report) and report.query.n_excluded >= len(AIM)
    assert report.not_counted["skipped"] >= len(AIM) - 1


def test_many_texts_by_workers_have_the_same_reports(forms: Collection) -> None:
    queries = [asked(aim=AIM), asked(method=METHOD), asked(legal=LEGAL), METHOD] * 5
    alone = [forms.screen(one, template=FORM) for one in queries]
    assert list(forms.screen_many(queries, template=FORM, jobs=2)) == alone


def test_a_report_goes_to_json_and_back(forms: Collection) -> None:
    report = forms.screen(asked(method=METHOD), template=FORM)
    assert Report.from_json(report.to_json()) == report
    first = report.to_dict()["sections"][0]
    assert first == {
        "name": "aim",
        "rule": "compare",
        "span": [report.sections[0].span.start, report.sections[0].span.stop],
        "n_covered": 0,
        "n_elsewhere": 0,
        "n_excluded": 0,
    }


def test_a_page_lists_the_sections(forms: Collection) -> None:
    for report in (
        forms.screen(asked(method=METHOD), template=FORM),
        forms.screen_sentences(asked(method=METHOD), template=FORM),
    ):
        page = pmbf.page(report)
        assert "3 sections (template <bdi>form</bdi>)" in page
        assert "2 sources with shared text elsewhere" in page
    assert "found none of its sections" in pmbf.page(forms.screen(METHOD, template=FORM))


# ---------------------------------------------------------------------- sentences


def test_sentences_of_a_skipped_section_are_skipped(forms: Collection) -> None:
    report = forms.screen_sentences(asked(legal=LEGAL), template=FORM)
    outcomes = [one.outcome for one in report.sentences]
    assert outcomes.count("skipped") >= 4 and "found" not in outcomes
    assert not report.found
    assert report.n_not_counted == [one.not_counted for one in report.sentences].count("skipped") >= 4
    assert SentenceReport.from_json(report.to_json()) == report
    assert report.n_compared == outcomes.count("new")
    page = pmbf.page(report)
    assert "Found, but not counted:</b> " in page and f"; {report.n_not_counted} more not counted" in page


@pytest.mark.parametrize(("heading", "template"), [("Methods", "proposal"), ("Declaration", "thesis")])
def test_sentences_that_a_template_takes_out_are_told_first_and_are_found(
    forms: Collection, tmp_path: Path, heading: str, template: str
) -> None:
    (tmp_path / "q.txt").write_text(f"{heading}\n{AIM}\n\nResults\n{prose(60, 61)}\n")
    ended = run("sentences", "screen", tmp_path / "q.txt", "-c", forms.path, "--template", template)
    said = " ".join(ended.stdout.split())
    assert ended.exit_code == 1
    assert "4 sentences of skipped sections, or elsewhere than in the same section, are found in sources." in said


def test_sentences_of_a_same_section_are_found_in_the_same_section_alone(forms: Collection) -> None:
    query = asked(method=METHOD)
    assert len(forms.screen_sentences(query).sources) == 3
    report = forms.screen_sentences(query, template=FORM)
    assert [one.document.path for one in report.sources] == ["whole"]
    assert report.n_found == 4
    elsewhere = forms.screen_sentences(asked(method=AIM), template=FORM)
    out = [(one.outcome, one.not_counted) for one in elsewhere.sentences if one.not_counted]
    assert out == [("new", "elsewhere")] * elsewhere.n_not_counted and len(out) >= 4
    method = report.sections[1]
    assert method.n_elsewhere == 2 and method.n_covered >= len(METHOD) - 10


@pytest.mark.parametrize("how", [["screen"], ["sentences", "screen"]])
def test_a_text_that_is_skipped_as_a_whole_is_not_declared_clean(
    forms: Collection, tmp_path: Path, how: list[str]
) -> None:
    forms.build_sentences()
    (tmp_path / "q.txt").write_text(f"\n\nReferences\n{prose(60, 61)}\n")
    ended = run(*how, tmp_path / "q.txt", "-c", forms.path, "--template", "thesis")
    assert ended.exit_code == 3
    said = " ".join(ended.stdout.split())
    assert "Incomplete: the template thesis skips the whole text, so nothing in it counts; screen the text wi" in said
