"""What the tests of sentences share: made-up texts, and the store computed from the texts in the plainest way."""

from __future__ import annotations

import random
from collections import Counter

from pmbf import Collection, kernels
from pmbf.sentences import Sentences, by_keys
from pmbf.store.folder import Store

_CHANCE = random.Random(0)
WORDS = ["".join(_CHANCE.choices("abcdefghijklmnoprstuvw", k=_CHANCE.randrange(2, 10))) for _ in range(400)]

Found = set[tuple[int, int, int, int, int]]


def sentence(seed: int, n_words: int = 14) -> str:
    """Return a sentence of its own for each seed, some 80 characters long."""
    chance = random.Random(seed)
    return " ".join(chance.choice(WORDS) for _ in range(n_words)).capitalize() + "."


def text(*seeds: int) -> str:
    """Return the sentences of some seeds, as one paragraph."""
    return " ".join(map(sentence, seeds))


def found_by(folder: str, query: str) -> Found:
    """Return unit of the query, document, start, stop and equal keys of each candidate, as the store finds them."""
    with Store(folder) as store:
        sentences = Sentences(store)
        keys = kernels.units(query.encode(), code=sentences.code, from_each=True).keys
        asked, units, n_equal = sentences.look_up(keys)
        documents, spans = sentences.documents(units).tolist(), sentences.spans(units).tolist()
        rows = zip(asked.tolist(), documents, spans, n_equal.tolist(), strict=True)
        return {(one, document, *span, n) for one, document, span, n in rows}


def brute_force(folder: str, query: str, code: str = "words") -> Found:
    """Return the same from all texts: each unit beside each other one."""
    with Collection(folder) as collection:
        cut = {one.id: kernels.units(collection.text(one.id).encode(), code=code) for one in collection.documents()}
    stored = [
        (id_, *span, [key >> 32 for key in keys])
        for id_, units in cut.items()
        for span, keys in zip(units.spans.tolist(), units.keys.tolist(), strict=True)
    ]
    counts = Counter(key for *_, keys in stored for key in keys)
    found = set()
    for asked, keys in enumerate(kernels.units(query.encode(), code=code, from_each=True).keys.tolist()):
        mine = {key >> 32 for key in keys}
        for document, start, stop, theirs in stored:
            most = len(stored) if code == "paper" else by_keys.MOST_UNITS_OF_A_KEY
            shared = [key for key in theirs if key in mine and counts[key] <= most]
            is_near = sum((one >> 32 ^ other).bit_count() for one, other in zip(keys, theirs, strict=True)) <= 4
            is_rare = len(shared) > 1 or any(counts[key] <= by_keys.MOST_UNITS_ALONE for key in shared)
            if shared and (is_near if code == "paper" else is_rare):
                found.add((asked, document, start, stop, len(shared)))
    return found
