"""The messages of a translated program as text: a paragraph for each, in the order of the file, equal ones once."""

from __future__ import annotations

import gettext
import io
import re
import zipfile
from collections.abc import Iterable

_LETTERS = re.compile(r"[^\W\d_]")
_VALUE = re.compile(r'\s*(?:<!ENTITY\s+\S+\s+"([^"]*)">|(?:[\w.-]+\s*=|(?<=\s))\s*(.*\S))\s*')
"""A line of a file of messages: an entity of a DTD, `name = message`, or a message that goes on."""
_FILES = (".ftl", ".properties", ".dtd")


def of_gettext(content: bytes) -> str:
    """Return the messages of a `.mo` file."""
    catalog: dict[object, str] = gettext.GNUTranslations(io.BytesIO(content))._catalog  # type: ignore[attr-defined]
    return _joined(message for name, message in catalog.items() if name)


def of_xpi(content: bytes) -> str:
    """Return the messages of a language package of Firefox or Thunderbird."""
    with zipfile.ZipFile(io.BytesIO(content)) as members:
        names = sorted(name for name in members.namelist() if name.endswith(_FILES))
        texts = [members.read(name).decode("utf-8", "replace") for name in names]
    found = (_VALUE.fullmatch(line) for text in texts for line in text.splitlines() if not line.startswith("#"))
    return _joined(one.group(1) or one.group(2) or "" for one in found if one)


def _joined(messages: Iterable[str]) -> str:
    """Return messages as paragraphs.

    >>> _joined(["Open %s", "1", "Open %s", "Save"])
    'Open %s\\n\\nSave'
    """
    return "\n\n".join(dict.fromkeys(one.strip() for one in messages if _LETTERS.search(one)))
