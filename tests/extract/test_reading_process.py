"""The child process: limits, death, time, threads and forks."""

import os
import signal
import subprocess
import sys
import threading
import time

import pytest

from pmbf.base.errors import IncompleteError, ParameterError, UnsupportedError
from pmbf.extract import Limits, extract, pool
from tests.extract import builders as make

SLOW = b"<div>" * 2_000_000


@pytest.fixture(autouse=True)
def _own_processes():
    pool.close()
    yield
    pool.close()


def test_a_process_is_started_once_and_kept():
    for _ in range(3):
        extract(make.html("x"), "a.html")
    assert 1 == len(pool._idle) == len(pool._all)


def test_a_process_killed_between_documents_is_replaced_unnoticed():
    extract(make.html("x"), "a.html")
    (worker,) = pool._idle
    os.kill(worker.pid, signal.SIGKILL)
    worker._child.wait()
    assert "x" in extract(make.html("x"), "a.html").text


def test_death_while_reading_is_that_documents_reason_only():
    extract(make.html("x"), "a.html")
    (worker,) = pool._idle
    threading.Timer(0.3, os.kill, (worker.pid, signal.SIGKILL)).start()
    with pytest.raises(IncompleteError, match=r"slow\.html: the reading process died: SIGKILL"):
        extract(SLOW, "slow.html")
    assert "x" in extract(make.html("x"), "a.html").text


def test_a_document_that_takes_too_long_is_given_up_and_its_process_ended():
    with pytest.raises(IncompleteError, match=r"slow\.html: reading took longer than 0\.3 s \(timeout_s\)"):
        extract(SLOW, "slow.html", Limits(timeout_s=0.3))
    assert set() == pool._all


def test_a_document_that_needs_too_much_memory_is_given_up():
    raw = b"<p>" + b"x" * (30 << 20)
    with pytest.raises(IncompleteError, match=r"big\.html: (needs more than|the reading process died|.*Error)"):
        extract(raw, "big.html", Limits(memory_bytes=20 << 20))
    assert "x" in extract(make.html("x"), "a.html").text


def test_threads_are_served_at_the_same_time():
    found = []
    threads = [
        threading.Thread(target=lambda n=n: found.append(extract(make.html(f"t{n}"), "a.html").text)) for n in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert {f"t{n}" for n in range(8)} == {text.split()[-1] for text in found}
    assert len(pool._idle) == len(pool._all)


def test_after_a_fork_parent_and_child_each_read_on():
    extract(make.html("x"), "a.html")
    child = os.fork()
    if child == 0:
        ok = all("c" in extract(make.html(f"c{n}"), "a.html").text for n in range(20))
        os._exit(0 if ok else 1)
    for n in range(20):
        assert f"p{n}" in extract(make.html(f"p{n}"), "a.html").text
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def test_no_process_outlives_its_parent(tmp_path):
    code = "from pmbf.extract import extract, pool; extract(b'<html>x', 'a'); print(pool._idle[0].pid, flush=True); "
    for end in ("pass", "import os; os._exit(0)", "import os; os.kill(os.getpid(), 9)"):
        done = subprocess.run([sys.executable, "-c", code + end], capture_output=True, text=True)
        assert _is_gone(int(done.stdout))


def _is_gone(pid):
    for _ in range(200):
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return True
        if _state(pid) == "Z":  # ended, and waiting for an init process to notice
            return True
        time.sleep(0.02)
    return False


def _state(pid):
    try:
        with open(f"/proc/{pid}/stat") as file:
            return file.read().rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return "Z"


def test_the_current_folder_is_not_imported_from(tmp_path, monkeypatch):
    (tmp_path / "selectolax.py").write_text("raise SystemExit")
    monkeypatch.chdir(tmp_path)
    assert "x" in extract(make.html("x"), "a.html").text


def test_limits_are_above_zero():
    with pytest.raises(ParameterError, match="timeout_s is 0"):
        Limits(timeout_s=0)


def test_a_time_that_no_clock_takes_is_refused():
    for seconds in (float("inf"), 1e12):
        with pytest.raises(ParameterError, match="expected a day"):
            Limits(timeout_s=seconds)


def test_the_extra_that_is_missing_is_named(monkeypatch, tmp_path):
    (tmp_path / "pypdfium2.py").write_text("raise ImportError", encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(UnsupportedError, match="the extra 'pdf'") as caught:
        extract(make.pdf(["x"]), "a.pdf")
    assert caught.value.missing_extra == "pdf"


def test_bytes_of_an_unknown_kind_miss_no_extra():
    with pytest.raises(UnsupportedError) as caught:
        extract(b"\x7fELF extra" + bytes(99), "a")
    assert caught.value.missing_extra is None
