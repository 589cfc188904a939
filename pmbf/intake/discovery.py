"""Which files a load looks at: roots, folders walked through, patterns; and which of those that are listed are gone."""

from __future__ import annotations

import fnmatch
import os
import stat
from collections.abc import Callable, Iterable, Iterator, Sequence, Sized
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, Protocol, TypeVar

from pmbf.base.contents import reason_of
from pmbf.base.errors import ParameterError
from pmbf.base.listing import FILE, FOLDER, LINK, Entry, list_folder
from pmbf.store.telling import has_lost_its_catalog, is_collection, is_depot

if TYPE_CHECKING:  # it needs NumPy, and a hook does without
    from pmbf.store.catalog_tables import ListedPath

Values = TypeVar("Values", bound=Iterable[object])

Listing = Callable[[str], list[Entry]]
"""Returns what is in a folder, as `list_folder`."""

_COLLECTION = "is a collection, expected documents"
_DEPOT = "is a depot, expected documents"
_LOST = "is a collection that has lost its catalog, expected documents"

NOT_NAMED = "an archive: name it to load it"
TINY = "no text, and too small to be known by its checksum"
HUGE = "no kind that is read, and above max_bytes"
"""Why a file of a folder is skipped."""
_LOOKED_AT = 1000
"""Entries of a folder by which it is told whether its files are documents."""


@dataclass(frozen=True, slots=True)
class Problem:
    """A file that was not loaded, or not to its end, and why."""

    path: str
    reason: str


class FileFound(NamedTuple):
    """A file that a load will look at.

    Args:
        path: Absolute.
        size, mtime_ns: Of the file.
        named: Whether the user gave its path, not that of a folder above it.
    """

    path: str
    size: int
    mtime_ns: int
    named: bool


class Paths(Protocol):
    """The paths of a catalog."""

    def has_below(self, folder: str, /) -> bool:
        """Return whether a path is listed below a folder, at any depth."""

    def some_paths(self, paths: Iterable[str], /) -> Sized:
        """Return those paths that are listed."""


def several(name: str, values: Values) -> Values:
    """Return several paths, patterns or texts; refuse a single one, each of whose letters would be taken for one."""
    if isinstance(values, str | bytes | os.PathLike):
        raise ParameterError(f"{name} is the single {values!r:.80}, expected a list, even of one")
    return values


def discover(
    roots: Iterable[str | os.PathLike[str]],
    include: Sequence[str] = (),
    exclude: Sequence[str] = (),
    *,
    complete: bool = False,
    listing: Listing = list_folder,
) -> Iterator[FileFound | Problem]:
    """Yield the files below some roots, each folder's in alphabetical order, or why one cannot be looked at.

    Folders are walked recursively. Symbolic links in them are not followed, collections are not entered, and hidden
    entries are left out. A file named by the user is always taken. A file found in a folder must fit a glob pattern of
    `include`, if there are any, and none of `exclude`, nor may a folder. If `complete`, then hidden entries are taken,
    too, all but the `.git` of a repository, and a collection in a folder is a problem. `kernels.list_folder` as the
    `listing` takes half the time; its import needs NumPy.
    """
    for root in roots:
        path = os.path.abspath(os.fspath(root))
        try:
            status = os.stat(path)
        except (OSError, ValueError) as error:
            yield Problem(path, reason_of(error))
            continue
        if not stat.S_ISDIR(status.st_mode):
            yield FileFound(path, status.st_size, status.st_mtime_ns, named=True)
        elif own := kept_by_pmbf(path):
            yield Problem(path, own)
        else:
            yield from _walk(path, include, exclude, complete, listing)


def _walk(
    folder: str, include: Sequence[str], exclude: Sequence[str], complete: bool, listing: Listing
) -> Iterator[FileFound | Problem]:
    waiting = [folder]  # a stack, not a recursion: folders may be nested a thousand deep
    while waiting:
        folder = waiting.pop()
        try:
            entries = listing(folder)
        except OSError as error:
            yield Problem(folder, reason_of(error))
            continue
        top, folders = os.path.join(folder, ""), list[str]()
        for name, kind, size, time in entries:
            path = top + name
            if _is_hidden(name, complete) or kind == LINK or (exclude and _fits(path, exclude)):
                continue
            if kind == FILE and (not include or _fits(path, include)):
                yield FileFound(path, size, time, False) if size >= 0 else Problem(path, os.strerror(time))
            elif kind == FOLDER:
                folders.append(path)
        collections = {path: own for path in folders if (own := kept_by_pmbf(path))}
        if complete:
            yield from (Problem(path, collections[path]) for path in sorted(collections))
        waiting += [path for path in reversed(folders) if path not in collections]


def _is_hidden(name: str, shown: bool) -> bool:
    return name == ".git" if shown else name.startswith(".")


def kept_by_pmbf(folder: str) -> str | None:
    """Return what a folder is that pmbf writes, and whose files are no documents; None for all others."""
    if is_collection(folder):
        return _COLLECTION
    if is_depot(folder):
        return _DEPOT
    return _LOST if has_lost_its_catalog(folder) else None


def is_among(listed: Paths, place: str) -> bool:
    """Return whether what is written at a place would be loaded with the documents: in their folder, or below it.

    A folder is one of documents if it holds files, two or more, most of which are listed; or if documents are listed
    below the place itself. The place is an absolute path, which need not exist.
    """
    if listed.has_below(place):
        return True
    for folder in Path(place).parents:
        files = [one for one in _visible_files(folder) if one != place]
        if files and len(listed.some_paths(files)) > max(1, len(files) / 2):
            return True
    return False


def _visible_files(folder: Path) -> list[str]:
    """Return the paths of a folder's files that a load would look at, at most `_LOOKED_AT`."""
    try:
        with os.scandir(folder) as entries:
            return [one.path for one in islice(entries, _LOOKED_AT) if one.name[:1] != "." and one.is_file()]
    except OSError:
        return []


def _fits(path: str, patterns: Sequence[str]) -> bool:
    """Return whether a path or its last name fits one of the patterns, as in a .gitignore without negation."""
    if not patterns:
        return False
    name = os.path.basename(path)
    return any(fnmatch.fnmatch(name, pattern) or fnmatch.fnmatch(path, pattern) for pattern in patterns)


def below(paths: Iterable[ListedPath], roots: Iterable[str | os.PathLike[str]]) -> Iterator[ListedPath]:
    """Yield those listed paths that are one of some files, or stand in one of some folders."""
    tops = {os.path.abspath(os.fspath(root)) for root in roots}
    return (one for one in paths if _is_below(one.path, tops))


def _is_below(path: str, folders: set[str]) -> bool:
    if path in folders:
        return True
    while (above := os.path.dirname(path)) != path:
        if above in folders:
            return True
        path = above
    return False


def gone(
    listed: Iterable[ListedPath], roots: Sequence[str | os.PathLike[str]]
) -> tuple[list[ListedPath], list[Problem]]:
    """Return the listed paths below some folders whose file is surely gone, and the folders that prove nothing.

    A folder that is missing or empty itself, as when a disk is not mounted, is a problem.
    """
    folders, problems = [], []
    for root in roots:
        folder = os.path.abspath(os.fspath(root))
        if os.path.isfile(folder):
            continue
        if reason := _why_not(folder):
            problems.append(Problem(folder, f"nothing was pruned below it: {reason}"))
        else:
            folders.append(folder)
    return [one for one in below(listed, folders) if one.size >= 0 and _is_gone(one.path)], problems


def _why_not(folder: str) -> str:
    try:
        return "" if any(os.scandir(folder)) else "is empty: is its disk mounted?"
    except OSError as error:
        return reason_of(error)


def _is_gone(path: str) -> bool:
    """Return whether a file is surely gone; a file that cannot be looked at may be there."""
    try:
        os.lstat(path)
    except (FileNotFoundError, NotADirectoryError):
        return True
    except OSError:
        return False
    return False
