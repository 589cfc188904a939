"""How large, how long and how many: each bound of the service, once."""

from __future__ import annotations

from dataclasses import dataclass

from pmbf.extract.limits import MIB, require_above_zero


@dataclass(frozen=True, slots=True)
class ServiceLimits:
    """What a client may take of the service.

    Args:
        header_bytes: Of a request's first line and headers.
        header_s: Seconds for these, from their first byte.
        request_bytes: Of a request's body.
        body_s: Seconds for the whole body.
        stall_s: Seconds between two pieces of a body, or of a response that is taken.
        idle_s: Seconds between two requests of a connection.
        answer_s: Seconds for the answer; then the processes that work at it are ended.
        connections: At the same time, through the Unix socket.
        tcp_connections: The same over TCP, where whoever is on this machine can open them.
        requests: Read or answered at the same time; more are refused.
        held_bytes: Of all bodies together, as far as they came.
        stop_s: Seconds that a stop waits for what is being answered.

    Raises:
        ParameterError: A limit is not above 0.
    """

    header_bytes: int = 16 << 10
    header_s: float = 10.0
    request_bytes: int = 272 * MIB
    body_s: float = 120.0
    stall_s: float = 10.0
    idle_s: float = 60.0
    answer_s: float = 120.0
    connections: int = 128
    tcp_connections: int = 64
    requests: int = 64
    held_bytes: int = 512 * MIB
    stop_s: float = 30.0

    def __post_init__(self) -> None:
        require_above_zero(self)
