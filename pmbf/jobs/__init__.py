"""How calls are run: in threads, or in processes that are children of this one and talk in frames."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

if TYPE_CHECKING:
    from concurrent.futures import Future

Result = TypeVar("Result")


class Runner(Protocol):
    """What runs calls somewhere else: whoever needs results side by side takes one, and does not ask where it runs."""

    def submit(self, call: Callable[..., Result], /, *arguments: Any) -> Future[Result]:
        """Return the future result of a call; it raises what the call raises."""
        ...
