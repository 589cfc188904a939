"""Archives: every member is a document inside the document, under the limits of the whole."""

import bz2
import contextlib
import gzip
import io
import lzma
import os
import tarfile
import zipfile
from email.message import EmailMessage

import pytest

from pmbf.base.errors import IncompleteError, UnsupportedError
from pmbf.extract import Limits, extract, guess_kind, looks_supported
from tests.extract import builders as make

SECRET = "the lamp was lit at dusk and burned until the morning"
PNG = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + bytes(50)
PACK = {"gz": gzip.compress, "bz2": bz2.compress, "xz": lzma.compress}


def refused(raw, name, limits=None):
    with pytest.raises(IncompleteError) as caught:
        extract(raw, name, limits)
    return str(caught.value)


MEMBERS = {"a.txt": SECRET.encode(), "deep/b.html": make.html(SECRET), "c.docx": make.docx(make.paragraph(SECRET))}


@pytest.mark.parametrize("name", ["a", "a.txt", "a.zip", "a.docx", "a.eml"])
@pytest.mark.parametrize("pack", [make.zipped, make.tarred])
def test_every_member_of_an_archive_is_read_whatever_its_name(pack, name):
    found = extract(pack(MEMBERS), name)
    assert found.complete
    assert found.text.count(SECRET) == 3


@pytest.mark.parametrize("kind", PACK)
def test_packed_files_are_read_and_packed_archives(kind):
    for content in (SECRET.encode(), make.tarred({"a": SECRET.encode()}), make.zipped({"a": SECRET})):
        found = extract(PACK[kind](content), "parcel")
        assert (found.kind, found.complete, found.text) == (kind, True, SECRET)


def test_archives_inside_archives_mails_and_office_documents_are_read():
    raw = gzip.compress(make.tarred({"x.zip": make.zipped({"a.rtf": make.rtf(SECRET)})}))
    mail = EmailMessage()
    mail["Subject"] = "papers"
    mail.add_attachment(raw, maintype="application", subtype="octet-stream", filename="papers.bin")
    office = {"[Content_Types].xml": "<a/>", "word/document.xml": "<a/>", "word/x.bin": raw}
    for name, outer in (("a.eml", mail.as_bytes()), ("a.docx", make.zipped(office))):
        found = extract(outer, name)
        assert found.complete
        assert SECRET in found.text


def test_an_archive_is_taken_from_a_folder_only_by_name(tmp_path):
    for name, raw in (("a.zip", make.zipped(MEMBERS)), ("b", make.tarred(MEMBERS)), ("c.gz", gzip.compress(b"x"))):
        (tmp_path / name).write_bytes(raw)
        assert not looks_supported(tmp_path / name)


def test_what_no_reader_knows_is_a_gap_and_a_picture_is_none():
    members = {
        "a.txt": SECRET.encode(),
        "b.7z": b"7z\xbc\xaf\x27\x1c" + bytes(90),
        "c.rar": b"Rar!\x1a\x07" + bytes(90),
    }
    for raw in (make.zipped(members | {"d.png": PNG}), make.tarred(members | {"d.png": PNG})):
        found = extract(raw, "a")
        assert found.text == SECRET
        assert found.problems == ("b.7z: skipped: an archive", "c.rar: skipped: an archive")


def test_an_archive_that_no_reader_knows_is_told():
    for raw in (b"7z\xbc\xaf\x27\x1c" + bytes(90), b"Rar!\x1a\x07" + bytes(90)):
        with pytest.raises(UnsupportedError, match="an archive: unpack it"):
            extract(raw, "a.txt")


def test_paths_links_and_devices_lead_nowhere(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    raw = make.tarred(
        {
            "../../evil.txt": SECRET.encode(),
            "/etc/evil": SECRET.encode(),
            "l": make.special("l", tarfile.SYMTYPE, "/etc/passwd"),
            "h": make.special("h", tarfile.LNKTYPE, "../../evil.txt"),
            "d": make.special("d", tarfile.CHRTYPE),
            "p": make.special("p", tarfile.FIFOTYPE),
            "f": make.special("f", tarfile.DIRTYPE),
        }
    )
    found = extract(raw, "a.tar")
    assert found.complete
    assert found.text.count(SECRET) == 2
    assert found.notes == (
        "l: left out: a link to /etc/passwd",
        "h: left out: a link to ../../evil.txt",
        "d: left out: a device or pipe",
        "p: left out: a device or pipe",
    )
    assert extract(make.zipped({"../../evil.txt": SECRET}), "a.zip").text == SECRET
    assert os.listdir(tmp_path) == []


def test_a_file_that_calls_itself_a_folder_or_nothing_is_read():
    assert extract(make.zipped({"folder/": "", "a.txt/": SECRET}), "a.zip").text == SECRET
    assert extract(make.zipped({"x": SECRET}).replace(b"\1\0\0\0x", b"\0\0\0\0x"), "a.zip").text in ("", SECRET)


def test_an_encrypted_member_is_no_clean_archive():
    raw = bytearray(make.zipped({"a.txt": SECRET}))
    for magic, flags in ((b"PK\x01\x02", 8), (b"PK\x03\x04", 6)):
        raw[raw.index(magic) + flags] |= 1
    assert "encrypted" in refused(bytes(raw), "a.zip")


class TestBombs:
    def test_two_hundred_megabytes_of_zeros_in_a_zip_are_not_expanded(self):
        buffer = io.BytesIO()
        with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive, archive.open("zeros", "w") as member:
            for _ in range(200):
                member.write(bytes(1 << 20))
        assert len(buffer.getvalue()) < 210_000
        assert "(max_ratio)" in refused(buffer.getvalue(), "a.zip")

    @pytest.mark.parametrize("kind", PACK)
    def test_packed_zeros_are_given_up_at_the_ratio(self, kind):
        assert "(max_ratio)" in refused(PACK[kind](bytes(32 << 20)), "a")

    def test_a_bomb_in_a_bomb_is_given_up(self):
        raw = gzip.compress(gzip.compress(bytes(32 << 20)))
        assert "(max_ratio)" in refused(raw, "a")

    def test_all_expanded_bytes_of_nested_archives_count_together(self):
        inner = make.zipped({str(n): os.urandom(100_000).hex() for n in range(4)})
        raw = make.zipped({str(n): inner for n in range(4)})
        assert "(max_expanded_bytes)" in refused(raw, "a", Limits(max_expanded_bytes=2_000_000))

    def test_all_members_of_nested_archives_count_together(self):
        inner = make.zipped({str(n): "" for n in range(600)}, method=zipfile.ZIP_STORED)
        raw = make.zipped({str(n): inner + b"" for n in range(3)})
        assert "limit 1000 (max_entries)" in refused(raw, "a", Limits(max_entries=1000))

    def test_an_archive_that_holds_itself_ends_at_the_depth(self):
        raw = SECRET.encode()
        for n in range(50):
            raw = make.zipped({f"{n}.zip": raw}) if n % 2 else gzip.compress(raw)
        found = extract(raw, "a")
        assert SECRET not in found.text
        assert "(max_depth)" in found.problems[0]

    def test_a_sparse_file_of_a_terabyte_is_not_written_out(self):
        header = bytearray(make.special("a", tarfile.GNUTYPE_SPARSE).tobuf(tarfile.GNU_FORMAT))
        header[483:495] = tarfile.itn(1 << 40, 12, tarfile.GNU_FORMAT)
        header[148:156] = b" " * 8
        header[148:156] = b"%06o\0 " % sum(header)
        assert "(max_expanded_bytes)" in refused(bytes(header) + bytes(1024), "a.tar")

    def test_a_member_with_a_name_of_sixty_kilobytes_is_told_in_short(self):
        raw = make.zipped({"n" * 60_000 + f"{n}.7z": b"7z\xbc\xaf\x27\x1c" for n in range(200)})
        found = extract(raw, "a")
        assert found.problems[-1] == "more, not listed"
        assert all(len(problem) < 1000 for problem in found.problems)


class TestDamage:
    @pytest.mark.parametrize("kind", PACK)
    def test_streams_one_after_another_are_all_read(self, kind):
        pack = PACK[kind]
        for between in (b"", bytes(512)):
            found = extract(pack(b"one ") + between + pack(SECRET.encode()) + between, "a")
            assert (found.complete, found.text) == (True, f"one {SECRET}")

    @pytest.mark.parametrize("kind", PACK)
    def test_bytes_after_a_packed_file_are_a_problem(self, kind):
        found = extract(PACK[kind](SECRET.encode()) + b"more of it " * 9, "a")
        assert found.text == SECRET
        assert found.problems == ("99 bytes after its end, or damaged",)

    @pytest.mark.parametrize("kind", PACK)
    def test_a_packed_file_cut_short_gives_what_there_is_or_is_refused(self, kind):
        raw = PACK[kind](os.urandom(200_000).hex().encode())
        for n_bytes in (20, len(raw) // 2, len(raw) - 3):
            try:
                assert not extract(raw[:n_bytes], "a").complete
            except IncompleteError:
                continue

    def test_what_lies_behind_a_damaged_header_of_a_tar_is_a_problem(self):
        raw = bytearray(make.tarred({"a": b"one", "b": SECRET.encode()}))
        raw[1024 + 148] = ord("9")
        found = extract(bytes(raw), "a.tar")
        assert found.text == "one"
        assert "bytes after its end" in found.problems[0]

    def test_what_lies_behind_the_end_of_a_tar_is_a_problem(self):
        found = extract(make.tarred({"a": b"one"}) + make.tarred({"b": SECRET.encode()}), "a.tar")
        assert "bytes after its end" in found.problems[0]

    def test_a_tar_cut_short_is_never_clean(self):
        raw = make.tarred({"a": b"x" * 2000, "b": SECRET.encode()})
        end = raw.index(SECRET.encode()) + 512
        for n_bytes in (*range(600, end, 100), end):
            assert not extract(raw[:n_bytes], "a.tar").complete

    def test_a_negative_size_in_a_tar_does_not_run_in_circles(self):
        header = bytearray(tarfile.TarInfo("a").tobuf(tarfile.GNU_FORMAT))
        header[124:136] = b"\xff" * 10 + b"\xfe\x00"  # base 256: -512
        header[148:156] = b" " * 8
        header[148:156] = b"%06o\0 " % sum(header)
        with contextlib.suppress(IncompleteError):
            assert not extract(bytes(header) * 3 + bytes(1024), "a.tar", Limits(timeout_s=10)).complete

    def test_bytes_of_a_zip_that_its_directory_does_not_name_are_a_problem(self):
        raw = make.zipped({"a.txt": SECRET, "b.txt": "public " * 9}, method=zipfile.ZIP_STORED)
        directory = raw.index(b"PK\x01\x02")
        second = raw.index(b"PK\x01\x02", directory + 4)
        hidden = raw[:directory] + raw[second:]
        end = hidden.rindex(b"PK\x05\x06")
        size = end - directory
        hidden = hidden[: end + 8] + b"\1\0\1\0" + size.to_bytes(4, "little") + hidden[end + 16 :]
        found = extract(hidden, "a.zip")
        assert SECRET not in found.text
        assert "bytes that belong to no member" in found.problems[0]

    def test_a_zip_hung_on_a_picture_or_program_is_read(self):
        raw = make.zipped({"a.txt": SECRET})
        assert extract(PNG + raw, "a.png") == extract(raw, "a.zip")
        found = extract(b"\x7fELF" + bytes(5000) + raw, "a.exe")
        assert found.text == SECRET
        assert found.problems == ("5004 bytes that belong to no member",)

    def test_a_zip_hung_on_a_text_is_a_problem(self):
        heads = {"a.txt": b"an open letter " * 900, "a.html": make.html("open " * 2000), "a.rtf": make.rtf("open")}
        for name, head in heads.items():
            found = extract(head + make.zipped({"a.txt": SECRET}), name)
            assert any("a zip archive follows" in problem for problem in found.problems)


def test_an_empty_archive_is_an_empty_text():
    for raw in (b"PK\x05\x06" + bytes(18), gzip.compress(b"")):
        assert (extract(raw, "a").text, extract(raw, "a").complete) == ("", True)


def test_a_text_that_begins_like_a_tar_is_a_text():
    assert guess_kind(b"0" * 600, "a.txt") == "txt"
    assert guess_kind(b"BZh is how bzip2 begins", "a.txt") == "txt"
