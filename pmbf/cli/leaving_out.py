"""The options that say which documents are looked at."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Annotated

from pmbf.base.errors import NotFoundError, ParameterError
from pmbf.cli.arguments import flag, option

if TYPE_CHECKING:
    from pmbf.collection import Collection
    from pmbf.store.listing import Listed

LOOKED_AT = "Which documents are looked at"

ExcludeSelf = Annotated[
    bool,
    flag(
        "--exclude-self",
        "Leave out what is listed under the text's own path; identical copies under other paths stay.",
        LOOKED_AT,
    ),
]
ExcludeSame = Annotated[
    list[str] | None,
    option("--exclude-same", "NAME", "Leave out what shares the text's label NAME, a group; repeatable.", LOOKED_AT),
]
Where = Annotated[
    list[str] | None,
    option(
        "--where",
        "NAME=VALUE",
        "Only what has this label; VALUE may be a glob; repeatable: any value of a name, all names.",
        LOOKED_AT,
    ),
]
WhereNot = Annotated[
    list[str] | None,
    option("--where-not", "NAME=VALUE", "Leave out what has this label, or all of several; repeatable.", LOOKED_AT),
]


def conditions(given: Sequence[str] | None) -> dict[str, list[str]]:
    """Return the values of each label that conditions name.

    Raises:
        ParameterError: A condition has no `=`.

    >>> conditions(["author=berg", "author=stone", "group="])
    {'author': ['berg', 'stone'], 'group': ['']}
    """
    found: dict[str, list[str]] = {}
    for one in given or ():
        name, equals, value = one.partition("=")
        if not (name and equals):
            raise ParameterError(f"{one!r:.200} is no condition, expected NAME=VALUE, such as author=berg")
        found.setdefault(name, []).append(value)
    return found


def with_labels(
    documents: Iterable[Listed], where: Sequence[str] | None, where_not: Sequence[str] | None
) -> Iterator[Listed]:
    """Return an iterator over the documents with a path whose labels fit some conditions.

    Raises:
        ParameterError: A condition is wrong.
    """
    from pmbf.base import labels

    wanted, unwanted = labels.conditions(conditions(where)), labels.conditions(conditions(where_not))
    return (document for document in documents if document.fitting(wanted, unwanted))


def fitting(collection: Collection, where: Sequence[str] | None, where_not: Sequence[str] | None) -> list[str]:
    """Return the listed paths whose labels fit some conditions.

    Raises:
        NotFoundError: There is none.
        ParameterError: A condition is wrong.
    """
    from pmbf.base import labels

    wanted, unwanted = labels.conditions(conditions(where)), labels.conditions(conditions(where_not))
    found = [path for document in collection.documents() for path in document.fitting(wanted, unwanted)]
    if not found:
        raise NotFoundError(f"{collection.path}: no path has such labels; see `pmbf list`")
    return found
