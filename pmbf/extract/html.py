"""HTML as a reader sees it: the text of the elements, a line for each block."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from selectolax.lexbor import LexborHTMLParser, LexborNode

from pmbf.base.errors import IncompleteError
from pmbf.extract.beneath import beneath
from pmbf.extract.encoding import decode_as, on_the_web, read_otherwise
from pmbf.extract.reading import Reading

BLOCK = frozenset(
    {"address", "article", "aside", "blockquote", "body", "br", "caption", "center", "dd", "details", "dialog", "dir"}
    | {"div", "dl", "dt", "fieldset", "figcaption", "figure", "footer", "form", "frameset", "head", "header", "hr"}
    | {"h1", "h2", "h3", "h4", "h5", "h6", "html", "legend", "li", "main", "menu", "nav", "ol", "optgroup", "option"}
    | {"p", "pre", "search", "section", "select", "summary", "table", "tbody", "td", "template", "textarea", "tfoot"}
    | {"th", "thead", "title", "tr", "ul"}
)
"""Elements that end a word: their text is on a line of its own."""
UNREAD = frozenset({"script", "style"})
SPACED = frozenset({"pre", "textarea"})

_META_CHARSET = re.compile(rb"<meta[^>]{0,500}?charset\s*=\s*[\"']?\s*([A-Za-z0-9_:.-]{1,40})", re.I)
_XML_ENCODING = re.compile(rb"\s*<\?xml[^>]{0,200}?encoding\s*=\s*[\"']([A-Za-z0-9_:.-]{1,40})", re.I)
_BLANK = " \t\r\n\f"
_BLANKS = re.compile(f"[{_BLANK}]+")
_DECLARED_WITHIN = 4096


def read(raw: bytes, kind: str, reading: Reading, *, charset: str | None = None) -> str:
    """Return the text of an HTML document.

    `charset` is the encoding that a mail's header names; without it the one of the meta element counts.
    """
    markup, _, problems = decode_as(raw, charset or _declared(raw[:_DECLARED_WITHIN]))
    for what in problems:
        reading.problem(what)
    text = _text(markup, reading)
    if reading.unseen and (otherwise := read_otherwise(raw, markup)):
        text += reading.part(_text(otherwise, reading), "read as UTF-8")
    return text


def _text(markup: str, reading: Reading) -> str:
    reading.spend_text(len(markup))
    try:
        root = LexborHTMLParser(markup.removeprefix("\ufeff")).root
    except (RuntimeError, ValueError) as error:  # SelectolaxError is a RuntimeError
        raise IncompleteError(f"cannot be parsed: {error}") from None
    if not root:
        return ""
    shown = "".join(piece for tree in _trees(root) for piece in (*_text_below(tree), "\n"))
    return shown + "".join(_hidden(root, markup, shown, reading)) if reading.unseen else shown


def _declared(head: bytes) -> str | None:
    found = _XML_ENCODING.match(head) or _META_CHARSET.search(head)
    return on_the_web(found[1].decode("ascii")) if found else None


def _trees(root: LexborNode) -> Iterator[LexborNode]:
    """Yield an element, then the templates below it: they are no part of the tree."""
    trees = [root]
    while trees:
        tree = trees.pop()
        yield tree
        trees += reversed(tree.template_fragments())


def _hidden(root: LexborNode, markup: str, shown: str, reading: Reading) -> Iterator[str]:
    """Yield the text that a page does not show, place by place."""
    for place, text in beneath(markup, shown, lambda: _nodes(root)).items():
        reading.spend_text(len(text))
        yield reading.part(f"\n{text}\n", place) if text else ""


def _nodes(root: LexborNode) -> Iterator[str]:
    """Yield the text nodes that are shown."""
    for tree in _trees(root):
        for node in tree.traverse(include_text=True):
            if node.tag == "-text" and not (node.parent and node.parent.tag in UNREAD):
                yield node.text_content or ""


def _text_below(root: LexborNode) -> Iterator[str]:
    above: list[tuple[int, _Place]] = []  # the elements around a node, outermost first, by identity
    line = None
    for node in root.traverse(include_text=True):
        parent = node.parent
        while above and not (parent and above[-1][0] == parent.mem_id):
            above.pop()
        around = above[-1][1] if above else _OUTSIDE
        text = node.text_content
        if text is None:
            place = _place(node, around)
            above.append((node.mem_id, place))
            line = line if place.block == around.block else None
        elif around.is_read and (text if around.is_spaced else text.strip(_BLANK)):
            if line != around.block:
                yield "\n"
                line = around.block
            yield text if around.is_spaced else _BLANKS.sub(" ", text)
        elif text and around.is_read:
            yield " "


class _Place(NamedTuple):
    """The place of a text: its nearest block, by identity; whether it is read; whether its line breaks are kept."""

    block: int
    is_read: bool
    is_spaced: bool


_OUTSIDE = _Place(block=0, is_read=True, is_spaced=False)


def _place(node: LexborNode, around: _Place) -> _Place:
    tag = node.tag or ""
    block = node.mem_id if tag in BLOCK else around.block
    return _Place(block, around.is_read and tag not in UNREAD, around.is_spaced or tag in SPACED)
