r"""Text as HTML: foreign text is escaped, and what a reader would overlook is shown.

>>> escaped('<a href="x">'), shown_name("free \u202etxt.exe")
('&lt;a href=&quot;x&quot;&gt;', 'free \\u202etxt.exe')
"""

from __future__ import annotations

import html
import os
import re
import unicodedata
from collections.abc import Sequence

_CONTROL = re.compile("[\0-\x08\x0b\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff\ufffe\uffff]")
"""Controls that HTML forbids, and those that change the direction of the text after them."""

SITES_SAY = {"alike": "alike, says a site", "claimed": "claimed by a site"}
"""Kinds of passages of which sites do not tell how alike they are."""


def escaped(text: str) -> str:
    """Return a text as the content of an element or of a quoted attribute."""
    return html.escape(shown_name(text)) if _CONTROL.search(text) else html.escape(text)


def shown_name(text: str) -> str:
    r"""Return a name with every character that cannot be seen as an escape.

    >>> shown_name("a\0b\nc")
    'a\\x00b\\nc'
    """
    return "".join(char if char.isprintable() else char.encode("unicode_escape").decode() for char in text)


def prose(text: str) -> str:
    r"""Return running text as HTML: line ends stay, a control character becomes a box with its number.

    >>> prose("a < b\n\x07")
    'a &lt; b\n<b class="box" title="U+0007">0007</b>'
    """
    text = text.replace("\f", "\n").replace(" \r", " ")  # the end of a line that is joined with the next
    if not _CONTROL.search(text):
        return html.escape(text, quote=False)
    return "".join(box(part) if _CONTROL.match(part) else html.escape(part, quote=False) for part in _parts(text))


def box(char: str) -> str:
    """Return a character that cannot be seen as a box with its number."""
    code = f"{ord(char):04X}"
    name = unicodedata.name(char, "")
    return f'<b class="box" title="U+{code}{" " + name if name else ""}">{code}</b>'


def _parts(text: str) -> list[str]:
    return [part for part in re.split(f"({_CONTROL.pattern})", text) if part]


def percent(share: float) -> str:
    """Return a share in percent with one decimal; it says neither 0 nor 100 unless it is exactly that.

    >>> [percent(share) for share in (0, 0.0002, 0.3568, 0.9999, 1)]
    ['0 %', '<0.1 %', '35.7 %', '>99.9 %', '100 %']
    """
    if share in (0, 1):
        return f"{share:.0%}".replace("%", " %")
    return "<0.1 %" if share < 0.0005 else ">99.9 %" if share > 0.9995 else f"{100 * share:.1f} %"


def counted(n: int, singular: str) -> str:
    """Return a number with its noun.

    >>> counted(1, "passage"), counted(1204, "passage")
    ('1 passage', '1,204 passages')
    """
    return f"{n:,} {singular}{'' if n == 1 else 's'}"


def likeness(kind: str, similarity: float) -> str:
    """Return a passage's kind; unless it is verbatim, also how much its sides are alike, at most 99 %.

    >>> likeness("verbatim", 1.0), likeness("edited", 0.998)
    ('verbatim', 'edited, 99 % alike')
    >>> likeness("claimed", 0.0), likeness("alike", 0.0)
    ('claimed by a site', 'alike, says a site')
    """
    if kind in SITES_SAY:
        return SITES_SAY[kind]
    return kind if kind == "verbatim" else f"{kind}, {min(99, int(100 * similarity))} % alike"


def common_folder(paths: Sequence[str]) -> str:
    """Return the folder that absolute paths lie in, with a separator at its end; empty if it is the root, or none.

    >>> common_folder(["/home/ann/a.txt", "/home/ann/b/c.txt"]), common_folder(["a.txt"])
    ('/home/ann/', '')
    >>> common_folder(["/home/a.txt", "/srv/b.txt"])
    ''
    """
    if not paths or not all(map(os.path.isabs, paths)):
        return ""
    found = os.path.join(os.path.commonpath(map(os.path.dirname, paths)), "")
    return "" if found == os.sep else found
