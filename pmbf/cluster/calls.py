"""Calls of the nodes: each volume is asked of one node that has it, and of the next one if that node fails.

If a node takes much longer than calls usually take, then its volumes are asked of their other nodes, too.

Source: Dean & Barroso 2013, The Tail at Scale: hedged requests.
"""

from __future__ import annotations

from collections import Counter, defaultdict, deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, wait
from dataclasses import dataclass, field, replace
from functools import partial
from threading import BoundedSemaphore, Lock
from time import monotonic
from typing import Any, NamedTuple

from pmbf.cluster.filter_rows import RowsHere
from pmbf.cluster.manifest import Volume
from pmbf.cluster.placement import Node, placed
from pmbf.jobs.executor import Begun, Executor, ShardFailed, no_answer

TIMEOUT_S = 30.0
"""Seconds that a node has for an answer. A node that is late is ended and made anew: it may have been stopped."""

REST_S = 5.0
"""Seconds in which a node that failed is asked only for volumes that no other node has."""

_REPORT_S = 0.1
"""Seconds of `TIMEOUT_S` that are kept back to make the report when nodes have not answered."""

MOST_CALLS = 16
"""Calls of a node that are begun and not answered, at most. Further ones wait."""

_MOST_TRIES = 2
"""How often a node is asked for a volume: it may have died, and be there again."""

LATE_TIMES, LATE_S = 4.0, 0.05
"""A node is late after 4 times the 95th percentile of the last calls, and after 50 ms at the least."""

_CALLS, _FEW, _FEW_S = 64, 8, 1.0
"""Calls of a method that are remembered. With fewer than 8, a node is late after 1 s a query: the first calls open
volumes."""

_Tries = Counter[tuple[str, int]]


class _Usual:
    """Remembers how long calls took. Any thread may call."""

    def __init__(self) -> None:
        self._seconds: defaultdict[str, deque[float]] = defaultdict(lambda: deque(maxlen=_CALLS))

    def note(self, method: str, seconds: float) -> None:
        """Remember how long a call of a method took, for each query that it was about."""
        self._seconds[method].append(seconds)

    def hedge_s(self, method: str, size: int, timeout_s: float) -> float:
        """Return after how many seconds a call about `size` queries is late, if a node has `timeout_s`."""
        known = list(self._seconds[method])
        if len(known) < _FEW:
            return min(timeout_s / 4, _FEW_S * size)
        return min(timeout_s / 4, max(LATE_S, LATE_TIMES * size * sorted(known)[19 * len(known) // 20]))


class NodeAnswer(NamedTuple):
    """What one node has answered about some volumes; the node by its number."""

    node: int
    volumes: Sequence[Volume]
    value: Any


@dataclass(slots=True)
class NodeAnswers:
    """What the nodes have answered.

    Args:
        values: The answer of each node.
        unread: Why no node has answered for a volume, by the volume's name.
        warnings: Which file of a volume is damaged that the answer did not need, by the volume's name.
    """

    values: list[NodeAnswer] = field(default_factory=list)
    unread: dict[str, str] = field(default_factory=dict)
    warnings: dict[str, str] = field(default_factory=dict)


@dataclass(slots=True, eq=False)
class _Call:
    """A call of a node, by its number, about some volumes.

    Args:
        since: When it was begun.
        seconds: How long it took, once it is done.
        value: The answer, a `Reply`, or the failure; None: not settled.
        hedges: Calls of other nodes about the same volumes, begun because this one was late.
    """

    node: int
    volumes: Sequence[Volume]
    begun: Begun
    since: float
    seconds: float | None = None
    value: Any = None
    hedges: list[_Call] = field(default_factory=list)

    @property
    def is_done(self) -> bool:
        return self.begun.future.done()

    @property
    def has_failed(self) -> bool:
        return isinstance(self.value, ShardFailed)

    def settle(self, end: float) -> None:
        """Take the answer; a node that is late at the time `end` is ended."""
        if self.value is None:
            self.value = self.begun.answer(end)

    def answered_hedges(self) -> list[_Call]:
        """Settle those hedges that are done; return those of them that have an answer."""
        done = [one for one in self.hedges if one.is_done]
        for one in done:
            one.settle(monotonic())
        return [one for one in done if not one.has_failed]


class Nodes:
    """The nodes of a cluster, called through an executor: a holder on each. Any thread may call.

    Args:
        executor: Its shards are the nodes, in the same order, each with a `Holder`.
        nodes: The nodes.
        timeout_s: As `TIMEOUT_S`.
        rows: The rows of the filter of all volumes: a volume is asked for hashes that it may have. None: for all.
    """

    def __init__(
        self,
        executor: Executor,
        nodes: Sequence[Node],
        *,
        timeout_s: float = TIMEOUT_S,
        rows: RowsHere | None = None,
    ) -> None:
        self.executor, self.nodes, self.rows = executor, list(nodes), rows
        self.timeout_s = timeout_s
        self._numbers = {node: number for number, node in enumerate(self.nodes)}
        self._placed: dict[str, list[int]] = {}
        self._rest_until: dict[int, float] = {}
        self._room = [BoundedSemaphore(MOST_CALLS) for _ in self.nodes]
        self._usual, self._open, self._lock = _Usual(), list[_Call](), Lock()

    def ask(
        self,
        method: str,
        volumes: Iterable[Volume],
        arguments: Callable[[Sequence[Volume]], tuple[Any, ...]] | tuple[Any, ...] = (),
        *,
        size: int = 1,
    ) -> NodeAnswers:
        """Call a method of `Holder` for some volumes, at the same time on all nodes that have them.

        If a node is late, then its volumes are asked of their other nodes, too: the first answer counts. After
        `timeout_s` no node is asked, and volumes without an answer are unread.

        Args:
            method: Its first argument is the volumes that a node is asked for.
            volumes: The volumes.
            arguments: The other arguments, or how they follow from the volumes of a node.
            size: How many queries the call is about: it may take as many times as long.
        """
        self._end_late()
        found, waiting, tries = NodeAnswers(), list(volumes), _Tries()
        deadline = monotonic() + self.timeout_s - min(_REPORT_S, self.timeout_s / 4)
        hedge_s = self._usual.hedge_s(method, size, self.timeout_s)

        def begin(some: Sequence[Volume], most_tries: int = _MOST_TRIES) -> list[_Call]:
            shared_out = self._shared_out(some, tries, most_tries)
            given = arguments if callable(arguments) else lambda _: arguments
            return [self._begin(node, method, its, given(its), deadline) for node, its in shared_out.items()]

        while waiting and (not found.unread or monotonic() < deadline):
            calls, waiting = begin(waiting), []
            for call in self._answered(calls, partial(begin, most_tries=1), hedge_s, deadline):
                if call.seconds is not None and not call.has_failed:
                    self._usual.note(method, call.seconds / size)
                unread = self._unread(call, tries)
                answered = [one for one in call.volumes if one.name not in unread]
                if answered:
                    found.values.append(NodeAnswer(call.node, answered, call.value.value))
                    found.warnings |= self._named(call, call.value.warnings)
                for one in answered:
                    found.unread.pop(one.name, None)
                found.unread |= unread
                waiting += [one for one in call.volumes if one.name in unread]
        return found

    def _begin(
        self, node: int, method: str, volumes: Sequence[Volume], arguments: tuple[Any, ...], deadline: float
    ) -> _Call:
        """Begin a call, when the node has room for it."""
        room = self._room[node]
        if not room.acquire(timeout=max(0.0, deadline - monotonic())):
            busy = ShardFailed(node, f"{MOST_CALLS} other calls wait for it")
            return _Call(node, volumes, no_answer(busy), monotonic())
        call = _Call(node, volumes, self.executor.begin(node, method, (volumes, *arguments)), monotonic())
        with self._lock:
            self._open.append(call)

        def is_done(_: object) -> None:
            call.seconds = monotonic() - call.since
            room.release()

        call.begun.future.add_done_callback(is_done)
        return call

    def _answered(
        self, calls: Sequence[_Call], begin: Callable[[Sequence[Volume]], list[_Call]], hedge_s: float, deadline: float
    ) -> list[_Call]:
        """Return calls that are done and are together about all volumes, each volume once.

        A call is late after `hedge_s`. Its volumes are asked elsewhere then, and either its own answer counts, or those
        of the others.
        """
        waiting, done = list(calls), list[_Call]()
        hedge_at, are_hedged = monotonic() + hedge_s, False
        while waiting:
            pending = [call.begun.future for one in waiting for call in (one, *one.hedges) if not call.is_done]
            until = deadline if are_hedged else min(deadline, hedge_at)
            wait(pending, max(0.0, until - monotonic()), FIRST_COMPLETED)
            is_over, late = monotonic() >= deadline, list[_Call]()
            for one in waiting:
                if one.is_done or is_over:
                    done += self._chosen(one, deadline)
                elif _n_volumes(hedges := one.answered_hedges()) == len(one.volumes):
                    self._rest(one.node)
                    one.begun.future.cancel()
                    done += hedges
                else:
                    late.append(one)
            waiting = late
            if not are_hedged and monotonic() >= hedge_at:
                are_hedged = True
                for one in waiting:
                    one.hedges = begin(one.volumes)
        for one in done:
            one.settle(deadline)
        return done

    def _chosen(self, one: _Call, deadline: float) -> list[_Call]:
        """Return the call itself if it has an answer, else the hedges that have one, and the call for the rest."""
        one.settle(deadline)
        if not one.has_failed:
            return [one]
        have = one.answered_hedges()
        names = {volume.name for call in have for volume in call.volumes}
        remaining = [volume for volume in one.volumes if volume.name not in names]
        return [*have, replace(one, volumes=remaining)] if remaining else have

    def _end_late(self) -> None:
        """End nodes that have owed an answer for longer than `timeout_s`; others have answered in their place."""
        end = monotonic() - self.timeout_s
        with self._lock:
            self._open = [one for one in self._open if not one.begun.future.done()]
            late = [one for one in self._open if one.since < end]
        for one in late:
            one.settle(end)
            self.failed(one.node)

    def _unread(self, call: _Call, tries: _Tries) -> dict[str, str]:
        """Return why a node has not answered for volumes; a node that died is asked again, one that cannot read not."""
        if call.has_failed:
            self.failed(call.node)
            return self._named(call, {one.name: call.value.reason for one in call.volumes})
        for one in call.value.unread:
            tries[one, call.node] = _MOST_TRIES
        return self._named(call, call.value.unread)

    def _named(self, call: _Call, reasons: Mapping[str, str]) -> dict[str, str]:
        return {one: f"{self.nodes[call.node].name}: {reason}" for one, reason in reasons.items()}

    def in_turn(self) -> list[int]:
        """Return the numbers of the nodes, those that failed lately at the end."""
        now = monotonic()
        return sorted(range(len(self.nodes)), key=lambda node: self._rest_until.get(node, 0.0) > now)

    def late(self) -> list[str]:
        """Return the names of the nodes that failed or were late within the last `REST_S`."""
        now = monotonic()
        return [node.name for number, node in enumerate(self.nodes) if self._rest_until.get(number, 0.0) > now]

    def keep(self, volumes: Iterable[Volume]) -> None:
        """Have each node delete the volumes that it need not have; here, their rows are deleted."""
        volumes = list(volumes)
        if self.rows:
            self.rows.keep(volumes)
        calls = {node: (some,) for node, some in enumerate(self.of_nodes(volumes).values())}
        self.executor.call("keep", calls, self.timeout_s)

    def of_nodes(self, volumes: Iterable[Volume]) -> dict[Node, list[Volume]]:
        """Return the volumes that each node has, in the order of the nodes."""
        found: dict[Node, list[Volume]] = {node: [] for node in self.nodes}
        for volume in volumes:
            for node in placed(volume.key, self.nodes):
                found[node].append(volume)
        return found

    def _shared_out(self, volumes: Sequence[Volume], tries: _Tries, most_tries: int) -> dict[int, list[Volume]]:
        """Return which volumes each node is asked for: of each volume, the node asked least, one that is up first."""
        shared: dict[int, list[Volume]] = defaultdict(list)
        now = monotonic()
        resting = {node for node, until in self._rest_until.items() if until > now}
        for volume in volumes:
            remaining = [node for node in self._copies(volume.key) if tries[volume.name, node] < most_tries]
            if remaining:
                chosen = min(remaining, key=lambda node: (tries[volume.name, node], node in resting))
                tries[volume.name, chosen] += 1
                shared[chosen].append(volume)
        return shared

    def _copies(self, key: str) -> list[int]:
        """Return the numbers of the nodes that have a volume, by its key; each is worked out once."""
        if key not in self._placed:
            self._placed[key] = [self._numbers[node] for node in placed(key, self.nodes)]
        return self._placed[key]

    def failed(self, node: int) -> None:
        """Make a node anew, and ask the others first for some seconds."""
        self._rest(node)
        self.executor.restart(node)

    def _rest(self, node: int) -> None:
        self._rest_until[node] = monotonic() + REST_S


def _n_volumes(calls: Sequence[_Call]) -> int:
    return sum(len(one.volumes) for one in calls)
