"""Counts of answers, as Prometheus reads them.

Source:
    The Prometheus text exposition format, version 0.0.4.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
BUCKETS_S = (0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0, 30.0)
Labels = tuple[tuple[str, str], ...]


@dataclass(slots=True)
class Metrics:
    """Counts since the start; changed by one thread."""

    requests: Counter[Labels] = field(default_factory=Counter)
    payloads: Counter[Labels] = field(default_factory=Counter)
    refused: Counter[Labels] = field(default_factory=Counter)
    received_bytes: int = 0
    sent_bytes: int = 0
    connections: int = 0
    in_flight: int = 0
    latency: Counter[float] = field(default_factory=Counter)
    latency_sum_s: float = 0.0

    def answered(self, path: str, status: int, *, received: int, sent: int, seconds: float) -> None:
        """Count one response."""
        self.requests[(("path", path), ("status", str(status)))] += 1
        self.received_bytes += received
        self.sent_bytes += sent
        self.latency_sum_s += seconds
        self.latency[next((bound for bound in BUCKETS_S if seconds <= bound), float("inf"))] += 1

    def judged(self, outcome: str, n: int = 1) -> None:
        """Count payloads by outcome: `clean`, `warn`, `block`, `incomplete`."""
        self.payloads[(("outcome", outcome),)] += n

    def refuse(self, reason: str) -> None:
        """Count a request or a connection that was turned away: `busy`, `size`, `token`, `time`, `malformed`."""
        self.refused[(("reason", reason),)] += 1

    def text(self, gauges: Mapping[str, tuple[str, float]]) -> str:
        """Return all counts and some gauges as text; a gauge has a name, its meaning and its value."""
        return "".join(line + "\n" for line in self._lines(gauges))

    def _lines(self, gauges: Mapping[str, tuple[str, float]]) -> Iterator[str]:
        yield from _counter("requests", "Responses by path and status.", self.requests)
        yield from _counter("payloads", "Payloads that were looked at, by outcome.", self.payloads)
        yield from _counter("refused", "Requests and connections turned away, by reason.", self.refused)
        yield from _counter("received_bytes", "Bytes of requests.", Counter({(): self.received_bytes}))
        yield from _counter("sent_bytes", "Bytes of responses.", Counter({(): self.sent_bytes}))
        yield "# HELP pmbf_request_seconds From a request's first line to its response."
        yield "# TYPE pmbf_request_seconds histogram"
        so_far = 0
        for bound in (*BUCKETS_S, float("inf")):
            so_far += self.latency[bound]
            yield f'pmbf_request_seconds_bucket{{le="{"+Inf" if bound == float("inf") else f"{bound:g}"}"}} {so_far}'
        yield f"pmbf_request_seconds_sum {self.latency_sum_s:.6f}"
        yield f"pmbf_request_seconds_count {so_far}"
        now = {
            "in_flight": ("Requests being read or answered.", self.in_flight),
            "connections": ("Connections.", self.connections),
        }
        for name, (about, value) in (now | dict(gauges)).items():
            yield f"# HELP pmbf_{name} {about}"
            yield f"# TYPE pmbf_{name} gauge"
            yield f"pmbf_{name} {value:g}" if value != int(value) else f"pmbf_{name} {int(value)}"


def _counter(name: str, about: str, counts: Mapping[Labels, int]) -> Iterator[str]:
    yield f"# HELP pmbf_{name}_total {about}"
    yield f"# TYPE pmbf_{name}_total counter"
    for labels, n in sorted(counts.items()):
        told = ",".join(f'{key}="{value}"' for key, value in labels)
        yield f"pmbf_{name}_total{{{told}}} {n}" if told else f"pmbf_{name}_total {n}"
