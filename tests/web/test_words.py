"""The words of the pages: each language has each key, and each key is used."""

import json
import re
from importlib import resources

import pytest

from pmbf.serving.web.uploads import OPTIONS
from pmbf.serving.web.wording import LANGUAGES, PageWords

FOLDER = resources.files("pmbf.serving.web")
KINDS = {
    "role": ("screen", "review", "admin"),
    "verdict": ("confirmed", "dismissed", "open"),
    "sensitivity": ("fast", "normal", "thorough"),
    "state": ("waiting", "working", "done", "failed"),
    "rule": ("compare", "skip", "same"),
    "certainty": ("sure", "likely", "worth_a_look"),
    "not_counted": ("skipped", "elsewhere", "bibliography", "quotation", "ignored"),
}


def keys(language):
    return set(json.loads(FOLDER.joinpath("languages", f"{language}.json").read_text(encoding="utf-8")))


def test_each_language_has_the_same_keys():
    assert len({frozenset(keys(language)) for language in LANGUAGES}) == 1


def test_each_key_is_used_and_each_used_key_is_there():
    written = "".join(one.read_text(encoding="utf-8") for one in FOLDER.joinpath("templates").iterdir())
    written += FOLDER.joinpath("browser.py").read_text(encoding="utf-8")
    used = set(re.findall(r'(?:\bt|PageWords\([^"]*\))\("([a-z_]+[a-z])"', written)) | {"thousands", "decimal"}
    used |= {f"{kind}_{one}" for kind, some in KINDS.items() for one in some}
    used |= {"screen", "history", "collection"} | OPTIONS.keys()
    assert used - keys("en") == set()
    assert {one for one in keys("en") if one.removesuffix("_one") not in used} == set()


@pytest.mark.parametrize("language", LANGUAGES)
def test_values_are_put_into_each_text(language):
    words = PageWords(language)
    for key in keys(language):
        assert "{" not in words(key, n=1234, found=12, name="x", id="y", when="z", share="1 %")


def test_numbers_are_written_as_the_language_writes_them():
    assert (PageWords("de").number(12345), PageWords("de").percent(0.3456)) == ("12.345", "34,6\N{NO-BREAK SPACE}%")
    assert (PageWords("en").number(12345), PageWords("en").percent(1)) == ("12,345", "100\N{NO-BREAK SPACE}%")
    assert PageWords("de").percent(0.9999) == ">99,9\N{NO-BREAK SPACE}%"
