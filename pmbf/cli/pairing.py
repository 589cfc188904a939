"""`pmbf pairs`: the texts of a folder or a collection that are nearly the same."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from pmbf.base.errors import DONE, FAILED, FOUND, ParameterError
from pmbf.cli import arguments as arg
from pmbf.cli.clustering import Cluster, opened_cluster
from pmbf.cli.comparing import removed_on_signals
from pmbf.cli.inputs import expanded, given, limits, n_cores
from pmbf.cli.on_hosts import on_hosts
from pmbf.cli.outcome import note, note_kernels, print_json, print_text
from pmbf.cli.targets import opened_table, require_apart, require_outside, require_own, require_tables
from pmbf.store.telling import is_collection

if TYPE_CHECKING:
    from pmbf.alike.pairs import NearDuplicates
    from pmbf.alike.pairs.bands import Background
    from pmbf.alike.pairs.plans import Advance
    from pmbf.alike.pairs.sources import Source
    from pmbf.alike.pairs.stored import Reading
    from pmbf.alike.pairs.work import Work
    from pmbf.cluster.collection import ClusterCollection

EPILOG = """Examples:
  pmbf pairs articles/
  pmbf pairs articles/ --threshold 0.8 --keep newest --csv texts.csv --rows texts
  pmbf pairs pages.pmbf --features spotsigs --plan term --work run/ --jobs 4
  pmbf pairs pages.pmbf --features spotsigs --write-background pages.df
  pmbf pairs more/ --features spotsigs --background pages.df --idf 0.1,0.95
  pmbf pairs --cluster /mnt/depot --ray auto

Two texts are a pair if their Jaccard index is at least --threshold: what both have /
what either has. Of a cluster one text is kept, and each other one is a pair
with that one. With --work, a run that was stopped is continued by the same
command.

Exit codes: 0 no pair; 1 pairs found; 2 wrong usage; 3 an error, or no pair but
not everything was read, or fewer than two texts with a word"""

HOW = "How pairs are found"


def parse_idf(text: str) -> tuple[float, ...]:
    """Return two numbers.

    >>> parse_idf("0.1,0.95")
    (0.1, 0.95)
    """
    try:
        low, high = map(float, text.split(","))
    except ValueError:
        raise typer.BadParameter(f"{text!r} is not two numbers, such as 0.1,0.95") from None
    return low, high


def parse_threshold(text: str) -> float:
    """Return a share above 0."""
    share = float(arg.parse_share(text))
    if share == 0:
        raise typer.BadParameter(f"{text!r} is 0, which all texts reach; expected a number above 0, at most 1")
    return share


Texts = Annotated[list[str] | None, arg.names("[PATH]", "A collection; or a folder with texts; or files and folders.")]
FeatureKind = Annotated[
    Literal["words", "spotsigs"],
    arg.option(
        "--features",
        "words|spotsigs",
        "What texts have in common: runs of words; or spot signatures, fewer, of running text (default: words).",
        arg.SEARCH,
    ),
]
Words = Annotated[int | None, arg.option("--shingle", "N", "Words in a run (default: 3).", arg.SEARCH, min=1, max=32)]
Threshold = Annotated[
    float | None,
    arg.option(
        "--threshold", "SHARE", "Least Jaccard index of a pair (default: 0.5).", arg.SEARCH, parser=parse_threshold
    ),
]
Idf = Annotated[
    Any,
    arg.option(
        "--idf",
        "LOW,HIGH",
        "Leave out features that too many (below LOW) or too few texts (above HIGH) have; needs 100,000 texts or "
        "--background.",
        arg.SEARCH,
        parser=parse_idf,
    ),
]
BackgroundFile = Annotated[
    str | None, arg.option("--background", "FILE", "Frequencies that --write-background wrote.", arg.SEARCH)
]
Keep = Annotated[
    Literal["first", "longest", "newest"],
    arg.option("--keep", "first|longest|newest", "Which text of a cluster to keep (default: first).", arg.SEARCH),
]
Plan = Annotated[
    Literal["doc", "term"] | None,
    arg.option(
        "--plan",
        "doc|term",
        "What a process holds: some texts; or a range of features (default: doc; with --ray: term).",
        HOW,
    ),
]
Ray = Annotated[
    str | None,
    arg.option("--ray", "ADDRESS", "The hosts of a Ray cluster count, HOST:PORT or auto, by the plan term.", HOW),
]
Jobs = Annotated[int | None, arg.option("--jobs", "N", "Processes (default: the processor's cores).", HOW, min=1)]
MaxVolume = Annotated[
    int | None,
    arg.option(
        "--max-volume", "BYTES", "Refuse --plan term above this, before sums (default: 10G).", HOW,
        parser=arg.parse_size,
    ),
]  # fmt: skip
WorkFolder = Annotated[
    str | None, arg.option("--work", "FOLDER", "Keep finished parts here, to continue a stopped run.", HOW)
]
Proof = Annotated[bool, arg.flag("--proof", "Show the passages that each pair shares.", arg.OUTPUT)]
Pairs = Annotated[
    int | None, arg.option("--pairs", "N|all", "Show N pairs (default: 20).", arg.OUTPUT, parser=arg.parse_count)
]
Json = Annotated[bool, arg.flag("--json", "Print everything as one line of JSON.", arg.OUTPUT)]
Csv = Annotated[str | None, arg.option("--csv", "FILE", "Write a table as CSV; - is stdout.", arg.OUTPUT)]
Jsonl = Annotated[str | None, arg.option("--jsonl", "FILE", "Write a table as lines of JSON; - is stdout.", arg.OUTPUT)]
Rows = Annotated[
    Literal["pairs", "texts"],
    arg.option("--rows", "pairs|texts", "A table's rows: pairs; or texts, each with what to keep.", arg.OUTPUT),
]
WriteBackground = Annotated[
    str | None,
    arg.option("--write-background", "FILE", "Write how many texts have each feature, and compare nothing.", HOW),
]


def pairs(
    texts: Texts = None,
    cluster: Cluster = None,
    features: FeatureKind = "words",
    shingle: Words = None,
    threshold: Threshold = None,
    idf: Idf = None,
    background: BackgroundFile = None,
    keep: Keep = "first",
    plan: Plan = None,
    ray: Ray = None,
    jobs: Jobs = None,
    max_volume: MaxVolume = None,
    work: WorkFolder = None,
    write_background: WriteBackground = None,
    proof: Proof = False,
    pairs: Pairs = None,
    csv: Csv = None,
    jsonl: Jsonl = None,
    force: arg.Force = False,
    json: Json = False,
    rows: Rows = "pairs",
    color: arg.ColorWhen = "auto",
    quiet: arg.Quiet = False,
    max_bytes: arg.MaxBytes = None,
    timeout: arg.Timeout = None,
) -> None:
    """Find all texts that are nearly the same: pairs, clusters, and which text of each to keep."""
    from pmbf.alike.pairs.bands import Background, Band
    from pmbf.alike.pairs.features import Features
    from pmbf.alike.pairs.finding import How, Wanted, background_of, found_in
    from pmbf.alike.pairs.stored import Reading

    tables = {"--csv": csv, "--jsonl": jsonl}
    require_tables(tables, json=json, quiet=quiet, force=force)
    _require_possible(tables, rows=rows, idf=idf, background=background)
    if write_background:
        require_own("--write-background", write_background, "background", hint="remove it first")
    made_of = Features(features, **given(shingle_tokens=shingle))
    others = Background.read(background, made_of) if background else None
    wanted = Wanted(made_of, Band(*idf or ()), others, keep, proof)
    if ray and plan == "doc":
        raise ParameterError("--plan is doc with --ray: its processes share files of this machine; choose --plan term")
    plan = plan or ("term" if ray else "doc")
    how = How(plan=plan, jobs=jobs or n_cores(), **given(threshold=threshold, max_volume=max_volume))
    if not quiet:
        note_kernels()
    if bool(texts) == bool(cluster):
        raise ParameterError("expected a collection, files and folders, or the collection of a cluster with --cluster")
    reading = Reading(limits(max_bytes, timeout), how.jobs, how.advance)
    places = {"--work": work, "--write-background": write_background, **tables}
    with _opened(texts or [], cluster, ray, reading, places, quiet=quiet) as (source, advance, kept):
        how = replace(how, advance=advance)
        if write_background:
            made = background_of(source, made_of, how, kept)
            made.write(write_background, made_of)
            raise typer.Exit(_told(made, source, write_background))
        if ray:
            found = on_hosts(
                ray,
                lambda made, n: found_in(source, replace(how, jobs=jobs or n, executor=lambda _: made()), wanted, kept),
            )
        else:
            found = found_in(source, how, wanted, kept)
    _write_tables(found, tables, rows)
    if not quiet and "-" not in tables.values():
        _print(found, color, given(n_pairs=pairs), json=json)
    raise typer.Exit(exit_code(found))


def exit_code(found: NearDuplicates) -> int:
    """Return how `pmbf pairs` ends."""
    if found.n_pairs:
        return FOUND
    n_with_words = int((found.links.sizes > 0).sum())
    if n_with_words < 2 and not found.problems:
        note("nothing was compared: it takes two texts with words; name their folder, or more files")
    return FAILED if found.problems or n_with_words < 2 else DONE


def _told(made: Background, source: Source, file: str) -> int:
    """Say what a background is of, and return the exit code."""
    from pmbf.alike.pairs.bands import LEAST_TEXTS

    for problem in source.problems:
        note(problem)
    note(f"{file} has the frequencies of {len(made.hashes):,} features in {made.n_texts:,} texts")
    if made.n_texts < LEAST_TEXTS:
        note(f"a band needs {LEAST_TEXTS:,} texts, together with those that are compared")
    return FAILED if source.problems else DONE


def _require_possible(tables: Mapping[str, str | None], *, rows: str, idf: object, background: str | None) -> None:
    """Refuse options that contradict each other, before a text is read.

    Raises:
        ParameterError: They do.
    """
    if rows != "pairs" and not any(tables.values()):
        raise ParameterError(f"--rows is {rows} without a table; add --csv FILE or --jsonl FILE")
    if background and idf is None:
        raise ParameterError("--background is given without --idf, which says what is left out by it")


@contextmanager
def _opened(
    texts: Sequence[str],
    cluster: str | None,
    ray: str | None,
    reading: Reading,
    places: Mapping[str, str | None],
    *,
    quiet: bool,
) -> Iterator[tuple[Source, Advance, Work | None]]:
    """Yield the texts that were named, what shows progress, and the work folder if one was named.

    Args:
        texts: Files and folders, or a collection.
        cluster, ray: A depot in place of them, and where its nodes run.
        reading: How files are read.
        places: Where results are written, by option; None: the option is not given.
        quiet: Whether no progress is shown.

    Raises:
        ParameterError: A place is among the texts.
    """
    from pmbf.alike.pairs.stored import texts_of_archive, texts_of_collection, texts_of_files
    from pmbf.alike.pairs.work import work_folder
    from pmbf.cli.shown.progress import steps_progress

    paths = [path for word in texts for path in expanded(word)]
    collections = [path for path in paths if is_collection(path)]
    if collections and len(paths) > 1:
        raise ParameterError(f"{collections[0]}: is a collection, expected it alone, or files and folders alone")
    for option, place in places.items():
        if place and place != "-":
            require_apart(option, place, [cluster] if cluster else paths)
    work = places["--work"]
    with ExitStack() as stack:
        asked = stack.enter_context(opened_cluster(cluster, ray)) if cluster else None
        _require_outside(places, asked, collections)
        stack.enter_context(removed_on_signals())
        shown = stack.enter_context(steps_progress(shown=not quiet and sys.stderr.isatty()))
        advance = shown or reading.advance
        folder = stack.enter_context(work_folder(work))
        if asked:
            source = texts_of_archive(asked.archive(), str(asked.path))
        elif collections:
            source = stack.enter_context(texts_of_collection(collections[0]))
        else:
            source = stack.enter_context(texts_of_files(paths, replace(reading, advance=advance), folder))
        yield source, advance, folder if work else None


def _require_outside(
    places: Mapping[str, str | None], asked: ClusterCollection | None, collections: Sequence[str]
) -> None:
    """Refuse to write among the documents of a cluster's collection, or of one in a folder, that is compared."""
    from pmbf.collection import Collection

    with ExitStack() as stack:
        opened = [asked] if asked else [stack.enter_context(Collection(folder)) for folder in collections]
        for option, place in places.items():
            if place and place != "-":
                for one in opened:
                    require_outside(option, place, one, hint="")


def _write_tables(found: NearDuplicates, tables: Mapping[str, str | None], rows: str) -> None:
    from pmbf.alike.pairs.results import COLUMNS
    from pmbf.alike.pairs.results import rows as rows_of

    for option, file in tables.items():
        if file is not None:
            with opened_table(file, option.removeprefix("--"), COLUMNS[rows]) as take:
                take(rows_of(found, rows))
    if "-" in tables.values():
        for problem in found.problems:  # a table has no place for them
            note(problem)


def _print(found: NearDuplicates, color: arg.ColorWhen, shown: dict[str, int], *, json: bool) -> None:
    from pmbf.cli.shown import near
    from pmbf.cli.shown.canvas import View, wants_color

    if json:
        print_json(found.to_dict())
    else:
        print_text(near.near_text(found, near.Shown(View(colored=wants_color(color, sys.stdout)), **shown)))
