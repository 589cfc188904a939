"""The service's working processes: time, death, renewal, and the log."""

import os
import re
import signal
import threading
import time
from pathlib import Path

from pmbf import Collection
from tests.conftest import words
from tests.guard.conftest import LEAK, OTHER_SECRET
from tests.service.conftest import CLEAN, UNREAD, encoded, frame, limited, received, served, still_answers


def children(process):
    with open(f"/proc/{process.pid}/task/{process.pid}/children") as file:
        return [int(pid) for pid in file.read().split()]


def test_an_answer_that_takes_too_long_ends_its_process(protected, place):
    with limited(protected, place / "hasty.sock", answer_s=0.5) as running:
        before = children(running.process)
        for worker in before:
            os.kill(worker, signal.SIGSTOP)
        for _ in before:
            status, answer = running.json("POST", "/v1/check", LEAK.encode())
            assert (status, "took longer" in answer["error"]) == (504, True)
        assert running.metric('pmbf_refused_total{reason="time"}') >= len(before) > 0
        while running.ask("POST", "/v1/check", LEAK.encode())[0] != 200:
            pass
        assert not set(children(running.process)) & set(before)


def test_a_process_that_dies_costs_its_request_only(protected, place):
    text = " ".join(words(n, 2000) for n in range(300)).encode()
    with served(protected, place / "mortal.sock", "--workers", 1) as running, running.connect() as connection:
        [worker] = children(running.process)
        connection.sendall(encoded("POST", "/v1/screen", text))
        used = processor_time(worker)
        while processor_time(worker) < used + 0.05:  # until it works at the request
            time.sleep(0.01)
        os.kill(worker, signal.SIGKILL)
        assert received(connection)[0] == 500
        assert running.ask("POST", "/v1/check", CLEAN.encode())[0] == 200
        assert running.metric("pmbf_workers_replaced") == 1
        assert children(running.process) != [worker]


def processor_time(process):
    """Return the seconds that a process has used."""
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def test_a_stop_finishes_what_is_being_answered(protected, place):
    text = " ".join(words(n, 2000) for n in range(100)).encode()
    with served(protected, place / "stop.sock", "--workers", 1) as running, running.connect() as connection:
        idle = running.connect()
        connection.sendall(encoded("POST", "/v1/screen", text))
        assert running.metric("pmbf_in_flight") >= 1  # one is our own question, or the screening
        assert running.stop() == 0
        assert received(connection)[0] == 200
        assert idle.recv(1) == b""
        idle.close()
    assert not running.path.exists()


def test_what_is_loaded_counts_from_the_next_request_on_and_nobody_waits(tmp_path, place):
    folder = tmp_path / "growing.pmbf"
    with Collection(folder, create=True) as made:
        made.add(words(1, 300), name="first")
    stop, statuses = threading.Event(), []
    with served(folder, place / "grow.sock", "--workers", 2) as running:

        def keep_asking():
            while not stop.is_set():
                statuses.append(running.ask("POST", "/v1/check", words(1, 300).encode())[0])

        asking = threading.Thread(target=keep_asking)
        asking.start()
        try:
            for n in range(2, 10):
                with Collection(folder) as made:
                    made.add(words(n, 300), name=f"{n}")
                    generation = made.generation
                verdict = running.json("POST", "/v1/check", words(n, 300).encode())[1]
                assert (verdict["action"], verdict["generation"]) == ("block", generation)
                assert running.json("GET", "/healthz")[1]["generation"] <= generation
        finally:
            stop.set()
            asking.join()
    assert set(statuses) == {200}


def test_another_collection_in_the_same_place_is_taken_up(tmp_path, place):
    folder, other = tmp_path / "a.pmbf", tmp_path / "b.pmbf"
    for path, seed in ((folder, 1), (other, 2)):
        with Collection(path, create=True) as made:
            made.add(words(seed, 300), name="text")
    with served(folder, place / "swap.sock", "--workers", 2) as running:
        before = children(running.process)
        folder.rename(tmp_path / "old.pmbf")
        other.rename(folder)
        assert running.json("POST", "/v1/check", words(2, 300).encode())[1]["action"] == "block"
        running.process.send_signal(signal.SIGHUP)
        while set(children(running.process)) & set(before):
            assert still_answers(running)
        assert running.json("POST", "/v1/check", words(2, 300).encode())[1]["action"] == "block"


def test_the_log_has_sizes_and_outcomes_and_no_text(protected, place):
    with served(protected, place / "log.sock", "--log") as running:
        running.ask("POST", "/v1/check?name=secret-name.txt", LEAK.encode())
        running.ask("POST", f"/{LEAK[:10].replace(' ', '%20')}", LEAK.encode())
        running.ask("POST", "/v1/judge", frame(protected, LEAK))
        running.ask("POST", "/v1/screen?max_candidates=1", (LEAK + OTHER_SECRET).encode())
        running.ask("POST", "/v1/screen?name=a.eml", UNREAD.encode())
        running.ask("POST", "/v1/screen?name=a.txt", b"?!")
        running.ask("POST", "/v1/screen?name=a.txt", CLEAN.encode())
    lines = [line.split() for line in running.said.splitlines() if " POST " in line]
    assert all(re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[+-]\d{4}", line[0]) for line in lines)
    assert all(re.fullmatch(r"in=\d+ out=\d+ ms=\d+\.\d", " ".join(line[4:7])) for line in lines)
    assert [[*line[2:4], line[-1].removeprefix("outcome=")] for line in lines] == [
        ["/v1/check", "200", "block"],
        ["other", "404", "-"],
        ["/v1/judge", "200", "block"],
        ["/v1/screen", "200", "found"],
        ["/v1/screen", "200", "incomplete"],
        ["/v1/screen", "200", "incomplete"],
        ["/v1/screen", "200", "clean"],
    ]
    assert not [word for word in {*LEAK.split()[1:-1], "secret-name", "plan.txt"} if word in running.said]


def test_a_log_that_nobody_reads_any_more_stops_nothing(protected, place):
    with served(protected, place / "deaf.sock", "--log") as running:
        running.process.stderr.close()
        with running.connect() as connection:
            for _ in range(3):
                connection.sendall(encoded("GET", "/healthz"))
                assert received(connection)[0] == 200
        running.process.terminate()
        assert running.process.wait(60) == 0
