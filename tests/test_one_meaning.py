"""One number, one meaning: a case walks through every output, and each says the same numbers.

Shares, shares in order, what does not count, passages, the longest one, certainty, counts of documents and sources.
A *share* is the characters inside shared passages that count, as a share of all characters that count.
"""

import csv
import json
import re
import zipfile
from pathlib import Path
from xml.etree import ElementTree

import pytest

from pmbf import Collection, compare
from pmbf.cli.shown.figures import percent as rounded
from pmbf.comparison.reports import as_report
from pmbf.pages.markup import percent as precise
from tests.conftest import ROOT, words
from tests.forked import pmbf

pytestmark = pytest.mark.slow

LIBRARY, ESSAYS, TASK = ROOT / "examples/library", ROOT / "examples/essays", ROOT / "examples/task.txt"


def essay():
    """Return a text that quotes one source, copies two, and has words of its own."""
    copied = (LIBRARY / "tides.txt").read_text().split("\n\n")
    quoted = " ".join((LIBRARY / "lighthouse-optics.txt").read_text().split()[40:90])
    other = " ".join((LIBRARY / "aflaj.txt").read_text().split()[30:110])
    return "\n\n".join([words(1, 90), copied[1], f"He wrote: “{quoted}”", words(2, 60), other, words(3, 40)]) + "\n"


@pytest.fixture(scope="module")
def case(tmp_path_factory):
    folder = tmp_path_factory.mktemp("case")
    (folder / "essay.txt").write_text(essay())
    assert pmbf("load", LIBRARY, "-c", "lib.pmbf", "--quiet", cwd=folder).returncode == 0
    return folder


def told(folder, *options):
    """Screen the essay with some options; return what the command prints."""
    made = pmbf("screen", "essay.txt", "-c", "lib.pmbf", *options, cwd=folder)
    assert made.returncode == 1, made.stderr
    return made.stdout


def cells(path):
    """Return the cells of the first sheet of a table for Excel, as text."""
    with zipfile.ZipFile(path) as archive:
        sheet = ElementTree.fromstring(archive.read("xl/worksheets/sheet1.xml"))
        shared = ElementTree.fromstring(archive.read("xl/sharedStrings.xml")) if _has_strings(archive) else []
    strings = ["".join(one.itertext()) for one in shared]
    rows = []
    for row in sheet.findall(".//{*}row"):
        row_cells = []
        for cell in row.findall("{*}c"):
            value = "".join(cell.itertext())
            row_cells.append(strings[int(value)] if cell.get("t") == "s" else value)
        rows.append(row_cells)
    return [dict(zip(rows[0], row, strict=False)) for row in rows[1:]]


def _has_strings(archive):
    return "xl/sharedStrings.xml" in archive.namelist()


OPTIONS = [
    (),
    ("--exclude", "quotations"),
    ("--ignore", str(LIBRARY / "tides.txt")),
    ("--min-chars", "120"),
]


@pytest.mark.parametrize("options", OPTIONS, ids=lambda some: " ".join(some).split("/")[0] or "none")
def test_a_screening_says_the_same_numbers_in_every_output(case, options, tmp_path):
    report = json.loads(told(case, "--json", *options))
    query, matches = report["query"], report["matches"]
    n_counted = query["n_chars"] - query["n_excluded"]
    assert report["coverage"] == report["n_covered"] / n_counted
    assert [one["coverage"] for one in matches] == [one["n_covered"] / n_counted for one in matches]

    shown = told(case, "--passages", "0", *options)
    assert rounded(report["coverage"]) in shown.splitlines()[1]
    lines = [line.split() for line in shown.splitlines() if re.match(r" *\d+ +[<>]?\d+ %", line)]
    assert [line[1] + " %" for line in lines] == [rounded(one["coverage"]) for one in matches]

    for by, share in (("sources", "share_in_source"), ("texts", "share")):
        told(case, "--table", tmp_path / f"{by}.csv", "--table", tmp_path / f"{by}.xlsx", "--rows", by, *options)
        expected = [one["coverage"] for one in matches] if by == "sources" else [report["coverage"]]
        with open(tmp_path / f"{by}.csv", newline="", encoding="utf-8-sig") as file:
            assert [float(row[share]) for row in csv.DictReader(file)] == pytest.approx(expected, abs=1e-4)
        assert sorted(float(row[share]) for row in cells(tmp_path / f"{by}.xlsx")) == pytest.approx(
            sorted(expected), abs=1e-4
        )
    told(case, "--html", tmp_path / "page.html", *options)
    assert (precise(report["coverage"]), [precise(one["coverage"]) for one in matches]) == on_page(
        (tmp_path / "page.html").read_text()
    )


def on_page(page):
    """Return the share of the text that an evidence page shows, and those of its sources."""
    return re.search(r'id="share">([^<]*)<', page)[1], re.findall(r'data-share="\d+">([^<]*)<', page)


@pytest.mark.parametrize("options", OPTIONS, ids=lambda some: " ".join(some).split("/")[0] or "none")
def test_every_number_of_a_source_is_the_same_in_every_output(case, options, tmp_path):
    report = json.loads(told(case, "--json", *options))
    n_chars, matches = report["query"]["n_chars"], report["matches"]
    for one in matches:
        counted = [passage for passage in one["passages"] if not passage["not_counted"]]
        lengths = [stop - start - passage["n_excluded"] for passage in counted for start, stop in [passage["query"]]]
        assert (one["longest"], one["n_covered"]) == (max(lengths, default=0), sum(lengths))
        assert one["counts"] == bool(counted) == bool(one["n_covered"])

    shown = [re.split(r"  +", line.strip()) for line in told(case, "--passages", "0", *options).splitlines()]
    rows = [
        dict(zip(shown[at], line, strict=True)) for at in _heads(shown) for line in shown[at + 1 :] if len(line) > 5
    ]
    for row, one in zip(rows, matches, strict=True):
        assert (row["share"], row["in order"]) == (rounded(one["coverage"]), rounded(one["in_order"]))
        assert row.get("not counted", "0 %") == rounded(one["n_not_counted"] / n_chars)
        assert int(row["passages"]) == len(one["passages"])
        assert int(row["longest passage"].split()[0].replace(",", "")) == one["longest"]
        assert (row["certainty"], row["source"]) == (one["certainty"], one["document"]["path"])

    keys = ("in_order", "certainty", "evidence", "longest", "n_not_counted", "containment")
    sources = [
        {key: one[key] for key in keys}
        | {"share": report["coverage"], "share_in_source": one["coverage"], "n_passages": len(one["passages"])}
        | {"rank": rank, "source": one["document"]["path"], "source_id": one["document"]["id"]}
        for rank, one in enumerate(matches, 1)
    ]
    query = report["query"]
    text = {"share": report["coverage"], "in_order": report["in_order"], "n_documents": report["n_documents"]}
    text |= {"n_sources": sum(not all(p["not_counted"] for p in one["passages"]) for one in matches)}
    text |= {
        "n_passages": sum(len(one["passages"]) for one in matches),
        "n_chars": n_chars,
        "n_words": query["n_tokens"],
    }
    text |= {"n_not_counted": sum(report["not_counted"].values()), "n_below": report["n_below"]}
    for by, expected in (("sources", sources), ("texts", [text])):
        tables = [tmp_path / f"{by}.{ending}" for ending in ("csv", "jsonl", "xlsx")]
        written = (word for path in tables for word in ("--table", path))
        told(case, "--rows", by, *written, *options)
        lines = [json.loads(line) for line in tables[1].read_text().splitlines()]
        assert [{key: row[key] for key in one} for row, one in zip(lines, expected, strict=True)] == expected
        with open(tables[0], newline="", encoding="utf-8-sig") as file:
            for cell_rows in (list(csv.DictReader(file)), cells(tables[2])):
                assert len(cell_rows) == len(expected)
                for row, one in zip(cell_rows, expected, strict=True):
                    for key, value in one.items():
                        assert row[key] == value if isinstance(value, str) else float(row[key]) == pytest.approx(value)

    told(case, "--html", tmp_path / "page.html", *options)
    page = (tmp_path / "page.html").read_text().replace("\xa0", " ")
    assert f"compared with {report['n_documents']} documents" in page
    assert f'<h2 class="label">{len(matches)} sources</h2>' in page
    said = [(f"{len(one['passages'])} passage", one["certainty"]) for one in matches]
    assert re.findall(r'<span class="faint">(?:[^<,]*, )?(\d+ passage)s?, ([^<]*)<', page) == said
    headline = f"in {text['n_sources']} of {report['n_documents']} documents"
    assert headline in " ".join(told(case, "--passages", "0", *options).split())


def _heads(lines):
    return [at for at, line in enumerate(lines) if line[0] == "#"]


@pytest.mark.parametrize(
    "options",
    [
        (),
        ("--exclude", "quotations"),
    ],
    ids=["none", "quotations"],
)
def test_a_cluster_says_the_numbers_of_one_folder(case, options, tmp_path):
    for command in (("cluster", "init", "depot"), ("load", LIBRARY, "-c", "depot")):
        assert pmbf(*command, cwd=tmp_path).returncode == 0
    made = pmbf("screen", case / "essay.txt", "-c", "depot", "--json", *options, cwd=tmp_path)
    ours, theirs = json.loads(told(case, "--json", *options)), json.loads(made.stdout)
    for report in (ours, theirs):
        report.pop("collection")
        report.pop("generation")
        assert report["query"].pop("name").endswith("essay.txt")
    assert ours == theirs


@pytest.mark.parametrize("query", ["", "&exclude_quotations=1"], ids=["none", "quotations"])
def test_the_browser_and_its_programs_say_the_numbers_of_the_command(case, query, tmp_path):
    pytest.importorskip("starlette", reason="the application needs pmbf[web]")
    from tests.web.conftest import Running

    report = json.loads(told(case, "--json", *(["--exclude", "quotations"] if query else [])))
    application = Running(case / "lib.pmbf", tmp_path / "state")
    try:
        client = application.entered()
        entry = client.screened((case / "essay.txt").read_text(), query)
        shown = client.ask("GET", f"/screenings/{entry['screening']['id']}").text
        page = client.ask("GET", f"/screenings/{entry['screening']['id']}/evidence").text
        history = client.ask("GET", "/screenings").text
    finally:
        application.stop()
    shares = [one["coverage"] for one in report["matches"]]
    assert (report["coverage"], shares) == (
        entry["report"]["coverage"],
        [one["coverage"] for one in entry["report"]["matches"]],
    )
    wanted, given = report, entry["report"]
    for one in (wanted, given):
        one.pop("collection")
        for key in ("name", "kind"):
            one["query"].pop(key)
        for match in one["matches"]:  # the browser says where documents stand in the archive
            match["document"] |= {"path": Path(match["document"].pop("paths")[0]).name}
    assert wanted == given
    n_counting = sum(one["coverage"] > 0 for one in report["matches"])
    assert (entry["screening"]["n_sources"], entry["screening"]["share"]) == (n_counting, report["coverage"])
    assert f"shared with {n_counting} source" in shown
    assert f"{report['n_documents']} with text" in shown or f"{report['n_documents']} documents" in shown
    passages = [int(n) for n in re.findall(r"<span>(\d+) passages?</span>", shown)]
    assert passages == [len(one["passages"]) for one in report["matches"]]
    in_words = [precise(share).replace("\xa0", " ") for share in (report["coverage"], *shares)]
    assert in_words == [one.replace("\xa0", " ") for one in _numbers(shown)]
    assert in_words[0] in history.replace("\xa0", " ")
    assert (precise(report["coverage"]), list(map(precise, shares))) == on_page(page)


def _numbers(page):
    [share] = re.findall(r'<p class="share"><strong>([^<]*)</strong>', page)
    return [share, *re.findall(r'<span class="number">([^<]*)</span>', page)]


def test_a_comparison_says_the_same_numbers_in_every_output(tmp_path):
    library = tmp_path / "library.pmbf"
    with Collection(library, create=True) as collection:
        passage = compare(ESSAYS, group_by="folder", ignore=[TASK.read_text()]).pairs[1].passages[0]
        collection.add((ESSAYS / "clare/essay.txt").read_text()[passage.a.start :][:350], name="handbook")
    asked = ("compare", ESSAYS, "--group-by", "folder", "--ignore", TASK, "-c", library)

    def run(*options):
        made = pmbf(*asked, *options, cwd=tmp_path)
        assert made.returncode == 1, made.stderr
        return made.stdout

    found = json.loads(run("--json"))
    shares = [(one["share_a"], one["share_b"]) for one in found["pairs"]]
    assert any(one["share_a"] != one["whole_a"] for one in found["pairs"])

    lines = [
        re.findall(r"(?<!\()[<>]?\b\d+ %", line)
        for line in run("--passages", "0").splitlines()
        if re.match(r"\d+ +[<>]?\d+ %", line)
    ]
    assert [tuple(rounded(share) for share in pair) for pair in shares] == [
        tuple(line[:2]) for line in lines[: len(shares)]
    ]
    assert [
        (float(row["share_a"]), float(row["share_b"])) for row in csv.DictReader(run("--table", "csv:-").splitlines())
    ] == shares

    for one, row in zip(found["pairs"], csv.DictReader(run("--table", "csv:-").splitlines()), strict=True):
        longest = max(stop - start for passage in one["passages"] for start, stop in [passage["a"]])
        assert (row["a"], row["b"], row["certainty"]) == (one["a"], one["b"], one["certainty"])
        assert [float(row[f"share_{side}_with_library"]) for side in "ab"] == [one["whole_a"], one["whole_b"]]
        assert [int(row[f"characters_{side}"]) for side in "ab"] == [one["n_a"], one["n_b"]]
        assert (int(row["passages"]), int(row["longest"])) == (len(one["passages"]), longest)
        assert f"{longest:,} characters" in run("--passages", "0")

    run("--html", "pages/")
    overview = (tmp_path / "pages/index.html").read_text()
    rows = re.findall(r'<tr data-pair="\d+".*?</tr>', overview, re.S)
    assert [tuple(map(precise, pair)) for pair in shares] == [tuple(re.findall(r"<b>([^<]*)</b>", row)) for row in rows]
    opened = re.findall(r'class="open" href="([^"#]*)', overview)
    assert [precise(a) for a, _ in shares] == [on_page((tmp_path / "pages" / one).read_text())[0] for one in opened]


def test_the_page_of_a_pair_counts_what_the_pair_counts():
    found = compare(ESSAYS, group_by="folder", ignore=[TASK.read_text()])
    for pair in found.pairs:
        report = as_report(pair, found)
        assert (pair.share_a, pair.n_a) == (report.coverage, report.n_covered)
        assert pair.share_a == pytest.approx(report.n_covered / report.query.n_counted, abs=1e-4)
