"""The application in a browser: from an upload to its deletion, by keyboard, without script, in both themes."""

import re

import pytest

from tests.conftest import words
from tests.pages.conftest import browser as browser
from tests.pages.test_browser import axe
from tests.web.conftest import ESSAY, SHARED, Running

pytestmark = pytest.mark.browser

PAGES = ("/", "/screenings", "/collection", "/collection/1", "/tokens", "/api", "/nowhere", "/?language=de")


@pytest.fixture
def opened(browser, running, owner):
    """A function that opens a browser's context with the owner's session; it fails on a request to elsewhere."""
    requests, errors, contexts = [], [], []

    def open_(path="/", **options):
        context = browser.new_context(**options)
        contexts.append(context)
        address = f"http://127.0.0.1:{running.port}"
        context.add_cookies([{"name": name, "value": value, "url": address} for name, value in owner.cookies.items()])
        page = context.new_page()
        page.on("request", lambda asked: requests.append(asked.url))
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.goto(address + path)
        return page

    yield open_
    for context in contexts:
        context.close()
    assert errors == []
    assert [url for url in requests if not url.startswith((f"http://127.0.0.1:{running.port}/", "data:"))] == []


@pytest.fixture
def essay(tmp_path):
    path = tmp_path / "essay.txt"
    path.write_text(ESSAY, encoding="utf-8")
    return path


def screened(page, essay, **fields):
    """Upload an essay on the first page and follow it to its screening."""
    page.set_input_files("#file", str(essay))
    for name in fields:
        page.check(f"[name={name}]")
    page.click("main button")
    page.wait_for_url(re.compile("/screenings/"))


def test_upload_progress_evidence_switch_history_delete(opened, essay):
    page = opened()
    screened(page, essay)
    share = page.inner_text(".share strong")
    number = page.url.rsplit("/", 1)[1]
    page.click("text=Evidence page")
    assert page.inner_text("#share") == share.replace("\N{NO-BREAK SPACE}", " ")
    assert SHARED[:40] in page.inner_text("#text")
    page.uncheck("[data-source='1']")
    assert page.inner_text("#share") == "0 %"
    page.goto(page.url.replace(f"/{number}/evidence", "?search=essay"))
    page.click(f"a[href='/screenings/{number}']")
    page.click("text=Delete now")
    assert number not in page.content() and page.url.endswith("/screenings")
    assert page.goto(page.url + f"/{number}").status == 404


def test_signs_of_manipulation_stand_on_top_of_the_result(opened, tmp_path):
    path = tmp_path / "altered.txt"
    path.write_text(ESSAY + " p\u0430yment r\u200beceived", encoding="utf-8")
    page = opened()
    screened(page, path)
    told = page.inner_text(".signs")
    assert told.startswith("Signs of manipulation: ") and "look-alike letters" in told and "1 invisible" in told
    assert page.locator(".signs").bounding_box()["y"] < page.locator(".button").bounding_box()["y"]


def test_no_button_is_broken_into_lines(opened, essay):
    page = opened()
    screened(page, essay)
    for path in (page.url, *(page.url.split("/screenings")[0] + path for path in PAGES)):
        page.goto(path)
        for width in (390, 1280):
            page.set_viewport_size({"width": width, "height": 844})
            tall = [one.inner_text() for one in page.locator("main button:visible, header button:visible").all()
                    if one.bounding_box()["height"] > 48]  # fmt: skip
            assert tall == [], (path, width)


def test_a_decision_is_made_and_shown(opened, essay):
    page = opened()
    screened(page, essay)
    page.select_option("[name=verdict]", "confirmed")
    page.fill("[name=note]", "no mark of quotation")
    page.click("text=Save decision")
    told = page.inner_text(".decision")
    assert told.startswith("confirmed · owner · 20") and told.endswith("no mark of quotation")


def test_a_ticket_is_entered_by_keyboard_alone(browser, library, tmp_path):
    running = Running(library, tmp_path / "state")
    page = browser.new_page()
    page.goto(running.link)
    for _ in range(12):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.id") == "token":
            break
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile(r"/$"))
    for _ in range(20):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.id") == "text":
            break
    page.keyboard.insert_text(ESSAY)
    for _ in range(10):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.tagName + document.activeElement.textContent") == "BUTTONScreen":
            break
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile("/screenings/"))
    assert page.inner_text("h1") == "pasted text"
    page.close()
    assert running.stop()[0] == 0


def test_all_but_progress_works_without_script(opened, essay):
    page = opened(java_script_enabled=False)
    screened(page, essay, keep_text="1")  # the page of progress loads itself again
    page.click("text=Evidence page")
    assert SHARED[:40] in page.inner_text("body")


def test_no_rule_of_axe_is_broken_in_either_theme(opened, essay):
    page = opened(bypass_csp=True)
    screened(page, essay)
    start, found = page.url.split("/screenings")[0], {}
    for path in (page.url.removeprefix(start), *PAGES):
        page.emulate_media(color_scheme="light")
        page.goto(start + path)
        found[path] = axe(page)
        page.emulate_media(color_scheme="dark")
        found[path, "dark"] = axe(page, "color-contrast")  # of all rules this one alone looks at colours
    assert {path: broken for path, broken in found.items() if broken} == {}


@pytest.mark.parametrize("path", ["/", "/screenings", "/collection", "/tokens", "/api"])
def test_a_narrow_window_is_not_scrolled_sideways(opened, path):
    page = opened(path, viewport={"width": 320, "height": 640})
    assert page.evaluate("document.documentElement.scrollWidth") <= 320


def test_the_browsers_language_is_spoken_and_can_be_changed(opened):
    page = opened(locale="de-AT")
    assert page.inner_text("h1") == "Einen Text prüfen"
    page.click("a[hreflang=en]")
    page.click("text=History")
    assert page.inner_text("h1") == "History"


def test_links_answer_while_many_texts_wait(opened, tmp_path):
    for number in range(12):
        (tmp_path / f"{number}.txt").write_text(words(number, 150_000), encoding="utf-8")
    page = opened()
    page.set_input_files("#file", [str(path) for path in sorted(tmp_path.iterdir())])
    page.click("main button")
    page.wait_for_selector("[data-job]")
    assert page.locator('[data-state="waiting"]').count() > 6
    page.click("nav >> text=History", timeout=5000)
    page.wait_for_url(re.compile("/screenings$"), timeout=5000)


FORMS = """() => [...document.forms].map((form) => ({action: new URL(form.action).pathname, method: form.method,
    sent: [...new FormData(form)].map(([name, value]) => [name, typeof value === "string" ? value : ""]),
    hidden: [...form.querySelectorAll("[type=hidden]")].map((one) => one.name)}))"""


@pytest.mark.parametrize("has_script", [True, False])
def test_no_form_says_what_nobody_has_chosen(opened, essay, has_script):
    """The fields of each form of each page are empty, but for the name of a source and a search."""
    page = opened(java_script_enabled=has_script)
    screened(page, essay)
    assert page.inner_text("[name=verdict] option:checked") == "– decide –"
    assert page.locator(".decision").count() == 0
    paths = [page.url, *(page.url.split("/screenings")[0] + path for path in PAGES)]
    forms = 0
    for path in paths:
        page.goto(path)
        for form in page.evaluate(FORMS):
            forms += 1
            assert [one for one in form["sent"] if one[1] and one[0] not in form["hidden"]] == [], (path, form)
    assert forms > 12


def test_a_decision_can_be_saved_only_after_something_was_chosen(opened, essay):
    page = opened()
    screened(page, essay)
    assert page.is_disabled(".decide button")
    page.fill("[name=note]", "a note alone decides nothing")
    assert page.is_disabled(".decide button")
    page.select_option("[name=verdict]", "dismissed")
    page.click("text=Save decision")
    assert page.inner_text(".decision").startswith("dismissed · owner · 20")
    page.wait_for_selector(".decide button:disabled")
    assert page.input_value("[name=verdict]") == "dismissed"
    page.fill("[name=note]", "a quotation")
    page.click("text=Save decision")
    assert page.inner_text(".decision").endswith("a quotation")


def test_without_script_the_browser_asks_for_a_verdict_before_it_sends_one(opened, essay):
    page = opened(java_script_enabled=False)
    screened(page, essay)
    url = page.url
    page.click("text=Save decision")
    assert page.evaluate("document.querySelectorAll('select:invalid').length") == 1
    assert page.url == url and page.locator(".decision").count() == 0
