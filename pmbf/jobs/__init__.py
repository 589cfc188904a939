"""How calls are run: in threads, or in child processes that talk in frames."""

from __future__ import annotations

import contextlib
import gc
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

if TYPE_CHECKING:
    from concurrent.futures import Future

Result = TypeVar("Result")


class Runner(Protocol):
    """Runs calls somewhere else; its user does not know whether in threads or in processes."""

    def submit(self, call: Callable[..., Result], /, *arguments: Any) -> Future[Result]:
        """Return the future result of a call; an error of the call is raised by the future."""


@contextlib.contextmanager
def without_garbage_collection() -> Iterator[None]:
    """Switch off the search for reference cycles: it took a tenth of a load, and rows hold no cycles."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()
