"""Slow, broken and greedy clients of the application: real sockets, nothing in between."""

import asyncio
import contextlib
import socket
import threading
from functools import partial

import pytest
from starlette.applications import Starlette
from starlette.responses import JSONResponse, StreamingResponse
from starlette.routing import Route

from pmbf.serving.http.connections import Door
from pmbf.serving.http.limits import ServiceLimits
from pmbf.serving.http.messages import HttpError
from pmbf.serving.http.metrics import Metrics
from pmbf.serving.web.bridge import ApplicationConnections


async def size(request):
    """Return the bytes of the body, and the most that came at once."""
    sizes = [len(piece) async for piece in request.stream()]
    return JSONResponse({"bytes": sum(sizes), "most": max(sizes, default=0), "query": str(request.url.query)})


async def numbers(request):
    async def lines():
        for number in range(3):
            yield f"{number}\n"
            await asyncio.sleep(0.01)

    return StreamingResponse(lines(), media_type="text/plain")


async def failing(request):
    raise ValueError("a defect")


async def slow(request):
    await asyncio.sleep(30)


ROUTES = [
    Route("/size", size, methods=["GET", "POST"]),
    Route("/numbers", numbers),
    Route("/failing", failing),
    Route("/slow", slow),
]


@contextlib.contextmanager
def served(**limits):
    """Give a function that sends bytes to an application on the bridge, and returns all that comes back."""
    loop, ready, port, stopped = asyncio.new_event_loop(), threading.Event(), [], asyncio.Event()

    async def main():
        handlers = {HttpError: lambda _, error: JSONResponse({}, error.status, error.headers)}
        application = Starlette(routes=ROUTES, exception_handlers=handlers)
        made = ApplicationConnections(application, Metrics(), ServiceLimits(**limits))
        server = await asyncio.start_server(partial(made.serve, door=Door(8)), "127.0.0.1", 0)
        port.append(server.sockets[0].getsockname()[1])
        ready.set()
        await stopped.wait()
        server.close()
        await made.stop()

    thread = threading.Thread(target=loop.run_until_complete, args=(main(),))
    thread.start()
    ready.wait()

    def ask(*pieces):
        with socket.create_connection(("127.0.0.1", port[0]), timeout=20) as connection:
            for piece in pieces:
                connection.sendall(piece)
            found = b""
            while piece := connection.recv(1 << 16):
                found += piece
            return found

    try:
        yield ask
    finally:
        loop.call_soon_threadsafe(stopped.set)
        thread.join()


def head(method, target, *headers, version="1.1"):
    return "\r\n".join([f"{method} {target} HTTP/{version}", "Host: x", *headers, "", ""]).encode()


LAST = "Connection: close"


def test_a_large_body_is_streamed_in_small_pieces():
    with served() as ask:
        found = ask(head("POST", "/size?a=%2F&a=2", "Content-Length: 5000000", LAST), b"x" * 5_000_000)
    assert b'{"bytes":5000000,"most":' in found and b'"query":"a=%2F&a=2"' in found
    assert int(found.split(b'"most":')[1].split(b",")[0]) <= 1 << 16


def test_a_streamed_answer_is_chunked_to_http_1_1_alone():
    with served() as ask:
        new, old = ask(head("GET", "/numbers", LAST)), ask(head("GET", "/numbers", version="1.0"))
    assert b"transfer-encoding: chunked" in new and b"2\r\n0\n\r\n" in new and new.endswith(b"0\r\n\r\n")
    assert b"chunked" not in old and old.endswith(b"\r\n\r\n0\n1\n2\n")


def test_one_connection_takes_several_requests_and_head_has_no_body():
    with served() as ask:
        found = ask(head("GET", "/size"), head("HEAD", "/size"), head("GET", "/numbers"), head("GET", "/size", LAST))
    assert found.count(b"HTTP/1.1 200 OK") == 4 and found.count(b'{"bytes":0') == 2


def test_a_body_that_is_not_wanted_ends_the_connection():
    with served() as ask:
        found = ask(head("POST", "/numbers", "Content-Length: 10"), b"0123456789", head("GET", "/size"))
    assert found.startswith(b"HTTP/1.1 405") and found.count(b"HTTP/1.1") == 1 and b"connection: close" in found


@pytest.mark.parametrize(
    ("limits", "pieces", "status"),
    [
        ({"request_bytes": 100}, [head("POST", "/size", "Content-Length: 101")], 413),
        ({"stall_s": 0.2}, [head("POST", "/size", "Content-Length: 9"), b"x"], 408),
        ({"header_s": 0.2}, [b"GET /size HTT"], 408),
        ({"body_s": 0.1, "answer_s": 0.1}, [head("GET", "/slow")], 504),
        ({}, [head("POST", "/size", "Transfer-Encoding: chunked")], 411),
        ({}, [head("GET", "/failing")], 500),
        ({}, [head("POST", "/size", "Content-Length: 3", "Expect: money")], 417),
        ({}, [b"GET / HTTP/1.1\r\n\r\n"], 400),
    ],
)
def test_a_bad_request_is_answered_and_the_connection_ends(limits, pieces, status, capfd):
    with served(**limits) as ask:
        assert ask(*pieces).startswith(f"HTTP/1.1 {status}".encode())
        assert b"200 OK" in ask(head("GET", "/size", LAST))


def test_a_client_that_waits_for_the_go_ahead_gets_it_before_its_body():
    with served() as ask:
        found = ask(head("POST", "/size", "Content-Length: 3", "Expect: 100-continue", LAST), b"abc")
    assert found.startswith(b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK") and b'"bytes":3' in found


def test_more_requests_than_allowed_are_turned_away():
    with served(requests=1, body_s=0.5, answer_s=0.5) as ask:
        slow = threading.Thread(target=ask, args=(head("GET", "/slow"),))
        slow.start()
        found = b""
        while not found.startswith(b"HTTP/1.1 503") and slow.is_alive():
            found = ask(head("GET", "/size", LAST))
        slow.join()
    assert found.startswith(b"HTTP/1.1 503") and b"Retry-After: 1" in found
