"""`pan align`: the passages that pmbf's verification finds in each pair of a corpus.

Each place of a suspicious document goes to the source that is most alike. So all pairs of a document are aligned
together, and again if one of them has no file yet.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import cache, lru_cache
from itertools import groupby
from pathlib import Path
from typing import Any

from experiments.arguments import chosen
from experiments.pan.annotations import Pair, file_name, write_detections
from experiments.pan.corpus import Corpus
from experiments.pan.plagdet import Annotation
from experiments.pan.running import Done, Outcome, open_run, processed
from experiments.pan.strongest import strongest
from measure.corpora import read
from pmbf.report import Passage
from pmbf.verify import Prepared, Settings, Statistics, passages, prepare

MIN_CHARS = 150
"""Characters of the shortest case that PAN annotates."""

N_SAMPLED = 64
"""Sources whose words are counted, to learn how rare each word is."""

Group = tuple[str, tuple[str, ...]]
"""A suspicious document and the sources it is compared with."""


def align(
    corpus: Corpus,
    out: Path,
    *,
    settings: dict[str, Any] | None = None,
    every: bool = False,
    jobs: int = 1,
    redo: bool = False,
) -> Done:
    """Write a file of detections for every pair. Files that an earlier start of the same run wrote are kept.

    Args:
        corpus: The corpus. If it lists no pairs, then the pairs with a case are aligned.
        out: Folder of the detections.
        settings: Fields of `pmbf.verify.Settings` that are not the default.
        every: Whether each suspicious document is compared with each source.
        jobs: Processes, at least 1.
        redo: Whether existing detections are deleted first.

    Raises:
        ParameterError: A setting is outside its range, or `out` holds detections of another run.
        IncompleteError: A process died.
    """
    given = settings or {}
    # No reworded passage is shorter than the shortest passage; a screening has the same rule.
    how = chosen(Settings, given, min_chars=MIN_CHARS)
    how = chosen(Settings, given, min_chars=MIN_CHARS, min_reworded_chars=max(how.min_chars, how.min_reworded_chars))
    pairs = corpus.aligned_pairs(every=every)
    parameters = {"step": "align", "corpus": corpus.folder.resolve().name, "n_pairs": len(pairs), "every": every}
    open_run(out, parameters | {"settings": asdict(how)}, redo=redo)
    groups = unfinished(pairs, out)
    work = Aligning(corpus, out, how, sampled(corpus))
    return processed(out, work, groups, n_steps=sum(len(group[1]) for group in groups), what="Pairs", jobs=jobs)


def unfinished(pairs: Sequence[Pair], out: Path) -> list[Group]:
    """Return the suspicious documents with a pair that has no file yet, each with all its sources."""
    every = [list(those) for _, those in groupby(pairs, key=lambda pair: pair[0])]
    wanted = [those for those in every if not all((out / file_name(pair)).exists() for pair in those)]
    return [(those[0][0], tuple(source for _, source in those)) for those in wanted]


@dataclass(frozen=True, slots=True)
class Aligning:
    """Aligns one suspicious document with its sources, and writes a file for each pair."""

    corpus: Corpus
    out: Path
    settings: Settings
    taught_by: tuple[Path, ...]

    def __call__(self, group: Group) -> Outcome:
        """Return how many pairs were aligned."""
        suspicious, names = group
        for name, found in self.found(group).items():
            pair = suspicious, name
            write_detections(self.out / file_name(pair), suspicious, [detection(pair, passage) for passage in found])
        return len(names), ""

    def found(self, group: Group) -> dict[str, tuple[Passage, ...]]:
        """Return the passages of each source."""
        suspicious, names = group
        query = prepare(read(self.corpus.suspicious[suspicious]))
        statistics = _statistics(self.taught_by)
        found = {
            number: passages(query, _prepared(self.corpus.sources[name]), self.settings, statistics)
            for number, name in enumerate(names)
        }
        return {names[number]: kept for number, kept in strongest(found).items()}


def detection(pair: Pair, passage: Passage) -> Annotation:
    """Return a passage as PAN writes it."""
    query, source = passage.query, passage.source
    return Annotation(pair[0], query.start, len(query), pair[1], source.start, len(source))


def sampled(corpus: Corpus) -> tuple[Path, ...]:
    """Return a random sample of the sources; it teaches how rare words are, as the texts of a collection do."""
    paths = sorted(corpus.sources.values())
    return tuple(random.Random(0).sample(paths, min(N_SAMPLED, len(paths))))


@cache
def _statistics(paths: tuple[Path, ...]) -> Statistics:
    return Statistics.of(prepare(read(path)).words for path in paths)


@lru_cache(maxsize=256)
def _prepared(path: Path) -> Prepared:
    return prepare(read(path))
