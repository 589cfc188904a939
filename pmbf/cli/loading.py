"""`pmbf load`: open or make the collection, load files, print the report."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any

from pmbf.base.errors import DONE, FAILED, STOPPED, NotFoundError, ParameterError
from pmbf.cli import arguments as arg
from pmbf.cli.inputs import limits, n_cores, named_collection, named_roots, open_on_nodes, profiled
from pmbf.cli.labelling import Labels, labelling_of
from pmbf.cli.outcome import note, note_kernels, print_json, print_text
from pmbf.cli.params import READING, ROWS, SAMPLING, KnownParams, of
from pmbf.cli.words import explained
from pmbf.store.telling import is_collection, on_nodes

if TYPE_CHECKING:
    from pmbf.cluster.collection import ClusterCollection
    from pmbf.collection import Collection
    from pmbf.intake.loader import LoadReport
    from pmbf.verbs import AnyCollection

EPILOG = """Examples:
  pmbf load ~/papers notes.txt -c papers.pmbf
  pmbf load ~/papers -c papers.pmbf --include '*.pdf' --exclude drafts --prune
  git ls-files -z docs | pmbf load --files-from - -c docs.pmbf

A file that was loaded before is skipped if its size and time are the same, so
a stopped load continues where it stopped. Symbolic links are not followed.

Into a depot (-c DEPOT) a load is one commit: if another process commits
meanwhile, then nothing of it is kept. All nodes must see the files.

Exit codes: 0 every file loaded; 2 wrong usage; 3 an error, or a file had a
problem (the others are loaded); 130 stopped by Ctrl-C"""
Param = Annotated[list[Any] | None, KnownParams(READING, SAMPLING, ROWS).option]
_USUAL_JOBS = 4
"""Default limit of load threads: the committing thread cannot keep up with more than 4."""


@explained(EPILOG)
def load(
    paths: arg.Paths = None,
    collection: arg.AnyCollection = None,
    include: arg.Include = None,
    exclude: arg.Exclude = None,
    files_from: arg.FilesFrom = None,
    prune: arg.Prune = False,
    labels: Labels = None,
    ocr: arg.Ocr = None,
    jobs: arg.LoadJobs = None,
    profile: arg.Profile = None,
    index: arg.Index = None,
    no_text: arg.NoText = False,
    param: Param = None,
    verbose: arg.Verbose = False,
    json: arg.Json = False,
    quiet: arg.QuietLoad = False,
) -> int:
    """Load files and folders; make the collection if it does not exist."""
    settings = of(param, SAMPLING, ROWS)
    params = profiled(profile, index=index, store_text=False if no_text else None, **settings)
    bounds = limits(param, ocr)
    if verbose and (quiet or json):
        raise ParameterError(f"--verbose is given with {'--quiet' if quiet else '--json, which lists all'}; choose one")
    if ocr and no_text:
        raise ParameterError("--ocr is given with --no-text: passages would be compared without the text of scans")
    how: dict[str, Any] = {
        "include": include or (),
        "exclude": exclude or (),
        "prune": prune,
        "labels": labelling_of(labels),
        "limits": bounds,
    }
    roots = named_roots(paths or [], files_from, bounds)
    named = named_collection(collection)
    if not on_nodes(named):
        how["jobs"] = jobs or min(_USUAL_JOBS, n_cores())
    elif jobs or ocr:
        raise ParameterError(f"{'--jobs' if jobs else '--ocr'} is for a collection in one folder; leave it out")
    return _load_all(named, params, roots, json=json, quiet=quiet, verbose=verbose, **how)


def _load_all(
    place: str, params: dict[str, Any], roots: Sequence[str], *, json: bool, quiet: bool, verbose: bool, **how: Any
) -> int:
    """Load files into a collection, print the report, and return the exit code; `how` are arguments of `load`."""
    from pmbf.cli.shown.summaries import problem_lines

    there = on_nodes(place)
    with open_on_nodes(there) if there else _opened(place, params, roots) as opened:
        if there:
            _require_same(opened, params)
        if not quiet:
            note_kernels()
        report = _loaded(opened, roots, quiet=quiet, **how)
        if json:
            print_json(report.to_dict())
        elif not quiet:
            _print(report, opened, verbose=verbose)
    for line in [] if json else problem_lines(report.problems):
        note(line)
    return FAILED if report.problems else DONE


def _opened(folder: str, params: dict[str, Any], roots: Sequence[str]) -> Collection:
    """Return a collection; it is made if it does not exist. An existing one must have the given parameters."""
    from pmbf.base.params import Params
    from pmbf.collection import Collection
    from pmbf.intake.discovery import kept_by_pmbf

    if is_collection(folder):
        collection = Collection(folder)
        _require_same(collection, params)
        return collection
    made = Params(**params)
    if not any(os.path.lexists(root) and not kept_by_pmbf(root) for root in roots):
        what = f"{roots[0]}: {kept_by_pmbf(roots[0]) or 'no such file or folder'}" if roots else "no PATH given"
        raise NotFoundError(f"{what}, so no collection was made at {folder}")
    return Collection(folder, create=True, params=made)


def _require_same(collection: AnyCollection, params: Mapping[str, Any]) -> None:
    for name, value in params.items():
        own = getattr(collection.params, name)
        if own != value:
            raise ParameterError(
                f"{collection.path}: was made with {name} {own}, which cannot change to {value}; "
                "leave the option out, or load into a new collection"
            )


def _loaded(collection: Collection | ClusterCollection, roots: Sequence[str], *, quiet: bool, **how: Any) -> LoadReport:
    from pmbf.cli.shown.progress import load_progress

    try:
        with load_progress(shown=not quiet and sys.stderr.isatty()) as on_progress:
            return collection.load(roots, on_progress=on_progress, **how)
    except KeyboardInterrupt:
        if on_nodes(str(collection.path)):  # where a load is one commit
            raise
        kept = f"{collection.path} has {len(collection):,} documents"
        again = "the same command goes on from there"
        note(f"stopped; what was loaded is kept ({kept}), and {again}")
        raise SystemExit(STOPPED) from None


def _print(report: LoadReport, collection: Collection | ClusterCollection, *, verbose: bool) -> None:
    from pmbf.cli.shown.summaries import load_text, loaded_text, passed_over_lines

    for line in passed_over_lines(report) if verbose else ():
        print_text(f"{line}\n")
    manifest = getattr(collection, "manifest", None)  # of a collection on many nodes
    if manifest:
        print_text(loaded_text(report, len(collection), len(manifest.volumes)))
    else:
        print_text(load_text(report, str(collection.path), len(collection)))
    sys.stdout.flush()
