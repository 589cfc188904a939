"""Rows of the filter that are lost or torn make no volume unreadable: they are fetched anew, or told as a warning."""

import json
import shutil

import pytest

from pmbf.cluster.collection import ClusterCollection
from pmbf.cluster.volumes import files_of
from pmbf.jobs.executor import Inline
from pmbf.store import files
from pmbf.store.files import FORMAT_VERSION
from tests.conftest import words

from .conftest import cut, nodes_of, stored, texts, told

HARMS = {
    "missing": lambda file: file.unlink(),
    "empty": lambda file: replaced(file, b""),
    "torn": lambda file: replaced(file, file.read_bytes()[: file.stat().st_size // 2]),
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


def rows_of(depot, volume):
    [name] = [content for file, content in files_of(depot, volume.name).items() if file.endswith(".rows")]
    return depot.folder / "files" / name[:2] / name


def warnings(reports):
    return {warning for one in reports for warning in json.loads(one)["warnings"]}


def without_warnings(reports):
    return [json.loads(one) | {"warnings": []} for one in reports]


@harms
def test_rows_that_the_depot_has_lost_are_a_warning_of_every_report(made, tmp_path, documents, harm):
    depot, manifest, expected = made
    volume = manifest.volumes[1]
    rows = rows_of(depot, volume)
    kept = rows.read_bytes()
    HARMS[harm](rows)
    with nodes_of(depot, tmp_path, "abc") as nodes:
        found = told(nodes, manifest, documents[:3])
        assert without_warnings(found) == without_warnings(expected)
        [warning] = warnings(found)
        assert f"volume {volume.name[:12]}: " in warning and f"{rows}: " in warning and "put back a copy" in warning
        for options in ({"max_candidates": 1}, {"min_chars": 200}):
            assert warnings(told(nodes, manifest, documents[:3], **options)) == {warning}
    with ClusterCollection(depot.folder, nodes=2, executor=Inline(), shelf=tmp_path / "other") as one:
        assert {volume.name} == set(one.check())
        assert any(str(rows) in problem for problem in one.check()[volume.name])
        assert one.screen(documents[0][1]).warnings
        rows.write_bytes(kept)
        one.check()  # it fetches the rows
        assert one.check() == {}
        assert one.screen(documents[0][1]).warnings == ()


@harms
def test_rows_that_are_damaged_on_a_nodes_disk_are_fetched_anew(made, tmp_path, documents, harm):
    depot, manifest, expected = made
    with nodes_of(depot, tmp_path, "ab") as nodes:
        assert told(nodes, manifest, documents[:3]) == expected
    rows = [*(tmp_path / "shelves").rglob("volumes/*/tiles/*.rows")]
    for one in rows:
        HARMS[harm](one)
    for kept in (tmp_path / "shelves").rglob("files/*"):
        if kept.stat().st_nlink == 1:  # that of rows
            HARMS[harm](kept)
    with nodes_of(depot, tmp_path, "ab") as nodes:
        assert told(nodes, manifest, documents[:3]) == expected
    assert {one.exists() for one in rows} == {True}


def test_a_page_of_rows_that_a_query_finds_damaged_is_told_once_and_fetched_anew(tmp_path):
    depot, manifest = stored(tmp_path, [[("long", words(1, 60_000))]])
    query = [("query", words(1, 400))]
    with nodes_of(depot, tmp_path, "a") as nodes:
        expected = told(nodes, manifest, query)
    [file] = (tmp_path / "shelves" / "a").rglob("volumes/*/tiles/*.rows")
    whole = file.read_bytes()
    for kept in (file, *(tmp_path / "shelves" / "a" / "files").glob(rows_of(depot, manifest.volumes[0]).name)):
        replaced(kept, whole[:64] + bytes(4096) + whole[64 + 4096 :])
    with nodes_of(depot, tmp_path, "a") as nodes:
        first, *others = (told(nodes, manifest, query) for _ in range(3))
    assert without_warnings(first) == without_warnings(expected)
    assert others == [expected, expected]
    assert whole == file.read_bytes()


@harms
def test_a_change_of_a_volume_without_its_rows_is_refused_and_a_join_makes_them_anew(made, tmp_path, documents, harm):
    depot, manifest, _ = made
    HARMS[harm](rows_of(depot, manifest.volumes[0]))
    with ClusterCollection(depot.folder, nodes=2, executor=Inline(), shelf=tmp_path / "other") as one:
        before = [match.document.path for match in one.screen(documents[0][1]).matches]
        with pytest.raises((OSError, LookupError)):
            one.remove(documents[0][0])
        assert one.compact().n_joined == 3
        report = one.screen(documents[0][1])
        assert ([match.document.path for match in report.matches], report.warnings) == (before, ())
        assert one.check() == {}


@pytest.mark.parametrize(
    ("version", "way_out"),
    [(FORMAT_VERSION - 1, "load the documents into a new collection"), (FORMAT_VERSION + 1, "upgrade pmbf")],
)
def test_a_volume_of_another_version_is_not_looked_at_and_the_way_out_is_told(
    tmp_path, documents, monkeypatch, version, way_out
):
    with monkeypatch.context() as patch:
        patch.setattr(files, "FORMAT_VERSION", version)
        depot, manifest = stored(tmp_path, cut(documents, 2, 1))
    with nodes_of(depot, tmp_path, "ab") as nodes:
        [report] = told(nodes, manifest, documents[:1])
    assert f"format version is {version}, this pmbf reads {FORMAT_VERSION}; {way_out}" in report
    assert json.loads(report)["matches"] == []
