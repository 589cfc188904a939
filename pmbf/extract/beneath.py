"""Text in the markup of a page that is not shown: in its tags, in comments, in scripts, and text that a parser drops.

The markup is cut where its tags, comments and scripts begin and end. So every byte is looked at: words in an end tag,
the second attribute of one name, a tag that never ends, text behind a frame set, one word a tag. The text between the
tags is compared with the text that is shown; equal text is left out. All this is one pass over the markup.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from html import unescape
from typing import NamedTuple

LEAST_WORDS = 4
"""Least words of a piece that is looked for in the shown text; any text holds shorter pieces somewhere."""
MOST_LOOKED_THROUGH = 1 << 28
"""Characters that are looked through for all pieces together; the pieces after that are kept."""
LONG_CHARS = 100
"""A longer attribute is no name and no usual address: it may hold a document."""
MOST_REPEATED = 20
"""The words of a tag of one word are kept 20 times at most: a class or a type is repeated a thousand times."""

_ELEMENT = re.compile(
    r"a|abbr|acronym|address|applet|area|article|aside|audio|b|base|basefont|bdi|bdo|big|"
    r"blockquote|body|br|button|canvas|caption|center|cite|code|col|colgroup|data|datalist|dd|"
    r"del|details|dfn|dialog|dir|div|dl|dt|em|embed|fieldset|figcaption|figure|font|footer|form|"
    r"frame|frameset|h1|h2|h3|h4|h5|h6|head|header|hr|html|i|iframe|img|input|ins|kbd|label|"
    r"legend|li|link|main|map|mark|menu|meta|meter|nav|noframes|noscript|object|ol|optgroup|"
    r"option|output|p|param|picture|pre|progress|q|rp|rt|ruby|s|samp|script|section|select|"
    r"small|source|span|strike|strong|style|sub|summary|sup|svg|table|tbody|td|template|textarea|"
    r"tfoot|th|thead|time|title|tr|track|tt|u|ul|var|video|wbr|g|path|rect|circle|line|"
    r"polygon|polyline|use|defs|math|mi|mo|mn|mrow|tspan|text",
    re.I,
)
_ATTRIBUTE_NAME = re.compile(
    r"accept|action|align|alink|alt|async|autocomplete|background|bgcolor|border|cellpadding|"
    r"cellspacing|charset|checked|cite|class|clear|color|cols|colspan|content|coords|data|datetime|"
    r"defer|dir|disabled|enctype|face|fill|for|frame|frameborder|headers|height|href|hreflang|"
    r"hspace|id|integrity|itemprop|itemscope|itemtype|label|lang|language|link|loading|marginheight|"
    r"marginwidth|max|maxlength|media|method|min|name|nowrap|onclick|onload|onsubmit|pattern|"
    r"placeholder|points|profile|property|rel|rev|role|rows|rowspan|rules|scheme|scope|scrolling|"
    r"selected|shape|size|sizes|span|src|srcset|start|stroke|style|summary|tabindex|target|text|"
    r"title|transform|type|usemap|valign|value|version|viewbox|vlink|vspace|width|wrap|xmlns|d|x|"
    r"y",
    re.I,
)
_SHORT_CHARS = 200

_PIECE = re.compile(
    r"(<!--.*?(?:-->|\Z)"
    r"|<(?:script|style)\b[^>]*>.*?(?=</(?:script|style)|\Z)"
    r"|<[A-Za-z/](?:[^>=]|=\s*+(?:\"[^\"]*\"|'[^']*')?)*+>?"
    r"|<[!?][^>]*>?)",
    re.S | re.I,
)
_SCRIPT = re.compile(r"<(?:script|style)\b([^>]*)>(.*)", re.S | re.I)
_ADDRESS = re.compile(r"\s(?:href|id|src|name)=\"(?=[^\"\s]{0,99}[\d_#/-])[^\"\s]{0,100}\"")
_NAME = re.compile(r"</?([^\s/>]*)")
_ATTRIBUTE = re.compile(
    r"([^\s=/\"'<>]+)(?:\s*=\s*(?:\"([^\"]*)\"?|'([^']*)'?|([^\s\"'>]+)))?|\"([^\"]*)\"?|'([^']*)'?"
)
_TAG = re.compile(r"<[^<>]{0,500}>")
_WORD = re.compile(r"[^\W\d_]{2,}(?:['\u2019-][^\W\d_]+)*[.,;:!?)]*")
_AROUND = " \"'/>"


def beneath(markup: str, shown: str, texts: Callable[[], Iterable[str]]) -> dict[str, str]:
    """Return the text that a page holds and does not show, by its place. `texts` are the nodes that `shown` is made of.

    >>> page = "<p>The sea</p comes in><i the='a' tide=x alt='and goes'>.<!-- out --></i>"
    >>> beneath(page, "The sea.", lambda: ["The sea", "."])
    {'comments': ' out ', 'attributes': 'and goes', 'scripts': '', 'markup': 'comes in the tide'}
    """
    pieces = _PIECE.split(markup)
    between, tags = pieces[::2], pieces[1::2]
    dropped = [] if _letters(unescape("\n".join(between))) == _letters(shown) else _not_in(between, texts())
    telling = {tag: told for tag in set(tags) if (told := _told(tag)) != _NOTHING}
    said = [tag for tag in tags if tag in telling]
    found = [telling[tag] for tag in said]
    few = [telling[tag] for tag in _rare(said)]
    return {
        "comments": "\n".join(one.comment for one in found if one.comment),
        "attributes": "\n".join(value for one in found for value in one.values),
        "scripts": "\n".join(one.script for one in found if one.script),
        "markup": " ".join([*dropped, *(n for one in few for n in one.names), *(w for one in few for w in one.words)]),
    }


class _Told(NamedTuple):
    """The text in a tag, a comment or a script.

    Args:
        comment: A comment without its tags.
        script: A script as it is written.
        values: Attributes that hold several words.
        names: Names of elements and attributes that HTML does not have.
        words: Attributes of one word.
    """

    comment: str = ""
    script: str = ""
    values: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    words: tuple[str, ...] = ()


_NOTHING = _Told()


def _rare(tags: Iterable[str]) -> Iterator[str]:
    """Yield tags, each `MOST_REPEATED` times at most."""
    n_seen: dict[str, int] = {}
    for tag in tags:
        n_seen[tag] = n_seen.get(tag, 0) + 1
        if n_seen[tag] <= MOST_REPEATED:
            yield tag


def _told(piece: str) -> _Told:
    if piece[1] in "!?":
        comment = piece.removeprefix("<!--").removesuffix("-->").strip("<>")
        return _Told(comment=unescape(_TAG.sub(" ", comment)))
    if script := _SCRIPT.match(piece):
        return _of_tag(f"<script {script[1]}>")._replace(script=script[2])
    tag = _ADDRESS.sub("", piece)
    return _of_short_tag(tag) if len(tag) <= _SHORT_CHARS else _of_tag(tag)


def _of_tag(tag: str) -> _Told:
    names, values, words = list[str](), list[str](), list[str]()
    head = _NAME.match(tag)
    assert head
    if not _ELEMENT.fullmatch(head[1]) and _WORD.fullmatch(head[1]):
        names.append(head[1])
    for name, *written in _ATTRIBUTE.findall(tag, head.end()):
        value = unescape("".join(written))
        if name and not (value and _ATTRIBUTE_NAME.fullmatch(name)) and _WORD.fullmatch(name):
            names.append(name)
        if " " in value or len(value) > LONG_CHARS:
            values.append(value)
        elif _WORD.fullmatch(value):
            words.append(value)
    return _Told(values=tuple(values), names=tuple(names), words=tuple(words))


_of_short_tag = lru_cache(4096)(_of_tag)


def _letters(text: str) -> str:
    return "".join(text.split())


def _not_in(pieces: Sequence[str], texts: Iterable[str]) -> list[str]:
    """Return the pieces of markup that are in none of some texts."""
    evened = [_even(text) for text in texts]
    known, flat, n_left = set(evened), " ".join(evened), MOST_LOOKED_THROUGH
    kept: list[str] = []
    for piece in map(_even, map(unescape, pieces)):
        if not piece or piece in known:
            continue
        inner = piece.strip(_AROUND)
        n_left -= len(flat)
        if inner.count(" ") < LEAST_WORDS - 1 or n_left < 0 or inner not in flat:
            kept.append(piece)
    return kept


def _even(text: str) -> str:
    return " ".join(text.split())
