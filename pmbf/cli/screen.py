"""`pmbf screen`, and what it shares with `pmbf sentences screen`: which documents are looked at."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

from pmbf.cli import arguments as arg
from pmbf.cli import pages as page
from pmbf.cli import params, tables
from pmbf.cli.inputs import given, ignored_texts, limits, open_any, require_files
from pmbf.cli.labelling import Excluding, Labels, Where, conditions, excluded, labelling_of
from pmbf.cli.outcome import note_kernels
from pmbf.cli.words import explained

EPILOG = """Examples:
  pmbf screen thesis.pdf -c papers.pmbf
  pmbf screen thesis.pdf -c papers.pmbf --passages all --threshold 0.01
  pmbf screen drafts/ late/*.txt -c papers.pmbf --jobs 4
  pdftotext draft.pdf - | pmbf screen - -c papers.pmbf --name draft
  pmbf screen *.docx -c papers.pmbf --json | jq .coverage
  pmbf screen essays -c essays.pmbf --exclude self,same=group
  pmbf screen essays/ -c papers.pmbf --table class.xlsx --rows texts
  pmbf screen thesis.pdf -c papers.pmbf --html thesis.html
  pmbf screen thesis.pdf -c papers.pmbf --template thesis
  pmbf screen thesis.pdf -c ray://10.0.0.1:6379/mnt/depot

Sentence by sentence: `pmbf sentences screen`. With collections of other houses:
`pmbf site ask`.

In a passage {+these words+} stand only in the text, \\[-these-] only in the
source; on a terminal they are green and red instead.

Exit codes: 0 nothing found; 1 something found, though it may not count
(--template, --exclude quotations); 2 wrong usage; 3 an error, or nothing found
but not everything was read, or nothing to compare: no word in the text, no text
in a folder, no document in the collection; of several files the highest code"""

SETTINGS = params.KnownParams(params.READING, params.SIMILARITY, params.CANDIDATES, params.PAGES, params.WORDS)
Param = Annotated[list[Any] | None, SETTINGS.option]
Exclude = Annotated[list[Any] | None, Excluding("quotations", "bibliography", "self", "same").option]


def looked_at(
    template: str | None, where: Sequence[str] | None, labels: Sequence[str] | None, exclude: Any, **own: Any
) -> dict[str, Any]:
    """Return fields of `pmbf.screen.Options`; what is wrong with them is told before a long file is read."""
    from pmbf.screen import Options
    from pmbf.screen.templates import template_of

    wanted, unwanted = conditions(where)
    options = excluded(exclude) | own
    options |= given(
        template=template_of(template) if template else None,
        where=wanted or None,
        where_not=unwanted or None,
        labels_of=labelling_of(labels),
    )
    Options(**options)
    return options


@explained(EPILOG)
def screen(
    files: arg.Files,
    collection: arg.AnyCollection = None,
    name: arg.Name = None,
    ocr: arg.Ocr = None,
    jobs: arg.ScreenJobs = None,
    param: Param = None,
    sources: arg.Sources = None,
    passages: arg.Passages = None,
    html: page.Html = None,
    table: tables.Table = None,
    rows: tables.Rows = None,
    json: arg.JsonReports = False,
    quiet: arg.Quiet = False,
    force: arg.Force = False,
    threshold: arg.Threshold = None,
    min_chars: arg.MinChars = None,
    sensitivity: arg.Sensitivity = None,
    ignore: arg.Ignore = None,
    template: arg.TemplateName = None,
    exclude: Exclude = None,
    where: Where = None,
    labels: Labels = None,
) -> int:
    """Find the documents that share text with a file, or with many, and show where."""
    from pmbf.cli.screening import FileScreening, screen_output

    require_files(files, name)
    bounds = limits(param, ocr)
    own = given(
        min_chars=min_chars,
        threshold=threshold,
        sensitivity=sensitivity,
        ignore=ignored_texts(ignore or (), bounds) or None,
        **params.of(param, params.SIMILARITY, params.CANDIDATES),
    )
    options = looked_at(template, where, labels, exclude, **own)
    shown = screen_output(
        table, rows, sources=sources, passages=passages, html=html, param=param, json=json, quiet=quiet, force=force
    )
    if not quiet:
        note_kernels()
    with open_any(collection) as asked:
        return FileScreening(asked, options, bounds, shown, jobs).screen_all(files, name)
