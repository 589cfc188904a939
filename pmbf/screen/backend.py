"""What a screening asks of a collection: a folder answers it (`folder.py`), and a cluster (`pmbf.cluster`)."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager
from typing import Protocol

from pmbf.screen.options import Options
from pmbf.screen.screened import Screened
from pmbf.screen.stores import AnyGeneration, AnyStore
from pmbf.screen.working import Workers


class Backend(AnyStore, Protocol):
    """A collection at one generation, as the stages of a screening ask for it."""

    @property
    def generation(self) -> AnyGeneration:
        """Which documents have which hashes."""

    @property
    def problems(self) -> tuple[str, ...]:
        """What could not be looked at so far: each report tells it."""

    def again(self) -> Backend:
        """Return the same for another batch."""

    def compare(self, batch: Sequence[Screened], options: Options, /) -> None:
        """Compare the queries of a batch with their candidates: fill `shared` of each.

        The sources are in the order of the candidates, each with its paths. Those with neither passages nor a problem
        are left out. No passage has its exempt span yet.
        """

    def workers(self, options: Options, jobs: int, /) -> AbstractContextManager[Workers]:
        """Return workers. The first arguments of each of their calls are a backend and the options."""
