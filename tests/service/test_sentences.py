"""The service screens a file sentence by sentence, as `pmbf sentences screen` does."""

import pytest

from pmbf import Collection
from pmbf.sentences import SentenceReport
from tests.sentences.texts import text as prose
from tests.service.conftest import serve

COPIED, OWN = prose(5, 6, 7, 8), prose(20, 21, 22)


def running(folder, place, name):
    return serve(place / name, "-c", folder, "--log")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("sentences") / "c.pmbf"
    with Collection(folder, create=True) as collection:
        collection.add(f"{prose(1, 2)} {COPIED}", name="earlier")
        collection.add(prose(30, 31, 32), name="other")
        collection.build_sentences()
    return folder


@pytest.fixture(scope="module")
def service(folder, place):
    made = running(folder, place, "sentences.sock")
    yield made
    assert made.stop() == 0 and "Traceback" not in made.said


def test_the_report_is_that_of_the_collection(service, folder):
    asked = f"{OWN} {COPIED}".encode()
    status, told = service.json("POST", "/v1/sentences?name=a.txt", asked)
    with Collection(folder) as collection:
        expected = collection.screen_sentences(asked, name="a.txt")
    assert status == 200 and told == expected.to_dict()
    assert told["n_found"] >= 3 and [one["document"]["path"] for one in told["sources"]] == ["earlier"]
    assert SentenceReport.from_json(expected.to_json()) == expected


def test_options_of_passages_are_refused_and_those_of_documents_count(service):
    status, told = service.json("POST", "/v1/sentences?min_chars=40", COPIED.encode())
    assert status == 400 and "'min_chars' is no field of the query: name, template, exclude_self" in told["error"]
    status, told = service.json("POST", "/v1/sentences?name=earlier&exclude_self=1", COPIED.encode())
    assert status == 200 and not told["sources"] and told["n_left_out"] == 1
    status, told = service.json("POST", "/v1/sentences?template=thesis", f"References\n{COPIED}\n".encode())
    assert status == 200 and not told["n_found"] and told["sections"]
    status, told = service.json("POST", "/v1/sentences?template=../thesis", b"words")
    assert status == 400 and "there are contract" in told["error"]


def test_a_collection_without_sentences_is_told_with_the_command_that_makes_them(place, tmp_path):
    with Collection(tmp_path / "bare.pmbf", create=True) as collection:
        collection.add(COPIED, name="earlier")
    made = running(tmp_path / "bare.pmbf", place, "bare.sock")
    try:
        status, told = made.json("POST", "/v1/sentences", COPIED.encode())
        assert status == 409 and "has no sentences; make them with `pmbf sentences build -c" in told["error"]
        with Collection(tmp_path / "bare.pmbf") as collection:
            collection.build_sentences()
        for body in (COPIED, prose(90, 91, 92), ""):  # without a restart
            assert made.json("POST", "/v1/sentences", body.encode())[0] == 200
    finally:
        made.stop()
    logged = [line.rpartition("outcome=")[2] for line in made.said.splitlines() if "/v1/sentences" in line]
    assert logged[-3:] == ["found", "clean", "incomplete"]
