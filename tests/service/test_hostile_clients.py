"""Hostile, slow and broken clients of the service are refused, and others are answered all the same."""

import contextlib
import socket
import threading

import pytest

from tests.guard.conftest import LEAK
from tests.service.conftest import CLEAN, encoded, limited, received, still_answers


@pytest.fixture(scope="module")
def strict(protected, place):
    """A service whose limits are soon reached."""
    limits = {
        "header_s": 0.3, "stall_s": 0.3, "body_s": 1.0, "idle_s": 0.5, "request_bytes": 100_000, "connections": 16,
    }  # fmt: skip
    with limited(protected, place / "strict.sock", **limits) as running:
        yield running


@pytest.mark.parametrize(("sent", "status"), [
    (b"GET /healthz HTTP/1.1\r\nHost: x\r\nX-Slow: ", 408),
    (b"POST /v1/check HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\nhalf of it", 408),
    (b"GET /healthz HTTP/1.1\r\nHost: x\r\nX-Giant: " + b"x" * 2_000_000, 431),
    (b"GET /healthz HTTP/1.1\r\nHost: x\r\n" + b"A: b\r\n" * 100 + b"\r\n", 431),
    (b"POST /v1/check HTTP/1.1\r\nHost: x\r\nContent-Length: 100001\r\n\r\n", 413),
    (b"POST /v1/check HTTP/1.1\r\nHost: x\r\nContent-Length: 900000\r\n\r\n" + b"x" * 900_000, 413),
    (b"POST /v1/check HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n", 400),
    (b"POST /v1/check HTTP/1.1\r\nHost: x\r\nContent-Length: +5\r\n\r\nhello", 400),
    (b"POST /v1/check HTTP/1.1\r\nHost: x\r\nContent-Length: 5, 5\r\n\r\nhello", 400),
    (b"POST /v1/check HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello", 400),
    (b"POST /v1/check HTTP/1.1\r\nHost: x\r\nContent-Length: 99999999999999999999\r\n\r\n", 400),
    (b"POST /v1/check HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 411),
    (b"POST /v1/check HTTP/1.1\r\nHost: x\r\n\r\n", 411),
    (b"POST /v1/check HTTP/1.1\r\nHost: x\r\nExpect: more\r\nContent-Length: 1\r\n\r\n", 417),
    (b"GET /healthz HTTP/1.1\r\n\r\n", 400),
    (b"GET /healthz HTTP/3.0\r\nHost: x\r\n\r\n", 505),
    (b"GET http://x/healthz HTTP/1.1\r\nHost: x\r\n\r\n", 400),
    (b"GET /healthz HTTP/1.1\r\nHost : x\r\n\r\n", 400),
    (b"GET /healthz HTTP/1.1\r\nHost: x\r\n folded\r\n\r\n", 400),
    (b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\r\n\r\n", 400),
    (b"\r\n\r\n\r\n\r\n", 400),
])  # fmt: skip
def test_slow_and_broken_requests_are_refused_and_the_connection_ends(strict, sent, status):
    with strict.connect() as connection:
        sender = threading.Thread(target=lambda: _quietly(connection, sent))
        sender.start()
        assert received(connection)[0] == status
        sender.join()
        assert connection.recv(1) == b""
    assert still_answers(strict)


def _quietly(connection, sent):
    try:
        connection.sendall(sent)
    except OSError:  # refused before all of it was sent
        return


def test_one_byte_at_a_time_is_too_slow(strict):
    with strict.connect() as connection:
        for byte in encoded("GET", "/healthz", X_Long="x" * 100_000):
            try:
                connection.sendall(bytes([byte]))
            except OSError:
                break
        assert received(connection)[0] in (0, 408, 431)
    assert still_answers(strict)


def test_who_asks_nothing_is_not_kept(strict):
    with strict.connect() as connection:
        assert connection.recv(1) == b""


def test_who_leaves_early_harms_nobody(strict):
    for sent in (b"GET", b"POST /v1/check HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\nx", b""):
        with strict.connect() as connection:
            connection.sendall(sent)
    with strict.connect() as connection:
        connection.sendall(encoded("POST", "/v1/check", LEAK.encode()))
    assert still_answers(strict)


def test_too_many_connections_are_refused_and_told_so(strict):
    held = [strict.connect() for _ in range(40)]
    try:
        answers = []
        for connection in held:
            _quietly(connection, encoded("GET", "/healthz"))
        for connection in held:
            answers.append(received(connection)[0])
        assert set(answers) == {200, 503}
    finally:
        for connection in held:
            connection.close()
    assert still_answers(strict)


@pytest.mark.parametrize(("limits", "n_sent", "said"), [
    ({"requests": 1}, 0, "too many requests"),
    ({"held_bytes": 1000}, 500, "too many bytes"),
])  # fmt: skip
def test_who_asks_for_more_than_there_is_room_for_is_told_to_come_back(protected, place, limits, n_sent, said):
    with limited(protected, place / "full.sock", **limits) as running, running.connect() as first:
        whole = encoded("POST", "/v1/check", CLEAN[:600].encode(), Expect="100-continue")
        first.sendall(whole[:-600])
        assert b"100 Continue" in first.recv(100)
        first.sendall(whole[-600:][:n_sent])
        while (answer := running.json("POST", "/v1/check", CLEAN[:600].encode()))[0] == 200:
            pass  # what was sent has not come yet
        assert (answer[0], said in answer[1]["error"]) == (503, True)
        first.sendall(whole[-600:][n_sent:])
        assert received(first)[0] == 200
        assert running.json("POST", "/v1/check", CLEAN[:600].encode())[0] == 200
        assert running.metric('pmbf_refused_total{reason="busy"}') == 1


def claimed(n_bytes, **headers):
    """Return a request that says how long its body is, without it."""
    return encoded("POST", "/v1/check", **headers).replace(b"Content-Length: 0", b"Content-Length: %d" % n_bytes)


def test_health_is_answered_while_slow_clients_take_all_requests(protected, place):
    with limited(protected, place / "slow.sock", requests=2) as running, contextlib.ExitStack() as held:
        for _ in range(2):
            slow = held.enter_context(running.connect())
            slow.sendall(claimed(900, Expect="100-continue"))
            assert b"100 Continue" in slow.recv(100)
        assert running.json("POST", "/v1/check", CLEAN.encode())[0] == 503
        assert running.json("GET", "/healthz")[0] == 200
        assert running.json("GET", "/healthz", b"a body takes room")[0] == 503


def test_bodies_that_are_claimed_and_not_sent_take_no_room(protected, place):
    with limited(protected, place / "claims.sock", held_bytes=1000) as running:
        claims = [running.connect() for _ in range(4)]
        for claim in claims:
            claim.sendall(claimed(900, Expect="100-continue"))
            assert b"100 Continue" in claim.recv(100)
        assert running.json("POST", "/v1/check", CLEAN[:900].encode())[0] == 200
        for claim in claims:
            claim.close()


def test_what_came_is_counted_and_not_what_was_claimed(protected, place):
    with limited(protected, place / "counts.sock") as running:
        huge = claimed(999_999_999_999_999)
        half = claimed(100_000) + b"half"
        for sent, status in ((huge, 413), (half, 400)):
            with running.connect() as connection:
                connection.sendall(sent)
                connection.shutdown(socket.SHUT_WR)
                assert received(connection)[0] == status
        assert running.metric("pmbf_received_bytes_total") == len(huge) + len(half)
        assert running.stop() == 0
    logged = [line.split()[4] for line in running.said.splitlines() if " POST " in line]
    assert logged == [f"in={len(huge)}", f"in={len(half)}"]


def test_who_comes_over_tcp_takes_no_place_of_the_socket(protected, place):
    with limited(protected, place / "doors.sock", tcp=True, connections=4, tcp_connections=4) as running:
        address = ("127.0.0.1", running.port)
        held = [socket.create_connection(address, timeout=60) for _ in range(12)]
        for connection in held:
            _quietly(connection, b"GET /healthz HTTP/1.1\r\nHost: x\r\nX-Slow: ")
        while running.metric("pmbf_refused_total") < 8:
            pass
        assert running.ask("POST", "/v1/check", CLEAN.encode())[0] == 200
        for connection in held:
            connection.close()


def test_a_stop_with_idle_connections_is_quiet(protected, place):
    with limited(protected, place / "idle.sock") as running:
        idle = [running.connect() for _ in range(6)]
        for connection in idle[:3]:
            connection.sendall(encoded("GET", "/healthz"))
            assert received(connection)[0] == 200
        while running.metric("pmbf_connections") < 7:
            pass
        assert running.stop() == 0
        assert all(connection.recv(1) == b"" for connection in idle)
    lines = [line for line in running.said.splitlines() if "serving" not in line]
    assert all(" GET " in line for line in lines), running.said


def test_a_stop_ends_whatever_its_connections_do(protected, place):
    waits = dict.fromkeys(("header_s", "body_s", "stall_s", "idle_s"), 600.0)  # none of these ends a connection here
    with limited(protected, place / "ends.sock", tcp=True, stop_s=0.5, **waits) as running:
        kept, half_head, half_body = (running.connect() for _ in range(3))
        kept.sendall(encoded("GET", "/healthz"))
        assert received(kept)[0] == 200
        half_head.sendall(b"GET /healthz HTTP/1.1\r\nHost: x\r\nX-Slow: ")
        half_body.sendall(b"POST /v1/check HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\nx")
        while running.metric("pmbf_in_flight") < 2:  # the body, and the question itself
            pass
        just_opened = [running.connect() for _ in range(20)]
        just_opened += [socket.create_connection(("127.0.0.1", running.port), timeout=60) for _ in range(20)]
        assert running.stop() == 0  # within 60 s, or the test fails
        for connection in (kept, half_head, half_body, *just_opened):
            assert _ended(connection)
            connection.close()


def _ended(connection):
    """Return whether the service has ended a connection."""
    try:
        return connection.recv(1) == b""
    except ConnectionResetError:
        return True
