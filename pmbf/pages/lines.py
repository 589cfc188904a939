"""Lines of a PDF as a reader sees them: inside a paragraph a line's end is a space. No character is moved."""

from __future__ import annotations

from itertools import pairwise

FULL = 0.85
"""A line that would be this long with the next word, as a share of the page's width, ends because it is full."""
LEAST_WIDTH = 30
"""Characters of the lines of a page that has running text."""
BULLETS = ("•", "◦", "▪", "–", "-", "*")


def joined(text: str, kind: str) -> str:
    r"""Return a text to be shown, of the same length: of a PDF the ends of full lines are spaces, `\r\n` is ` \r`.

    >>> joined("A line that is full and goes on\nin the next one.\nA title\nand so on", "pdf")
    'A line that is full and goes on in the next one.\nA title\nand so on'
    """
    return "\f".join(map(_page, text.split("\f"))) if kind == "pdf" else text


def _page(page: str) -> str:
    lines = page.split("\n")
    lengths = sorted(len(line.rstrip("\r")) for line in lines if line.strip())
    width = lengths[len(lengths) * 4 // 5] if lengths else 0
    if width < LEAST_WIDTH:
        return page
    shown = [_ended(line, goes_on=_goes_on(line, after, FULL * width)) for line, after in pairwise(lines)]
    return "".join([*shown, lines[-1]])


def _ended(line: str, *, goes_on: bool) -> str:
    if not goes_on:
        return line + "\n"
    return f"{line[:-1]} \r" if line.endswith("\r") else f"{line} "


def _goes_on(line: str, after: str, full: float) -> bool:
    first = after.split(maxsplit=1)[0] if after.strip() else ""
    return bool(first) and not first.startswith(BULLETS) and len(line.rstrip("\r")) + 1 + len(first) > full
