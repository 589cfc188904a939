"""The sections of a text on its page: a list beside the sources."""

from __future__ import annotations

from pmbf.pages.markup import counted, escaped, percent
from pmbf.report import Report, Section

_RULES = {"compare": "", "skip": "skipped", "same": "compared with the same section"}


def sections_list(report: Report) -> str:
    """Return the list of the sections that a template found; a note if it found none; nothing without a template."""
    if not report.template:
        return ""
    if not report.sections:
        told = f"The template {escaped(report.template)} found none of its sections: the whole text was compared."
        return f'<p class="note">{told}</p>'
    rows = "".join(map(_row, report.sections))
    title = f"{counted(len(report.sections), 'section')} (template <bdi>{escaped(report.template)}</bdi>)"
    return f'<h2 class="label">{title}</h2><ol class="sections">{rows}</ol>'


def _row(section: Section) -> str:
    share = "" if section.rule == "skip" else f"<b>{percent(section.coverage)}</b> "
    told = [_RULES[section.rule]] if _RULES[section.rule] else []
    if section.n_elsewhere:
        told.append(f"{counted(section.n_elsewhere, 'source')} with shared text elsewhere")
    told.append(f"characters {section.span.start:,} to {section.span.stop:,}")
    return f'<li>{share}<bdi>{escaped(section.name)}</bdi> <span class="faint">{", ".join(told)}</span></li>'
