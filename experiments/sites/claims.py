"""From how many equal keys on is a unit claimed privately? Chosen on every second query, reported on the others.

The answer of a private question is which keys the site has, so keys are looked up here without points of a curve. A
claim is right if the sentence is found when words are compared.
"""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from experiments.arguments import write_figures
from experiments.sites.cost import QUERY_WORDS, queries_of
from experiments.sites.served import collected, made
from measure import report
from measure.corpora import described
from pmbf import Collection
from pmbf.arrays import among
from pmbf.sentences import Sentences
from pmbf.sentences.comparing import Asked
from pmbf.sites.client import Answer
from pmbf.sites.keying import top_bits
from pmbf.sites.merging import Told, merged_with
from pmbf.sites.private import LEAST_PRIVATELY
from pmbf.sites.protocol import CODE
from pmbf.store.folder import Store

THRESHOLDS = range(2, 9)
HALVES = ("chosen on", "reported")
Counts = dict[str, list[int]]


def run(pan: Path, folders: Sequence[Path], *, n: int, out: Path | None = None) -> str:
    """Return the figures as Markdown; the arguments are those of `cost.run`."""
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        with Collection(folder / "site.pmbf", create=True) as collection:
            collection.load([pan / "src", *folders])
            collection.build_sentences()
        collected(folder / "home.pmbf", {"own": "Nothing here has been copied from anywhere, has it?"})
        card = made(folder, "site", None).own
        with Store(folder / "site.pmbf") as store:
            sentences = Sentences(store)
            known, key_bits = sentences.known_keys(), sentences.state.key_bits
        halves: list[Counts] = [{str(least): [0, 0, 0] for least in THRESHOLDS} for _ in HALVES]
        queries = queries_of(pan, n)
        with Collection(folder / "site.pmbf") as site, Collection(folder / "home.pmbf") as home:
            for number, query in enumerate(queries):
                found = {at for at, one in enumerate(site.screen_sentences(query).sentences) if one.outcome == "found"}
                asked, at_home = Asked.of(query, CODE), home.screen_sentences(query)
                keys = top_bits(asked.units.keys, key_bits)
                n_equal = among(keys.ravel(), known).reshape(keys.shape)
                for least in THRESHOLDS:
                    units = np.flatnonzero(n_equal.sum(axis=1) >= least).tolist()
                    answer = Answer(claims=[(unit, 0) for unit in units], titles=["its documents"])
                    told = merged_with(at_home, asked, range(len(asked.spans)), [Told(card, answer)])
                    claimed = {at for at, one in enumerate(told.sentences) if one.outcome == "claimed"}
                    counts = halves[number % 2][str(least)]
                    for place, some in enumerate((claimed, found, claimed & found)):
                        counts[place] += len(some)
    figures = {
        "about": report.about(),
        "corpora": [described(one) for one in (pan / "src", *folders)],
        "n": len(queries),
        "halves": halves,
        "chosen": chosen(halves[0]),
    }
    write_figures(figures, out)
    return table(figures)


def chosen(counts: Counts) -> int:
    """Return the threshold with the highest harmonic mean of precision and recall, 2 both / (claimed + found).

    >>> chosen({"3": [30, 20, 18], "4": [20, 20, 17]})
    4
    """
    return int(max(counts, key=lambda least: 2 * counts[least][2] / max(1, counts[least][0] + counts[least][1])))


def table(figures: dict[str, Any]) -> str:
    """Return the figures as a table in Markdown."""
    heads = " | ".join(f"{half}: {what}" for half in HALVES for what in ("claimed", "right", "of those found"))
    lines = [f"| equal keys of 10 | {heads} |", "|---:|" + "---:|" * 6]
    for least in THRESHOLDS:
        cells = []
        for half in figures["halves"]:
            n_claimed, n_found, n_both = half[str(least)]
            cells += [f"{n_claimed:,}", f"{n_both / max(1, n_claimed):.1%}", f"{n_both / max(1, n_found):.1%}"]
        lines.append(f"| {least} | {' | '.join(cells)} |")
    best = figures["chosen"]
    told = (
        f"{figures['n']} queries of {QUERY_WORDS:,} words; the half for choosing names {best} equal keys (harmonic "
        f"mean of both shares); pmbf claims from {LEAST_PRIVATELY} on"
    )
    return "\n".join([*lines, "", told])
