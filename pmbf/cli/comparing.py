"""`pmbf compare`: everyone with everyone in a folder."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from types import FrameType
from typing import TYPE_CHECKING, Annotated, Any

from pmbf.cli import arguments as arg
from pmbf.cli import params
from pmbf.cli.inputs import expanded, given, ignored_texts, limits, n_cores
from pmbf.cli.labelling import Excluding, excluded
from pmbf.cli.outcome import end_of_comparison, note, note_kernels, print_json, print_text
from pmbf.cli.tables import Table, TableFile, require_tables, write_tables
from pmbf.cli.targets import require_elsewhere, require_own, require_own_pages
from pmbf.cli.words import explained

if TYPE_CHECKING:
    pass

EPILOG = """Examples:
  pmbf compare essays/
  pmbf compare essays/ --group-by folder --ignore task.txt --html report/
  pmbf compare essays/ --group-by '^([^_]+)_' --threshold 20% --table pairs.csv
  pmbf compare essays/ --group-by class.csv -c library.pmbf

Texts of one group are not compared with each other. Text that more than a
fourth of the groups has does not count (--common). Of a pair, a share is
without what both texts have from a library, and in brackets with it.

Exit codes: 0 no pair; 1 pairs that share text, though it may not count
(--template, --exclude quotations, --common); 2 wrong usage; 3 an error, or no
pair but not everything was read, or fewer than two texts with a word"""

GROUPS = "Who is compared with whom"


def parse_common(text: str) -> float:
    """Return how many groups may share text: a whole number, or a share below 1 for a percentage.

    >>> parse_common("8"), parse_common("25%")
    (8, 0.25)
    """
    if text.isdecimal() and int(text):
        return int(text)
    if not text.endswith("%"):
        raise ValueError(f"{text!r} is neither a number of groups nor a percentage of them, such as 8 or 25%")
    return float(arg.parse_share(text))


Texts = Annotated[list[str], arg.names("PATH", "A folder with the texts; or files and folders.")]
GroupBy = Annotated[
    str | None,
    arg.option(
        "--group-by",
        "folder|REGEX|FILE.csv",
        "What is by one author: the first folder of a name; what a regular expression finds in it; or a table of "
        "labels: the column path, and group or author (default: each file by itself).",
        GROUPS,
    ),
]
Common = Annotated[
    float | None,
    arg.option(
        "--common",
        "N|P%",
        "Text that more groups have does not count (default: 25%, at least 5, at most 50).",
        GROUPS,
        parser=parse_common,
    ),
]
Libraries = Annotated[
    list[str] | None,
    arg.option(
        "--collection",
        "FOLDER",
        "A library: what both texts of a pair have from it is told apart; repeatable.",
        GROUPS,
        short="-c",
    ),
]
Threshold = Annotated[
    float | None,
    arg.option(
        "--threshold", "SHARE", "Leave out pairs of a lower share: 0.2, 20% (default: 0).", arg.SEARCH,
        parser=arg.parse_share,
    ),
]  # fmt: skip
Sensitivity = Annotated[
    str | None,
    arg.option(
        "--sensitivity",
        "fast|normal|thorough",
        "Texts that each is compared with for faint traces of rewording: 8, 24 or 60 (default: fast).",
        arg.SEARCH,
    ),
]
Html = Annotated[
    str | None, arg.option("--html", "FOLDER|FILE.html", "Write pages: an overview, and one for each pair.", arg.OUTPUT)
]
Pairs = Annotated[
    int | None,
    arg.option("--pairs", "N|all", "Show the N best pairs (default: 20).", arg.OUTPUT, parser=arg.parse_count),
]
Passages = Annotated[
    int | None,
    arg.option(
        "--passages",
        "N|all",
        "Show the N longest passages of each pair (default: 0).",
        arg.OUTPUT,
        parser=arg.parse_count,
    ),
]
Json = Annotated[bool, arg.flag("--json", "Print the whole comparison as one line of JSON.", arg.OUTPUT)]

Exclude = Annotated[list[Any] | None, Excluding("quotations", "bibliography").option]
Param = Annotated[list[Any] | None, params.KnownParams(params.READING, params.SIMILARITY).option]


@explained(EPILOG)
def compare(
    texts: Texts,
    group_by: GroupBy = None,
    collection: Libraries = None,
    common: Common = None,
    jobs: arg.ScreenJobs = None,
    param: Param = None,
    pairs: Pairs = None,
    passages: Passages = None,
    html: Html = None,
    table: Table = None,
    json: Json = False,
    quiet: arg.Quiet = False,
    force: arg.Force = False,
    threshold: Threshold = None,
    min_chars: arg.MinChars = None,
    sensitivity: Sensitivity = None,
    ignore: arg.Ignore = None,
    template: arg.TemplateName = None,
    exclude: Exclude = None,
) -> int:
    """Compare all texts of a folder with each other: pairs that share passages, and clusters."""
    from pmbf.cli.shown.canvas import View, wants_color
    from pmbf.cli.shown.compared import comparison_text
    from pmbf.cli.shown.progress import steps_progress
    from pmbf.comparison import compare as compared
    from pmbf.comparison.pages import write_pages
    from pmbf.comparison.reports import COLUMNS, rows

    tables: Sequence[TableFile] = table or ()
    require_tables(tables, json=json, quiet=quiet, force=force)
    bounds = limits(param)
    asked = given(
        group_by=group_by,
        common=common,
        threshold=threshold,
        min_chars=min_chars,
        sensitivity=sensitivity,
        template=template,
        **excluded(exclude),
        **params.of(param, params.SIMILARITY),
    )
    ignored = dict(zip(ignore or (), ignored_texts(ignore or (), bounds), strict=True))
    paths = [path for word in texts for path in expanded(word)]
    _require_possible(html, tables, paths, collection or (), force=force)
    if not quiet:
        note_kernels()
    with removed_on_signals(), steps_progress(shown=not quiet and sys.stderr.isatty()) as advance:
        found = compared(
            paths[0] if len(paths) == 1 else paths,
            collection=collection or (),
            ignore=ignored,
            jobs=jobs or n_cores(),
            limits=bounds,
            on_progress=advance,
            **asked,
        )
        page = write_pages(found, html, on_progress=advance) if html else None
    view = View(colored=wants_color(sys.stdout), n_passages=passages or 0)
    is_printed = write_tables(tables, COLUMNS, lambda: rows(found), [*found.problems, *found.warnings])
    if not quiet and not is_printed:
        shown = given(n_pairs=pairs)
        print_json(found.to_dict()) if json else print_text(comparison_text(found, view, **shown))
    if page and not quiet:
        note(f"{page} shows it")
    return end_of_comparison(
        found=bool(found.found),
        problems=found.problems,
        n_compared=sum(bool(member.n_tokens) for member in found.members),
        told="a comparison needs two texts with words; name their folder, or more files",
    )


def _require_possible(
    html: str | None, tables: Sequence[TableFile], paths: Sequence[str], libraries: Sequence[str], *, force: bool
) -> None:
    """Refuse to write among the texts or the documents of a library, and pages over files that pmbf did not write."""
    from pmbf.collection import Collection

    places = [("--html", html), *(("--table", one.path) for one in tables)]
    with ExitStack() as stack:
        opened = [stack.enter_context(Collection(library)) for library in libraries if html or tables]
        require_elsewhere(places, paths, opened, force=force)
    if html:
        is_file = html.lower().endswith((".html", ".htm"))
        if not is_file:
            require_own_pages("--html", html, force=force)
        if is_file or not os.path.isdir(html):
            require_own("--html", html, "page", force=force)


@contextmanager
def removed_on_signals() -> Iterator[None]:
    """Let a signal that ends the process remove the temporary folder first."""

    def leave(number: int, frame: FrameType | None) -> None:
        raise SystemExit(128 + number)

    numbers = (signal.SIGTERM, signal.SIGHUP)
    before = [signal.signal(number, leave) for number in numbers]
    try:
        yield
    finally:
        for number, handler in zip(numbers, before, strict=True):
            signal.signal(number, handler)
