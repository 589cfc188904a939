"""`pmbf load --index rows`, and what such a collection answers and refuses."""

import json

import pytest

from tests.commands.conftest import LIBRARY, SUSPICIOUS, run


@pytest.fixture(scope="module")
def of_rows(tmp_path_factory):
    """A collection of the examples without postings, read by many tests and changed by none."""
    folder = tmp_path_factory.mktemp("rows") / "rows.pmbf"
    assert run("load", LIBRARY, "-c", folder, "--index", "rows", "--quiet").exit_code == 0
    yield folder
    assert run("check", "-c", folder).exit_code == 0


def sources(collection, name, *options):
    """Return the file names of the sources of an example."""
    shown = run("screen", SUSPICIOUS / name, "-c", collection, "--json", *options)
    assert shown.exit_code in (0, 1)
    return [match["document"]["path"].split("/")[-1] for match in json.loads(shown.stdout)["matches"]]


@pytest.mark.parametrize("name", sorted(path.name for path in SUSPICIOUS.iterdir()))
def test_the_examples_have_the_same_sources_in_both_kinds(of_rows, library, name):
    assert sources(of_rows, name) == sources(library, name)


@pytest.mark.parametrize("wanted", ["rows", "postings"])
def test_the_kind_of_a_collection_cannot_change(of_rows, library, wanted):
    folder = library if wanted == "rows" else of_rows
    shown = run("load", LIBRARY, "-c", folder, "--index", wanted)
    assert shown.exit_code == 2
    assert f"which cannot change to {wanted}; leave the option out" in shown.stderr
    assert "was made with index" in shown.stderr


def test_a_further_load_needs_no_option(of_rows):
    for options in ((), ("--index", "rows")):
        assert "unchanged" in run("load", LIBRARY, "-c", of_rows, *options).stdout


def test_options_of_rows_and_of_a_profile_win(tmp_path):
    folder, options = tmp_path / "c.pmbf", ("--index", "rows", "--param", "fpr=0.02", "--profile", "sentences")
    assert run("load", LIBRARY, "-c", folder, *options, "--quiet").exit_code == 0
    params = json.loads(run("stats", "-c", folder, "--json").stdout)["params"]
    assert (params["index"], params["fpr"], params["n_hashes"], params["density"]) == ("rows", 0.02, 6, 0.4)


def test_the_papers_method_is_refused_in_one_sentence_with_the_way_out(library, of_rows):
    shown = run("screen", SUSPICIOUS / "verbatim.txt", "-c", library, "--param", "method=popcount")
    assert shown.exit_code == 2
    assert "made with `pmbf load --index rows`" in shown.stderr and "leave the method out" in shown.stderr
    assert "tides.txt" in sources(of_rows, "verbatim.txt", "--param", "method=popcount")


def test_a_filter_that_chose_nothing_is_noted_and_is_no_damage(of_rows):
    shown = run(
        "screen", SUSPICIOUS / "verbatim.txt", "-c", of_rows, "--param", "method=popcount", env={"COLUMNS": "400"}
    )
    assert "Note: the filter left no document out" in shown.stdout
    assert "damaged" not in shown.stdout


def test_the_leak_check_blocks_a_copy(of_rows):
    assert run("guard", SUSPICIOUS / "verbatim.txt", "-c", of_rows).exit_code == 1


def test_a_library_of_this_kind_explains_what_two_texts_share(of_rows, tmp_path):
    copied = (LIBRARY / "tides.txt").read_text(encoding="utf-8")[:1500]
    for name in "ab":
        (tmp_path / f"{name}.txt").write_text(f"{name} wrote this down\n\n{copied}", encoding="utf-8")
    texts = tmp_path / "a.txt", tmp_path / "b.txt"
    assert len(json.loads(run("compare", *texts, "--json").stdout)["pairs"]) == 1
    assert json.loads(run("compare", *texts, "-c", of_rows, "--json").stdout)["pairs"] == []


def test_similarities_and_sentences_are_made_beside_rows(tmp_path):
    folder = tmp_path / "c.pmbf"
    assert run("load", LIBRARY, "-c", folder, "--index", "rows", "--quiet").exit_code == 0
    assert run("similar", "update", "-c", folder).exit_code == 0
    assert run("sentences", "build", "-c", folder).exit_code == 0
    shown = run("sentences", "screen", SUSPICIOUS / "verbatim.txt", "-c", folder, "--json")
    assert "tides.txt" in shown.stdout
    assert run("check", "-c", folder).exit_code == 0
