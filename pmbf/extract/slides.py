"""The order in which a PPTX shows its slides: their files may be numbered otherwise."""

from __future__ import annotations

import posixpath

from pmbf.errors import IncompleteError
from pmbf.extract.archive import Archive
from pmbf.extract.reading import OverLimitError
from pmbf.extract.xml import walk

_PRESENTATION, _RELATIONS = "ppt/presentation.xml", "ppt/_rels/presentation.xml.rels"


def slide_order(archive: Archive) -> dict[str, int]:
    """Return the place of each slide's part by its name; empty if the package does not tell it.

    Raises:
        OverLimitError: A part expands too far.
    """
    if not {_PRESENTATION, _RELATIONS} <= set(archive.names()):
        return {}
    order, targets = _Attributes("sldId"), _Attributes("Relationship")
    try:
        walk(archive.chunks(_PRESENTATION), order)
        walk(archive.chunks(_RELATIONS), targets)
    except OverLimitError:
        raise
    except IncompleteError:  # told when the part is read for its text
        return {}
    files = {one.get("Id"): posixpath.join("/ppt", one.get("Target", ""))[1:] for one in targets.found}
    return {files[one.get("id")]: number for number, one in enumerate(order.found) if one.get("id") in files}


class _Attributes:
    """Collects the attributes of the elements of one name. The `r:id` of a slide follows its `id`, and replaces it."""

    def __init__(self, element: str) -> None:
        self.found: list[dict[str, str]] = []
        self._element = element

    def start(self, name: str, attributes: dict[str, str]) -> None:
        """Keep the attributes of the element."""
        if name == self._element:
            self.found.append(attributes)

    def end(self, name: str) -> None:
        """Nothing ends here."""

    def text(self, text: str) -> None:
        """No text is kept."""
