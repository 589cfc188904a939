"""The sections of two texts that a template finds: a `same` section is compared with those of its name alone.

Skipped sections are masked in both texts before; see `masking`. The rule of a `same` section holds for both texts of a
pair. So passages are cut at the borders of the first text's sections, then at those of the second text's.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace

from pmbf import verify
from pmbf.comparison.results import Member
from pmbf.report import Passage
from pmbf.screen import Options
from pmbf.screen.sections import SectionRules
from pmbf.screen.templates import Template


def in_same_sections(ours: str, theirs: str, passages: Sequence[Passage], options: Options) -> Sequence[Passage]:
    """Return what of the passages that two texts share keeps the rules of a template.

    Args:
        ours, theirs: The texts; a passage's query stands in the first.
        passages: The passages, in the order of the first text.
        options: They hold the template.
    """
    if not isinstance(options.template, Template) or "same" not in {one.rule for one in options.template.sections}:
        return passages
    kept = _kept(ours, theirs, passages, options, options.template)
    back = _kept(theirs, ours, [_turned(one) for one in kept], options, options.template)
    return sorted((_turned(one) for one in back), key=lambda one: one.query)


def _kept(
    query: str, source: str, passages: Sequence[Passage], options: Options, template: Template
) -> Sequence[Passage]:
    settings = verify.Settings(min_chars=options.min_chars, threshold=options.min_similarity)
    same = [one for one in template.cut(query) if one.rule == "same"]
    rules = SectionRules(template, same, (), verify.prepare(query), settings, None)
    return [one for one in rules.kept(source, passages) if not one.not_counted]


def _turned(passage: Passage) -> Passage:
    return replace(passage, query=passage.source, source=passage.query)


def told_sections(template: str, members: Sequence[Member]) -> Iterator[str]:
    """Yield which sections of the texts are skipped, and how many texts have no section, as sentences.

    Args:
        template: The name of the template, or an empty text.
        members: The texts.
    """
    if not template:
        return
    skipped = Counter(name for one in members for name in {its.name for its in one.sections if its.rule == "skip"})
    if skipped:
        named = ", ".join(
            f"{name} ({n:,})" for name, n in sorted(skipped.items(), key=lambda item: (-item[1], item[0]))
        )
        yield f"sections that the template {template} skips, and in how many texts: {named}."
    if n_whole := sum(bool(one.n_tokens) and not one.sections for one in members):
        yield f"the template {template} found no section in {n_whole:,} of {len(members):,} texts; they count whole."
