"""A service in a process of its own, and clients that speak to its socket byte by byte."""

import contextlib
import json
import os
import shutil
import signal
import socket
import subprocess
import tempfile
from pathlib import Path

import pytest

from pmbf.guard.policy import Policy
from pmbf.guard.session import Session
from pmbf.guard.types import Payload
from pmbf.jobs import frames
from pmbf.serving.service.requests import request
from tests.conftest import ROOT
from tests.forked import started
from tests.guard.conftest import CLEAN as CLEAN
from tests.guard.conftest import protected as protected

UNREAD = f"From: a\nContent-Type: application/pdf\nContent-Transfer-Encoding: base64\n\n{'JVBERi0xLjQKcut' * 3}\n"
"""A mail whose only part cannot be read."""


def frame(folder, *contents, **changes):
    """Return what a hook sends."""
    payloads = [Payload(f"{n}.txt", (f"{n}.txt",), one.encode(), "path") for n, one in enumerate(contents)]
    header, pieces = request(Session(Policy(str(folder))), payloads)
    return frames.head_of(header | changes, sum(map(len, pieces))) + b"".join(pieces)


def still_answers(running):
    """Return whether a service still answers."""
    return running.ask("GET", "/healthz")[0] == 200


@pytest.fixture(autouse=True)
def _nothing_from_outside(monkeypatch):
    for name in list(os.environ):
        if name == "CI" or name.startswith(("PMBF_GUARD_", "PMBF_SOCKET", "GIT_")):
            monkeypatch.delenv(name)


@pytest.fixture(scope="session")
def place():
    """A folder whose name is short enough for a socket's path."""
    folder = tempfile.mkdtemp(prefix="pmbf-")
    yield Path(folder)
    shutil.rmtree(folder)


class Running:
    """A service that runs until it is stopped."""

    def __init__(self, process, path):
        self.process, self.path = process, path
        self.said = ""
        while "serving" not in self.said:
            line = self.process.stderr.readline()
            assert line, self.said
            self.said += line

    def stop(self, number=signal.SIGTERM):
        """Ask it to stop, and return its exit code; `said` has what it printed."""
        self.process.send_signal(number)
        self.said += self.process.communicate(timeout=60)[1]
        return self.process.returncode

    @property
    def port(self):
        """Where it listens over TCP."""
        return int(self.said.split("127.0.0.1:")[-1].split()[0])

    def connect(self):
        """Return a connection."""
        connection = socket.socket(socket.AF_UNIX)
        connection.settimeout(60)
        connection.connect(str(self.path))
        return connection

    def ask(self, method, target, body=b"", **headers):
        """Send a request on a connection of its own; return the status and the body."""
        with self.connect() as connection:
            connection.sendall(encoded(method, target, body, **headers))
            return received(connection)

    def json(self, method, target, body=b""):
        status, answer = self.ask(method, target, body)
        return status, json.loads(answer)

    def metric(self, name):
        """Return a value of /metrics."""
        lines = self.ask("GET", "/metrics")[1].decode().splitlines()
        return sum(float(line.rsplit(" ", 1)[1]) for line in lines if line.startswith(name) and "#" not in line)


def encoded(method, target, body=b"", **headers):
    """Return a request as it is sent."""
    lines = {"Host": "pmbf", "Content-Length": str(len(body))} | headers
    head = "".join(f"{name.replace('_', '-')}: {value}\r\n" for name, value in lines.items())
    return f"{method} {target} HTTP/1.1\r\n{head}\r\n".encode() + body


def received(connection):
    """Return the status and the body of the next response; status 0 where the connection ends without one."""
    raw = b""
    while b"\r\n\r\n" not in raw:
        piece = connection.recv(1 << 16)
        if not piece:
            return 0, raw
        raw += piece
    head, _, body = raw.partition(b"\r\n\r\n")
    [length] = [int(line.split(b":")[1]) for line in head.split(b"\r\n") if line.startswith(b"Content-Length")]
    while len(body) < length:
        body += connection.recv(length - len(body))
    return int(head.split()[1]), body


def serve(path, *options):
    """Return a service as its users start it, at a socket, with one working process."""
    words = ("serve", "--socket", path, "--workers", "1", *options)
    return Running(started(*words, stderr=subprocess.PIPE, text=True), path)


@contextlib.contextmanager
def limited(collection, path, **limits):
    """Give a service with limits of its own, and one working process."""
    words = (collection, path, json.dumps(limits))
    running = Running(
        started(*words, module="tests.service.limited", stderr=subprocess.PIPE, text=True, cwd=ROOT), path
    )
    try:
        yield running
    finally:
        if running.process.poll() is None:
            assert running.stop() == 0


@contextlib.contextmanager
def served(collection, path, *options):
    """Give a service as its users start it, with one working process unless the options say otherwise."""
    running = serve(path, "-c", collection, *options)
    try:
        yield running
    finally:
        if running.process.poll() is None:
            assert running.stop() == 0


@pytest.fixture(scope="session")
def service(protected, place):
    """A service of the protected collection."""
    with served(protected, place / "s.sock", "--workers", 2, "--log") as running:
        yield running
