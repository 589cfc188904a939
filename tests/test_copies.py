"""A file without text is known by its checksum: an exact copy is found, and nothing but an exact copy."""

import gzip
import io
import json
import os
import shutil
import struct
import zipfile
import zlib

import pytest

from pmbf import Collection, Params, Report, UnsupportedError, page, repair
from pmbf.extract import Limits
from pmbf.intake import loader
from tests.commands.conftest import run
from tests.conftest import words


def png(seed):
    """Return a picture of 16 by 16 pixels, different for each seed."""
    rows = b"".join(b"\0" + bytes((x * seed + y) % 256 for x in range(48)) for y in range(16))
    header = struct.pack(">IIBBBBB", 16, 16, 8, 2, 0, 0, 0)
    chunks = [(b"IHDR", header), (b"IDAT", zlib.compress(rows)), (b"IEND", b"")]
    packed = [
        struct.pack(">I", len(raw)) + kind + raw + struct.pack(">I", zlib.crc32(kind + raw)) for kind, raw in chunks
    ]
    return b"\x89PNG\r\n\x1a\n" + b"".join(packed)


def zipped(**members):
    with io.BytesIO() as file:
        with zipfile.ZipFile(file, "w") as archive:
            for name, content in members.items():
                archive.writestr(zipfile.ZipInfo(name), content)
        return file.getvalue()


@pytest.fixture
def lib(tmp_path):
    """A folder with two texts, a picture under two names, and another one."""
    folder = tmp_path / "lib"
    folder.mkdir()
    for number in range(2):
        (folder / f"{number}.txt").write_text(words(number), encoding="utf-8")
    for name, seed in (("logo.png", 3), ("Löwe 狮.png", 3), ("map.png", 5)):
        (folder / name).write_bytes(png(seed))
    return folder


@pytest.fixture
def loaded(collection, lib):
    collection.load([lib])
    return collection


def sources(report):
    return [[os.path.basename(path) for path in match.document.paths] for match in report.matches if match.same_file]


def pmbf(*arguments, code, given=None):
    result = run(*arguments, input=given)
    assert result.exit_code == code, result.output
    return result.stdout


# ---------------------------------------------------------------------- what is found


def test_an_exact_copy_of_a_picture_is_found_under_each_of_its_paths(loaded, tmp_path):
    (tmp_path / "sent.jpg").write_bytes(png(3))
    report = loaded.screen(tmp_path / "sent.jpg")
    assert sources(report) == [["Löwe 狮.png", "logo.png"]]
    assert (report.found, report.coverage, report.in_order, report.certainty, report.problems) == (
        (True, 1.0, 1.0, "sure", ())
    )
    [match] = report.matches
    assert (match.passages, match.document.kind, match.document.n_chars) == ((), "binary", 0)


def test_a_picture_with_one_byte_changed_is_no_copy(loaded):
    changed = bytearray(png(3))
    changed[60] ^= 1
    with pytest.raises(UnsupportedError, match="a picture"):
        loaded.screen(bytes(changed), name="changed.png")
    with pytest.raises(UnsupportedError, match="a picture"):
        loaded.screen(png(3) + b"\0", name="longer.png")


@pytest.mark.parametrize("jobs", [1, 2])
def test_many_queries_are_answered_as_one_is(loaded, jobs):
    queries = [png(5), png(4), words(1), png(3)]
    found = list(loaded.screen_many(queries, jobs=jobs))
    assert [len(sources(report)) for report in found] == [1, 0, 0, 1]
    assert [bool(report.problems) for report in found] == [False, True, False, False]
    assert found[0] == loaded.screen(png(5))


def test_a_document_without_a_word_is_found_by_its_checksum(collection, tmp_path):
    scan = b"<html><head></head><body><img src='1.png'><img src='2.png'></body></html>"
    (tmp_path / "scan.html").write_bytes(scan)
    assert collection.load([tmp_path / "scan.html"]).n_without_text == 1
    assert sources(collection.screen(scan, name="sent.html")) == [["scan.html"]]
    assert not collection.screen(scan.replace(b"2", b"3"), name="sent.html").found


def test_texts_are_not_compared_with_files_without_text(loaded):
    report = loaded.screen(words(0))
    assert (loaded.n_documents, loaded.n_without_text, len(list(loaded.documents()))) == (4, 2, 4)
    assert (report.n_documents, loaded.stats().n_documents, loaded.stats().n_without_text) == (2, 4, 2)


def test_what_is_left_out_is_not_found_and_not_counted_as_text(loaded, lib):
    assert sources(loaded.screen(lib / "logo.png", exclude_self=True)) == [["Löwe 狮.png"]]
    with pytest.raises(UnsupportedError):
        loaded.screen(lib / "map.png", exclude_self=True)
    loaded.label([lib / "map.png", lib / "0.txt"], {"group": "a"})
    found = loaded.screen(words(1), where_not={"group": ("a",)})
    assert (found.n_documents, found.n_left_out) == (1, 1)


def test_tiny_files_are_equal_by_chance(collection, tmp_path):
    tiny = tmp_path / "tiny"
    tiny.mkdir()
    (tiny / "empty.png").write_bytes(b"")
    (tiny / "63.png").write_bytes(png(3)[:63])
    assert collection.load([tiny]).n_skipped == 2
    (tiny / "64.png").write_bytes(png(3)[:64])
    assert collection.load([tiny]).n_without_text == 1
    assert sources(collection.screen(png(3)[:64])) == [["64.png"]]


@pytest.mark.parametrize("named", [False, True])
def test_a_tiny_archive_is_told_as_a_large_one_is(collection, tmp_path, named):
    tiny, whole = tmp_path / "tiny", gzip.compress(b"a few words")
    tiny.mkdir()
    for name, content in {
        "whole.gz": whole,
        "cut.gz": whole[:-9],
        "cut": whole[:-9],
        "a.7z": b"7z\xbc\xaf'\x1c",
    }.items():
        (tiny / name).write_bytes(content)
    report = collection.load(sorted(tiny.iterdir()) if named else [tiny])
    told = {os.path.basename(one.path): one.reason for one in report.problems}
    assert sorted(told) == ["a.7z", "cut", "cut.gz"] and all("cut short" in told[name] for name in ("cut", "cut.gz"))
    skipped = [] if named else [("whole.gz", "an archive: name it to load it")]
    assert [(os.path.basename(one.path), one.reason) for one in report.skipped] == skipped


@pytest.mark.parametrize("again", [1, 2])
def test_the_number_of_files_without_text_is_that_of_their_list(collection, tmp_path, again):
    """Two have the same contents."""
    for name, content in {"a.png": png(3), "b.png": png(3), "c.png": png(5), "d.txt": b""}.items():
        (tmp_path / name).write_bytes(content)
    for _ in range(again):
        told = collection.load([tmp_path]).to_dict()
    assert told["n_without_text"] == len(told["without_text"]) == 4


def test_pictures_in_an_archive_are_not_looked_at_but_the_archive_is(collection, tmp_path):
    (tmp_path / "logo.png").write_bytes(png(3))
    (tmp_path / "album.zip").write_bytes(zipped(logo=png(3), map=png(5)))
    collection.load([tmp_path / "logo.png", tmp_path / "album.zip"])
    assert sources(collection.screen(zipped(logo=png(3)), name="sent.zip")) == []
    assert sources(collection.screen(zipped(logo=png(3), map=png(5)), name="sent.zip")) == [["album.zip"]]


# ---------------------------------------------------------------------- what is remembered


def test_a_load_counts_files_without_text_and_passes_over_known_ones(collection, lib):
    report = collection.load([lib])
    assert (report.n_added, report.n_without_text, report.n_same, report.n_skipped) == (4, 3, 1, 0)
    assert report.n_bytes == sum(file.stat().st_size for file in lib.iterdir())
    assert collection.load([lib]).n_unchanged == 5
    named = collection.load([lib / "logo.png"])
    assert (named.n_unchanged, named.problems) == (1, [])


def test_a_changed_picture_takes_the_place_of_the_one_before(loaded, lib):
    (lib / "map.png").write_bytes(png(7))
    assert loaded.load([lib]).n_replaced == 1
    assert sources(loaded.screen(png(7))) == [["map.png"]]
    with pytest.raises(UnsupportedError):
        loaded.screen(png(5))


def test_a_text_that_becomes_a_picture_is_no_text_any_more(loaded, lib):
    (lib / "1.txt").write_bytes(png(9))
    assert loaded.load([lib]).n_replaced == 1
    assert sources(loaded.screen(png(9))) == [["1.txt"]]
    assert not loaded.screen(words(1)).found


def test_pictures_are_removed_and_pruned(loaded, lib):
    assert loaded.remove(lib / "logo.png") == 1
    assert sources(loaded.screen(png(3))) == [["Löwe 狮.png"]]
    (lib / "Löwe 狮.png").unlink()
    (lib / "map.png").unlink()
    assert loaded.load([lib], prune=True).n_pruned == 2
    assert loaded.n_without_text == 1  # logo.png is there, and is loaded again
    loaded.remove(lib / "logo.png")
    assert loaded.compact().n_documents == 2
    assert (loaded.n_without_text, loaded.n_documents) == (0, 2)


@pytest.mark.parametrize("store_text", [True, False])
def test_checks_and_repairs_know_files_without_text(tmp_path, lib, store_text):
    with Collection(tmp_path / "c.pmbf", create=True, params=Params(store_text=store_text)) as made:
        made.load([lib])
        assert made.check().problems == []
    file = next((tmp_path / "c.pmbf" / "tiles").glob("*.docs"))
    content = bytearray(file.read_bytes())
    content[-30] ^= 4
    file.write_bytes(content)
    assert repair(tmp_path / "c.pmbf").ok
    with Collection(tmp_path / "c.pmbf") as mended:
        assert mended.check().problems == []
        assert sources(mended.screen(png(3))) == [["Löwe 狮.png", "logo.png"]]
        assert mended.compact().n_documents == 0
        assert (mended.n_documents, mended.n_without_text, mended.screen(words(0)).n_documents) == (4, 2, 2)
        [known] = [one for one in mended.documents() if one.paths[0].endswith("map.png")]
        assert mended.text(known.id) == ""


def test_the_same_bytes_are_text_under_a_name_that_says_so(collection, tmp_path):
    littered = words(3).replace(" ", " \0").encode()
    for name in ("a.bin", "b.txt"):
        (tmp_path / name).write_bytes(littered)
        collection.load([tmp_path / name])
    assert [(one.kind, one.n_tokens > 0) for one in collection.documents()] == [("binary", False), ("txt", True)]
    assert collection.screen(words(3)).found


def test_an_archive_in_a_folder_is_loaded_once_it_is_named(collection, tmp_path):
    folder = tmp_path / "in"
    folder.mkdir()
    (folder / "old.zip").write_bytes(zipped(essay=words(4)))
    assert collection.load([folder]).n_skipped == 1
    assert collection.load([folder / "old.zip"]).n_added == 1
    assert collection.screen(words(4)).found


def test_a_file_that_had_no_text_is_read_again_if_it_is_named(collection, tmp_path, monkeypatch):
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "notes.odd").write_text(words(5), encoding="utf-8")
    with monkeypatch.context() as patch:  # as a version of pmbf that does not read such files
        patch.setattr(loader, "looks_supported", lambda path: False)
        assert collection.load([tmp_path / "in"]).n_without_text == 1
    assert collection.load([tmp_path / "in"]).n_unchanged == 1
    assert collection.load([tmp_path / "in" / "notes.odd"]).n_replaced == 1
    assert collection.screen(words(5)).found
    assert collection.n_without_text == 0


def test_a_named_file_that_may_hold_text_is_a_problem_and_known(collection, tmp_path):
    old = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(range(200))
    (tmp_path / "old.doc").write_bytes(old)
    [problem] = collection.load([tmp_path / "old.doc"]).problems
    assert "an old binary Office file" in problem.reason
    assert sources(collection.screen(old)) == [["old.doc"]]


def test_large_pictures_of_a_folder_are_passed_over(collection, lib):
    report = collection.load([lib], limits=Limits(max_bytes=100))
    assert (report.n_added, report.n_skipped) == (0, 3)
    assert [os.path.basename(problem.path) for problem in report.problems] == ["0.txt", "1.txt"]


# ---------------------------------------------------------------------- what people see


@pytest.fixture
def command(tmp_path, lib, monkeypatch):
    """The folder of a command line, with a collection, a copy and a picture that is none."""
    monkeypatch.chdir(tmp_path)
    assert "        3 of these without text: known by their checksum\n" in pmbf("load", "lib", "-c", "x.pmbf", code=0)
    (tmp_path / "copy.png").write_bytes(png(5))
    (tmp_path / "none.png").write_bytes(png(8))
    return tmp_path


def test_a_screening_says_which_file_is_the_same(command):
    told = "copy.png: no text, compared by its checksum\nThe same file as lib/map.png, by checksum.\n"
    assert pmbf("screen", "copy.png", "-c", "x.pmbf", code=1) == told
    assert pmbf("screen", "none.png", "-c", "x.pmbf", code=3) == ""
    assert "identical: lib/logo.png" in pmbf("screen", "lib/logo.png", "-c", "x.pmbf", code=1)


def test_standard_input_is_compared_by_its_checksum(command):
    assert "stdin: no text" in pmbf("screen", "-", "-c", "x.pmbf", code=1, given=png(5))


def test_a_screened_folder_ranks_copies_with_the_texts(command):
    shutil.copytree("lib", "class")
    (command / "class" / "none.png").write_bytes(png(8))
    told = pmbf("screen", "class", "-c", "x.pmbf", code=1)
    assert "100 %  sure       class/logo.png" in told
    assert "5 texts screened\n        5 share text with the collection\n        1 skipped: no text" in told


def test_json_and_tables_name_the_copy(command):
    report = json.loads(pmbf("screen", "copy.png", "-c", "x.pmbf", "--json", code=1))
    assert [match["same_file"] for match in report["matches"]] == [True]
    again = Report.from_json(json.dumps(report))
    assert again.matches[0].same_file
    assert json.loads(again.to_json()) == report
    wanted = {"passages": ("kind", "same file"), "sources": ("certainty", "sure"), "texts": ("n_sources", 1)}
    for by, (column, value) in wanted.items():
        [row] = again.rows(by)
        assert (row[column], row["share"], os.path.basename(row["source"])) == (value, 1.0, "map.png")


def test_a_page_names_the_copy(command):
    pmbf("screen", "copy.png", "lib/0.txt", "-c", "x.pmbf", "--html", "pages/", code=1)
    pages = {file.name: file.read_text(encoding="utf-8") for file in (command / "pages").iterdir()}
    assert [name for name, page in pages.items() if "The same file as" in page and "lib/map.png" in page] != []
    assert "copy.png" in pages["index.html"]
    with Collection("x.pmbf") as opened:
        assert "lib/map.png" not in page(opened.screen(command / "copy.png"), hide_names=True)


def test_files_without_text_are_listed_and_counted(command):
    assert "binary  lib/map.png" in pmbf("list", "-c", "x.pmbf", code=0)
    assert "2 without text" in pmbf("stats", "-c", "x.pmbf", code=0)


def test_a_collection_of_pictures_alone_holds_no_text(command):
    pmbf("load", "copy.png", "-c", "y.pmbf", code=0)
    assert "the collection has no text" in pmbf("screen", "lib/0.txt", "-c", "y.pmbf", code=3)
