"""Hostile payloads: bounded in time and memory, told as incomplete, so that they block; never clean, never a crash."""

import bz2
import gzip
import io
import lzma
import os
import re
import socket
import subprocess
import zipfile
import zlib

import pytest

from pmbf import Collection
from pmbf.guard.allowing import Allowances
from pmbf.guard.checker import CollectionChecker
from pmbf.guard.policy import Policy
from pmbf.guard.sources import Plan, of_paths
from pmbf.guard.types import Payload
from tests.conftest import ROOT, words
from tests.extract import builders as make
from tests.guard.conftest import check, guard

SECRET = words(1, 400)
CATALOG, PAGES = "<< /Type /Catalog /Pages 2 0 R >>", "<< /Type /Pages /Kids [3 0 R] /Count 1 >>"
PAGE = (
    "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 99 99] /Contents 4 0 R "
    "/Resources << /Font << /F 5 0 R >> /XObject << /X 6 0 R >> >> >>"
)
FONT = "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>"
ENTITIES = {
    "laughs": '<!ENTITY a "ha"><!ENTITY b "' + "&a;" * 1000 + '"><!ENTITY c "' + "&b;" * 1000 + '">',
    "quadratic": '<!ENTITY c "' + "h" * 100_000 + '">',
    "external": '<!ENTITY c SYSTEM "file:///etc/hostname">',
    "parameter": '<!ENTITY % p SYSTEM "http://127.0.0.1:9/x"> %p; <!ENTITY c "">',
}


def zeros(n_mib):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive, archive.open("zeros", "w") as member:
        for _ in range(n_mib):
            member.write(bytes(1 << 20))
    return buffer.getvalue()


def nested(n):
    raw = SECRET.encode()
    for number in range(n):
        raw = make.zipped({"a.zip": raw}) if number % 2 else gzip.compress(raw)
    return raw


def forged(raw, member):
    """Return a zip whose member claims ten bytes."""
    size = zipfile.ZipFile(io.BytesIO(raw)).getinfo(member).file_size.to_bytes(4, "little")
    return raw.replace(size, (10).to_bytes(4, "little"))


def encrypted(raw):
    raw = bytearray(raw)
    for magic, flags in ((b"PK\x01\x02", 8), (b"PK\x03\x04", 6)):
        raw[raw.index(magic) + flags] |= 1
    return bytes(raw)


def with_entities(definitions, path):
    """Return a package with one part that uses the entity c many times."""
    part = f"<!DOCTYPE x [{definitions}]><x><si><p><t>{'&c;' * 1000}</t></p></si></x>"
    types = {"[Content_Types].xml": "<a/>"} if "/" in path else {"mimetype": "application/vnd.oasis.opendocument.text"}
    return make.zipped(types | {path: part})


def stacked(n):
    raw = b"BT /F 12 Tf (x) Tj ET " * 4_000_000
    for _ in range(n):
        raw = zlib.compress(raw, 9)
    head = f"<< /Length {len(raw)} /Filter [{'/FlateDecode ' * n}] >>\nstream\n"
    return make.pdf_of([CATALOG, PAGES, PAGE, head.encode() + raw + b"\nendstream", FONT])


def form_in_itself():
    body = "/X Do " * 50
    form = (
        "<< /Type /XObject /Subtype /Form /BBox [0 0 9 9] /Resources << /XObject << /X 6 0 R >> >> "
        f"/Length {len(body)} >>\nstream\n{body}\nendstream"
    )
    return make.pdf_of([CATALOG, PAGES, PAGE, make.stream("/X Do"), FONT, form])


HEADER = b"MIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=b\n\n"
PAYLOADS = {
    "200 MB of zeros.zip": lambda: zeros(200),
    "zeros.gz": lambda: gzip.compress(bytes(32 << 20)),
    "zeros.bz2": lambda: bz2.compress(bytes(32 << 20)),
    "zeros.xz": lambda: lzma.compress(bytes(32 << 20)),
    "archives in archives.zip": lambda: nested(50),
    "forged size.zip": lambda: forged(make.zipped({"a.txt": SECRET}), "a.txt"),
    "encrypted.zip": lambda: encrypted(make.zipped({"a.txt": SECRET})),
    "unknown archive.7z": lambda: b"7z\xbc\xaf\x27\x1c" + bytes(90),
    "unknown archive.rar": lambda: b"Rar!\x1a\x07\x01\0" + bytes(90),
    "two of one name.zip": lambda: make.zipped({"a.txt": "x", "b.txt": SECRET}).replace(b"b.txt", b"a.txt"),
    "hidden behind.tar": lambda: make.tarred({"a": b"x"}) + make.tarred({"b": SECRET.encode()}),
    "hidden behind.gz": lambda: gzip.compress(b"x") + SECRET.encode(),
    "cut.zip": lambda: make.zipped({"a.txt": SECRET})[:-40],
    **{f"{name}.docx": lambda d=d: with_entities(d, "word/document.xml") for name, d in ENTITIES.items()},
    **{f"{name}.xlsx": lambda d=d: with_entities(d, "xl/workbook.xml") for name, d in ENTITIES.items()},
    **{f"{name}.odt": lambda d=d: with_entities(d, "content.xml") for name, d in ENTITIES.items()},
    "stacked filters.pdf": lambda: stacked(3),
    "form in itself.pdf": form_in_itself,
    "pages in circles.pdf": lambda: make.pdf_of([CATALOG, "<< /Type /Pages /Kids [2 0 R 2 0 R] /Count 9 >>"]),
    "million pages.pdf": lambda: make.pdf_of([CATALOG, "<< /Type /Pages /Kids [2 0 R] /Count 1000000 >>"]),
    "false mark.txt": lambda: b"\xff\xfe" + words(7).encode(),
    "two encodings.txt": lambda: (words(7) * 20).encode() + words(8).encode("utf-16-le"),
    "lone surrogates.txt": lambda: ("a\ud800b" * 99).encode("utf-16-le", "surrogatepass"),
    "ten thousand parts.eml": lambda: HEADER + b"--b\n\nx\n" * 10_001 + b"--b--\n",
    "multiparts.eml": lambda: HEADER + b"".join(
        b"--b\nContent-Type: multipart/mixed; boundary=b%d\n\n--b%d\n" % (n, n) for n in range(2000)
    ),
    "garbage in base64.eml": lambda: b"MIME-Version: 1.0\nContent-Type: text/plain\n"
    b"Content-Transfer-Encoding: base64\n\n" + b"a=b=c!!\0" * 9999,
    "million groups.rtf": lambda: b"{\\rtf1" + b"{" * 1_000_000,
    "bytes that are not there.rtf": lambda: b"{\\rtf1 \\bin2000000000 x}",
    "million elements.html": lambda: b"<div>" * 2_000_000,
}  # fmt: skip


@pytest.fixture(scope="module")
def check_planned(protected):
    policy = Policy(collection=str(protected), timeout_s=2.0)
    with Collection(protected) as collection:
        checker = CollectionChecker(collection, min_chars=policy.min_chars)
        yield lambda planned: check(planned(policy), policy, checker, Allowances(checker.key))


@pytest.mark.parametrize("name", PAYLOADS)
def test_a_hostile_payload_blocks_as_incomplete(check_planned, name):
    payload = Payload(name, (name,), PAYLOADS[name](), "path")
    found = check_planned(lambda _: Plan("path", iter([payload]), 1))
    assert (found.action, found.exit_code, found.findings) == ("block", 3, ())
    assert found.incomplete[0].name == name


@pytest.fixture
def deep(tmp_path):
    """Writes a text below so many folders of one name; takes them away by itself, which Python's rmtree cannot."""

    def write(name, n_folders, text):
        top = os.getcwd()
        for _ in range(n_folders):
            os.mkdir(name)
            os.chdir(name)
        with open("text.txt", "w") as file:
            file.write(text)
        os.chdir(top)

    yield write
    subprocess.run(["rm", "-rf", tmp_path], check=True)


def test_links_pipes_sockets_and_long_ways_of_a_folder_are_no_way_in_or_out(check_planned, tmp_path, deep, monkeypatch):
    outside, inside = tmp_path / "outside", tmp_path / "inside"
    outside.mkdir()
    inside.mkdir()
    (outside / "secret.txt").write_text(SECRET)
    (inside / "out").symlink_to(outside)
    (inside / "file").symlink_to(outside / "secret.txt")
    (inside / "loop").symlink_to(inside)
    (inside / "plain.txt").write_text(words(7))
    os.mkfifo(inside / "pipe.txt")
    monkeypatch.chdir(inside)  # a socket's path may have a hundred bytes
    socket.socket(socket.AF_UNIX).bind("socket.txt")
    deep("folder", 1000, SECRET)  # beyond what a path may be long
    found = check_planned(lambda policy: of_paths([str(inside)], policy, inside))
    assert (found.action, found.findings) == ("block", ())
    assert "File name too long" in found.incomplete[0].reason


def test_a_secret_a_thousand_folders_deep_is_found(check_planned, tmp_path, deep, monkeypatch):
    monkeypatch.chdir(tmp_path)
    deep("d", 1000, SECRET)
    assert check_planned(lambda policy: of_paths([str(tmp_path)], policy, tmp_path)).exit_code == 1


def test_a_line_of_a_gigabyte_is_not_read(check_planned, tmp_path):
    with (tmp_path / "line.txt").open("wb") as file:
        file.write(SECRET.encode())
        file.truncate(1 << 30)
    found = check_planned(lambda policy: of_paths([str(tmp_path), __file__], policy, tmp_path))
    assert found.exit_code == 3
    assert "larger than" in found.incomplete[0].reason


def test_devices_pipes_without_writers_and_files_that_are_gone_are_incomplete(check_planned, tmp_path):
    (tmp_path / "gone").symlink_to(tmp_path / "nowhere")
    os.mkfifo(tmp_path / "pipe")
    named = ["/dev/zero", str(tmp_path / "pipe"), str(tmp_path / "gone"), str(tmp_path / "never")]
    found = check_planned(lambda policy: of_paths([*named, __file__], policy, tmp_path))
    assert [one.name for one in found.incomplete] == named
    assert found.exit_code == 3


def test_a_pipe_that_is_named_is_read_to_its_end(check_planned, tmp_path):
    os.mkfifo(tmp_path / "pipe")
    with subprocess.Popen(["sh", "-c", 'printf %s "$1" > pipe', "sh", SECRET], cwd=tmp_path):
        found = check_planned(lambda policy: of_paths([str(tmp_path / "pipe")], policy, tmp_path))
    assert found.exit_code == 1


def test_a_pipe_whose_writer_never_ends_is_incomplete(check_planned, tmp_path):
    os.mkfifo(tmp_path / "pipe")
    writer = os.open(tmp_path / "pipe", os.O_RDWR)
    os.write(writer, b"words")
    try:
        found = check_planned(lambda policy: of_paths([str(tmp_path / "pipe"), __file__], policy, tmp_path))
    finally:
        os.close(writer)
    assert [one.name for one in found.incomplete] == [str(tmp_path / "pipe")]


def test_a_file_that_vanishes_between_the_plan_and_the_reading_is_incomplete(check_planned, tmp_path):
    for name in ("a", "b"):
        (tmp_path / name).write_text(words(7))

    def planned(policy):
        plan = of_paths([str(tmp_path)], policy, tmp_path)
        (tmp_path / "b").unlink()
        return plan

    found = check_planned(planned)
    assert found.exit_code == 3
    assert "b: no such file" in found.incomplete[0].reason


def test_one_word_a_million_times_is_checked(check_planned):
    payload = Payload("a", ("a",), b"word " * 1_000_000 + SECRET.encode(), "path")
    assert check_planned(lambda _: Plan("path", iter([payload]), 1)).exit_code == 1


def test_names_that_are_no_text_or_commands_to_a_terminal_are_shown_harmless(protected, tmp_path):
    names = [b"new\nline", b"bell\x07\x1b[31m", b"\xff\xfe.txt", "\u202egpj.txt".encode()]
    for name in names:
        with open(os.path.join(os.fsencode(tmp_path), name), "w") as file:
            file.write(SECRET)
    done = guard(".", "-c", protected, cwd=tmp_path)
    assert done.returncode == 1
    assert done.stdout.count("BLOCKED") == len(names)
    assert all(char.isprintable() or char == "\n" for char in done.stdout + done.stderr)


def test_every_attack_of_the_list_has_its_test():
    named = set(re.findall(r"`(test_\w+)`", (ROOT / "docs" / "attacks.md").read_text(encoding="utf-8")))
    written = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "tests").rglob("test_*.py"))
    assert len(named) > 40
    assert {name for name in named if f"def {name}(" not in written} == set()
