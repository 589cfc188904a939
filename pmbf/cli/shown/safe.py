r"""Foreign text on a terminal: escape sequences, bidi controls and invisible characters are shown, never obeyed.

>>> print(harmless("\x1b[2Jfree \u202etxt.exe"))
\x1b[2Jfree \u202etxt.exe
"""

from __future__ import annotations

import json
import re
import unicodedata
from typing import Any

from pmbf.report import OF_THE_FILTER

_RISKY = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})
"""Categories that a terminal may obey or a reader overlook: controls, format characters, surrogates, line
separators."""

_NEEDED = frozenset("\u200c\u200d\u0600\u0601\u0602\u0603\u0604\u0605\u06dd\u070f\u0890\u0891\u08e2")
"""Format characters that belong to ordinary words: the joiners of Persian, Indic scripts and emoji; Arabic signs."""

_SPACE = re.compile(r"\s+")


def harmless(text: str) -> str:
    r"""Return a text with every risky character as an escape; a byte that was no text becomes `\xNN`.

    >>> harmless("caf\udce9 \x07")
    'caf\\xe9 \\x07'
    """
    return text if text.isprintable() else "".join(_escaped(char) if _risky(char) else char for char in text)


def one_line(text: str) -> str:
    r"""Return a text with each run of white space as one space, and with risky characters as escapes.

    >>> one_line("two\n\n  lines")
    'two lines'
    """
    return harmless(_SPACE.sub(" ", text))


def one_message(text: str) -> str:
    r"""Return a message on one line. A line end in a file's name is an escape, so that it is told from a space.

    >>> one_message("new\nline.txt: no such file\n")
    'new\\x0aline.txt: no such file'
    """
    return harmless(text.strip())


def json_line(values: Any) -> bytes:
    r"""Return values as one line of JSON in UTF-8, readable, with risky characters as `\uNNNN`.

    >>> json_line({"path": "caf\udce9\x9b"})
    b'{"path": "caf\\udce9\\u009b"}\n'
    """
    line = json.dumps(values, ensure_ascii=False)
    if not line.isprintable():
        # All of JSON's own characters are ASCII and printable, so risky characters stand inside strings.
        line = "".join(json.dumps(char)[1:-1] if _risky(char) else char for char in line)
    return line.encode() + b"\n"


def _risky(char: str) -> bool:
    return not char.isprintable() and char not in _NEEDED and unicodedata.category(char) in _RISKY


def _escaped(char: str) -> str:
    code = ord(char)
    if 0xDC80 <= code <= 0xDCFF:  # how Python carries a byte of a file name that is no UTF-8
        code -= 0xDC00
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def unneeded(warning: str) -> str:
    """Return the note on a damaged file that an answer did not need, or on a filter that chose nothing.

    >>> unneeded("c.pmbf/tiles/000003.tile: the file is missing")
    'this answer did not need a damaged file: c.pmbf/tiles/000003.tile: the file is missing'
    """
    told = one_message(warning)
    return told if warning.startswith(OF_THE_FILTER) else f"this answer did not need a damaged file: {told}"
