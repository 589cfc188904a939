"""Texts of a program's own, each with a name, become documents."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence

from pmbf.errors import ParameterError
from pmbf.fingerprint import fingerprint
from pmbf.intake.labelling import label
from pmbf.store.pending import NewDocument
from pmbf.store.tables import TEXT_KIND
from pmbf.store.writer import Writer
from pmbf.text import clean

Named = tuple[str, str]
"""A name and a text."""

_FEW_WORDS, _MANY_WORDS = 4, 8


def checked(pairs: Iterable[object]) -> list[Named]:
    """Return pairs of a name and a text, both clean.

    Raises:
        ParameterError: An item is no pair, a name is no `str` or empty, or a text is no `str`. Or names and texts look
            swapped: most texts have under 4 words, and their names 8 words or more.
    """
    named = [_checked(row, pair) for row, pair in enumerate(pairs)]
    n_swapped = sum(_looks_swapped(name, text) for name, text in named)
    if n_swapped > len(named) / 2:
        raise ParameterError(
            f"{n_swapped} of {len(named)} texts have under {_FEW_WORDS} words, and their names {_MANY_WORDS} or more: "
            "add_many takes pairs (name, text), the name first"
        )
    return named


def add_texts(writer: Writer, named: Sequence[Named], labels: Mapping[str, str] | None = None) -> list[int]:
    """Store texts under their names, change labels of each name, commit, and return their documents' ids.

    Raises:
        ParameterError: A label is wrong; then nothing is stored.
    """
    ids = [_added(writer, name, text, labels) for name, text in named]
    writer.commit()
    return ids


def require_text(name: object, text: object, where: str = "") -> Named:
    """Return a name and a text, both clean; `where` begins the message of an error.

    Raises:
        ParameterError: The name is no `str` or empty, or the text is no `str`.
    """
    if not isinstance(name, str) or not name:
        raise ParameterError(f"{where}name is {name!r}, expected what to call the text")
    if not isinstance(text, str):
        raise ParameterError(
            f"{where}the text of {name!r} is {type(text).__name__}, expected str; decode or load files"
        )
    return clean(name), clean(text)


def _checked(row: int, pair: object) -> Named:
    if not isinstance(pair, tuple | list) or len(pair) != 2:
        raise ParameterError(f"texts[{row}] is {pair!r:.80}, expected a pair (name, text)")
    name, text = pair
    return require_text(name, text, where=f"texts[{row}]: ")


def _looks_swapped(name: str, text: str) -> bool:
    return len(text) < len(name) and len(text.split()) < _FEW_WORDS and len(name.split()) >= _MANY_WORDS


def _added(writer: Writer, name: str, text: str, labels: Mapping[str, str] | None) -> int:
    utf8 = text.encode()
    sha256 = hashlib.sha256(utf8).hexdigest()
    document = writer.with_contents(sha256, from_file=False)
    if document is None:
        taken = fingerprint(utf8, writer.store.params)
        document = writer.add(NewDocument.of(TEXT_KIND, sha256, utf8, taken))
    listed = writer.attach(name, document)
    if labels:
        label(writer, listed, labels)
    return document
