"""Everyone with everyone: the texts of a class, a folder or a table compared with each other.

>>> from pmbf.comparison import compare
>>> sea = "The sea comes in twice a day and goes out twice a day, and nobody on this coast has ever asked it why."
>>> hill = "Behind the last house the road climbs a hill that the maps of three centuries spell in three ways."
>>> found = compare({"ann": sea, "bob": f"He wrote: {sea}", "cleo": hill})
>>> [(pair.a, pair.b, round(pair.share_b, 2)) for pair in found.pairs]
[('ann', 'bob', 0.91)]
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from contextlib import ExitStack

from pmbf.base.errors import ParameterError
from pmbf.collection import Collection
from pmbf.comparison.compared import How, compared
from pmbf.comparison.grouping import GroupBy
from pmbf.comparison.results import Cluster, Comparison, ComparisonSettings, Member, Pair, SharedPassage
from pmbf.extract import Limits
from pmbf.intake.entering import Texts
from pmbf.screen import Options
from pmbf.screen.templates import Template

__all__ = ["Cluster", "Comparison", "ComparisonSettings", "Member", "Pair", "SharedPassage", "compare"]

Library = str | os.PathLike[str] | Collection


def compare(
    texts: Texts,
    *,
    group_by: GroupBy = None,
    collection: Library | Iterable[Library] = (),
    ignore: Iterable[str] | Mapping[str, str] = (),
    common: int | float | None = None,
    threshold: float = 0.0,
    jobs: int = 1,
    limits: Limits | None = None,
    on_progress: Callable[[str, int, int], None] | None = None,
    min_chars: int = Options().min_chars,
    min_similarity: float = Options().min_similarity,
    sensitivity: str = "fast",
    exclude_quotations: bool = False,
    exclude_bibliography: bool = False,
    template: Template | str | os.PathLike[str] | None = None,
) -> Comparison:
    """Return which of some texts share passages with each other; no collection is needed.

    Args:
        texts: A folder; or files and folders; or a mapping from names to texts; or pairs of a name and a text.
        group_by: What makes a group, whose texts are not compared with each other: "folder", a regular expression for
            names, the path of a table (`.csv`) with the columns file and group, a mapping or a function from names to
            groups. None: each text is a group.
        collection: A library, or several: what both texts of a pair have from it is told apart.
        ignore: Texts whose passages do not count, such as the task; or a mapping from their names to the texts.
        common: Text that more groups than this have does not count; a `float` is a share of the groups. None: a fourth
            of the groups, at least 5, at most 50.
        threshold: Pairs of a lower share are only counted, 0 to 1.
        jobs: Processes that compare, at least 1.
        limits: Bounds for reading a file.
        on_progress: Called with what is being done, how many are done, and how many there are.
        min_chars, min_similarity, exclude_quotations, exclude_bibliography: As of `pmbf.screen.Options`.
        sensitivity: The same; "fast" is enough because each pair is looked for from both sides.
        template: As of `pmbf.screen.Options`; its rules hold for both texts of a pair.

    Raises:
        ParameterError: A value is outside its range, or two texts have one name.
        NotFoundError: A path does not exist.
        CorruptError: A file of a library is damaged.
    """
    named = ignore if isinstance(ignore, Mapping) else _numbered(ignore)
    wanted = Options(
        min_chars=min_chars,
        min_similarity=min_similarity,
        sensitivity=sensitivity,
        exclude_quotations=exclude_quotations,
        exclude_bibliography=exclude_bibliography,
        ignore=tuple(named.values()),
        template=template,
    )
    with ExitStack() as opened:
        how = How(
            group_by=group_by,
            libraries=tuple(_opened(one, opened) for one in _several(collection)),
            ignored=tuple(named),
            common=common,
            threshold=threshold,
            options=wanted,
            limits=limits or Limits(),
            jobs=jobs,
            advance=on_progress or (lambda what, done, total: None),
        )
        return compared(texts, how)


def _numbered(texts: Iterable[str]) -> dict[str, str]:
    if isinstance(texts, str):
        raise ParameterError(f"ignore is the single {texts!r:.80}, expected a list, even of one")
    return {f"text {number}": text for number, text in enumerate(texts, 1)}


def _several(collection: Library | Iterable[Library]) -> tuple[Library, ...]:
    if isinstance(collection, str | os.PathLike | Collection):
        return (collection,)
    return tuple(collection)


def _opened(library: Library, opened: ExitStack) -> Collection:
    return library if isinstance(library, Collection) else opened.enter_context(Collection(library))
