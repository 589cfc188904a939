"""Calls of the nodes: each volume is asked of one node that has it, and of the next one if that node fails."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from time import monotonic
from typing import Any

from pmbf.cluster.manifest import Volume
from pmbf.cluster.placement import COPIES, Node, placed
from pmbf.jobs.executor import Executor, ShardFailed

TIMEOUT_S = 30.0
"""Seconds that a node has for an answer. A node that is late is ended and made anew: it may have been stopped."""

REST_S = 5.0
"""Seconds in which a node that failed is asked only for volumes that no other node has."""


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
            self.failed(node)
            return {one.name: f"{self.nodes[node].name}: {answer.reason}" for one in volumes}
        for name in answer.unread:
            tries[name, node] = _MOST_TRIES
        return {name: f"{self.nodes[node].name}: {reason}" for name, reason in answer.unread.items()}

    def in_turn(self) -> list[int]:
        """Return the numbers of the nodes, those that failed lately at the end."""
        now = monotonic()
        return sorted(range(len(self.nodes)), key=lambda node: self._rest_until.get(node, 0.0) > now)

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
                self.failed(node)

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

    def failed(self, node: int) -> None:
        """Make a node anew, and ask the others first for some seconds."""
        self._rest_until[node] = monotonic() + REST_S
        self.executor.restart(node)
