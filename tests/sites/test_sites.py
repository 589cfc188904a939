"""Three houses, two of them sites in processes of their own: what each level shows, and that nothing is made up."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

import pmbf
from pmbf import Collection
from pmbf.base.errors import NotFoundError, UnsupportedError, WithheldError
from pmbf.sentences import SentenceReport
from pmbf.sites import auditlog
from tests.sentences.texts import sentence, text
from tests.sites.houses import House, houses

TEXTS = {
    "home": {"own": text(0, 1, 2, 3)},
    "north": {"/secret/folder/tides.txt": text(10, 11, 12, 13), "moon.txt": text(*range(100, 130))},
    "south": {"reef.txt": text(20, 21, 22), "tides.txt": text(10, 11, 12)},
}
QUERY = text(1, 2, 30, 11, 12, 31, 32, 21, 22, 33)


@pytest.fixture(scope="module")
def three(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, House]]:
    with houses(tmp_path_factory.mktemp("houses"), TEXTS, served=["north", "south"]) as made:
        yield made


def show(three: dict[str, House], level: str) -> House:
    for name in ("north", "south"):
        three[name].shows(level)
    return three["home"]


def test_sentences_of_sites_are_found_and_verified(three: dict[str, House]) -> None:
    report = show(three, "text").asks(QUERY, texts=True)
    assert [one.outcome for one in report.sentences] == [
        *("found", "found", "new", "found", "found", "new", "new", "found", "found", "new"),
    ]
    assert sorted(one.document.path for one in report.sources if one.site) == [
        *("north: tides.txt", "south: reef.txt", "south: tides.txt"),
    ]
    assert not report.problems and not any(one.claimed for one in report.sources)
    assert [(one.name, one.holds, one.level) for one in report.sites] == [
        *(("north", True, "text"), ("south", True, "text")),
    ]


def test_a_sentence_found_at_home_is_asked_of_nobody(three: dict[str, House]) -> None:
    report = show(three, "text").asks(text(0, 1, 2, 3), texts=True)
    assert [one.n_units for one in report.sites] == [0, 0] and report.n_found == 4
    asked = show(three, "text").asks(text(0, 1, 2, 3), texts=True, whole=True)
    assert [one.n_units for one in asked.sites] == [4, 4] and asked.sources == report.sources


def test_without_words_a_site_only_claims(three: dict[str, House]) -> None:
    report = show(three, "text").asks(QUERY)
    assert report.n_found == 2 and report.n_claimed == 4
    assert [one.outcome for one in report.sentences][3:5] == ["claimed", "claimed"]
    assert all(one.claimed == bool(one.site) for one in report.sources)
    assert all(one.n_shared == 0 for one in report.sites)
    assert "4 more claimed by sites" in report.summary
    assert "shared with sources, or claimed by sites" in pmbf.page(report)


def test_a_report_of_claims_is_read_back_and_one_of_another_schema_refused(three: dict[str, House]) -> None:
    report = show(three, "text").asks(QUERY)
    assert SentenceReport.from_json(report.to_json()) == report and report.schema == 2
    for schema, way_out in ((1, "make it anew"), (3, "upgrade pmbf")):
        with pytest.raises(UnsupportedError, match=f"the report has schema {schema}, this pmbf reads 2; {way_out}$"):
            SentenceReport.from_json(json.dumps(report.to_dict() | {"schema": schema}))


@pytest.mark.parametrize("texts", [False, True])
def test_none_tells_whether_there_is_anything(three: dict[str, House], texts: bool) -> None:
    home = show(three, "none")
    report = home.asks(QUERY, texts=texts)
    assert [one.holds for one in report.sites] == [True, True]
    assert not [one for one in report.sources if one.site] and report.n_found == 2 and report.n_claimed == 0
    assert [one.holds for one in home.asks(text(40, 41, 42), texts=texts).sites] == [False, False]


@pytest.mark.parametrize("texts", [False, True])
def test_count_tells_no_name(three: dict[str, House], texts: bool) -> None:
    report = show(three, "count").asks(QUERY, texts=texts)
    told = [one for one in report.sources if one.site]
    assert sorted(one.document.path for one in told) == [
        *("north: document 1", "south: document 2", "south: document 3"),
    ]
    assert all(pair.source.start == pair.source.stop for one in told for pair in one.pairs)
    assert "tides" not in report.to_json() and "reef" not in report.to_json()


def test_a_title_is_a_name_without_its_folder(three: dict[str, House]) -> None:
    for texts in (False, True):
        report = show(three, "title").asks(QUERY, texts=texts)
        assert "north: tides.txt" in {one.document.path for one in report.sources}
        assert "secret" not in report.to_json()


def test_withheld_words_are_an_error_that_says_whom_to_ask(three: dict[str, House]) -> None:
    report = show(three, "title").asks(QUERY, texts=True)
    assert report.texts is not None
    with pytest.raises(WithheldError, match="withheld by north; ask library@north"):
        report.texts.source(-1)


def test_an_excerpt_is_the_beginning_of_a_stretch(three: dict[str, House]) -> None:
    report = show(three, "excerpt").asks(QUERY, texts=True)
    source = next(one for one in report.sources if one.document.path == "north: tides.txt")
    assert report.texts is not None
    words, span = report.texts.source(source.document.id), source.pairs[0].source
    assert words[span.start : span.stop] == words and 0 < len(words) <= 300
    assert words in text(10, 11, 12, 13)


def test_a_closed_site_says_so(three: dict[str, House]) -> None:
    report = show(three, "closed").asks(QUERY)
    assert report.problems == tuple(f"{name}: it refuses (403): this site does not answer you" for name in
                                    ("north", "south"))  # fmt: skip


def test_a_partner_may_have_a_level_of_its_own(three: dict[str, House]) -> None:
    show(three, "none")
    three["south"].shows("none", level="title")
    try:
        assert [one.level for one in three["home"].asks(QUERY).sites] == ["none", "title"]
    finally:
        three["south"].shows("none", level=None)


def test_a_loaded_document_counts_from_the_next_task_on(three: dict[str, House]) -> None:
    home = show(three, "text")
    assert home.asks(text(50, 51, 52), "north", texts=True).n_found == 0
    with Collection(three["north"].collection) as collection:
        collection.add(text(50, 51, 52), name="new")
    assert home.asks(text(50, 51, 52), "north", texts=True).n_found == 3
    with Collection(three["north"].collection) as collection:
        collection.remove("new")
    assert home.asks(text(50, 51, 52), "north", texts=True).n_found == 0


def test_both_logs_tell_of_a_task_and_hold_no_word(three: dict[str, House]) -> None:
    show(three, "text").asks(QUERY, texts=True)
    ours = [one for one in auditlog.lines(three["home"].registry.log_file) if one["partner"] == "north"]
    theirs = [*auditlog.lines(three["north"].registry.log_file)]
    assert [one["event"] for one in theirs[-2:]] == [one["event"] for one in ours[-2:]] == ["fingerprints", "words"]
    assert [one["task"] for one in theirs[-2:]] == [one["task"] for one in ours[-2:]]
    for name in ("home", "north"):
        log = three[name].registry.log_file.read_text()
        assert not any(word in log for word in sentence(11).lower().split() if len(word) > 4)
        assert "tides" not in log


def test_pages_and_json_name_the_sites(three: dict[str, House]) -> None:
    report = show(three, "text").asks(QUERY, texts=True)
    values = json.loads(report.to_json())
    assert {one["site"] for one in values["sources"]} == {"", "north", "south"}
    assert [one["name"] for one in values["sites"]] == ["north", "south"]
    assert "north: tides.txt" in pmbf.page(report)


def test_a_page_says_what_is_withheld_and_whom_to_ask(three: dict[str, House]) -> None:
    told = "The text of this source is withheld by north; ask library@north.example."
    home = show(three, "title")
    for texts, kind in ((True, "alike, says a site"), (False, "claimed by a site")):
        report = home.asks(QUERY, texts=texts)
        page = pmbf.page(report)
        assert page.count(told) == 2, "on the card, and for the pane beside the text"
        assert f"{kind} · " in page and "north has sentences of this text" in page
        hidden = pmbf.page(report, hide_names=True)
        assert "north" not in hidden and "withheld by the site that has it" in hidden
    assert "The text of this source" not in pmbf.page(show(three, "text").asks(QUERY, texts=True))


def test_a_page_shows_excerpts_and_withholds_the_rest(three: dict[str, House]) -> None:
    query = "\n\n".join(text(70 + number, 100 + 4 * number, 101 + 4 * number, 80 + number) for number in range(7))
    report = show(three, "excerpt").asks(query, "north", texts=True)
    (source,) = [one for one in report.sources if one.site]
    shown = [pair for pair in source.pairs if pair.source]
    assert 0 < len(shown) <= 5 < len(source.pairs)
    page = pmbf.page(report)
    assert page.count("withheld by the site") >= len(source.pairs) - len(shown)
    assert text(100)[:20] in page


def test_an_unknown_site_is_an_error(three: dict[str, House], tmp_path: Path) -> None:
    with pytest.raises(NotFoundError, match="knows no site 'west'"):
        three["home"].registry.named("north,west")
