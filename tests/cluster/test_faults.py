"""Nodes that die, hang and cannot read: another node answers, or the report says what was not looked at."""

import os
import random
import signal
import subprocess
import sys
from contextlib import suppress
from dataclasses import replace
from time import monotonic

import pytest

from pmbf import IncompleteError
from pmbf.cluster.calls import Nodes
from pmbf.cluster.collection import ClusterCollection
from pmbf.cluster.comparing import Learnt
from pmbf.cluster.filter_rows import RowsHere
from pmbf.cluster.holder import Holder
from pmbf.cluster.placement import local_nodes, placed
from pmbf.cluster.spread import Spread, SpreadCatalog, word_statistics
from pmbf.cluster.upkeep import Health, health
from pmbf.cluster.working import fetch, unread_by_all
from pmbf.cluster.workplace import Workplace
from pmbf.fingerprint import query_sample
from pmbf.jobs.executor import Inline, Local, ShardFailed
from tests.conftest import ROOT

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


@pytest.fixture(scope="module")
def documents():
    return texts(11, 40)


@pytest.fixture(scope="module")
def started(tmp_path_factory, documents):
    """Three nodes in processes."""
    place = tmp_path_factory.mktemp("cluster")
    depot, manifest = stored(place, cut(documents, 6, 3))
    executor, nodes = Local(), local_nodes(3)
    executor.start(Mortal, [(depot.address, str(place / "shelf" / one.name)) for one in nodes])
    yield executor, nodes, RowsHere(place / "rows", depot, manifest.params), manifest
    executor.close()


@pytest.fixture
def cluster(started):
    """Three nodes in processes, and their volumes. Whatever a test has done to them, they run before the next one."""
    executor, nodes, rows, manifest = started
    processes(executor, 3)
    yield Nodes(executor, nodes, timeout_s=20, rows=rows), manifest
    for node in executor._processes:
        for process in node._all:
            with suppress(ProcessLookupError):
                os.kill(process.pid, signal.SIGCONT)


def test_each_node_may_die_at_any_time(cluster, documents):
    nodes, manifest = cluster
    expected = told(nodes, manifest, documents[:4])
    draw = random.Random(5)
    for _ in range(4):
        victim = draw.randrange(3)
        os.kill(processes(nodes.executor, 3)[victim], signal.SIGKILL)
        assert expected == told(nodes, manifest, documents[:4])


def test_a_node_that_is_stopped_is_answered_for_by_others_and_then_ended(cluster, documents):
    nodes, manifest = cluster
    expected = told(nodes, manifest, documents[:4])
    for _ in range(3):  # so that it is known how long calls take
        told(nodes, manifest, documents[:4])
    before = processes(nodes.executor, 3)
    victim = nodes.nodes.index(placed(manifest.volumes[0].key, nodes.nodes)[0])
    os.kill(before[victim], signal.SIGSTOP)
    start = monotonic()
    assert expected == told(nodes, manifest, documents[:4])
    assert monotonic() - start < nodes.timeout_s / 2
    nodes.timeout_s = 1.5
    while monotonic() - start < 2:
        assert expected == told(nodes, manifest, documents[:4])
    nodes.timeout_s = 20
    after = processes(nodes.executor, 3)
    assert before[victim] != after[victim]
    assert expected == told(nodes, manifest, documents[:4])


def test_the_first_query_does_not_wait_long_for_a_node_that_is_stopped(cluster, documents):
    nodes, manifest = cluster
    processes_of = processes(nodes.executor, 3)
    victim = nodes.nodes.index(placed(manifest.volumes[0].key, nodes.nodes)[0])
    os.kill(processes_of[victim], signal.SIGSTOP)
    start = monotonic()
    [report] = told(nodes, manifest, documents[:1])
    assert monotonic() - start < nodes.timeout_s / 4
    assert "not looked at" not in report


def test_what_no_node_answers_in_time_is_named(cluster, documents):
    nodes, manifest = cluster
    told(nodes, manifest, documents[:1])
    stopped = processes(nodes.executor, 3)
    for process in stopped.values():
        os.kill(process, signal.SIGSTOP)
    nodes.timeout_s, start = 1, monotonic()
    [report] = told(nodes, manifest, documents[:1])
    assert 0.5 < monotonic() - start < 1.5
    asked, _ = nodes.rows.having(manifest, query_sample(documents[0][1], manifest.params).hashes)
    assert 1 < len(asked) < len(manifest.volumes)  # the others have nothing of the text: that is known without them
    assert report.count("not looked at") == len(asked)
    assert "no answer in time" in report


def test_calls_that_were_not_answered_make_no_later_call_wait_longer(cluster, documents):
    nodes, manifest = cluster
    for _ in range(8):  # so that it is known how long calls take
        expected = told(nodes, manifest, documents[:1])
    usual = nodes._usual.hedge_s("having", 1, 20)
    stopped = processes(nodes.executor, 3)
    for process in stopped.values():
        os.kill(process, signal.SIGSTOP)
    nodes.timeout_s = 1
    assert "not looked at" in told(nodes, manifest, documents[:1])[0]
    assert usual == nodes._usual.hedge_s("having", 1, 20)
    nodes.timeout_s = 20
    assert expected == told(nodes, manifest, documents[:1])


class Unlucky(Mortal):
    """A holder that stops when it is told how rare words are, if it is the first one."""

    def compare(self, volumes, asked, options, state):
        if isinstance(state, Learnt):
            with suppress(FileExistsError):
                (self._shelf.folder.parent / "stopped").mkdir()
                os.kill(os.getpid(), signal.SIGSTOP)
        return super().compare(volumes, asked, options, state)


def test_a_node_that_stops_when_it_is_told_how_rare_words_are_is_answered_for(tmp_path, documents):
    depot, manifest = stored(tmp_path, cut(documents, 6, 3))
    with nodes_of(depot, tmp_path, "x") as nodes:
        expected = told(nodes, manifest, documents[:4])
    executor, members = Local(), local_nodes(3)
    executor.start(Unlucky, [(depot.address, str(tmp_path / "shelf" / one.name)) for one in members])
    nodes, start = Nodes(executor, members, timeout_s=20), monotonic()
    assert expected == told(nodes, manifest, documents[:4])
    assert (tmp_path / "shelf" / "stopped").exists()
    assert monotonic() - start < nodes.timeout_s / 2
    executor.close()


def test_health_names_a_late_node_for_which_others_answer(cluster):
    nodes, manifest = cluster
    n_volumes = len(manifest.volumes)
    assert Health(3, [], n_volumes, 0, 0) == health(nodes, manifest)
    stopped = processes(nodes.executor, 3)
    victim = nodes.nodes.index(placed(manifest.volumes[0].key, nodes.nodes)[0])
    os.kill(stopped[victim], signal.SIGSTOP)
    assert Health(3, [nodes.nodes[victim].name], n_volumes, 0, 0) == health(nodes, manifest)


def test_health_counts_what_no_node_answers_for(cluster):
    nodes, manifest = cluster
    for process in processes(nodes.executor, 3).values():
        os.kill(process, signal.SIGSTOP)
    nodes.timeout_s = 1
    found = health(nodes, manifest)
    assert (len(manifest.volumes), manifest.n_documents) == (found.unread_volumes, found.unread_documents)
    assert found.late_nodes


def test_a_volume_without_an_answer_is_not_asked_for_again(cluster):
    nodes, manifest = cluster
    spread = Spread(nodes, manifest)
    assert len(manifest.volumes) == sum(spread.ask("open"))
    spread.unread[manifest.volumes[1].name] = "no answer in time"
    assert len(manifest.volumes) - 1 == sum(spread.ask("open"))


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


def test_how_rare_words_are_does_not_depend_on_a_damaged_copy(tmp_path, documents):
    depot, manifest = stored(tmp_path, cut(documents, 4, 3))
    with nodes_of(depot, tmp_path, "ab") as nodes:
        fetch(nodes, manifest.volumes)
        expected = word_statistics(Spread(nodes, manifest)).n_words
    for place in (tmp_path / "shelves" / "a").rglob("volumes/*/texts/*"):
        content = bytearray(place.read_bytes())
        content[len(content) // 2] ^= 255
        place.write_bytes(content)
    with nodes_of(depot, tmp_path, "ab") as nodes:
        assert expected == word_statistics(Spread(nodes, manifest)).n_words


class Loading(Mortal):
    """A holder that meets a fault while it makes its first volume."""

    def store(self, params, named):
        marks = self._shelf.folder.parent / "faults"
        with suppress(IndexError, FileNotFoundError):
            mark = sorted(marks.iterdir())[0]
            mark.unlink()  # the next one to come makes its volume
            os.kill(os.getpid(), signal.Signals[mark.name.split("-")[1]])
        return super().store(params, named)


@pytest.mark.parametrize("fault", ["SIGKILL", "SIGSTOP"])
def test_a_load_across_nodes_that_fail_is_exact(tmp_path, documents, monkeypatch, fault):
    monkeypatch.setattr("pmbf.cluster.changing.PART_BYTES", 9000)
    monkeypatch.setattr("pmbf.cluster.collection.Holder", Loading)
    for number in range(2):
        touched = tmp_path / "shelf" / "faults" / f"{number}-{fault}"
        touched.parent.mkdir(parents=True, exist_ok=True)
        touched.touch()
    with ClusterCollection(tmp_path / "depot", nodes=3, shelf=tmp_path / "shelf", timeout_s=2, create=True) as one:
        one.add_many(documents)
        assert not any(touched.parent.iterdir())
        assert [name for name, _ in documents] == [name for name, _ in listed(one)]
        assert dict(documents) == {name: one.text(id_) for name, id_ in listed(one)}
        status = one.status()
    assert ({}, {}) == (status.unread, status.missing)


def listed(collection):
    """Return each name with its id, by id."""
    rows = SpreadCatalog(Spread(collection.nodes, collection.manifest)).paths()
    return sorted(((one.path, one.document) for one in rows), key=lambda one: one[1])


def test_the_state_of_a_cluster_is_told_although_a_node_is_stopped(cluster, tmp_path):
    nodes, manifest = cluster
    nodes.timeout_s = 1.5
    os.kill(processes(nodes.executor, 3)[1], signal.SIGSTOP)
    unread = fetch(nodes, manifest.volumes)
    assert {0: {}, 2: {}} == {node: some for node, some in unread.items() if node != 1}
    assert {"no answer in time"} == set(unread[1].values())
    assert {} == unread_by_all(nodes, manifest.volumes, unread)
    nodes.timeout_s = 20
    assert {0: {}, 1: {}, 2: {}} == fetch(nodes, manifest.volumes)


def test_what_a_killed_node_was_making_is_cleared_away_at_the_next_start(tmp_path):
    with Workplace(tmp_path).new_folder() as beside:
        (beside / "half").write_bytes(b"a volume")
        Workplace(tmp_path)
        assert (beside / "half").exists()  # its process lives
    script = """if True:
        import os, pathlib, sys
        from pmbf.cluster.workplace import Workplace
        with Workplace(pathlib.Path(sys.argv[1])).new_folder() as beside:
            (beside / "half").write_bytes(b"a volume")
            os.kill(os.getpid(), 9)
    """
    subprocess.run([sys.executable, "-c", script, tmp_path / "other"], cwd=ROOT)
    assert [b"a volume"] == [one.read_bytes() for one in (tmp_path / "other").rglob("half")]
    kept = Workplace(tmp_path / "other")
    assert [kept.folder] == list((tmp_path / "other").iterdir())


def test_a_report_that_is_pickled_has_no_texts_of_the_nodes(tmp_path, documents):
    import pickle

    with ClusterCollection(tmp_path / "depot", nodes=local_nodes(2), executor=Inline(), create=True) as collection:
        collection.add_many(documents)
        report = collection.screen(documents[0][1])
    assert report == replace(pickle.loads(pickle.dumps(report)), texts=None)
