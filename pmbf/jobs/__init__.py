"""How calls are run: in threads, or in child processes that talk in frames."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

if TYPE_CHECKING:
    from concurrent.futures import Future

Result = TypeVar("Result")


class Runner(Protocol):
    """Runs calls somewhere else; its user does not know whether in threads or in processes."""

    def submit(self, call: Callable[..., Result], /, *arguments: Any) -> Future[Result]:
        """Return the future result of a call; an error of the call is raised by the future."""
