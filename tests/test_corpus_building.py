"""A corpus is built of packages: complete, resumable, what is missing is told. The packages are made here."""

from __future__ import annotations

import gzip
import io
import shutil
import struct
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from experiments import __main__ as experiments
from experiments.corpus import building, debian
from experiments.corpus.plain import plain_text
from pmbf.base.errors import NotFoundError

pytestmark = pytest.mark.skipif(not shutil.which("dpkg-deb"), reason="dpkg-deb, which makes packages, is not here")

PAGE = (
    "<html><head><title>No text</title></head><body><p>" + "<b>One</b> sentence of many. " * 30 + "</p></body></html>"
)
MANUAL = '.\\" a comment\n.SH NAME\n' + "ls \\- list\\fB files\\fR of a folder\n" * 30


def packed(folder: Path, name: str, files: dict[str, bytes], *, version: str = "1.0") -> Path:
    """Return a package of some files, as Debian's own program packs it."""
    tree = folder / f"{name}.tree"
    for path, content in files.items():
        (tree / path).parent.mkdir(parents=True, exist_ok=True)
        (tree / path).write_bytes(content)
    (tree / "DEBIAN").mkdir(parents=True)
    fields = f"Package: {name}\nVersion: {version}\nArchitecture: all\nMaintainer: A Test <a@b>\nDescription: one\n"
    (tree / "DEBIAN" / "control").write_text(fields)
    deb = folder / f"{name}_{version}_all.deb"
    subprocess.run(["dpkg-deb", "--build", "--root-owner-group", tree, deb], check=True, capture_output=True)
    shutil.rmtree(tree)
    return deb


@pytest.fixture
def debs(tmp_path: Path) -> Path:
    """Two packages: pages, a manual page, a copy, what is too short, and what is no documentation."""
    folder = tmp_path / "debs"
    folder.mkdir()
    files = {
        "usr/share/doc/ham/html/index.html": PAGE.encode(),
        "usr/share/doc/ham/html/copy.html": PAGE.encode(),
        "usr/share/doc/ham/short.txt": b"too short",
        "usr/share/doc/ham/copyright": 100 * b"the licence ",
        "usr/share/doc/ham/figure.png": bytes(1000),
        "usr/share/man/man1/ls.1.gz": gzip.compress(MANUAL.encode()),
    }
    packed(folder, "ham", files)
    packed(folder, "eggs", {"usr/share/doc/eggs/notes.txt": ("Grüße " * 100).encode()}, version="2:3.4-5")
    return folder


def texts_in(folder: Path) -> dict[str, str]:
    return {str(path.relative_to(folder)): path.read_text("utf-8") for path in sorted(folder.rglob("*.txt"))}


def test_each_document_of_a_package_is_a_file_of_its_plain_text(debs: Path, tmp_path: Path) -> None:
    assert [] == building.build(["ham", "eggs"], tmp_path / "out", debs=debs, on_done=lambda line: None)

    found = texts_in(tmp_path / "out")
    assert ["eggs/eggs/notes.txt.txt", "ham/ham/html/copy.html.txt", "ham/man1/ls.1.gz.txt"] == sorted(found)
    assert found["ham/ham/html/copy.html.txt"] == ("One sentence of many. " * 30).strip()
    assert found["ham/man1/ls.1.gz.txt"].startswith("NAME\nls - list files of a folder\n")
    versions = [(one.name, one.version, one.documents) for one in building.summary(tmp_path / "out")]
    assert [("eggs", "2:3.4-5", 1), ("ham", "1.0", 2)] == versions
    n_bytes = sum(path.stat().st_size for path in (tmp_path / "out").rglob("*.txt"))
    assert n_bytes == sum(one.bytes for one in building.summary(tmp_path / "out"))


def test_what_is_complete_is_not_made_again_and_what_was_cut_short_is(debs: Path, tmp_path: Path) -> None:
    out, lines = tmp_path / "out", list[str]()
    building.build(["eggs"], out, debs=debs, on_done=lines.append)
    (debs / "eggs_2:3.4-5_all.deb").unlink()
    (out / "ham.part" / "ham").mkdir(parents=True)
    (out / "ham.part" / "ham" / "half.txt").write_text("half a package")

    assert [] == building.build(["eggs", "ham"], out, debs=debs, on_done=lines.append)

    assert [".corpus.json", "eggs", "ham"] == sorted(path.name for path in out.iterdir())
    assert "ham/ham/half.txt" not in texts_in(out)
    assert lines[-1] == "2 of 2: ham 1.0: 2 documents, 0.0 MB"


def test_a_package_that_is_not_there_is_told_and_stops_no_other(
    debs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "mine.list").write_text("# My packages.\nspam\n\neggs\n")
    words = ["corpus", tmp_path / "mine.list", tmp_path / "out", "--debs", debs]
    monkeypatch.setattr(sys, "argv", ["experiments", *map(str, words)])

    with pytest.raises(SystemExit) as end:
        experiments.main()

    printed = capsys.readouterr()
    assert end.value.code == 3
    assert printed.out.startswith("My packages. Writing ")
    assert f"{tmp_path / 'out'}: 1 documents, 0.0 MB, of 1 packages\n" in printed.out
    assert f"not there: spam: {debs}: has no spam_*.deb\n" == printed.err

    with pytest.raises(SystemExit) as end:  # the same command again
        experiments.main()

    assert end.value.code == 3
    assert f"not there: spam: {debs}: has no spam_*.deb\n" == capsys.readouterr().err


def test_a_file_that_is_no_package_is_told(tmp_path: Path) -> None:
    (tmp_path / "ham_1_all.deb").write_bytes(b"no package")

    with pytest.raises(NotFoundError, match="dpkg-deb"):
        list(debian.files(tmp_path / "ham_1_all.deb"))


def test_a_list_that_is_not_there_is_told_with_those_that_are() -> None:
    with pytest.raises(NotFoundError, match="debian-full, debian-small, leaks, linux-docs"):
        building.listed("debian-tiny")


@pytest.mark.parametrize("name", ["background", "debian-small", "debian-full", "linux-docs"])
def test_a_list_says_its_size_and_names_each_package_once(name: str) -> None:
    about, packages = building.listed(name)

    assert "MB" in about
    assert sorted(set(packages)) == packages


@pytest.mark.parametrize(
    ("content", "text"),
    [
        ("Grüße, не ASCII".encode(), "Grüße, не ASCII"),
        (b'<meta charset="koi8-r">' + "Привет".encode("koi8-r"), "Привет"),
        (b"na\xefve", "naïve"),
        (b'<meta charset="no-such">na\xefve', "naïve"),
        (b"\x81", "\x81"),
    ],
)
def test_a_page_is_decoded_as_it_says_itself(content: bytes, text: str) -> None:
    assert plain_text("page.html", content) == text


def test_messages_of_programs_in_thai_are_paragraphs_each_once() -> None:
    catalog = _catalog({"": "Content-Type: text/plain; charset=UTF-8\n", "Open": "เปิดแฟ้ม", "File": "เปิดแฟ้ม", "1": "1"})
    assert plain_text("usr/share/locale/th/LC_MESSAGES/a.mo", catalog) == "เปิดแฟ้ม"
    assert plain_text("usr/share/locale/de/LC_MESSAGES/a.mo", catalog) is None
    package = io.BytesIO()
    with zipfile.ZipFile(package, "w") as members:
        members.writestr("a.ftl", "# a comment\nopen-file = เปิดแฟ้ม\n    .title = เลือกแฟ้ม\nlong =\n    ข้อความยาว\n")
        members.writestr("b.dtd", '<!ENTITY save.label "บันทึก">\n')
        members.writestr("c.js", "code = เปิด")
    assert plain_text("a.xpi", package.getvalue()) == "เปิดแฟ้ม\n\nเลือกแฟ้ม\n\nข้อความยาว\n\nบันทึก"


def _catalog(messages: dict[str, str]) -> bytes:
    """Return messages as a `.mo` file has them."""
    pairs = [(name.encode(), told.encode()) for name, told in sorted(messages.items())]
    at, tables = 28 + 16 * len(pairs), [b"", b""]
    for column in (0, 1):
        for pair in pairs:
            tables[column] += struct.pack("<II", len(pair[column]), at)
            at += len(pair[column]) + 1
    n = len(pairs)
    texts = b"".join(pair[column] + b"\0" for column in (0, 1) for pair in pairs)
    return struct.pack("<7I", 0x950412DE, 0, n, 28, 28 + 8 * n, 0, 0) + b"".join(tables) + texts
