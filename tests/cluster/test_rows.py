"""Who asks has the rows of the filter of all volumes: a volume is asked for hashes that it may have, and no others."""

import json
import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pmbf import Collection
from pmbf.cluster.collection import ClusterCollection
from pmbf.cluster.filter_rows import RowsHere
from pmbf.cluster.found import are_near
from pmbf.cluster.holder import Holder
from pmbf.cluster.manifest import commit
from pmbf.cluster.placement import local_nodes
from pmbf.cluster.spread import Spread
from pmbf.cluster.volumes import seal
from pmbf.fingerprint import query_sample
from pmbf.jobs.executor import Inline
from pmbf.store.files import HEADER, Identity, write_file
from pmbf.store.rowsfile import rows_at
from tests.conftest import words

from .conftest import cut, nodes_of, stored, texts, told


class Noting(Holder):
    """A holder that notes what it is asked."""

    calls = []  # noqa: RUF012  # of all holders of a test

    def having(self, volumes, hashes, limit, places):
        Noting.calls.append((self._shelf.folder.name, {one.name: hashes[places[one.name]].tolist() for one in volumes}))
        return super().having(volumes, hashes, limit, places)


@pytest.fixture(autouse=True)
def _forgotten():
    Noting.calls.clear()


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    """A collection of twelve small volumes, each of one text."""
    folder = tmp_path_factory.mktemp("small")
    return stored(folder, [[(f"text-{number}", words(number, 40))] for number in range(12)])


def hashes_of(manifest, text):
    return query_sample(text, manifest.params).hashes


def asked_of(manifest, nodes, text):
    """Return the names of the volumes that may have a hash of a text, by the rows alone."""
    return set(nodes.rows.having(manifest, hashes_of(manifest, text))[0])


def without_rows(depot, volume, tmp_path):
    """Return the collection of a volume, in a folder."""
    from pmbf.cluster.volumes import Shelf

    folder = tmp_path / f"changed-{volume.name[:8]}.pmbf"
    Shelf(tmp_path / "making", depot).copy(volume.name, folder)
    return folder


@settings(max_examples=4)
@given(seed=st.integers(1, 10**6), n_parts=st.integers(1, 5), n_common=st.sampled_from([0, 57]), data=st.data())
def test_answers_are_those_without_the_rows(tmp_path_factory, seed, n_parts, n_common, data):
    tmp_path = tmp_path_factory.mktemp("rows")
    documents = texts(seed, 64, n_common)
    depot, manifest = stored(tmp_path, cut(documents, n_parts, seed))
    draw = random.Random(seed)
    changed = []
    for volume in draw.sample(manifest.volumes, draw.randrange(n_parts)):  # some documents are removed
        folder = without_rows(depot, volume, tmp_path)
        with Collection(folder) as collection:
            names = [one.paths[0] for one in collection.documents()]
            collection.remove(*draw.sample(names, draw.randrange(len(names))))
        changed.append(seal(folder, depot, instead_of=volume))
    manifest = manifest.following(changed=changed)
    commit(depot, manifest)
    queries = [*documents[:3], ("clause", documents[0][1][-500:]), ("short", words(1, 9)), ("empty", "")]
    options = data.draw(st.sampled_from([{}, {"exclude_self": True}, {"min_evidence": 3.0}, {"max_candidates": 2}]))
    with nodes_of(depot, tmp_path, "a", filtered=False) as nodes:
        expected = told(nodes, manifest, queries, **options)
    for n_nodes in (1, 3, 7):
        with nodes_of(depot, tmp_path, [f"{seed}-{number}" for number in range(n_nodes)]) as nodes:
            assert expected == told(nodes, manifest, queries, **options)


def test_conditions_on_labels_mean_the_same(tmp_path):
    for number in range(6):
        (tmp_path / "in").mkdir(exist_ok=True)
        (tmp_path / "in" / f"{number}.txt").write_text(f"{words(number)} {words(99)}")
    with ClusterCollection(tmp_path / "depot", nodes=local_nodes(3), executor=Inline(), create=True) as one:
        one.load([tmp_path / "in"], labels=lambda path: {"part": str(int(path[-5]) % 2)})
        where = {"where": {"part": ["1"]}}
        found = one.screen(words(99), **where)
        one.nodes.rows = None
        expected = one.screen(words(99), **where)
    assert expected == found
    assert len(found.matches) == 3


def test_a_volume_is_asked_for_the_hashes_that_it_may_have_alone(tmp_path, small):
    depot, manifest = small
    query = f"{words(3, 40)} {words(300, 40)}"
    with nodes_of(depot, tmp_path, "abc", holder=Noting) as nodes:
        places, unread = nodes.rows.having(manifest, hashes := np.unique(hashes_of(manifest, query)))
        told(nodes, manifest, [("query", query)])
    asked = {name: some for _, volumes in Noting.calls for name, some in volumes.items()}
    assert asked == {name: hashes[some].tolist() for name, some in places.items()}
    assert not unread
    assert len(asked[manifest.volumes[3].name]) < len(hashes)


def test_a_node_without_hits_is_not_asked(tmp_path, small):
    depot, manifest = small
    with nodes_of(depot, tmp_path, "abcdefg", holder=Noting) as nodes:
        query = words(5, 40)
        names = asked_of(manifest, nodes, query)
        assert manifest.volumes[5].name in names
        assert len(names) < len(manifest.volumes)
        [report] = told(nodes, manifest, [("query", query)])
        assert [one["document"]["path"] for one in json.loads(report)["matches"]] == ["text-5"]
    assert {name for _, volumes in Noting.calls for name in volumes} == names
    assert len({node for node, _ in Noting.calls}) < 7


def test_a_query_that_no_volume_has_anything_of_asks_no_node(tmp_path, small):
    depot, manifest = small
    with nodes_of(depot, tmp_path, "abc", holder=Noting) as nodes:
        query = next(one for one in map(words, range(1000, 1100)) if not asked_of(manifest, nodes, one[:60]))[:60]
        [report] = told(nodes, manifest, [("query", query)])
    assert not Noting.calls
    assert json.loads(report)["matches"] == []
    assert not [*(tmp_path / "shelves").glob("?/volumes/*")]


def test_a_volume_is_fetched_when_it_is_asked_for_and_not_before(tmp_path, small):
    depot, manifest = small
    with nodes_of(depot, tmp_path, "abc") as nodes:
        names = asked_of(manifest, nodes, words(5, 40))
        spread = Spread(nodes, manifest)
        assert [] == [name for part in spread.ask("here") for name in part]
        asked = spread.asked_for(hashes_of(manifest, words(5, 40)))
        spread.ask("open", (), spread.named(asked))
        assert sorted(names) == sorted(one.name for one in (tmp_path / "shelves").glob("?/volumes/*"))


def test_all_volumes_are_fetched_if_that_is_asked_for(tmp_path, small):
    depot, manifest = small
    made = {"nodes": local_nodes(3), "executor": Inline(), "shelf": tmp_path / "other"}
    with ClusterCollection(depot.folder, **made) as one:
        status = one.status()
        assert (0, 24) == (sum(map(len, status.here.values())), sum(map(len, status.nodes.values())))
        status = one.status(fetch_all=True)
        assert status.here == status.nodes
    with ClusterCollection(depot.folder, **made | {"shelf": tmp_path / "third", "fetch_all": True}) as one:
        status = one.status()
        assert status.here == status.nodes
    assert len(manifest.volumes) == len(status.volumes)


def test_new_volumes_are_known_after_a_refresh_and_old_rows_go(tmp_path):
    made = {"nodes": local_nodes(2), "executor": Inline()}
    with (
        ClusterCollection(tmp_path / "depot", **made, create=True) as one,
        ClusterCollection(tmp_path / "depot", **made | {"executor": Inline()}) as other,
    ):
        for number in range(3):
            one.add_many([(f"text-{number}", words(number))])
            other.refresh()
            assert [f"text-{number}"] == [match.document.path for match in other.screen(words(number)).matches]
        one.compact()
        other.refresh()
        other.refresh()
        assert ["text-1"] == [match.document.path for match in other.screen(words(1)).matches]
        kept = {place.name for place in (tmp_path / "depot" / "shelf" / ".rows" / "volumes").iterdir()}
    assert kept == {volume.name for volume in other.manifest.volumes}


def rows_files(tmp_path):
    return sorted((tmp_path / "shelves" / ".rows").rglob("volumes/*/tiles/*.rows"))


def head_of(file):
    return HEADER.unpack(file.read_bytes()[: HEADER.size])


def written(file, content):
    file.unlink(missing_ok=True)  # what is linked to it keeps its content
    file.write_bytes(content)


def test_cleared_rows_behind_right_checksums_change_an_answer(tmp_path, small):
    depot, manifest = small
    query = [("query", words(5, 40))]
    with nodes_of(depot, tmp_path, "abc") as nodes:
        assert json.loads(told(nodes, manifest, query)[0])["matches"]
    for file in rows_files(tmp_path):
        rows, (_, kind, _, _, *identity, serial, _, _, _) = rows_at(file, manifest.params), head_of(file)
        n_bytes = rows.rows.n_lines // 8
        cleared = bytes(n_bytes) + bytes(rows.file.payload[n_bytes:])
        file.unlink()
        write_file(file.parents[1], kind.decode(), Identity(*identity), serial, [cleared])
    with nodes_of(depot, tmp_path, "abc") as nodes:
        assert not json.loads(told(nodes, manifest, query)[0])["matches"]


HARMS = {
    "missing": lambda file: file.unlink(missing_ok=True),
    "empty": lambda file: written(file, b""),
    "torn": lambda file: written(file, file.read_bytes()[:100]),
    "with another head": lambda file: written(file, file.read_bytes()[:40] + b"\xff" + file.read_bytes()[41:]),
    "with another bit": lambda file: written(file, file.read_bytes()[:70] + b"\xff" + file.read_bytes()[71:]),
    "a link": lambda file: (file.unlink(), file.symlink_to("/etc/hostname")),
}
harms = pytest.mark.parametrize("harm", HARMS)


@harms
def test_rows_that_are_damaged_here_are_fetched_anew(tmp_path, small, harm):
    depot, manifest = small
    queries = [("query", words(5, 40)), ("other", words(7, 40))]
    with nodes_of(depot, tmp_path, "abc") as nodes:
        expected = told(nodes, manifest, queries)
    for file in rows_files(tmp_path):
        HARMS[harm](file)
    with nodes_of(depot, tmp_path, "abc") as nodes:
        found = told(nodes, manifest, queries)
    if harm == "a link":  # that is no damage: somebody has put it there
        assert all(len(json.loads(one)["warnings"]) == len(manifest.volumes) for one in found)
        found = [json.dumps(json.loads(one) | {"warnings": []}) for one in found]
        expected = [json.dumps(json.loads(one)) for one in expected]
    assert expected == found


@pytest.mark.parametrize("harm", ["missing", "empty", "torn", "with another head", "with another bit"])
def test_a_volume_whose_rows_cannot_be_read_is_asked_for_everything_and_that_is_told(tmp_path, small, harm):
    depot, manifest = small
    from pmbf.cluster.volumes import files_of

    volume = manifest.volumes[2]
    [name] = [content for file, content in files_of(depot, volume.name).items() if file.endswith(".rows")]
    with nodes_of(depot, tmp_path, "abc") as nodes:
        [expected] = told(nodes, manifest, [("query", words(2, 40))])
    place = depot.folder / "files" / name[:2] / name
    kept = place.read_bytes()
    HARMS[harm](place)
    with nodes_of(depot, tmp_path / "other", "abc", holder=Noting) as nodes:
        [found] = told(nodes, manifest, [("query", words(2, 40))])
        [far] = told(nodes, manifest, [("query", words(2000, 40))])
    written(place, kept)
    for one in (found, far):
        [warning] = json.loads(one)["warnings"]
        assert warning.startswith(f"volume {volume.name[:12]}: ")
        assert str(place) in warning
    assert json.loads(expected) == json.loads(found) | {"warnings": []}
    hashes = np.unique(hashes_of(manifest, words(2000, 40))).tolist()
    assert hashes in [some for _, volumes in Noting.calls for name, some in volumes.items() if name == volume.name]


def test_rows_made_with_other_parameters_are_not_believed(tmp_path, small):
    depot, manifest = small
    from pmbf.base.params import Params

    rows = RowsHere(tmp_path / "rows", depot, Params(density=0.4))
    places, unread = rows.having(manifest, np.arange(5, dtype=np.uint32))
    assert unread.keys() == {one.name for one in manifest.volumes} == places.keys()
    assert all("belongs to another collection" in reason for reason in unread.values())


def test_a_disk_that_cannot_be_written_makes_every_volume_be_asked(tmp_path, small):
    depot, manifest = small
    (tmp_path / "file").write_text("no folder")
    rows = RowsHere(tmp_path / "file" / "rows", depot, manifest.params)
    places, unread = rows.having(manifest, np.arange(5, dtype=np.uint32))
    assert unread.keys() == {one.name for one in manifest.volumes} == places.keys()


@given(places=st.lists(st.integers(0, 60), unique=True).map(sorted), least=st.integers(1, 6), window=st.integers(1, 20))
def test_places_are_near_if_a_window_holds_enough_of_them(places, least, window):
    held = [sum(start <= one < start + window for one in places) for start in range(61)]
    assert are_near(np.array(places, np.uint32), least, window) == (max(held) >= least)
