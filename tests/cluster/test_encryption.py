"""TLS between hosts: a cluster that encrypts answers, who has no certificate of its authority is told so at once."""

import importlib.util
import os
import socket
import ssl
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from pmbf import IncompleteError, ParameterError
from pmbf.cluster import encryption
from pmbf.cluster.collection import ClusterCollection
from pmbf.cluster.placement import local_nodes
from pmbf.jobs.executor import Inline
from tests.cluster.certificates import encrypted
from tests.cluster.hosts import Hosts, missing
from tests.conftest import words

from .conftest import needs_openssl

pytestmark = needs_openssl
needs_ray = pytest.mark.skipif(importlib.util.find_spec("ray") is None, reason="the extra 'ray' is not installed")
SETTINGS_FRAME = b"\0\0\0\4\0\0\0\0\0"


def use(monkeypatch, environment):
    for name, value in environment.items():
        monkeypatch.setenv(name, value)


def test_a_certificate_must_name_the_hosts_address(tmp_path, monkeypatch):
    encryption.require_certificate_for("10.0.0.1")  # nothing is encrypted
    use(monkeypatch, encrypted(tmp_path, "10.0.0.1"))
    encryption.require_certificate_for("10.0.0.1")
    with pytest.raises(ParameterError, match=r"host.crt: .* not valid for '10.0.0.2'"):
        encryption.require_certificate_for("10.0.0.2")


def test_files_that_lack_or_do_not_belong_together_are_named(tmp_path, monkeypatch):
    environment = encrypted(tmp_path, "10.0.0.1") | {"RAY_TLS_SERVER_KEY": str(tmp_path / "ca.key")}
    use(monkeypatch, environment)
    with pytest.raises(ParameterError, match="do not belong together"):
        encryption.require_certificate_for("10.0.0.1")
    monkeypatch.setenv("RAY_TLS_CA_CERT", "nowhere.crt")
    with pytest.raises(ParameterError, match="RAY_TLS_CA_CERT is"):
        encryption.require_certificate_for("10.0.0.1")
    monkeypatch.delenv("RAY_TLS_CA_CERT")
    with pytest.raises(ParameterError, match="RAY_TLS_CA_CERT is ''"):
        encryption.require_certificate_for("10.0.0.1")


@pytest.fixture
def listening():
    with socket.create_server(("127.0.0.1", 0)) as made, ThreadPoolExecutor(1) as thread:

        def answer(tls=None, sent=SETTINGS_FRAME):
            """Answer one connection, and return the address."""
            thread.submit(one, tls, sent)
            return f"127.0.0.1:{made.getsockname()[1]}"

        def one(tls, sent):
            plain = made.accept()[0]
            with tls.wrap_socket(plain, server_side=True) if tls else plain as connection:
                connection.recv(100)
                connection.sendall(sent)

        yield answer


def test_both_sides_encrypt_or_none(tmp_path, monkeypatch, listening):
    encryption.require_same(listening())
    use(monkeypatch, encrypted(tmp_path, "127.0.0.1"))
    tls = encryption.context(ssl.PROTOCOL_TLS_SERVER)
    encryption.require_same(listening(tls))
    with pytest.raises(IncompleteError, match="the cluster does not encrypt"):
        encryption.require_same(listening())
    monkeypatch.setenv("RAY_USE_TLS", "0")
    with pytest.raises(IncompleteError, match="the cluster encrypts"):
        encryption.require_same(listening(tls))
    with pytest.raises(IncompleteError, match="none of Ray"):
        encryption.require_same(listening(sent=b"HTTP/1.1 400 Bad Request\r\n"))


def test_certificates_of_two_authorities_do_not_meet(tmp_path, monkeypatch, listening):
    (tmp_path / "other").mkdir()
    use(monkeypatch, encrypted(tmp_path / "other", "127.0.0.1"))
    theirs = encryption.context(ssl.PROTOCOL_TLS_SERVER)
    use(monkeypatch, encrypted(tmp_path, "127.0.0.1"))
    with pytest.raises(IncompleteError, match="not to be believed"):
        encryption.require_same(listening(theirs))
    theirs.load_verify_locations(tmp_path / "other" / "ca.crt")
    monkeypatch.setenv("RAY_TLS_CA_CERT", str(tmp_path / "both.crt"))
    (tmp_path / "both.crt").write_bytes((tmp_path / "ca.crt").read_bytes() + (tmp_path / "other/ca.crt").read_bytes())
    with pytest.raises(IncompleteError, match="does not believe our certificate"):
        encryption.require_same(listening(theirs))


@pytest.fixture
def sockets():
    with tempfile.TemporaryDirectory(prefix="r", dir="/tmp") as folder:  # names of sockets have at most 107 bytes
        yield folder


@needs_ray
def test_one_encrypted_host_is_loaded_and_asked_and_who_has_no_certificate_is_sent_away(tmp_path, sockets):
    import ray

    own = ray.util.get_node_ip_address()
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    plain = {name: value for name, value in os.environ.items() if not name.startswith("RAY_")}
    plain |= {
        "HOME": str(tmp_path),
        "XDG_CACHE_HOME": str(tmp_path / "state"),
        "RAY_TMPDIR": sockets,
        "RAY_memory_monitor_refresh_ms": "0",
    }
    plain["PYTHONPATH"] = os.pathsep.join(filter(None, sys.path))
    certified = plain | encrypted(tmp_path, "127.0.0.1", own)
    asked = f"ray://127.0.0.1:{port}{tmp_path}/depot"

    def pmbf(environment, *words):
        done = subprocess.run(
            [sys.executable, "-m", "pmbf", *map(str, words)],
            env=environment,
            capture_output=True,
            text=True,
            timeout=90,
        )
        return done.returncode, done.stdout + done.stderr

    (tmp_path / "a.txt").write_text(words(1), encoding="utf-8")
    depot = tmp_path / "depot"
    start = ("cluster", "start", "--port", port, "--name", "one", "--address")
    code, said = pmbf(certified, *start, "192.0.2.99")
    assert (2, True) == (code, "other hosts would not believe it" in said), said
    code, said = pmbf(certified, *start, "127.0.0.1")
    assert 0 == code, said
    try:
        assert 0 == pmbf(certified, "cluster", "init", depot)[0]
        assert (0, "1 added\n1 document in 1 volume\n") == pmbf(certified, "load", "-c", asked, tmp_path / "a.txt")
        code, said = pmbf(certified, "screen", tmp_path / "a.txt", "-c", asked)
        assert (1, True) == (code, "compared with 1 document" in said), said
        began = time.monotonic()
        code, said = pmbf(plain, "screen", tmp_path / "a.txt", "-c", asked)
        assert (3, True) == (code, "the cluster encrypts: set RAY_USE_TLS" in said), said
        (tmp_path / "stranger").mkdir()
        stranger = plain | encrypted(tmp_path / "stranger", "127.0.0.1", own)
        code, said = pmbf(stranger, "screen", tmp_path / "a.txt", "-c", asked)
        assert (3, True) == (code, "is not to be believed" in said), said
        assert time.monotonic() - began < 60  # Ray alone waits for ever
    finally:
        assert 0 == pmbf(plain, "cluster", "stop")[0]


@pytest.mark.skipif(bool(missing()), reason=missing() or "all is here")
def test_encrypted_hosts_with_a_certificate_each_have_all_volumes(tmp_path):
    depot, files = tmp_path / "depot", [tmp_path / f"{number}.txt" for number in range(4)]
    for number, file in enumerate(files):
        file.write_text(words(number), encoding="utf-8")
    with ClusterCollection(depot, nodes=local_nodes(1), executor=Inline(), create=True) as collection:
        for file in files[:3]:  # a volume each
            collection.load([file])
    with Hosts(2, tmp_path) as hosts:
        own = {host: encrypted(tmp_path, hosts.address(host), name=host) for host in hosts.names}
        for host in hosts.names:
            hosts.join(host, **own[host])
        asked = f"ray://{hosts.head}{depot}"
        done = hosts.pmbf("h1", "load", "-c", asked, files[3], **own["h1"])
        assert 0 == done[0], done
        code, out, err = hosts.pmbf("h2", "cluster", "status", asked, "--json", **own["h2"])
        assert (0, True) == (code, '"missing": {}' in out), err
        code, _, err = hosts.pmbf("h2", "screen", files[2], "-c", asked, **own["h1"])
        assert (2, True) == (code, "other hosts would not believe it" in err), err
        assert 0 == hosts.pmbf("h2", "cluster", "stop")[0]
        joining = ("--address", hosts.address("h2"))
        code, _, err = hosts.pmbf("h2", "cluster", "join", hosts.head, *joining)
        assert (3, True) == (code, "the cluster encrypts: set RAY_USE_TLS" in err), err
