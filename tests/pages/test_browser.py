"""The evidence page in a browser: what is switched, tied, walked through, printed; and that it asks for nothing."""

from __future__ import annotations

import re

import pytest
from conftest import words

import pmbf
from pmbf import Collection
from pmbf.pages import OverviewRow, overview_page

from .conftest import HOSTILE, prose
from .test_page import packed, values

pytestmark = pytest.mark.browser

SHARE = "document.getElementById('share').textContent"
TOPS = (
    """() => ["#text", "#source"].map((pane) => document.querySelector(pane + " mark.now").getClientRects()[0].top)"""
)


def percent(share):
    return f"{100 * share:.1f} %"


def settle(page):
    """Wait until the panes stand still: two frames after the last scroll, some times."""
    page.evaluate("""async () => {
        const frame = () => new Promise((done) => requestAnimationFrame(done));
        for (let i = 0; i < 12; i++) await frame();
    }""")


def begin(page, *keys):
    for key in keys:
        page.keyboard.press(key)
        settle(page)
    page.wait_for_selector("#source mark.now")
    settle(page)


def axe(page, *rules):
    """Return the rules of axe that the page breaks: of all, or of some."""
    from axe_playwright_python.sync_playwright import Axe

    options = {"runOnly": {"type": "rule", "values": rules}} if rules else None
    found = Axe().run(page, options=options).response["violations"]
    return [(one["id"], [node["html"][:120] for node in one["nodes"][:3]]) for one in found]


def test_a_source_switched_off_takes_its_share_away_at_once_and_the_full_figure_stays(shown, screened):
    page = shown(pmbf.page(screened))
    assert percent(screened.coverage) == page.evaluate(SHARE)
    page.uncheck("[data-source='1']")
    rest = {
        place
        for match in screened.matches[1:]
        for passage in match.passages
        for place in range(passage.query.start, passage.query.stop)
    }
    assert percent(len(rest) / screened.query.n_chars) == page.evaluate(SHARE)
    told = page.inner_text("#full")
    assert told == f"{percent(screened.coverage)} with everything counted. Not counted: source 1."
    page.check("[data-source='1']")
    assert percent(screened.coverage) == page.evaluate(SHARE)
    assert page.inner_text("#full") == "everything is counted"
    assert any("·" in numbers for numbers in page.locator("#text .b").all_text_contents())
    page.click("#none")
    assert page.evaluate(SHARE) == "0 %"
    assert page.locator("#text mark:not(.off)").count() == 0
    page.click("#all")
    assert percent(screened.coverage) == page.evaluate(SHARE)


def test_quotations_switched_off_give_the_share_of_a_screening_without_them(shown, tmp_path):
    source = prose(41, 900)
    quoted, cut = " ".join(source.split()[:60]), " ".join(source.split()[100:200])
    with Collection(tmp_path / "c.pmbf", create=True) as collection:
        collection.add(source, name="a")
        text = f"{prose(42)}\n\n“{quoted}”\n\n{prose(43)} {cut} {prose(44)} ‘{' '.join(source.split()[300:330])}’"
        report = collection.screen(text)
        without = collection.screen(text, exclude_quotations=True)
    assert 0 < without.coverage < report.coverage
    page = shown(pmbf.page(report))
    page.uncheck("[data-filter='quotation']")
    assert percent(without.coverage) == page.evaluate(SHARE)
    left_out = shown(pmbf.page(without))
    assert percent(without.coverage) == left_out.evaluate(SHARE)
    left_out.uncheck("[data-source='1']")
    left_out.check("[data-source='1']")
    left_out.evaluate("document.getElementById('length').value = 5")
    left_out.dispatch_event("#length", "input")
    assert percent(without.coverage) == left_out.evaluate(SHARE)


def test_kinds_certainties_and_lengths_are_switches(shown, screened):
    page = shown(pmbf.page(screened))
    for switch in page.locator("[data-filter]").all():
        switch.uncheck()
    assert page.evaluate(SHARE) == "0 %"
    for switch in page.locator("[data-filter]").all():
        switch.check()
    passages = [passage for match in screened.matches for passage in match.passages]
    least = sorted(len(passage.query) for passage in passages)[-1] // 5 * 5
    page.evaluate(f"document.getElementById('length').value = {least}")
    page.dispatch_event("#length", "input")
    kept = {place for one in passages if len(one.query) >= least for place in range(one.query.start, one.query.stop)}
    assert percent(len(kept) / screened.query.n_chars) == page.evaluate(SHARE)


@pytest.mark.parametrize("sources", ["passages", "whole"])
def test_the_panes_stay_tied_while_the_wheel_turns(shown, screened, sources):
    page = shown(pmbf.page(screened, sources=sources))
    begin(page, "s")
    n_passages = int(page.inner_text("#where").split()[-1])
    assert n_passages >= 2
    for i in range(n_passages):
        ours, theirs = page.evaluate(TOPS)
        assert abs(ours - theirs) <= 4
        for pane, by in (("#text", 40), ("#source", 40), ("#source", -60)):
            page.hover(pane, position={"x": 60, "y": 500})
            page.mouse.wheel(0, by)
            page.wait_for_timeout(120)
            settle(page)
            ours, theirs = page.evaluate(TOPS)
            assert abs(ours - theirs) <= 4, (i, pane, by)
        begin(page, "j")


def test_every_passage_of_a_source_is_aligned_when_the_wheel_has_brought_it_to_the_line(shown, screened):
    """Two of the passages stand in another order in the source."""
    html = pmbf.page(screened, sources="whole")
    page = shown(html)
    begin(page, "s")
    marks = [
        piece[1] for one in packed(html)["1"] for _, part in one[1] for piece in part if not isinstance(piece, str)
    ]
    own = [number for number, (rank, *_) in enumerate(values(html)["passages"], 1) if rank == 1]
    pairs = [[number, next(i for i, held in enumerate(marks) if number in held)] for number in own]
    assert len(pairs) >= 3
    page.hover("#text", position={"x": 60, "y": 400})
    met = set()
    for _ in range(70):
        for number, ours, theirs in page.evaluate(
            """(pairs) => { const marks = document.querySelectorAll("#source mark");
                const top = (one) => one.getClientRects()[0].top;
                return pairs.map(([number, i]) => [number, top(document.getElementById("m" + number)
                    .parentElement.querySelector(`#m${number} ~ mark`)), top(marks[i])]); }""",
            pairs,
        ):
            if 275 < ours < 400:  # the line is at 338 px: 30 % of the panes
                met.add(number)
                assert abs(ours - theirs) <= 4, (number, ours, theirs)
        page.mouse.wheel(0, 110)
        page.wait_for_timeout(30)
        settle(page)
    assert set(own) == met


def test_untied_panes_stand_alone_and_tie_again_from_where_both_are(shown, screened):
    page = shown(pmbf.page(screened))
    begin(page, "s", "t")
    before = page.evaluate(TOPS)
    page.hover("#source", position={"x": 60, "y": 500})
    page.mouse.wheel(0, 50)
    page.wait_for_timeout(150)
    moved = page.evaluate(TOPS)
    assert moved[0] == before[0]
    assert abs(moved[1] - (before[1] - 50)) <= 2
    page.keyboard.press("t")
    page.hover("#text", position={"x": 60, "y": 500})
    page.mouse.wheel(0, 30)
    page.wait_for_timeout(150)
    settle(page)
    again = page.evaluate(TOPS)
    assert abs((again[0] - again[1]) - (moved[0] - moved[1])) <= 4
    assert abs(again[0] - (moved[0] - 30)) <= 2


def test_of_many_sources_of_one_passage_a_badge_has_three_numbers_and_how_many_more(shown, collection):
    shared = words(9, 60)
    collection.add_many((f"source {i}", f"{prose(50 + i)} {shared}") for i in range(6))
    page = shown(pmbf.page(collection.screen(f"{prose(40)} {shared}")))
    assert ["1·2·3 +3"] == page.locator("#text .b").all_text_contents()
    page.uncheck("[data-source='2']")
    page.uncheck("[data-source='6']")
    assert ["1·3·4·5"] == page.locator("#text .b").all_text_contents()


def test_words_that_differ_are_told_by_shape(shown, screened):
    page = shown(pmbf.page(screened))
    begin(page, "s")
    assert "thoroughly" in page.locator("#text mark.ins").all_inner_texts()
    assert "replaced" in page.locator("#text mark.rep").all_inner_texts()
    assert page.locator("#source mark.del").count() >= 1
    for role, line in (("ins", "underline"), ("rep", "wavy")):
        drawn = page.evaluate(f"getComputedStyle(document.querySelector('#text mark.{role}')).textDecoration")
        assert line in drawn
    assert "line-through" in page.evaluate(
        "getComputedStyle(document.querySelector('#source mark.del')).textDecoration"
    )


def test_the_keyboard_alone_reaches_everything(shown, screened):
    page = shown(pmbf.page(screened))
    assert page.inner_text("#where").startswith("1 of ")
    page.keyboard.press("j")
    assert page.inner_text("#where").startswith("2 of ")
    page.keyboard.press("k")
    assert page.inner_text("#where").startswith("1 of ")
    seen = set()
    for _ in range(80):
        page.keyboard.press("Tab")
        at = page.evaluate("""() => { const one = document.activeElement;
            const style = getComputedStyle(one);
            if (one === document.body) return ["", "end"];
            return [one.id || one.dataset.source || one.dataset.filter || one.className, style.outlineStyle]; }""")
        seen.add(at[0])
        if at[0] != "skip":
            assert at[1] != "none", at
    wanted = {"one", "two", "previous", "next", "names", "theme", "print", "text", "length", "1", "2", "3", "cards"}
    assert wanted <= seen
    page.focus("[data-source='2']")
    page.keyboard.press("Space")
    assert "source 2" in page.inner_text("#full")
    page.focus("#two")
    page.keyboard.press("Enter")
    page.wait_for_selector("#source mark")
    assert "p=" in page.evaluate("location.hash")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing(shown, screened, scheme):
    page = shown(pmbf.page(screened), color_scheme=scheme, bypass_csp=True)
    assert axe(page) == []
    page.uncheck("[data-source='2']")
    begin(page, "s")
    assert axe(page) == []
    other = shown(overview_page([OverviewRow("a", 0.4, 2, "sure", "a.html")]), color_scheme=scheme, bypass_csp=True)
    assert axe(other) == []
    page.click("#theme")
    assert axe(page) == []


def test_the_theme_follows_the_system_until_the_button_is_pressed(shown, screened):
    page = shown(pmbf.page(screened), color_scheme="dark")
    paper = "getComputedStyle(document.body).backgroundColor"
    dark = page.evaluate(paper)
    assert page.inner_text("#theme") == "Light"
    page.click("#theme")
    assert page.evaluate(paper) != dark
    page.emulate_media(color_scheme="light")
    page.click("#theme")
    assert page.evaluate(paper) == dark


def test_a_click_on_the_map_jumps_to_the_place(shown, screened):
    page = shown(pmbf.page(screened))
    box = page.locator("#map").bounding_box()
    page.mouse.click(box["x"] + 7, box["y"] + 0.97 * box["height"])
    settle(page)
    assert page.evaluate("document.querySelector('#text').scrollTop") > 0
    page.locator("#map a rect").last.click(force=True)
    settle(page)
    last = page.locator("#text mark.now").first.bounding_box()
    assert 0 < last["y"] < 900


def test_the_state_of_the_filters_is_in_the_address(shown, screened):
    html = pmbf.page(screened)
    page = shown(html)
    page.uncheck("[data-source='2']")
    page.keyboard.press("j")
    settle(page)
    fragment, share = page.evaluate("location.hash"), page.evaluate(SHARE)
    again = shown(html, fragment=fragment)
    assert share == again.evaluate(SHARE)
    assert not again.is_checked("[data-source='2']")
    assert page.inner_text("#where") == again.inner_text("#where")
    for odd in ("#p1", "#off=99.x&not=<b>&least=1e9&p=9999", "#%ff", "#view=pair&p=2"):
        shown(html, fragment=odd)


def test_names_are_hidden_and_shown_again(shown, screened):
    page = shown(pmbf.page(screened))
    assert "first.txt" in page.inner_text("main")
    page.click("#names")
    assert "first.txt" not in page.inner_text("body")
    assert "essay" not in page.inner_text("body") + page.title()
    page.click("#names")
    assert "first.txt" in page.inner_text("main")


def test_hostile_texts_and_names_run_nothing(shown, tmp_path):
    shared = words(5, 80)
    with Collection(tmp_path / "c.pmbf", create=True) as collection:
        collection.add(HOSTILE + " " + shared + HOSTILE, name=HOSTILE)
        report = collection.screen(f"{HOSTILE}\n\n{shared} {HOSTILE}", name="a/" + HOSTILE)
    page = shown(pmbf.page(report, sources="whole"))
    begin(page, "s")
    assert page.locator("img").count() == 0
    assert "broken" != page.title()
    assert "<img src=" in page.inner_text("#source")


def test_without_script_everything_can_be_read(shown, screened):
    page = shown(pmbf.page(screened), java_script_enabled=False)
    assert percent(screened.coverage) in page.inner_text("body")
    assert page.locator("#text mark").count() > 5
    n_passages = sum(len(match.passages) for match in screened.matches)
    assert n_passages == page.locator(".card:visible").count()
    assert page.locator("button:visible").count() == 0
    for match in screened.matches:
        assert match.document.path.rsplit("/", 1)[1] in page.inner_text("body")


def test_on_paper_stand_the_share_the_sources_and_the_whole_text(shown, screened):
    page = shown(pmbf.page(screened))
    page.uncheck("[data-source='1']")
    left = page.evaluate(SHARE)
    page.emulate_media(media="print")
    body = page.inner_text("body")
    assert left in body
    assert f"{percent(screened.coverage)} with everything counted. Not counted: source 1." in body
    assert screened.texts.query[-40:-20].strip() in re.sub(r"\s+", " ", body)
    assert page.locator("button:visible").count() == 0
    n_passages = sum(len(match.passages) for match in screened.matches)
    assert n_passages == page.locator(".card:visible").count()
    pdf = page.pdf(format="A4")
    assert len(re.findall(rb"/Type\s*/Page\b", pdf)) >= 3


@pytest.mark.parametrize("keys", [("j",), ("j", "s")])
def test_nothing_is_wider_than_a_narrow_screen(shown, screened, keys):
    page = shown(pmbf.page(screened), width=320, height=640)
    assert page.evaluate("document.documentElement.scrollWidth") <= 320
    for key in keys:
        page.keyboard.press(key)
        settle(page)
    assert page.evaluate("document.documentElement.scrollWidth") <= 320
    assert page.locator("#text mark.now").first.bounding_box()["y"] < 640


@pytest.mark.parametrize("width", [390, 1024, 1280])
def test_nothing_is_cut_off_beside_a_source_with_a_long_name(shown, tmp_path, width):
    """Of one word, and of many: a browser breaks neither inside a list of choices."""
    long_names = ["x" * 120, "A thesis of many words " * 5 + "ab.pdf"]
    shared = [words(seed, 60) for seed in (61, 62)]
    with Collection(tmp_path / "c.pmbf", create=True) as collection:
        collection.add_many(
            (name, f"{prose(5)} {text} {prose(6)}") for name, text in zip(long_names, shared, strict=True)
        )
        report = collection.screen(f"{prose(7)} {shared[0]} {prose(8)} {shared[1]}", name="y" * 120)
    page = shown(pmbf.page(report), width=width, height=844)
    for _ in report.matches:
        begin(page, "j", "s")
        wide = page.evaluate("""() => [...document.querySelectorAll("body *")].filter((one) => one.checkVisibility() &&
            one.getBoundingClientRect().right > innerWidth + 0.5 && getComputedStyle(one).position !== "absolute" &&
            !one.closest("svg, select")).map((one) => one.outerHTML.slice(0, 80))""")
        assert wide == []
        assert page.locator("#tie").bounding_box()["x"] > 0


def test_the_first_passage_is_open_when_the_page_opens(shown, screened):
    page = shown(pmbf.page(screened))
    settle(page)
    assert page.inner_text("#where").startswith("1 of ") and page.evaluate("location.hash") == ""
    assert page.locator(".card:visible").get_attribute("data-p") == "1"
    assert 0 < page.locator("#text mark.now").first.bounding_box()["y"] < 900
    assert page.locator("#sources-list li").first.bounding_box()["y"] < page.locator(".filters").bounding_box()["y"]
    narrow = shown(pmbf.page(screened), width=390, height=844)
    assert narrow.locator(".card:visible").count() == 0 and narrow.evaluate("scrollY") == 0


def test_buttons_go_from_one_look_alike_word_to_the_next(shown, collection):
    text = " ".join(f"{words(seed, 6)} p\u0430yment" for seed in range(150)) + " r\u200beceived"
    page = shown(pmbf.page(collection.screen(text)))
    pager = page.locator(".places").first
    assert pager.inner_text().split() == ["◀", "–", "of", "150", "▶"]
    before, after = pager.locator("button").all()
    for button, told, number in ((after, "1 of 150", 1), (after, "2 of 150", 2), (before, "1 of 150", 1)):
        button.click()
        assert pager.locator("[role=status]").inner_text() == told
        assert 0 < page.locator(f"#g{number}").bounding_box()["y"] < 900
    before.click()
    assert pager.locator("[role=status]").inner_text() == "150 of 150"
    plain = shown(pmbf.page(collection.screen(text)), java_script_enabled=False)
    assert plain.locator(".places >> visible=true").all_inner_texts()[:1] == ["the first place"]


def test_right_to_left_paragraphs_begin_at_the_right(shown, collection):
    shared = "الهم البحر يأتي مرتين كل يوم ويذهب مرتين كل يوم ولم يسأله أحد على هذا الساحل عن السبب قط في حياته"
    collection.add(shared, name="a")
    page = shown(pmbf.page(collection.screen("An English line.\n\n" + shared)))
    begin(page, "s")
    for pane in ("#text", "#source"):
        assert "rtl" == page.evaluate(
            f"getComputedStyle(document.querySelector('{pane} mark').parentElement).direction"
        )
    assert "ltr" == page.evaluate("getComputedStyle(document.querySelector('#text p')).direction")


def test_still_pages_stay_still(shown, screened):
    page = shown(pmbf.page(screened), reduced_motion="reduce")
    page.keyboard.press("j")
    assert page.evaluate("document.getAnimations().length") == 0


def test_forced_colours_keep_the_marks_apart(shown, screened):
    page = shown(pmbf.page(screened), forced_colors="active")
    assert page.evaluate("getComputedStyle(document.querySelector('#text mark')).borderTopStyle") == "solid"


def test_a_notebook_frame_shows_the_page(shown, screened):
    page = shown(f'<!DOCTYPE html><meta charset="utf-8"><title>n</title>{screened._repr_html_()}')
    frame = page.frame_locator("iframe")
    assert percent(screened.coverage) == frame.locator("#share").inner_text()
    frame.locator("#next").click()
    frame.locator("#text mark.now").first.wait_for()
