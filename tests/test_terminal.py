"""Rendering is tested on reports and texts made by hand: no collection is needed."""

import io
import json
import re
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from pmbf.cli.shown.canvas import View, wants_color
from pmbf.cli.shown.figures import duration, percent, shown_path, size
from pmbf.cli.shown.passages import HEAD_CHARS, TAIL_CHARS
from pmbf.cli.shown.report import report_text
from pmbf.cli.shown.safe import harmless, json_line, one_line
from pmbf.cli.shown.screened import Outcomes, outcomes_text
from pmbf.cli.shown.summaries import check_lines
from pmbf.report import CERTAINTIES, DocumentRef, Match, Passage, Query, Report, Span
from pmbf.store.check import CheckReport

SOURCE = "Nobody knows. The sea comes in twice a day and goes out twice a day on this coast. That is all."
TEXT = "He wrote: The sea comes in twice each day and goes out twice a day on this long coast. I doubt it."
SPANS = Span(10, 86), Span(14, 82)


def match(passages, *, id=1, path="tides.txt", paths=(), n_chars=98, problem=None, kind="eml"):
    n_covered = sum(len(passage.query) for passage in passages)
    longest = max((len(passage.query) for passage in passages), default=0)
    document = DocumentRef(id, path, paths or (path,), 95, kind)
    in_order = sum(len(one.query) * (one.in_order or 0) for one in passages) / n_chars
    certainty = min((one.certainty for one in passages if one.certainty), key=CERTAINTIES.index, default=None)
    figures = (0.5, 9, n_covered, n_covered / n_chars, longest)
    return Match(document, *figures, tuple(passages), problem, in_order=in_order, certainty=certainty)


def report(*matches, n_documents=14, problems=(), n_below=0, in_order=None, **query):
    asked = {"name": "essay.txt", "n_chars": 98, "n_tokens": 20, "n_hashes": 9, "kind": "eml"} | query
    n_covered = max((one.n_covered for one in matches), default=0)
    coverage = n_covered / max(1, asked["n_chars"])
    return Report(
        Query(**asked),
        matches,
        n_covered,
        coverage,
        n_documents,
        len(matches),
        3,
        problems,
        n_below=n_below,
        in_order=in_order,
    )


def edited(also_in=()):
    return Passage(*SPANS, 0.91, "edited", also_in, in_order=0.88, certainty="sure")


def shown(found, text=TEXT, source=SOURCE, **view):
    return report_text(found, text, lambda document: source, View(**{"width": 80} | view))


# ---------------------------------------------------------------------- the whole


def test_a_narrow_report_shows_one_text_above_the_other():
    assert shown(report(match([edited()]))) == (
        "essay.txt: 98 characters, 20 words, compared with 14 documents\n"
        "78 % of this text is found in 1 of 14 documents.\n"
        "\n"
        "#  share  in order  passages  longest passage          likeness    certainty  source\n"
        "1   78 %      68 %         1  76 characters, 17 words  91 % alike  sure       tides.txt\n"
        "\n"
        "1.1  query 10-86 | source 14-82, 91 % alike: sure\n"
        "  query   He wrote: |\n"
        "          The sea comes in twice {+each+} day and goes out twice a day on this\n"
        "          {+long+} coast.\n"
        "          | I doubt it.\n"
        "  source  Nobody knows. |\n"
        "          The sea comes in twice [-a-] day and goes out twice a day on this\n"
        "          coast.\n"
        "          | That is all.\n"
    )


def test_a_wide_report_shows_both_texts_side_by_side():
    lines = shown(report(match([edited()])), width=100).splitlines()[6:]
    assert lines == [
        "1.1  query 10-86 | source 14-82, 91 % alike: sure",
        "  He wrote: |                                       Nobody knows. |",
        "  The sea comes in twice {+each+} day and goes      The sea comes in twice [-a-] day and goes out",
        "  out twice a day on this {+long+} coast.           twice a day on this coast.",
        "  | I doubt it.                                     | That is all.",
    ]


@pytest.mark.parametrize("width", [40, 80, 100, 140])
def test_no_line_of_a_passage_is_wider_than_the_terminal(width):
    lines = shown(report(match([edited()])), width=width).splitlines()
    assert all(len(line) <= width for line in lines if line.startswith("  "))


def test_right_to_left_texts_are_never_put_side_by_side():
    text = "קפה שחור " * 20
    passage = Passage(Span(0, len(text)), Span(0, len(text)), 1.0, "verbatim")
    assert "\n  query   " in shown(report(match([passage])), text=text, source=text, width=140)


def test_wide_letters_fill_two_columns_each():
    text = "墨" * 200
    passage = Passage(Span(0, 200), Span(0, 200), 1.0, "verbatim")
    lines = shown(report(match([passage])), text=text, source=text, width=100).splitlines()
    assert lines[-1].count("墨") * 2 <= 96
    assert sum(line.count("墨") for line in lines) == 400


# ---------------------------------------------------------------------- verdict and notes


def test_nothing_found_says_so_and_shows_no_table():
    assert shown(report()).splitlines()[1:] == ["No shared passage with any of 14 documents."]


def test_an_incomplete_answer_never_reads_as_nothing_found():
    lines = shown(report(problems=("page 7 of 9 could not be read",))).splitlines()
    assert lines[1:] == [
        "Nothing found in what was compared, but the answer is incomplete.",
        "Incomplete: page 7 of 9 could not be read",
    ]


def test_a_source_that_could_not_be_compared_is_named_with_the_reason():
    problem = "its text is not stored"
    text = shown(report(match([], problem=problem), problems=(f"not compared with tides.txt: {problem}",)))
    assert "the answer is incomplete" in text
    assert "Incomplete: not compared with tides.txt: its text is not stored\n" in text
    assert "1      ?         ?         ?  ?                ?         ?          tides.txt" in text


def test_words_in_another_order_are_told_apart_from_those_in_order():
    reworded = replace(edited(), kind="reworded", in_order=0.41, certainty="worth a look")
    lines = shown(report(match([reworded]), in_order=0.32)).splitlines()
    assert lines[1] == "78 % of this text is found in 1 of 14 documents, 32 % word for word."
    assert lines[6] == "1.1  query 10-86 | source 14-82, reworded, 91 % alike, 41 % in order: worth a look"


@pytest.mark.parametrize(
    ("kind", "source_share", "told"),
    [
        ("summary", 0.97, "summary, 91 % alike, 88 % in order, of the whole source: sure"),
        ("summary", 0.2, "summary, 91 % alike, 88 % in order, of a part of the source: sure"),
        ("edited", 0.8, "91 % alike, of the whole source: sure"),
        ("edited", 0.79, "91 % alike: sure"),
    ],
)
def test_a_passage_of_the_whole_source_is_told_apart_from_one_of_a_part(kind, source_share, told):
    passage = replace(edited(), kind=kind, source_share=source_share)
    assert f" | source 14-82, {told}\n" in shown(report(match([passage])))


def test_certainties_have_colours_of_their_own():
    texts = [shown(report(match([replace(edited(), certainty=word)])), colored=True) for word in CERTAINTIES]
    codes = [text.split("alike: ")[1].split(word)[0] for text, word in zip(texts, CERTAINTIES, strict=True)]
    assert len(set(codes)) == 3


def test_a_passage_without_certainty_is_shown_without_it():
    text = shown(report(match([replace(edited(), in_order=None, certainty=None)])))
    assert "source 14-82, 91 % alike\n" in text


def test_sources_below_the_threshold_are_counted():
    assert "Nothing above the threshold: 1 of 14 documents covers less of this text." in shown(report(n_below=1))
    assert "… and 2 more sources below the threshold" in shown(report(match([edited()]), n_below=2))


def test_what_is_left_of_a_passage_is_what_is_told_of_it():
    lines = shown(report(match([replace(edited(), n_excluded=20)]))).splitlines()
    assert "  56 of its 76 characters  " in lines[4]
    assert lines[6] == "1.1  query 10-86 | source 14-82, 20 characters of it do not count, 91 % alike: sure"


def test_letters_that_look_alike_and_invisible_ones_are_noted():
    text = " ".join(shown(report(n_mixed_tokens=15, n_invisible=1)).split())
    assert "Note: 15 words with letters of two alphabets that look alike and 1 invisible character in this text" in text


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ({"n_chars": 0, "n_tokens": 0, "n_hashes": 0}, "there is not one word in this text; nothing was compared."),
        ({"n_chars": 9, "n_tokens": 2, "n_hashes": 0}, "2 words are too few to compare."),
    ],
)
def test_a_text_with_too_little_to_compare_is_noted(query, expected):
    assert f"Note: {expected}" in shown(report(**query))


def test_an_empty_collection_is_noted():
    assert "Note: the collection has no text." in shown(report(n_documents=0))


def test_documents_that_are_left_out_are_counted():
    assert "compared with 14 documents, 2 left out\n" in shown(replace(report(), n_left_out=2))
    assert "Note: every document is left out." in shown(replace(report(n_documents=0), n_left_out=2))


# ---------------------------------------------------------------------- sources and passages


def test_words_are_not_counted_where_there_are_none():
    assert shown(report(n_chars=576, n_tokens=520)).startswith("essay.txt: 576 characters, compared")


@pytest.mark.parametrize("columns", [40, 80])
def test_other_paths_with_the_same_contents_are_named_below_the_first(columns):
    lines = shown(report(match([edited()], paths=("tides.txt", "a", "b"))), width=columns).splitlines()
    [at] = [number for number, line in enumerate(lines) if line.endswith("  tides.txt")]
    start = lines[at].index("tides.txt")
    assert lines[at + 1 : at + 3] == [" " * start + "identical: a", " " * start + "identical: b"]


def test_sources_and_passages_beyond_the_wanted_number_are_counted():
    shorter = Passage(Span(0, 5), Span(0, 5), 1.0, "verbatim")
    text = shown(report(match([shorter, edited()]), match([edited()], id=2)), n_sources=1, n_passages=1)
    assert "… and 1 more source: --sources all shows them" in text
    assert "1.2  query 10-86" in text
    assert "1.1  query" not in text
    assert "1 shorter passage of source 1 not shown: --passages all shows them" in text


def test_no_passages_are_shown_and_no_source_is_read_when_none_are_wanted():
    found = report(match([edited()]))
    text = report_text(found, TEXT, lambda document: pytest.fail("read"), View(width=80, n_passages=0))
    assert "query 10-86" not in text


def test_a_passage_found_in_other_sources_names_them_by_rank():
    assert "alike, also in source 2: sure\n" in shown(report(match([edited(also_in=(7, 99))]), match([edited()], id=7)))


def test_a_passage_of_several_sources_is_drawn_once():
    verbatim = replace(edited(), similarity=1.0)
    others = match([edited()], id=7, path="b.txt"), match([verbatim], id=8, path="c.txt")
    text = shown(report(match([edited(also_in=(7, 8))]), *others))
    assert "2.1  query 10-86 | source 14-82, 91 % alike, the same words as 1.1: sure\n" in text
    assert text.count("{+long+}") == 2  # in 1.1, and in 3.1, which is more alike
    assert text.count("the same words as") == 1


def test_the_middle_of_a_long_passage_is_left_out_and_counted():
    text = "".join(f"word{number} " for number in range(400))
    passage = Passage(Span(0, len(text)), Span(0, len(text)), 1.0, "verbatim")
    body = shown(report(match([passage]), n_chars=len(text)), text=text, source=text)
    assert "word0 word1 " in body
    assert "word399" in body
    assert "word200" not in body
    omitted = re.search("… ([0-9,]+) characters …", " ".join(body.split()))
    assert 0 <= int(omitted[1].replace(",", "")) - (len(text) - HEAD_CHARS - TAIL_CHARS) < 20


def test_the_ends_of_a_passage_too_long_to_compare_whole_still_pair_up():
    words = [f"word{number}" for number in range(9000)]
    changed = ["another", *words[2:]]
    text, source = " ".join(changed), " ".join(words)
    passage = Passage(Span(0, len(text)), Span(0, len(source)), 0.99, "edited")
    body = shown(report(match([passage]), n_chars=len(text)), text=text, source=source)
    assert "{+another+} word2 word3" in body
    assert "[-word0 word1-] word2 word3" in body
    assert body.count("{+") == body.count("[-") == 1


def test_what_is_equal_once_folded_is_not_marked():
    text, source = "THE SEA COMES IN. Twicé a day.", "the sea comes in: twice a day"
    passage = Passage(Span(0, len(text)), Span(0, len(source)), 1.0, "verbatim")
    body = shown(report(match([passage])), text=text, source=source)
    assert "{+" not in body
    assert "[-" not in body


# ---------------------------------------------------------------------- hostile characters


HOSTILE = "\x1b[31m\x1b]0;title\x07 \u202eabc\u2066 \x9b2J \x7f \udce9 \ufeff \u2028 \U000e0041 end"


def test_no_control_or_bidi_character_of_a_text_name_or_path_reaches_the_terminal():
    text = f"before before {HOSTILE} after after after"
    passage = Passage(Span(7, 20 + len(HOSTILE)), Span(7, 20 + len(HOSTILE)), 0.9, "edited")
    found = report(match([passage], path=HOSTILE), problems=(HOSTILE,), name=HOSTILE, n_chars=len(text))
    for colored in (False, True):
        page = shown(found, text=text, source=text[::-1], colored=colored)
        for escape in ("\x1b[1m", "\x1b[2m", "\x1b[0m", "\x1b[33m", "\x1b[1;31m", "\x1b[1;32m", "\x1b[1;33m", "\n"):
            page = page.replace(escape, "")
        assert all(char.isprintable() for char in page), ascii(page)


@given(st.text())
def test_a_harmless_text_keeps_every_character_that_is_not_risky(text):
    if text.isprintable():
        assert harmless(text) == text
    assert "\x1b" not in harmless(text)
    assert "\n" not in one_line(text)


def test_the_joiners_of_persian_and_emoji_stay():
    assert harmless("می\u200cخواهم 👩\u200d🚀") == "می\u200cخواهم 👩\u200d🚀"


@given(st.text(st.characters(exclude_categories=[])))
def test_json_is_one_printable_line_and_comes_back_equal(text):
    line = json_line({"text": text}).decode()
    assert json.loads(line) == {"text": text}
    assert line.endswith("\n")
    assert "\x1b" not in line
    assert len(line[:-1].splitlines()) == 1


# ---------------------------------------------------------------------- colours and figures


def test_colours_take_the_place_of_marks():
    colored = shown(report(match([edited()])), colored=True)
    assert "\x1b[1;32meach\x1b[0m" in colored
    assert "\x1b[1;31ma\x1b[0m" in colored
    assert "{+" not in colored
    assert "\x1b" not in shown(report(match([edited()])))


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.mark.parametrize(
    ("environment", "stream", "expected"),
    [
        ({}, Terminal(), True),
        ({}, io.StringIO(), False),
        ({"NO_COLOR": "1"}, Terminal(), False),
        ({"TERM": "dumb"}, Terminal(), False),
        ({"FORCE_COLOR": "1"}, io.StringIO(), True),
        ({"FORCE_COLOR": "1", "NO_COLOR": "1"}, Terminal(), False),
    ],
)
def test_colours_are_used_on_a_terminal_or_when_asked_for(monkeypatch, environment, stream, expected):
    for name in ("NO_COLOR", "FORCE_COLOR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TERM", "xterm")
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    assert wants_color(stream) is expected


def test_a_path_is_shown_from_the_working_directory_when_inside(tmp_path, monkeypatch):
    (tmp_path / "in").mkdir()
    monkeypatch.chdir(tmp_path / "in")
    assert shown_path(str(tmp_path / "in" / "a.txt")) == "a.txt"
    assert shown_path(str(tmp_path / "a.txt")) == str(tmp_path / "a.txt")
    assert shown_path(str(tmp_path / "in" / "..b")) == "..b"


@given(st.floats(0, 1))
def test_only_nothing_is_0_percent_and_only_all_is_100(share):
    assert (percent(share) == "0 %") == (share == 0)
    assert (percent(share) == "100 %") == (share == 1)


@given(st.integers(0, 10**16))
def test_a_size_never_reads_as_a_thousand_of_a_unit(n_bytes):
    number, unit = size(n_bytes).split()
    assert float(number) < 1000 or unit == "TB"


def test_durations_are_rounded_once():
    assert duration(3599.7) == "1 h 0 min"


def test_a_passage_is_told_by_its_page_line_or_paragraph_where_the_format_has_them():
    text, source = f"\n\n{TEXT}\n\f", f"\n{SOURCE}"
    passage = replace(edited(), query=Span(12, 88), source=Span(15, 83))
    told = shown(report(match([passage], kind="docx"), kind="pdf"), text=text, source=source)
    assert "\n1.1  query page 1, line 3 | source paragraph 1, 91 % alike: sure\n" in told
    told = shown(report(match([passage], kind="eml"), kind="txt"), text=text, source=source)
    assert "\n1.1  query line 3 | source 15-83, 91 % alike: sure\n" in told


@pytest.mark.parametrize("columns", [40, 60])
def test_the_table_of_sources_fits_a_narrow_terminal(columns):
    path = "library/harbours/tides.txt"
    found = [match([edited()], id=number, path=path) for number in range(12)]
    text = shown(report(*found), width=columns, n_sources=12, n_passages=0)
    assert max(map(len, text.splitlines()[2:])) <= columns
    assert f"\n12   78 %  91 % alike  sure\n    {path}\n" in text


@pytest.mark.parametrize("columns", [40, 60, 80, 100])
@pytest.mark.parametrize("path", ["library/harbours/" + "tides" * 30 + ".txt", "図書館/" * 20 + "潮.txt"])
def test_no_table_of_sources_is_wider_than_the_terminal(path, columns):
    loose = replace(edited(), kind="reworded", certainty="worth a look")
    found = [match([loose, edited()], id=number, path=path) for number in range(12)]
    text = shown(report(*found), width=columns, n_sources=12, n_passages=0, on_terminal=True)
    assert max(map(cell_len, text.splitlines()[2:])) <= columns
    assert text.count(f"{path[-5:]}\n") == 12


def test_a_file_has_the_names_of_sources_whole():
    path = "library/harbours/" + "tides" * 30 + ".txt"
    assert f"  {path}\n" in shown(report(match([edited()], path=path)), width=80)


def screened(n_texts):
    made = Outcomes()
    for number in range(n_texts):
        found = match([edited()], path=f"library/harbours/north/tides-{number}.txt", n_chars=100 + number)
        made.count(replace(report(found, name=f"essays/{number}.txt"), coverage=(number + 1) / 100))
    return made


def test_the_texts_that_share_most_are_ranked_first():
    lines = outcomes_text(screened(23), View(width=80)).splitlines()
    assert lines[:2] == [
        "share  certainty  text           first source",
        " 23 %  sure       essays/22.txt  library/harbours/north/tides-22.txt",
    ]
    assert lines[20:] == [
        "  4 %  sure       essays/3.txt   library/harbours/north/tides-3.txt",
        "… and 3 more texts; --table FILE.csv --rows texts has all",
        "",
        "23 texts screened",
        "       23 share text with the collection",
    ]


@pytest.mark.parametrize("columns", [40, 60, 80])
def test_the_ranking_fits_the_terminal(columns):
    text = outcomes_text(screened(3), View(width=columns, on_terminal=True))
    assert max(map(cell_len, text.splitlines())) <= columns
    assert text.index("essays/2.txt") < text.index("tides-2.txt") < text.index("essays/1.txt")


def test_one_text_is_not_ranked():
    assert "first source" not in outcomes_text(screened(1), View(width=80))


def test_what_a_repair_leaves_is_told():
    report = CheckReport(5, 3, problems=["one", "two"], repaired=["every row"], remaining=["two"])
    *_, remains, total = check_lines(report, "c.pmbf")
    assert not report.ok
    assert remains == "remains:  two"
    assert total.startswith("5 documents and 3 files compared: 1 problem could not be repaired; put back a copy")
