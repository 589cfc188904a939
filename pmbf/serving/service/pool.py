"""The working processes: each has the collection open and answers one request at a time.

A request goes to the process that has been idle longest, or waits in line. A process that dies or takes too long is
replaced; only its request fails.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import socket
import subprocess
from collections.abc import Callable, Coroutine, Sequence
from typing import Any

from pmbf.base.errors import IncompleteError, PmbfError
from pmbf.jobs import child, frames
from pmbf.serving.http.messages import HttpError

STATUS = {"parameter": 400, "unread": 422, "damaged": 500, "busy": 503, "failed": 500}
"""The status of HTTP for each kind of error of a working process."""
START_S = 60.0
LOOK_S = 2.0
"""Seconds that who asks for the state of the collection waits for it."""
PAUSE_S = 1.0
"""Seconds between two attempts to replace a process: a process that dies at once must not keep the machine busy."""


class WorkerError(IncompleteError):
    """A working process ended without an answer."""


class Worker:
    """One working process, and our end of the socket to it."""

    def __init__(self, process: subprocess.Popen[bytes], reader: asyncio.StreamReader, writer: asyncio.StreamWriter):
        self._process, self._reader, self._writer = process, reader, writer
        self.status: dict[str, Any] = {}
        """The state of the collection when the process started."""

    @staticmethod
    async def start(place: Sequence[str], module: str) -> Worker:
        """Return a process that has opened the collection and runs a module's `main`.

        `WorkerError`: the process does not start, or cannot open the collection.
        """
        ours, theirs = socket.socketpair()
        with theirs:
            process = subprocess.Popen(
                child.program(module, str(theirs.fileno()), json.dumps(place)),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                pass_fds=[theirs.fileno()],
                start_new_session=True,  # Ctrl-C is for the service to act on
            )
        worker = Worker(process, *await asyncio.open_connection(sock=ours))
        try:
            async with asyncio.timeout(START_S):
                worker.status = await worker.receive()
            if "error" in worker.status:
                raise WorkerError(worker.status["reason"])
        except TimeoutError:
            await worker.end()
            raise WorkerError(f"a working process did not start within {START_S:g} s") from None
        except BaseException:
            await worker.end()
            raise
        return worker

    async def ask(self, header: dict[str, Any], contents: Sequence[bytes | memoryview]) -> dict[str, Any]:
        """Return the answer to one request; raise `WorkerError` if the process ended."""
        try:
            self._writer.write(frames.head_of(header, sum(map(len, contents))))
            for content in contents:
                self._writer.write(content)
            await self._writer.drain()
        except ConnectionError:
            raise WorkerError("a working process ended") from None
        return await self.receive()

    async def receive(self) -> dict[str, Any]:
        """Return the next answer; raise `WorkerError` if the process ended."""
        try:
            n_header, n_body = frames.LENGTHS.unpack(await self._reader.readexactly(frames.LENGTHS.size))
            found: dict[str, Any] = json.loads((await self._reader.readexactly(n_header + n_body))[n_header:])
            return found
        except (asyncio.IncompleteReadError, ConnectionError):
            raise WorkerError("a working process ended without an answer") from None

    @property
    def has_ended(self) -> bool:
        """Whether the process has ended: killed while it was idle, say."""
        return self._process.poll() is not None

    async def end(self, *, at_once: bool = True) -> None:
        """End the process and wait for its end; the process also ends by itself when its socket is closed."""
        if at_once:
            self._process.kill()
        self._writer.close()
        with contextlib.suppress(OSError):
            await self._writer.wait_closed()
        await asyncio.to_thread(self._process.wait)


class Pool:
    """The working processes of a service.

    Args:
        place: Where the protected documents are: a folder; or what `ProtectedCluster` is given.
        n_workers: Number of processes, at least 1.
        module: The module that each process runs; see `pmbf.serving.service.worker`.
    """

    def __init__(self, place: Sequence[str], n_workers: int, module: str) -> None:
        self.n_workers = n_workers
        self._program = place, module
        self.n_replaced = 0
        self.status: dict[str, Any] = {}
        self._idle: asyncio.Queue[Worker] = asyncio.Queue()
        self._current: set[Worker] = set()
        self._tasks: set[asyncio.Future[None]] = set()
        self._look: asyncio.Future[None] | None = None

    async def start(self) -> None:
        """Start the processes; raise `WorkerError` if one cannot open the collection."""
        for one in await self._started():
            self._take(one)

    async def ask(self, header: dict[str, Any], contents: Sequence[bytes | memoryview] = ()) -> dict[str, Any]:
        """Return the answer to one request; when this is cancelled, the process that works at it is ended.

        `WorkerError`: the process ended without an answer.
        """
        while (worker := await self._idle.get()).has_ended:
            self._later(self._replaced(worker))
        try:
            found = await worker.ask(header, contents)
        except BaseException:
            self._later(self._replaced(worker))
            raise
        if worker in self._current:
            self._idle.put_nowait(worker)
        else:
            self._later(worker.end(at_once=False))
        self._note(found)
        return found

    async def answered(
        self, header: dict[str, Any], contents: Sequence[bytes | memoryview] = (), *, missing: int = 500
    ) -> dict[str, Any]:
        """Return the answer to one request.

        If it is an error, raise `HttpError`, of status `missing` for what is not there.
        """
        found = await self.ask(header, contents)
        if "error" in found:
            raise HttpError((STATUS | {"missing": missing})[found["error"]], found["reason"])
        return found

    async def refresh(self) -> dict[str, Any]:
        """Return the state of the collection; a process is asked for it now if one is idle.

        If the answer takes longer than `LOOK_S`, because nodes of a cluster hang, then the last state is returned.
        """
        if (self._look is None or self._look.done()) and not self._idle.empty():
            self._look = self._later(self._looked())
        if self._look:
            await asyncio.wait([self._look], timeout=LOOK_S)
        return self.status

    async def renew(self) -> None:
        """Replace all processes when new processes are ready; the old processes finish their requests.

        `WorkerError`: a new process does not start; then the old processes stay.
        """
        new = await self._started()
        old = [self._idle.get_nowait() for _ in range(self._idle.qsize())]
        self._current = set()
        for one in new:
            self._take(one)
        await asyncio.gather(*(one.end(at_once=False) for one in old))

    async def renew_when(self, asked: asyncio.Event, on_problem: Callable[[str], None]) -> None:
        """Renew each time an event is set, for ever. If the new processes do not start, then the old ones go on."""
        while True:
            await asked.wait()
            asked.clear()
            try:
                await self.renew()
            except (PmbfError, OSError) as error:
                on_problem(f"not reloaded: {error}")

    async def close(self) -> None:
        """End all processes; a busy process ends when its request is done or cancelled."""
        self._current = set()
        if self._look:
            self._look.cancel()
        while not self._idle.empty():
            await self._idle.get_nowait().end(at_once=False)
        while self._tasks:
            await asyncio.gather(*self._tasks, return_exceptions=True)

    # ------------------------------------------------------------------ private

    async def _started(self) -> list[Worker]:
        starts = (Worker.start(*self._program) for _ in range(self.n_workers))
        done = await asyncio.gather(*starts, return_exceptions=True)
        failed = [one for one in done if isinstance(one, BaseException)]
        workers = [one for one in done if isinstance(one, Worker)]
        if failed:
            await asyncio.gather(*(one.end(at_once=False) for one in workers))
            raise failed[0]
        return workers

    def _take(self, worker: Worker) -> None:
        self._current.add(worker)
        self._idle.put_nowait(worker)
        self._note(worker.status)

    def _note(self, found: dict[str, Any]) -> None:
        if "generation" in found:
            names = ("generation", "n_documents", "n_without_text", "cluster")
            self.status |= {name: found[name] for name in names if name in found}

    async def _looked(self) -> None:
        with contextlib.suppress(WorkerError):
            await self.ask({"ask": "status"})

    def _later(self, work: Coroutine[Any, Any, None]) -> asyncio.Future[None]:
        task = asyncio.ensure_future(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    async def _replaced(self, worker: Worker) -> None:
        """End a process; start a new process in its place if the pool still has this place."""
        await worker.end()
        while worker in self._current:
            try:
                new = await Worker.start(*self._program)
            except (WorkerError, OSError):
                await asyncio.sleep(PAUSE_S)
                continue
            if worker not in self._current:
                await new.end(at_once=False)
                return
            self._current.discard(worker)
            self._take(new)
            self.n_replaced += 1
