"""Lists beside the sources on a page: the sections of the text, the sentences of each source, what each site says."""

from __future__ import annotations

from pmbf.pages.markup import counted, escaped, percent
from pmbf.report import Report, Section
from pmbf.sentences.report import Sentence, SentenceReport, SentenceSource, SiteAnswer

_RULES = {"compare": "", "skip": "skipped", "same": "compared with the same section"}

SHOWN_CHARS = 160
"""Characters of a sentence that the list shows; the text beside it has all."""


def sections_list(report: Report) -> str:
    """Return the list of the sections that a template found; a note if it found none; nothing without a template."""
    if not report.template:
        return ""
    if not report.sections:
        told = f"The template {escaped(report.template)} found none of its sections: the whole text was compared."
        return f'<p class="note">{told}</p>'
    rows = "".join(map(_section, report.sections))
    title = f"{counted(len(report.sections), 'section')} (template <bdi>{escaped(report.template)}</bdi>)"
    return f'<h2 class="label">{title}</h2><ol class="sections">{rows}</ol>'


def _section(section: Section) -> str:
    share = "" if section.rule == "skip" else f"<b>{percent(section.coverage)}</b> "
    told = [_RULES[section.rule]] if _RULES[section.rule] else []
    if section.n_elsewhere:
        told.append(f"{counted(section.n_elsewhere, 'source')} with shared text elsewhere")
    told.append(f"characters {section.span.start:,} to {section.span.stop:,}")
    return f'<li>{share}<bdi>{escaped(section.name)}</bdi> <span class="faint">{", ".join(told)}</span></li>'


def sentences_list(report: SentenceReport, text: str, *, hide_names: bool) -> str:
    """Return the found sentences for each source, then what each site that was asked says.

    The text is clean. With `hide_names` no name of a document or site is shown.
    """
    contacts = {one.name: one.contact for one in report.sites}
    rows = "".join(
        _source(rank, one, report, text, "" if hide_names else contacts.get(one.site, ""), hide_names=hide_names)
        for rank, one in enumerate(report.sources, 1)
    )
    sites = "" if hide_names else "".join(map(_site, report.sites))
    listed = f'<h2 class="label">Sentences of each source</h2>{rows}' if rows else ""
    return listed + (f'<h2 class="label">{counted(len(report.sites), "site")}</h2><ul>{sites}</ul>' if sites else "")


def _source(
    rank: int, source: SentenceSource, report: SentenceReport, text: str, contact: str, *, hide_names: bool
) -> str:
    name = "" if hide_names else f' <bdi class="private">{escaped(source.document.path)}</bdi>'
    told = "claimed by keys, no words compared" if source.claimed else ""
    if source.pairs and not any(len(pair.source) for pair in source.pairs):
        ask = f'; ask <bdi class="private">{escaped(contact)}</bdi>' if contact else ""
        told += f"{'; ' if told else ''}its words are withheld by the site{ask}"
    note = f'<p class="note">{told}</p>' if told else ""
    numbered = [(number, one) for number, one in enumerate(report.sentences, 1)]
    items = "".join(_sentence(number, one, source.document.id, text) for number, one in numbered)
    head = f"<summary><b>{rank}</b>{name} {counted(source.n_sentences, 'sentence')}</summary>"
    return f'<details class="sentences">{head}{note}<ol>{items}</ol></details>'


def _sentence(number: int, sentence: Sentence, document: int, text: str) -> str:
    origin = next((one for one in sentence.origins if one.document == document), None)
    if origin is None:
        return ""
    words = " ".join(text[sentence.span.start : sentence.span.stop].split())
    shown = words if len(words) <= SHOWN_CHARS else words[: SHOWN_CHARS - 1] + "…"
    told = "claimed" if sentence.outcome == "claimed" else "alike"
    alike = told if origin.similarity is None else percent(origin.similarity)
    return f'<li value="{number}"><bdi>{escaped(shown)}</bdi> <span class="faint">{alike}</span></li>'


def _site(site: SiteAnswer) -> str:
    problem = f' <span class="note">{escaped(site.problem)}</span>' if site.problem else ""
    return f'<li class="private"><bdi>{escaped(site.told)}</bdi>{problem}</li>'
