"""What the service answers, to one request and to several on one connection: real sockets, nothing in between."""

import gzip
import json
import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pmbf import Collection, __version__
from pmbf.jobs import frames
from pmbf.report import Report
from pmbf.serving.http.messages import Head, HttpError, parse_head
from tests.conftest import words
from tests.guard.conftest import LEAK
from tests.service.conftest import CLEAN, encoded, frame, received


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
    ("POST", "/v1/judge", frames.LENGTHS.pack(2, 0) + b"[]", 400, "is no object"),
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


def test_a_body_in_a_coding_that_is_not_unpacked_is_incomplete(service):
    def asked(coding, path="/v1/check", body=b""):
        body = body or CLEAN.encode()
        head = f"POST {path} HTTP/1.1\r\nHost: a\r\n{coding}Content-Length: {len(body)}\r\n\r\n"
        with service.connect() as connection:
            connection.sendall(head.encode() + body)
            status, raw = received(connection)[:2]
        return status, json.loads(raw)

    for coding in ("br", "zstd", "gzip, br", "BR", "compress"):
        status, answer = asked(f"Content-Encoding: {coding}\r\n")
        assert (status, answer["action"], len(answer["incomplete"])) == (200, "block", 1)
        assert asked(f"Content-Encoding: {coding}\r\n", "/v1/screen")[0] == 415
    for coding in ("", "identity", "x-gzip", "gzip", "deflate"):
        assert asked(f"Content-Encoding: {coding}\r\n")[1]["action"] == "clean"
    for body in (gzip.compress(LEAK.encode()), zlib.compress(LEAK.encode())):
        assert asked("Content-Encoding: gzip\r\n", body=body)[1]["findings"]
    assert asked("Content-Encoding: br\r\nContent-Encoding: identity\r\n")[0] == 400
