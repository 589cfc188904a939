"""A depot that has lost its last manifest, or is an older copy: where that can be known, nothing is answered."""

import shutil

import pytest

from pmbf.base.errors import CorruptError
from pmbf.cluster import manifest as manifests
from pmbf.cluster.depot import FolderDepot
from pmbf.cluster.upkeep import unnamed
from pmbf.intake.loader import Progress
from tests.conftest import words
from tests.forked import pmbf

from .hostile import VERBS, filled, opened, outcome


@pytest.fixture(scope="module")
def pattern(tmp_path_factory):
    return filled(tmp_path_factory.mktemp("noted") / "depot")


@pytest.fixture
def place(pattern, tmp_path):
    return shutil.copytree(pattern, tmp_path / "depot")


@pytest.fixture
def leak(tmp_path):
    """A text whose source came with the last commit."""
    file = tmp_path / "leak.txt"
    file.write_text(words(4, 60), encoding="utf-8")
    return file


def lose(place, number):
    (place / "manifests" / f"{number:012}").unlink()


def test_a_depot_whose_last_manifest_is_lost_answers_nothing(place):
    shutil.rmtree(place / "shelf")  # nobody has seen it
    lose(place, 3)
    for verb in VERBS:
        found = outcome(place, verb)
        assert isinstance(found, CorruptError), verb
        assert "manifest 3 is missing, the last one is 2" in str(found)
    assert 2 == manifests.last_number(FolderDepot(place))  # nobody has taken the number again


def test_the_guard_blocks_what_it_cannot_know(place, leak):
    assert 1 == pmbf("guard", leak, "-c", place).returncode
    lose(place, 3)
    done = pmbf("guard", leak, "-c", place)
    assert 3 == done.returncode, done.stdout
    assert "manifest 3 is missing" in done.stdout + done.stderr
    done = pmbf("check", "-c", place)
    assert (3, True) == (done.returncode, "manifest 3 is missing" in done.stderr)
    (place / "last").unlink()  # as the message says
    shutil.rmtree(place / "shelf")
    assert 0 == pmbf("guard", leak, "-c", place).returncode
    done = pmbf("check", "-c", place)
    assert 0 == done.returncode
    assert "files that no state of the collection names" in done.stdout


def test_all_manifests_lost_is_no_new_depot(place):
    for number in (1, 2, 3):
        lose(place, number)
    with pytest.raises(CorruptError, match="manifest 3 is missing, the last one is 0"):
        opened(place, create=True)


def test_an_older_copy_of_a_depot_is_told_where_a_later_one_was_seen(place, tmp_path):
    older = shutil.copytree(place, tmp_path / "older")
    with opened(place, shelf=tmp_path / "shelf") as one:
        one.add_many([("new", words(7))])
        one.refresh()
    with pytest.raises(CorruptError, match="state 4 was seen here, the last one now is 3") as raised:
        opened(older, shelf=tmp_path / "shelf")
    assert str(tmp_path / "shelf") in str(raised.value)
    opened(older).close()  # who has not seen the later one cannot know


def test_a_collection_that_is_open_is_not_shown_an_older_generation(place):
    with opened(place) as one:
        lose(place, 3)
        (place / "last").unlink()
        assert not one.is_last()
        with pytest.raises(CorruptError, match="state 3 was seen here"):
            one.refresh()
        assert 3 == one.generation


def test_a_missing_manifest_before_later_ones_is_a_problem(place):
    lose(place, 2)
    with opened(place) as one:
        assert {"depot": ["manifest 2 is missing before later ones; put back a copy"]} == one.check()


def test_a_note_that_is_damaged_is_told_and_one_that_is_behind_is_not(place):
    note = place / "last"
    assert b"3_" == note.read_bytes()[:2]
    right = note.read_bytes()
    for at in range(len(right)):
        note.write_bytes(right[:at] + bytes([right[at] ^ 1]) + right[at + 1 :])
        with pytest.raises(CorruptError, match="expected a number and its checksum"):
            manifests.last(FolderDepot(place))
    note.unlink()  # that of a depot of an earlier build, or a killed load
    with opened(place) as one:
        one.add_many([("new", words(7))])
    assert b"4_" == note.read_bytes()[:2]


def test_a_manifest_under_a_later_number_is_told(place):
    manifest = place / "manifests" / f"{3:012}"
    shutil.copy(manifest, manifest.with_name(f"{9:012}"))
    for verb in VERBS:
        assert "is manifest 3 under another number" in str(outcome(place, verb))


def test_files_of_a_load_that_committed_nothing_are_counted(place, tmp_path):
    depot = FolderDepot(place)
    assert [] == unnamed(depot)
    name = depot.put_bytes(b"tide")
    assert [name] == unnamed(depot)
    done = pmbf("check", "-c", place)
    assert 0 == done.returncode
    assert "1 file that no state of the collection names" in done.stdout
    assert "2 volumes: no damage found\n" in done.stdout


def test_a_load_tells_how_far_it_is(place, tmp_path, monkeypatch):
    monkeypatch.setattr("pmbf.cluster.changing.PART_BYTES", 2000)
    for number in range(9):
        (tmp_path / f"text-{number}.txt").write_text(words(700 + number), encoding="utf-8")
    told: list[Progress] = []
    with opened(place) as one:
        one.load(sorted(tmp_path.glob("text-*.txt")), on_progress=told.append)
    assert sorted(one.n_bytes for one in told) == [one.n_bytes for one in told]
    assert (9, 9) == (told[-1].n_files, told[-1].n_files_total)
    assert told[-1].n_bytes == told[-1].n_bytes_total > 0
