"""Which documents are candidates: those with hashes of their own, and the best of the others."""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np
import pytest
from conftest import words

from pmbf import Collection
from pmbf.base.errors import ParameterError
from pmbf.fingerprint import query_sample
from pmbf.screen import Candidate, Options, candidates
from pmbf.screen.options import SENSITIVITIES
from pmbf.store.folder import Store

N_WORDS = 400


def reworded(text: str, seed: int) -> str:
    """Return a text that has 45 words of another one, of which three in nine are left."""
    others = words(seed, 45).split()
    passage = " ".join(word if at % 9 < 3 else others[at] for at, word in enumerate(text.split()[100:145]))
    return f"{words(seed + 500, 150)} {passage} {words(seed + 1000, 150)}"


def unrelated(seed: int) -> str:
    """Return sixty words, one in ten of which the other texts can have, too."""
    chosen = random.Random(seed)
    return " ".join(f"{word}{chosen.choice(['', *'123456789'])}" for word in words(seed, 60).split())


def loaded(path: Path, texts: dict[str, str]) -> Path:
    with Collection(path, create=True) as made:
        made.add_many(texts.items())
    return path


def asked(path: Path, text: str, **options: object) -> dict[str, Candidate]:
    """Return the candidates of a text by their names, best first."""
    with Store(path) as store:
        found = candidates(store.generation, query_sample(text, store.params), Options.of(options))
        return {store.paths_of([one.document])[one.document][0]: one for one in found}


def test_unrelated_documents_hide_no_source(tmp_path) -> None:
    """Sources that share one or two hashes with a reworded passage, among 100 and among 6,000 documents."""
    texts = {f"source-{n}": words(n, N_WORDS) for n in range(40)}
    path = loaded(tmp_path / "c.pmbf", texts | {f"other-{n}": unrelated(10_000 + n) for n in range(60)})
    queries = {name: reworded(text, 2000 + n) for n, (name, text) in enumerate(texts.items())}
    few = {name: asked(path, query).get(name) for name, query in queries.items()}
    faint = {name for name, found in few.items() if found and found.n_hits <= 2}
    assert len(faint) >= 10
    with Collection(path) as made:
        made.add_many((f"other-{n}", unrelated(10_000 + n)) for n in range(60, 5960))
    assert faint == {name for name in faint if name in asked(path, queries[name])}


def test_a_query_has_no_more_doubtful_candidates_than_its_sensitivity_says(tmp_path) -> None:
    texts = {f"{n}": words(n, 150) for n in range(200)}
    path = loaded(tmp_path / "c.pmbf", texts)
    phrases = " ".join(
        " ".join(text.split()[50:54]) + " " + words(7000 + n, 8) for n, text in enumerate(texts.values())
    )
    n_found = {name: len(asked(path, phrases, sensitivity=name)) for name in SENSITIVITIES}
    assert n_found == {name: doubts.n_unseen for name, doubts in SENSITIVITIES.items()}


def test_a_short_query_has_fewer_doubtful_candidates(tmp_path) -> None:
    texts = {f"{n}": words(n, 150) for n in range(60)}
    path = loaded(tmp_path / "c.pmbf", texts)
    phrases = " ".join(
        " ".join(text.split()[50:54]) + " " + words(7000 + n, 3) for n, text in enumerate(texts.values())
    )
    short = " ".join(phrases.split()[:120])
    with Store(path) as store:
        n_hashes = len(query_sample(short, store.params))
    most = SENSITIVITIES["normal"].of(n_hashes).n_unseen
    assert len(asked(path, short)) == most < SENSITIVITIES["normal"].n_unseen


def test_sure_documents_are_candidates_however_many_they_are(tmp_path) -> None:
    shared = {f"copy-{n}": words(5, 60) + " " + words(100 + n, 100) for n in range(40)}
    path = loaded(tmp_path / "c.pmbf", shared | {f"{n}": words(1000 + n, 40) for n in range(3000)})
    found = asked(path, f"{words(7, 300)} {words(5, 60)} {words(8, 300)}", sensitivity="fast")
    assert shared.keys() <= found.keys()


def test_of_two_documents_with_as_many_hits_the_smaller_one_is_likelier(tmp_path) -> None:
    """A hash of each of twelve small documents, and one of each of twelve large ones; eight are candidates."""
    small = {f"small-{n}": words(n, 100) for n in range(12)}
    large = {f"large-{n}": words(50 + n, 3000) for n in range(12)}
    path = loaded(tmp_path / "c.pmbf", small | large)
    phrases = [" ".join(text.split()[40:45]) for text in (*small.values(), *large.values())]
    random.Random(3).shuffle(phrases)
    found = asked(
        path, " ".join(f"{words(900 + n, 30)} {phrase}" for n, phrase in enumerate(phrases)), sensitivity="fast"
    )
    n_small = sum(name.startswith("small") for name in found)
    assert n_small > len(found) - n_small


def test_min_evidence_takes_the_place_of_the_sensitivity(tmp_path) -> None:
    path = loaded(tmp_path / "c.pmbf", {f"{n}": words(n, 150) for n in range(60)})
    text = " ".join(words(n, 150)[100:140] for n in range(60))
    found = asked(path, text, min_evidence=0.1)
    assert len(found) > SENSITIVITIES["normal"].n_unseen
    assert list(found) == list(asked(path, text, min_evidence=0.1, sensitivity="fast"))


def test_relative_sizes_average_one(tmp_path) -> None:
    path = loaded(tmp_path / "c.pmbf", {f"{n}": words(n, 50 * (n + 1)) for n in range(8)})
    with Store(path) as store:
        ids = store.generation.directory.live_ids()
        sizes = store.generation.relative_sizes(ids)
    assert sizes.mean() == pytest.approx(1)
    assert (np.diff(sizes) > 0).all()


@pytest.mark.parametrize("given", ["keen", "", None, 3, ["fast"]])
def test_another_sensitivity_is_refused(given: object) -> None:
    with pytest.raises(ParameterError, match=r"sensitivity is .*, expected 'fast' or 'normal' or 'thorough'"):
        Options.of({"sensitivity": given})
