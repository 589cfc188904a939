"""Where a corpus keeps its documents, pairs and cases. Both families of layouts are read, in every spelling of PAN:

    PAN12-14   src/ susp/ pairs, and a folder for each kind of obfuscation (02-no-obfuscation, 02_no_obfuscation)
               with its own `pairs` and an XML file for each pair
    PC-09-11   source-document(s)/partN/ suspicious-document(s)/partN/, XML beside the suspicious text, no pairs

Annotations may also stand in another folder beside the documents. `pairs` may be missing: then the names of the XML
files tell the pairs. The corpus may lie up to three folders deeper than the folder that is named.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from experiments.pan.annotations import Pair, cases_in, document_name
from experiments.pan.plagdet import Annotation
from pmbf.base.errors import NotFoundError, ParameterError

SOURCES = ("src", "source", "sources", "source-document", "source-documents")
SUSPICIOUS = ("susp", "suspicious", "suspicious-document", "suspicious-documents")
MAX_DEPTH = 3
UNSORTED = "unsorted pairs"
_PAIR_NAME = re.compile(r"(.*suspicious.*?)-(source.*)")


@dataclass(frozen=True, slots=True)
class Kind:
    """The cases of one kind of obfuscation.

    Args:
        name: Name of the kind's folder; without such folders, the label of the cases.
        pairs: Pairs of the kind's folder, with or without a case; None if the kind is told by the label of its cases.
        cases: The annotated passages.
    """

    name: str
    pairs: frozenset[Pair] | None
    cases: frozenset[Annotation]


@dataclass(frozen=True, slots=True)
class Corpus:
    """A corpus.

    Args:
        folder: Its folder.
        suspicious: Paths of the suspicious documents, by name.
        sources: Paths of the sources, by name.
        kinds: The kinds of obfuscation, sorted by name.
        pairs: Pairs that were annotated; None if all pairs of documents were.
        problems: A sentence for each odd file.
    """

    folder: Path
    suspicious: Mapping[str, Path]
    sources: Mapping[str, Path]
    kinds: tuple[Kind, ...]
    pairs: frozenset[Pair] | None
    problems: tuple[str, ...]

    @classmethod
    def at(cls, folder: Path, *, truth: Path | None = None, besides: Path | None = None) -> Corpus:
        """Return the corpus in a folder.

        Args:
            folder: The folder of the corpus, or a folder above it.
            truth: Folder of the annotations, if they are not in the corpus.
            besides: A folder inside the corpus that is no part of the corpus.

        Raises:
            NotFoundError: There is no corpus, or more than one; or it has no suspicious documents, or no sources.
        """
        root = _root(folder)
        problems: list[str] = []
        suspicious = _documents(_child(root, SUSPICIOUS), problems)
        sources = _documents(_child(root, SOURCES), problems)
        kinds, pairs = _Truth(root, truth or root, suspicious, sources, besides, problems).read()
        spoken_of = {(case.suspicious, case.source) for kind in kinds for case in kind.cases}
        problems += _missing(spoken_of | (pairs or frozenset()), suspicious, sources)
        return cls(root, suspicious, sources, kinds, pairs, tuple(problems))

    @property
    def cases(self) -> frozenset[Annotation]:
        """The cases of all kinds."""
        return frozenset().union(*(kind.cases for kind in self.kinds))

    def aligned_pairs(self, *, every: bool = False) -> list[Pair]:
        """Return the pairs to compare, grouped by suspicious document: the listed pairs, otherwise those with a case.

        Args:
            every: Whether to return each suspicious document with each source instead.
        """
        if every:
            return [(one, other) for one in sorted(self.suspicious) for other in sorted(self.sources)]
        wanted = self.pairs if self.pairs is not None else {(case.suspicious, case.source) for case in self.cases}
        return sorted(pair for pair in wanted if pair[0] in self.suspicious and pair[1] in self.sources)


def pairs_in(path: Path) -> Iterator[Pair]:
    """Yield the pairs of a file `pairs`, which has two names in each line.

    Raises:
        ParameterError: A line does not hold two names.
    """
    for number, line in enumerate(path.read_text(encoding="utf-8-sig", errors="replace").splitlines(), 1):
        names = line.split()
        if names and len(names) != 2:
            raise ParameterError(f"{path}, line {number}: has {len(names)} words, expected two names: {line[:80]!r}")
        if names:
            yield document_name(names[0]), document_name(names[1])


@dataclass(frozen=True, slots=True)
class _Truth:
    """What the annotation files of a corpus say."""

    root: Path
    folder: Path
    suspicious: Mapping[str, Path]
    sources: Mapping[str, Path]
    besides: Path | None
    problems: list[str]

    def read(self) -> tuple[tuple[Kind, ...], frozenset[Pair] | None]:
        """Return the kinds, and the pairs that were annotated."""
        if not self.folder.is_dir():
            raise NotFoundError(f"{self.folder}: is no folder of annotations")
        folders, rest = self._files()
        kinds = [self._by_folder(name, files) for name, files in sorted(folders.items())]
        kinds += self._by_label(rest)
        listed = {pair for folder in {self.root, self.folder} for pair in self._pairs(folder / "pairs")}
        listed |= {pair for pair in map(self._pair_of, rest) if pair}
        sorted_pairs = {pair for kind in kinds for pair in kind.pairs or ()}
        if folders and listed - sorted_pairs:
            kinds.append(Kind(UNSORTED, frozenset(listed - sorted_pairs), frozenset()))
        known = listed | sorted_pairs
        return tuple(kinds), frozenset(known) if known else None

    def _files(self) -> tuple[dict[str, list[Path]], list[Path]]:
        """Return the files of each kind's folder, and the annotation files outside these folders.

        A folder is a kind's folder if it has a file `pairs`, or a file that is named after a pair.
        """
        sources, besides = _child(self.root, SOURCES), self.besides.resolve() if self.besides else None
        by_folder: defaultdict[str, list[Path]] = defaultdict(list)
        for path in sorted([*self.folder.rglob("*.xml"), *self.folder.glob("*/pairs")]):
            if sources not in path.parents and besides not in path.resolve().parents:
                inside = path.relative_to(self.folder).parts
                by_folder[inside[0] if len(inside) > 1 else ""].append(path)
        kinds = {
            name: files
            for name, files in by_folder.items()
            if name and any(path.name == "pairs" or self._pair_of(path) for path in files)
        }
        return kinds, [path for name, files in by_folder.items() if name not in kinds for path in files]

    def _by_folder(self, name: str, files: list[Path]) -> Kind:
        pairs: set[Pair] = set()
        cases: set[Annotation] = set()
        for path in files:
            if path.name == "pairs":
                pairs |= set(self._pairs(path))
                continue
            cases |= {case for case, _ in cases_in(path, self.problems)}
            pairs |= {pair for pair in [self._pair_of(path)] if pair}
        pairs |= {(case.suspicious, case.source) for case in cases if case.source}
        return Kind(name, frozenset(pairs), frozenset(cases))

    def _by_label(self, files: list[Path]) -> list[Kind]:
        by_label: defaultdict[str, set[Annotation]] = defaultdict(set)
        for path in files:
            for case, label in cases_in(path, self.problems):
                by_label[label].add(case)
        return [Kind(label, None, frozenset(cases)) for label, cases in sorted(by_label.items())]

    def _pair_of(self, path: Path) -> Pair | None:
        """Return the pair that a file is named after."""
        words = path.stem.split("-")
        for cut in range(1, len(words)):
            pair = document_name("-".join(words[:cut])), document_name("-".join(words[cut:]))
            if pair[0] in self.suspicious and pair[1] in self.sources:
                return pair
        found = _PAIR_NAME.fullmatch(path.stem)
        return (document_name(found[1]), document_name(found[2])) if found else None

    def _pairs(self, path: Path) -> list[Pair]:
        """Return the pairs that a file lists. If the file cannot be read, keep a problem and return none."""
        if not path.exists():
            return []
        try:
            return list(pairs_in(path))
        except (ParameterError, OSError) as error:
            self.problems.append(str(error))
            return []


def _root(folder: Path) -> Path:
    if not folder.is_dir():
        raise NotFoundError(f"{folder}: is no folder")
    level = [folder]
    for _ in range(MAX_DEPTH + 1):
        found = [one for one in level if _has(one, SUSPICIOUS) and _has(one, SOURCES)]
        if len(found) > 1:
            raise NotFoundError(f"{folder}: has several corpora; name one: {', '.join(map(str, found))}")
        if found:
            return found[0]
        level = [child for one in level for child in sorted(one.iterdir()) if child.is_dir()]
    here = ", ".join(sorted(f"{child.name}/" for child in folder.iterdir() if child.is_dir())[:8]) or "no folders"
    raise NotFoundError(
        f"{folder}: is no corpus, nor is a folder below it: expected a folder of suspicious documents "
        f"({', '.join(SUSPICIOUS)}) beside one of sources ({', '.join(SOURCES)}); found {here}"
    )


def _has(folder: Path, names: Iterable[str]) -> bool:
    return any(_spelled(child.name) in names for child in folder.iterdir() if child.is_dir())


def _child(folder: Path, names: Iterable[str]) -> Path:
    return min(child for child in folder.iterdir() if child.is_dir() and _spelled(child.name) in names)


def _spelled(name: str) -> str:
    return name.lower().replace("_", "-").replace(" ", "-")


def _documents(folder: Path, problems: list[str]) -> dict[str, Path]:
    found: dict[str, Path] = {}
    for path in sorted(folder.rglob("*.txt")):
        if found.setdefault(path.name, path) != path:
            problems.append(f"{path}: has the name of {found[path.name]}; the first is used")
    if not found:
        raise NotFoundError(f"{folder}: holds no .txt files")
    return found


def _missing(pairs: Iterable[Pair], *documents: Mapping[str, Path]) -> Iterator[str]:
    for side, known in enumerate(documents):
        for name in sorted({pair[side] for pair in pairs} - set(known) - {""}):
            yield f"{name}: pairs or annotations speak of it, and it is not there; nothing can be found in its pairs"
