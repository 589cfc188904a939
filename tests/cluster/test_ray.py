"""Holders on a Ray cluster of this machine: the same answers as in one process, and after a node was lost."""

import importlib.util
import json
import os
import shutil
import signal
import sys
import time

import numpy as np
import pytest

from pmbf import CorruptError
from pmbf.cluster.calls import Nodes
from pmbf.cluster.collection import ClusterCollection
from pmbf.cluster.placement import local_nodes, placed
from pmbf.jobs.executor import ShardFailed, complete
from pmbf.jobs.processes import DiedError
from tests.cluster.test_faults import Mortal
from tests.test_executor import Summing

from .conftest import cut, nodes_of, stored, texts, told

pytestmark = pytest.mark.skipif(importlib.util.find_spec("ray") is None, reason="the extra 'ray' is not installed")


def end(process):
    """Kill a holder, and wait until it is dead: Ray kills it some time later."""
    process._end()
    with pytest.raises(DiedError):
        for _ in range(2000):
            process.submit(bool).result(20)
            time.sleep(0.01)


@pytest.fixture(scope="module")
def cluster():
    from pmbf.cluster.on_ray import RayExecutor

    patch = pytest.MonkeyPatch()
    patch.setenv("PYTHONPATH", os.pathsep.join(filter(None, sys.path)))
    patch.setenv("RAY_memory_monitor_refresh_ms", "0")
    patch.setenv("RAY_ADDRESS", "127.0.0.1:1")  # nobody is there: a cluster of this process is a new one
    executor = RayExecutor()
    patch.delenv("RAY_ADDRESS")
    yield executor
    executor.close()
    sys.modules["ray"].shutdown()
    patch.undo()


def test_it_keeps_the_contract_of_executors(cluster):
    cluster.start(Summing, [(0, 10), (10, 20), (20, 30)])
    assert {0: 3, 1: 12, 2: 0} == cluster.call("add", dict.fromkeys(range(3), ([1, 2, 12],)))
    numbers = np.arange(30, dtype=np.uint32)
    assert [48, 157, 245] == complete(cluster.call("add", dict.fromkeys(range(3), (numbers,))))
    with pytest.raises(CorruptError, match="page 3"):
        cluster.call("fail", {0: (CorruptError("page 3"),)}, timeout_s=60)
    assert isinstance(cluster.call("kill", {1: ()}, timeout_s=60)[1], ShardFailed)
    answers = cluster.call("add", {0: ([2],), 1: ([11],)}, timeout_s=60)
    assert (50, ShardFailed) == (answers[0], type(answers[1]))
    cluster.restart(1)
    assert {1: 11} == cluster.call("add", {1: ([11],)})
    late = cluster.call("sleep", {0: (60,), 2: (0,)}, timeout_s=2)
    assert ("no answer in time", None) == (late[0].reason, late[2])


def test_reports_are_those_of_one_process_also_after_a_node_was_lost_and_one_was_stopped(cluster, tmp_path):
    documents = texts(21, 40)
    depot, manifest = stored(tmp_path, cut(documents, 5, 1))
    with nodes_of(depot, tmp_path, "a") as nodes:
        expected = told(nodes, manifest, documents[:6])
    names = local_nodes(3)
    cluster.start(Mortal, [(depot.address, str(tmp_path / "shelf" / one.name)) for one in names])
    nodes = Nodes(cluster, names, timeout_s=30)
    assert expected == told(nodes, manifest, documents[:6])
    victim = names.index(placed(manifest.volumes[0].key, names)[0])
    os.kill(cluster.call("process", {victim: ()})[victim], signal.SIGKILL)
    assert expected == told(nodes, manifest, documents[:6])
    nodes = Nodes(cluster, names, timeout_s=4)
    process = cluster.call("process", {victim: ()}, timeout_s=30)[victim]
    os.kill(process, signal.SIGSTOP)
    began = time.monotonic()
    assert expected == told(nodes, manifest, documents[:6])
    while time.monotonic() < began + nodes.timeout_s:  # then the stopped node is ended, though others have answered
        assert expected == told(nodes, manifest, documents[:6])
    assert process != cluster.call("process", {victim: ()}, timeout_s=30)[victim]


def test_a_collection_is_loaded_and_screened(cluster, tmp_path, folder):
    with ClusterCollection(tmp_path / "depot", nodes=local_nodes(2), executor=cluster, create=True) as collection:
        assert 10 == collection.load([folder]).n_added
        text = (folder / "text-3.txt").read_text(encoding="utf-8")
        assert [str(folder / "text-3.txt")] == [one.document.path for one in collection.screen(text).matches]


def test_ray_reports_nothing_home_and_asks_for_a_token(cluster):
    assert "0" == os.environ["RAY_USAGE_STATS_ENABLED"]
    assert "token" == os.environ["RAY_AUTH_MODE"]


def test_similarities_are_those_of_one_process_also_if_a_holder_dies(cluster, tmp_path, monkeypatch):
    from pmbf import Collection
    from pmbf.alike.similar import Similarities, update
    from pmbf.cli import inputs as command

    with Collection(tmp_path / "c.pmbf", create=True) as collection:
        collection.add_many(texts(31, 60))
    shutil.copytree(tmp_path / "c.pmbf", tmp_path / "other.pmbf")
    update(tmp_path / "c.pmbf")
    begin, said = cluster.begin, []

    def killing(shard, method, arguments):
        if method == "hold" and not said:
            said.append("killed")
            end(cluster._processes[shard])
        return begin(shard, method, arguments)

    monkeypatch.setattr("pmbf.cluster.on_ray.RayExecutor", lambda ray: cluster)
    monkeypatch.setattr(cluster, "begin", killing)
    monkeypatch.setattr(command, "note", said.append)
    command.on_hosts("auto", lambda made, _: update(tmp_path / "other.pmbf", jobs=2, executor=made(), full=True))
    assert 2 == len(said)
    tables = []
    for name in ("c.pmbf", "other.pmbf"):
        with Similarities(tmp_path / name) as similarities:
            tables.append(list(similarities.rows()))
    assert tables[0]
    assert tables[0] == tables[1]


def test_pairs_are_those_of_one_process_also_if_a_holder_dies(cluster, tmp_path, monkeypatch):
    from tests.commands.conftest import run

    (tmp_path / "texts").mkdir()
    for name, text in texts(41, 40):
        (tmp_path / "texts" / f"{name}.txt").write_text(text)
        (tmp_path / "texts" / f"{name}-again.txt").write_text(f"{text} and one more")
    begin, killed = cluster.begin, []

    def killing(shard, method, arguments):
        if not killed:
            killed.append(shard)
            end(cluster._processes[shard])
        return begin(shard, method, arguments)

    monkeypatch.setattr("pmbf.cluster.on_ray.RayExecutor", lambda ray: cluster)
    monkeypatch.setattr(cluster, "begin", killing)
    expected = run("pairs", tmp_path / "texts", "--json")
    found = run("pairs", tmp_path / "texts", "--json", "--jobs", "ray://auto")
    assert (1, 1) == (expected.exit_code, found.exit_code)
    assert [0] == killed
    assert 40 <= len(json.loads(found.stdout)["pairs"])
    assert expected.stdout == found.stdout
    refused = run("pairs", tmp_path / "texts", "--jobs", "ray://auto", "--param", "plan=doc")
    assert (2, True) == (refused.exit_code, "plan is doc on a Ray cluster" in refused.stderr)
