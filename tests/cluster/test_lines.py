"""Lines to holders: calls go there and back, strangers are sent away, and a line that ends is told."""

import os
import socket
import subprocess
import sys
import time
from threading import Thread

import pytest

from pmbf import CorruptError
from pmbf.cluster import lines
from pmbf.cluster.lines import Line, Waiting
from pmbf.jobs import frames
from pmbf.jobs.processes import DiedError
from tests.cluster.certificates import encrypted

from .conftest import needs_openssl

KEY = bytes(range(32))
PROGRAM = """
import sys, time
from pmbf.cluster.lines import Waiting
print(*Waiting("127.0.0.1", bytes(range(32))).address, flush=True)
time.sleep(60)
"""


@pytest.fixture
def holder():
    with subprocess.Popen([sys.executable, "-c", PROGRAM], stdout=subprocess.PIPE, text=True) as process:
        yield process
        process.kill()


@pytest.fixture
def where(holder):
    host, port = holder.stdout.readline().split()
    return host, int(port)


@pytest.fixture
def line(holder, where):
    made = Line(lambda: where, KEY, holder.kill)
    yield made
    made.close()


def test_calls_go_there_and_back(line, holder):
    assert holder.pid == line.submit(os.getpid).result(10)
    several = [line.submit(pow, 2, number) for number in range(10)]
    assert [2**number for number in range(10)] == [one.result(10) for one in several]
    large = os.urandom(5_000_000)
    assert large == line.submit(bytes, large).result(10)


def test_an_error_of_a_call_is_raised_and_the_line_stays(line):
    with pytest.raises(CorruptError, match="page 3"):
        line.submit(exec, "import pmbf; raise pmbf.CorruptError('page 3')").result(10)
    assert 8 == line.submit(pow, 2, 3).result(10)


def test_a_holder_that_dies_is_told(line, holder):
    call = line.submit(time.sleep, 60)
    time.sleep(0.3)
    holder.kill()
    with pytest.raises(DiedError):
        call.result(10)
    with pytest.raises(DiedError):
        line.submit(pow, 2, 3).result(10)


def test_closing_ends_the_holder_and_the_calls(line, holder):
    call, waiting = line.submit(time.sleep, 60), line.submit(pow, 2, 3)
    time.sleep(0.3)
    line.close()
    holder.wait(10)
    with pytest.raises(DiedError):
        call.result(10)
    assert waiting.cancelled()


def test_a_stranger_is_sent_away_and_the_line_is_made(line, where, monkeypatch):
    with pytest.raises(DiedError, match="line to it is broken"):
        Line(lambda: where, b"another key", bool).submit(pow, 2, 3).result(10)
    with socket.create_connection(where) as mute:
        mute.sendall(b"GET / HTTP/1.1\r\n\r\n" + bytes(100))
        assert 8 == line.submit(pow, 2, 3).result(20)


def test_nothing_listens_once_the_line_is_made(line, where):
    assert 8 == line.submit(pow, 2, 3).result(10)
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(where, 5)


def test_a_false_holder_is_not_believed():
    """Who says what the asker has said does not know the key."""
    listening = socket.create_server(("127.0.0.1", 0))

    def echo():
        connection = listening.accept()[0]
        with connection, connection.makefile("rwb", buffering=0) as stream:
            while heard := frames.receive(stream):
                frames.send(stream, *heard)

    Thread(target=echo, daemon=True).start()
    with listening, pytest.raises(DiedError, match="does not know the key"):
        Line(listening.getsockname, KEY, bool).submit(pow, 2, 3).result(10)


@needs_openssl
def test_with_rays_certificates_a_line_is_encrypted(tmp_path, monkeypatch):
    for name, value in encrypted(tmp_path, "127.0.0.1").items():
        monkeypatch.setenv(name, value)
    waiting = Waiting("127.0.0.1", KEY)
    line = Line(lambda: waiting.address, KEY, bool)
    assert 8 == line.submit(pow, 2, 3).result(10)
    assert "TLSv1.3" == line._stream._sock.version()
    line.close()
    waiting = Waiting("127.0.0.1", KEY)
    with monkeypatch.context() as plain:
        plain.setenv("RAY_USE_TLS", "0")
        plain.setattr(lines, "MEET_S", 1)
        with pytest.raises(DiedError):
            Line(lambda: waiting.address, KEY, bool).submit(pow, 2, 3).result(10)
