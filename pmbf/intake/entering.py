"""Texts that are loaded into a collection of their own, which lives as long as they are compared.

    paths, or names with texts ─► a collection in a temporary folder ─► Entered: each document with its members' names

Equal texts are one document with several names. A file without text is no member. The folder belongs to its user alone.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

from pmbf import kernels
from pmbf.base.errors import NotFoundError, ParameterError
from pmbf.base.params import Params
from pmbf.extract import Limits
from pmbf.intake.adding import add_texts, require_text
from pmbf.intake.discovery import discover
from pmbf.intake.loader import Loader
from pmbf.jobs.threads import Threads
from pmbf.store.catalog_tables import BINARY_KIND
from pmbf.store.folder import Store
from pmbf.store.folders import temporary_folder
from pmbf.store.listing import listed
from pmbf.store.originals import original_text
from pmbf.store.writer import Writer

Texts = str | os.PathLike[str] | Mapping[str, str] | Iterable[str | os.PathLike[str] | tuple[str, str]]
Advance = Callable[[str, int, int], None]
"""Called with what is being done, how many are done, and how many there are."""


@dataclass(frozen=True, slots=True)
class EnteredText:
    """A text of the comparison: its id in the collection, and all members that have it, sorted."""

    id: int
    text: str
    names: tuple[str, ...]
    n_tokens: int
    problems: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Entered:
    """What is compared: the documents by ascending id, the folder that was given, if one was, and what was not read."""

    store: Store
    title: str
    documents: tuple[EnteredText, ...]
    problems: tuple[str, ...]


@contextmanager
def entered(texts: Texts, *, limits: Limits, jobs: int, advance: Advance) -> Iterator[Entered]:
    """Yield the texts of a comparison in a collection, which is removed at the end.

    The texts are a folder; or files and folders; or a mapping from names to texts; or pairs of a name and a text.
    Raises `ParameterError` if they are none of them or two have one name, `NotFoundError` if a path does not exist.
    """
    roots, named = _paths_or_pairs(texts)
    if not roots:
        with stored(named) as made:
            yield made
        return
    base = base_of(roots)
    with _folder() as path:
        problems = load_into(path, roots, limits, jobs, advance)
        with Store(path) as store:
            yield Entered(store, title_of(roots), tuple(_documents(store, base)), problems)


@contextmanager
def stored(named: Sequence[tuple[str, str]]) -> Iterator[Entered]:
    """Yield pairs of a name and a text, both clean, in a collection, which is removed at the end."""
    with _folder() as path:
        Store.create(path, Params())
        with Store(path, writable=True) as store:
            add_texts(Writer(store), named)
        with Store(path) as store:
            yield Entered(store, "", tuple(_documents(store, "")), ())


@contextmanager
def _folder() -> Iterator[Path]:
    with temporary_folder("pmbf-compare-") as folder:
        yield folder / "texts.pmbf"


def _paths_or_pairs(texts: Texts) -> tuple[list[str], list[tuple[str, str]]]:
    """Return paths, or pairs of a name and a text; the first item tells which."""
    if isinstance(texts, str | os.PathLike):
        return [os.fspath(texts)], []
    remaining: Iterator[object] = iter(texts.items() if isinstance(texts, Mapping) else texts)
    first = next(remaining, None)
    if first is None:
        return [], []
    if isinstance(first, str | os.PathLike):
        return [_path(one) for one in chain([first], remaining)], []
    return [], _pairs(chain([first], remaining))


def _path(one: object) -> str:
    if not isinstance(one, str | os.PathLike):
        raise ParameterError(f"texts has {one!r:.80} among paths, expected a path; or pairs of a name and a text alone")
    return os.fspath(one)


def _pairs(pairs: Iterable[object]) -> list[tuple[str, str]]:
    named: dict[str, str] = {}
    for row, pair in enumerate(pairs):
        if not isinstance(pair, tuple | list) or len(pair) != 2:
            raise ParameterError(f"texts[{row}] is {pair!r:.80}, expected a path, or a pair (name, text)")
        name, text = require_text(pair[0], pair[1], where=f"texts[{row}]: ")
        if name in named:
            raise ParameterError(f"texts[{row}]: a text is called {name!r} already; give each text a name of its own")
        named[name] = text
    return list(named.items())


def load_into(path: Path, roots: list[str], limits: Limits, jobs: int, advance: Advance) -> tuple[str, ...]:
    """Load files and folders into the collection of a folder, made at need, and take out what is gone of them.

    Returns what was not read, and why.
    """
    for root in roots:
        if not os.path.lexists(root):
            raise NotFoundError(f"{root}: no such file or folder")
    is_new = not (path / "catalog.sqlite").exists()
    if is_new:
        Store.create(path, Params())
    threads = Threads(jobs) if jobs > 1 else None
    with threads or nullcontext(), Store(path, writable=True) as store:
        loader = Loader(
            Writer(store, threads=threads),
            limits=limits,
            threads=threads,
            jobs=jobs,
            on_progress=lambda progress: advance("Reading", progress.n_files, progress.n_files_total),
        )
        report = loader.load(discover(roots, listing=kernels.list_folder))
        if not is_new:
            loader.prune(roots)
    base, told = base_of(roots), {one.path for one in report.problems}
    problems = [f"{name_below(one.path, base)}: {one.reason.removeprefix(one.path + ': ')}" for one in report.problems]
    without = _without_text(path, {os.path.abspath(root) for root in roots} - told)
    return (*problems, *(f"{name_below(one, base)}: holds no text that pmbf reads" for one in without))


def _without_text(folder: Path, paths: set[str]) -> list[str]:
    """Return which of some paths are of files without text, sorted."""
    with Store(folder) as store:
        some = listed(store) if store.generation.directory.totals().n_without_text else ()
        return sorted(paths.intersection(path for one in some if one.kind == BINARY_KIND for path in one.paths))


def name_below(path: str, base: str) -> str:
    """Return what a path is called: the path below a folder, or the whole path if there is none."""
    return os.path.relpath(path, base) if base else path


def base_of(roots: list[str]) -> str:
    """Return the folder that names are relative to: the one given, or the lowest that holds all that were given."""
    folders = [os.path.abspath(root if os.path.isdir(root) else os.path.dirname(root) or ".") for root in roots]
    return folders[0] if len(set(folders)) == 1 else os.path.commonpath(folders)


def title_of(roots: list[str]) -> str:
    """Return what some files and folders are called together."""
    return os.path.join(roots[0], "") if len(roots) == 1 and os.path.isdir(roots[0]) else ", ".join(roots[:3])


def _documents(store: Store, base: str) -> Iterator[EnteredText]:
    for one in listed(store):
        if one.kind == BINARY_KIND:
            continue
        names = tuple(sorted(name_below(path, base) for path in one.paths))
        text = original_text(store.generation, store.documents([one.id])[one.id], one.paths)
        yield EnteredText(one.id, text, names, one.n_tokens, one.problems)
