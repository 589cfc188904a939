"""Text that does not count: ignored and common parts, masked before texts are compared.

Common parts stand in the texts of many groups, such as a template or the wording of the task:

    sampled hashes of all texts ─► those that many groups have ─► runs of them in each text

A text has a sampled hash every 20 characters, so both ends of a common part are known to some 20 characters.

Blanks stand in the place of what does not count, so offsets stay. A template in two texts is no passage then. Nor does
the template make a passage of the words around it, and no text becomes a candidate of another by the template.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from pmbf.base.arrays import distinct
from pmbf.base.errors import ParameterError
from pmbf.base.hashes import Hashes
from pmbf.base.params import Params
from pmbf.base.span import Span, length_inside, merged, union_length
from pmbf.fingerprint import query_sample
from pmbf.intake.entering import Entered, EnteredText, stored
from pmbf.report import Section
from pmbf.screen import Options, exempt

LEAST_GROUPS, MOST_GROUPS, USUAL_SHARE = 5, 50, 0.25
"""By default, text that more than a fourth of the groups has is common; that more than 50 have, in a large class; that
up to 5 have, never. Five in a class of twenty who copied from each other are a cluster, not a template."""

RUN_HASHES, GAP_HASHES = 4, 2
"""Hashes of many groups that make a common part: four, some 80 characters, with at most two others in between: a name
that was filled in."""

SHINGLE_CHARS = 16
"""Characters of three words."""


@dataclass(frozen=True, slots=True)
class Out:
    """What of a text does not count.

    Args:
        spans: Ignored and common parts, ascending and disjoint.
        n_ignored: Characters that are ignored.
        n_common: Other characters that are common.
        sections: The sections that a template finds; the skipped ones are among the ignored characters.
        named: The common parts and those of texts that the user named; None: these are all of `spans`.
    """

    spans: Sequence[Span] = ()
    n_ignored: int = 0
    n_common: int = 0
    sections: Sequence[Section] = ()
    named: Sequence[Span] | None = None

    @property
    def by_name(self) -> Out:
        """What of it does not count because its text was named, or is common: the rest is left out by a rule."""
        return self if self.named is None else replace(self, spans=self.named)


def left_out(given: Entered, groups: Mapping[int, Sequence[int]], most: int, options: Options) -> dict[int, Out]:
    """Return what does not count of each document, by id.

    Args:
        groups: Numbers of the groups of each document, by id.
        most: How many groups may have a text that counts.
    """
    params, asked = given.store.params, replace(options, apparatus=False)
    common = common_hashes({document.text: groups[document.id] for document in given.documents}, params, most)
    found = {}
    for document in given.documents:
        exempted = exempt(document.text, asked)
        ignored = merged(exempted.excluded)
        parts = common_parts(document.text, common, params)
        shared = [part for part in parts if 2 * length_inside([part], ignored) <= len(part)]
        spans = merged([*ignored, *shared])
        n_ignored = union_length(ignored)
        by_rule = exempted.reasons.keys() - {"ignored"}
        named = merged([*exempted.reasons.get("ignored", ()), *shared]) if by_rule else None
        found[document.id] = Out(spans, n_ignored, union_length(spans) - n_ignored, exempted.sections, named)
    return found


@contextmanager
def masked(given: Entered, out: Mapping[int, Out]) -> Iterator[Entered]:
    """Yield the documents without the text that does not count; offsets are those of the original texts."""
    if not any(one.spans for one in out.values()):
        yield given
        return
    texts = {str(document.id): _masked(document.text, out[document.id].spans) for document in given.documents}
    by_id = {str(document.id): document for document in given.documents}
    with stored(list(texts.items())) as again:
        documents = tuple(_with_all_names(one, [by_id[number] for number in one.names]) for one in again.documents)
        yield replace(again, documents=documents)


def _masked(text: str, spans: Sequence[Span]) -> str:
    pieces, at = [], 0
    for span in spans:
        pieces += [text[at : span.start], "\n" * len(span)]
        at = span.stop
    return "".join([*pieces, text[at:]])


def _with_all_names(one: EnteredText, originals: Sequence[EnteredText]) -> EnteredText:
    return replace(one, names=tuple(sorted(name for original in originals for name in original.names)))


# ---------------------------------------------------------------------- common parts


def most_groups(given: int | float | None, n_groups: int) -> int:
    """Return how many groups may have a text that counts: as given, as a share if it is a `float`, or by default.

    Raises:
        ParameterError: It is outside its range.

    >>> most_groups(None, 20), most_groups(None, 300), most_groups(0.5, 300), most_groups(3, 20)
    (5, 50, 150, 3)
    """
    if given is None:
        return min(MOST_GROUPS, max(LEAST_GROUPS, int(USUAL_SHARE * n_groups)))
    if isinstance(given, bool) or not isinstance(given, int | float):
        raise ParameterError(f"common is {given!r}, expected a number of groups or a share of them")
    if isinstance(given, float):
        if not 0 <= given <= 1:
            raise ParameterError(f"common is {given}, expected a share from 0 to 1")
        return max(1, int(given * n_groups))
    if given < 1:
        raise ParameterError(f"common is {given}, expected at least 1 group")
    return given


def common_hashes(texts: Mapping[str, Sequence[int]], params: Params, most: int) -> Hashes:
    """Return the sampled hashes that more than `most` groups have, ascending; the texts come with their groups."""
    of_groups: dict[int, list[Hashes]] = {group: [] for groups in texts.values() for group in groups}
    if len(of_groups) <= most:
        return np.empty(0, np.uint32)
    for text, groups in texts.items():
        hashes = query_sample(text, params).hashes
        for group in groups:
            of_groups[group].append(hashes)
    ordered = np.sort(np.concatenate([distinct(np.concatenate(some)) for some in of_groups.values()]))
    return distinct(ordered[most:][ordered[most:] == ordered[:-most]])  # `most` places apart: there are more


def common_parts(text: str, common: Hashes, params: Params) -> list[Span]:
    """Return the parts of a clean text that are runs of common hashes, ascending."""
    if not len(common):
        return []
    sample = query_sample(text, params, starts=True)
    is_common = common[np.minimum(np.searchsorted(common, sample.hashes), len(common) - 1)] == sample.hashes
    starts = sample.starts.astype(np.int64)
    return [_between(starts, first, last, len(text)) for first, last in _runs(is_common)]


def _runs(is_common: NDArray[np.bool_]) -> list[tuple[int, int]]:
    """Return the first and the last hash of each run."""
    places = np.flatnonzero(is_common)
    if not len(places):
        return []
    breaks = np.flatnonzero(np.diff(places) > GAP_HASHES + 1) + 1
    return [(int(run[0]), int(run[-1])) for run in np.split(places, breaks) if len(run) >= RUN_HASHES]


def _between(starts: NDArray[np.int64], first: int, last: int, n_chars: int) -> Span:
    """Return the characters of a run. It ends somewhere between its last hash and the next one: in the middle."""
    start = int(starts[first - 1] + starts[first]) // 2 if first else 0
    stop = int(starts[last] + starts[last + 1]) // 2 + SHINGLE_CHARS if last + 1 < len(starts) else n_chars
    return Span(start, min(stop, n_chars))
