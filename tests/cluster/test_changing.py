"""Changes of a cluster's collection: what it lists and reports is what one folder does after the same changes."""

import gzip
import json
import random
from itertools import pairwise

import pytest

from pmbf import BusyError, Collection, IncompleteError, NotFoundError
from pmbf.cluster.collection import ClusterCollection
from pmbf.cluster.placement import local_nodes
from pmbf.cluster.spread import Spread, SpreadCatalog
from pmbf.intake.labelling import LabelPattern, LabelTable
from pmbf.jobs.executor import Inline
from tests.conftest import touch, words

from .conftest import texts


@pytest.fixture
def cluster(tmp_path, monkeypatch):
    monkeypatch.setattr("pmbf.cluster.changing.PART_BYTES", 6000)  # some volumes for few texts
    with ClusterCollection(tmp_path / "depot", nodes=local_nodes(3), executor=Inline(), create=True) as made:
        yield made


def listed(cluster):
    spread = Spread(cluster.nodes, cluster.manifest)
    catalog = SpreadCatalog(spread)
    rows = {one.path: one for one in catalog.paths()}
    assert not spread.unread
    return {path: (cluster.text(one.document), one.labels) for path, one in rows.items()}


def listed_here(collection):
    rows = {one.path: one for one in collection._store.catalog.paths()}
    return {path: (collection.text(one.document), one.labels) for path, one in rows.items()}


def without_ids(report):
    """Return a report with paths in place of ids: a cluster gives a document another id if it had a copy."""
    told = json.loads(report.to_json())
    paths = {match["document"]["id"]: match["document"]["path"] for match in told["matches"]}
    for match in told["matches"]:
        match["document"].pop("id")
        for passage in match["passages"]:
            passage["also_in"] = sorted(paths[id_] for id_ in passage["also_in"])
    return {name: value for name, value in told.items() if name not in ("collection", "generation")}


def assert_equal(cluster, collection, queries):
    assert listed_here(collection) == listed(cluster)
    assert len(collection) == len(cluster)
    for query in queries:
        assert without_ids(collection.screen(query)) == without_ids(cluster.screen(query))


@pytest.mark.parametrize("seed", [1, 2])
def test_a_walk_of_changes_ends_where_one_folder_ends(cluster, collection, seed):
    draw, documents = random.Random(seed), texts(seed, 40)
    for _ in range(6):
        some = [(f"name-{draw.randrange(30)}", draw.choice(documents)[1]) for _ in range(draw.randrange(1, 12))]
        some = list(dict(some).items())
        cluster.add_many(some)
        collection.add_many(some)
        gone = [one for one in sorted(listed_here(collection)) if draw.random() < 0.15]
        assert collection.remove(*gone) == cluster.remove(*gone)
        collection.compact()  # a cluster counts removed documents for no hash
        assert_equal(cluster, collection, [draw.choice(documents)[1] for _ in range(2)])


def test_files_are_loaded_replaced_and_left_alone(cluster, collection, folder):
    (folder / "copy.txt").write_text(words(3), encoding="utf-8")
    (folder / "picture.png").write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(200))
    (folder / "broken.docx").write_bytes(b"PK\x03\x04" + bytes(200))
    incomplete = folder / "incomplete.gz"
    incomplete.write_bytes(gzip.compress(words(60).encode())[:-20])

    def load():
        here, there = collection.load([folder, incomplete]), cluster.load([folder, incomplete])
        counts = ("n_added", "n_replaced", "n_unchanged", "n_same", "n_skipped", "n_without_text")
        assert {name: getattr(here, name) for name in counts} == {name: getattr(there, name) for name in counts}
        for name in ("problems", "skipped", "without_text"):  # a folder tells them in the order of the files
            assert sorted(map(str, getattr(here, name))) == sorted(map(str, getattr(there, name)))
        assert len(here.problems) == 2
        assert_equal(cluster, collection, [words(3), words(50)])

    load()
    first = cluster.generation
    load()
    assert first == cluster.generation  # nothing new is no commit
    touch(folder / "text-3.txt", words(50))
    touch(folder / "text-5.txt", words(5))
    load()


def test_files_that_are_gone_are_pruned_and_labels_are_those_of_one_folder(cluster, collection, folder, tmp_path):
    table = tmp_path / "labels.csv"
    table.write_text("name,author,group\n" + "".join(f"text-{n}.txt,author-{n},g{n % 2}\n" for n in range(10)))
    (folder / "copy.txt").write_text(words(3), encoding="utf-8")
    names = ("n_pruned", "n_labelled", "problems")

    def load():
        told = []
        for one in (collection, cluster):
            labels = LabelTable.read(table, LabelPattern("(?P<kind>copy)"))
            told.append(one.load([folder], labels=labels, prune=True))
        assert [getattr(told[0], name) for name in names] == [getattr(told[1], name) for name in names]
        assert_equal(cluster, collection, [words(3), words(5)])
        return told[1]

    assert 11 == load().n_labelled
    assert '{"author": "author-3", "group": "g1"}' == listed(cluster)[str(folder / "text-3.txt")][1]
    query = folder / "text-5.txt"
    here, there = (one.screen(query, exclude_same=["group"]) for one in (collection, cluster))
    assert without_ids(here) == without_ids(there)
    before = cluster.generation
    load()
    assert before == cluster.generation  # nothing has changed
    (folder / "text-3.txt").unlink()
    (folder / "text-4.txt").unlink()
    table.write_text("name,author\ntext-5.txt,somebody\n")
    told = load()
    assert (2, 1) == (told.n_pruned, told.n_labelled)
    assert 9 == len(listed(cluster))
    for one in folder.iterdir():
        one.unlink()
    table.write_text("name,author\n")
    assert "nothing was pruned below it: is empty" in load().problems[0].reason


def test_two_files_that_changed_places_are_both_found(cluster, folder):
    cluster.load([folder])
    touch(folder / "text-1.txt", words(2))
    touch(folder / "text-2.txt", words(1))
    cluster.load([folder])
    for number, other in ((1, 2), (2, 1)):
        [match] = cluster.screen(words(number)).matches
        assert str(folder / f"text-{other}.txt") == match.document.path
    assert 10 == len(cluster)


def test_of_two_committers_the_second_is_told_and_has_changed_nothing(cluster, tmp_path):
    cluster.add_many([("first", words(1))])
    with ClusterCollection(tmp_path / "depot", nodes=local_nodes(1), executor=Inline()) as other:
        cluster.add_many([("second", words(2))])
        with pytest.raises(BusyError, match="has committed state 3 meanwhile"):
            other.add_many([("third", words(3))])
        assert {"first"} == set(listed(other))
        other.refresh()
        other.add_many([("third", words(3))])
        assert {"first", "second", "third"} == set(listed(other))


def test_a_generation_that_is_shown_stays_as_it_was(cluster, tmp_path):
    cluster.add_many([(f"name-{number}", words(number)) for number in range(8)])
    with ClusterCollection(tmp_path / "depot", nodes=local_nodes(2), executor=Inline()) as other:
        before = without_ids(other.screen(words(3)))
        cluster.remove("name-3")
        cluster.add_many([("name-4", words(3))])
        assert before == without_ids(other.screen(words(3)))
        other.refresh()
        assert ["name-4"] == [match.document.path for match in other.screen(words(3)).matches]


def test_a_report_shows_texts_of_documents_that_were_removed_since(cluster):
    cluster.add_many(some := texts(3, 12))
    report = cluster.screen(some[0][1])
    cluster.remove(some[0][0])
    assert some[0][1] == report.texts.source(report.matches[0].document.id)
    with pytest.raises(NotFoundError):
        cluster.text(report.matches[0].document.id)


def test_a_change_stores_only_the_files_that_it_changes(cluster, tmp_path, monkeypatch):
    monkeypatch.setattr("pmbf.cluster.changing.PART_BYTES", 30_000)
    cluster.add_many([(f"name-{number}", words(number, 400)) for number in range(40)])
    before = {one.name for one in (tmp_path / "depot" / "files").rglob("*") if one.is_file()}
    cluster.remove("name-3")
    new = [one for one in (tmp_path / "depot" / "files").rglob("*") if one.is_file() and one.name not in before]
    volumes = cluster.manifest.volumes
    assert 1 < len(volumes)
    assert 4 == len(new)  # the volume's list, its catalog, the number of its generation, its directory


def test_ids_stay_when_other_volumes_change(cluster):
    cluster.add_many([(f"name-{number}", words(number)) for number in range(12)])
    before = {one.path: one.document for one in SpreadCatalog(Spread(cluster.nodes, cluster.manifest)).paths()}
    cluster.remove("name-0", "name-11")
    cluster.add_many([("new", words(99))])
    after = {one.path: one.document for one in SpreadCatalog(Spread(cluster.nodes, cluster.manifest)).paths()}
    assert max(before.values()) < after.pop("new")
    assert after == {path: id_ for path, id_ in before.items() if path in after}


def test_what_is_not_there_cannot_be_removed(cluster):
    cluster.add_many([("first", words(1))])
    for what in ("second", 17):
        with pytest.raises(NotFoundError, match=f"has no document {what!r}"):
            cluster.remove(what)
    assert {"first"} == set(listed(cluster))


def test_nothing_is_loaded_while_a_volume_cannot_be_read(cluster, tmp_path):
    cluster.add_many([("first", words(1))])
    for file in (tmp_path / "depot" / "files").rglob("*"):
        if file.is_file() and file.name == cluster.manifest.volumes[0].name:
            file.unlink()
    with ClusterCollection(
        tmp_path / "depot", nodes=local_nodes(2), executor=Inline(), shelf=tmp_path / "new"
    ) as other:
        with pytest.raises(IncompleteError, match="the depot has no such file"):
            other.add_many([("second", words(1))])
        assert 2 == other.generation


def test_volumes_are_in_the_order_in_which_they_came(cluster):
    cluster.add_many([(f"name-{number:02}", words(number)) for number in range(20)])
    offsets = [one.offset for one in cluster.manifest.volumes]
    assert all(a + v.n_ids == b for (a, b), v in zip(pairwise(offsets), cluster.manifest.volumes, strict=False))
    rows = SpreadCatalog(Spread(cluster.nodes, cluster.manifest)).paths()
    assert list(range(1, 21)) == [one.document for one in rows]


def test_one_folder_is_not_opened_as_a_cluster(tmp_path):
    Collection(tmp_path / "c.pmbf", create=True).close()
    with pytest.raises(NotFoundError, match="is a collection of one folder, no depot"):
        ClusterCollection(tmp_path / "c.pmbf")
