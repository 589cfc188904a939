"""How long the application keeps what it holds in memory, and how it lives without a working process."""

import asyncio
import json
import os
import signal
import subprocess
import time

import pytest

from pmbf import Collection, ParameterError, UnsupportedError
from pmbf.serving.service.pool import Pool
from pmbf.serving.web import database, jobs
from pmbf.serving.web.forms import Spool, Spooled
from pmbf.serving.web.history import History
from pmbf.serving.web.tokens import Token
from pmbf.store.folder import Store
from tests.conftest import words
from tests.web.conftest import ESSAY, SHARED, Client, Running


async def submitted(library, tmp_path):
    """Return a pool, its jobs, and the job of an essay."""
    pool = Pool([str(library)], 1, "pmbf.serving.web.asks")
    await pool.start()
    made = jobs.Jobs(pool, History(database.opened(tmp_path / "state")), answer_s=60)
    body = Spooled(Spool())
    body.write(ESSAY.encode())
    return pool, made, made.submit(body, by=Token("1", "ann", "screen", 0.0), name="essay", options={})


def test_a_page_is_forgotten_in_time_even_if_nobody_asks(library, tmp_path, monkeypatch):
    monkeypatch.setattr(jobs, "KEPT_S", 0.2)

    async def screened():
        pool, made, job = await submitted(library, tmp_path)
        while not job.is_over:
            await asyncio.sleep(0.01)
        there = made.page_of(job.screening)
        await asyncio.sleep(0.4)
        gone = made.page_of(job.screening)
        await pool.close()
        return there, gone

    there, gone = asyncio.run(screened())
    assert "<html" in there and gone == ""


@pytest.mark.parametrize(
    ("failing", "error", "told"),
    [
        ("from_json", UnsupportedError("the report has schema 9"), "the report has schema 9"),
        ("from_json", ParameterError("no report"), "no report"),
        ("read", OSError(5, "Input/output error"), "[Errno 5] Input/output error"),
        ("from_json", ZeroDivisionError(), "an error of the service, told on its standard error"),
    ],
)
def test_a_screening_that_fails_says_why(failing, error, told, library, tmp_path, monkeypatch):
    def fails(*_):
        raise error

    monkeypatch.setattr({"from_json": jobs.Report, "read": Spooled}[failing], failing, fails)

    async def screened():
        pool, made, job = await submitted(library, tmp_path)
        async for _ in job.states():
            pass
        await made.close()
        await pool.close()
        return job

    job = asyncio.run(screened())
    assert (job.state, job.reason, job.screening) == ("failed", told, "")


def test_a_text_is_kept_by_a_button_while_its_page_is_there(library, tmp_path):
    made = Running(library, tmp_path / "state")
    client = made.entered()
    number = client.screened(ESSAY)["screening"]["id"]
    page = client.ask("GET", f"/screenings/{number}").text
    assert "Its evidence page is deleted on 20" in page and "Keep the text" in page
    other = client.ask("POST", "/v1/tokens", b'{"name": "reviewer", "role": "review"}').json["token"]
    reviewer = Client(client.port, other)
    assert "Keep the text" not in reviewer.ask("GET", f"/screenings/{number}").text
    assert reviewer.ask("POST", f"/v1/screenings/{number}/keep").status == 403
    for _ in range(2):
        assert client.form(f"/screenings/{number}/keep").headers["location"] == f"/screenings/{number}"
    assert "The text is kept until somebody deletes it." in client.ask("GET", f"/screenings/{number}").text
    late = client.screened(ESSAY)["screening"]["id"]
    assert made.stop()[0] == 0
    made = Running(library, tmp_path / "state", "--keep", "30")
    client = made.entered()
    assert "The text is kept until 20" in client.ask("GET", f"/screenings/{number}").text
    assert SHARED[:40] in client.ask("GET", f"/screenings/{number}/evidence").text
    assert "was not kept" in client.ask("GET", f"/screenings/{late}").text
    answer = client.ask("POST", f"/v1/screenings/{late}/keep")
    assert (answer.status, "deleted already" in answer.json["error"]) == (404, True)
    assert made.stop()[0] == 0


def test_a_working_process_that_died_while_idle_fails_no_request(library, tmp_path):
    made = Running(library, tmp_path / "state")
    client = made.entered()
    found = subprocess.run(["pgrep", "-P", str(made.process.pid)], capture_output=True, text=True, check=True)
    for number in found.stdout.split():
        os.kill(int(number), signal.SIGKILL)
    time.sleep(0.3)
    assert client.screened(ESSAY)["screening"]["n_sources"] == 1
    assert made.stop()[0] == 0


def test_the_page_of_a_large_report_is_drawn_again(tmp_path):
    """A document with 8,000 long names makes a report of more than 8 MiB."""
    folder = tmp_path / "library"
    with Collection(folder, create=True) as collection:
        collection.add_many([(f"{'name ' * 240}{number}", f"{words(1, 80)} {SHARED}") for number in range(8_000)])
    made = Running(folder, tmp_path / "state")
    found = made.entered().screened(ESSAY, "&keep_text=1")
    assert len(json.dumps(found["report"])) > 8 << 20
    assert made.stop()[0] == 0
    made = Running(folder, tmp_path / "state")
    answer = made.entered().ask("GET", f"/screenings/{found['screening']['id']}/evidence")
    assert (answer.status, "<html" in answer.text) == (200, True), answer.text[:300]
    assert made.stop()[0] == 0


def test_a_collection_that_another_process_writes_is_busy_for_now(clients, library):
    with Store(library, writable=True):
        answer = clients["admin"].ask("POST", "/v1/documents?name=late", words(91).encode())
    assert answer.status == 503 and "another process is writing" in answer.json["error"]
    assert clients["admin"].ask("POST", "/v1/documents?name=late", words(91).encode()).status == 201
