"""A tile that is lost or torn makes no volume of a cluster unreadable: it is fetched anew, or told as a warning."""

import json
import shutil

import pytest

from pmbf import Collection
from pmbf.cluster.collection import ClusterCollection
from pmbf.cluster.depot import FolderDepot
from pmbf.cluster.manifest import commit, created
from pmbf.cluster.volumes import files_of, seal
from pmbf.jobs.executor import Inline
from tests.conftest import ROOT
from tests.faults.test_versions import extracted

from .conftest import cut, nodes_of, stored, texts, told

HARMS = {
    "missing": lambda file: file.unlink(),
    "empty": lambda file: replaced(file, b""),
    "torn": lambda file: replaced(file, file.read_bytes()[:5000]),
    "damaged in its head": lambda file: replaced(file, file.read_bytes()[:70] + b"\xff\xff" + file.read_bytes()[72:]),
}
harms = pytest.mark.parametrize("harm", HARMS)


def replaced(file, content):
    """Write a file anew: what is linked to it keeps its content."""
    file.unlink()
    file.write_bytes(content)


@pytest.fixture
def documents():
    return texts(12, 24)


@pytest.fixture
def made(tmp_path, documents):
    depot, manifest = stored(tmp_path, cut(documents, 3, 1))
    with nodes_of(depot, tmp_path, "w") as nodes:
        expected = told(nodes, manifest, documents[:3])
    shutil.rmtree(tmp_path / "shelves")
    return depot, manifest, expected


def tile_of(depot, volume):
    [name] = [content for file, content in files_of(depot, volume.name).items() if file.endswith(".tile")]
    return depot.folder / "files" / name[:2] / name


def warnings(reports):
    return {warning for one in reports for warning in json.loads(one)["warnings"]}


def without_warnings(reports):
    return [json.loads(one) | {"warnings": []} for one in reports]


@harms
def test_a_tile_that_the_depot_has_lost_is_a_warning_of_every_report(made, tmp_path, documents, harm):
    depot, manifest, expected = made
    volume = manifest.volumes[1]
    tile = tile_of(depot, volume)
    kept = tile.read_bytes()
    HARMS[harm](tile)
    with nodes_of(depot, tmp_path, "abc") as nodes:
        found = told(nodes, manifest, documents[:3])
        assert without_warnings(found) == without_warnings(expected)
        [warning] = warnings(found)
        assert f"volume {volume.name[:12]}: " in warning and f"{tile}: " in warning and "put back a copy" in warning
        for options in ({"max_candidates": 1}, {"min_chars": 200}):
            assert warnings(told(nodes, manifest, documents[:3], **options)) == {warning}
    with ClusterCollection(depot.folder, nodes=2, executor=Inline(), shelf=tmp_path / "other") as one:
        assert {volume.name} == set(one.check())
        assert any(str(tile) in problem for problem in one.check()[volume.name])
        assert one.screen(documents[0][1]).warnings
        tile.write_bytes(kept)
        one.check()  # it fetches the tile
        assert one.check() == {}
        assert one.screen(documents[0][1]).warnings == ()


@harms
def test_a_tile_that_is_damaged_on_a_nodes_disk_is_fetched_anew(made, tmp_path, documents, harm):
    depot, manifest, expected = made
    with nodes_of(depot, tmp_path, "ab") as nodes:
        assert told(nodes, manifest, documents[:3]) == expected
    tiles = [*(tmp_path / "shelves").rglob("volumes/*/tiles/*.tile")]
    for tile in tiles:
        HARMS[harm](tile)
    for kept in (tmp_path / "shelves").rglob("files/*"):
        if kept.stat().st_nlink == 1:  # that of a tile
            HARMS[harm](kept)
    with nodes_of(depot, tmp_path, "ab") as nodes:
        assert told(nodes, manifest, documents[:3]) == expected
    assert {tile.exists() for tile in tiles} == {True}


@harms
def test_a_change_of_a_volume_without_its_tile_is_refused_and_a_join_makes_it_anew(made, tmp_path, documents, harm):
    depot, manifest, _ = made
    HARMS[harm](tile_of(depot, manifest.volumes[0]))
    with ClusterCollection(depot.folder, nodes=2, executor=Inline(), shelf=tmp_path / "other") as one:
        before = [match.document.path for match in one.screen(documents[0][1]).matches]
        with pytest.raises((OSError, LookupError)):
            one.remove(documents[0][0])
        assert one.compact().n_joined == 3
        report = one.screen(documents[0][1])
        assert ([match.document.path for match in report.matches], report.warnings) == (before, ())
        assert one.check() == {}


def test_a_tile_of_an_earlier_version_is_needed_by_its_volume(tmp_path, documents):
    folder = extracted(ROOT / "tests" / "faults" / "version5.tar.xz", tmp_path)
    with Collection(folder) as collection:
        params = collection.params
    depot = FolderDepot(tmp_path / "depot")
    volume = seal(folder, depot)
    manifest = created(depot, params).following(added=[volume])
    commit(depot, manifest)
    tile_of(depot, volume).unlink()
    with nodes_of(depot, tmp_path, "ab") as nodes:
        [report] = told(nodes, manifest, [("query", documents[0][1])])
    assert "not looked at" in report and "the depot has no such file; put back a copy" in report
