"""The options that say which documents are looked at."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Annotated, Any

from pmbf.base.errors import NotFoundError, ParameterError
from pmbf.cli.arguments import option

if TYPE_CHECKING:
    from pmbf.store.listing import Listed
    from pmbf.verbs import AnyCollection

LOOKED_AT = "Which documents are looked at"

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

_HELP = {
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
        told = "; ".join(text for name, text in _HELP.items() if name in self._known)
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


Labels = dict[str, list[str]]


def conditions(given: Sequence[str] | None) -> tuple[Labels, Labels]:
    """Return the values of each label that documents shall have, and of those that they shall not have.

    Raises:
        ParameterError: A condition has no `=`.

    >>> conditions(["author=berg", "author=stone", "group!="])
    ({'author': ['berg', 'stone']}, {'group': ['']})
    """
    wanted: Labels = {}
    unwanted: Labels = {}
    for one in given or ():
        name, equals, value = one.partition("=")
        if not (name.rstrip("!") and equals):
            raise ParameterError(f"{one!r:.200} is no condition, expected NAME=VALUE or NAME!=VALUE, as author=berg")
        (unwanted if name.endswith("!") else wanted).setdefault(name.removesuffix("!"), []).append(value)
    return wanted, unwanted


def with_labels(documents: Iterable[Listed], where: Sequence[str] | None) -> Iterator[Listed]:
    """Return an iterator over the documents with a path whose labels fit some conditions.

    Raises:
        ParameterError: A condition is wrong.
    """
    from pmbf.base import labels

    wanted, unwanted = map(labels.conditions, conditions(where))
    return (document for document in documents if document.fitting(wanted, unwanted))


def fitting(collection: AnyCollection, where: Sequence[str]) -> list[str]:
    """Return the listed paths whose labels fit some conditions.

    Raises:
        NotFoundError: There is none.
        ParameterError: A condition is wrong.
    """
    from pmbf.base import labels

    wanted, unwanted = map(labels.conditions, conditions(where))
    found = [path for document in collection.documents() for path in document.fitting(wanted, unwanted)]
    if not found:
        raise NotFoundError(f"{collection.path}: no path has such labels; see `pmbf list`")
    return found
