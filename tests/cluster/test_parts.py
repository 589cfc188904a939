"""The parts of a cluster: the depot, manifests, volumes, and which node has which."""

import json
import os
import threading

import pytest

from pmbf import Collection, CorruptError, NotFoundError, ParameterError, UnsupportedError
from pmbf.alike.similar import update
from pmbf.base.params import Params
from pmbf.cluster.collection import ClusterCollection
from pmbf.cluster.depot import FolderDepot
from pmbf.cluster.manifest import Manifest, Volume, created, last
from pmbf.cluster.placement import Node, local_nodes, placed
from pmbf.cluster.volumes import Shelf, seal
from pmbf.jobs.executor import Inline
from tests.conftest import words

from .conftest import sealed


@pytest.fixture
def depot(tmp_path):
    return FolderDepot(tmp_path / "depot")


def volume(**more):
    return Volume(
        **{"name": "a", "key": "a", "offset": 0, "n_ids": 5, "n_live": 4}
        | dict.fromkeys(("n_without_text", "n_hashes", "n_bytes"), 0)
        | more
    )


def test_of_many_that_commit_one_number_one_succeeds(depot):
    results, start = [], threading.Barrier(8)

    def commit(number):
        start.wait()
        results.append((depot.commit(1, b"%d" % number), number))

    threads = [threading.Thread(target=commit, args=(number,)) for number in range(8)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    [winner] = [number for won, number in results if won]
    assert b"%d" % winner == depot.manifest(1)
    assert [1] == depot.numbers()


def test_a_stored_file_is_fetched_and_a_damaged_one_is_refused(depot, tmp_path):
    (tmp_path / "one").write_bytes(b"tide")
    name = depot.put(tmp_path / "one")
    depot.fetch(name, tmp_path / "copy")
    assert b"tide" == (tmp_path / "copy").read_bytes()
    (depot.folder / "files" / name[:2] / name).write_bytes(b"tidy")
    with pytest.raises(CorruptError, match="expected that of its name"):
        depot.fetch(name, tmp_path / "second")
    assert not (tmp_path / "second").exists()
    with pytest.raises(NotFoundError):
        depot.fetch("0" * 64, tmp_path / "third")


def test_a_name_that_is_no_checksum_is_refused(depot, tmp_path):
    with pytest.raises(CorruptError, match="64 hexadecimal digits"):
        depot.fetch("../../etc/passwd", tmp_path / "copy")


def test_a_depot_has_one_collection(depot):
    with pytest.raises(NotFoundError, match="no collection there"):
        last(depot)
    assert created(depot, Params()) == last(depot)
    with pytest.raises(ParameterError, match="has a collection already"):
        created(depot, Params())


def test_a_manifest_goes_there_and_back_and_damage_is_seen(depot):
    volumes = [volume(name=name * 64, key=name * 64, offset=offset) for name, offset in (("a", 0), ("b", 5))]
    manifest = Manifest(7, Params(), tuple(volumes), "1" * 32)
    content = manifest.to_bytes()
    assert manifest == Manifest.from_bytes(content, "here")
    for at in range(0, len(content), 7):
        with pytest.raises(CorruptError, match="here: its checksum does not fit"):
            Manifest.from_bytes(content[:at] + bytes([content[at] ^ 1]) + content[at + 1 :], "here")


def test_a_manifest_of_a_newer_pmbf_is_not_read(monkeypatch):
    monkeypatch.setattr("pmbf.cluster.manifest.FORMAT_VERSION", 2)
    content = Manifest(1, Params()).to_bytes()
    monkeypatch.undo()
    with pytest.raises(UnsupportedError, match="has format 2, this pmbf reads 1; upgrade pmbf"):
        Manifest.from_bytes(content, "here")


def test_a_manifest_of_an_earlier_pmbf_is_not_read(monkeypatch):
    line = json.dumps(json.loads(Params().to_json()) | {"hash_bits": None})
    monkeypatch.setattr(Params, "to_json", lambda self: line.replace(', "hash_bits": null', ""))
    content = Manifest(1, Params()).to_bytes()
    monkeypatch.undo()
    told = "here: no parameters hash_bits: written by an earlier pmbf; load the documents into a new collection"
    with pytest.raises(UnsupportedError, match=told):
        Manifest.from_bytes(content, "here")


def test_new_volumes_get_ids_behind_all_others():
    first = Manifest(1, Params()).following(added=[volume(), volume(name="b")])
    assert [0, 5] == [one.offset for one in first.volumes]
    second = first.following(changed=[volume(name="c")], added=[volume(name="d")])
    assert [("c", 0), ("b", 5), ("d", 10)] == [(one.name, one.offset) for one in second.volumes]
    assert "b" == second.volume_of(6).name
    for id_ in (0, 16):
        with pytest.raises(NotFoundError):
            second.volume_of(id_)


def test_a_volume_is_a_collection_on_a_nodes_disk(depot, tmp_path):
    made = sealed(tmp_path / "part", [("a", words(1)), ("b", words(2))], depot)
    folder = Shelf(tmp_path / "shelf", depot).folder_of(made.name)
    with Collection(folder) as collection:
        assert [] == collection.check().problems
        assert words(2) == collection.text(2)
    assert (made.n_live, made.n_ids) == (2, 2)


def test_a_volume_has_the_postings_and_neither_sentences_nor_similarities(depot, tmp_path):
    folder = tmp_path / "part"
    sealed(folder, [("a", words(1)), ("b", words(2))], depot)
    with Collection(folder) as collection:
        collection.build_sentences()
    update(folder)
    made = seal(folder, depot)
    here = Shelf(tmp_path / "shelf", depot).folder_of(made.name)
    its, of_part = ({str(one.relative_to(top)) for one in top.rglob("*") if one.is_file()} for top in (here, folder))
    assert any(one.startswith("postings/") for one in its)
    assert {one.split("/")[0] for one in of_part - its} >= {"sentences", "similar"}
    assert not any(one.startswith(("sentences/", "similar/")) for one in its)
    with Collection(here) as collection:
        assert ["b"] == [match.document.path for match in collection.screen(words(2)).matches]


def test_a_volume_that_is_sealed_twice_is_stored_once(depot, tmp_path):
    made = sealed(tmp_path / "part", [("a", words(1))], depot)
    assert made == seal(tmp_path / "part", depot)


def test_a_shelf_keeps_what_is_open(depot, tmp_path):
    volumes = [sealed(tmp_path / f"part-{n}", [("a", words(n))], depot) for n in range(3)]
    shelf = Shelf(tmp_path / "shelf", depot)
    folders = [shelf.folder_of(one.name) for one in volumes]
    with Collection(folders[1]):
        shelf.drop_all_but({volumes[0].name})
        assert [True, True, False] == [one.exists() for one in folders]
    shelf.drop_all_but(set())
    assert not any((tmp_path / "shelf" / "files").iterdir())
    assert shelf.folder_of(volumes[2].name).exists()


@pytest.mark.parametrize("n_nodes", [3, 7, 31])
def test_a_node_more_moves_its_share_and_no_other_volume(n_nodes):
    nodes = [Node(f"n{number}", f"h{number}") for number in range(n_nodes)]
    keys = [f"key-{number}" for number in range(3000)]
    before, after = ([placed(key, some) for key in keys] for some in (nodes[:-1], nodes))
    moved = [(a, b) for a, b in zip(before, after, strict=True) if set(a) != set(b)]
    assert all(nodes[-1] in b for _, b in moved)
    assert len(moved) <= 1.1 * 2 * len(keys) / n_nodes  # two copies


def test_copies_are_on_different_hosts():
    nodes = [Node(f"n{number}", f"h{number % 2}") for number in range(6)]
    for key in map(str, range(100)):
        assert {"h0", "h1"} == {one.host for one in placed(key, nodes)}


@pytest.mark.parametrize("umask", [0o000, 0o022, 0o077])
def test_each_folder_of_a_depot_is_its_owners_alone(tmp_path, umask):
    place, before = tmp_path / "above" / "depot", os.umask(umask)
    try:
        with ClusterCollection(place, nodes=local_nodes(2), executor=Inline(), create=True) as one:
            one.add_many([("a", words(1))])
            one.open()
    finally:
        os.umask(before)
    folders = [place.parent, place, *(one for one in place.rglob("*") if one.is_dir())]
    assert 9 < len(folders)
    assert [] == [one for one in folders if one.stat().st_mode & 0o077]
    assert [] == [one for one in place.rglob("manifests/*") if one.stat().st_mode & 0o077]
