"""Words that an author marks as somebody else's: quotations and bibliographies, found by their outer form.

A quotation stands between quotation marks inside one paragraph, or in a block quote (lines that begin with `>`); which
marks belong together is said in `quoting.py`. A
bibliography begins with a heading that says so, in some twenty languages, and most lines after the heading look like
entries. It ends at the heading of an appendix, or with the text.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterator

from pmbf.base.span import Span, merged
from pmbf.screen.quoting import between_marks

MOST_QUOTED = 4000
"""Characters of the longest quotation between marks. If the marks are further apart, then one mark is missing."""

_NO_BLANK_LINE = r"(?!\n[ \t\r]*\n)"
_LATEX = re.compile(rf"(?<![\w.,!?;:…])``(?:{_NO_BLANK_LINE}(?!``|'').){{1,{MOST_QUOTED}}}''", re.S)
_BLOCK = re.compile(r"(?:^[ \t]*+>[^\n]*+(?:\n|\Z))++", re.M)
_BLOCK_LINE = re.compile(r"\n[ \t]*+>")
_BLANK_LINE = re.compile(r"\n[ \t\r]*\n")

_HEADINGS = (
    "references|list of references|bibliography|works cited|literature cited|cited literature|sources"
    "|literatur|literaturverzeichnis|quellen|quellenverzeichnis|bibliographie|bibliografie"
    "|références|références bibliographiques|ouvrages cités|bibliografía|referencias|referencias bibliográficas"
    "|bibliografia|riferimenti bibliografici|referências|referências bibliográficas|literatuur|literatuurlijst"
    "|piśmiennictwo|literatura|seznam literatury|kaynakça|kaynaklar|daftar pustaka|βιβλιογραφία|المراجع|المصادر"
    "|литература|список литературы|список использованной литературы|библиография|источники|список источников"
    "|參考文獻|参考文献|参考资料|参考書目|引用文献|참고문헌|참고 문헌|เอกสารอ้างอิง|บรรณานุกรม|संदर्भ"
)
_APPENDICES = (
    "appendix|appendices|anhang|annexe|annexes|anexo|anexos|apéndice|appendice|allegato|bijlage|załącznik|příloha"
    "|приложение|приложения|附录|附錄|付録|부록"
)
_NUMBER = r"(?:\d+(?:\.\d+)*\.?|(?i:[IVX]+)\.)?"
_FIRST_LETTERS = "".join(sorted({heading[0] for heading in _HEADINGS.split("|")}))
_HEADING = rf"[ \t#*_=]*+{_NUMBER}[ \t]*+(?i:(?=[{_FIRST_LETTERS}])(?:{_HEADINGS}))[ \t:.#*_=]*+\r?$"
_APPENDIX = rf"[ \t#*_=]*+{_NUMBER}[ \t]*+(?i:{_APPENDICES})\b[^\n]{{0,80}}$"
"""Case counts for nothing in words alone: if it counts for nothing in all of a pattern, then that takes half as long
again."""
_ENTRY = re.compile(
    r"(?<!\d)(?:1[5-9]|20)\d\d(?!\d)|^\s*(?:\[\w{1,12}\]|\(?\d{1,3}[.)])|\bdoi\b|https?://|\bISBN\b|\bpp?\.\s?\d|\bS\.\s?\d"
)
_LOOKED_AT, _LOOKED_AT_CHARS = 20, 20_000
_HEADINGS_TRIED = 8
"""The last 8 headings are tried: a table of contents names the bibliography too."""


def quotations(text: str) -> list[Span]:
    """Return the quotations and block quotes of a text, marks included, ascending and disjoint.

    >>> text = 'He said “never again” and left. "Again" is a word.'
    >>> [text[span.start : span.stop] for span in quotations(text)]
    ['“never again”', '"Again"']
    """
    return merged([*between_marks(text, MOST_QUOTED), *_in_form(text)])


def bibliography(text: str) -> list[Span]:
    """Return the part of a text that lists its sources, the heading included: one span, or none.

    >>> text = "So it ends.\\n\\nReferences\\n[1] Broder, A. Z. (1997). On the resemblance of documents.\\n"
    >>> [text[span.start : span.stop][:10] for span in bibliography(text)]
    ['References']
    """
    headings = deque(_lines(_HEADING, text), maxlen=_HEADINGS_TRIED)
    appendices = [line.start for line in _lines(_APPENDIX, text)] if headings else []
    for heading in reversed(headings):
        stop = next((start for start in appendices if start > heading.stop), len(text))
        if _looks_like_entries(text[heading.stop : min(stop, heading.stop + _LOOKED_AT_CHARS)]):
            return [Span(heading.start, stop)]
    return []


def _lines(pattern: str, text: str) -> Iterator[Span]:
    """Yield the lines that a pattern of whole lines matches, ascending.

    They are searched for with the line end before them: `^` would be tried at each character.
    """
    for found in re.compile("\n" + pattern, re.M).finditer("\n" + text):
        yield Span(found.start(), found.end() - 1)


def _in_form(text: str) -> Iterator[Span]:
    """Yield the quotations of LaTeX and the block quotes."""
    patterns = [_LATEX]
    if ">" in text and (text.lstrip(" \t").startswith(">") or _BLOCK_LINE.search(text)):
        patterns.append(_BLOCK)
    for pattern in patterns:
        for found in pattern.finditer(text):
            yield Span(*found.span())


def _looks_like_entries(text: str) -> bool:
    lines = [line for line in text.splitlines() if line.strip()][:_LOOKED_AT]
    paragraphs = [part for part in _BLANK_LINE.split(text) if part.strip()][:_LOOKED_AT]
    return any(2 * sum(bool(_ENTRY.search(one)) for one in some) >= len(some) > 0 for some in (lines, paragraphs))
