"""`pmbf load`: open or make the collection, load files, print the report."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import typer

from pmbf.base.errors import DONE, FAILED, STOPPED, NotFoundError, ParameterError
from pmbf.cli.inputs import open_on_nodes
from pmbf.cli.outcome import note, note_kernels, print_json, print_text
from pmbf.store.telling import is_collection, on_nodes

if TYPE_CHECKING:
    from pmbf.cluster.collection import ClusterCollection
    from pmbf.collection import Collection
    from pmbf.intake.loader import LoadReport
    from pmbf.verbs import AnyCollection


def load_all(
    place: str, params: dict[str, Any], roots: Sequence[str], *, json: bool, quiet: bool, verbose: bool, **how: Any
) -> int:
    """Load files into a collection, which is made if it does not exist; print the report; return the exit code.

    Args:
        place: The collection's folder, or its address if it is on many nodes.
        params: The given parameters; an existing collection must have been made with them.
        roots: Files and folders.
        json: Whether the report is printed as JSON.
        quiet: Whether only problems are printed.
        verbose: Whether the files that were skipped, and those without text, are listed.
        how: Further arguments of `Collection.load`.
    """
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
    if not json:
        _note_problems(report)
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
        raise typer.Exit(STOPPED) from None


def _print(report: LoadReport, collection: Collection | ClusterCollection, *, verbose: bool) -> None:
    from pmbf.cli.shown.cluster import loaded_text
    from pmbf.cli.shown.summaries import load_text, passed_over_lines

    for line in passed_over_lines(report) if verbose else ():
        print_text(f"{line}\n")
    manifest = getattr(collection, "manifest", None)  # of a collection on many nodes
    if manifest:
        print_text(loaded_text(report, len(collection), len(manifest.volumes)))
    else:
        print_text(load_text(report, str(collection.path), len(collection)))
    sys.stdout.flush()


def _note_problems(report: LoadReport) -> None:
    from pmbf.cli.shown.summaries import problem_lines

    for line in problem_lines(report.problems):
        note(line)
