"""Documents of every kind, made from a text: by the libraries that write them, or by hand where it must be hostile."""

import io
import struct
import tarfile
import zipfile
import zlib

import pytest

TEXT = {
    "latin": "The quick brown fox déjà vu",
    "cyrillic": "Съешь ещё этих мягких французских булок",
    "greek": "Ξεσκεπάζω την ψυχοφθόρα βδελυγμία",
    "han": "人人生而自由，在尊严和权利上一律平等",
    "arabic": "يولد جميع الناس أحرارا",
    "astral": "𐌲𐌿𐍄𐌹𐍃𐌺 😀 text",
}
W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'


def zipped(members, *, method=zipfile.ZIP_DEFLATED):
    """Return a zip of {name: str or bytes}."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", method) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return buffer.getvalue()


def tarred(members, **options):
    """Return a tar of {name: bytes, or a TarInfo of something else}."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w", **options) as archive:
        for name, content in members.items():
            entry = content if isinstance(content, tarfile.TarInfo) else tarfile.TarInfo(name)
            if content is not entry:
                entry.size = len(content)
            archive.addfile(entry, None if content is entry else io.BytesIO(content))
    return buffer.getvalue()


def special(name, kind, target="", size=0):
    """Return the entry of a link, a device or another special file in a tar."""
    entry = tarfile.TarInfo(name)
    entry.type, entry.linkname, entry.size = kind, target, size
    return entry


def docx(body, **parts):
    """Return a DOCX by hand: the XML inside w:body, and other parts as {name without .xml: XML}."""
    members = {
        "[Content_Types].xml": "<Types/>",
        "word/document.xml": f"<w:document {W}><w:body>{body}</w:body></w:document>",
    }
    return zipped(members | {f"word/{name}.xml": xml for name, xml in parts.items()})


def paragraph(text):
    return f"<w:p><w:r><w:t>{text}</w:t></w:r></w:p>"


def written_docx(paragraphs):
    library = pytest.importorskip("docx", reason="python-docx writes the test's document")
    document = library.Document()
    for text in paragraphs:
        document.add_paragraph(text)
    return saved(document)


def written_odt(paragraphs):
    opendocument = pytest.importorskip("odf.opendocument", reason="odfpy writes the test's document")
    from odf.text import P

    document = opendocument.OpenDocumentText()
    for text in paragraphs:
        document.text.addElement(P(text=text))
    buffer = io.BytesIO()
    document.write(buffer)
    return buffer.getvalue()


def saved(document):
    buffer = io.BytesIO()
    document.save(buffer)
    return buffer.getvalue()


def odt(body):
    """Return an ODT by hand: the XML inside office:text."""
    spaces = " ".join(f'xmlns:{x}="urn:oasis:names:tc:opendocument:xmlns:{x}:1.0"' for x in ("office", "text", "table"))
    content = f"<office:document-content {spaces}><office:body><office:text>{body}</office:text></office:body>"
    return zipped(
        {"mimetype": "application/vnd.oasis.opendocument.text", "content.xml": content + "</office:document-content>"}
    )


def rtf(text):
    """Return an RTF that writes every character outside ASCII as \\u."""
    escaped = "".join(c if c.isascii() else "".join(rf"\u{u}?" for u in _units(c)) for c in text)
    return (r"{\rtf1\ansi\deff0{\fonttbl{\f0 Times;}}" + escaped + r"\par}").encode()


def html(text):
    return f"<!doctype html><html><head><title>t</title></head><body><p>{text}</p></body></html>".encode()


def pdf(pages, *, trailer=""):
    """Return a PDF with a page for each text, its characters mapped to Unicode and its lines set below each other."""
    characters = sorted(set("".join(pages)) - {"\n"})
    codes = {character: number for number, character in enumerate(characters, 1)}
    mapping = "\n".join(f"<{n:04X}> <{''.join(f'{u & 0xFFFF:04X}' for u in _units(c))}>" for c, n in codes.items())
    cmap = (
        "/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapName /X def /CMapType 2 def "
        "1 begincodespacerange <0000> <FFFF> endcodespacerange "
        f"{len(codes)} beginbfchar\n{mapping}\nendbfchar endcmap end end"
    )
    font = (
        "<< /Type /Font /Subtype /Type0 /BaseFont /X /Encoding /Identity-H /DescendantFonts [4 0 R] /ToUnicode 5 0 R >>"
    )
    descendant = (
        "<< /Type /Font /Subtype /CIDFontType2 /BaseFont /X /DW 600 /FontDescriptor 6 0 R "
        "/CIDSystemInfo << /Registry (Adobe) /Ordering (Identity) /Supplement 0 >> >>"
    )
    descriptor = (
        "<< /Type /FontDescriptor /FontName /X /Flags 4 /FontBBox [0 0 600 800] /ItalicAngle 0 /Ascent 800 "
        "/Descent -200 /CapHeight 700 /StemV 80 >>"
    )
    kids = " ".join(f"{7 + 2 * i} 0 R" for i in range(len(pages)))
    objects = ["<< /Type /Catalog /Pages 2 0 R >>", f"<< /Type /Pages /Kids [{kids}] /Count {len(pages)} >>"]
    objects += [font, descendant, stream(cmap), descriptor]
    for index, text in enumerate(pages):
        shown = "".join(f"<{''.join(f'{codes[c]:04X}' for c in line)}> Tj 0 -14 Td\n" for line in text.split("\n"))
        objects.append(
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 2000 800] /Contents {8 + 2 * index} 0 R "
            "/Resources << /Font << /F 3 0 R >> >> >>"
        )
        objects.append(stream(f"BT /F 12 Tf 20 700 Td {shown} ET"))
    return pdf_of(objects, trailer=trailer)


GREY_PIXEL = (
    b"<< /Type /XObject /Subtype /Image /Width 1 /Height 1 /ColorSpace /DeviceGray /BitsPerComponent 8 /Length 1 >>"
    b"\nstream\nx\nendstream"
)


def pdf_with_pictures(pages, picture=GREY_PIXEL):
    """Return a PDF; a page is a text, or the share of its width that the picture covers, 0 for a blank page."""
    kids = " ".join(f"{5 + 2 * i} 0 R" for i in range(len(pages)))
    objects = [
        "<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Kids [{kids}] /Count {len(pages)} >>",
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
        picture,
    ]
    for index, page in enumerate(pages):
        objects.append(
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Contents {6 + 2 * index} 0 R "
            "/Resources << /Font << /F 3 0 R >> /XObject << /I 4 0 R >> >> >>"
        )
        is_text = isinstance(page, str)
        shown = f"BT /F 12 Tf 20 700 Td ({page}) Tj ET" if is_text else f"q {600 * page} 0 0 800 0 0 cm /I Do Q"
        objects.append(stream(shown if page else ""))
    return pdf_of(objects)


def pdf_of(objects, *, trailer=""):
    """Return a PDF of the given objects, numbered from 1; the first is the catalog."""
    out, offsets = b"%PDF-1.7\n", []
    for number, content in enumerate(objects, 1):
        offsets.append(len(out))
        out += (
            f"{number} 0 obj\n".encode() + (content if isinstance(content, bytes) else content.encode()) + b"\nendobj\n"
        )
    table = "".join(f"{offset:010d} 00000 n \n" for offset in offsets)
    size = len(objects) + 1
    end = f"xref\n0 {size}\n0000000000 65535 f \n{table}trailer\n<< /Size {size} /Root 1 0 R {trailer} >>\n"
    return out + f"{end}startxref\n{len(out)}\n%%EOF\n".encode()


def stream(content):
    raw = content.encode() if isinstance(content, str) else content
    return f"<< /Length {len(raw)} >>\nstream\n".encode() + raw + b"\nendstream"


def deflated_stream(raw):
    packed = zlib.compress(raw, 9)
    return f"<< /Length {len(packed)} /Filter /FlateDecode >>\nstream\n".encode() + packed + b"\nendstream"


def _units(character):
    raw = character.encode("utf-16-be")
    return [int.from_bytes(raw[i : i + 2], "big", signed=False) for i in range(0, len(raw), 2)]


def ole(*names):
    """Return an OLE container with empty streams of some names at the top, as old Office programs write it."""
    entries = [b"".join(_ole_entry("Root Entry", 5, child=1))]
    entries += [
        b"".join(_ole_entry(name, 2, right=n + 1 if n < len(names) else None)) for n, name in enumerate(names, 1)
    ]
    directory = b"".join(entries).ljust(-len(entries) // 4 * -512, b"\0")
    n_sectors = len(directory) // 512
    table = [0xFFFFFFFD, *range(2, n_sectors + 1), 0xFFFFFFFE]
    numbers = (0, 1, 1, 0, 4096, 0xFFFFFFFE, 0, 0xFFFFFFFE, 0, 0)  # the table is sector 0, the directory follows
    header = struct.pack("<8s16x5H6x10I", OLE, 0x3E, 3, 0xFFFE, 9, 6, *numbers)
    header = header.ljust(512, b"\xff")
    return header + struct.pack(f"<{len(table)}I", *table).ljust(512, b"\xff") + directory


OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"


def _ole_entry(name, kind, *, child=None, right=None):
    written = name.encode("utf-16-le")
    none = 0xFFFFFFFF
    yield written.ljust(64, b"\0") + struct.pack("<HBB", len(written) + 2, kind, 1)
    yield struct.pack("<III", none, none if right is None else right, none if child is None else child)
    yield bytes(128 - 64 - 4 - 12)


def epub(*chapters, spine=None, **members):
    """Return an EPUB with chapters of HTML; `spine` lists their numbers in the order in which they are read."""
    files = {f"OEBPS/c{number}.xhtml": text for number, text in enumerate(chapters, 1)}
    items = "".join(f'<item id="i{n}" href="c{n}.xhtml"/>' for n in range(1, len(chapters) + 1))
    order = "".join(f'<itemref idref="i{n}"/>' for n in spine or range(1, len(chapters) + 1))
    package = f"<package><manifest>{items}</manifest><spine>{order}</spine></package>"
    container = '<container><rootfiles><rootfile full-path="OEBPS/book.opf"/></rootfiles></container>'
    return zipped(
        {"mimetype": "application/epub+zip", "META-INF/container.xml": container, "OEBPS/book.opf": package}
        | files
        | members,
        method=zipfile.ZIP_STORED,
    )
