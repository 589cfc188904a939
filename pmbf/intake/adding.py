"""Texts of a program's own, each with a name, become documents."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence

import numpy as np

from pmbf import kernels
from pmbf.base.errors import ParameterError
from pmbf.base.params import Params
from pmbf.intake.labelling import label
from pmbf.intake.texts import looks_like_a_path
from pmbf.jobs import without_garbage_collection
from pmbf.store.catalog_tables import TEXT_KIND, ListedPath
from pmbf.store.incoming import NewDocuments, first_of_each
from pmbf.store.writer import Writer
from pmbf.text import clean

Named = tuple[str, str]
"""A name and a text."""

OnProblem = Callable[[str], object]
"""Is told why a text is not stored."""

_FEW_WORDS, _MANY_WORDS = 4, 8
_ADDED_TOGETHER = 256
"""Texts that are looked up and sampled at once."""


def checked(pairs: Iterable[object], on_problem: OnProblem | None = None) -> list[Named | None]:
    """Return pairs of a name and a text, both clean.

    If there is an `on_problem`, then it is told of each item that cannot be stored, and None stands in its place. Most
    names and texts may not look swapped, nor most texts like paths. Raises `ParameterError`.
    """
    with without_garbage_collection():
        named = [_checked(row, pair, on_problem) for row, pair in enumerate(pairs)]
    stored = [one for one in named if one]
    n_swapped = sum(
        len(text) < len(name) and len(text.split()) < _FEW_WORDS and len(name.split()) >= _MANY_WORDS
        for name, text in stored
    )
    if n_swapped > len(stored) / 2:
        raise ParameterError(
            f"{n_swapped} of {len(stored)} texts have under {_FEW_WORDS} words, and their names {_MANY_WORDS} or more: "
            "add_many takes pairs (name, text), the name first"
        )
    _require_few_paths([text for _, text in stored])
    return named


def add_text(writer: Writer, named: Named, labels: Mapping[str, str] | None = None) -> int:
    """Store a text under its name, change labels of the name, commit, and return its document's id."""
    [document] = _added(writer, [named])
    if labels and (listed := writer.path(named[0])):
        label(writer, listed, labels)
    writer.commit(in_journal=True)
    return document


def add_texts(writer: Writer, named: Sequence[Named | None]) -> list[int | None]:
    """Store texts under their names, commit, and return their documents' ids; None stays None."""
    ids: list[int | None] = []
    with without_garbage_collection():
        for start in range(0, len(named), _ADDED_TOGETHER):
            some = named[start : start + _ADDED_TOGETHER]
            added = iter(_added(writer, [one for one in some if one]))
            ids += [next(added) if one else None for one in some]
        writer.commit()
    return ids


def require_one(name: object, text: object) -> Named:
    """Return a name and a text, both clean. Raises `ParameterError`, also for a text that looks like a path."""
    named = require_text(name, text)
    _require_few_paths([named[1]])
    return named


def require_text(name: object, text: object, where: str = "") -> Named:
    """Return a name and a text, both clean; `where` begins the message of the `ParameterError`."""
    if not isinstance(name, str) or not name:
        raise ParameterError(f"{where}name is {name!r}, expected what to call the text")
    if not isinstance(text, str):
        raise ParameterError(
            f"{where}the text of {name!r} is {type(text).__name__}, expected str; decode or load files"
        )
    return clean(name), clean(text)


def _require_few_paths(texts: Sequence[str]) -> None:
    paths = [text for text in texts if looks_like_a_path(text)]
    if len(paths) > len(texts) / 2:
        raise ParameterError(
            f"{len(paths)} of {len(texts)} texts look like paths, such as {paths[0]!r}; `load` takes files"
        )


def _checked(row: int, pair: object, on_problem: OnProblem | None) -> Named | None:
    try:
        if not isinstance(pair, tuple | list) or len(pair) != 2:
            raise ParameterError(f"texts[{row}] is {pair!r:.80}, expected a pair (name, text)")
        name, text = pair
        return require_text(name, text, where=f"texts[{row}]: ")
    except ParameterError as error:
        if on_problem is None:
            raise
        on_problem(str(error))
        return None


def _added(writer: Writer, named: Sequence[Named]) -> list[int]:
    """Store texts under their names, and return their documents' ids; of equal names the last one holds."""
    texts = [text.encode() for _, text in named]
    contents = [(hashlib.sha256(utf8).hexdigest(), TEXT_KIND) for utf8 in texts]
    known = writer.look_up(contents)
    firsts = first_of_each(contents, known)
    new = _sampled([contents[at][0] for at in firsts], [texts[at] for at in firsts], writer.store.params)
    stored = dict(zip(new.contents, writer.add(new), strict=True))
    ids = [stored[one] if id_ is None else id_ for one, id_ in zip(contents, known, strict=True)]
    writer.attach({name: ListedPath(name, id_, -1, -1) for (name, _), id_ in zip(named, ids, strict=True)})
    return ids


def _sampled(sums: list[str], texts: Sequence[bytes], params: Params) -> NewDocuments:
    """Return texts as documents, all sampled in one call."""
    content, ends = b"".join(texts), np.cumsum([0, *map(len, texts)], dtype=np.int64)
    samples = kernels.sample_texts(content, ends[:-1], ends[1:], params.sampling)
    return NewDocuments([TEXT_KIND] * len(texts), sums, content, ends[:-1], ends[1:], samples)
