"""`pmbf label`, and the options that label what is loaded and screened."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

from pmbf.base.errors import DONE, FAILED, ParameterError
from pmbf.cli import arguments as arg
from pmbf.cli.arguments import OUTPUT, flag, names, option
from pmbf.cli.inputs import open_collection, resolved
from pmbf.cli.leaving_out import Where, fitting
from pmbf.cli.outcome import note, print_json, print_text
from pmbf.cli.words import explained

if TYPE_CHECKING:
    from pmbf.collection import Collection
    from pmbf.intake.labelling import Labelling

LABELS = "Labels"
LABEL_HELP = """Examples:
  pmbf label essays/stone.txt author=stone group=a -c essays.pmbf
  pmbf label --labels labels.csv -c essays.pmbf
  pmbf label --where group=a group= -c essays.pmbf      take the label away

A table has a line with the names of its columns. The column `path`, or else
`name`, says which document a row is of; each other column is a label. An empty
cell takes a label away.

Exit codes: 0 done; 2 wrong usage; 3 an error, or a row of no document"""

Words = Annotated[
    list[str] | None, names("PATH|NAME=VALUE", "Paths, names and ids; then labels, an empty VALUE: none.")
]
Labels = Annotated[
    list[str] | None,
    option(
        "--labels",
        "CSV|REGEX",
        "A table of labels: the column path, one column a label. Or labels in paths: "
        "'(?P<author>[^/]+)/(?P<year>[0-9]{4})'. Both may be given.",
        LABELS,
    ),
]
Quiet = Annotated[bool, flag("--quiet", "Print only problems.", OUTPUT)]


@explained(LABEL_HELP)
def label(
    words: Words = None,
    collection: arg.CollectionFolder = None,
    labels: Labels = None,
    where: Where = None,
    json: arg.Json = False,
    quiet: Quiet = False,
) -> int:
    """Set, change or take away labels of documents: author, group, date, any name."""
    from pmbf.cli.shown.summaries import label_text, problem_lines
    from pmbf.intake.labelling import LabelTable

    labelling = labelling_of(labels)
    with open_collection(collection) as opened:
        targets, values = _parted(opened, words or [])
        if bool(values) == bool(labelling):
            raise ParameterError("expected labels NAME=VALUE, or --labels, and not both")
        if values and not (targets or where):
            raise ParameterError("no PATH given: name the documents to label, or use --where")
        named = [*resolved(opened, targets), *(fitting(opened, where) if where else [])]
        n_changed = opened.label(named or None, labelling or values)
    unused = list(labelling.unused()) if isinstance(labelling, LabelTable) else []
    if json:
        print_json({"n_labelled": n_changed, "problems": [f"{one.path}: {one.reason}" for one in unused]})
    else:
        print_text("" if quiet else label_text(n_changed))
        for line in problem_lines(unused):
            note(line)
    return FAILED if unused else DONE


def labelling_of(labels: Sequence[str] | None) -> Labelling | None:
    """Return what labels paths: a table, a pattern, or both; the table overrules the pattern.

    Args:
        labels: Files, and regular expressions, which have a group with a name: `(?P<author>…)`.

    Raises:
        ParameterError: One of them is wrong; the table names the line. Or several of a kind are given.
        PmbfError, OSError: The table cannot be read.
    """
    if not labels:
        return None
    from pmbf.intake.labelling import LabelPattern, LabelTable

    patterns = [one for one in labels if "(?P<" in one and not os.path.exists(one)]
    tables = [one for one in labels if one not in patterns]
    if len(patterns) > 1 or len(tables) > 1:
        raise ParameterError("--labels is given more than once; give one table, and one regular expression")
    in_paths = LabelPattern(patterns[0]) if patterns else None
    return LabelTable.read(tables[0], in_paths) if tables else in_paths


def _parted(collection: Collection, words: Sequence[str]) -> tuple[list[str], dict[str, str]]:
    """Return which words name documents, and the labels of the others; a listed path may hold a `=`."""
    targets = [word for word in words if "=" not in word or word in collection]
    pairs = [word.partition("=") for word in words if "=" in word and word not in collection]
    return targets, {name: value for name, _, value in pairs}
