"""How long the application keeps what it holds in memory, and how it lives without a working process."""

import asyncio
import json
import os
import signal
import subprocess
import time

from pmbf import Collection
from pmbf.service.pool import Pool
from pmbf.store.folder import Store
from pmbf.web import jobs, state
from pmbf.web.history import History
from pmbf.web.spool import Spool, Spooled
from pmbf.web.tokens import Token
from tests.conftest import words
from tests.web.conftest import ESSAY, SHARED, Running


def test_a_page_is_forgotten_in_time_even_if_nobody_asks(library, tmp_path, monkeypatch):
    monkeypatch.setattr(jobs, "KEPT_S", 0.2)

    async def screened():
        pool = Pool([str(library)], 1, "pmbf.web.asks")
        await pool.start()
        made = jobs.Jobs(pool, History(state.opened(tmp_path / "state")), answer_s=60)
        body = Spooled(Spool())
        body.write(ESSAY.encode())
        job = made.submit(body, by=Token("1", "ann", "screen", 0.0), name="essay", options={})
        while not job.is_over:
            await asyncio.sleep(0.01)
        there = made.page_of(job.screening)
        await asyncio.sleep(0.4)
        gone = made.page_of(job.screening)
        await pool.close()
        return there, gone

    there, gone = asyncio.run(screened())
    assert "<html" in there and gone == ""


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
    """A document with 40,000 names makes a report of more than 8 MiB."""
    folder = tmp_path / "library"
    with Collection(folder, create=True) as collection:
        collection.add_many([(f"{'name ' * 50}{number}", f"{words(1, 80)} {SHARED}") for number in range(40_000)])
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
