"""Checkers compare texts with the protected documents, and report their shared passages."""

from __future__ import annotations

import math
import os
import stat
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Protocol

from pmbf.base.errors import IncompleteError, PmbfError
from pmbf.collection import Collection
from pmbf.guard.borders import to_the_letter
from pmbf.guard.policy import Policy
from pmbf.intake.texts import Text
from pmbf.report import CERTAINTIES, Match, Passage, Report
from pmbf.screen import Answer
from pmbf.store.ownership import require_unshared
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
    """Return a collection that only its owner can change.

    Raises:
        UnsupportedError: Group or others may write to the collection, so that they could let any text through.
        NotFoundError, CorruptError: As for `Collection`.
    """
    catalog = os.path.join(folder, "catalog.sqlite")
    entered = os.path.exists(catalog) and os.stat(folder).st_mode & (stat.S_IXGRP | stat.S_IXOTH)
    for path in (folder, *([catalog] if entered else [])):
        require_unshared(path, f"chmod -R go-w {folder}")
    return Collection(folder)


def open_named(policy: Policy) -> AbstractContextManager[AnyCollection]:
    """Return the documents that a policy protects; errors as for `open_protected`."""
    if not policy.cluster:
        return open_protected(policy.collection)
    return open_cluster(policy.cluster, policy.ray)


def open_cluster(depot: str, ray: str, *, fetch_all: bool = False) -> ClusterCollection:
    """Return the collection of a cluster, whose depot only its owner can change.

    Args:
        depot: A folder, or `s3://bucket/folder`: there the store's own rules say who may write.
        ray: The address of a Ray cluster; empty for processes of this machine.
        fetch_all: As for `ClusterCollection`.

    Raises:
        UnsupportedError: Group or others may write to the depot, or an extra is missing.
        NotFoundError, CorruptError: As for `ClusterCollection`.
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
        collection: An open collection; the caller closes it.
        options: Fields of `pmbf.screen.Options`.
    """

    def __init__(self, collection: AnyCollection, **options: Any) -> None:
        self._collection = collection
        n_documents = collection.n_documents - collection.n_without_text
        self._options = {"summaries": False, **_only_copies(n_documents), **options}

    @staticmethod
    def under(policy: Policy, collection: AnyCollection) -> CollectionChecker:
        """Return the checker of a policy: it finds passages as short as the policy says.

        Raises:
            IncompleteError: The collection has no documents, so that any text would be clean.
        """
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
