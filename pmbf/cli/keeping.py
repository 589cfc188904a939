"""What is done with a loaded collection: `list`, `stats`, `remove`, `compact`, `check`."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from typing import TYPE_CHECKING, Annotated, Any

from pmbf.base.errors import DONE, FAILED, ParameterError, PmbfError
from pmbf.cli import arguments as arg
from pmbf.cli.inputs import fits, named_collection, open_any, open_collection, open_on_nodes, resolved
from pmbf.cli.labelling import Where, fitting, with_labels
from pmbf.cli.outcome import note, note_kernels, print_json, print_text
from pmbf.cli.params import KnownParams, real
from pmbf.cli.words import explained
from pmbf.store.telling import OnNodes, on_nodes

if TYPE_CHECKING:
    from pmbf.store.listing import Listed

LIST_HELP = """Examples:
  pmbf list -c papers.pmbf
  pmbf list '*.pdf' drafts/2024 -c papers.pmbf
  pmbf list --where author=berg -c papers.pmbf
  pmbf list -c /mnt/depot

Exit codes: 0 done; 2 wrong usage; 3 an error"""
STATS_HELP = "Exit codes: 0 done; 2 wrong usage; 3 an error"
REMOVE_HELP = """Examples:
  pmbf remove 17 18 -c papers.pmbf
  pmbf remove ~/papers/draft.pdf -c papers.pmbf
  pmbf remove --where year=2019 -c papers.pmbf
  pmbf remove '*/drafts/*' -c papers.pmbf     after a look at: pmbf list '*/drafts/*'

A document is removed with its last path. If a named document is not in the
collection, then nothing is removed.

Exit codes: 0 removed; 2 wrong usage; 3 an error"""
UPKEEP = (real("grace_h", "HOURS", "In a depot: how long replaced files stay, 1 at least (default: 24).", least=1),)
OfUpkeep = Annotated[list[Any] | None, KnownParams(UPKEEP).option]
COMPACT_HELP = "Exit codes: 0 done; 2 wrong usage; 3 an error"
CHECK_HELP = """Reads the whole collection: seconds for each 100 MB.

Exit codes: 0 no problem, or all repaired; 2 wrong usage; 3 problems, or an error"""


@explained(LIST_HELP)
def list_(
    patterns: arg.Patterns = None,
    collection: arg.AnyCollection = None,
    where: Where = None,
    json: arg.JsonDocuments = False,
) -> None:
    """List the documents: id, length, kind, paths and labels."""
    with open_any(collection) as opened:
        errors: list[PmbfError] = []
        documents = (one for one in _before(errors, opened.documents()) if not patterns or fits(one.paths, patterns))
        shown = with_labels(documents, where)
        first = next(shown, None)
        if first is not None:
            _print_list(chain([first], shown), json=json)
        elif patterns or where:
            note(f"no document fits {' or '.join(patterns or ['these labels'])}")
        if errors:
            raise errors[0]


def _before(errors: list[PmbfError], documents: Iterator[Listed]) -> Iterator[Listed]:
    """Yield documents until reading them fails, and keep the error: what is there is listed first."""
    try:
        yield from documents
    except PmbfError as error:
        errors.append(error)


def _print_list(documents: Iterator[Listed], *, json: bool) -> None:
    from pmbf.cli.shown.summaries import list_lines

    if json:
        for document in documents:
            print_json(document.to_dict())
    else:
        for line in list_lines(documents):
            print_text(line + "\n")


@explained(STATS_HELP)
def stats(collection: arg.CollectionFolder = None, json: arg.Json = False) -> None:
    """Show how large a collection is, and what each figure means."""
    from pmbf.cli.shown.canvas import View
    from pmbf.cli.shown.summaries import stats_text

    note_kernels()
    with open_collection(collection) as opened:
        figures = opened.stats()
    print_json(figures.to_dict()) if json else print_text(stats_text(figures, str(opened.path), View()))


@explained(REMOVE_HELP)
def remove(
    targets: arg.Targets = None, collection: arg.AnyCollection = None, where: Where = None, json: arg.Json = False
) -> None:
    """Remove documents, by id, path or label, without asking."""
    from pmbf.cli.shown.summaries import remove_text

    if bool(targets) == bool(where):
        raise ParameterError("expected the ids or paths of documents, or labels with --where, and not both")
    with open_any(collection) as opened:
        n_removed = opened.remove(*(resolved(opened, targets) if targets else fitting(opened, where or ())))
    print_json({"n_removed": n_removed}) if json else print_text(remove_text(n_removed, "pmbf compact"))


@explained(COMPACT_HELP)
def compact(collection: arg.AnyCollection = None, param: OfUpkeep = None, json: arg.Json = False) -> None:
    """Free the disk space of removed documents, and join small files."""
    from pmbf.cli.shown.summaries import compact_text

    if there := on_nodes(named_collection(collection)):
        _compact_all(there, dict(param or ()).get("grace_h", 24), json=json)
        return
    with open_collection(collection) as opened:
        report, index = opened.compact(), opened.params.index
    print_json(report.to_dict()) if json else print_text(compact_text(report, index))


@explained(CHECK_HELP)
def check(collection: arg.AnyCollection = None, repair: arg.Repair = False, json: arg.Json = False) -> int:
    """Compare every file, row and bit with the data that it was made from."""
    from pmbf import repair as repaired
    from pmbf.cli.shown.summaries import check_lines

    folder = named_collection(collection)
    if there := on_nodes(folder):
        if repair:
            raise ParameterError("--repair is for a collection in one folder; nodes fetch damaged copies by themselves")
        return _check_all(there, json=json)
    note_kernels()
    if repair:
        report = repaired(folder)
    else:
        with open_collection(folder) as opened:
            report = opened.check()
    print_json(report.to_dict()) if json else print_text("".join(line + "\n" for line in check_lines(report, folder)))
    return DONE if report.ok else FAILED


def _compact_all(there: OnNodes, grace_h: float, *, json: bool) -> None:
    """Join small volumes of a collection, and delete files that it has not needed for some hours."""
    from pmbf.cli.shown.summaries import compacted_text

    with open_on_nodes(there) as opened:
        done = opened.compact(grace_h * 3600)
    print_json(done.to_dict()) if json else print_text(compacted_text(done))


def _check_all(there: OnNodes, *, json: bool) -> int:
    """Compare all files of a depot with their checksums, and all volumes with what they say; return the exit code."""
    from pmbf.cli.shown.summaries import checked_text
    from pmbf.cluster.objects import depot_at
    from pmbf.cluster.upkeep import unnamed

    with open_on_nodes(there) as opened:
        problems, n_volumes = opened.check(), len(opened.manifest.volumes)
        n_unnamed = 0 if problems else len(unnamed(depot_at(there.depot)))
    told = {"problems": problems, "n_unnamed_files": n_unnamed}
    print_json(told) if json else print_text(checked_text(problems, n_volumes, n_unnamed))
    return FAILED if problems else DONE
