"""Copies among some texts, as lines: each text that is kept, and its copies below it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pmbf.alike.resultsets import Duplicate, Duplicates, Group
from pmbf.cli.shown.figures import counted, percent, shown_path
from pmbf.cli.shown.safe import one_line

MOST_SHARED, SHARED_CHARS = 5, 96


def duplicates_text(found: Duplicates, names: Sequence[str], *, why: bool = False) -> str:
    """Return the groups of copies, what a copy shares if asked why, and how many texts are left without them."""
    lines = [line for group in found.groups for line in _group(found, group, names, why)]
    n_hidden = len(names) - len(found.keep)
    verb = "is a copy" if n_hidden == 1 else "are copies"
    told = f"{n_hidden:,} of {counted(len(names), 'text')} {verb}; {len(found.keep):,} to keep."
    return "\n".join([*lines, told if n_hidden else f"No copies among {counted(len(names), 'text')}.", ""])


def _group(found: Duplicates, group: Group, names: Sequence[str], why: bool) -> Iterator[str]:
    yield shown_path(names[group.representative])
    for member in group.members:
        yield f"  {percent(member.similarity):>5}  {shown_path(names[member.article])}{_contained(member)}"
        if why:
            shared = found.why(group.representative, member.article)
            yield from (f"         “{_shortened(one.text)}”" for one in shared[:MOST_SHARED])
            if len(shared) > MOST_SHARED:
                yield f"         and {len(shared) - MOST_SHARED:,} more"
    yield ""


def _contained(member: Duplicate) -> str:
    """Return how much of a copy the kept text has, if that says more than their similarity."""
    return f"  ({percent(member.contained)} of it)" if member.contained - member.similarity > 0.1 else ""


def _shortened(text: str) -> str:
    line = one_line(text)
    return line if len(line) <= SHARED_CHARS else line[: SHARED_CHARS - 1].rstrip() + "…"
