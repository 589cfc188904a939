"""EPUB: the chapters in the order in which they are read, then every other document of the package."""

from __future__ import annotations

import posixpath
import re
from urllib.parse import unquote

from pmbf.base.errors import IncompleteError
from pmbf.extract.archive import Archive
from pmbf.extract.package import Attributes, member_text, walk
from pmbf.extract.reading import OverLimitError, Reading

_CONTAINER, _ENCRYPTION = "META-INF/container.xml", "META-INF/encryption.xml"
_CHAPTER = re.compile(r"\.x?html?$", re.I)
_FONT = re.compile(r"\.(?:[ot]tf|woff2?|dfont)$", re.I)
_NO_TEXT = re.compile(r"\.(?:css|ncx|opf|js|smil|pls|xpgt|plist)$|^mimetype$|^META-INF/", re.I)


def read(raw: bytes, kind: str, reading: Reading) -> str:
    """Return the text of all chapters, then that of all other members; styles and lists of contents if `unseen`."""
    archive = Archive(raw, reading)
    names = [name for name in archive.names() if not _FONT.search(name)]  # a font may be obfuscated: no picture then
    chapters = [name for name in names if _CHAPTER.search(name)]
    if not chapters:
        raise IncompleteError("no EPUB inside: it has no chapter")
    if any(map(_CHAPTER.search, _values(archive, _ENCRYPTION, "CipherReference", "URI"))):
        raise IncompleteError("encrypted: remove its copy protection first")
    order = {name: number for number, name in enumerate(_spine(archive))}
    shown = [name for name in names if reading.unseen or not _NO_TEXT.search(name)]
    ranked = sorted(shown, key=lambda name: (order.get(name, len(order)), not _CHAPTER.search(name)))
    text = "".join(f"{text}\n\n" for name in ranked if (text := member_text(archive, name, reading)))
    return text + archive.beside() if reading.unseen else text


def _spine(archive: Archive) -> list[str]:
    """Return the names of the chapters in their order; nothing if the package does not tell it."""
    package = next(iter(_values(archive, _CONTAINER, "rootfile", "full-path")), "")
    items = _found(archive, package, "item")
    folder = posixpath.dirname(package)
    files = {
        one.get("id"): posixpath.normpath(posixpath.join(folder, unquote(one.get("href", "")))).lstrip("/")
        for one in items
    }
    return [files[id_] for id_ in _values(archive, package, "itemref", "idref") if id_ in files]


def _values(archive: Archive, part: str, element: str, attribute: str) -> list[str]:
    return [one[attribute] for one in _found(archive, part, element) if attribute in one]


def _found(archive: Archive, part: str, element: str) -> list[dict[str, str]]:
    """Return the attributes of the elements of a part, as far as it can be read; nothing if there is no such part."""
    walker = Attributes(element)
    try:
        if part in archive.names():
            walk(archive.chunks(part), walker)
    except OverLimitError:
        raise
    except IncompleteError:  # the chapters are read all the same, by name
        pass
    return walker.found
