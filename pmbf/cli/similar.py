"""`pmbf similar`: which documents of a collection share how much with which others, kept up to date run by run."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from pmbf.base.errors import DONE, FAILED, ParameterError
from pmbf.cli import arguments as arg
from pmbf.cli.arguments import flag, names, option
from pmbf.cli.inputs import JobsOrHosts, counting, n_cores, named_collection, on_hosts, open_collection, open_on_nodes
from pmbf.cli.outcome import note, note_kernels, print_json, print_text
from pmbf.cli.params import KnownParams, Param, count, whole
from pmbf.cli.tables import TableFile, parse_table, require_table
from pmbf.cli.targets import require_outside
from pmbf.cli.words import CommandGroup
from pmbf.store.telling import on_nodes

if TYPE_CHECKING:
    from pmbf.alike.similar import Similarities
    from pmbf.cluster.similar import SpreadDocuments

_USUAL_JOBS = 2
"""Default limit of processes: of four ranges each would have too little to do."""
_USUAL_MOST = 20

SIMILAR_HELP = """Examples:
  pmbf similar update -c theses.pmbf      after each load
  pmbf similar show thesis.pdf -c theses.pmbf
  pmbf similar export rows.csv -c theses.pmbf
  pmbf similar update -c /mnt/depot

The similarity of a document to another one is the share of its chunks, five
words in a row, that the other one has too. docs/similar.md says more."""
UPDATE_HELP = """A run takes what was loaded, changed and removed since the last run. Its end is
the commit: if it is stopped, then nothing has changed, and the same command
takes the same documents again. The result is that of a full run.

Exit codes: 0 done; 2 wrong usage; 3 an error, or a text could not be read (the
others are compared); 130 stopped by Ctrl-C"""
SHOW_HELP = """Examples:
  pmbf similar show -c theses.pmbf                  the most similar pairs
  pmbf similar show thesis.pdf -c theses.pmbf       of one document
  pmbf similar show 17 -c theses.pmbf --most all
  pmbf similar show --clusters --threshold 80% -c theses.pmbf

Exit codes: 0 done; 2 wrong usage; 3 an error"""
EXPORT_HELP = """Examples:
  pmbf similar export rows.csv -c theses.pmbf
  pmbf similar export rows.jsonl -c theses.pmbf
  pmbf similar export rows.parquet -c theses.pmbf

Each row has a document, another one, the chunks that both have, and this as a
share of either. Parquet needs the extra 'parquet'.

Exit codes: 0 written; 2 wrong usage; 3 an error"""
STATUS_HELP = "Exit codes: 0 done; 2 wrong usage; 3 an error"

Full = Annotated[bool, flag("--full", "Read all texts and compute all rows anew; the rules stay.")]
Renew = Annotated[bool, flag("--renew", "As --full, with other rules, and with a new list of common chunks.")]
_RULES = (
    count("n_words", "Words of a chunk (default: 5)."),
    Param("bits", "28|30|32", "Bits of a chunk ID (default: as the size asks).", whole),
    count("keep", "Similarities kept of a document (default: 100)."),
    count("min_shared", "Fewest chunks that similar documents share (default: 3)."),
    count("common", "Chunks that more documents have count for nothing (default: 1000)."),
)
"""Rules of a first run; later they change with `--renew` alone."""
OfRules = Annotated[list[Any] | None, KnownParams(_RULES).option]
What = Annotated[str | None, names("[DOCUMENT]", "Path, name or id of a document (default: the pairs of all).")]
Most = Annotated[int | None, option("--most", "N", "Show so many, or all (default: 20).", parser=arg.parse_count)]
Threshold = Annotated[
    float | None,
    option("--threshold", "SHARE", "Least similarity (default: 0; of --clusters 50%).", parser=arg.parse_share),
]
Clusters = Annotated[bool, flag("--clusters", "Show the documents that similarities connect.")]
Out = Annotated[Any, names("OUT", "The file to write: NAME.csv, .jsonl, .xlsx or .parquet.", parser=parse_table)]


similar = CommandGroup(
    "Compare all documents of a collection with each other, and keep the result up to date.", SIMILAR_HELP
)


@similar.command(UPDATE_HELP)
def update(
    collection: arg.AnyCollection = None,
    full: Full = False,
    renew: Renew = False,
    jobs: JobsOrHosts = None,
    param: OfRules = None,
    json: arg.Json = False,
    quiet: arg.QuietLoad = False,
) -> int:
    """Compute what has changed since the last run."""
    from pmbf.alike.similar import update as updated
    from pmbf.cli.shown.progress import steps_progress
    from pmbf.cli.shown.similar import incomplete_lines, update_text

    if not quiet:
        note_kernels()
    with steps_progress(shown=not quiet and sys.stderr.isatty()) as on_progress:
        how: dict[str, Any] = {"full": full, "renew": renew, "on_progress": on_progress, **dict(param or ())}
        n_jobs, ray = counting(jobs, on_nodes(named_collection(collection)))
        with _documents(collection) as documents:
            if ray:
                place = os.path.abspath(documents) if isinstance(documents, str) else documents
                report = on_hosts(ray, lambda made, n: updated(place, jobs=n_jobs or n, executor=made(), **how))
            else:
                report = updated(documents, jobs=n_jobs or min(_USUAL_JOBS, n_cores()), **how)
    if json:
        print_json(report.to_dict())
    elif not quiet:
        print_text(update_text(report))
    for line in [] if json else [*incomplete_lines(report.incomplete), *report.notes]:
        note(line)
    return FAILED if report.n_unread else DONE


@similar.command(SHOW_HELP)
def show(
    what: What = None,
    collection: arg.AnyCollection = None,
    most: Most = None,
    threshold: Threshold = None,
    clusters: Clusters = False,
    json: arg.Json = False,
) -> None:
    """Show what is most similar to a document, the most similar pairs, or clusters."""
    from pmbf.alike.similar import Similarities
    from pmbf.cli.shown.similar import clusters_text, rows_text

    if what is not None and clusters:
        raise ParameterError("--clusters is given with a document; leave one of them out")
    most = _USUAL_MOST if most is None else most
    with _documents(collection) as documents, Similarities(documents) as similarities:
        if clusters:
            _note_untaken(similarities)
            groups = similarities.clusters(0.5 if threshold is None else threshold)
            print_json([one.to_dict() for one in groups]) if json else print_text(clusters_text(groups, most))
            return
        document = int(what) if what is not None and what.isdecimal() else what
        found = similarities.pairs(most, threshold or 0.0) if document is None else similarities.of(document)
        found = [one for one in found if max(one.similarity, one.reverse) >= (threshold or 0.0)]
        if not found:  # all documents are read for it: six seconds for a million
            _note_untaken(similarities)
    print_json([asdict(one) for one in found]) if json else print_text(rows_text(found, most, what is None))


@similar.command(STATUS_HELP)
def status(collection: arg.AnyCollection = None, json: arg.Json = False) -> None:
    """Show how large the table is, what has changed since, and each run."""
    from pmbf.alike.similar import Similarities
    from pmbf.cli.shown.similar import incomplete_lines, status_text

    with _documents(collection) as documents, Similarities(documents) as similarities:
        found = similarities.status()
    print_json(found.to_dict()) if json else print_text(status_text(found))
    for line in [] if json else incomplete_lines(found.incomplete):
        note(line)


@similar.command(EXPORT_HELP)
def export(file: Out, collection: arg.AnyCollection = None, force: arg.Force = False, json: arg.Json = False) -> None:
    """Write all rows to a file: CSV, JSONL or Parquet."""
    from pmbf.cli.shown.safe import one_line

    out = file.path
    if out == "-":
        raise ParameterError("-: stdout takes no rows; name a file")
    with _documents(collection) as documents:
        folder = documents if isinstance(documents, str) else documents.folder
        if Path(folder).resolve() in Path(out).resolve().parents:
            raise ParameterError(f"{out}: is inside the collection; name a file outside")
        require_table(file, set(), force=force, option="OUT")
        with open_collection(documents) if isinstance(documents, str) else nullcontext(documents.collection) as opened:
            require_outside("OUT", out, opened, force=force)
        n_rows = _exported(documents, file)
    print_json({"n_rows": n_rows}) if json else print_text(f"{n_rows:,} rows written to {one_line(out)}\n")


def _exported(documents: str | SpreadDocuments, file: TableFile) -> int:
    from pmbf.alike.similar import Similarities
    from pmbf.alike.similar.report import COLUMNS
    from pmbf.cli.shown.table_files import table
    from pmbf.store.folders import replacing

    with Similarities(documents) as similarities:
        _note_untaken(similarities)
        with replacing(Path(file.path), beside_others=True) as opened, table(file.form, COLUMNS, opened) as take:
            return take(asdict(row) for row in similarities.rows())


@contextmanager
def _documents(collection: str | None) -> Iterator[str | SpreadDocuments]:
    """Yield the folder of a collection, or the documents of one on many nodes."""
    named = named_collection(collection)
    there = on_nodes(named)
    if not there:
        yield named
        return
    from pmbf.cluster.similar import SpreadDocuments

    with open_on_nodes(there) as opened:
        yield SpreadDocuments(opened)


def _note_untaken(similarities: Similarities) -> None:
    """Say how many documents are in no answer, since no run has taken them."""
    from pmbf.cli.shown.figures import counted

    if n_untaken := similarities.n_untaken():
        missing = counted(n_untaken, "new, changed or unread document")
        note(f"incomplete without {missing}; run `pmbf similar update {similarities.asked_with}`")
