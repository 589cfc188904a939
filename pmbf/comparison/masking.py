"""Text that does not count is masked before texts are compared: blanks stand in its place, so offsets stay.

A template in two texts is no passage then. Nor does the template make a passage of the words around it, and no text
becomes a candidate of another by the template.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace

from pmbf.base.span import Span, length_inside, merged, union_length
from pmbf.comparison.common import common_parts
from pmbf.intake.entering import Entered, EnteredText, stored
from pmbf.report import Section
from pmbf.screen import Options, exempt


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
        given: The documents.
        groups: Numbers of the groups of each document, by id.
        most: How many groups may have a text that counts.
        options: What is ignored: texts, quotations, bibliographies, sections that a template skips.
    """
    n_groups = len({group for some in groups.values() for group in some})
    asked = replace(options, apparatus=False)
    found = {}
    for document in given.documents:
        exempted = exempt(document.text, asked)
        ignored = merged(exempted.excluded)
        parts = common_parts(given.store.generation, document.text, groups, n_groups, most)
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
