"""Do edited units name the unit they were made from? In any script; units come from the first folder."""

from __future__ import annotations

import random
import tempfile
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from experiments.sentences.editing import pieces
from experiments.sentences.recall import N_WORDS, Trial
from experiments.sentences.recall import add_arguments as add_arguments
from experiments.sentences.recall import lone as table
from measure.corpora import described, read
from pmbf import Collection
from pmbf.kernels import CODES
from pmbf.sentences import Sentences, build
from pmbf.store.folder import Store

__all__ = ["add_arguments", "run", "table"]


def run(folder: Path, others: Sequence[Path], *, n_cases: int, seed: int) -> dict[str, Any]:
    """Return how many edited units are found.

    Args:
        folder: Folder of texts that units come from.
        others: Folders of further texts that stand in the collection.
        n_cases: Units.
        seed: Of all draws.
    """
    chance = random.Random(seed)
    texts = [read(path) for path in sorted(folder.rglob("*.txt"))]
    words = [word for text in chance.sample(texts, min(50, len(texts))) for word in pieces(text)][:N_WORDS]
    counts: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as scratch:
        place = Path(scratch) / "all.pmbf"
        with Collection(place, create=True) as collection:
            collection.load([folder, *others])
        for code in CODES:
            with Store(place, writable=True) as store:
                build(store, code=code)
            with Store(place) as store:
                trial = Trial(store, Sentences(store), words, [], random.Random(seed + 1), str(folder.resolve()))
                counts.update(f"{code} {line}" for line in trial.lone_lines(n_cases))
    corpora = [described(one) for one in (folder, *others)]
    return {"corpora": corpora, "n": n_cases, "seed": seed, "counts": dict(counts)}
