"""The evidence page of sentences: a list for each source; words of others stay words, on the page and elsewhere."""

import csv
import io

import pytest

import pmbf
from pmbf import Collection
from pmbf.base.span import Span
from pmbf.cli.shown.canvas import View
from pmbf.cli.shown.sentences import sentences_text
from pmbf.cli.shown.table_files import csv_line
from pmbf.report import DocumentRef, Texts
from pmbf.sentences.forms import rows
from pmbf.sentences.report import Sentence, SentenceOrigin, SentenceReport, SentenceSource, SiteAnswer, StretchPair
from tests.sentences.texts import text as prose

HOSTILE = ["<script>document.title='x'</script>", "a\u202egnp.exe", "x" * 10_000, "\x1b]0;own\x07\x1b[2J\x00", "=1+1"]


def of_site(name: str) -> SentenceReport:
    """A report of one sentence that a site claims to have, under hostile names."""
    text = "The sea comes in twice a day and goes out twice a day."
    whole = Span(0, len(text))
    source = SentenceSource(
        DocumentRef(-1, f"{name}: document", (f"{name}: document",), 0), 1, (StretchPair(whole, Span(0, 0), 0.5),), 5,
        site=name, claimed=True,
    )  # fmt: skip
    sentence = Sentence(whole, "claimed", (SentenceOrigin(-1, Span(0, 0), 0.5),))
    answer = SiteAnswer(name, f"ask {name}", "title", 3, 1, 0, True, None)
    texts = Texts(text, lambda document: "")
    return SentenceReport(
        name, "", len(text), 12, (sentence,), (source,), 0, 0, 1, "words", sites=(answer,), texts=texts
    )


def test_the_page_lists_the_sentences_of_each_source(tmp_path):
    with Collection(tmp_path / "a.pmbf", create=True) as collection:
        collection.add(prose(1, 2, 3, 4), name="one")
        collection.add(prose(5, 6, 7), name="two")
        collection.build_sentences()
        report = collection.screen_sentences(f"{prose(1, 2, 3, 4)}\n\n{prose(5, 6, 7)}\n\n{prose(50, 51)}", name="q")
        page = pmbf.page(report)
    assert "Sentences of each source" in page and page.count('<details class="sentences">') == 2
    listed = page.split("Sentences of each source")[1].split("Lengths of passages")[0]
    assert listed.count("<li value=") == sum(len(one.origins) for one in report.sentences) == 7


def test_withheld_words_are_shown_as_such_with_whom_to_ask():
    page = pmbf.page(of_site("north"))
    assert "its words are withheld by the site; ask" in page and "ask north" in page
    assert "claimed by keys, no words compared" in page
    assert "north" not in pmbf.page(of_site("north"), hide_names=True)


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_names_and_cards_stay_text(name):
    report = of_site(name)
    page, shown = pmbf.page(report), sentences_text(report, report.texts.query, View(n_passages=3))
    assert "<script>document.title" not in page
    assert not {"\u202e", "\x1b", "\x00", "\x07"} & {*page, *shown}
    [row] = rows(report)
    line = csv_line(tuple(row.values())).decode()
    assert not {"\u202e", "\x1b", "\x00", "\x07"} & {*line}


@pytest.mark.parametrize("begin", ["=", "+", "-", "@", "\t", "\r", "\n", " =", "＝", "＋", "－", "＠"])
def test_a_name_of_a_site_is_no_formula_of_a_spreadsheet(begin):
    report = of_site(f'{begin}1+HYPERLINK("x")')
    [row] = rows(report)
    [cells] = csv.reader(io.StringIO(csv_line(tuple(row.values())).decode(), newline=""))
    named = [cell for cell in cells if "HYPERLINK" in cell]
    assert named and all(cell.startswith("'") for cell in named)
