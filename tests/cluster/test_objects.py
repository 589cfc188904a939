"""A depot in an object store: a real server of S3 on this machine, and what is said where there is none."""

import importlib.util
import threading

import pytest

from pmbf import CorruptError, NotFoundError, UnsupportedError
from pmbf.cluster import objects
from pmbf.cluster.collection import ClusterCollection
from pmbf.cluster.objects import depot_at
from pmbf.cluster.placement import local_nodes
from pmbf.jobs.executor import Inline, Local
from tests.forked import pmbf

from .conftest import texts

MISSING = [name for name in ("s3fs", "moto") if importlib.util.find_spec(name) is None]
needs_store = pytest.mark.skipif(bool(MISSING), reason=f"{' and '.join(MISSING)} not installed")


@pytest.fixture
def address(monkeypatch, tmp_path):
    from moto.server import ThreadedMotoServer

    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    for name, value in {
        "AWS_ACCESS_KEY_ID": "nobody",
        "AWS_SECRET_ACCESS_KEY": "nothing",
        "AWS_DEFAULT_REGION": "us-east-1",
        "AWS_ENDPOINT_URL": f"http://{host}:{port}",
    }.items():
        monkeypatch.setenv(name, value)
    import s3fs

    bucket = f"papers-{abs(hash(tmp_path))}"  # servers of one process share what they store
    s3fs.S3FileSystem(skip_instance_cache=True).mkdir(bucket)
    yield f"s3://{bucket}/depot"
    server.stop()


@needs_store
def test_reports_are_those_of_a_folder(address, tmp_path, monkeypatch):
    monkeypatch.setattr("pmbf.cluster.changing.PART_BYTES", 6000)
    documents = texts(3, 30)
    reports = []
    for place, executor in ((address, Local()), (tmp_path / "depot", Inline())):
        shelf = tmp_path / f"shelf-{len(reports)}"
        with ClusterCollection(place, nodes=local_nodes(2), executor=executor, shelf=shelf, create=True) as one:
            one.add_many(documents)
            one.remove(documents[7][0])
            one.compact()
            assert {} == one.check()
            matches = [one.screen(text).matches for _, text in documents[:6]]
            reports.append([[match.document.path for match in some] for some in matches])
    assert reports[0] == reports[1]
    assert documents[0][0] in reports[0][0]


@needs_store
def test_of_many_that_commit_one_number_one_succeeds(address):
    results, start = [], threading.Barrier(4)

    def commit(number):
        depot = depot_at(address)
        start.wait()
        results.append((depot.commit(1, b"%d" % number), number))

    threads = [threading.Thread(target=commit, args=(number,)) for number in range(4)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    [winner] = [number for won, number in results if won]
    assert b"%d" % winner == depot_at(address).manifest(1)
    assert 1 == max(depot_at(address).numbers())


@needs_store
def test_a_store_that_writes_over_objects_is_refused(address, monkeypatch):
    depot = depot_at(address)
    monkeypatch.setattr(depot, "_created", lambda place, content: depot._store.pipe_file(place, content) or True)
    with pytest.raises(UnsupportedError, match="lets two commits win"):
        depot.commit(1, b"1")
    assert [] == depot.numbers()


@needs_store
def test_files_are_fetched_compared_renewed_and_deleted(address, tmp_path, monkeypatch):
    depot = depot_at(address)
    (tmp_path / "one").write_bytes(b"tide")
    name = depot.put(tmp_path / "one")
    assert name == depot.put(tmp_path / "one") == depot.put_bytes(b"tide")
    depot.fetch(name, tmp_path / "copy")
    assert b"tide" == (tmp_path / "copy").read_bytes() == depot.read(name)
    monkeypatch.setattr(objects, "_YOUNG_S", -1)
    depot.renew(name)
    assert 0 == depot.delete(name, 60)
    assert [name] == list(depot.files())
    depot._store.pipe_file(depot._file(name), b"tidy")
    for call in (depot.verify, depot.read, lambda one: depot.fetch(one, tmp_path / "second")):
        with pytest.raises(CorruptError, match="expected that of its name"):
            call(name)
    assert not (tmp_path / "second").exists()
    assert 4 == depot.delete(name, 0)
    assert 0 == depot.delete(name, 0)
    for call in (depot.verify, depot.renew):
        with pytest.raises(NotFoundError):
            call(name)
    depot.commit(1, b"1")
    depot.empty(1)
    assert ([1], {}) == (depot.numbers(), depot.generations())
    with pytest.raises(NotFoundError, match="has no manifest 1"):
        depot.manifest(1)


def test_without_the_extra_it_is_said_what_to_install(tmp_path, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "s3fs", None)
    with pytest.raises(UnsupportedError, match=r"pip install 'pmbf\[store\]'"):
        depot_at("s3://papers/depot")


def test_another_kind_of_store_is_refused_and_no_folder_is_made(tmp_path):
    done = pmbf("cluster", "init", "ftp://papers/depot", cwd=tmp_path)
    assert (3, True) == (done.returncode, "a depot is a folder, or s3://BUCKET/FOLDER" in done.stderr)
    assert [] == list(tmp_path.iterdir())
