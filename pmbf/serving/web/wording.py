"""The words of the pages, in each language: `languages/LANGUAGE.json`.

A page takes the first language that its reader asks for.
"""

from __future__ import annotations

import json
from functools import cache
from importlib import resources

from starlette.requests import Request

from pmbf.pages.markup import percent

LANGUAGES = ("en", "de")
COOKIE = "language"


class PageWords:
    """The words of one language: `words("key", n=3)`."""

    def __init__(self, language: str) -> None:
        self.language = language
        self._words = _read(language)

    def __contains__(self, key: str) -> bool:
        return key in self._words

    def __call__(self, key: str, **values: object) -> str:
        """Return a key's words, values put in; `n` is 1 takes the words of the singular if there are some."""
        if values.get("n") == 1:
            key = f"{key}_one" if f"{key}_one" in self._words else key
        shown = {name: self.number(value) if isinstance(value, int) else value for name, value in values.items()}
        return self._words[key].format(**shown)

    def number(self, value: int) -> str:
        """Return a number with the language's mark between thousands."""
        return f"{value:,}".replace(",", self._words["thousands"])

    def percent(self, share: float) -> str:
        """Return a share as `pmbf.pages.markup.percent` writes it, with the language's mark before the decimal."""
        return percent(share).replace(".", self._words["decimal"]).replace(" ", "\N{NO-BREAK SPACE}")


@cache
def _read(language: str) -> dict[str, str]:
    found: dict[str, str] = json.loads(
        resources.files("pmbf.serving.web").joinpath("languages", f"{language}.json").read_text(encoding="utf-8")
    )
    return found


def language_of(request: Request) -> str:
    """Return the language of a request: chosen (`?language=`), chosen before (a cookie), or the browser's.

    >>> from starlette.requests import Request
    >>> ask = {"type": "http", "query_string": b"", "headers": [(b"accept-language", b"fr, de-AT;q=0.8, en;q=0.5")]}
    >>> language_of(Request(ask))
    'de'
    """
    asked = [request.query_params.get("language", ""), request.cookies.get(COOKIE, "")]
    accepted = request.headers.get("accept-language", "").split(",")
    asked += [one.partition(";")[0].partition("-")[0].strip() for one in accepted]
    return next((one.lower() for one in asked if one.lower() in LANGUAGES), LANGUAGES[0])
