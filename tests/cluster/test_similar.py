"""Similarities of a cluster's collection: the rows are those of one folder with the same documents."""

import random

import pytest

from pmbf import Collection, CorruptError, IncompleteError, NotFoundError, UnsupportedError
from pmbf.alike.similar import Similarities, update
from pmbf.alike.similar.database import SimilarState
from pmbf.cluster.collection import ClusterCollection
from pmbf.cluster.placement import local_nodes
from pmbf.cluster.similar import SpreadDocuments
from pmbf.jobs.executor import Inline

from .conftest import texts


@pytest.fixture
def cluster(tmp_path, monkeypatch):
    monkeypatch.setattr("pmbf.cluster.changing.PART_BYTES", 6000)  # some volumes for few texts
    monkeypatch.setattr("pmbf.alike.similar.documents._BATCH_CHARS", 3000)  # and some batches of each
    with ClusterCollection(tmp_path / "depot", nodes=local_nodes(3), executor=Inline(), create=True) as made:
        yield made


def rows(documents):
    with Similarities(documents) as similarities:
        found = similarities.rows()
        return sorted((one.path, one.other_path, one.shared, one.similarity, one.reverse) for one in found)


@pytest.mark.parametrize("seed", [1, 2])
def test_after_any_changes_the_rows_are_those_of_one_folder(cluster, tmp_path, seed):
    draw, documents = random.Random(seed), texts(seed, 40)
    documents += [(f"near-{name}", text[: len(text) * 3 // 4] + " and so on") for name, text in documents[:20]]
    draw.shuffle(documents)
    n_runs = 0
    with Collection(tmp_path / "c.pmbf", create=True) as collection:
        for first in range(0, len(documents), 15):
            some = documents[first : first + 15]
            gone = [name for name, _ in draw.sample(documents[: first or 1], min(first, 4))]
            for one in (cluster, collection):
                one.add_many(some)
            known = [name for name in gone if name in collection]
            for one in (cluster, collection):
                one.remove(*known)
            here, there = update(collection.path), update(SpreadDocuments(cluster))
            n_runs += 1
            assert (here.n_documents, here.n_added, here.n_removed, here.n_rows, here.kind) == (
                there.n_documents, there.n_added, there.n_removed, there.n_rows, there.kind,
            )  # fmt: skip
            found = rows(SpreadDocuments(cluster))
            assert found and found == rows(collection.path)
        cluster.compact()
        assert (0, 0) == (lambda one: (one.n_added, one.n_removed))(update(SpreadDocuments(cluster)))
        assert len(cluster.manifest.volumes) < 2 * n_runs
        update(SpreadDocuments(cluster), full=True, jobs=3)
        assert rows(SpreadDocuments(cluster)) == rows(collection.path)


def test_a_document_is_asked_for_by_name_and_id(cluster):
    cluster.add_many([("sea", "the sea comes in twice a day and goes out twice a day"), ("dry", "no rain fell " * 9)])
    cluster.add_many([("they", "they say the sea comes in twice a day and goes out twice a day")])
    documents = SpreadDocuments(cluster)
    with pytest.raises(NotFoundError, match=r"no similarities yet.*similar update -c "):
        Similarities(documents)
    update(documents)
    with Similarities(documents) as similarities:
        [(by_name,), (by_id,)] = (similarities.of(what) for what in ("sea", 1))
        assert ("sea", "they", 9) == (by_name.path, by_name.other_path, by_name.shared)
        assert by_name == by_id
        for what in ("river", 77):
            with pytest.raises(NotFoundError, match="has no document"):
                similarities.of(what)
        assert 0 == similarities.n_untaken()
        cluster.add_many([("new", "a text that no run has taken")])
        assert 1 == similarities.n_untaken()
        assert 1 == similarities.status().n_new


def test_a_damaged_table_is_told_with_the_command_that_makes_it_anew(cluster):
    cluster.add_many(texts(1, 5))
    documents = SpreadDocuments(cluster)
    update(documents)
    (documents.folder / "similar" / "similarities.sqlite").write_bytes(b"no table")
    for ask in (Similarities, update):
        with pytest.raises(CorruptError, match="similar update --renew -c "):
            ask(documents)
    assert 5 == update(documents, renew=True).n_documents


def test_documents_that_no_node_can_read_are_not_taken_for_gone(cluster, tmp_path):
    cluster.add_many(texts(1, 20))
    cluster.add_many([("sea", "the sea comes in twice a day and goes out twice a day")])
    update(SpreadDocuments(cluster))
    volume = cluster.manifest.volumes[0]
    (tmp_path / "depot" / "files" / volume.name[:2] / volume.name).unlink()
    (tmp_path / "depot" / "shelf").rename(tmp_path / "lost")
    with ClusterCollection(tmp_path / "depot", nodes=local_nodes(3), executor=Inline()) as again:
        documents = SpreadDocuments(again)
        with pytest.raises(IncompleteError, match=r"not looked at: \d+ documents?, ids 1 to "):
            update(documents)
        with Similarities(documents) as similarities, pytest.raises(IncompleteError, match="not looked at"):
            similarities.pairs()
        with SimilarState(documents.folder, documents.identity) as state:
            assert (1, 21) == (state.n_runs, len(state.documents()))


def test_a_depot_in_an_object_store_has_no_place_for_the_table(cluster, monkeypatch):
    monkeypatch.setattr(cluster._depot, "folder", "s3://bucket/folder")
    with pytest.raises(UnsupportedError, match="takes a depot in a folder"):
        SpreadDocuments(cluster)
