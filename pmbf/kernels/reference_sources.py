"""A query compared with many texts. The reference of `native/align/sources.c`."""

from __future__ import annotations

from collections.abc import Sequence

from pmbf.kernels.asked import Asked, Made, Ready
from pmbf.kernels.judged import Judged
from pmbf.kernels.reference_judge import compare
from pmbf.kernels.reference_ready import ready

__all__ = ["as_ready", "compare_each"]


def compare_each(
    asked: Asked, texts: Sequence[bytes | None], made: Sequence[Made | None], commonest: tuple[int, int]
) -> tuple[list[Judged], list[Made]]:
    """Return the passages that `compare` finds in each of some texts.

    The second list has what was made of the texts: it saves making them ready once more. Only `as_ready` looks into it.

    Args:
        asked: The query.
        texts: The texts, in UTF-8; None for a text of which something was made.
        made: What was made of each text under the same counts of others, or None.
        commonest: As for `ready`.

    Raises:
        ParameterError: A text that nothing was made of is not UTF-8.
    """
    every = [
        ready(text or b"", asked.counts, commonest) if one is None else one
        for text, one in zip(texts, made, strict=True)
    ]
    return [compare(asked, one) for one in every], every


def as_ready(made: Made) -> Ready:
    """Return a text made ready from what `compare_each` made of it."""
    found: Ready = made
    return found
