"""The order in which a PPTX shows its slides: their files may be numbered otherwise."""

from __future__ import annotations

import posixpath

from pmbf.base.errors import IncompleteError
from pmbf.extract.archive import Archive
from pmbf.extract.reading import OverLimitError
from pmbf.extract.xml import Attributes, walk

_PRESENTATION, _RELATIONS = "ppt/presentation.xml", "ppt/_rels/presentation.xml.rels"


def slide_order(archive: Archive) -> dict[str, int]:
    """Return the place of each slide's part by its name; empty if the package does not tell it.

    Raises:
        OverLimitError: A part expands too far.
    """
    if not {_PRESENTATION, _RELATIONS} <= set(archive.names()):
        return {}
    order, targets = Attributes("sldId"), Attributes("Relationship")
    try:
        walk(archive.chunks(_PRESENTATION), order)
        walk(archive.chunks(_RELATIONS), targets)
    except OverLimitError:
        raise
    except IncompleteError:  # told when the part is read for its text
        return {}
    files = {one.get("Id"): posixpath.join("/ppt", one.get("Target", ""))[1:] for one in targets.found}
    return {files[one.get("id")]: number for number, one in enumerate(order.found) if one.get("id") in files}
