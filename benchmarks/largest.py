"""Memory of a leak check of one file of each format, as large as the limits let it be.

`pmbf guard` checks one file after another. The memory is that of all its processes together: what they hold in RAM,
looked at every 20 ms, and no less than the most that one of them held by the kernel's own count.
"""

from __future__ import annotations

import argparse
import base64
import bz2
import gzip
import io
import lzma
import random
import re
import subprocess
import sys
import tarfile
import tempfile
import zipfile
import zlib
from collections.abc import Callable, Iterable
from pathlib import Path
from time import perf_counter, sleep
from typing import Any

from benchmarks import arguments
from measure import report
from measure.process import ROOT, installed
from pmbf import Collection

Figures = dict[str, Any]
Maker = Callable[[float], bytes]
"""Takes a share of the largest size; returns the bytes of a file."""

MIB = 1 << 20
N_BYTES = 250 * MIB
"""Of a file, and of the text in a packed one: both may have 256 MiB."""
N_XML = 500 * MIB
"""Of the main part of an office format: it is unpacked twice, and 1 GiB may be unpacked."""
SAMPLE_S = 0.02

_HTML = "<html><body>{}</body></html>"
_FORM = "--bb\r\nContent-Disposition: form-data; name=a; filename=a.txt\r\n\r\n"


def add_arguments(some: Any) -> None:
    """Add the benchmark to the command line."""
    what = "memory of a leak check of the largest file of each format"
    one = arguments.add_benchmark(some, "largest", what, _run, table)
    one.add_argument(
        "--only", nargs="+", choices=list(FILES), default=list(FILES), metavar="NAME", help=", ".join(FILES)
    )
    one.add_argument("--share", type=float, default=1.0, help="make files of this share of the limits (1)")
    commands = one.add_mutually_exclusive_group()
    commands.add_argument("--screen", action="store_true", help="measure `pmbf screen` instead of `pmbf guard`")
    commands.add_argument("--serve", action="store_true", help="measure `pmbf serve --workers 1`, which a guard asks")


def _run(given: argparse.Namespace) -> Figures:
    command = "screen" if given.screen else "serve" if given.serve else "guard"
    return run(given.only, share=given.share, command=command)


def run(names: Iterable[str], *, share: float, command: str) -> Figures:
    """Return the memory and the time of the check of each file.

    Args:
        names: Of `FILES`.
        share: Of the largest size.
        command: "guard", "screen", or "serve": the processes of a service that a guard asks.
    """
    found = []
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        protected = place / "protected.pmbf"
        with Collection(protected, create=True) as made:
            made.load([ROOT / "examples" / "library"])
        for name in names:
            file = place / f"file.{name.split()[0]}"
            file.write_bytes(FILES[name](share))
            one = {"name": name, "n_bytes": file.stat().st_size} | _measured(command, file, protected)
            file.unlink()
            print(f"{name}: {one['mib']:,.0f} MiB, {one['seconds']:.0f} s: {one['said']}", flush=True)
            found.append(one)
    return {"command": command, "files": found}


def table(figures: Figures) -> str:
    """Return the memory of each file, as Markdown."""
    lines = [
        f"{report.line(figures['about'])}.",
        "",
        *report.head(f"| `pmbf {figures['command']}` | file | memory, MiB | on the clock | it said |"),
    ]
    for one in figures["files"]:
        size, time = report.size(one["n_bytes"]), report.time(one["seconds"])
        lines.append(f"| {one['name']} | {size} | {one['mib']:,.0f} | {time} | {one['said']} |")
    return "\n".join(lines) + "\n"


# ----------------------------------------------------------------------- files


def _words(n_bytes: float) -> str:
    """Return a text of made-up words in lines, with a passage of a protected document in each 3 MB."""
    chance = random.Random(1)
    known = ["".join(chance.choices("abcdefghiklmnoprstuvwy", k=chance.randint(2, 9))) for _ in range(30_000)]
    some = chance.choices(known, k=400_000)
    leak = (ROOT / "examples" / "library" / "lighthouse-optics.txt").read_text(encoding="utf-8")[500:2500]
    block = leak + "\n".join(" ".join(some[at : at + 11]) for at in range(0, len(some), 11)) + "\n"
    return (block * (1 + int(n_bytes) // len(block)))[: int(n_bytes)]


def _each(template: str, around: str = "{}", n_bytes: int = N_BYTES) -> Maker:
    """Return the maker of a file that is a template filled with one word after another."""
    return lambda share: around.format(_filled(template, share * n_bytes)).encode()


def _filled(template: str, n_bytes: float) -> str:
    words = _words(MIB).split()
    block = "".join(template.format(word=word, number=number) for number, word in enumerate(words))
    return block * max(1, int(n_bytes) // len(block))


def _zipped(members: Iterable[tuple[str, str | bytes]], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", method, compresslevel=1) as archive:
        for name, content in members:
            archive.writestr(name, content)
    return buffer.getvalue()


def _ooxml(name: str, template: str) -> Maker:
    main = _each(template, "<a xmlns:w='w'>{}</a>", N_XML)
    members = [("[Content_Types].xml", "<Types/>"), (f"{name.split('/')[0]}/workbook.xml", "<a/>")]
    return lambda share: _zipped([*members, (name, main(share))])


def _odf(kind: str, template: str) -> Maker:
    main = _each(template, "<a xmlns:office='o' xmlns:text='t' xmlns:table='b'>{}</a>", N_XML)
    mime = f"application/vnd.oasis.opendocument.{kind}"
    return lambda share: _zipped([("mimetype", mime), ("content.xml", main(share))])


def _epub(share: float) -> bytes:
    chapter = _HTML.format(_filled("<p>{word}</p>", MIB))
    names = [f"c{number}.xhtml" for number in range(max(1, int(share * N_BYTES) // MIB))]
    items = "".join(f'<item id="{name}" href="{name}" media-type="application/xhtml+xml"/>' for name in names)
    spine = "".join(f'<itemref idref="{name}"/>' for name in names)
    container = '<container><rootfiles><rootfile full-path="a.opf"/></rootfiles></container>'
    opf = f"<package><manifest>{items}</manifest><spine>{spine}</spine></package>"
    members = [("mimetype", "application/epub+zip"), ("META-INF/container.xml", container), ("a.opf", opf)]
    return _zipped([*members, *((name, chapter) for name in names)])


def _mail(encoding: str, body: bytes) -> bytes:
    return b"From: a\nMIME-Version: 1.0\nContent-Type: text/plain\nContent-Transfer-Encoding: %b\n\n%b" % (
        encoding.encode(),
        body,
    )


def _pdf(share: float) -> bytes:
    """Return a PDF with some hundred pages of text, whose streams are not packed."""
    n_pages = 300
    text = _filled("({word} ) Tj ", MIB)[: int(share * N_BYTES / n_pages)]
    stream = f"BT /F1 1 Tf {text.rpartition('(')[0]}ET".encode()
    kids = " ".join(f"{4 + 2 * number} 0 R" for number in range(n_pages))
    objects = [b"<< /Type /Catalog /Pages 2 0 R >>", f"<< /Type /Pages /Kids [{kids}] /Count {n_pages} >>".encode()]
    objects.append(b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>")
    for number in range(n_pages):
        page = f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 9 9] /Contents {5 + 2 * number} 0 R"
        objects.append(f"{page} /Resources << /Font << /F1 3 0 R >> >> >>".encode())
        objects.append(b"<< /Length %d >>\nstream\n%b\nendstream" % (len(stream), stream))
    raw, places = bytearray(b"%PDF-1.4\n"), []
    for number, one in enumerate(objects, 1):
        places.append(len(raw))
        raw += b"%d 0 obj\n%b\nendobj\n" % (number, one)
    start = len(raw)
    raw += b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    raw += b"".join(b"%010d 00000 n \n" % place for place in places)
    return bytes(raw + b"trailer << /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF" % (len(objects) + 1, start))


def _tar(raw: bytes) -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as archive:
        entry = tarfile.TarInfo("a.txt")
        entry.size = len(raw)
        archive.addfile(entry, io.BytesIO(raw))
    return buffer.getvalue()


def _bundle(raw: bytes) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "a.txt").write_bytes(raw)
        who = ["-c", "user.name=a", "-c", "user.email=a@b"]
        for command in (["init", "-q"], ["add", "."], ["commit", "-qm", "a"], ["bundle", "create", "-q", "b", "HEAD"]):
            subprocess.run(["git", *who, *command], cwd=folder, check=True)
        return Path(folder, "b").read_bytes()


def _deflated(raw: bytes) -> bytes:
    packer = zlib.compressobj(1, wbits=-zlib.MAX_WBITS)
    return packer.compress(raw) + packer.flush()


def _in_base64(share: float) -> bytes:
    return base64.encodebytes(_plain(share * 0.74))


def _plain(share: float) -> bytes:
    return _words(share * N_BYTES).encode()


FILES: dict[str, Maker] = {
    "txt ASCII": _plain,
    "txt with a character of 4 bytes": lambda share: "😀 ".encode() + _plain(share),
    "txt UTF-16": lambda share: _words(share * N_BYTES / 2).encode("utf-16"),
    "txt damaged UTF-8": lambda share: _plain(share).replace(b"a", b"\xc3\xa9", 999).replace(b"e", b"\xff", 9),
    "txt cp1251": lambda share: (
        ("Тихая вода точит камень у дома. " * 64 + "\n").encode("cp1251") * int(share * N_BYTES / 2049)
    ),
    "txt of escapes": _each("\\u0041{word}"),
    "txt of base64": lambda share: _in_base64(share),
    "txt of letters apart": lambda share: "  ".join(map(" ".join, _words(share * N_BYTES / 2.2).split())).encode(),
    "txt of fillers": _each("{word} um "),
    "csv of one table": _each("{number},{word}\n"),
    "json": _each('"k": "{word}", ', "{{{}}}"),
    "svg": _each("<text x={number}>{word}</text>", "<svg>{}</svg>"),
    "md": _each("**{word}** "),
    "html of short paragraphs": _each("<p>{word}</p>", _HTML),
    "html of one paragraph": _each("{word} ", _HTML),
    "html of comments": _each("<!-- {word} a -->", _HTML),
    "eml": lambda share: _mail("8bit", _plain(share)),
    "eml in base64": lambda share: _mail("base64", _in_base64(share)),
    "mbox": lambda share: b"From a\nFrom: a\nSubject: b\n\n%b\n" % _plain(share / 4500) * 4500,
    "form": lambda share: _FORM.encode() + _plain(share) + b"\r\n--bb--\r\n",
    "rtf": _each("{{\\b {word}}} ", "{{\\rtf1 {}}}"),
    "pdf": _pdf,
    "docx": _ooxml("word/document.xml", "<w:p><w:t>{word}</w:t></w:p>"),
    "pptx": _ooxml("ppt/slides/slide1.xml", "<w:p><w:t>{word}</w:t></w:p>"),
    "xlsx": _ooxml("xl/sharedStrings.xml", "<si><t>{word}</t></si>"),
    "odt": _odf("text", "<text:p>{word}</text:p>"),
    "ods": _odf("spreadsheet", "<table:table-cell><text:p>{word}</text:p></table:table-cell>"),
    "epub": _epub,
    "zip": lambda share: _zipped([("a.txt", _plain(share))], zipfile.ZIP_STORED),
    "gz": lambda share: gzip.compress(_plain(share), 1),
    "bz2": lambda share: bz2.compress(_plain(share), 1),
    "xz": lambda share: lzma.compress(_plain(share), preset=0),
    "tar": lambda share: _tar(_plain(share)),
    "zlib": lambda share: zlib.compress(_plain(share), 1),
    "deflate": lambda share: _deflated(_plain(share)),
    "bundle": lambda share: _bundle(_plain(share)),
    "bin with runs of text": lambda share: b"\0\1\2" * 999 + _plain(share).replace(b"\n", b"\0\1"),
}
"""Name, whose first word is the ending of the file's name -> its maker."""


# ----------------------------------------------------------------- measurement


def _measured(command: str, file: Path, protected: Path) -> Figures:
    """Return the memory of a check of a file and its time, and the last line that it said."""
    if command != "serve":
        return _checked(command, file, protected)
    socket = protected.with_name("socket")
    words = [*_PMBF, "serve", "-c", str(protected), "--workers", "1", "--socket", str(socket)]
    with subprocess.Popen(words, env=_variables(), stderr=subprocess.DEVNULL) as service:
        try:
            while not socket.exists() and service.poll() is None:
                sleep(SAMPLE_S)
            return _checked("guard", file, protected, service=service.pid, socket=str(socket))
        finally:
            service.terminate()


_PMBF = [sys.executable, "-m", "pmbf"]


def _variables(socket: str = "") -> dict[str, str]:
    return installed() | {"PYTHONPATH": str(ROOT), "PYTHONSAFEPATH": "1", "PMBF_SOCKET": socket}


def _checked(command: str, file: Path, protected: Path, *, service: int = 0, socket: str = "") -> Figures:
    """Return the figures of one check; its memory is that of the service's processes, if a service is asked."""
    words = [*_PMBF, command, str(file), "-c", str(protected)]
    start, most = perf_counter(), 0
    with tempfile.TemporaryFile("w+", encoding="utf-8") as said:
        with subprocess.Popen(words, env=_variables(socket), stdout=said, stderr=subprocess.STDOUT) as process:
            while process.poll() is None:
                held = [_held(pid) for pid in _family(service or process.pid)]
                most = max(most, sum(now for now, _ in held), *(before for _, before in held))
                sleep(SAMPLE_S)
        said.seek(0)
        lines = said.read().splitlines()
    last = next((line.strip() for line in reversed(lines) if "checked" in line), lines[-1].strip() if lines else "")
    return {"mib": most / MIB, "seconds": perf_counter() - start, "code": process.returncode, "said": last[:200]}


def _family(pid: int) -> list[int]:
    """Return a process and those that it started, and so on."""
    found = [pid]
    for task in Path(f"/proc/{pid}/task").glob("*/children"):
        try:
            children = task.read_text(encoding="ascii").split()
        except OSError:  # it ended meanwhile
            continue
        for child in children:
            found += _family(int(child))
    return found


def _held(pid: int) -> tuple[int, int]:
    """Return the bytes that a process holds in RAM, and the most that it held."""
    try:
        told = Path(f"/proc/{pid}/status").read_text(encoding="ascii", errors="replace")
    except OSError:
        return 0, 0
    found = dict(re.findall(r"^(VmRSS|VmHWM):\s*(\d+) kB$", told, re.M))
    return int(found.get("VmRSS", 0)) << 10, int(found.get("VmHWM", 0)) << 10
