"""`pmbf similar` as it is typed."""

import csv
import json
import os
import sys

import pytest
from conftest import words

from pmbf import Collection
from tests.forked import pmbf
from tests.similar.tables import made


@pytest.fixture
def folder(tmp_path):
    texts = {"half": words(3, 60), "whole": words(3, 60) + " " + words(4, 60), "=other": words(5)}
    return made(tmp_path / "c.pmbf", texts)


@pytest.fixture
def updated(folder):
    assert 0 == pmbf("similar", "update", "-c", folder).returncode
    return folder


def test_a_run_says_what_it_did(folder):
    said = pmbf("similar", "update", "-c", folder)
    assert (0, "") == (said.returncode, said.stderr)
    assert "3 documents, 2 similarities; full run 1 in" in said.stdout
    assert "nothing has changed; 3 documents\n" == pmbf("similar", "update", "-c", folder).stdout
    found = json.loads(pmbf("similar", "update", "--full", "--json", "-c", folder).stdout)
    assert ("full", 2, 2) == (found["kind"], found["number"], found["n_rows"])
    assert {"changes", "texts", "similarities", "table"} == set(found["steps"])


def test_a_document_and_all_pairs_are_shown(updated):
    said = pmbf("similar", "show", "half", "-c", updated)
    assert 0 == said.returncode
    assert ["100", "%", "48", "%", "56", "whole"] == said.stdout.splitlines()[1].split()
    [pair] = json.loads(pmbf("similar", "show", "--json", "-c", updated).stdout)
    assert ("half", "whole", 56, 1.0) == (pair["path"], pair["other_path"], pair["shared"], pair["similarity"])
    assert [] == json.loads(pmbf("similar", "show", "=other", "--json", "-c", updated).stdout)
    assert "no similar documents\n" == pmbf("similar", "show", "=other", "-c", updated).stdout
    by_id = pmbf("similar", "show", str(pair["document"]), "-c", updated)
    assert said.stdout == by_id.stdout


def test_clusters_and_growth_are_shown(updated):
    found = json.loads(pmbf("similar", "show", "--clusters", "--json", "-c", updated).stdout)
    assert [["half", "whole"]] == [one["paths"] for one in found]
    assert "1  2 documents\n   half\n   whole\n" == pmbf("similar", "show", "--clusters", "-c", updated).stdout
    with Collection(updated) as collection:
        collection.add(words(9), name="new")
    assert "1  new documents; 0 left" in pmbf("similar", "status", "-c", updated).stdout
    pmbf("similar", "update", "-c", updated)
    runs = json.loads(pmbf("similar", "status", "--json", "-c", updated).stdout)["runs"]
    assert [(1, "full", 3), (2, "incremental", 4)] == [(one["number"], one["kind"], one["n_documents"]) for one in runs]


def test_documents_that_no_run_has_taken_are_told(updated, tmp_path):
    with Collection(updated) as collection:
        collection.add(words(3, 60) + " once more", name="new")
    for asked in (
        ["show", "=other"],
        ["show", "=other", "--json"],
        ["show", "--clusters"],
        ["export", tmp_path / "rows.csv"],
    ):
        said = pmbf("similar", *asked, "-c", updated)
        assert 0 == said.returncode
        assert "pmbf: incomplete without 1 new, changed or unread document; run `pmbf similar upd" in said.stderr
    pmbf("similar", "update", "-c", updated)
    assert "" == pmbf("similar", "show", "=other", "-c", updated).stderr


def test_rows_are_exported(updated, tmp_path):
    for kind in ("csv", "jsonl"):
        assert 0 == pmbf("similar", "export", tmp_path / f"rows.{kind}", "-c", updated).returncode
    with open(tmp_path / "rows.csv", newline="") as file:
        table = list(csv.DictReader(file))
    lines = [json.loads(line) for line in (tmp_path / "rows.jsonl").read_text().splitlines()]
    assert [("half", "whole", "56"), ("whole", "half", "56")] == [
        (one["path"], one["other_path"], one["shared"]) for one in table
    ]
    assert [float(one["similarity"]) for one in table] == [one["similarity"] for one in lines]


def test_parquet_has_the_rows_of_csv(updated, tmp_path):
    parquet = pytest.importorskip("pyarrow.parquet", reason="the extra 'parquet' is not installed")
    assert 0 == pmbf("similar", "export", tmp_path / "rows.parquet", "-c", updated).returncode
    rows = parquet.read_table(tmp_path / "rows.parquet").to_pylist()
    pmbf("similar", "export", tmp_path / "rows.jsonl", "-c", updated)
    assert [json.loads(line) for line in (tmp_path / "rows.jsonl").read_text().splitlines()] == rows


def test_parquet_without_its_library_is_refused_with_the_command_that_installs_it(monkeypatch, tmp_path):
    from pmbf.base.errors import UnsupportedError
    from pmbf.cli.shown.table_files import require_form

    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(UnsupportedError, match=r"pip install 'pmbf\[parquet\]'"):
        require_form("parquet", "rows.parquet")


@pytest.mark.parametrize(
    ("words", "code", "told"),
    [
        (["update", "--param", "bits=29"], 2, "--param bits is 29, expected 28, 30 or 32"),
        (["update", "--param", "n_words=4"], 2, "--param n_words is 4, but 5 in the runs before"),
        (["update", "--renew", "--param", "n_words=0"], 2, "--param n_words is 0, expected an integer from 1 to 32"),
        (["show", "nothing"], 3, "has no document 'nothing'"),
        (["show", "half", "--clusters"], 2, "leave one of them out"),
        (["export", "rows.txt"], 2, "ends with none of"),
        (["export", "no/such/rows.csv"], 3, "there is no such folder"),
        (["export", "csv:/"], 3, "/: is a folder, expected the name of a file"),
        (["export", "csv:-"], 2, "-: stdout takes no rows; name a file"),
    ],
)
def test_wrong_usage_is_told(updated, words, code, told):
    said = pmbf("similar", *words, "-c", updated)
    assert code == said.returncode and told in said.stderr


def test_a_pipe_is_not_replaced_by_the_rows(updated, tmp_path):
    os.mkfifo(tmp_path / "pipe.csv")
    said = pmbf("similar", "export", tmp_path / "pipe.csv", "-c", updated)
    assert 3 == said.returncode and "is a pipe, socket or device" in said.stderr
    assert (tmp_path / "pipe.csv").is_fifo()


def test_the_name_of_the_file_is_printed_harmlessly(updated, tmp_path):
    said = pmbf("similar", "export", "rows\x1b[2J.csv", "-c", updated, cwd=tmp_path)
    assert (0, "2 rows written to rows\\x1b[2J.csv\n") == (said.returncode, said.stdout)


def test_a_file_of_the_collection_is_not_replaced_by_the_rows(updated):
    said = pmbf("similar", "export", updated / "similar" / "rows.csv", "-c", updated)
    assert 2 == said.returncode and "is inside the collection" in said.stderr
    assert not (updated / "similar" / "rows.csv").exists()


def test_a_text_that_cannot_be_read_ends_with_3(tmp_path):
    (tmp_path / "texts").mkdir()
    for name in "ab":
        (tmp_path / "texts" / f"{name}.txt").write_text(words(1) + name)
    pmbf("load", "texts", "-c", "c.pmbf", "--no-text", cwd=tmp_path)
    (tmp_path / "texts" / "b.txt").unlink()
    said = pmbf("similar", "update", "-c", "c.pmbf", cwd=tmp_path)
    assert 3 == said.returncode
    assert "1 document, 0 similarities" in said.stdout and "incomplete: texts/b.txt" in said.stderr


def test_a_grown_collection_is_told_to_renew_its_common_chunks(folder):
    pmbf("similar", "update", "-c", folder)
    with Collection(folder) as collection:
        collection.add_many([(f"more-{number}", words(100 + number)) for number in range(12)])
    assert "--renew" in pmbf("similar", "update", "-c", folder).stderr
    assert "" == pmbf("similar", "update", "--renew", "-c", folder).stderr
