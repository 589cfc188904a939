"""`pmbf guard -c DEPOT` and `pmbf serve -c DEPOT`: the protected documents are on the nodes of a cluster."""

import contextlib
import json
import os
import shutil
import signal
import time
from pathlib import Path

import pytest

from pmbf.cluster.collection import ClusterCollection
from pmbf.cluster.placement import local_nodes
from pmbf.jobs.executor import Inline
from tests.conftest import words
from tests.guard.conftest import LEAK, OTHER_SECRET, SECRET, guard
from tests.service.conftest import serve

NAMED = [("plan.txt", SECRET), ("offer.txt", OTHER_SECRET), *((f"other-{n}.txt", words(n)) for n in range(100, 110))]
LATER = words(900, 400)


@pytest.fixture(scope="module")
def pattern(tmp_path_factory):
    place = tmp_path_factory.mktemp("pattern") / "depot"
    with ClusterCollection(place, nodes=local_nodes(1), executor=Inline(), create=True) as collection:
        collection.add_many(NAMED)
    return place


@pytest.fixture
def depot(pattern, tmp_path):
    return shutil.copytree(pattern, tmp_path / "depot")


@pytest.fixture
def desk(tmp_path):
    folder = tmp_path / "desk"
    folder.mkdir()
    (folder / "clean.txt").write_text(words(77))
    (folder / "leak.txt").write_text(f"{words(77)}\n\n{LEAK}\n")
    return folder


def found(done):
    """Return a verdict without what follows from the key of the protected documents and from where they are."""
    hidden = {"fingerprint", "hint", "policy"}
    return json.loads(done.stdout, object_hook=lambda one: {k: v for k, v in one.items() if k not in hidden})


@contextlib.contextmanager
def served(depot, path, *more):
    running = serve(path, "-c", depot, *more)
    try:
        yield running
    finally:
        if running.process.poll() is None:
            assert 0 == running.stop()


def test_the_verdict_is_that_of_one_folder(depot, desk, protected):
    for name, code in (("leak.txt", 1), ("clean.txt", 0)):
        there = guard(name, "--json", "-c", depot, cwd=desk)
        here = guard(name, "--json", "-c", protected, cwd=desk)
        assert (code, code) == (there.returncode, here.returncode), there.stderr
        assert found(here) == found(there)


def test_a_part_that_no_node_can_read_blocks(depot, desk):
    shutil.rmtree(depot / "files")
    shutil.rmtree(depot / "shelf", ignore_errors=True)
    done = guard("clean.txt", "-c", depot, cwd=desk)
    assert 3 == done.returncode
    assert "not looked at: 12 documents" in done.stdout + done.stderr


def test_a_policy_names_the_cluster(depot, desk):
    (desk / ".pmbf.toml").write_text('[guard]\ncluster = "../depot"\n')
    assert 1 == guard("leak.txt", cwd=desk).returncode
    done = guard("leak.txt", "-c", "other.pmbf", cwd=desk)
    assert 2 == done.returncode
    assert "expected one of them" in done.stderr


def test_a_depot_that_others_may_write_to_is_refused(depot, desk):
    os.chmod(depot / "manifests", 0o777)
    done = guard("clean.txt", "-c", depot, cwd=desk)
    assert 3 == done.returncode
    assert f"chmod -R go-w {depot}" in done.stderr


def test_a_service_answers_from_the_nodes_and_sees_each_commit(depot, desk, place):
    with served(depot, place / "cluster.sock") as running:
        assert "12 documents of" in running.said
        done = guard("leak.txt", "-c", depot, cwd=desk, PMBF_SOCKET=str(running.path))
        assert (1, "") == (done.returncode, ("does not answer" in done.stderr and done.stderr) or "")
        assert [] == running.json("POST", "/v1/screen?name=a.txt", LATER.encode())[1]["matches"]
        with ClusterCollection(depot, nodes=local_nodes(1), executor=Inline()) as collection:
            collection.add_many([("later.txt", LATER)])
        status, report = running.json("POST", "/v1/screen?name=a.txt", LATER.encode())
        assert (200, ["later.txt"]) == (status, [one["document"]["path"] for one in report["matches"]])
        assert 13 == running.metric("pmbf_documents")


def test_a_service_fetches_volumes_when_they_are_asked_for_or_all_before(depot, place):
    for options, n_fetched in (
        ((), 0),
        (
            (
                "--param",
                "fetch_all=yes",
            ),
            min(2, os.cpu_count()),
        ),
    ):
        shutil.rmtree(depot / "shelf", ignore_errors=True)
        with served(depot, place / "cluster.sock", *options) as running:
            assert "12 documents of" in running.said
            assert n_fetched == len([*(depot / "shelf").glob("local-*/volumes/*")])


CLUSTER = {"nodes": min(3, os.cpu_count()), "late_nodes": [], "volumes": 1, "unread_volumes": 0, "unread_documents": 0}


def test_the_state_names_what_no_node_answers_for(depot, place):
    with served(depot, place / "whole.sock") as running:
        state = running.json("GET", "/healthz")[1]
        assert ("ok", CLUSTER) == (state["status"], state["cluster"])
        assert (1, 0, 0) == tuple(running.metric(f"pmbf_{one}") for one in ("volumes ", "volumes_unread", "nodes_late"))
    shutil.rmtree(depot / "files")
    shutil.rmtree(depot / "shelf")
    with served(depot, place / "gone.sock") as running:
        state = running.json("GET", "/healthz")[1]
        missing = CLUSTER | {"unread_volumes": 1, "unread_documents": 12}
        assert ("incomplete", missing) == (state["status"], state["cluster"])
        assert (1, 12) == tuple(running.metric(f"pmbf_{one}") for one in ("volumes_unread", "documents_unread"))
        assert "block" == running.json("POST", "/v1/check?name=a.txt", LATER.encode())[1]["action"]


def test_the_state_is_told_soon_although_all_nodes_hang(depot, place):
    with served(depot, place / "hang.sock") as running:
        [worker] = children(running.process.pid)
        nodes = children(worker)
        for one in nodes:
            os.kill(one, signal.SIGSTOP)
        began = time.monotonic()
        assert ("ok", 12) == (running.json("GET", "/healthz")[1]["status"], running.metric("pmbf_documents "))
        assert time.monotonic() - began < 20
        for one in nodes:
            os.kill(one, signal.SIGCONT)
        assert 0 == running.stop()


def children(process):
    """Return the numbers of a process's children."""
    tasks = Path(f"/proc/{process}/task").iterdir()
    return [int(one) for task in tasks for one in (task / "children").read_text().split()]
