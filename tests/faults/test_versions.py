"""There is one format: what an older or a newer pmbf wrote is refused with the way out, and left as it is."""

import shutil
import struct
import zlib

import pytest
from conftest import words

from pmbf import Collection, UnsupportedError, repair
from pmbf.alike.similar import update
from pmbf.store import files
from pmbf.store.files import FORMAT_VERSION
from tests.forked import pmbf

VERSIONS = {
    FORMAT_VERSION - 1: "load the documents into a new collection",
    FORMAT_VERSION + 1: "upgrade pmbf",
}
other_versions = pytest.mark.parametrize("version", VERSIONS)


def made(path):
    with Collection(path, create=True) as collection:
        collection.add_many([(f"text-{seed:02}", words(seed)) for seed in range(30)])
        collection.build_sentences()
    return path


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    path = made(tmp_path_factory.mktemp("whole") / "c.pmbf")
    update(path)
    return path


@pytest.fixture
def path(whole, tmp_path):
    return shutil.copytree(whole, tmp_path / "c.pmbf")


def contents(path):
    return {file: file.read_bytes() for file in path.rglob("*") if file.is_file() and file.suffix != ".lock"}


def files_of(path):
    """The files beside the catalog, which a writer that opens it tidies up."""
    return {file: content for file, content in contents(path).items() if not file.name.startswith("catalog.sqlite")}


def of_version(file, version):
    """Write another version into the header of a file, as if it were written by another pmbf."""
    head, rest = file.read_bytes()[:60], file.read_bytes()[64:]
    head = head[:12] + struct.pack("<H", version) + head[14:]
    file.write_bytes(head + struct.pack("<I", zlib.crc32(head)) + rest)


@other_versions
def test_a_collection_of_another_version_is_refused_with_the_way_out_and_left_as_it_is(tmp_path, monkeypatch, version):
    with monkeypatch.context() as patch:
        patch.setattr(files, "FORMAT_VERSION", version)
        path = made(tmp_path / "c.pmbf")
    before = contents(path)
    told = f"catalog.sqlite: format version is {version}, this pmbf reads {FORMAT_VERSION}; {VERSIONS[version]}"
    for use in (Collection, repair, update, lambda path: Collection(path, create=True)):
        with pytest.raises(UnsupportedError, match=f"{told}$"):
            use(path)
    query = tmp_path / "query.txt"
    query.write_text(words(7))
    asked = pmbf("screen", query, "-c", path), pmbf("load", query, "-c", path), pmbf("check", "--repair", "-c", path)
    for answer in asked:
        assert answer.returncode == 3 and told in " ".join(answer.stderr.split()), answer.stderr
    assert contents(path) == before


FILES = ("*.post", "*.docs", "*.text", "*.units", "*.chunks")


@other_versions
@pytest.mark.parametrize("name", FILES)
def test_a_file_of_another_version_in_a_collection_is_named_with_the_way_out(path, name, version):
    [file] = path.rglob(name)
    of_version(file, version)
    told = f"{file.name}: format version is {version}, this pmbf reads {FORMAT_VERSION}; {VERSIONS[version]}"
    with Collection(path) as collection:
        assert any(told in problem for problem in collection.check().problems)


@other_versions
@pytest.mark.parametrize("name", FILES)
def test_a_repair_takes_no_file_of_another_version_for_damaged_and_rewrites_nothing(path, name, version):
    [file] = path.rglob(name)
    of_version(file, version)
    before = files_of(path)
    told = f"{file.name}: format version is {version}, this pmbf reads {FORMAT_VERSION}; {VERSIONS[version]}"
    with pytest.raises(UnsupportedError, match=f"{told}$"):
        repair(path)
    asked = pmbf("check", "--repair", "-c", path)
    assert asked.returncode == 3 and told in " ".join(asked.stderr.split()), asked.stderr
    assert files_of(path) == before


def test_a_damaged_header_tells_no_version(path):
    [file] = path.rglob("*.post")
    of_version(file, FORMAT_VERSION + 1)
    file.write_bytes(file.read_bytes()[:60] + bytes(4) + file.read_bytes()[64:])
    assert repair(path).ok


@other_versions
@pytest.mark.parametrize("name", ["*.post", "*.docs", "*.text"])
def test_no_answer_comes_from_a_file_of_another_version(path, name, version):
    [file] = path.rglob(name)
    of_version(file, version)
    with pytest.raises(UnsupportedError, match=f"{file.name}: format version is {version}"), Collection(path) as opened:
        opened.screen(words(7))
