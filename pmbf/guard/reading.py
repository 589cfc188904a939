"""From a payload's bytes to the text that is checked, or why there is none."""

from __future__ import annotations

from dataclasses import dataclass, replace

from pmbf import kernels
from pmbf.base.errors import IncompleteError, UnsupportedError
from pmbf.extract import TEXT_KINDS, Limits, Part, extract, guess_kind, is_container, refusal, runs
from pmbf.guard.types import Payload
from pmbf.guard.unseen import seen
from pmbf.intake.texts import Text, checksum
from pmbf.text import clean

AT_ONCE_BYTES = 1 << 20
"""Of plain text that is decoded here. A longer one takes a process that is ended when its time is over."""


@dataclass(frozen=True, slots=True)
class ReadPayload:
    """A payload as it was read.

    Args:
        payload: Without its content.
        text: What is checked, and the file's checksum if it is no plain text; empty where there is nothing.
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
    raw = payload.content
    if raw is None:
        return ReadPayload(payload, Text(payload.name, ""), 0, problems=(payload.problem,))
    looks = kernels.looks(raw)
    kind = guess_kind(raw, payload.name, is_clean=looks.is_clean)
    if kind is None and len(raw) <= limits.max_bytes:
        return _no_document(payload.bare(), raw, limits)
    if looks.is_clean and kind in TEXT_KINDS and len(raw) <= min(limits.max_bytes, limits.max_text_bytes):
        whole = seen(raw, looks, limits)
        text = Text(payload.name, whole.content)
        return ReadPayload(payload.bare(), text, len(raw), True, problems=whole.problems, parts=whole.parts)
    return _extracted(payload.bare(), raw, kind, limits)


def _extracted(bare: Payload, raw: bytes, kind: str | None, limits: Limits) -> ReadPayload:
    """Return the text of what is no plain text, or not at first sight."""
    try:
        extracted = extract(raw, bare.name, limits, apart=len(raw) > AT_ONCE_BYTES, unseen=True, kind=kind)
    except (UnsupportedError, IncompleteError) as error:
        reason = str(error).removeprefix(f"{bare.name}: ")
        return ReadPayload(bare, Text(bare.name, ""), len(raw), problems=(reason,))
    encoded = clean(extracted.text).encode()
    extracted = replace(extracted, text="")
    whole = seen(encoded, kernels.looks(encoded), limits)
    problems, parts = extracted.problems + whole.problems, extracted.parts + whole.parts
    is_plain = kind in TEXT_KINDS
    # A scan has no text but its properties, which a screening does not read: here it has text, there it has none.
    read = Text(bare.name, whole.content, sha256="" if is_plain else checksum(raw))
    return ReadPayload(bare, read, len(raw), is_plain, problems=problems, parts=parts)


def _no_document(bare: Payload, raw: bytes, limits: Limits) -> ReadPayload:
    """Return the runs of text in a picture, a program or unknown bytes; of an archive they are not all there is."""
    text, damage = runs(raw)
    encoded = text.encode()
    del text
    whole = seen(encoded, kernels.looks(encoded), limits)
    holds_more = is_container(raw, bare.name)
    reason = refusal(raw, bare.name).removeprefix(f"{bare.name}: ")
    problems = ((reason,) if holds_more else ()) + damage + whole.problems
    read = Text(bare.name, whole.content, sha256=checksum(raw))
    return ReadPayload(bare, read, len(raw), is_text=holds_more, problems=problems, parts=whole.parts)
