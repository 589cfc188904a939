"""What the office formats have in common: a zip of XML parts, walked for their text, and of documents inside."""

from __future__ import annotations

import re
from typing import Protocol

from pmbf.errors import IncompleteError
from pmbf.extract.archive import Archive
from pmbf.extract.flow import Flow
from pmbf.extract.kinds import is_media
from pmbf.extract.reading import OverLimitError, Reading
from pmbf.extract.xml import Walker, walk

_BLANK_LINES = re.compile(r"\n{3,}")


class FlowWalker(Walker, Protocol):
    """A walker that keeps the text it hears."""

    flow: Flow


def part_text(archive: Archive, name: str, walker: FlowWalker, reading: Reading) -> str:
    """Return the text of one XML part. Of a broken part: what comes before the break, and a note."""
    try:
        walk(archive.chunks(name), walker)
    except OverLimitError:
        raise
    except IncompleteError as error:
        reading.problem(f"{name}: {error}")
    reading.spend_text(walker.flow.n_chars)
    text = walker.flow.text()
    return _BLANK_LINES.sub("\n\n", text) if text.strip() else ""


def member_text(archive: Archive, name: str, reading: Reading) -> str:
    """Return the text of a member that is a document of its own; pictures and the like have none."""
    try:
        head = archive.head(name)
        return reading.embedded(archive.read(name), name) if head and not is_media(head) else ""
    except OverLimitError:
        raise
    except IncompleteError as error:
        reading.problem(str(error))
        return ""
