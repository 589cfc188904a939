"""A browser for the tests of pages, and texts whose pages are looked at."""

from __future__ import annotations

import os
import shutil

import pytest
from conftest import words

from pmbf import Collection

BROWSERS = ("chromium", "chromium-browser", "google-chrome")
MISSING = (
    "no browser found: install chromium (Debian: apt-get install --no-install-recommends chromium fonts-dejavu-core), "
    "or name one in PMBF_BROWSER"
)

HOSTILE = (
    "</script><script>document.title='broken'</script><img src=http://pages.invalid/x"
    " onerror=\"document.title='broken'\"> &lt; ]]> <!-- \u202egnp.exe\u202c \x00\x07\x1b[2J 'quote\" \u2028 {{x}}"
    " ${document.title='broken'}"
)


def browser_path() -> str | None:
    """Return the browser to test with, or None."""
    named = os.environ.get("PMBF_BROWSER")
    return named or next(filter(None, map(shutil.which, BROWSERS)), None)


@pytest.fixture(scope="module")
def browser():
    """A browser. It ends with the file of tests: while it runs, no other test may start a loop of asyncio."""
    path, required = browser_path(), os.environ.get("CI") == "true"
    if not path:
        (pytest.fail if required else pytest.skip)(MISSING)
    if not required:
        pytest.importorskip("playwright", reason="playwright is not installed: pip install '.[test]'")
    from playwright import sync_api as api

    with api.sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        yield opened
        opened.close()


@pytest.fixture
def shown(browser, tmp_path):
    """A function that opens a page; the test fails if the page logs an error or asks for anything but itself."""
    requests, errors, contexts = [], [], []

    def show(html, width=1440, height=900, fragment="", **options):
        file = tmp_path / f"page-{len(contexts)}.html"
        file.write_text(html, encoding="utf-8", newline="")
        contexts.append(browser.new_context(viewport={"width": width, "height": height}, **options))
        page = contexts[-1].new_page()
        page.on("request", lambda asked: requests.append(asked.url))
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.on("console", lambda line: errors.append(line.text) if line.type == "error" else None)
        page.goto(file.as_uri() + fragment)
        page.wait_for_function("document.readyState === 'complete'")
        return page

    yield show
    for context in contexts:
        context.close()
    assert errors == []
    assert [url for url in requests if not url.startswith("file://") and url != "about:srcdoc"] == []


def prose(seed, n_words=240):
    """Return words in paragraphs of forty."""
    chosen = words(seed, n_words).split()
    return "\n\n".join(" ".join(chosen[i : i + 40]).capitalize() + "." for i in range(0, n_words, 40))


@pytest.fixture(scope="module")
def screened(tmp_path_factory):
    """A report of a text with edited and quoted passages of three sources; two of them share a passage."""
    folder = tmp_path_factory.mktemp("pages")
    first, second, third = prose(1, 1200), prose(2, 1200), prose(3, 1200)
    shared = words(7, 90)
    with Collection(folder / "c.pmbf", create=True) as collection:
        collection.add(prose(11, 1600) + "\n\n" + first + "\n\n" + shared, name="/library/first.txt")
        collection.add(second + "\n\n" + shared + "\n\n" + prose(12), name="/library/second.txt")
        collection.add(third, name="/library/third <b>.txt")
        edited = first.split()[:120]
        edited[20:20] = ["thoroughly"]
        edited[60] = "replaced"
        del edited[90:92]
        quoted = "“" + " ".join(second.split()[40:110]) + "”"
        listed = "References\n\n[1] A. Author (1997). On tides. pp. 3.\n"
        shares = [" ".join(edited), shared, quoted, " ".join(first.split()[300:420]), " ".join(third.split()[20:80])]
        parts = [part for i, share in enumerate(shares) for part in (prose(21 + i, 480), share)]
        parts += [prose(31, 800), listed]
        yield collection.screen("\n\n".join(parts), name="/students/essay.txt")
