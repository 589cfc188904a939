"""Upkeep of a depot: volumes are joined, what nobody needs goes after the grace time, damage is found and mended."""

import os
import random

import pytest

from benchmarks import synthetic
from pmbf import Collection, IncompleteError, NotFoundError
from pmbf.cluster import manifest as manifests
from pmbf.cluster.collection import ClusterCollection
from pmbf.cluster.depot import FolderDepot
from pmbf.cluster.manifest import Volume
from pmbf.cluster.placement import local_nodes
from pmbf.cluster.spread import Spread, SpreadCatalog
from pmbf.cluster.upkeep import sweep, to_join
from pmbf.cluster.volumes import files_of, seal
from pmbf.extract import Limits
from pmbf.intake.discovery import discover
from pmbf.jobs.executor import Inline
from tests.conftest import words

from .conftest import nodes_of, texts
from .test_changing import assert_equal, listed, without_ids

DAY = 24 * 3600


@pytest.fixture
def cluster(tmp_path, monkeypatch):
    monkeypatch.setattr("pmbf.cluster.changing.PART_BYTES", 6000)  # some volumes for few texts
    with ClusterCollection(tmp_path / "depot", nodes=local_nodes(3), executor=Inline(), create=True) as made:
        yield made


def age(folder, days):
    """Make all files of a depot older."""
    for one in [*folder.rglob("files/*/*"), *folder.rglob("manifests/*")]:
        found = one.stat()
        os.utime(one, (found.st_atime, found.st_mtime - days * DAY))


def stored(folder):
    return {one.name for one in folder.rglob("files/*/*")}


def needed(cluster):
    depot = FolderDepot(cluster.path)
    volumes = cluster.manifest.volumes
    return {one.name for one in volumes} | {file for one in volumes for file in files_of(depot, one.name).values()}


@pytest.mark.parametrize("seed", [1, 2])
def test_joined_volumes_have_the_same_documents_under_the_same_ids(cluster, collection, seed, tmp_path):
    draw, documents = random.Random(seed), texts(seed, 40)
    for start in range(0, 40, 10):
        cluster.add_many(documents[start : start + 10])
        collection.add_many(documents[start : start + 10])
    (tmp_path / "picture.png").write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(200))
    (tmp_path / "half.html").write_text(f"<p>{words(seed)}</p>", encoding="utf-8")
    for one in (cluster, collection):
        one.load([tmp_path / "picture.png", tmp_path / "half.html"])
    gone = [name for name, _ in documents if draw.random() < 0.3]
    assert collection.remove(*gone) == cluster.remove(*gone)
    collection.compact()
    before, reports = listed(cluster), [without_ids(cluster.screen(text)) for _, text in documents[:5]]
    ids = _ids(cluster)
    n_volumes = len(cluster.manifest.volumes)
    done = cluster.compact()
    assert (n_volumes, 1) == (done.n_joined, done.n_volumes)
    assert ids == _ids(cluster)
    assert before == listed(cluster)
    assert reports == [without_ids(cluster.screen(text)) for _, text in documents[:5]]
    assert_equal(cluster, collection, [draw.choice(documents)[1] for _ in range(3)])
    assert {} == cluster.check()
    cluster.add_many([("later", words(77))])
    assert max(ids.values()) < _ids(cluster)["later"]
    assert 0 == cluster.compact().n_joined or 1 == len(cluster.manifest.volumes)


def _ids(cluster):
    return {one.path: one.document for one in SpreadCatalog(Spread(cluster.nodes, cluster.manifest)).paths()}


def test_volumes_without_texts_are_joined_too(tmp_path):
    depot, volumes = FolderDepot(tmp_path / "depot"), []
    for number in range(3):
        folder = tmp_path / f"part-{number}.pmbf"
        synthetic.write(folder, synthetic.random_documents(50, 90, seed=number))
        volumes.append(seal(folder, depot))
    manifest = manifests.created(depot, synthetic.PARAMS).following(added=volumes)
    with nodes_of(depot, tmp_path, "ab") as nodes:
        [joined] = [nodes.executor.call("join", {0: (synthetic.PARAMS, manifest.volumes)})[0]]
        assert (0, 150, 150) == (joined.offset, joined.n_ids, joined.n_live)
        assert {0: []} == nodes.executor.call("check", {0: (joined,)})


def test_only_small_volumes_that_follow_one_another_are_joined():
    def volume(offset, n_bytes):
        return Volume(str(offset), str(offset), offset, 10, 10, 0, 100, n_bytes)

    small, large = 1 << 20, 200 << 20
    sizes = [small, small, large, small, large, small, small, small]
    volumes = [volume(10 * number, size) for number, size in enumerate(sizes)]
    assert [volumes[:2], volumes[5:]] == list(to_join(volumes))
    half = [volume(10 * number, 100 << 20) for number in range(5)]
    assert [half[:2], half[2:4]] == list(to_join(half))


def test_what_nobody_needs_goes_after_the_grace_time(cluster):
    for number in range(4):
        cluster.add_many([(f"name-{number}", words(number))])
    cluster.remove("name-2")
    done = cluster.compact(grace_s=DAY)
    assert (0, 0) == (done.n_generations, done.n_files)
    age(cluster.path, 2)
    done = cluster.compact(grace_s=DAY)
    assert done.n_generations
    assert done.n_bytes
    assert needed(cluster) == stored(cluster.path)
    with ClusterCollection(cluster.path, nodes=1, executor=Inline(), shelf=cluster.path / "new") as other:
        assert {"name-0", "name-1", "name-3"} == set(listed(other))
    assert manifests.last(FolderDepot(cluster.path)) == cluster.manifest


def test_a_generation_that_was_swept_keeps_its_number(cluster):
    first = cluster.manifest
    cluster.add_many([("a", words(1))])
    cluster.add_many([("b", words(2))])
    age(cluster.path, 2)
    sweep(FolderDepot(cluster.path), DAY)
    depot = FolderDepot(cluster.path)
    with pytest.raises(NotFoundError, match="has no manifest 2"):
        depot.manifest(2)
    assert not depot.commit(2, first.to_bytes())  # who read generation 1 long ago and commits now is told
    assert {3} == set(depot.generations())


def test_a_file_that_is_put_again_is_young_again(tmp_path):
    depot = FolderDepot(tmp_path / "depot")
    name = depot.put_bytes(b"tide")
    age(depot.folder, 2)
    assert name == depot.put_bytes(b"tide")
    assert 0 == depot.delete(name, DAY)
    age(depot.folder, 2)
    assert 4 == depot.delete(name, DAY)
    assert [] == list(depot.files())
    assert 0 == depot.delete(name, DAY)


def test_a_load_whose_files_were_swept_commits_nothing(cluster, tmp_path, monkeypatch):
    from pmbf.cluster import changing

    work = changing.work

    def slow(*what):
        made = work(*what)
        age(cluster.path, 2)
        sweep(FolderDepot(cluster.path), DAY)
        return made

    monkeypatch.setattr(changing, "work", slow)
    (tmp_path / "one.txt").write_text(words(1), encoding="utf-8")
    with pytest.raises(IncompleteError, match="nothing was changed: run it again"):
        cluster._changing.load(discover([tmp_path / "one.txt"]), Limits())
    assert 1 == manifests.last(FolderDepot(cluster.path)).number
    monkeypatch.undo()
    assert 1 == cluster.load([tmp_path / "one.txt"]).n_added


def test_damage_is_found_and_that_of_a_nodes_own_disk_is_mended(cluster):
    cluster.add_many([(f"name-{number}", words(number, 300)) for number in range(6)])
    assert {} == cluster.check()
    expected = [without_ids(cluster.screen(words(number, 300))) for number in range(6)]  # now the volumes are open
    for own in sorted((cluster.path / "shelf").rglob("volumes/*/texts/*")):  # those of nodes that only checked, too
        flip(own)
        found = cluster.check()
        assert {"was damaged"} == {one[-11:] for some in found.values() for one in some}, found
    assert {} == cluster.check()
    assert expected == [without_ids(cluster.screen(words(number, 300))) for number in range(6)]
    assert not any(one for _, one in _problems_of_copies(cluster))
    depot = FolderDepot(cluster.path)
    volume = cluster.manifest.volumes[0]
    name = next(iter(files_of(depot, volume.name).values()))
    flip(cluster.path / "files" / name[:2] / name)
    assert {volume.name} == set(cluster.check())


def test_damage_on_a_nodes_own_disk_does_not_reach_the_depot(cluster):
    cluster.add_many([(f"name-{number}", words(number, 300)) for number in range(6)])
    assert {} == cluster.check()
    expected = listed(cluster)
    for kept in sorted((cluster.path / "shelf").rglob("volumes/*/texts/*")):
        flip(kept)
    cluster.remove("name-3")
    del expected["name-3"]
    cluster.compact()
    for kept in sorted((cluster.path / "shelf").rglob("volumes/*/texts/*")):
        flip(kept)
    assert all("was damaged" in one for some in cluster.check().values() for one in some)
    assert expected == listed(cluster)
    assert {} == cluster.check()


def _problems_of_copies(cluster):
    for folder in (cluster.path / "shelf").glob("local-*/volumes/*"):
        with Collection(folder) as one:
            yield folder, one.check().problems


def flip(place):
    content = bytearray(place.read_bytes())
    content[len(content) // 2] ^= 255
    place.write_bytes(content)


def test_one_folder_knows_a_joined_volume(cluster):
    cluster.add_many(texts(4, 30))
    cluster.compact()
    [volume] = cluster.manifest.volumes
    folder = next((cluster.path / "shelf").rglob(f"volumes/{volume.name}"), None)
    if folder is None:
        cluster.open()
        folder = next((cluster.path / "shelf").rglob(f"volumes/{volume.name}"))
    with Collection(folder) as one:
        assert [] == one.check().problems
        assert 30 == len(one)
