"""The application in a process of its own, and a client that speaks HTTP to it."""

import http.client
import json
import re
import signal
import subprocess
import time
from dataclasses import dataclass, field
from urllib.parse import urlencode

import pytest

from pmbf import Collection
from tests.conftest import words
from tests.forked import started

pytest.importorskip("starlette", reason="the application needs pmbf[web]")

SHARED = words(5, 120)
ESSAY = f"{words(71, 60)} {SHARED} {words(72, 60)}"


@dataclass
class Answer:
    """A response: status, headers by name in small letters, body."""

    status: int
    headers: dict
    body: bytes

    @property
    def json(self):
        return json.loads(self.body)

    @property
    def text(self):
        return self.body.decode()


@dataclass
class Client:
    """Speaks HTTP to the application, with a token or the cookies of a session."""

    port: int
    token: str = ""
    cookies: dict = field(default_factory=dict)

    def ask(self, method, target, body=None, **headers):
        """Send a request on a connection of its own; return its answer. Values that are None are not sent."""
        sent = {"Host": f"127.0.0.1:{self.port}"}
        if self.token:
            sent["Authorization"] = f"Bearer {self.token}"
        if self.cookies:
            sent["Cookie"] = "; ".join(f"{name}={value}" for name, value in self.cookies.items())
        if method in ("POST", "DELETE") and not self.token:
            sent["Sec-Fetch-Site"] = "same-origin"
        sent |= {name.replace("_", "-"): value for name, value in headers.items()}
        sent = {name: value for name, value in sent.items() if value is not None}
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        try:
            connection.request(method, target, body, sent)
            found = connection.getresponse()
            answer = Answer(found.status, {name.lower(): value for name, value in found.getheaders()}, found.read())
        finally:
            connection.close()
        for name, value in re.findall(r"^([^=]+)=([^;]*)", answer.headers.get("set-cookie", "")):
            self.cookies[name] = value
        return answer

    def form(self, target, **fields):
        """Send the fields of a form."""
        return self.ask("POST", target, urlencode(fields), Content_Type="application/x-www-form-urlencoded")

    def screened(self, text, query=""):
        """Screen a text; return its entry in the history, once its job is over."""
        [job] = self.ask("POST", f"/v1/screenings?name=essay.txt{query}", text.encode()).json["jobs"]
        over = self.over(job["id"])
        assert over["state"] == "done", over
        return self.ask("GET", f"/v1/screenings/{over['screening']}").json

    def over(self, number):
        """Wait for the end of a job; return its last state."""
        until = time.monotonic() + 60
        while time.monotonic() < until:
            state = self.ask("GET", f"/v1/jobs/{number}").json
            if state["state"] in ("done", "failed"):
                return state
            time.sleep(0.02)
        raise AssertionError(state)


class Running:
    """The application, until it is stopped."""

    def __init__(self, folder, state, *options, workers=1):
        words = ("web", "-c", folder, "--port", "0", "--state", state, "--workers", workers, *options)
        self.process = started(*words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.link = self.process.stdout.readline().strip()
        assert self.link, self.process.communicate()
        self.port = int(re.search(r":(\d+)/", self.link)[1]) if "127.0.0.1" in self.link else None

    def entered(self):
        """Return a client with the session that the link opens."""
        client = Client(self.port)
        ticket = self.link.partition("ticket=")[2]
        assert client.form("/enter", token=ticket).status == 303
        return client

    def stop(self, number=signal.SIGTERM):
        """Stop it; return its exit code and what it said."""
        self.process.send_signal(number)
        said = self.process.communicate(timeout=60)
        return self.process.returncode, said[1]


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    """A collection of three documents; an essay shares a passage with the first, which has two labelled paths."""
    folder = tmp_path_factory.mktemp("library") / "library.pmbf"
    with Collection(folder, create=True) as collection:
        collection.add_many([("harbours", f"{words(1, 80)} {SHARED} {words(2, 80)}"), ("tides", words(3, 300))])
        collection.add(f"{words(1, 80)} {SHARED} {words(2, 80)}", name="ports", labels={"author": "<i>Ann\u202e"})
        collection.add("<script>alert(1)</script>", name="<b>hostile</b>")
    return folder


@pytest.fixture(scope="module")
def running(library, tmp_path_factory):
    made = Running(library, tmp_path_factory.mktemp("state"), "--log", workers=2)
    yield made
    code, said = made.stop()
    assert code == 0 and "Traceback" not in said, said


@pytest.fixture(scope="module")
def owner(running):
    """A browser's session of the role admin."""
    return running.entered()


@pytest.fixture(scope="module")
def clients(owner):
    """A program for each role."""
    found = {}
    for role in ("screen", "review", "admin"):
        made = owner.ask("POST", "/v1/tokens", json.dumps({"name": role, "role": role}))
        found[role] = Client(owner.port, made.json["token"])
    return found
