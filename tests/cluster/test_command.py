"""`pmbf cluster` and `pmbf screen -c DEPOT`, as a user types them."""

import json
import os
import shutil
import subprocess
import sys

import pytest

from tests.conftest import ROOT, words
from tests.forked import pmbf

from .test_upkeep import age, flip


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """A folder of ten texts, a depot with them, and one with a volume more: a copy, and a text with other words."""
    made = tmp_path_factory.mktemp("command")
    near = words(3) + " " + " ".join(words(77).split()[:8])
    some = {f"texts/text-{number}.txt": words(number) for number in range(10)}
    for name, text in (some | {"more/copy.txt": words(2), "more/near.txt": near}).items():
        (made / name).parent.mkdir(exist_ok=True)
        (made / name).write_text(text, encoding="utf-8")
    assert 0 == pmbf("cluster", "init", made / "depot").returncode
    done = pmbf("load", "-c", made / "depot", made / "texts")
    assert (0, "10 added\n10 documents in 1 volume\n") == (done.returncode, done.stdout)
    shutil.copytree(made / "depot", made / "two")
    assert 0 == pmbf("load", "-c", made / "two", made / "more").returncode
    assert 0 == pmbf("load", made / "texts", made / "more", "-c", made / "c.pmbf").returncode
    return made


@pytest.fixture
def folder(place):
    return place / "texts"


@pytest.fixture
def depot(place, tmp_path):
    return shutil.copytree(place / "depot", tmp_path / "depot")


def test_a_text_is_screened_as_in_one_folder(depot, folder, tmp_path):
    (tmp_path / "query.txt").write_text(words(3) + " " + words(77), encoding="utf-8")
    assert 0 == pmbf("load", folder, "-c", tmp_path / "c.pmbf").returncode
    here, there = (
        pmbf("screen", tmp_path / "query.txt", "--json", *where)
        for where in (("-c", tmp_path / "c.pmbf"), ("-c", depot))
    )
    assert 1 == here.returncode == there.returncode
    one, other = (json.loads(done.stdout) for done in (here, there))
    assert [str(folder / "text-3.txt")] == [match["document"]["path"] for match in other["matches"]]
    for told in (one, other):
        del told["collection"], told["generation"]
    assert one == other
    assert "text-3.txt" in pmbf("screen", tmp_path / "query.txt", "-c", depot).stdout


def test_labels_and_pruning_are_a_second_commit(folder, tmp_path):
    depot, folder = tmp_path / "depot", shutil.copytree(folder, tmp_path / "texts")
    for asked in (("cluster", "init", depot), ("load", "-c", depot, folder)):
        assert 0 == pmbf(*asked).returncode
    (tmp_path / "labels.csv").write_text("name,author\ntext-1.txt,stone\nnobody.txt,x\n", encoding="utf-8")
    (folder / "text-9.txt").unlink()
    pattern = ("--labels", "(?P<year>[0-9])[.]txt")
    done = pmbf("load", "-c", depot, folder, "--prune", "--labels", tmp_path / "labels.csv", *pattern)
    assert (3, "9 unchanged, 1 pruned, 9 labelled, 1 with a problem") == (done.returncode, done.stdout.splitlines()[0])
    assert "no document is listed under 'nobody.txt'" in done.stderr
    found = json.loads(pmbf("screen", folder / "text-1.txt", "-c", depot, "--json").stdout)
    assert [{"author": "stone", "year": "1"}] == found["matches"][0]["document"]["labels"]


def test_a_depot_may_be_named_in_the_environment(depot, tmp_path):
    (tmp_path / "query.txt").write_text(words(99), encoding="utf-8")
    environment = os.environ | {"PMBF_COLLECTION": str(depot)}
    assert 0 == pmbf("screen", tmp_path / "query.txt", environment=environment).returncode


def test_what_was_not_looked_at_is_told_and_is_no_success(depot, tmp_path):
    status = json.loads(pmbf("cluster", "status", depot, "--json").stdout)
    [name] = status["volumes"]
    (tmp_path / "query.txt").write_text(words(99), encoding="utf-8")
    assert 0 == pmbf("screen", tmp_path / "query.txt", "-c", depot).returncode
    (depot / "files" / name[:2] / name).unlink()
    for shelf in (depot / "shelf").iterdir():
        shelf.rename(tmp_path / f"lost-{shelf.name}")
    done = pmbf("screen", tmp_path / "query.txt", "-c", depot)
    assert 3 == done.returncode
    assert "not looked at: 10 documents, ids 1 to 10" in done.stdout + done.stderr
    done = pmbf("cluster", "status", depot, "--fetch-all")
    assert 3 == done.returncode
    assert f"volume {name[:12]} cannot be read: local-" in done.stdout


def test_the_status_tells_how_many_volumes_are_here_and_fetches_them_if_that_is_asked_for(depot):
    shutil.rmtree(depot / "shelf")
    for options, n_here in (((), 0), (("--fetch-all",), 1), ((), 1)):
        done = pmbf("cluster", "status", depot, *options)
        assert 0 == done.returncode
        assert [f"1 volume, {n_here} here"] * 2 == [
            line.split(": ")[1] for line in done.stdout.splitlines()[1:] if "1 volume" in line
        ]


def test_documents_are_removed(depot, folder):
    done = pmbf("remove", "-c", depot, folder / "text-3.txt", "7")
    assert (0, "2 documents or paths removed; `pmbf compact` frees disk space.\n") == (
        done.returncode,
        done.stdout,
    )
    status = json.loads(pmbf("cluster", "status", depot, "--json").stdout)
    assert (8, 3, {}) == (status["n_documents"], status["generation"], status["unread"])


def test_small_volumes_are_joined_and_old_files_deleted(depot, tmp_path):
    for number in range(2):
        (tmp_path / f"more-{number}.txt").write_text(words(500 + number), encoding="utf-8")
        assert 0 == pmbf("load", "-c", depot, tmp_path / f"more-{number}.txt").returncode
    done = pmbf("compact", "-c", depot)
    assert (0, "3 volumes joined, 1 now") == (done.returncode, done.stdout.splitlines()[0])
    age(depot, 2)
    done = json.loads(pmbf("compact", "-c", depot, "--json").stdout)
    assert (0, 4, True) == (done["n_joined"], done["n_generations"], done["n_files"] > 9)
    assert (0, "1 volume: no damage found\n") == (
        pmbf("check", "-c", depot).returncode,
        pmbf("check", "-c", depot).stdout,
    )
    assert 2 == pmbf("compact", "-c", depot, "--param", "grace_h=0").returncode


def test_a_damaged_file_of_the_depot_is_told(depot):
    flip(max((depot / "files").rglob("??/*"), key=lambda one: one.stat().st_size))
    done = pmbf("check", "-c", depot)
    assert 3 == done.returncode
    assert "expected that of its name" in done.stdout
    assert "1 volume: problems in 1 of them" in done.stdout


def test_a_cluster_is_not_screened_by_sentences(depot):
    done = pmbf("sentences", "screen", __file__, "-c", depot)
    assert 3 == done.returncode
    assert "is the depot of a cluster, this command takes a collection in one folder" in done.stderr


def test_a_depot_is_made_once_and_must_be_there(depot, tmp_path):
    assert "has a collection already" in pmbf("cluster", "init", depot).stderr
    done = pmbf("screen", __file__, "-c", tmp_path / "nowhere")
    assert 3 == done.returncode
    assert "make one with `pmbf load" in done.stderr
    assert not (tmp_path / "nowhere").exists()


def test_without_the_extra_it_is_said_what_to_install(depot, tmp_path):
    (tmp_path / "sitecustomize.py").write_text("import sys; sys.modules['ray'] = None", encoding="utf-8")
    python = os.pathsep.join([str(tmp_path), str(ROOT)])  # whether it is installed here or not
    for told in (["screen", __file__, "-c", f"ray://auto{depot}"], ["cluster", "start"]):
        command = [sys.executable, "-m", "pmbf", *map(str, told)]
        environment = os.environ | {"PYTHONPATH": python, "HOME": str(tmp_path)}
        done = subprocess.run(command, capture_output=True, text=True, env=environment)
        assert 3 == done.returncode
        assert "pip install 'pmbf[ray]'" in done.stderr


@pytest.fixture
def both(place, tmp_path):
    """A depot of two volumes, and one folder with the same documents."""
    return shutil.copytree(place / "two", tmp_path / "depot"), shutil.copytree(place / "c.pmbf", tmp_path / "c.pmbf")


def lose_last_volume(depot, tmp_path):
    """Take the list of a volume out of the depot, and all copies from the nodes."""
    name = json.loads(pmbf("cluster", "status", depot, "--json").stdout)["volumes"][-1]
    (depot / "files" / name[:2] / name).unlink()
    for shelf in (depot / "shelf").iterdir():
        shelf.rename(tmp_path / f"lost-{shelf.name}")
    return name[:12]


def test_the_documents_are_listed_as_those_of_one_folder(both, tmp_path):
    depot, collection = both
    here, there = (pmbf("list", "--json", *where) for where in (("-c", collection), ("-c", depot)))
    one, other = (list(map(json.loads, done.stdout.splitlines())) for done in (here, there))
    assert sorted(one["id"] for one in other) == [one["id"] for one in other]
    assert [11, 11] == [len(one), len(other)]
    paths, others = ({tuple(one["paths"]): one | {"id": 0} for one in some} for some in (one, other))
    assert paths == others
    assert pmbf("list", "*/copy.txt", "-c", collection).stdout == pmbf("list", "*/copy.txt", "-c", depot).stdout
    lost = lose_last_volume(depot, tmp_path)
    done = pmbf("list", "-c", depot)
    assert 3 == done.returncode
    assert "text-9.txt" in done.stdout
    assert f"volume {lost}" in done.stderr


def test_pairs_are_those_of_one_folder(both, tmp_path):
    depot, collection = both
    how = ("--json", "--proof", "--prefer", "newest", "--jobs", "1")
    here, there = pmbf("pairs", collection, *how), pmbf("pairs", depot, *how)
    assert (1, 1) == (here.returncode, there.returncode), there.stderr
    one, other = json.loads(here.stdout), json.loads(there.stdout)
    assert 2 == len(other["pairs"])
    assert one | {"title": ""} == other | {"title": ""}
    for wrong in ((collection, depot), ()):
        assert 2 == pmbf("pairs", *wrong).returncode
    lose_last_volume(depot, tmp_path)
    done = pmbf("pairs", depot, *how)
    told = json.loads(done.stdout)
    assert (1, 1) == (len(told["problems"]), len(told["pairs"]))
    assert told["problems"][0].startswith("not looked at: 1 document, ids")


def test_similarities_are_those_of_one_folder(both, tmp_path):
    depot, collection = both
    assert 3 == pmbf("similar", "show", "-c", depot).returncode  # no run yet
    tables = []
    for where in (("-c", collection), ("-c", depot)):
        done = pmbf("similar", "update", *where, "--json")
        assert (0, 11) == (done.returncode, json.loads(done.stdout)["n_documents"]), done.stderr
        for out in ("rows.csv", "rows.jsonl"):
            assert 0 == pmbf("similar", "export", tmp_path / out, *where).returncode
        rows = [json.loads(line) for line in (tmp_path / "rows.jsonl").read_text(encoding="utf-8").splitlines()]
        tables.append({(one["path"], one["other_path"], one["shared"]) for one in rows})
    assert tables[0] == tables[1] != set()
    shown = pmbf("similar", "show", "1", "-c", depot, "--json")
    assert 0 == shown.returncode
    assert "documents               11" in pmbf("similar", "status", "-c", depot).stdout
    assert 2 == pmbf("similar", "export", depot / "rows.csv", "-c", depot).returncode
    (tmp_path / "late.txt").write_text(words(88), encoding="utf-8")
    assert 0 == pmbf("load", "-c", depot, tmp_path / "late.txt").returncode
    done = pmbf("similar", "show", "--clusters", "-c", depot)
    assert f"run `pmbf similar update -c {depot}`" in done.stderr
