"""Work of nodes that takes as long as it takes: tasks in threads of the nodes, which answer meanwhile.

    begin ─► a thread of the node works        has_ended? ─► no … no … ─► outcome

A node that is stopped or cut off does not answer that it still works. So it is found after `Nodes.timeout_s`, however
long its task would have taken, and the task is given to another node.
"""

from __future__ import annotations

import secrets
import threading
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import Future
from typing import Any

from pmbf.base.errors import IncompleteError
from pmbf.cluster.calls import Nodes
from pmbf.cluster.manifest import Volume
from pmbf.cluster.placement import placed
from pmbf.jobs.executor import Arguments, ShardFailed

TASK_TRIES = 3
"""On how many nodes a task may fail."""

_PAUSES_S, _LONGER = (0.001, 0.25), 1.25
"""Between two questions whether a task has ended: at first, and at most; each is a fourth longer than the one before,
so that the end of a task is known after a fourth of its time at the latest."""

Task = tuple[str, Arguments]
"""A method of `Holder`, and its arguments."""

Unread = dict[str, str]


class Tasks:
    """What a holder does for calls that take long: each runs in a thread of its own."""

    def __init__(self) -> None:
        self._tasks: dict[str, Future[Any]] = {}
        self._progress: Any = None

    def begin(self, name: str, method: str, arguments: Arguments) -> None:
        """Begin a call of one of the holder's methods."""
        self._progress = None
        future = self._tasks[name] = Future[Any]()
        threading.Thread(target=_run, args=(future, getattr(self, method), arguments), daemon=True).start()

    def has_ended(self, name: str) -> bool | None:
        """Return whether a call that was begun has ended; None if nobody has begun it here: the node was made anew."""
        task = self._tasks.get(name)
        return None if task is None else task.done()

    def progress(self) -> Any:
        """Return how far the call is that was begun last; None if it does not tell."""
        return self._progress

    def outcome(self, name: str) -> Any:
        """Return what a call that has ended returned, or raise what it raised."""
        return self._tasks.pop(name).result()


def _run(future: Future[Any], call: Callable[..., Any], arguments: Arguments) -> None:
    try:
        future.set_result(call(*arguments))
    except BaseException as error:
        future.set_exception(error)


class _Running:
    """Tasks that nodes work at, one for each node."""

    def __init__(self, nodes: Nodes) -> None:
        self._nodes = nodes
        self.tasks: dict[int, str] = {}

    def begin(self, given: Mapping[int, Task]) -> dict[int, ShardFailed]:
        """Give nodes a task each; return which of them failed."""
        names = {node: secrets.token_hex(8) for node in given}
        begun = self._call("begin", {node: (names[node], *given[node]) for node in given})
        failed = {node: one for node, one in begun.items() if isinstance(one, ShardFailed)}
        self.tasks |= {node: name for node, name in names.items() if node not in failed}
        return failed

    def ended(self) -> dict[int, Any | ShardFailed]:
        """Return the outcome of each task that has ended by now, and the nodes that failed."""
        told = self._call("has_ended", {node: (name,) for node, name in self.tasks.items()})
        lost = {node: ShardFailed(node, "it was made anew") for node, one in told.items() if one is None}
        failed = {node: one for node, one in told.items() if isinstance(one, ShardFailed)} | lost
        done = {node: (self.tasks[node],) for node, one in told.items() if one is True}
        outcomes = failed | self._call("outcome", done)
        for node in outcomes:
            del self.tasks[node]
        return outcomes

    def progress(self) -> dict[int, Any]:
        """Return how far the nodes are with their tasks, where they know it."""
        told = self._call("progress", dict.fromkeys(self.tasks, ()))
        return {node: one for node, one in told.items() if one is not None and not isinstance(one, ShardFailed)}

    def _call(self, method: str, arguments: Mapping[int, Arguments]) -> dict[int, Any | ShardFailed]:
        told = self._nodes.executor.call(method, arguments, self._nodes.timeout_s) if arguments else {}
        for node, one in told.items():
            if isinstance(one, ShardFailed):
                self._nodes.failed(node)
        return told


OnRound = Callable[[Iterable[int], Mapping[int, Any]], None]
"""Called with the tasks that are done, and how far others are, by task."""


def work(nodes: Nodes, method: str, tasks: Sequence[Arguments], on_round: OnRound | None = None) -> list[Any]:
    """Call a method of `Holder` once for each task, on any node, and return the results in order.

    A task whose node fails is given to another one, so a task may be begun twice. `IncompleteError`: one failed on as
    many nodes as there are, or on 3.
    """
    running, results = _Running(nodes), dict[int, Any]()
    waiting, at = list(range(len(tasks))), dict[int, int]()
    tries = dict.fromkeys(waiting, 0)
    pause = _Pause()
    while len(results) < len(tasks):
        free = [node for node in nodes.in_turn() if node not in running.tasks]
        given = dict(zip(free, waiting, strict=False))
        del waiting[: len(given)]
        at |= given
        ended = running.begin({node: (method, tasks[task]) for node, task in given.items()}) | running.ended()
        for node, outcome in ended.items():
            task = at[node]
            if not isinstance(outcome, ShardFailed):
                results[task] = outcome
                continue
            waiting.append(task)
            tries[task] += 1
            if tries[task] >= min(TASK_TRIES, len(nodes.nodes)):
                name = nodes.nodes[node].name
                raise IncompleteError(f"{name}: {outcome.reason}; nothing was changed: run it again")
        if on_round:
            on_round(results, {at[node]: one for node, one in running.progress().items()})
        if len(results) < len(tasks):
            pause.wait(is_short=bool(ended))
    return [results[task] for task in range(len(tasks))]


def each(nodes: Nodes, method: str, calls: Mapping[int, Arguments]) -> dict[int, Any | ShardFailed]:
    """Call a method of some nodes, however long it takes, and return what each returned, or that it failed."""
    running = _Running(nodes)
    found: dict[int, Any] = dict(running.begin({node: (method, some) for node, some in calls.items()}))
    pause = _Pause()
    while running.tasks:
        if ended := running.ended():
            found |= ended
        else:
            pause.wait(is_short=False)
    return found


def fetch(nodes: Nodes, volumes: Sequence[Volume]) -> dict[int, Unread]:
    """Have each node fetch and open its volumes; return why each node cannot read some, by number and name."""
    wanted = {node: (some,) for node, some in enumerate(nodes.of_nodes(volumes).values())}
    found = each(nodes, "fetch", wanted)
    fetched = {node: wanted[node] for node, one in found.items() if not isinstance(one, ShardFailed)}
    return _replies(nodes, wanted, found | nodes.executor.call("open", fetched, nodes.timeout_s))[1]


def here_of(nodes: Nodes, volumes: Sequence[Volume]) -> tuple[dict[int, list[str]], dict[int, Unread]]:
    """Return the volumes that each node has on its disk and can read, and why it cannot read others, by number."""
    wanted = {node: (some,) for node, some in enumerate(nodes.of_nodes(volumes).values())}
    return _replies(nodes, wanted, nodes.executor.call("here", wanted, nodes.timeout_s))


def _replies(
    nodes: Nodes, wanted: Mapping[int, tuple[list[Volume]]], told: Mapping[int, Any]
) -> tuple[dict[int, Any], dict[int, Unread]]:
    """Return the value of each `Reply`, and why volumes are unread: all of a node that failed."""
    values, unread = dict[int, Any](), dict[int, Unread]()
    for node, one in told.items():
        if isinstance(one, ShardFailed):
            nodes.failed(node)
            unread[node] = dict.fromkeys((volume.name for volume in wanted[node][0]), one.reason)
        else:
            values[node], unread[node] = one.value, one.unread
    return values, unread


def unread_by_all(nodes: Nodes, volumes: Sequence[Volume], unread: Mapping[int, Unread]) -> Unread:
    """Return why volumes are unread that none of their nodes can read; by name."""
    found = {}
    for volume in volumes:
        copies = [nodes.nodes.index(node) for node in placed(volume.key, nodes.nodes)]
        reasons = [
            f"{nodes.nodes[node].name}: {unread[node][volume.name]}"
            for node in copies
            if volume.name in unread.get(node, {})
        ]
        if len(reasons) == len(copies):
            found[volume.name] = reasons[0]
    return found


class _Pause:
    """Between two questions whether a task has ended: the longer nothing ends, the longer."""

    def __init__(self) -> None:
        self._seconds = _PAUSES_S[0]

    def wait(self, *, is_short: bool) -> None:
        self._seconds = _PAUSES_S[0] if is_short else min(_LONGER * self._seconds, _PAUSES_S[1])
        time.sleep(self._seconds)
