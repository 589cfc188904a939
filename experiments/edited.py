"""Is a passage found if some of its words are replaced: in scripts with spaces, and in scripts without?

Texts of one folder stand in a collection with all others. Some words in a row of each are put into another text of the
folder, with a share of them replaced by words of other texts. In Han, Kana, Thai and so on two letters are a word.
There single letters are replaced, but fewer: as many pairs of letters stay whole as words do in other scripts.

- candidate: the passage's source is among the documents compared in detail;
- found: the comparison also finds the passage in the source.
"""

from __future__ import annotations

import argparse
import random
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from experiments.arguments import add_params
from measure import report
from measure.commands import add_folder, add_numbers
from measure.corpora import described, read
from pmbf.base.errors import ParameterError
from pmbf.base.params import Params
from pmbf.collection import Collection
from pmbf.fingerprint import query_sample
from pmbf.kernels import gram_stops
from pmbf.report import Span
from pmbf.screen import candidates
from pmbf.store.folder import Store
from pmbf.verify import Prepared, Settings, Statistics, passages, prepare

WORDS = (80, 250)
SHARES = (0.08, 0.15, 0.25, 0.36, 0.58)
HOST_CHARS = 1500
"""Characters of the other text before and behind the passage."""

N_OTHERS = 16
"""Texts that words are taken from. The comparison also learns from them how rare words are."""

_TRIES = 40


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the experiment."""
    add_folder(parser)
    parser.add_argument("--of", type=Path, metavar="FOLDER", help="folder of the sources, inside the first (all)")
    add_numbers(parser, n_texts=(40, "sources"), seed=(2, "seed of all random choices"))
    add_params(parser)


def run(folder: Path, *, of: Path | None = None, params: Params, n_texts: int, seed: int) -> dict[str, Any]:
    """Return how many edited passages are found.

    Args:
        folder: Documents, as `.txt` files, searched recursively.
        of: A folder in it: the sources of the passages, and the texts they are put into; None for all.
        params: Of the collection.
        n_texts: Number of sources. Each gives a passage of each length and share.
        seed: Seed of all draws.

    Raises:
        ParameterError: The folder has too few texts that are long enough.
    """
    chance, of = random.Random(seed), of or folder
    paths = sorted(path for path in of.rglob("*.txt") if path.stat().st_size > 4 * HOST_CHARS)
    chance.shuffle(paths)
    if len(paths) < n_texts + N_OTHERS:
        raise ParameterError(f"{of}: has {len(paths)} texts that are long enough, {n_texts + N_OTHERS} are needed")
    others = [prepare(read(path)) for path in paths[:N_OTHERS]]
    counts: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as scratch:
        with Collection(Path(scratch) / "all.pmbf", create=True, params=params) as collection:
            collection.load([folder])
        with Store(Path(scratch) / "all.pmbf") as store:
            for path in paths[N_OTHERS : N_OTHERS + n_texts]:
                counts.update(_asked(store, path, others, chance))
    return {
        "corpus": described(folder),
        "of": described(of),
        "params": asdict(params),
        "seed": seed,
        "counts": dict(counts),
    }


def table(figures: dict[str, Any]) -> str:
    """Return the counts as a table in Markdown: candidates, found, of all."""
    counts = figures["counts"]
    lines = report.head(f"| words | {' | '.join(f'{share:.0%} replaced' for share in SHARES)} |")
    for n_words in WORDS:
        kinds = [f"{n_words} {share}" for share in SHARES]
        cells = [", ".join(str(counts.get(f"{one} {what}", 0)) for what in ("candidate", "found")) for one in kinds]
        cells = [f"{cell} of {counts.get(f'{one} asked', 0)}" for one, cell in zip(kinds, cells, strict=True)]
        lines.append(f"| {n_words} | {' | '.join(cells)} |")
    return "\n".join(lines)


def edited(text: Prepared, span: Span, share: float, others: Sequence[Prepared], chance: random.Random) -> str:
    """Return tokens of a text with a share of the words replaced; see the module."""
    starts, stops, singles = text.tokens.starts, text.tokens.stops, text.tokens.singles
    made = []
    for token in range(span.start, span.stop):
        is_replaced = chance.random() < (1 - (1 - share) ** 0.5 if singles[token] else share)
        made.append(_other(others, bool(singles[token]), chance) if is_replaced else _at(text, token))
        after = starts[token + 1] if token + 1 < span.stop else stops[token]
        made.append(text.text[stops[token] : after])
    return "".join(made)


def _asked(store: Store, path: Path, others: Sequence[Prepared], chance: random.Random) -> Iterator[str]:
    """Yield each question about one source, and whether its passage is found."""
    source, host = prepare(read(path)), others[0].text
    statistics = Statistics.of(one.words for one in others)
    for n_words in WORDS:
        if not (span := _drawn(source, n_words, chance)):
            continue
        for share in SHARES:
            copy = edited(source, span, share, others[1:], chance)
            query = f"{host[:HOST_CHARS]}\n\n{copy}\n\n{host[HOST_CHARS : 2 * HOST_CHARS]}"
            place = Span(HOST_CHARS + 2, HOST_CHARS + 2 + len(copy))
            yield f"{n_words} {share} asked"
            ids = [one.document for one in candidates(store.generation, query_sample(query, store.params))]
            if not any(str(path) in paths for paths in store.paths_of(ids).values()):
                continue
            yield f"{n_words} {share} candidate"
            found = passages(prepare(query), source, Settings(), statistics)
            if any(one.query.start < place.stop and place.start < one.query.stop for one in found):
                yield f"{n_words} {share} found"


def _drawn(text: Prepared, n_words: int, chance: random.Random) -> Span | None:
    """Return some words in a row, in scripts with spaces or without, as most of the text is."""
    stops, singles = gram_stops(text.tokens.singles, n_words), text.tokens.singles
    for _ in range(_TRIES if len(stops) else 0):
        first = chance.randrange(len(stops))
        span = Span(first, int(stops[first]))
        if (singles[span.start : span.stop].mean() > 0.5) == (2 * text.n_singles > text.n_tokens):
            return span
    return None


def _other(others: Sequence[Prepared], single: bool, chance: random.Random) -> str:
    """Return a word of some texts; a letter if that is asked for and the texts have one."""
    for _ in range(_TRIES):
        one = chance.choice(others)
        token = chance.randrange(one.n_tokens)
        if bool(one.tokens.singles[token]) == single:
            break
    return _at(one, token)


def _at(text: Prepared, token: int) -> str:
    return text.text[text.tokens.starts[token] : text.tokens.stops[token]]
