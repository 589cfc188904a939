"""The limits of the service: sizes, times and numbers."""

from __future__ import annotations

from dataclasses import dataclass

from pmbf.extract.limits import MIB, require_above_zero


@dataclass(frozen=True, slots=True)
class ServiceLimits:
    """Sizes, times and numbers that clients may take.

    Args:
        header_bytes: Bytes of a request's first line and headers.
        header_s: Seconds for first line and headers, from their first byte.
        request_bytes: Bytes of a request's body.
        body_s: Seconds for the whole body.
        stall_s: Seconds between two pieces of a body, or for sending a response.
        idle_s: Seconds between two requests of a connection.
        answer_s: Seconds for an answer; then the processes that work at it are ended.
        connections: Connections through the Unix socket at the same time.
        tcp_connections: Connections over TCP at the same time; any user of this machine can open them.
        requests: Requests that are read or answered at the same time; more are refused.
        held_bytes: Bytes of all bodies together, as far as they have come.
        stop_s: Seconds that a stop waits for requests that are being answered.

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
