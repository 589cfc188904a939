r"""Text, numbers and charts as HTML: foreign text is escaped, and what a reader would overlook is shown.

Charts are SVG without script and without `style=`: their colours are CSS classes of `base.css`.

>>> escaped('<a href="x">'), shown_name("free \u202etxt.exe")
('&lt;a href=&quot;x&quot;&gt;', 'free \\u202etxt.exe')
"""

from __future__ import annotations

import html
import os
import re
import unicodedata
from collections.abc import Sequence
from typing import NamedTuple

_CONTROL = re.compile("[\0-\x08\x0b\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff\ufffe\uffff]")
"""Controls that HTML forbids, and those that change the direction of the text after them."""

SITES_SAY = {"alike": "alike, says a site", "claimed": "claimed by a site"}
"""Kinds of passages of which sites do not tell how alike they are."""

WIDTH, HEIGHT, BASE = 240, 72, 58
"""Of a histogram, in units of its own: its width, its height, and where the bars stand."""


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


class HistogramBar(NamedTuple):
    """A bar of a histogram: what it counts, how many, and what is said of it."""

    label: str
    n: int
    title: str


def histogram(bars: Sequence[HistogramBar], caption: str) -> str:
    """Return a histogram with the labels of its bars below them; a screen reader says the caption."""
    most, width = max((bar.n for bar in bars), default=0) or 1, WIDTH / max(1, len(bars))
    drawn = []
    for i, bar in enumerate(bars):
        height = round((BASE - 12) * bar.n / most, 1)
        x, middle = round(i * width + 1, 1), round((i + 0.5) * width, 1)
        drawn.append(
            f'<g><title>{escaped(bar.title)}</title><rect class="bar" x="{x}" y="{round(BASE - height, 1)}" '
            f'width="{round(width - 2, 1)}" height="{height}"/>'
            + (f'<text x="{middle}" y="{round(BASE - height - 3, 1)}">{bar.n:,}</text>' if bar.n else "")
            + f'<text class="axis" x="{middle}" y="{HEIGHT - 2}">{escaped(bar.label)}</text></g>'
        )
    spoken = ", ".join(bar.title for bar in bars if bar.n)
    return (
        f'<svg class="chart" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{escaped(f"{caption}: {spoken}")}">'
        f'<line class="ground" x1="0" x2="{WIDTH}" y1="{BASE}" y2="{BASE}"/>{"".join(drawn)}</svg>'
    )


def shares_histogram(shares: Sequence[float], caption: str) -> str:
    """Return a histogram of shares from 0 to 1, in ten bars."""
    counts = [0] * 10
    for share in shares:
        counts[min(9, int(share * 10))] += 1
    titles = [f"{10 * i} to {10 * i + 10} %: {n} text{'' if n == 1 else 's'}" for i, n in enumerate(counts)]
    return histogram(
        [HistogramBar(f"{10 * i}", n, title) for i, (n, title) in enumerate(zip(counts, titles, strict=True))], caption
    )
