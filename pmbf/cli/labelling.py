"""`pmbf label`, and the options that label documents and say which of them are looked at."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Annotated, Any

from pmbf.base.errors import DONE, FAILED, NotFoundError, ParameterError
from pmbf.cli import arguments as arg
from pmbf.cli.arguments import names, option
from pmbf.cli.inputs import open_collection, resolved
from pmbf.cli.outcome import note, print_json, print_text
from pmbf.cli.words import explained

if TYPE_CHECKING:
    from pmbf.collection import Collection
    from pmbf.intake.labelling import Labelling
    from pmbf.store.listing import Listed
    from pmbf.verbs import AnyCollection

LABELS = "Labels"
LOOKED_AT = "Which documents are looked at"
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
Where = Annotated[
    list[str] | None,
    option(
        "--where",
        "NAME=VALUE",
        "Only what has this label; NAME!=VALUE: what has not. VALUE may be a glob; repeatable: any value of a name, "
        "all names.",
        LOOKED_AT,
    ),
]


@explained(LABEL_HELP)
def label(
    words: Words = None,
    collection: arg.CollectionFolder = None,
    labels: Labels = None,
    where: Where = None,
    json: arg.Json = False,
    quiet: arg.QuietLoad = False,
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
    """Return what labels paths: a table, a regular expression with groups, or both; the table overrules."""
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


# ---------------------------------------------------------------------- what is looked at

_EXCLUDED = {
    "quotations": "quotations and bibliography: text that does not count",
    "self": "self: what is listed under the text's own path; identical copies under other paths stay",
    "same": "same=NAME: what shares the text's label NAME, a group",
}


class Excluding:
    """Parses what `--exclude` names, to fields of `pmbf.screen.Options`.

    >>> Excluding("quotations", "bibliography", "self", "same")("self,same=group")
    [('exclude_self', True), ('exclude_same', 'group')]
    """

    def __init__(self, *known: str) -> None:
        self._known = known

    def __call__(self, words: str) -> list[tuple[str, Any]]:
        """Return fields and values."""
        return [self._one(word.strip()) for word in words.split(",")]

    def _one(self, word: str) -> tuple[str, Any]:
        name, _, label = word.partition("=")
        if name not in self._known or (name == "same") != bool(label):
            spelled = ["same=NAME" if one == "same" else one for one in self._known]
            raise ValueError(f"{word!r} is not one of {', '.join(spelled)}")
        return f"exclude_{name}", label or True

    @property
    def option(self) -> Any:
        """The option `--exclude` of a command."""
        told = "; ".join(text for name, text in _EXCLUDED.items() if name in self._known)
        return option("--exclude", "WHAT,…", f"Leave out {told}.", LOOKED_AT, parser=self)


def excluded(given: Sequence[list[tuple[str, Any]]] | None) -> dict[str, Any]:
    """Return the fields of what `--exclude` named.

    >>> excluded([[("exclude_self", True)], [("exclude_same", "group"), ("exclude_same", "year")]])
    {'exclude_self': True, 'exclude_same': ['group', 'year']}
    """
    found: dict[str, Any] = {}
    for name, value in (one for several in given or () for one in several):
        found[name] = [*found.get(name, ()), value] if name == "exclude_same" else value
    return found


def conditions(given: Sequence[str] | None) -> tuple[dict[str, list[str]], dict[str, list[str]]]:
    """Return the values of each label that documents shall have, and of those that they shall not have.

    >>> conditions(["author=berg", "author=stone", "group!="])
    ({'author': ['berg', 'stone']}, {'group': ['']})
    """
    wanted: dict[str, list[str]] = {}
    unwanted: dict[str, list[str]] = {}
    for one in given or ():
        name, equals, value = one.partition("=")
        if not (name.rstrip("!") and equals):
            raise ParameterError(f"{one!r:.200} is no condition, expected NAME=VALUE or NAME!=VALUE, as author=berg")
        (unwanted if name.endswith("!") else wanted).setdefault(name.removesuffix("!"), []).append(value)
    return wanted, unwanted


def with_labels(documents: Iterable[Listed], where: Sequence[str] | None) -> Iterator[Listed]:
    """Return an iterator over the documents with a path whose labels fit some conditions."""
    from pmbf.base import labels

    wanted, unwanted = map(labels.conditions, conditions(where))
    return (document for document in documents if document.fitting(wanted, unwanted))


def fitting(collection: AnyCollection, where: Sequence[str]) -> list[str]:
    """Return the listed paths whose labels fit some conditions; none is an error."""
    from pmbf.base import labels

    wanted, unwanted = map(labels.conditions, conditions(where))
    found = [path for document in collection.documents() for path in document.fitting(wanted, unwanted)]
    if not found:
        raise NotFoundError(f"{collection.path}: no path has such labels; see `pmbf list`")
    return found
