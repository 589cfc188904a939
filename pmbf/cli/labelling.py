"""`pmbf label`, and the options that label what is loaded and screened."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from pmbf.base.errors import DONE, FAILED, ParameterError
from pmbf.cli import arguments as arg
from pmbf.cli.arguments import OUTPUT, flag, names, option
from pmbf.cli.inputs import open_collection, resolved
from pmbf.cli.leaving_out import Where, WhereNot, fitting
from pmbf.cli.outcome import note, print_json, print_text

if TYPE_CHECKING:
    from pmbf.collection import Collection
    from pmbf.intake.labelling import Labelling

LABELS = "Labels"
LABEL_HELP = """Examples:
  pmbf label essays/stone.txt author=stone group=a -c essays.pmbf
  pmbf label --from labels.csv -c essays.pmbf
  pmbf label --where group=a group= -c essays.pmbf      take the label away

A table has a line with the names of its columns. The column `path`, or else
`name`, says which document a row is of; each other column is a label. An empty
cell takes a label away.

Exit codes: 0 done; 2 wrong usage; 3 an error, or a row of no document"""

Words = Annotated[
    list[str] | None, names("PATH|NAME=VALUE", "Paths, names and ids; then labels, an empty VALUE: none.")
]
Table = Annotated[str | None, option("--from", "CSV", "Set the labels that a table has.", LABELS)]
Labels = Annotated[
    str | None, option("--labels", "CSV", "A table of labels: the column path, one column a label.", LABELS)
]
Pattern = Annotated[
    str | None,
    option("--label-pattern", "REGEX", "Labels in paths: '(?P<author>[^/]+)/(?P<year>[0-9]{4})'.", LABELS),
]
Quiet = Annotated[bool, flag("--quiet", "Print only problems.", OUTPUT)]


def label(
    words: Words = None,
    collection: arg.CollectionFolder = None,
    table: Table = None,
    pattern: Pattern = None,
    where: Where = None,
    where_not: WhereNot = None,
    json: arg.Json = False,
    quiet: Quiet = False,
) -> None:
    """Set, change or take away labels of documents: author, group, date, any name."""
    from pmbf.cli.shown.summaries import label_text, problem_lines
    from pmbf.intake.labelling import LabelTable

    labelling = labelling_of(table, pattern)
    with open_collection(collection) as opened:
        targets, values = _parted(opened, words or [])
        if bool(values) == bool(labelling):
            raise ParameterError("expected labels NAME=VALUE, or --from CSV or --label-pattern REGEX, and not both")
        if values and not (targets or where or where_not):
            raise ParameterError("no PATH given: name the documents to label, or use --where")
        named = [*resolved(opened, targets), *(fitting(opened, where, where_not) if where or where_not else [])]
        n_changed = opened.label(named or None, labelling or values)
    unused = list(labelling.unused()) if isinstance(labelling, LabelTable) else []
    if json:
        print_json({"n_labelled": n_changed, "problems": [f"{one.path}: {one.reason}" for one in unused]})
    else:
        print_text("" if quiet else label_text(n_changed))
        for line in problem_lines(unused):
            note(line)
    raise typer.Exit(FAILED if unused else DONE)


def labelling_of(table: str | None, pattern: str | None) -> Labelling | None:
    """Return what labels paths: a table, a pattern, or both; the table overrules the pattern.

    Raises:
        ParameterError: One of them is wrong; the table names the line.
        PmbfError, OSError: The table cannot be read.
    """
    if not (table or pattern):
        return None
    from pmbf.intake.labelling import LabelPattern, LabelTable

    in_paths = LabelPattern(pattern) if pattern else None
    return LabelTable.read(table, in_paths) if table else in_paths


def _parted(collection: Collection, words: Sequence[str]) -> tuple[list[str], dict[str, str]]:
    """Return which words name documents, and the labels of the others; a listed path may hold a `=`."""
    targets = [word for word in words if "=" not in word or word in collection]
    pairs = [word.partition("=") for word in words if "=" in word and word not in collection]
    return targets, {name: value for name, _, value in pairs}
