"""The plain text of a documentation file: HTML, manual pages, text, and messages in Thai. This module does not use
pmbf. So a change of pmbf changes no corpus."""

from __future__ import annotations

import gzip
import html
import re
from collections.abc import Callable
from pathlib import PurePosixPath

from experiments.corpus import messages

HTML = frozenset(["html", "htm", "xhtml", "page", "docbook"])
TEXT = frozenset(["txt", "rst", "md", "pod", "adoc", "asc", "dz"])
"""Endings of gzip files; `dz` is a dictionary of dictd."""

_COMPRESSED = (".gz", ".dz")
_LEGAL = ("copyright", "changelog.gz", "changelog.Debian.gz")
"""Files that every package has. They are no documentation."""

_DROPPED = re.compile(r"(?is)<(script|style|head|nav|svg|noscript)\b.*?</\1\s*>|<!--.*?-->")
_BLOCK = re.compile(r"(?i)</?(p|div|br|li|tr|h[1-6]|pre|dt|dd|table|ul|ol|section|title)\b[^>]*>")
_TAG = re.compile(r"<[^>]*>")
_SPACES = re.compile(r"[ \t\r\f\v\xa0]+")
_BLANK_LINES = re.compile(r"\n\s*\n+")
_MANUAL = re.compile(r"[1-9]\w*")
_ROFF_COMMAND = re.compile(r"^['.]\s*[A-Za-z]{1,3}\s?")
_ROFF_ESCAPE = re.compile(r"\\f[BIRP]|\\&|\\\||\\\^")


def plain_text(name: str, content: bytes) -> str | None:
    """Return the text of a file, or None if the file is no documentation.

    Args:
        name: The file's path in its package.
        content: The file's bytes; gzip is unpacked.

    >>> plain_text("usr/share/doc/a/index.html", b"<head><title>A</title></head><p>Ham &amp; <b>eggs</b>")
    'Ham & eggs'
    >>> plain_text("usr/share/man/man1/ls.1", b'.SH NAME\\nls \\\\- list')
    'NAME\\nls - list'
    """
    if name.endswith(".xpi"):
        return messages.of_xpi(content)
    if name.endswith(".mo") and "th" in PurePosixPath(name).parts:
        return messages.of_gettext(content)
    convert = _converter(PurePosixPath(name))
    if convert is None:
        return None
    unpacked = gzip.decompress(content) if name.endswith(_COMPRESSED) else content
    return convert(_decoded(unpacked))


def _converter(path: PurePosixPath) -> Callable[[str], str] | None:
    """Return the function that makes plain text of a file with this name."""
    if path.name in _LEGAL:
        return None
    ending = path.name.removesuffix(".gz").rpartition(".")[2].lower()
    if ending in HTML:
        return _of_html
    if "man" in path.parts and _MANUAL.fullmatch(ending):
        return _of_roff
    return str.strip if ending in TEXT else None


def _decoded(content: bytes) -> str:
    """Return bytes as text. The first that fits is taken: UTF-8, the encoding they declare, cp1252, Latin-1."""
    declared = re.search(rb"charset=[\"']?([\w-]+)", content[:2000])
    for encoding in ("utf-8", declared.group(1).decode("ascii", "ignore") if declared else "cp1252", "cp1252"):
        try:
            return content.decode(encoding)
        except (UnicodeDecodeError, LookupError):
            continue
    return content.decode("latin-1")


def _of_html(text: str) -> str:
    text = _TAG.sub("", _BLOCK.sub("\n", _DROPPED.sub(" ", text)))
    return _BLANK_LINES.sub("\n\n", _SPACES.sub(" ", html.unescape(text))).strip()


def _of_roff(text: str) -> str:
    """Return the words of a manual page, without comments, names of requests and changes of fonts."""
    lines = (line for line in text.splitlines() if not line.startswith(('.\\"', "'\\\"")))
    return "\n".join(_ROFF_ESCAPE.sub("", _ROFF_COMMAND.sub("", line)).replace("\\-", "-") for line in lines).strip()
