"""From the words of a command line to files, lists of files, streams, documents, collections, and who computes."""

from __future__ import annotations

import fnmatch
import glob
import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

from pmbf.base.contents import read_stream
from pmbf.base.errors import IncompleteError, ParameterError
from pmbf.cli.arguments import option
from pmbf.cli.outcome import note
from pmbf.store.telling import RAY, OnNodes, on_nodes

if TYPE_CHECKING:
    from pmbf.cluster.collection import ClusterCollection
    from pmbf.cluster.on_ray import RayExecutor
    from pmbf.collection import Collection
    from pmbf.extract import Limits
    from pmbf.verbs import AnyCollection

Result = TypeVar("Result")

_OCR_S = 1800


def named_roots(paths: Sequence[str], files_from: str | None, limits: Limits) -> list[str]:
    """Return the files and folders to load: given ones, and those that a file or stdin lists."""
    if not (paths or files_from):
        raise ParameterError("no PATH given: name files or folders to load, or use --files-from")
    roots = [root for path in paths for root in expanded(path)]
    return roots if files_from is None else roots + _paths_in(files_from, limits)


def require_files(files: Sequence[str], name: str | None) -> None:
    """Refuse a name for several files, and stdin given twice."""
    if name is not None and (len(files) > 1 or os.path.isdir(files[0])):
        what = f"{len(files)} files" if len(files) > 1 else "a folder"
        raise ParameterError(f"--name is given for {what}, expected one file")
    if files.count("-") > 1:
        raise ParameterError("- is given twice, but stdin is read once; leave one out")


def expanded(path: str) -> list[str]:
    """Return the paths a glob pattern stands for, or a path itself. To the system an empty one is a folder."""
    if not path:
        raise ParameterError("a path is empty, expected the name of a file or folder")
    if os.path.lexists(path) or not glob.has_magic(path):
        return [path]
    return sorted(glob.glob(path, recursive=True)) or [path]


def _paths_in(file: str, limits: Limits) -> list[str]:
    """Return the paths a file lists, one a line, or with NUL between as `find -print0` writes them."""
    content = read_stream(file, limits.max_bytes, idle_s=limits.timeout_s)
    separator = b"\0" if b"\0" in content else b"\n"
    return [os.fsdecode(line.rstrip(b"\r")) for line in content.split(separator) if line.strip()]


def fits(paths: Iterable[str], patterns: Sequence[str]) -> bool:
    """Return whether a document fits one of the patterns: one of its paths does, its name or a folder above it.

    >>> fits(["/papers/old/a.txt"], ["*.txt"]), fits(["/papers/old/a.txt"], ["/papers"]), fits(["/papers/a"], ["b"])
    (True, True, False)
    """
    wanted = {form for pattern in patterns for form in (pattern, os.path.abspath(pattern))}
    forms = {form for path in paths for form in (path, os.path.basename(path), *map(str, Path(path).parents))}
    return bool(wanted & forms) or any(fnmatch.fnmatchcase(form, pattern) for form in forms for pattern in wanted)


def resolved(collection: AnyCollection, targets: Sequence[str]) -> list[int | str]:
    """Return each target as an id or a path: digits are an id, unless such a path is listed; a glob, all that fit."""
    return [one for target in targets for one in _resolved(collection, target)]


def _resolved(collection: AnyCollection, target: str) -> list[int | str]:
    if target in collection:
        return [target]
    if target.isdecimal():
        return [int(target)]
    if not glob.has_magic(target):
        return [target]
    return [path for one in collection for path in one.paths if fits([path], [target])] or [target]


def named_collection(collection: str | None) -> str:
    """Return the folder of a collection as it was given."""
    if not collection:
        raise ParameterError("no collection named: add -c FOLDER, or set PMBF_COLLECTION to the folder")
    return collection


def open_collection(collection: str | None) -> Collection:
    """Return the collection that was named; it lies in a folder."""
    from pmbf.collection import Collection

    return Collection(in_a_folder(named_collection(collection)))


def in_a_folder(collection: str) -> str:
    """Return a collection's folder; an address of one on many nodes is refused."""
    if on_nodes(collection) and "://" in collection:
        raise ParameterError(f"{collection}: is on many nodes, and this command takes a collection in a folder")
    return collection


def open_any(collection: str | None) -> Collection | ClusterCollection:
    """Return the collection that was named: in a folder, or on many nodes."""
    there = on_nodes(named_collection(collection))
    return open_on_nodes(there) if there else open_collection(collection)


def open_on_nodes(there: OnNodes) -> ClusterCollection:
    """Return a collection on many nodes. If its address names no Ray cluster, then PMBF_RAY may."""
    from pmbf.cluster.opening import opened

    return opened(there.depot, ray_of(there))


def ray_of(there: OnNodes) -> str | None:
    """Return the Ray cluster that is asked for a depot; None: processes of this machine are."""
    return there.ray or os.environ.get("PMBF_RAY") or None


def given(**values: Any) -> dict[str, Any]:
    """Return the values that were given, by name."""
    return {name: value for name, value in values.items() if value is not None}


def profiled(profile: str | None, **values: Any) -> dict[str, Any]:
    """Return what a profile and an index of rows change of the defaults; given values overrule them."""
    from pmbf.base.params import PROFILES, Params
    from pmbf.cli.params import ROWS

    of_rows = [one.name for one in ROWS if values.get(one.name) is not None]
    if of_rows and values.get("index") != "rows":
        raise ParameterError(f"--param {of_rows[0]} is for a collection of rows; give --index rows, too")
    makers = [PROFILES[profile or "default"], *([Params.rows] if values.get("index") == "rows" else [])]
    usual = asdict(Params())
    own = {name: value for make in makers for name, value in asdict(make()).items() if value != usual[name]}
    index = given(index=values.pop("index", None))
    return index | own | given(**values)


def limits(param: Sequence[tuple[str, Any]] | None = None, ocr: str | None = None) -> Limits:
    """Return the limits for reading a file. Text recognition, which `ocr` asks for by languages, has half an hour."""
    from pmbf.cli.params import READING, of
    from pmbf.extract import Limits

    usual: dict[str, Any] = {}
    if ocr is not None:
        from pmbf.extract import recognition

        recognition.require(ocr)
        usual = {"ocr": ocr, "timeout_s": _OCR_S}
    return Limits(**usual | of(param, READING))


def n_cores() -> int:
    """Return the processor cores this process may use."""
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # not everywhere
        return os.cpu_count() or 1


def ignored_texts(paths: Sequence[str], limits: Limits) -> tuple[str, ...]:
    """Return the texts of ignored files, whole: of less, too much text would count."""
    from pmbf.intake.texts import Origin, read_whole

    return tuple(read_whole(Origin(path, path=path), limits) for path in paths)


# ---------------------------------------------------------------------- on the hosts of a Ray cluster


def parse_jobs(text: str) -> int | str:
    """Return a number of processes, or the address of a Ray cluster.

    >>> parse_jobs("4"), parse_jobs("ray://10.0.0.1:6379")
    (4, 'ray://10.0.0.1:6379')
    """
    if text.startswith(RAY) and text != RAY:
        return text
    if not text.isdecimal() or not int(text):
        raise ValueError(f"{text!r}, expected a whole number, at least 1, or ray://HOST:PORT")
    return int(text)


JobsOrHosts = Annotated[
    Any,
    option("--jobs", "N|ray://HOST:PORT", "Processes (default: one a core); or the hosts of a Ray cluster.",
           parser=parse_jobs),
]  # fmt: skip


def counting(jobs: int | str | None, there: OnNodes | None) -> tuple[int | None, str | None]:
    """Return how many processes compute, None: as usual, and on which Ray cluster; None: on this machine.

    A collection on the nodes of a Ray cluster is computed there, too.
    """
    if isinstance(jobs, str):
        return None, jobs.removeprefix(RAY)
    return jobs, ray_of(there) if there else None


def on_hosts(ray: str, run: Callable[[Callable[[], RayExecutor], int], Result]) -> Result:
    """Return what a run returns. A run that a host left is made once more, on those that are up.

    Args:
        ray: The address of the cluster.
        run: Called with what makes an executor, and with the number of hosts.
    """
    from pmbf.cluster import on_ray

    def executor() -> RayExecutor:
        return on_ray.RayExecutor(ray)

    def once() -> Result:
        return run(executor, len(executor().nodes()))

    try:
        return once()
    except IncompleteError as error:
        note(f"{error} (it is, once more, on the hosts that are up)")
        return once()
