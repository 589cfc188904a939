"""What cannot be searched is named: each file of an archive of theses is read, a problem, or listed as skipped."""

import json
import os

import pytest

from pmbf import Collection
from pmbf.cluster.collection import ClusterCollection
from tests.commands.conftest import run
from tests.conftest import words
from tests.extract import builders as make

READ = {
    "a.txt": words(1).encode(),
    "a.tex": b"\\section{One} " + words(2).encode(),
    "a.docx": make.docx(make.paragraph(words(3))),
    "a.epub": make.epub(f"<p>{words(4)}</p>"),
}
PROBLEMS = {
    "locked.docx": (make.ole("EncryptionInfo", "EncryptedPackage"), "encrypted: remove its password first"),
    "a.doc": (make.ole("WordDocument"), "an old Word file: convert it with `soffice --convert-to docx`"),
    "a.xls": (make.ole("Workbook"), "an old Excel file: convert it"),
    "a.ppt": (make.ole("PowerPoint Document"), "an old PowerPoint file: convert it"),
    "a.msg": (make.ole("__properties_version1.0"), "an Outlook message: save it as .eml"),
    "a.pages": (make.zipped({"Index/Document.iwa": b"\0" * 90}), "a document of Pages, Numbers or Keynote: save it"),
    "a.numbers": (make.zipped({"Index/Tables/1.iwa": b"\1" * 90}), "a document of Pages, Numbers or Keynote: save it"),
    "a.djvu": (b"AT&TFORM" + bytes(90), "a DjVu document: convert it"),
    "a.ps": (b"%!PS-Adobe-3.0\n(" + words(5).encode() + b") show\n", "a PostScript document: convert it"),
    "a.7z": (b"7z\xbc\xaf\x27\x1c" + bytes(90), "an archive: unpack it"),
    "a.rar": (b"Rar!\x1a\x07" + bytes(90), "an archive: unpack it"),
}
PNG = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR"
SKIPPED = {
    "a.zip": make.zipped({"b.txt": words(6)}),
    "a.tar": make.tarred({"b.txt": b"x"}),
    "tiny.png": PNG,
}
WITHOUT = {"a.png": PNG + bytes(90), "empty.txt": b"", "Thumbs.db": make.ole("Catalog", "1", "256_1")}


@pytest.fixture
def archive(tmp_path, monkeypatch):
    """A folder with files of all kinds, as the one of a faculty."""
    monkeypatch.chdir(tmp_path)
    os.mkdir("archive")
    for name, content in (READ | {name: raw for name, (raw, _) in PROBLEMS.items()} | SKIPPED | WITHOUT).items():
        (tmp_path / "archive" / name).write_bytes(content)
    return tmp_path / "archive"


def names(paths):
    return sorted(map(os.path.basename, paths))


def test_each_file_of_an_archive_is_read_or_named(archive):
    result = run("load", "archive", "-c", "a.pmbf", "--json")
    told = json.loads(result.stdout)
    assert result.exit_code == 3
    problems = {os.path.basename(one["path"]): one["reason"] for one in told["problems"]}
    assert problems.keys() == PROBLEMS.keys()
    for name, (_, reason) in PROBLEMS.items():
        assert problems[name].startswith(reason)
    assert names(one["path"] for one in told["skipped"]) == sorted(SKIPPED)
    assert told["n_skipped"] == len(SKIPPED)
    assert names(told["without_text"]) == sorted([*WITHOUT, *PROBLEMS])
    with Collection("a.pmbf") as made:
        assert names(path for one in made if one.n_chars for path in one.paths) == sorted(READ)


def test_a_second_load_names_what_cannot_be_searched_again(archive):
    first, second, third = (json.loads(run("load", "archive", "-c", "a.pmbf", "--json").stdout) for _ in range(3))
    for again in (second, third):
        assert again["n_added"] == 0
        for name in ("problems", "skipped", "without_text"):
            assert sorted(map(str, again[name])) == sorted(map(str, first[name]))
    for name in PROBLEMS:
        os.utime(archive / name, (1, 1))  # read again, with the same contents
    touched = json.loads(run("load", "archive", "-c", "a.pmbf", "--json").stdout)
    assert sorted(map(str, touched["problems"])) == sorted(map(str, first["problems"]))


@pytest.mark.parametrize("name", PROBLEMS)
def test_a_document_that_is_named_and_not_read_is_a_problem(archive, name):
    result = run("load", f"archive/{name}", "-c", "one.pmbf")
    assert result.exit_code == 3
    assert name in result.stderr


def test_a_copy_of_a_problem_under_another_name_is_a_problem_too(archive):
    (archive / "b.doc").write_bytes(PROBLEMS["a.doc"][0])
    told = json.loads(run("load", "archive", "-c", "a.pmbf", "--json").stdout)
    assert {"a.doc", "b.doc"} <= {os.path.basename(one["path"]) for one in told["problems"]}


def test_a_load_says_how_many_were_skipped_and_verbose_which(archive):
    brief, long = (run("load", "archive", "-c", f"{n}.pmbf", *("--verbose",) * n).stdout for n in range(2))
    assert "3 skipped (2 archives, 1 without text): --verbose lists them; name an archive to load it\n" in brief
    assert "skipped: archive/a.zip: an archive: name it to load it\n" in long
    assert "skipped: archive/tiny.png: no text, and too small to be known by its checksum\n" in long
    assert "without text: archive/a.png\n" in long
    assert "a.png" not in brief
    for other in ("--json", "--quiet"):
        assert run("load", "archive", "-c", "2.pmbf", "--verbose", other).exit_code == 2


def test_a_screened_folder_is_not_called_clean_if_a_file_of_it_cannot_be_searched(archive, tmp_path):
    assert run("load", "archive/a.txt", "-c", "a.pmbf").exit_code == 0
    os.mkdir("sent")
    (tmp_path / "sent" / "other.txt").write_text(words(9))
    assert run("screen", "sent", "-c", "a.pmbf").exit_code == 0
    for name, (raw, reason) in PROBLEMS.items():
        (tmp_path / "sent" / name).write_bytes(raw)
        for given in ("sent", f"sent/{name}"):
            result = run("screen", given, "-c", "a.pmbf")
            assert result.exit_code == 3, name
            assert name in result.output
            assert reason in result.output or ".iwa" in result.output  # of a package of Apple's the parts are told
        os.unlink(tmp_path / "sent" / name)


def test_a_comparison_names_what_it_could_not_compare(archive):
    result = run("compare", "archive")
    for name, (_, reason) in PROBLEMS.items():
        assert f"{name}: {reason}" in result.output


def test_a_leak_check_is_incomplete_where_a_file_cannot_be_searched(archive):
    run("load", "archive/a.txt", "-c", "a.pmbf")
    for name in PROBLEMS:
        result = run("guard", f"archive/{name}", "-c", "a.pmbf")
        assert result.exit_code == 3, (name, result.output)


def test_a_cluster_names_the_same_files(archive, tmp_path):
    run("cluster", "init", "depot")
    result = run("load", "-c", "depot", "archive", "--verbose")
    assert result.exit_code == 3
    for name, (_, reason) in PROBLEMS.items():
        assert f"archive/{name}: {reason}" in result.stderr
        assert result.stderr.count(f"{name}:") == 1
    assert "skipped: archive/a.zip: an archive: name it to load it\n" in result.stdout
    with ClusterCollection("depot", nodes=1) as asked, Collection("here.pmbf", create=True) as here:
        assert len(asked) == here.load(["archive"]).n_added


def test_a_file_that_may_not_be_read_is_a_problem_whatever_its_name(archive):
    if os.geteuid() == 0:
        pytest.skip("root may read everything")
    (archive / "notes.odd").write_bytes(b"x" * 99)
    os.chmod(archive / "notes.odd", 0)
    told = json.loads(run("load", "archive", "-c", "a.pmbf", "--json").stdout)
    assert "notes.odd" in {os.path.basename(one["path"]) for one in told["problems"]}
