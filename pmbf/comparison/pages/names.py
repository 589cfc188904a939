"""The names of an overview: how each text is called, numbered, coloured and ordered."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from pathlib import PurePath

from pmbf.comparison.counting import components
from pmbf.comparison.results import Comparison
from pmbf.pages.markup import escaped, shown_name

HUES = 12
"""Colours of clusters; the 13th has the colour of the first."""
NAME_CHARS = 22
"""Characters of a name in a chart."""


@dataclass(frozen=True)
class ShownNames:
    """The names of a comparison."""

    comparison: Comparison

    @cached_property
    def number(self) -> dict[str, int]:
        """The number of each text, in the order of names, from 0."""
        return {member.name: i for i, member in enumerate(self.comparison.members)}

    @cached_property
    def _cluster(self) -> dict[str, int]:
        """The number of the cluster of each text that is in one."""
        return {name: i for i, cluster in enumerate(self.comparison.clusters) for name in cluster.members}

    @cached_property
    def in_pairs(self) -> list[str]:
        """The texts that are in a pair, in the order of names."""
        return sorted({name for pair in self.comparison.pairs for name in (pair.a, pair.b)})

    @cached_property
    def by_cluster(self) -> list[str]:
        """The texts that are in a pair, cluster by cluster."""
        last = len(self.comparison.clusters)
        return sorted(self.in_pairs, key=lambda name: (self._cluster.get(name, last), name))

    @cached_property
    def group_number(self) -> dict[str, int]:
        """The number of each group, from 1."""
        groups = sorted({member.group for member in self.comparison.members})
        return {group: i for i, group in enumerate(groups, 1)}

    def alias(self, name: str) -> str:
        """Return what a text is called if names are hidden."""
        return f"Text {self.number[name] + 1}"

    def shown_as(self, name: str) -> str:
        """Return the attribute that holds the alias."""
        return f' data-as="{self.alias(name)}"'

    def hue(self, name: str) -> str:
        """Return the class of a text's colour: that of its cluster, or none."""
        return f"k{self._cluster[name] % HUES}" if name in self._cluster else "alone"

    @cached_property
    def short_plain(self) -> dict[str, str]:
        """The names for a chart, each of one text alone: the group, or the name without folders and ending.

        Of several texts of a group it is the group and the text's own name; what is too long is cut in its middle.
        """
        found = dict[str, str]()
        for choices in zip(*(self._choices(name) for name in self.in_pairs), strict=True):
            told = Counter(choices)
            for name, choice in zip(self.in_pairs, choices, strict=True):
                if told[choice] == 1:
                    found.setdefault(name, choice)
        return {name: found.get(name, _cut(f"{self.number[name] + 1} {name}")) for name in self.in_pairs}

    def _choices(self, name: str) -> list[str]:
        """Return what a text may be called in a chart, the shortest first."""
        group, own = self.comparison.by_name[name].group, PurePath(name)
        stem = own.stem or name
        short = stem if group in (name, stem) else group
        return [_cut(short), _cut(f"{group} {stem}" if short == group else name), _cut(name)]

    def short(self, name: str) -> str:
        """Return the same as HTML."""
        return escaped(self.short_plain[name])

    def labelled(self, most: int) -> set[str]:
        """Return the texts of components of the graph that have at most `most` texts."""
        root = components((pair.a, pair.b) for pair in self.comparison.pairs)
        sizes: dict[str, int] = {}
        for top in root.values():
            sizes[top] = sizes.get(top, 0) + 1
        return {name for name, top in root.items() if sizes[top] <= most}


def _cut(name: str) -> str:
    plain, half = shown_name(name), NAME_CHARS // 2
    return plain if len(plain) <= NAME_CHARS else f"{plain[: half - 1]}…{plain[-half:]}"
