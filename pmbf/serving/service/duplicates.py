"""The route of result sets: which articles of a list are duplicates.

It answers in the process that holds the connections. A set of a hundred known articles takes 0.2 ms; a way to a working
process and back would take longer. Texts are prepared on a thread.

    {"threshold": 0.4, "articles": [{"id": "a", "version": 3, "text": "…"}, {"id": "b"}, "c"]}
    {"keep": ["a", "c"], "groups": [{"representative": "a", "members": [{"id": "b", …}]}], "unknown": [], …}
"""

from __future__ import annotations

import asyncio
import base64
import binascii
import json
import threading
import time
from collections import OrderedDict
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pmbf.base.errors import PmbfError
from pmbf.serving.http.messages import HttpError, Request, Response

if TYPE_CHECKING:
    from pmbf.alike.resultsets import Duplicates, PreparedArticle, ResultSets

MOST_BYTES = 32 << 20
"""Bytes of a request: 500 articles of 64 KB."""

MOST_ARTICLES = 500
LONGEST_ID = 256
_KEPT_ARTICLES = 100_000
"""Articles that are kept for each way of preparing them, some 80 MB."""

_KEPT_WAYS, _KEPT_RULES = 4, 8
_SMALL_BYTES = 64 << 10
"""A request of fewer bytes is read, and its texts are prepared, at once: a thread would take longer."""

HOW = {"threshold": 0.4, "features": "words", "keep": 128, "stem": None, "measure": "jaccard", "linkage": "star"}
"""How a request is answered unless it says otherwise: the arguments of `ResultSets`."""

_FIELDS = (*HOW, "prefer", "return_prepared", "articles")
_NAMES = {"id", "version"}
_ARTICLE_FIELDS = {*_NAMES, "text", "prepared"}
_WAY = ("features", "keep", "stem")


@dataclass(slots=True)
class _Given:
    """The articles of a request: ids as they came, keys, and the text or the bytes of each, or None."""

    ids: list[str | int]
    keys: list[Hashable]
    contents: list[str | bytes | None]


class Comparisons:
    """Answers requests for duplicates, and keeps the articles that were given."""

    def __init__(self) -> None:
        self._by_way: OrderedDict[Hashable, dict[Hashable, ResultSets]] = OrderedDict()
        self._lock = threading.Lock()

    async def answer(self, request: Request) -> Response:
        """Return which articles to show, and which are hidden behind each of them.

        `HttpError`: the request is no such object, or has more than 500 articles.
        """
        if request.query:
            raise HttpError(400, f"{min(request.query)!r} is no field of the query: the body has all fields")
        if len(request.body) < _SMALL_BYTES:
            return self._answer(request.body)
        return await asyncio.to_thread(self._answer, request.body)

    def _answer(self, body: bytes) -> Response:
        asked = _object(body)
        given = _given(asked["articles"])
        try:
            sets = self._sets({name: asked.get(name, usual) for name, usual in HOW.items()})
            return _answered(sets, given, asked)
        except PmbfError as error:
            raise HttpError(400, str(error)) from None

    def _sets(self, how: dict[str, Any]) -> ResultSets:
        """Return what compares articles by a rule; rules share the articles that are prepared in one way."""
        if not all(map(_is_plain, how.values())):
            raise HttpError(400, "a field is a list or an object, expected a number, a text or null")
        # True equals 1, and 1.0 equals 1: the types tell them apart.
        rule = tuple((type(value), value) for value in how.values())
        way = tuple((type(how[name]), how[name]) for name in _WAY)
        with self._lock:
            rules = self._by_way.get(way, {})
            if rule not in rules:
                rules[rule] = _made(how, rules)
            self._by_way[way] = rules
            self._by_way.move_to_end(way)
            while len(self._by_way) > _KEPT_WAYS:
                self._by_way.popitem(last=False)
            while len(rules) > _KEPT_RULES:
                del rules[next(iter(rules))]
            return rules[rule]


def _made(how: dict[str, Any], rules: dict[Hashable, ResultSets]) -> ResultSets:
    """Return new result sets. They share the articles of those with other rules."""
    # NumPy and the kernels are a fifth of a second: a service that is never asked for duplicates does without.
    from pmbf.alike.resultsets import ResultSets

    for other in rules.values():
        return other.by_rule(how["threshold"], measure=how["measure"], linkage=how["linkage"])
    return ResultSets(**how, cache=_KEPT_ARTICLES)


def _is_plain(value: object) -> bool:
    return value is None or isinstance(value, str | int | float)


def _answered(sets: ResultSets, given: _Given, asked: dict[str, Any]) -> Response:
    prefer = asked.get("prefer", "first")
    if not isinstance(prefer, str):
        raise HttpError(400, f"prefer is {type(prefer).__name__}, expected 'first' or 'longest'")
    start = time.perf_counter()
    articles = _prepared(sets, given)
    prepared = time.perf_counter()
    known = [place for place, one in enumerate(articles) if one is not None]
    found = sets.duplicates([one for one in articles if one is not None], prefer=prefer)
    compared = time.perf_counter()
    told = _told(found, given.ids, known)
    if asked.get("return_prepared"):
        raws = [None if one is None else base64.b64encode(bytes(one)).decode() for one in articles]
        told["prepared"] = raws
    told["prepared_ms"] = round(1e3 * (prepared - start), 3)
    told["compare_ms"] = round(1e3 * (compared - prepared), 3)
    return Response.of(told, "found" if found.groups else "incomplete" if told["unknown"] else "clean")


def _prepared(sets: ResultSets, given: _Given) -> list[PreparedArticle | None]:
    """Return each article; None if it is not known, and was given by its id alone. What is given anew replaces."""
    articles = sets.known(given.keys)
    for place, content in enumerate(given.contents):
        if content is not None:
            articles[place] = sets.put(given.keys[place], content)
    return articles


def _told(found: Duplicates, ids: Sequence[str | int], known: Sequence[int]) -> dict[str, Any]:
    """Return the answer in ids. Unknown articles are shown: they may be unlike all others."""
    if len(known) == len(ids):
        keep, unknown = list(found.keep), []
    else:
        are_known = set(known)
        unknown = [place for place in range(len(ids)) if place not in are_known]
        keep = sorted([known[place] for place in found.keep] + unknown)
    groups = [
        {
            "representative": ids[known[group.representative]],
            "members": [
                {"id": ids[known[one.article]], "similarity": one.similarity, "contained": one.contained}
                for one in group.members
            ],
        }
        for group in found.groups
    ]
    return {"keep": [ids[place] for place in keep], "groups": groups, "unknown": [ids[place] for place in unknown]}


# ---------------------------------------------------------------------- what is asked


def _object(body: bytes) -> dict[str, Any]:
    try:
        asked = json.loads(body)
    except (ValueError, RecursionError):
        raise HttpError(400, "the body is no JSON") from None
    if not isinstance(asked, dict) or not isinstance(asked.get("articles"), list):
        raise HttpError(400, "the body is no object with a list of articles")
    if unknown := sorted(asked.keys() - set(_FIELDS)):
        raise HttpError(400, f"{unknown[0]!r} is no field of the body: {', '.join(_FIELDS)}")
    if len(asked["articles"]) > MOST_ARTICLES:
        raise HttpError(413, f"there are {len(asked['articles'])} articles, expected at most {MOST_ARTICLES}")
    return asked


def _given(articles: Sequence[object]) -> _Given:
    given = _Given([], [], [])
    for one in articles:
        name, version, content = one, None, None
        if isinstance(one, dict):
            name, version = one.get("id"), one.get("version")
            if not one.keys() <= _NAMES:
                content = _content(one)
        if not _is_name(name) or (version is not None and not _is_name(version)):
            raise HttpError(
                400,
                f"the id or version of an article is none, expected a whole number or up to {LONGEST_ID} characters",
            )
        given.ids.append(name)  # type: ignore[arg-type]
        given.keys.append((name, version))
        given.contents.append(content)
    return given


def _is_name(name: object) -> bool:
    kind = type(name)  # True is an int
    return kind is int or (kind is str and 0 < len(name) <= LONGEST_ID)  # type: ignore[arg-type]


def _content(article: dict[str, Any]) -> str | bytes | None:
    if not article.keys() <= _ARTICLE_FIELDS:
        raise HttpError(400, f"an article has other fields than {', '.join(sorted(_ARTICLE_FIELDS))}")
    text, prepared = article.get("text"), article.get("prepared")
    if text is not None and prepared is not None:
        raise HttpError(400, "an article has both text and prepared, expected one of them")
    if text is not None and not isinstance(text, str):
        raise HttpError(400, f"the text of an article is {type(text).__name__}, expected a text")
    if prepared is None:
        return text
    try:
        return base64.b64decode(prepared, validate=True)
    except (TypeError, ValueError, binascii.Error):
        raise HttpError(400, "what is prepared of an article is no base64") from None
