"""What a service does when it is told to: stop, or take up what was loaded since."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Callable

from pmbf.base.errors import PmbfError
from pmbf.serving.service.pool import Pool


def signals() -> tuple[asyncio.Event, asyncio.Event]:
    """Return what SIGTERM and SIGINT set, and what SIGHUP sets, in the loop that runs."""
    stopped, renewing, loop = asyncio.Event(), asyncio.Event(), asyncio.get_running_loop()
    for one in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(one, stopped.set)
    loop.add_signal_handler(signal.SIGHUP, renewing.set)
    return stopped, renewing


async def renew(pool: Pool, asked: asyncio.Event, on_problem: Callable[[str], None]) -> None:
    """Start new working processes each time an event is set; never returns.

    Args:
        pool: The working processes. If the new ones do not start, then the old ones go on.
        asked: The event; it is cleared.
        on_problem: Called with the reason if the new ones do not start.
    """
    while True:
        await asked.wait()
        asked.clear()
        try:
            await pool.renew()
        except (PmbfError, OSError) as error:
            on_problem(f"not reloaded: {error}")
