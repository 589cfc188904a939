"""Exempt spans: what a query's author marks as somebody else's words, and what does not count for it.

A quotation stands between quotation marks inside one paragraph, or in a block quote (lines that begin with `>`); which
marks belong together says `quoting.py`. A bibliography begins with a heading that says so, in some twenty languages,
and most lines after the heading look like entries. It ends at the heading of an appendix, or with the text. What of the
passages counts then says `resolving.py`.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from pmbf import verify
from pmbf.base.span import Span, merged
from pmbf.report import NotCounted, Section
from pmbf.screen.options import Options
from pmbf.screen.quoting import between_marks
from pmbf.screen.templates import Template
from pmbf.text import clean

MOST_QUOTED = 4000
"""Characters of the longest quotation between marks. If the marks are further apart, then one mark is missing."""

_NO_BLANK_LINE = r"(?!\n[ \t\r]*\n)"
_LATEX = re.compile(rf"``(?<![\w.,!?;:…]``)(?:{_NO_BLANK_LINE}(?!``|'').){{1,{MOST_QUOTED}}}''", re.S)
_BLOCK_LINE = r"\n[ \t]*+>[^\n]*+"
_BLOCK = re.compile(f"{_BLOCK_LINE}(?:{_BLOCK_LINE})*")
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
_BY_LETTER = "|".join(
    f"{letter}(?:{'|'.join(one[1:] for one in _HEADINGS.split('|') if one[0] == letter)})" for letter in _FIRST_LETTERS
)
"""With the 60 headings side by side a text takes half as long again."""
_HEADING = rf"[ \t#*_=]*+{_NUMBER}+[ \t]*+(?i:(?=[{_FIRST_LETTERS}])(?:{_BY_LETTER}))[ \t:.#*_=]*+\r?$"
_APPENDIX = rf"[ \t#*_=]*+{_NUMBER}[ \t]*+(?i:{_APPENDICES})\b[^\n]{{0,80}}$"
"""Case counts for nothing in words alone: if it counts for nothing in all of a pattern, then that takes half as long
again."""
_ENTRY = re.compile(
    r"(?<!\d)(?:1[5-9]|20)\d\d(?!\d)|^\s*(?:\[\w{1,12}\]|\(?\d{1,3}[.)])|\bdoi\b|https?://|\bISBN\b|\bpp?\.\s?\d|\bS\.\s?\d"
)
_LOOKED_AT, _LOOKED_AT_CHARS = 20, 20_000
_HEADINGS_TRIED = 8
"""The last 8 headings are tried: a table of contents names the bibliography too."""


@dataclass(frozen=True, slots=True)
class Exempt:
    """Spans of a query, each list ascending and disjoint.

    `excluded` are those that do not count: quotations (`quoted`) and bibliography (`listed`) if the options exclude
    them, ignored texts, and what a template skips of its `sections`. `reasons` has them by why they do not count.
    """

    quoted: Sequence[Span] = ()
    listed: Sequence[Span] = ()
    excluded: Sequence[Span] = ()
    sections: Sequence[Section] = ()
    reasons: Mapping[NotCounted, Sequence[Span]] = field(default_factory=dict)


def exempt(content: str | bytes, options: Options) -> Exempt:
    """Return the exempt spans of a query, given as a clean `str` or as UTF-8."""
    excludes = options.exclude_quotations or options.exclude_bibliography or options.ignore or options.template
    if not (options.apparatus or excludes):
        return Exempt()
    text = content if isinstance(content, str) else content.decode()
    quoted = quotations(text) if options.apparatus or options.exclude_quotations else []
    listed = bibliography(text) if options.apparatus or options.exclude_bibliography else []
    if not excludes:
        return Exempt(quoted, listed)
    template = options.template if isinstance(options.template, Template) else None
    sections = template.cut(text) if template else []
    skipped = template.skipped(sections, len(text)) if template else []
    ignored = spans_in(text, options.ignore, min_chars=options.min_chars, min_similarity=options.min_similarity)
    reasons: dict[NotCounted, Sequence[Span]] = {
        "skipped": skipped,
        "bibliography": listed if options.exclude_bibliography else (),
        "quotation": quoted if options.exclude_quotations else (),
        "ignored": merged(ignored),
    }
    reasons = {reason: spans for reason, spans in reasons.items() if spans}
    excluded = merged([span for spans in reasons.values() for span in spans])
    return Exempt(quoted, listed, excluded, sections, reasons)


def spans_in(
    text: str, templates: Sequence[str], *, min_chars: int, min_similarity: float = verify.Settings().threshold
) -> list[Span]:
    """Return the spans of a text that stand in other texts, in any order.

    The text is clean; the other texts are such as forms that many texts are filled into.
    """
    if not any(templates):
        return []
    query = verify.prepare(text)
    settings = verify.Settings(min_chars=min_chars, threshold=min_similarity, least_evidence=0.0)
    pairs = [verify.TextPair(query, verify.prepare(clean(template)), settings) for template in templates]
    return [one.query for found in verify.passages_each(pairs, None) for one in found]


def quotations(text: str) -> list[Span]:
    """Return the quotations and block quotes of a text, marks included, ascending and disjoint.

    >>> text = 'He said “never again” and left. "Again" is a word.'
    >>> [text[span.start : span.stop] for span in quotations(text)]
    ['“never again”', '"Again"']
    """
    found = between_marks(text, MOST_QUOTED)
    if "``" in text:
        found += _matched(_LATEX, text)
    if ">" in text:
        # As in `_lines`; the end of the last line is part of the quotation.
        found += [Span(one.start(), min(one.end(), len(text))) for one in _BLOCK.finditer("\n" + text)]
    return merged(found)


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


def _matched(pattern: re.Pattern[str], text: str) -> list[Span]:
    return [Span(*found.span()) for found in pattern.finditer(text)]


def _looks_like_entries(text: str) -> bool:
    lines = [line for line in text.splitlines() if line.strip()][:_LOOKED_AT]
    paragraphs = [part for part in _BLANK_LINE.split(text) if part.strip()][:_LOOKED_AT]
    return any(2 * sum(bool(_ENTRY.search(one)) for one in some) >= len(some) > 0 for some in (lines, paragraphs))
