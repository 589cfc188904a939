"""What the service answers, and what slow, broken and greedy clients get: real sockets, nothing in between."""

import json
import os
import signal
import socket
import threading

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pmbf import Collection, __version__
from pmbf.guard.policy import Policy
from pmbf.guard.session import Session
from pmbf.guard.types import Payload
from pmbf.jobs import frames
from pmbf.report import Report
from pmbf.service.http import Head, HttpError, parse_head
from pmbf.service.requests import request
from tests.conftest import words
from tests.guard.conftest import LEAK, OTHER_SECRET
from tests.service.conftest import encoded, limited, received, served

CLEAN = words(77)
UNREAD = f"From: a\nContent-Type: application/pdf\nContent-Transfer-Encoding: base64\n\n{'JVBERi0xLjQKcut' * 3}\n"
"""A mail whose only part cannot be read."""


def frame(folder, *contents, **changes):
    """Return what a hook sends."""
    payloads = [Payload(f"{n}.txt", (f"{n}.txt",), one.encode(), "path") for n, one in enumerate(contents)]
    header, pieces = request(Session(Policy(str(folder))), payloads)
    return frames.head_of(header | changes, sum(map(len, pieces))) + b"".join(pieces)


# ---------------------------------------------------------------------- answers


def test_health_tells_what_is_served(service):
    status, told = service.json("GET", "/healthz")
    assert (status, told["status"], told["version"], told["n_documents"]) == (200, "ok", __version__, 12)


def test_a_file_is_checked_under_the_policy_of_the_service(service):
    status, verdict = service.json("POST", "/v1/check?name=mail.txt", (CLEAN + LEAK).encode())
    assert (status, verdict["action"], verdict["n_files"]) == (200, "block", 1)
    [finding] = verdict["findings"]
    assert (finding["name"], finding["document_path"]) == ("mail.txt", "plan.txt")
    assert LEAK[10:60] in json.dumps(verdict)
    redacted = service.ask("POST", "/v1/check?redact=1", LEAK.encode())[1].decode()
    assert LEAK[10:60] not in redacted
    assert service.json("POST", "/v1/check", CLEAN.encode())[1]["action"] == "clean"
    assert service.json("POST", "/v1/check?name=a.docx", b"PK\x03\x04 cut")[1]["exit_code"] == 3


def test_a_pointer_of_git_lfs_is_incomplete_as_for_the_guard(service):
    pointer = f"version https://git-lfs.github.com/spec/v1\noid sha256:{'7' * 64}\nsize 3\n"
    verdict = service.json("POST", "/v1/check", pointer.encode())[1]
    assert (verdict["exit_code"], verdict["n_files"]) == (3, 1)
    assert verdict["incomplete"][0]["reason"].startswith("a Git LFS pointer, and no repository")


def test_a_field_that_no_query_has_is_refused(service):
    for target in ("/v1/check?redcat=1", "/v1/screen?min_char=80"):
        status, told = service.json("POST", target, LEAK.encode())
        assert (status, "is no field of the query" in told["error"]) == (400, True)


def test_a_file_is_screened_as_by_the_collection_itself(service, protected):
    status, told = service.json("POST", "/v1/screen?name=a.txt&min_chars=80", LEAK.encode())
    with Collection(protected) as collection:
        expected = collection.screen(LEAK.encode(), name="a.txt", min_chars=80)
    assert status == 200
    assert Report.from_json(json.dumps(told)).matches == expected.matches != ()


def test_a_label_that_no_document_has_cannot_be_left_out(service):
    status, told = service.json("POST", "/v1/screen?name=plan.txt&exclude_same=group", LEAK.encode())
    assert (status, "no path has the label group; no path has a label" in told["error"]) == (400, True)


def test_payloads_of_one_request_are_answered_in_order(service, protected):
    contents = [words(2000 + n) + (LEAK if n % 7 == 3 else "") for n in range(100)]
    status, told = service.json("POST", "/v1/judge", frame(protected, *contents))
    assert status == 200
    assert [bool(one["findings"]) for one in told["judged"]] == [n % 7 == 3 for n in range(100)]


def test_metrics_count_requests_bytes_and_outcomes(service):
    before = {name: service.metric(name) for name in ('pmbf_payloads_total{outcome="block"}', "pmbf_received_bytes")}
    service.ask("POST", "/v1/check", LEAK.encode())
    assert service.metric('pmbf_payloads_total{outcome="block"}') == before['pmbf_payloads_total{outcome="block"}'] + 1
    assert service.metric("pmbf_received_bytes") > before["pmbf_received_bytes"] + len(LEAK)
    assert service.metric("pmbf_documents") == 12
    text = service.ask("GET", "/metrics")[1].decode()
    buckets = [int(line.rsplit(" ", 1)[1]) for line in text.splitlines() if line.startswith("pmbf_request_seconds_b")]
    assert buckets == sorted(buckets)
    assert f"pmbf_request_seconds_count {buckets[-1]}" in text


def test_a_screening_leaves_out_the_document_of_the_same_name_if_asked(service):
    asked = ("name=plan.txt", "name=plan.txt&exclude_self=1", "name=other.txt&exclude_self=1")
    told = [service.json("POST", f"/v1/screen?{query}", LEAK.encode())[1]["matches"] for query in asked]
    assert [[match["document"]["path"] for match in found] for found in told] == [["plan.txt"], [], ["plan.txt"]]


@pytest.mark.parametrize(("method", "target", "body", "status", "said"), [
    ("GET", "/nothing", b"", 404, "/v1/check"),
    ("PUT", "/v1/check", b"x", 405, "expected POST"),
    ("POST", "/v1/screen?min_chars=many", b"x", 400, "min_chars"),
    ("POST", "/v1/screen?min_chars=0", b"x", 400, "at least 1"),
    ("POST", "/v1/screen?sensitivity=keen", b"x", 400, "'fast' or 'normal' or 'thorough'"),
    ("POST", "/v1/screen?unknown=1", b"x", 400, "unknown"),
    ("POST", "/v1/screen?name=a.docx", b"PK\x03\x04", 422, "a.docx"),
    ("POST", "/v1/check?name=a.txt", b"", 400, "0 bytes"),
    ("POST", "/v1/check?redact=maybe", LEAK.encode(), 400, "redact"),
    ("POST", "/v1/judge", b"", 400, "no frame"),
    ("POST", "/v1/judge", b"{not json at all", 400, "no frame"),
    ("POST", "/v1/judge", frames.LENGTHS.pack(5, 0) + b"{nope", 400, "no JSON"),
    ("POST", "/v1/judge", frames.LENGTHS.pack(50000, 0) + b"[" * 50000, 400, "no JSON"),
    ("POST", "/v1/judge", frames.LENGTHS.pack(2, 0) + b"[]", 400, "an object"),
    ("POST", "/v1/judge", frames.LENGTHS.pack(2, 1 << 60) + b"{}", 400, "no frame"),
])  # fmt: skip
def test_what_cannot_be_answered_is_told_with_a_reason(service, method, target, body, status, said):
    found, answer = service.json(method, target, body)
    assert (found, said in answer["error"]) == (status, True), answer


@pytest.mark.parametrize(("changes", "status"), [
    ({"version": "0.0"}, 409),
    ({"collection": "1:1"}, 409),
    ({"policy": {"unknown": 1}}, 400),
    ({"policy": {"block_chars": "many"}}, 400),
    ({"payloads": [["a", ["a"], "path", "", "", "", 10**9]]}, 400),
    ({"payloads": [["a", ["a"], "path", "", "", "", -1]]}, 400),
    ({"payloads": [["a", ["a"], "elsewhere", "", "", "", 0]]}, 400),
    ({"payloads": [["a", ["a"], "path", "", "", "", None]]}, 400),
    ({"payloads": 7}, 400),
    ({"ignore": [["a"]]}, 400),
    ({"key": "xyz"}, 400),
    ({"listed": [1]}, 400),
    ({"listed": ["0a6f8c08724bcee7a2cc"]}, 400),
])  # fmt: skip
def test_a_frame_that_does_not_hold_together_is_refused(service, protected, changes, status):
    assert service.json("POST", "/v1/judge", frame(protected, CLEAN, **changes))[0] == status


# ---------------------------------------------------------------------- hostile and broken clients


@pytest.fixture(scope="module")
def strict(protected, place):
    """A service whose limits are soon reached."""
    limits = {
        "header_s": 0.3, "stall_s": 0.3, "body_s": 1.0, "idle_s": 0.5, "request_bytes": 100_000, "connections": 16,
    }  # fmt: skip
    with limited(protected, place / "strict.sock", **limits) as running:
        yield running


def still_answers(running):
    return running.ask("GET", "/healthz")[0] == 200


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
    assert logged == [str(len(huge)), str(len(half))]


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


def test_pipelined_requests_are_answered_one_after_another(service):
    with service.connect() as connection:
        connection.sendall(
            encoded("POST", "/v1/check?name=1", LEAK.encode()) + encoded("GET", "/nothing") + encoded("GET", "/healthz")
        )
        raw = b""
        while raw.count(b"HTTP/1.1 ") < 3 or b'"ok"' not in raw:
            raw += connection.recv(1 << 16)
    assert [int(part[:3]) for part in raw.split(b"HTTP/1.1 ")[1:]] == [200, 404, 200]


def test_a_large_body_waits_for_leave_to_be_sent(service):
    with service.connect() as connection:
        whole = encoded("POST", "/v1/check", LEAK.encode(), Expect="100-continue")
        head, body = whole[: -len(LEAK)], whole[-len(LEAK) :]
        connection.sendall(head)
        assert connection.recv(100) == b"HTTP/1.1 100 Continue\r\n\r\n"
        connection.sendall(body)
        assert received(connection)[0] == 200


@given(st.binary(max_size=200), st.lists(st.sampled_from([b"\r\n", b": ", b"Host: x", b"GET / HTTP/1.1"]), max_size=8))
def test_any_bytes_are_a_request_or_refused(noise, pieces):
    for raw in (noise, b"".join(pieces) + noise, b"GET / HTTP/1.1\r\n" + noise):
        try:
            assert isinstance(parse_head(raw + b"\r\n\r\n"), Head)
        except HttpError as error:
            assert error.status in (400, 411, 431, 505)


# ---------------------------------------------------------------------- time and processes


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
        assert running.metric('pmbf_refused_total{reason="time"}') >= 2
        while running.ask("POST", "/v1/check", LEAK.encode())[0] != 200:
            pass
        assert not set(children(running.process)) & set(before)


def test_a_process_that_dies_costs_its_request_only(protected, place):
    with served(protected, place / "mortal.sock", "--workers", 1) as running:
        [worker] = children(running.process)
        os.kill(worker, signal.SIGKILL)
        statuses = [running.ask("POST", "/v1/check", CLEAN.encode())[0] for _ in range(2)]
        assert statuses == [500, 200]
        assert running.metric("pmbf_workers_replaced") == 1
        assert children(running.process) != [worker]


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
    assert [line[2:4] + line[-1:] for line in lines] == [
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


# ---------------------------------------------------------------------- TCP and its token


@pytest.fixture(scope="module")
def by_tcp(protected, place):
    """A service with a port of its own, and the port."""
    options = ("--tcp", "127.0.0.1:0", "--token-file", place / "token")
    with served(protected, place / "tcp.sock", *options) as running:
        yield running, running.port


def told_over_tcp(port, *request, **headers):
    with socket.create_connection(("127.0.0.1", port), timeout=60) as connection:
        connection.sendall(encoded(*request, **headers))
        status, body = received(connection)
        return status, json.loads(body)


def over_tcp(port, *request, **headers):
    return told_over_tcp(port, *request, **headers)[0]


def test_a_port_that_another_has_is_told_before_a_token_is_made(protected, place):
    from tests.commands.conftest import run

    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        token = place / "no-token"
        done = run(
            "serve", "-c", protected, "--socket", place / "p.sock", "--tcp", f"127.0.0.1:{port}", "--token-file", token
        )
    assert (done.exit_code, f"127.0.0.1:{port}: another program listens there" in done.stderr) == (3, True)
    assert not token.exists()


def test_over_tcp_only_the_token_opens(by_tcp, place):
    running, port = by_tcp
    file = place / "token"
    assert file.stat().st_mode & 0o777 == 0o600
    token = file.read_text().strip()
    ask = ("POST", "/v1/check", CLEAN.encode())
    assert over_tcp(port, *ask, Authorization=f"Bearer {token}") == 200
    for wrong in ({}, {"Authorization": "Bearer "}, {"Authorization": f"Basic {token}"},
                  {"Authorization": f"Bearer {token}x"}, {"Authorization": "Bearer \xfc"}):  # fmt: skip
        assert over_tcp(port, *ask, **wrong) == 401
        assert over_tcp(port, "GET", "/metrics", **wrong) == 401
        assert over_tcp(port, "GET", "/nothing", **wrong) == 401
    assert over_tcp(port, "GET", "/healthz") == 200
    assert told_over_tcp(port, "GET", "/healthz") == (200, {"status": "ok"})
    assert told_over_tcp(port, "GET", "/healthz", Authorization=f"Bearer {token}")[1]["n_documents"] == 12
    assert running.metric('pmbf_refused_total{reason="token"}') == 15


def test_over_tcp_documents_have_numbers_and_policies_of_askers_are_not_taken(by_tcp, protected, place):
    running, port = by_tcp
    shown = {"Authorization": f"Bearer {(place / 'token').read_text().strip()}"}
    _, verdict = told_over_tcp(port, "POST", "/v1/check", LEAK.encode(), **shown)
    assert [(one["document_path"], one["document_id"]) for one in verdict["findings"]] == [("", 1)]
    _, verdict = running.json("POST", "/v1/check", LEAK.encode())
    assert [(one["document_path"], one["document_id"]) for one in verdict["findings"]] == [("plan.txt", 1)]
    status, told = told_over_tcp(port, "POST", "/v1/judge", frame(protected, LEAK), **shown)
    assert (status, "only the Unix socket" in told["error"]) == (403, True)


def test_over_tcp_no_report_names_a_document_unless_the_policy_lets_it(by_tcp, protected, place):
    _, port = by_tcp
    shown = {"Authorization": f"Bearer {(place / 'token').read_text().strip()}"}
    status, told = told_over_tcp(port, "POST", "/v1/screen", LEAK.encode(), **shown)
    assert (status, "show_source" in told["error"], "plan.txt" in str(told)) == (403, True, False)


def test_a_service_that_names_no_document_screens_none(protected, place, tmp_path):
    (tmp_path / "policy.toml").write_text("[guard]\nshow_source = 'never'\n")
    with served(protected, place / "mute.sock", "--config", tmp_path / "policy.toml") as running:
        status, told = running.json("POST", "/v1/screen", LEAK.encode())
        assert (status, "show_source" in told["error"]) == (403, True)
        [finding] = running.json("POST", "/v1/check", LEAK.encode())[1]["findings"]
        assert (finding["document_path"], finding["document_id"], finding["action"]) == ("", 0, "block")


@pytest.mark.parametrize(("options", "said"), [
    (["--tcp", "0.0.0.0:80"], "no loopback address"),
    (["--tcp", "192.168.0.1:80"], "no loopback address"),
    (["--tcp", "127.0.0.1"], "no loopback address"),
    (["--token-file", "x"], "without --tcp"),
    (["--max-seconds", "0"], "above 0"),
])  # fmt: skip
def test_wrong_usage_is_told(protected, place, options, said):
    from tests.commands.conftest import run

    done = run("serve", "-c", protected, "--socket", place / "never.sock", *options)
    assert (done.exit_code, said in done.stderr) == (2, True), done.stderr


def test_a_token_that_others_can_read_is_refused(protected, place):
    from tests.commands.conftest import run

    file = place / "open-token"
    file.write_text("x" * 40)
    file.chmod(0o644)
    options = ["--tcp", "127.0.0.1:0", "--token-file", file]
    done = run("serve", "-c", protected, "--socket", place / "never.sock", *options)
    assert (done.exit_code, "chmod 600" in done.stderr) == (2, True)


def test_a_missing_collection_is_an_error_at_the_start(place, tmp_path):
    from tests.commands.conftest import run

    done = run("serve", "-c", tmp_path / "missing.pmbf", "--socket", place / "never.sock")
    assert (done.exit_code, "missing.pmbf" in done.stderr) == (3, True)
    assert not (place / "never.sock").exists()
