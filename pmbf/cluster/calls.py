"""Calls of the nodes: each volume is asked of one node that has it, and of the next one if that node fails."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from time import monotonic
from typing import Any

from pmbf.cluster.manifest import Volume
from pmbf.cluster.placement import COPIES, Node, placed
from pmbf.errors import IncompleteError
from pmbf.jobs.executor import Executor, ShardFailed

TIMEOUT_S = 30.0
"""Seconds that a node has for an answer. A node that is late is ended and made anew: it may have been stopped."""

REST_S = 5.0
"""Seconds in which a node that failed is asked only for volumes that no other node has."""


_TASK_TRIES = 3

_MOST_TRIES = 2
"""How often a node is asked for a volume: it may have died, and be there again."""

_Tries = Counter[tuple[str, int]]


@dataclass(slots=True)
class Answers:
    """What the nodes have answered.

    Args:
        values: The answer of each node, with the volumes that it is about.
        unread: Why no node has answered for a volume, by the volume's name.
    """

    values: list[tuple[Sequence[Volume], Any]] = field(default_factory=list)
    unread: dict[str, str] = field(default_factory=dict)


class Nodes:
    """The nodes of a cluster, called through an executor: a holder on each.

    Args:
        executor: Its shards are the nodes, in the same order, each with a `Holder`.
        nodes: The nodes.
        n_copies: Nodes that have a volume.
        timeout_s: As `TIMEOUT_S`.

    Thread rule: any thread may call.
    """

    def __init__(
        self, executor: Executor, nodes: Sequence[Node], *, n_copies: int = COPIES, timeout_s: float = TIMEOUT_S
    ) -> None:
        self.executor, self.nodes = executor, list(nodes)
        self.n_copies, self.timeout_s = n_copies, timeout_s
        self._numbers = {node: number for number, node in enumerate(self.nodes)}
        self._rest_until: dict[int, float] = {}

    def ask(
        self,
        method: str,
        volumes: Iterable[Volume],
        arguments: Callable[[Sequence[Volume]], tuple[Any, ...]] | tuple[Any, ...] = (),
    ) -> Answers:
        """Call a method for some volumes, at the same time on all nodes that have them.

        After twice `timeout_s` no node is asked anew.

        Args:
            method: Of `Holder`; its first argument is the volumes that a node is asked for.
            volumes: The volumes.
            arguments: The other arguments, or how they follow from the volumes of a node.
        """
        found, waiting, tries = Answers(), list(volumes), _Tries()
        end = monotonic() + 2 * self.timeout_s
        while (shared_out := self._shared_out(waiting, tries)) and (not found.unread or monotonic() < end):
            calls = {
                node: (some, *(arguments(some) if callable(arguments) else arguments))
                for node, some in shared_out.items()
            }
            waiting = []
            for node, answer in self.executor.call(method, calls, self.timeout_s).items():
                some = shared_out[node]
                unread = self._unread(node, some, answer, tries)
                answered = [one for one in some if one.name not in unread]
                if answered and not isinstance(answer, ShardFailed):
                    found.values.append((answered, answer.value))
                for one in answered:
                    found.unread.pop(one.name, None)
                found.unread |= unread
                waiting += [one for one in some if one.name in unread]
        return found

    def _unread(self, node: int, volumes: Sequence[Volume], answer: Any, tries: _Tries) -> dict[str, str]:
        """Return why a node has not answered for volumes; a node that died is asked again, one that cannot read not."""
        if isinstance(answer, ShardFailed):
            self._failed(node)
            return {one.name: f"{self.nodes[node].name}: {answer.reason}" for one in volumes}
        for name in answer.unread:
            tries[name, node] = _MOST_TRIES
        return {name: f"{self.nodes[node].name}: {reason}" for name, reason in answer.unread.items()}

    def work(self, method: str, tasks: Sequence[tuple[Any, ...]]) -> list[Any]:
        """Call a method once for each task, on any node, and return the results in order.

        A task whose node fails is given to another one, so a task may be begun twice.

        Args:
            method: Of `Holder`.
            tasks: Its arguments.

        Raises:
            IncompleteError: A task failed on as many nodes as there are, or on 3.
        """
        results: dict[int, Any] = {}
        n_tries: dict[int, int] = defaultdict(int)
        waiting = list(range(len(tasks)))
        while waiting:
            now = monotonic()
            nodes = sorted(range(len(self.nodes)), key=lambda node: self._rest_until.get(node, 0.0) > now)
            given = dict(zip(nodes, waiting, strict=False))
            for node, answer in self.executor.call(method, {node: tasks[task] for node, task in given.items()}).items():
                task = given[node]
                if not isinstance(answer, ShardFailed):
                    results[task] = answer
                    waiting.remove(task)
                    continue
                self._failed(node)
                n_tries[task] += 1
                if n_tries[task] >= min(_TASK_TRIES, len(self.nodes)):
                    raise IncompleteError(
                        f"{self.nodes[node].name}: {answer.reason}; nothing was changed: run it again"
                    )
        return [results[task] for task in range(len(tasks))]

    def open(self, volumes: Sequence[Volume]) -> dict[str, str]:
        """Have each node fetch and open its volumes, however long that takes; return why volumes are unread.

        A volume that one of its nodes has opened is not among them.
        """
        wanted = list(self.of_nodes(volumes).values())
        unread: dict[str, list[str]] = defaultdict(list)
        calls = {node: (some,) for node, some in enumerate(wanted) if some}
        for node, answer in self.executor.call("open", calls).items():
            if isinstance(answer, ShardFailed):
                self._failed(node)
                reasons = dict.fromkeys((one.name for one in wanted[node]), answer.reason)
            else:
                reasons = answer.unread
            for name, reason in reasons.items():
                unread[name].append(f"{self.nodes[node].name}: {reason}")
        n_copies = {one.name: len(placed(one.key, self.nodes, self.n_copies)) for one in volumes}
        return {name: reasons[0] for name, reasons in unread.items() if len(reasons) == n_copies[name]}

    def keep(self, volumes: Iterable[Volume]) -> None:
        """Have each node delete the volumes that it need not have."""
        calls = {node: (some,) for node, some in enumerate(self.of_nodes(volumes).values())}
        self.executor.call("keep", calls, self.timeout_s)

    def of_nodes(self, volumes: Iterable[Volume]) -> dict[Node, list[Volume]]:
        """Return the volumes that each node has, in the order of the nodes."""
        found: dict[Node, list[Volume]] = {node: [] for node in self.nodes}
        for volume in volumes:
            for node in placed(volume.key, self.nodes, self.n_copies):
                found[node].append(volume)
        return found

    def tell(self, method: str, *arguments: Any) -> None:
        """Call a method on every node; one that fails is made anew."""
        calls = dict.fromkeys(range(len(self.nodes)), ((), *arguments))
        for node, answer in self.executor.call(method, calls, self.timeout_s).items():
            if isinstance(answer, ShardFailed):
                self._failed(node)

    def _shared_out(self, volumes: Sequence[Volume], tries: _Tries) -> dict[int, list[Volume]]:
        """Return which volumes each node is asked for: of each volume, the node asked least, one that is up first."""
        shared: dict[int, list[Volume]] = defaultdict(list)
        now = monotonic()
        for volume in volumes:
            copies = [self._numbers[node] for node in placed(volume.key, self.nodes, self.n_copies)]
            remaining = [node for node in copies if tries[volume.name, node] < _MOST_TRIES]
            if remaining:
                chosen = min(
                    remaining, key=lambda node: (tries[volume.name, node], self._rest_until.get(node, 0.0) > now)
                )
                tries[volume.name, chosen] += 1
                shared[chosen].append(volume)
        return shared

    def _failed(self, node: int) -> None:
        self._rest_until[node] = monotonic() + REST_S
        self.executor.restart(node)
