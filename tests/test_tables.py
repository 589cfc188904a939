"""The tables of `pmbf screen`: CSV, lines of JSON, spreadsheets. Hostile names and words stay text in each of them."""

import csv
import io
import json
import re
import sys
import zipfile

import pytest
from conftest import words
from hypothesis import given
from hypothesis import strategies as st

from pmbf.base.errors import IncompleteError
from pmbf.cli.shown import table_files
from pmbf.cli.targets import _tables as known_tables
from pmbf.report.table import COLUMNS
from tests.commands.conftest import run

pytestmark = pytest.mark.slow

SHARED = [words(number, 40) for number in range(2)]
WHERE = "xl/worksheets/sheet1.xml"


@pytest.fixture
def desk(tmp_path, monkeypatch):
    """A collection of two texts; a folder with a text of each, one of both, a clean one and one that is broken."""
    monkeypatch.chdir(tmp_path)
    for folder in ("library", "essays"):
        (tmp_path / folder).mkdir()
    for number, shared in enumerate(SHARED):
        (tmp_path / "library" / f"source-{number}.txt").write_text(shared)
    (tmp_path / "essays" / "=cmd|calc.txt").write_text(f"{words(10, 200)}\n{SHARED[0]}")
    (tmp_path / "essays" / "both.txt").write_text(f"{words(11, 30)}\n=1+1 {SHARED[0]}\n{words(12, 9)}\n{SHARED[1]}")
    (tmp_path / "essays" / "clean.txt").write_text(words(13))
    (tmp_path / "essays" / "broken.docx").write_bytes(b"PK\x03\x04 nothing")
    assert run("load", "library", "-c", "c.pmbf", "--quiet").exit_code == 0
    return tmp_path


def read_csv(text):
    return list(csv.DictReader(io.StringIO(text)))


def sheet_of(file):
    """Return the XML of a spreadsheet's sheet and of its texts."""
    with zipfile.ZipFile(file) as book:
        return book.read(WHERE).decode(), book.read("xl/sharedStrings.xml").decode()


def written(form, rows):
    """Return a table of rows as a file."""
    file = io.BytesIO()
    with table_files.table(form, list(rows[0]), file, "texts") as take:
        assert len(rows) == sum(take([row]) for row in rows)
    return file


@pytest.mark.parametrize("names", sorted(known_tables()), ids=lambda names: f"{names[0]}-{len(names)}")
def test_parquet_has_a_type_for_each_column_of_each_table(names):
    parquet = pytest.importorskip("pyarrow.parquet", reason="the extra 'parquet' is not installed")
    values = {"string": "=1+1 caf\udce9", "float64": 0.5, "bool_": True, "uint32": 7}
    row = {name: values.get(table_files._TYPES.get(name), -1) for name in names}
    file = written("parquet", [row, dict.fromkeys(names)])
    file.seek(0)
    shown = {
        name: value.replace("\udce9", "\\udce9") if isinstance(value, str) else value for name, value in row.items()
    }
    assert [shown, dict.fromkeys(names)] == parquet.read_table(file).to_pylist()


def test_a_table_on_stdout_takes_the_place_of_the_reports(desk):
    result = run("screen", "essays", "-c", "c.pmbf", "--table", "csv:-")
    found = read_csv(result.stdout)
    assert result.exit_code == 3 and "essays/broken.docx" in result.stderr
    assert COLUMNS["passages"] == tuple(found[0])
    assert ["=cmd|calc.txt", "both.txt", "both.txt", "broken.docx", "clean.txt"] == [
        row["query"].removeprefix("essays/") for row in found
    ]


def test_a_name_that_looks_like_a_formula_is_text_in_csv_and_unchanged_in_json(desk, monkeypatch):
    monkeypatch.chdir(desk / "essays")
    [row] = read_csv(run("screen", "=cmd|calc.txt", "-c", desk / "c.pmbf", "--table", "csv:-").stdout)
    assert "'=cmd|calc.txt" == row["query"]
    assert (
        "=cmd|calc.txt"
        == json.loads(run("screen", "=cmd|calc.txt", "-c", desk / "c.pmbf", "--table", "jsonl:-").stdout)["query"]
    )


def test_a_text_that_cannot_be_read_is_a_row_with_the_reason(desk):
    rows = read_csv(run("screen", "essays", "-c", "c.pmbf", "--table", "csv:-", "--rows", "texts").stdout)
    [broken] = [row for row in rows if row["query"] == "essays/broken.docx"]
    assert (broken["share"], broken["source"]) == ("", "")
    assert "broken.docx: damaged or cut short" in broken["problem"]


@pytest.mark.parametrize(("by", "n_rows"), [("texts", 4), ("sources", 5), ("passages", 5)])
def test_a_row_is_what_is_asked_for(desk, by, n_rows):
    run("screen", "essays", "-c", "c.pmbf", "--table", "t.csv", "--table", "t.jsonl", "--quiet", "--rows", by)
    lines = [json.loads(line) for line in (desk / "t.jsonl").read_text().splitlines()]
    assert n_rows == len(lines) == len(read_csv((desk / "t.csv").read_text()))
    assert {COLUMNS[by]} == {tuple(line) for line in lines}


def test_reports_are_printed_beside_tables_in_files(desk):
    plain = run("screen", "essays", "-c", "c.pmbf")
    beside = run("screen", "essays", "-c", "c.pmbf", "--table", "t.csv", "--table", "t.xlsx")
    assert (plain.exit_code, plain.stdout) == (beside.exit_code, beside.stdout)


def test_several_processes_write_the_same_tables(desk):
    one, two = (
        run("screen", "essays", "-c", "c.pmbf", "--table", "jsonl:-", "--param", "with_text=yes", "--jobs", jobs).stdout
        for jobs in (1, 2)
    )
    assert one == two != ""


def test_words_and_places_are_in_json_when_asked_for(desk):
    [line] = run("screen", "essays/both.txt", "-c", "c.pmbf", "--json", "--param", "with_text=yes").stdout.splitlines()
    passages = [passage for match in json.loads(line)["matches"] for passage in match["passages"]]
    assert {SHARED[1], SHARED[0]} == {passage["source_text"] for passage in passages}
    assert {2, 4} == {passage["query_place"]["line"] for passage in passages}


def test_a_spreadsheet_ranks_by_share_and_holds_no_formula(desk):
    pytest.importorskip("xlsxwriter", reason="needs the extra 'xlsx'")
    run("screen", "essays", "-c", "c.pmbf", "--table", "t.xlsx", "--rows", "texts", "--quiet")
    sheet, texts = sheet_of(desk / "t.xlsx")
    assert "<f>" not in sheet and "hyperlink" not in sheet
    texts = re.findall(r"<t[^>]*>(.*?)</t>", texts)
    assert ["essays/both.txt", "essays/=cmd|calc.txt", "essays/clean.txt", "essays/broken.docx"] == [
        text for text in texts if re.fullmatch(r"essays/[^: ]*", text)
    ]


def test_words_that_look_like_a_formula_stay_text_in_a_spreadsheet():
    pytest.importorskip("xlsxwriter", reason="needs the extra 'xlsx'")
    row = {
        "share": 0.5,
        "query": '=HYPERLINK("http://x.test")',
        "n": 3,
        "flag": True,
        "none": None,
        "url": "http://x.test",
    }
    sheet, texts = sheet_of(written("xlsx", [row]))
    assert "<f>" not in sheet and "hyperlink" not in sheet
    assert "=HYPERLINK" in texts and "http://x.test</t>" in texts


def test_a_cell_beyond_excels_limit_ends_in_dots_and_control_characters_are_shown():
    pytest.importorskip("xlsxwriter", reason="needs the extra 'xlsx'")
    row = {"share": None, "words": "a" * 40_000, "name": "\x1b[2J\udce9"}
    texts = re.findall(r"<t[^>]*>(.*?)</t>", sheet_of(written("xlsx", [row]))[1])
    assert [32_767, "…"] == [max(map(len, texts)), max(texts, key=len)[-1]]
    assert r"\x1b[2J\xe9" in texts


def test_more_rows_than_a_sheet_has_are_refused(monkeypatch):
    monkeypatch.setattr(table_files, "MOST_ROWS", 2)
    with pytest.raises(IncompleteError, match="more rows than the 2 that a sheet has room for; write CSV instead"):
        written("xlsx", [{"share": 0.0}] * 3)


@given(st.text())
def test_a_cell_of_csv_never_begins_as_a_formula_and_its_words_stay(text):
    [[cell]] = csv.reader(io.StringIO(table_files.csv_line([text]).decode(), newline="")) or [[""]]
    assert not re.match(r"\s*[=+\-@＝＋－＠]", cell)
    if text.isalnum():
        assert text == cell


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("--json", "--table", "csv:-"), "write on stdout, of which there is one"),
        (("--table", "csv:-", "--table", "jsonl:-"), "write on stdout, of which there is one"),
        (("--quiet", "--table", "csv:-"), "--quiet prints nothing"),
        (("--rows", "texts"), "--rows is given without a table"),
        (
            (
                "--param",
                "with_text=yes",
            ),
            "--param with_text is given without --json",
        ),
        (("--param", "with_text=yes", "--rows", "texts", "--table", "csv:-"), "only passages have words"),
        (("--table", "-"), "ends with none of .csv, .jsonl, .xlsx, .parquet; or write the form before it"),
        (("--table", "xlsx:-"), "ends with none of"),
    ],
)
def test_options_that_contradict_each_other_are_wrong_usage(desk, arguments, told):
    result = run("screen", "essays", "-c", "c.pmbf", *arguments)
    assert (2, "") == (result.exit_code, result.stdout)
    assert told in result.stderr


def test_a_table_that_cannot_be_written_is_told_before_a_text_is_read(desk):
    for form in ("csv", "jsonl", "xlsx"):
        result = run("screen", "essays", "-c", "c.pmbf", "--table", f"{form}:none/t.out")
        assert (3, "") == (result.exit_code, result.stdout)
        assert "none/t.out" in result.stderr


def test_a_missing_library_is_named_with_the_command_that_installs_it(desk, monkeypatch):
    monkeypatch.setitem(sys.modules, "xlsxwriter", None)
    result = run("screen", "essays", "-c", "c.pmbf", "--table", "t.xlsx")
    assert (3, "") == (result.exit_code, result.stdout)
    assert "pip install 'pmbf[xlsx]'" in result.stderr


@pytest.mark.parametrize("how", ["--table csv:", "--table jsonl:", "--table xlsx:", "--html "])
@pytest.mark.parametrize("target", ["essays/both.txt", "essays/../essays/both.txt", "link.txt"])
def test_a_text_that_is_screened_is_never_written_over(desk, how, target):
    (desk / "link.txt").symlink_to("essays/both.txt")
    before = (desk / "essays" / "both.txt").read_bytes()
    option, _, form = how.partition(" ")
    done = run("screen", "essays/both.txt", "-c", "c.pmbf", option, form + target)
    assert done.exit_code == 2 and "another" in done.stderr
    assert (desk / "essays" / "both.txt").read_bytes() == before


def test_two_tables_are_two_files(desk):
    (desk / "link.jsonl").symlink_to("one.csv")
    for other in ("one.csv", "./one.csv", "link.jsonl"):
        done = run("screen", "essays", "-c", "c.pmbf", "--table", "one.csv", "--table", other)
        assert done.exit_code == 2 and "is given twice" in done.stderr and not (desk / "one.csv").exists()
