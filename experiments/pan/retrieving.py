"""`pan retrieve`: every suspicious document screened against a collection of all sources.

    OUT/sources.pmbf                              the collection of all sources
    OUT/suspicious-documentN.candidates.tsv       the candidates, best first: name, hits, evidence
    OUT/suspicious-documentN.xml                  passages of `Collection.screen`; it is written last

As in `pan align`, each place of a suspicious document goes to the source that is most alike.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from functools import cache
from itertools import islice
from pathlib import Path
from typing import Any

from experiments.arguments import chosen
from experiments.pan.aligning import MIN_CHARS, detection
from experiments.pan.annotations import write_detections, write_whole
from experiments.pan.corpus import Corpus
from experiments.pan.plagdet import Annotation
from experiments.pan.running import Done, Outcome, open_run, processed
from experiments.pan.strongest import strongest
from measure.corpora import read
from pmbf.base.params import Params
from pmbf.collection import Collection
from pmbf.fingerprint import query_sample
from pmbf.report import Report
from pmbf.screen import Options, candidates
from pmbf.store.folder import Store

COLLECTION = "sources.pmbf"
BATCH_TEXTS = 200
CANDIDATES = ".candidates.tsv"


def retrieve(
    corpus: Corpus,
    out: Path,
    *,
    options: dict[str, Any] | None = None,
    params: dict[str, Any] | None = None,
    jobs: int = 1,
    redo: bool = False,
) -> Done:
    """Write the candidates and the detections of every suspicious document. Files of an earlier, equal run are kept.

    Args:
        corpus: The corpus; its pairs are not used.
        out: Folder of the detections.
        options: Fields of `pmbf.screen.Options` that differ from the defaults.
        params: Fields of the collection's `pmbf.base.params.Params` that differ from the defaults.
        jobs: Processes, at least 1.
        redo: Whether the files of an earlier run are deleted first.

    Raises:
        ParameterError: A value is outside its range, or `out` holds detections of another run.
        IncompleteError: A process died.
    """
    how, made_with = chosen(Options, options or {}, min_chars=MIN_CHARS), chosen(Params, params or {})
    parameters = {"step": "retrieve", "corpus": corpus.folder.resolve().name, "n_suspicious": len(corpus.suspicious)}
    open_run(out, parameters | {"options": asdict(how), "params": asdict(made_with)}, redo=redo)
    if redo:
        shutil.rmtree(out / COLLECTION, ignore_errors=True)
    _opened.cache_clear()
    _load(corpus, out / COLLECTION, made_with)
    names = [name for name in corpus.suspicious if not _path(out, name, ".xml").exists()]
    work = Retrieving(corpus, out, how)
    return processed(out, work, names, n_steps=len(names), what="Suspicious documents", jobs=jobs)


@dataclass(frozen=True, slots=True)
class Retrieving:
    """Screens one suspicious document, and writes its candidates and its detections."""

    corpus: Corpus
    out: Path
    options: Options

    def __call__(self, name: str) -> Outcome:
        """Return 1, the number of documents screened, and the problems; empty if there are none."""
        text = read(self.corpus.suspicious[name])
        store, collection = _opened(self.out / COLLECTION)
        write_whole(_path(self.out, name, CANDIDATES), "".join(_candidates(store, text, self.options)))
        asked = {field: getattr(self.options, field) for field in self.options.__dataclass_fields__}
        report = collection.screen(text, name=name, **asked)
        write_detections(_path(self.out, name, ".xml"), name, detections(report))
        return 1, f"{name}: {'; '.join(report.problems)}" if report.problems else ""


def detections(report: Report) -> Iterator[Annotation]:
    """Yield the passages of a report in PAN's form, once for each name of the source."""
    names = {match.document.id: match.document.paths for match in report.matches}
    kept = strongest({match.document.id: match.passages for match in report.matches})
    for document, passages in kept.items():
        for source in names[document]:
            for passage in passages:
                yield detection((report.query.name, source), passage)


def _load(corpus: Corpus, path: Path, params: Params) -> None:
    """Load the sources that are not in the collection yet, under their names in the corpus."""
    with Collection(path, create=True, params=params) as collection:
        there = {name for document in collection.documents() for name in document.paths}
        texts = ((name, read(source)) for name, source in corpus.sources.items() if name not in there)
        while batch := list(islice(texts, BATCH_TEXTS)):
            collection.add_many(batch)


def _candidates(store: Store, text: str, options: Options) -> Iterator[str]:
    found = candidates(store.generation, query_sample(text, store.params), options)
    names = store.paths_of([one.document for one in found])
    for one in found:
        for name in names[one.document]:
            yield f"{name}\t{one.n_hits}\t{one.evidence:.2f}\n"


@cache
def _opened(path: Path) -> tuple[Store, Collection]:
    return Store(path), Collection(path)


def _path(out: Path, name: str, ending: str) -> Path:
    return out / (name.removesuffix(".txt") + ending)
