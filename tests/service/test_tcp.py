"""The service over TCP, where a token opens; and how it refuses to start."""

import json
import socket

import pytest

from tests.guard.conftest import LEAK
from tests.service.conftest import CLEAN, encoded, frame, received, served


@pytest.fixture(scope="module")
def by_tcp(protected, place):
    """A service with a port of its own, and the port."""
    options = ("--tcp", "127.0.0.1:0", "--param", f"token_file={place / 'token'}")
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
            "serve",
            "-c",
            protected,
            "--socket",
            place / "p.sock",
            "--tcp",
            f"127.0.0.1:{port}",
            "--param",
            f"token_file={token}",
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
    (["--param", "token_file=x"], "without --tcp"),
    (["--param", "answer_s=0"], "above 0"),
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
    options = ["--tcp", "127.0.0.1:0", "--param", f"token_file={file}"]
    done = run("serve", "-c", protected, "--socket", place / "never.sock", *options)
    assert (done.exit_code, "chmod 600" in done.stderr) == (2, True)


def test_a_missing_collection_is_an_error_at_the_start(place, tmp_path):
    from tests.commands.conftest import run

    done = run("serve", "-c", tmp_path / "missing.pmbf", "--socket", place / "never.sock")
    assert (done.exit_code, "missing.pmbf" in done.stderr) == (3, True)
    assert not (place / "never.sock").exists()
