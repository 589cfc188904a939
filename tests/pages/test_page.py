"""The evidence page as a file: what it holds, what it hides, and that no text or name breaks out of it."""

from __future__ import annotations

import base64
import gzip
import hashlib
import html
import json
import re
import subprocess
import sys
import textwrap
import zlib
from dataclasses import replace
from html.parser import HTMLParser

import pytest
from conftest import ROOT, words
from hypothesis import given
from hypothesis import strategies as st

import pmbf
from pmbf import Collection, ParameterError, Report
from pmbf.base.span import Span
from pmbf.pages.cutting import SpanLayer, joined, sections
from pmbf.pages.markup import prose
from pmbf.pages.shell import asset, page
from pmbf.report import Query

from .conftest import HOSTILE


class Parsed(HTMLParser):
    """The elements of a page, and the text of its marks."""

    def __init__(self, source):
        super().__init__(convert_charrefs=True)
        self.tags, self.attributes, self.marks, self._depth = [], [], [], 0
        self.feed(source)

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += attrs
        if tag == "mark":
            self.marks.append("")
            self._depth += 1

    def handle_endtag(self, tag):
        self._depth -= tag == "mark"

    def handle_data(self, data):
        if self._depth:
            self.marks[-1] += data


def values(source, name="evidence"):
    return json.loads(re.search(rf'<script type="application/json" id="{name}">(.*?)</script>', source)[1])


def packed(source):
    content = re.search(r'<script type="application/octet-stream" id="sources">(.*?)</script>', source)[1]
    return json.loads(gzip.decompress(base64.b64decode(content)))


def text_of(source):
    return source[source.index('id="text"') : source.index('id="map"')]


def test_the_policy_names_every_style_and_script_by_its_sum(screened):
    source = pmbf.page(screened)
    policy = html.unescape(re.search(r'Content-Security-Policy" content="([^"]*)"', source)[1])
    assert policy.startswith("default-src 'none'; ")
    for tag in ("style", "script"):
        for content in re.findall(rf"<{tag}>(.*?)</{tag}>", source, re.S):
            assert f"'sha256-{base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()}'" in policy
    parsed = Parsed(source)
    assert not {"link", "img", "iframe", "object"} & set(parsed.tags)
    assert not [name for name, _ in parsed.attributes if name in ("style", "src") or name.startswith("on")]
    assert not re.search(r"https?://(?!www\.w3\.org/)", source)


def test_the_pieces_count_as_the_report_counts(screened):
    given = values(pmbf.page(screened))
    assert screened.query.n_counted == given["n"][0] > given["n"][1] > given["n"][3]
    assert screened.n_covered == sum(n for n, flags, *_ in given["pieces"] if not flags & 4)
    for rank, match in enumerate(screened.matches, 1):
        own = {number for number, (its, *_) in enumerate(given["passages"], 1) if its == rank}
        assert match.n_covered == sum(n for n, flags, held, _ in given["pieces"] if own & set(held) and not flags & 4)


def test_characters_of_any_plane_are_cut_where_the_report_says(collection):
    han = "".join(chr(0x20000 + 7 * i) for i in range(120))
    sea = "the sea 🌊 comes in twice a day 🐟 and goes out twice a day, and nobody on this coast has asked it why"
    collection.add_many([("han", "前" + han), ("sea", sea)])
    query = "🌍🌎🌏 " + sea + " 🌍 " + han + " 🌏"
    report = collection.screen(query)
    marks = Parsed(text_of(pmbf.page(report))).marks
    spans = sorted({passage.query for match in report.matches for passage in match.passages}, key=lambda one: one.start)
    assert ["".join(query[span.start : span.stop] for span in spans)] == ["".join(marks)]
    sources = packed(pmbf.page(report))
    for rank, match in enumerate(report.matches, 1):
        shown = [piece for section in sources[str(rank)] for _, pieces in section[1] for piece in pieces]
        source = report.texts.source(match.document.id)
        expected = "".join(source[one.source.start : one.source.stop] for one in match.passages)
        assert expected == "".join(piece[0] for piece in shown if not isinstance(piece, str))


def test_hostile_texts_and_names_stay_text(collection):
    shared = words(5, 80)
    collection.add(HOSTILE + " " + shared + HOSTILE, name=HOSTILE)
    report = collection.screen(f"{HOSTILE}\n\n{shared} {HOSTILE}", name="a/" + HOSTILE)
    source = pmbf.page(report, sources="whole")
    parsed = Parsed(source)
    assert 4 == parsed.tags.count("script")  # two that run, two of values
    assert "img" not in parsed.tags
    assert not re.search("[\0-\x08\x0b\x0c\x0e-\x1f\u202a-\u202e\u2066-\u2069]", source)
    assert "U+202E RIGHT-TO-LEFT OVERRIDE" in source
    assert "\u202e" not in json.dumps(packed(source), ensure_ascii=False)


@given(st.text(alphabet=st.characters(codec=None), max_size=200))
def test_prose_of_any_characters_is_html_without_elements_of_its_own(text):
    shown = prose(text)
    assert set(Parsed(shown).tags) <= {"b"}
    shown.encode()


@given(st.text(alphabet="ab \n\r\f\t", max_size=300), st.lists(st.tuples(st.integers(0, 300), st.integers(0, 80))))
def test_pieces_put_together_are_the_text_and_lie_in_their_layers(text, chosen):
    layers = [SpanLayer(Span(start, start + length), "passage", i) for i, (start, length) in enumerate(chosen)]
    pieces = [one for some in sections(text, Span(0, len(text)), layers) for part in some for one in part.pieces]
    assert text == "".join(text[one.span.start : one.span.stop] for one in pieces)
    for piece in pieces:
        for place in range(piece.span.start, piece.span.stop):
            assert {layer for layer in layers if layer.span.start <= place < layer.span.stop} == set(piece.layers)


def test_hidden_names_are_not_in_the_file(tmp_path):
    with Collection(tmp_path / "secretfolder.pmbf", create=True) as collection:
        collection.add(words(1), name="/archive/secretsource.txt")
        (tmp_path / "secretquery.txt").write_text(words(1), encoding="utf-8")
        report = collection.screen(tmp_path / "secretquery.txt")
    assert "secretsource" in pmbf.page(report)
    shown = pmbf.page(report, hide_names=True)
    assert "secret" not in shown
    assert "Source 1" in shown


def test_a_report_from_json_says_what_to_give(screened):
    read = Report.from_json(screened.to_json())
    with pytest.raises(ParameterError, match="give text=, the text as it was screened, and source_text="):
        pmbf.page(read)
    with pytest.raises(ParameterError, match="the text has 5 characters, but the report is about a text of"):
        pmbf.page(read, "short", screened.texts.source)
    assert pmbf.page(screened) == pmbf.page(read, screened.texts.query, screened.texts.source)
    with pytest.raises(ParameterError, match="sources is 'all', expected 'passages' or 'whole'"):
        pmbf.page(screened, sources="all")


def test_a_source_that_is_gone_is_shown_without_its_text(tmp_path):
    with Collection(tmp_path / "c.pmbf", create=True) as collection:
        collection.add(words(1), name="gone")
        report = collection.screen(words(1))
        collection.remove("gone")
    source = pmbf.page(report)
    assert "The text of this source could not be read any more." in source
    assert {} == packed(source)


def test_whole_sources_hold_all_of_their_text_and_passages_only_some(screened):
    def shown(source):
        return "".join(
            piece if isinstance(piece, str) else piece[0]
            for section in packed(source)["1"]
            for _, pieces in section[1]
            for piece in pieces
        )

    text = screened.texts.source(screened.matches[0].document.id)
    assert "".join(text.split()) == "".join(shown(pmbf.page(screened, sources="whole")).split())
    assert len(shown(pmbf.page(screened))) < len(text)


def test_signs_of_manipulation_lead_to_their_places(collection):
    report = collection.screen("The p\u0430yment was r\u200beceived in a small caf\u00e9 by the sea.")
    source = pmbf.page(report)
    assert (1, 1) == (report.query.n_mixed_tokens, report.query.n_invisible)
    assert re.search(r'data-kind="mixed"><a href="#g1">.*data-kind="invisible"><a href="#g2">', source, re.S)
    assert "Latin and Cyrillic letters: U+0430 CYRILLIC SMALL LETTER A" in source
    assert 'id="g2" title="U+200B ZERO WIDTH SPACE"' in source


def test_a_card_says_where_its_passage_begins_in_both_texts(collection):
    collection.add("One line.\n\n" + words(1), name="a")
    source = pmbf.page(collection.screen("Line 1.\nLine 2.\n\nLine 4.\n" + words(1)))
    assert "text: line 5 · source: line 3" in source


def test_the_share_is_never_called_plagiarism(screened):
    assert "shared with sources" in pmbf.page(screened)
    assert "plagiar" not in pmbf.page(screened).lower()


def test_a_report_without_passages_has_a_page(collection):
    for text in ("", "One short line.", words(3)):
        assert "No source shares text." in pmbf.page(collection.screen(text))


def test_a_notebook_shows_the_page_in_a_sandbox_or_a_table_if_it_is_large(screened, monkeypatch):
    shown = screened._repr_html_()
    assert shown.startswith('<iframe sandbox="allow-scripts')
    assert html.escape(pmbf.page(screened)) in shown
    monkeypatch.setattr("pmbf.pages.notebook.MOST_CHARS", 1000)
    assert "<table>" in screened._repr_html_()
    assert "third &lt;b&gt;.txt" in screened._repr_html_()
    read = Report.from_json(screened.to_json())
    assert read._repr_html_() == screened._repr_html_()


def test_a_page_does_not_depend_on_when_it_is_made(screened):
    assert pmbf.page(screened) == pmbf.page(screened)


def test_a_page_of_nothing_is_whole():
    made = pmbf.page(Report(Query("", 0, 0, 0), (), 0, 0.0, 0, 0, 1), "", str)
    assert made.endswith("</html>\n")
    assert page("a < b", "<p>").count("a &lt; b") == 1


def test_the_assets_are_package_data_and_are_small(tmp_path):
    done = subprocess.run(
        [sys.executable, "setup.py", "-q", "build_py", "--build-lib", tmp_path],
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    assert 0 == done.returncode, done.stderr[-2000:]
    room = tmp_path / "pmbf" / "pages"
    names = {path.name for path in (room / "assets").iterdir()}
    assert {path.name for path in (ROOT / "pmbf" / "pages" / "assets").iterdir()} == names
    assert all(asset(name) for name in names)
    assert sum(len(zlib.compress(path.read_bytes())) for path in room.rglob("*.*")) < 100_000


def labelled_page(collection, **how):
    shared = words(31, 60)
    for name, labels in (("a.txt", {"author": "<Ann>", "group": "x" * 60}), ("b.txt", {"author": "Bob"})):
        collection.add(shared, name=name, labels=labels)
    return pmbf.page(collection.screen(f"{shared} {words(32)}", name="essay.txt"), **how)


def test_labels_stand_beside_the_names_of_sources_and_of_their_copies(collection):
    page = labelled_page(collection)
    labels = f"author=&lt;Ann&gt;, group={'x' * 39}…"
    name = f'a.txt (+1 path)</bdi> <bdi class="name labels" data-as="">{labels}</bdi>'
    assert 2 == page.count(name)  # in the list of sources, and on the card
    assert 1 == page.count('data-as="another name">b.txt</bdi> <bdi class="name labels" data-as="">author=Bob</bdi>')


def test_hidden_names_hide_labels_and_copies(collection):
    page = labelled_page(collection, hide_names=True)
    assert not any(told in page for told in ("Ann", "Bob", "b.txt", "author"))


PARAGRAPH = """A paragraph of a page that was set in one column of some fifty
characters a line, which a reader sees as running text; it ends
in the middle of a line.
3.1 A title
The next paragraph begins on a line of its own and is as long as
the one before it, with a word that is broken by a hy-
phen at the end."""


def test_full_lines_of_a_pdf_are_joined_for_the_eye_alone():
    told = joined(PARAGRAPH, "pdf")
    assert len(told) == len(PARAGRAPH) and told.split() == PARAGRAPH.split()
    assert [line[:11] for line in told.split("\n")] == ["A paragraph", "3.1 A title", "The next pa"]
    assert joined(PARAGRAPH, "txt") == joined(PARAGRAPH, "") == PARAGRAPH
    assert joined("a\nb\n\fc\nd", "pdf") == "a\nb\n\fc\nd"


@given(st.text(alphabet="ab \n\r\f-", max_size=400))
def test_joined_lines_move_no_character(text):
    told = joined(text, "pdf")
    assert len(told) == len(text) and [one.split() for one in told.split("\f")] == [
        one.split() for one in text.split("\f")
    ]


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_a_mark_over_joined_lines_holds_its_passage(collection, end):
    shared = end.join(textwrap.wrap(words(5, 120), 72))
    collection.add(f"{words(1, 60)}\n{shared}\n{words(2, 60)}", name="a")
    text = f"{words(3, 60)}\n{shared}\n{words(4, 60)}"
    report = collection.screen(text)
    pdf = replace(report, query=replace(report.query, kind="pdf"), texts=None)
    source = pmbf.page(pdf, text, report.texts.source)
    span = report.matches[0].passages[0].query
    assert "".join(Parsed(text_of(source)).marks) == joined(text, "pdf")[span.start : span.stop].replace("\r", "")
    assert "\n" not in "".join(Parsed(text_of(source)).marks)[80:-80]
    assert values(source)["pieces"] == values(pmbf.page(report))["pieces"]
