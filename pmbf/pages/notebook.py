"""A report in a notebook: its page in a frame of its own, or a table if the page is large."""

from __future__ import annotations

import html

from pmbf.pages.evidence import evidence_page
from pmbf.pages.markup import counted, escaped, percent
from pmbf.report import Report
from pmbf.report.values import told_amounts

MOST_CHARS = 600_000
"""Characters of the largest page that is kept in a notebook file; of a larger one the table is shown."""
MOST_ROWS = 20


def notebook_view(report: Report) -> str:
    """Return a report as HTML for a notebook: its page in a sandboxed frame.

    If the page is large, or if the report holds no texts, then a table of its sources.
    """
    if report.texts and report.query.n_chars < MOST_CHARS:
        whole = evidence_page(report)
        if len(whole) <= MOST_CHARS:
            return (
                '<iframe sandbox="allow-scripts allow-modals" title="Shared passages" '
                'style="width:100%;height:640px;border:1px solid #8888;border-radius:8px" '
                f'srcdoc="{html.escape(whole)}"></iframe>'
            )
    return compact_view(report)


def compact_view(report: Report) -> str:
    """Return a report as a table of its sources, the best twenty, without texts."""
    rows = "".join(
        f"<tr><td>{rank}</td><td>{percent(match.coverage)}</td><td>{len(match.passages)}</td>"
        f"<td>{escaped(match.certainty or '')}</td><td>{escaped(match.document.path)}</td></tr>"
        for rank, match in enumerate(report.matches[:MOST_ROWS], 1)
    )
    left = len(report.matches) - MOST_ROWS
    more = f"<p>… and {counted(left, 'more source')}</p>" if left > 0 else ""
    head = "<tr><th>#</th><th>share</th><th>passages</th><th>certainty</th><th>source</th></tr>"
    out = told_amounts(report.not_counted, report.query.n_chars, percent) if report.not_counted else ""
    notes = f" Found, but not counted: {out}." if out else ""
    notes += f" {counted(report.n_below, 'more source')} below the threshold." if report.n_below else ""
    notes += "".join(f" Incomplete: {escaped(problem)}." for problem in report.problems[:MOST_ROWS])
    return (
        f"<p><b>{percent(report.coverage)}</b> of {escaped(report.query.name or 'the text')} shared with sources "
        f"({counted(report.n_documents, 'document')} compared).{notes} "
        "<code>pmbf.page(report)</code> returns the page.</p>"
        f"<table><thead>{head}</thead><tbody>{rows}</tbody></table>{more}"
    )
