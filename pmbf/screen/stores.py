"""What a screening asks of a collection, whether it lies in one folder or is spread over a cluster."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from pmbf.base.params import Params
from pmbf.kernels import Evident, EvidentRules, Ranges, Sampled
from pmbf.store.catalog_tables import Document, ListedPath
from pmbf.store.having import Having, Keys

Ids = NDArray[np.uint32]


class AnyGeneration(Protocol):
    """The files of one commit, as `pmbf.store.generation.Generation`: candidates are found in them."""

    @property
    def params(self) -> Params:
        """The parameters of the collection."""

    @property
    def n_documents(self) -> int:
        """Live documents with text, those left out not counted."""

    @property
    def warnings(self) -> tuple[str, ...]:
        """Which files are damaged that no answer has needed so far, each with the way out."""

    def without(self, documents: Ids, /) -> AnyGeneration:
        """Return the same without some live documents."""

    def relative_sizes(self, ids: Ids, /) -> NDArray[np.float64]:
        """Return the hashes of some documents, for an average document 1."""

    @property
    def left_out(self) -> Ids | None:
        """The documents that are left out, ascending; None if `evident` cannot answer."""

    def evident(self, queries: Sequence[Sampled], rules: EvidentRules, /) -> Evident:
        """Return the documents with evidence enough of many queries."""

    def documents_having(self, hashes: Ids, /, *, limit: int) -> Having:
        """Return which live documents have which hashes of a query, and how many documents have each hash."""

    def near(self, queries: Sequence[Ids], among: Sequence[Ranges], /, *, least: int, window: int) -> list[Keys]:
        """Return which live documents have several hashes of a query near each other, for each of many queries.

        Of each query, only documents in some ranges of ids are looked at.
        """

    def require_live(self, ids: Ids, /) -> None:
        """Refuse documents that are not live."""


class Contents(Protocol):
    """Documents by what they are made from, as `pmbf.store.catalog.Catalog`."""

    def by_sha256(self, contents: Iterable[str], /) -> list[Document]:
        """Return the live documents with these contents, by descending id."""


class AnyCatalog(Contents, Protocol):
    """Documents and paths by what is known of them, as `pmbf.store.catalog.Catalog`."""

    def some_paths(self, paths: Iterable[str], /) -> dict[str, ListedPath]:
        """Return those paths that are listed, by path."""

    def paths(self) -> Iterable[ListedPath]:
        """Return every path in alphabetical order."""

    def labelled_paths(self) -> Iterable[ListedPath]:
        """Return every path that has labels, in any order."""


class Named(Protocol):
    """What a report is named by: a collection, its commit and its paths."""

    @property
    def folder(self) -> Path:
        """Where it is, as messages name it."""

    @property
    def catalog(self) -> Contents:
        """Its documents."""

    @property
    def commit_number(self) -> int:
        """Number of the commit that it shows."""

    def listed_of(self, ids: Iterable[int], /) -> Mapping[int, Sequence[ListedPath]]:
        """Return the paths of live documents as they are listed, sorted, by id."""


class AnyStore(Named, Protocol):
    """A collection at one generation, as `pmbf.store.folder.Store`, by its paths and labels."""

    @property
    def catalog(self) -> AnyCatalog:
        """Its documents and paths."""
