"""Nodes that die, hang and cannot read: another node answers, or the report says what was not looked at."""

import os
import random
import signal
from dataclasses import replace

import pytest

from pmbf import IncompleteError
from pmbf.cluster.calls import Nodes
from pmbf.cluster.collection import ClusterCollection, local_nodes
from pmbf.cluster.holder import Holder
from pmbf.cluster.placement import placed
from pmbf.jobs.executor import Inline, Local, ShardFailed

from .conftest import cut, nodes_of, stored, texts, told


class Mortal(Holder):
    """A holder whose process can be found."""

    def process(self):
        return os.getpid()


def processes(executor, n_nodes):
    """Return the process of each node; a node that has died since the last call is made anew."""
    found = executor.call("process", dict.fromkeys(range(n_nodes), ()))
    for number, one in found.items():
        if isinstance(one, ShardFailed):
            executor.restart(number)
            found |= executor.call("process", {number: ()})
    return found


@pytest.fixture
def documents():
    return texts(11, 40)


@pytest.fixture
def cluster(tmp_path, documents):
    """Three nodes in processes, and the reports of some queries."""
    depot, manifest = stored(tmp_path, cut(documents, 6, 3))
    executor, nodes = Local(), local_nodes(3)
    executor.start(Mortal, [(depot.address, str(tmp_path / "shelf" / one.name)) for one in nodes])
    made = Nodes(executor, nodes, timeout_s=20)
    yield made, manifest
    executor.close()


def test_each_node_may_die_at_any_time(cluster, documents):
    nodes, manifest = cluster
    expected = told(nodes, manifest, documents[:4])
    draw = random.Random(5)
    for _ in range(6):
        victim = draw.randrange(3)
        os.kill(processes(nodes.executor, 3)[victim], signal.SIGKILL)
        assert expected == told(nodes, manifest, documents[:4])


def test_a_node_that_is_stopped_is_ended_and_made_anew(cluster, documents):
    nodes, manifest = cluster
    expected = told(nodes, manifest, documents[:4])
    before = processes(nodes.executor, 3)
    victim = nodes.nodes.index(placed(manifest.volumes[0].key, nodes.nodes)[0])
    os.kill(before[victim], signal.SIGSTOP)
    nodes.timeout_s = 1.5
    assert expected == told(nodes, manifest, documents[:4])
    nodes.timeout_s = 20
    after = processes(nodes.executor, 3)
    assert before[victim] != after[victim]
    assert expected == told(nodes, manifest, documents[:4])


def test_nodes_die_while_threads_ask(cluster, documents):
    nodes, manifest = cluster
    queries = documents[:12]
    expected = told(nodes, manifest, queries)
    os.kill(processes(nodes.executor, 3)[0], signal.SIGKILL)
    assert expected == told(nodes, manifest, queries, jobs=3)


def test_all_nodes_at_once_come_back(cluster, documents):
    nodes, manifest = cluster
    expected = told(nodes, manifest, documents[:3])
    for process in processes(nodes.executor, 3).values():
        os.kill(process, signal.SIGKILL)
    assert expected == told(nodes, manifest, documents[:3])


def test_a_volume_that_no_node_can_read_is_named_in_every_report(tmp_path, documents):
    depot, manifest = stored(tmp_path, cut(documents, 6, 3))
    lost = manifest.volumes[2]
    (depot.folder / "files" / lost.name[:2] / lost.name).unlink()
    with nodes_of(depot, tmp_path, "abc") as nodes:
        reports = told(nodes, manifest, documents[:4])
    ids = f"ids {lost.offset + 1} to {lost.offset + lost.n_ids}"
    for report in reports:
        assert f"not looked at: {lost.n_live} documents, {ids}, volume {lost.name[:12]}" in report
    with ClusterCollection(depot.folder, nodes=local_nodes(2), executor=Inline(), shelf=tmp_path / "other") as one:
        assert {lost.name} == set(one.open())
        with pytest.raises(IncompleteError, match="the depot has no such file"):
            one.text(lost.offset + 1)


def test_a_volume_that_comes_back_leaves_no_trace(tmp_path, documents):
    depot, manifest = stored(tmp_path, cut(documents, 6, 3))
    with nodes_of(depot, tmp_path, "x") as nodes:
        expected = told(nodes, manifest, documents[:6])
    lost = manifest.volumes[1].name
    place, beside = depot.folder / "files" / lost[:2] / lost, tmp_path / "beside"
    with nodes_of(depot, tmp_path, "abc") as nodes:
        place.rename(beside)
        assert all("not looked at" in one for one in told(nodes, manifest, documents[:6]))
        beside.rename(place)
        assert expected == told(nodes, manifest, documents[:6])


def test_a_copy_that_is_damaged_on_one_disk_is_read_from_the_other(tmp_path, documents):
    depot, manifest = stored(tmp_path, cut(documents, 4, 3))
    with nodes_of(depot, tmp_path, "ab") as nodes:
        expected = told(nodes, manifest, documents[:4])
        for file in (tmp_path / "shelves" / "a" / "files").iterdir():
            content = bytearray(file.read_bytes())
            content[len(content) // 2] ^= 255
            file.unlink()  # what node b has is another file
            file.write_bytes(content)
    # volumes are made anew from the damaged files
    for folder in (tmp_path / "shelves" / "a" / "volumes").iterdir():
        for file in folder.rglob("*"):
            if file.is_file() and file.stat().st_nlink == 1 and file.suffix in (".tile", ".docs", ".text"):
                content = bytearray(file.read_bytes())
                content[len(content) // 2] ^= 255
                file.write_bytes(content)
    with nodes_of(depot, tmp_path, "ab") as nodes:
        assert expected == told(nodes, manifest, documents[:4])


def test_a_task_whose_node_dies_is_done_by_another_one(tmp_path, documents, monkeypatch):
    monkeypatch.setattr("pmbf.cluster.changing.PART_BYTES", 9000)
    executor, killed = Local(), []
    with ClusterCollection(tmp_path / "depot", nodes=3, executor=executor, create=True) as collection:
        work = collection.nodes.work

        def dying(method, tasks):
            if method == "store" and not killed:
                process = next(iter(executor._processes[1]._all))
                os.kill(process.pid, signal.SIGKILL)
                killed.append(process)
            return work(method, tasks)

        collection.nodes.work = dying
        collection.add_many(documents)
        assert killed
        assert len(documents) == len(collection)
        report = collection.screen(documents[0][1])
        assert documents[0][0] in [match.document.path for match in report.matches]


def test_a_report_that_is_pickled_has_no_texts_of_the_nodes(tmp_path, documents):
    import pickle

    with ClusterCollection(tmp_path / "depot", nodes=local_nodes(2), executor=Inline(), create=True) as collection:
        collection.add_many(documents)
        report = collection.screen(documents[0][1])
    assert report == replace(pickle.loads(pickle.dumps(report)), texts=None)
