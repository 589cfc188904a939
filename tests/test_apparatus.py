"""Quotations and bibliographies are found by their form, in many languages, and left out of the answer if asked."""

import time

import pytest
from conftest import ROOT, words

from pmbf import Collection
from pmbf.report import Report
from pmbf.screen.exempt import bibliography, quotations

ENTRIES = "Broder, A. Z. (1997). On the resemblance of documents.\nManber, U. 1994. Finding similar files.\n"


def cut(text, spans):
    return [text[span.start : span.stop] for span in spans]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("He said “no” twice.", ["“no”"]),
        ("Er sagte „nein“ und »niemals«.", ["„nein“", "»niemals«"]),
        ("Il dit « non » deux fois.", ["« non »"]),
        ("他说「不」，又说『绝不』。", ["「不」", "『绝不』"]),
        ("Он сказал «нет».", ["«нет»"]),
        ('One "two" three "four".', ['"two"', '"four"']),
        ("TeX has ``quotes'' of its own.", ["``quotes''"]),
        ("a\n> quoted\n> twice\nb\n", ["> quoted\n> twice\n"]),
        ('A 5" disk.\n\nAnd "this" again.', ['"this"']),
        ("An “open mark\n\nand its end” are not one.", []),
        ("> quoted in the first line\nb\n", ["> quoted in the first line\n"]),
        ("“” and nothing", []),
        ("", []),
    ],
)
def test_quotations_are_found_by_their_marks(text, expected):
    assert cut(text, quotations(text)) == expected


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("“", "„"),
        ("”", "„"),
        ("”", "“"),
        ("''", "``"),
        ("」", "「"),
        ("』", "『"),
        ("〞", "〝"),
        ("»", "«"),
        ("›", "‹"),
    ],
)
@pytest.mark.parametrize(
    "frame", ["{0}no{1} {2} {0}yes{1}", "He said {0}no.{1} {2} And {0}yes.{1}", "他说{0}不{1}，{2}又说{0}绝不{1}。"]
)
def test_marks_that_stand_the_wrong_way_round_make_no_quotation_of_what_is_between(left, right, frame):
    prose = "The harbour master wrote the height of every tide into a book, and it was never lost"
    for text in (frame.format(left, right, prose), f"A line.\n\n{frame.format(left, right, prose)}\n\nAnother."):
        assert not any(prose in one for one in cut(text, quotations(text)))


@pytest.mark.parametrize(
    "heading",
    [
        "References",
        "REFERENCES:",
        "## 7. Bibliography",
        "Literaturverzeichnis",
        "Список литературы",
        "参考文献",
        "Références",
    ],
)
def test_a_bibliography_begins_with_its_heading(heading):
    text = f"So it ends.\n\n{heading}\n{ENTRIES}"
    assert cut(text, bibliography(text)) == [f"{heading}\n{ENTRIES}"]


def test_a_bibliography_ends_where_an_appendix_begins():
    text = f"Text.\nReferences\n{ENTRIES}Appendix A: More\nNot cited.\n"
    assert cut(text, bibliography(text)) == [f"References\n{ENTRIES}"]


def test_the_word_in_a_table_of_contents_is_no_bibliography():
    text = f"Contents\nReferences\n{words(1, 300)}\n\nReferences\n{ENTRIES}"
    assert cut(text, bibliography(text)) == [f"References\n{ENTRIES}"]
    assert bibliography(f"References\n{words(1, 300)}\n") == []


@pytest.mark.parametrize("evil", ['"', "“", "“a ", "``", "> \n", "references\n", "appendix\n", '"\n \n', " ", "\t#"])
def test_hostile_repetition_takes_linear_time(evil):
    started = time.process_time()
    quotations(evil * 100_000)
    bibliography(evil * 100_000)
    assert time.process_time() - started < 20


# ---------------------------------------------------------------------- in a screening


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("He said ‘it isn’t over until it’s over’ and left.", ["‘it isn’t over until it’s over’"]),
        ("He said 'it isn't over until it's over' and left.", ["'it isn't over until it's over'"]),
        ("The dogs' bones, the cats' milk and rock 'n' roll aren't ours, 'tis true.", []),
        ("A ‘word’ or ‘two of’ them, and the students’ own.", []),
        ("He said 'it is not over\n\nuntil it is over' and left.", []),
    ],
)
def test_single_quotation_marks_are_no_apostrophes(text, expected):
    assert [text[span.start : span.stop] for span in quotations(text)] == expected


@pytest.fixture
def asked(tmp_path):
    """A collection of two texts, and a query that quotes the one and copies from the other."""
    source, other = words(1, 400).split(), words(2, 400).split()
    quoted, copied = " ".join(source[100:180]), " ".join(other[50:150])
    query = f"{words(3, 100)}\n\n“{quoted}”\n\n{words(4, 100)}\n\n{copied}\n\nReferences\n{ENTRIES}"
    with Collection(tmp_path / "c.pmbf", create=True) as made:
        made.add_many([("source", " ".join(source)), ("other", " ".join(other))])
        yield made, query, quoted, copied


def test_a_passage_says_that_it_is_quoted(asked):
    collection, query, quoted, copied = asked
    report = collection.screen(query)
    within = {match.document.path: [passage.within for passage in match.passages] for match in report.matches}
    assert within == {"source": ["quotation"], "other": [None]}
    assert report.query.n_quoted == len(quoted) + 2
    assert report.query.n_listed == len("References\n" + ENTRIES)
    assert (report.n_covered, report.query.n_excluded) == (len(quoted) + len(copied), 0)
    assert Report.from_json(report.to_json()) == report


def test_quotations_do_not_count_if_excluded(asked):
    collection, query, quoted, copied = asked
    report = collection.screen(query, exclude_quotations=True)
    assert [(match.document.path, match.counts) for match in report.matches] == [("other", True), ("source", False)]
    assert (report.n_covered, report.query.n_excluded) == (len(copied), len(quoted) + 2)
    assert report.not_counted == {"quotation": len(quoted)}
    assert [one.not_counted for one in report.matches[1].passages] == ["quotation"]
    assert Report.from_json(report.to_json()) == report
    whole = collection.screen(query, exclude_bibliography=True)
    assert len(whole.matches) == 2
    assert whole.query.n_excluded == whole.query.n_listed


def test_what_stands_in_an_ignored_text_does_not_count(asked):
    collection, query, quoted, copied = asked
    report = collection.screen(query, ignore=(f"{words(5, 50)} {copied} {words(6, 50)}", ""))
    assert [match.document.path for match in report.matches] == ["source"]
    assert (report.n_covered, report.query.n_excluded) == (len(quoted), len(copied))
    assert report.not_counted == {"ignored": len(copied)}


def test_what_is_left_of_a_passage_counts(asked):
    collection, query, _, copied = asked
    half = copied[: len(copied) // 2]
    report = collection.screen(query, ignore=(half,))
    [match] = [match for match in report.matches if match.document.path == "other"]
    [passage] = match.passages
    assert match.n_covered == match.longest == passage.n_counted == len(passage.query) - passage.n_excluded
    [left] = [match for match in report.matches if match.document.path == "other"]
    assert 0 <= left.n_covered - (len(copied) - len(half)) < 12
    assert left.passages[0].query.stop - left.passages[0].query.start == len(copied)


def test_what_is_left_of_a_chinese_passage_counts_in_letters_of_an_alphabet(tmp_path):
    text = (ROOT / "examples" / "library" / "huimo.txt").read_text(encoding="utf-8")
    copied, template = text[200:270], text[230:270]
    with Collection(tmp_path / "c.pmbf", create=True) as collection:
        collection.add(text, name="source")
        [match] = collection.screen(copied, ignore=[template]).matches
    [passage] = match.passages
    assert 22 < passage.n_counted < 65 <= 3 * passage.n_counted


# ---------------------------------------------------------------------- which marks belong together

PROSE = "the harbour was built in three summers by people who came from the hills and went back to them"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (f"Er sagte »nein« und ging, {PROSE}, das als »Ochse« bekannt war.", ["»nein«", "»Ochse«"]),
        (f"Il dit « non » et partit, {PROSE}, connu comme « le bœuf ».", ["« non »", "« le bœuf »"]),
        (f"Hon sade ”nej” och gick, {PROSE}, känt som ”oxen”.", ["”nej”", "”oxen”"]),
        (f"Hon sade »nej» och gick, {PROSE}, känt som »oxen».", ["»nej»", "»oxen»"]),
        (f"Hon sade: ’nej, inte i dag’, och gick, {PROSE}.", ["’nej, inte i dag’"]),
        (f"Er sagte „nein“ und ging, {PROSE}, auch „Ochse“ genannt.", ["„nein“", "„Ochse“"]),
        (f"In the '90s, {PROSE}, this was the owners' opinion.", []),
        (f"Carter 's plan, {PROSE}, was the sufferers' hope.", []),
        (f"'Tis said, {PROSE}, and the dogs' bones are there.", []),
        (f'A 12" pipe, {PROSE}, and a 14" pipe.', []),
        (f'A mark "is missing here, {PROSE}, and "this" is a word.', ['"this"']),
        ("他说“你好，今天天气很好”，就走了。", ["“你好，今天天气很好”"]),
    ],
)
def test_a_mark_opens_after_a_blank_and_before_a_letter(text, expected):
    assert cut(text, quotations(text)) == expected


def test_one_mark_without_a_partner_reaches_no_further_than_its_paragraph_in_a_pdf():
    """Text of a PDF has lines of one length and no blank lines."""
    paragraph = "\n".join([PROSE[:90], PROSE[:88], PROSE[:91], "and so it was."])
    quoting = paragraph.replace("built in", '"built in', 1)
    quoted = '"I do not know,"\nhe said'
    whole = "\n".join([quoting, paragraph, quoted.replace("\n", " ") + " and went away.", paragraph])
    assert cut(whole, quotations(whole)) == ['"I do not know,"']


def test_a_quotation_of_two_paragraphs_has_a_mark_at_the_second():
    text = f"“{PROSE}.\n\n“{PROSE}.”\n\n{PROSE}"
    assert [one.rstrip() for one in cut(text, quotations(text))] == [f"“{PROSE}.", f"“{PROSE}.”"]


def test_single_marks_reach_no_further_than_a_few_lines():
    text = f"He said 'it is {' '.join([PROSE] * 5)} over', and left."
    assert quotations(text) == []


def test_copied_prose_between_quoted_words_counts(tmp_path):
    """A German novel that was copied in whole: no option makes quotations of the prose between its quotations."""
    said = "Der Wirt sagte nur »nein« und schloss die Tür, {}, »Ochse« stand da."
    copied = " ".join(said.format(words(n, 20)) for n in range(9))
    with Collection(tmp_path / "c.pmbf", create=True) as collection:
        collection.add(copied, name="novel")
        report = collection.screen(copied, exclude_quotations=True)
        assert report.coverage > 0.99
        assert {one.within for one in report.matches[0].passages} == {None}
