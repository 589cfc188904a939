"""Checkers compare texts with the protected documents, and report their shared passages, measured to the letter.

A comparison of words ends where a compound was broken at its hyphen (`dry-` and `rubbed` on two lines, which may be one
word or two), or where a whole short word was put into another script. Its letters go on all the same. A check that
counts letters goes on with them, as far as both texts are alike and a word ends in both.
"""

from __future__ import annotations

import math
import os
import stat
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from pmbf.base.errors import IncompleteError, PmbfError
from pmbf.collection import Collection
from pmbf.guard.policy import Policy
from pmbf.intake.texts import Text
from pmbf.kernels import alike
from pmbf.report import CERTAINTIES, Match, Passage, Report, Span
from pmbf.screen import Answer
from pmbf.store.ownership import require_unshared
from pmbf.text import fold
from pmbf.verbs import AnyCollection

if TYPE_CHECKING:
    from pmbf.cluster.collection import ClusterCollection

FEW_DOCUMENTS = 200
LONE_HASHES = 2.5
"""A document is a candidate if 2.5 hashes that only this document has stand within some 50 words.

Measured with passages planted in manuals, 3,293 documents protected: of 150 passages of 300 letters none is missed,
with 3 hashes one; of 120 letters 4 are missed, with 3 hashes 10. A clean text takes 1.9 ms; if every trace is followed,
35 ms."""

LEAST_ALIKE = 0.6
"""Similarity of a reworded passage that is only worth a look. Of 17 lists of names in two manuals one had .58, the
others less; of 29 passages of 60 words in another order 28 had .67 and more, one .59."""

LOOKED_AT = 200
"""Characters beyond a passage."""


class Checker(Protocol):
    """Compares texts with protected documents.

    The matches of a report name the documents and the passages; its problems are read, too, and nothing else.
    """

    @property
    def key(self) -> bytes:
        """The key of fingerprints if no baseline brings a key; it belongs to the protected documents."""

    def check(self, texts: Iterable[Text]) -> Iterator[Report]:
        """Yield the report on each text, in order; texts are taken in small groups."""


def open_protected(folder: str) -> Collection:
    """Return a collection that only its owner can change: others could let any text through (UnsupportedError)."""
    catalog = os.path.join(folder, "catalog.sqlite")
    entered = os.path.exists(catalog) and os.stat(folder).st_mode & (stat.S_IXGRP | stat.S_IXOTH)
    for path in (folder, *([catalog] if entered else [])):
        require_unshared(path, f"chmod -R go-w {folder}")
    return Collection(folder)


def open_named(policy: Policy) -> AbstractContextManager[AnyCollection]:
    """Return the documents that a policy protects, which only their owner can change."""
    if not policy.cluster:
        return open_protected(policy.collection)
    return open_cluster(policy.cluster, policy.ray)


def open_cluster(depot: str, ray: str, *, fetch_all: bool = False) -> ClusterCollection:
    """Return the collection of a cluster, whose depot only its owner can change; in S3 the store's own rules say who.

    Args:
        depot: A folder, or `s3://bucket/folder`.
        ray: The address of a Ray cluster; empty for processes of this machine.
        fetch_all: As for `ClusterCollection`.
    """
    from pmbf.cluster.opening import opened

    for folder in ("", "manifests", "files"):
        require_unshared(os.path.join(depot, folder), f"chmod -R go-w {depot}")
    return opened(depot, ray, fetch_all=fetch_all)


class CollectionChecker:
    """Compares texts with a collection, in this process.

    A leak check counts letters that were copied. A summary covers its whole source and has few letters of it, so no
    summary is looked for; passages that were copied into one are found as such.

    Args:
        options: Fields of `pmbf.screen.Options`.
    """

    def __init__(self, collection: AnyCollection, **options: Any) -> None:
        self._collection = collection
        n_documents = collection.n_documents - collection.n_without_text
        self._options = {"summaries": False, **_only_copies(n_documents), **options}

    @staticmethod
    def under(policy: Policy, collection: AnyCollection) -> CollectionChecker:
        """Return the checker of a policy; IncompleteError without documents, when any text would be clean."""
        if not collection.n_documents:
            raise IncompleteError(f"{collection.path} has 0 documents: nothing is protected; `pmbf load` them")
        return CollectionChecker(collection, min_chars=policy.min_chars, apparatus=False)

    @property
    def key(self) -> bytes:
        """Derived from the collection's own random id."""
        return self._collection.id.encode()

    def check(self, texts: Iterable[Text]) -> Iterator[Report]:
        """Yield the report on each text, in order."""
        for answer in self._collection.answers(texts, **self._options):
            yield self._to_the_letter(answer) if answer.report.matches else answer.report

    def _to_the_letter(self, answer: Answer) -> Report:
        text = answer.query.text
        return replace(answer.report, matches=tuple(self._measured(match, text) for match in answer.report.matches))

    def _measured(self, match: Match, text: str) -> Match:
        """Return a match with its passages measured to the letter; unmeasured if its source cannot be read."""
        match = without_doubtful(match)
        try:
            return to_the_letter(match, text, self._collection.text(match.document.id)) if match.passages else match
        except PmbfError:
            return match


def without_doubtful(match: Match) -> Match:
    """Return a match without reworded passages that are only worth a look and not alike.

    Two lists of the same names, constants or letters are such passages. Neither is copied from the other. The words of
    one text in another order are alike.
    """
    kept = (one for one in match.passages if not _is_doubtful(one))
    return replace(match, passages=tuple(kept))


def _is_doubtful(one: Passage) -> bool:
    return one.kind == "reworded" and one.certainty == CERTAINTIES[-1] and one.similarity < LEAST_ALIKE


def _only_copies(n_documents: int) -> dict[str, Any]:
    """Return the options of a screening that follows copies and no faint traces of rewording, which cost time.

    If there are few documents, then faint traces are followed: this costs little, and text that most of the documents
    share weighs little.
    """
    if n_documents < FEW_DOCUMENTS:
        return {"sensitivity": "thorough"}
    return {"min_evidence": LONE_HASHES * math.log(n_documents)}


def to_the_letter(match: Match, text: str, source: str) -> Match:
    """Return a match of a text and a source whose passages go on as far as the letters of both do."""
    return replace(match, passages=tuple(_to_the_letter(one, text, source) for one in match.passages))


def _to_the_letter(passage: Passage, text: str, source: str) -> Passage:
    here, there = passage.query, passage.source
    before = _alike(_before(text, here.start), _before(source, there.start), -1)
    after = _alike(_after(text, here.stop), _after(source, there.stop), 1)
    return replace(
        passage,
        query=Span(here.start - before[0], here.stop + after[0]),
        source=Span(there.start - before[1], there.stop + after[1]),
    )


def _before(text: str, place: int) -> str:
    """Return what stands before a place, a space before it where the text begins: there a word ends, too."""
    return text[place - LOOKED_AT : place] if place > LOOKED_AT else " " + text[:place]


def _after(text: str, place: int) -> str:
    return text[place : place + LOOKED_AT] + (" " if place + LOOKED_AT >= len(text) else "")


def _alike(ours: str, theirs: str, step: int) -> tuple[int, int]:
    r"""Return how many characters of two texts have the same letters, up to the end of a word in both.

    >>> _alike(" dry-\nrubbed wall", " dry-rubbed walls", 1), _alike("the (\u0430) state", "or (a) state", -1)
    ((12, 11), (8, 8))
    """
    best = (0, 0)
    for here, there in zip(_letters(ours, step), _letters(theirs, step), strict=False):
        if here.char != there.char:
            break
        if here.ends and there.ends:
            best = (here.n_chars, there.n_chars)
    return best


class _Letter(NamedTuple):
    """A letter, whether a word ends with it, and how many characters there are up to it, itself included."""

    char: str
    ends: bool
    n_chars: int


def _letters(text: str, step: int) -> list[_Letter]:
    """Return the letters of a text from its beginning (step 1) or its end (step -1), those that look alike equal."""
    folded = fold(text)
    letters, origin = folded.text.translate(_skeletons()), folded.origin.tolist()
    if step > 0:
        n_chars = origin[1:]
    else:
        letters, n_chars = letters[::-1], [len(text) - at for at in origin[-2::-1]]
    return [
        _Letter(char, letters[number + 1 : number + 2] == " ", n_chars[number])
        for number, char in enumerate(letters)
        if char != " "
    ]


@cache
def _skeletons() -> dict[int, str]:
    return {ord(char): group[0] for group in alike() for char in group}
