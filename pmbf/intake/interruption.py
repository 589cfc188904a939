"""Ctrl-C during a load."""

from __future__ import annotations

import contextlib
import signal
import threading
from collections.abc import Callable, Iterator
from types import FrameType


@contextlib.contextmanager
def between_batches() -> Iterator[Callable[[], bool]]:
    """Hold Ctrl-C back until the batch is done; yield whether it came. A second Ctrl-C acts at once."""
    handler = signal.getsignal(signal.SIGINT)
    if handler is not signal.default_int_handler or threading.current_thread() is not threading.main_thread():
        yield lambda: False
        return
    presses: list[int] = []

    def held_back(number: int, frame: FrameType | None) -> None:
        presses.append(number)
        if len(presses) > 1:
            raise KeyboardInterrupt

    signal.signal(signal.SIGINT, held_back)
    try:
        yield lambda: bool(presses)
    finally:
        signal.signal(signal.SIGINT, handler)
