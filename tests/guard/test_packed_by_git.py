"""What git packs is read: bundles, packs with deltas, loose objects, and whatever else zlib packed."""

import gzip
import random
import struct
import zlib

import pytest

from pmbf.base.errors import IncompleteError
from pmbf.extract import Limits, extract, guess_kind
from tests.guard.test_evasions import COVER, ENGLISH, ONE_LINE

MANY_LINES = "".join(f"{n}. {COVER}\n" for n in range(300))


@pytest.fixture
def packed(git):
    """A repository whose second commit is a delta of the first, and whose files are in one pack."""
    git.commit("a.txt", MANY_LINES)
    git.commit("a.txt", MANY_LINES[:9000] + ENGLISH + MANY_LINES[9000:])
    git("repack", "-adq", "--window=10")
    return git


@pytest.mark.parametrize("version", [2, 3])
def test_a_bundle_is_read(judge, packed, version):
    packed("bundle", "create", f"--version={version}", "y.bundle", "HEAD")
    raw = (packed.folder / "y.bundle").read_bytes()
    found = judge(raw, "y.bundle")
    assert (found.exit_code, found.incomplete) == (1, ())


def test_a_bundle_of_a_branch_that_is_called_like_a_pack_is_read(judge, packed):
    packed("branch", "PACKAGE")
    packed("bundle", "create", "y.bundle", "PACKAGE")
    found = judge((packed.folder / "y.bundle").read_bytes(), "y.bundle")
    assert (found.exit_code, found.incomplete) == (1, ())


def test_a_pack_with_deltas_is_read(judge, packed):
    [pack] = packed.folder.glob(".git/objects/pack/*.pack")
    raw = pack.read_bytes()
    found = judge(raw, pack.name)
    assert (found.exit_code, found.incomplete) == (1, ())
    text = extract(raw, pack.name).text
    assert text.count(MANY_LINES) == 1
    assert MANY_LINES[:9000] + ENGLISH + MANY_LINES[9000:] in text


def test_a_thin_bundle_is_incomplete_where_it_changes_what_it_does_not_hold(judge, packed):
    packed("bundle", "create", "y.bundle", "HEAD~1..HEAD")
    found = judge((packed.folder / "y.bundle").read_bytes(), "y.bundle")
    assert found.exit_code == 3
    assert "not in the pack" in found.incomplete[0].reason


def test_loose_objects_are_read(judge, git):
    git.commit("a.txt", ENGLISH, message=f"chairs\n\n{ENGLISH}")
    verdicts = [judge(path.read_bytes(), path.name) for path in git.folder.glob(".git/objects/??/*")]
    assert sorted((found.exit_code, found.incomplete) for found in verdicts) == [(0, ()), (1, ()), (1, ())]


def test_names_of_files_in_a_pack_are_read(judge, git):
    git.commit(f"{ONE_LINE[:200]}/{ONE_LINE[200:400]}", "x")
    git("repack", "-adq")
    [pack] = git.folder.glob(".git/objects/pack/*.pack")
    assert ONE_LINE[:200].replace("/", "") in extract(pack.read_bytes(), "a").text


@pytest.mark.parametrize("level", [0, 1, 6, 9])
def test_a_bare_stream_of_zlib_is_read(judge, level):
    found = judge(zlib.compress(f"{COVER}{ENGLISH}".encode(), level), "a.zlib")
    assert (found.exit_code, found.incomplete) == (1, ())


def packed_with(window_bits, content):
    packer = zlib.compressobj(9, zlib.DEFLATED, window_bits)
    return packer.compress(content) + packer.flush()


@pytest.mark.parametrize("window_bits", range(9, 16))
def test_a_bare_stream_of_zlib_with_a_window_of_any_size_is_read(judge, window_bits):
    found = judge(packed_with(window_bits, f"{COVER}{ENGLISH}".encode()), "a.bin")
    assert (found.exit_code, found.incomplete) == (1, ())


@pytest.mark.parametrize("window_bits", range(9, 16))
@pytest.mark.parametrize("outer", [bytes, gzip.compress, lambda content: content.decode().encode("utf-16")])
def test_deflate_without_a_header_is_read(judge, outer, window_bits):
    found = judge(packed_with(-window_bits, outer(f"{COVER}{ENGLISH}".encode())), "a.bin")
    assert (found.exit_code, found.incomplete) == (1, ())


def test_deflate_that_is_cut_damaged_or_followed_by_more_is_not_clean(judge):
    letters = "".join(random.Random(5).choices("abcdefghijklmnopqrstuvwxyz ", k=4000))
    raw = packed_with(-15, f"{letters}{ENGLISH}".encode())
    assert len(raw) > 2000
    for damaged in (raw[:-9], raw + b"\xff" * 9, raw[:1100] + b"\xff" * 40 + raw[1140:]):
        assert judge(damaged, "a.bin").exit_code in (1, 3)


def test_noise_is_not_taken_for_deflate():
    chance = random.Random(3)
    kinds = {guess_kind(chance.randbytes(size), "a") for size in (64, 300, 3000) for _ in range(3000)}
    assert not kinds & {"deflate", "zlib"}


def test_damaged_packs_and_streams_are_not_clean(judge, packed):
    packed("bundle", "create", "y.bundle", "HEAD")
    chance = random.Random(4)
    for raw in ((packed.folder / "y.bundle").read_bytes(), zlib.compress(ENGLISH.encode())):
        for _ in range(20):
            at = chance.randrange(60, len(raw) - 24)
            assert judge(raw[:at], "a").exit_code in (1, 3)
            assert judge(raw[:at] + b"\xff" * 8 + raw[at + 8 :], "a").exit_code in (1, 3)


def test_a_bundle_without_a_pack_and_a_pack_that_claims_millions_are_refused():
    with pytest.raises(IncompleteError, match="cut short"):
        extract(b"# v2 git bundle\n" + b"0" * 40 + b" refs/heads/main\n\n", "y")
    head = b"PACK" + struct.pack(">II", 2, 1 << 30)
    assert "damaged or cut short" in extract(head, "y").problems[0]
    with pytest.raises(IncompleteError, match="max_entries"):
        extract(head + (b"\x30" + zlib.compress(b"")) * 11, "y", Limits(max_entries=10))
    bomb = head + b"\xb0\x01" + zlib.compress(bytes(1 << 24))
    with pytest.raises(IncompleteError, match="max_expanded_bytes"):
        extract(bomb, "y", Limits(max_expanded_bytes=1 << 20))


def test_text_that_begins_as_zlib_does_is_text():
    for text in ("x^2 + y^2 = z^2", "x^", "x\x01", "x^" + "words and words " * 99):
        assert guess_kind(text.encode(), "a") in ("txt", None)
    assert guess_kind(b"x\x9c" + random.Random(1).randbytes(3000), "a") is None


def chunk(kind, content):
    return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))


def png(*chunks):
    head = chunk(b"IHDR", struct.pack(">IIBBBBB", 1, 1, 8, 0, 0, 0, 0))
    return b"\x89PNG\r\n\x1a\n" + head + b"".join(chunks) + chunk(b"IDAT", zlib.compress(b"\0\0")) + chunk(b"IEND", b"")


PACKED = zlib.compress(ENGLISH.encode())


@pytest.mark.parametrize(
    "comment", [chunk(b"zTXt", b"Comment\0\0" + PACKED), chunk(b"iTXt", b"Comment\0\1\0en\0Comment\0" + PACKED)]
)
def test_packed_comments_of_a_picture_are_read(judge, comment):
    found = judge(png(comment), "a.png")
    assert (found.exit_code, found.incomplete) == (1, ())
    assert judge(png(comment.replace(PACKED[30:50], bytes(20))), "a.png").exit_code in (1, 3)
    assert judge(png(), "a.png").exit_code == 0


def test_a_picture_whose_comments_unpack_without_end_is_incomplete(judge):
    found = judge(png(chunk(b"zTXt", b"Comment\0\0" + zlib.compress(bytes(1 << 25)))), "a.png")
    assert found.exit_code == 3
