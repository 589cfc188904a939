"""From a payload's bytes to the text that is checked, or why there is none."""

from __future__ import annotations

from dataclasses import dataclass

from pmbf.errors import IncompleteError, UnsupportedError
from pmbf.extract import TEXT_KINDS, Limits, Part, extract, guess_kind, is_container
from pmbf.guard.types import Payload
from pmbf.guard.unseen import seen
from pmbf.screen import Text
from pmbf.text import clean


@dataclass(frozen=True, slots=True)
class ReadPayload:
    """A payload as it was read.

    Args:
        payload: Without its content.
        text: What is checked; empty where there is nothing.
        n_bytes: Of the content.
        is_plain: Whether the content is its own text.
        is_text: Whether it holds text at all.
        problems: What was not read.
        parts: Where the texts of documents inside it stand.
    """

    payload: Payload
    text: Text
    n_bytes: int
    is_plain: bool = False
    is_text: bool = True
    problems: tuple[str, ...] = ()
    parts: tuple[Part, ...] = ()


def read(payload: Payload, limits: Limits) -> ReadPayload:
    """Return a payload's text. Pictures and programs hold none; an archive that cannot be read is a problem."""
    bare = payload.bare()
    if payload.content is None:
        return ReadPayload(bare, Text(payload.name, ""), 0, problems=(payload.problem,))
    raw = payload.content
    empty = Text(payload.name, "")
    try:
        extracted = extract(raw, payload.name, limits, unseen=True)
    except (UnsupportedError, IncompleteError) as error:
        if isinstance(error, UnsupportedError) and guess_kind(raw, payload.name) is None and not is_container(raw):
            return ReadPayload(bare, empty, len(raw), is_text=False)
        return ReadPayload(bare, empty, len(raw), problems=(str(error).removeprefix(f"{payload.name}: "),))
    if extracted.encoding == "utf-8" and extracted.complete:  # the bytes are at hand, and sound
        whole = seen(extracted.text, raw, limits)
    else:
        text = clean(extracted.text)
        whole = seen(text, text.encode(), limits)
    is_plain = extracted.kind in TEXT_KINDS
    problems, parts = extracted.problems + whole.problems, extracted.parts + whole.parts
    return ReadPayload(bare, Text(payload.name, whole.text), len(raw), is_plain, problems=problems, parts=parts)
