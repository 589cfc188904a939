"""`pmbf pairs`: the texts of a folder or a collection that are nearly the same."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pmbf.base.contents import size_of
from pmbf.base.errors import DONE, FAILED, ParameterError
from pmbf.cli import arguments as arg
from pmbf.cli.comparing import removed_on_signals
from pmbf.cli.inputs import JobsOrHosts, counting, expanded, given, limits, n_cores, on_hosts, open_on_nodes
from pmbf.cli.outcome import end_of_comparison, note, note_kernels, print_json, print_text
from pmbf.cli.params import READING, KnownParams, Param, choice, count, of
from pmbf.cli.tables import Table, TableFile, require_tables, write_tables
from pmbf.cli.targets import require_elsewhere, require_own
from pmbf.cli.words import explained
from pmbf.store.telling import OnNodes, is_collection, on_nodes

if TYPE_CHECKING:
    from pmbf.alike.pairs.bands import Background
    from pmbf.alike.pairs.plans import Advance, Joining
    from pmbf.alike.pairs.texts import TextSource
    from pmbf.alike.pairs.work import Work
    from pmbf.extract import Limits

EPILOG = """Examples:
  pmbf pairs articles/
  pmbf pairs articles/ --threshold 0.8 --prefer newest --table texts.csv --rows texts
  pmbf pairs pages.pmbf --features spotsigs --work run/ --jobs 4 --param plan=term
  pmbf pairs pages.pmbf --features spotsigs --write-background pages.df
  pmbf pairs more/ --features spotsigs --param background=pages.df --param idf=0.1,0.95
  pmbf pairs ray://auto/mnt/depot

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
        raise ValueError(f"{text!r} is not two numbers, such as 0.1,0.95") from None
    return low, high


def parse_threshold(text: str) -> float:
    """Return a share above 0."""
    share = float(arg.parse_share(text))
    if share == 0:
        raise ValueError(f"{text!r} is 0, which all texts reach; expected a number above 0, at most 1")
    return share


Texts = Annotated[
    list[str],
    arg.names(
        "PATH", "A collection, also one on many nodes: its depot, or ray://HOST:PORT/DEPOT; or files and folders."
    ),
]
FeatureKind = Annotated[
    Literal["words", "spotsigs"],
    arg.option(
        "--features",
        "words|spotsigs",
        "What texts have in common: runs of words; or spot signatures, fewer, of running text (default: words).",
        arg.SEARCH,
    ),
]
Threshold = Annotated[
    float | None,
    arg.option(
        "--threshold", "SHARE", "Least Jaccard index of a pair (default: 0.5).", arg.SEARCH, parser=parse_threshold
    ),
]
Prefer = Annotated[
    Literal["first", "longest", "newest"],
    arg.option("--prefer", "first|longest|newest", "Which text of a cluster to keep (default: first).", arg.SEARCH),
]
WorkFolder = Annotated[
    str | None, arg.option("--work", "FOLDER", "Keep finished parts here, to continue a stopped run.", HOW)
]
Proof = Annotated[bool, arg.flag("--proof", "Show the passages that each pair shares.", arg.OUTPUT)]
Pairs = Annotated[
    int | None, arg.option("--pairs", "N|all", "Show N pairs (default: 20).", arg.OUTPUT, parser=arg.parse_count)
]
Json = Annotated[bool, arg.flag("--json", "Print everything as one line of JSON.", arg.OUTPUT)]
Rows = Annotated[
    Literal["pairs", "texts"],
    arg.option("--rows", "pairs|texts", "A table's rows: pairs; or texts, each with what to keep.", arg.OUTPUT),
]
WriteBackground = Annotated[
    str | None,
    arg.option("--write-background", "FILE", "Write how many texts have each feature, and compare nothing.", HOW),
]


FEATURES = (count("shingle_tokens", "Words in a run, 1 to 32 (default: 3)."),)
BAND = (
    Param(
        "idf",
        "LOW,HIGH",
        "Leave out features that too many (below LOW) or too few texts (above HIGH) have; needs 100,000 texts or "
        "a background.",
        parse_idf,
    ),
    Param("background", "FILE", "Frequencies that --write-background wrote.", str),
)
PLANS = (
    choice(
        "plan",
        "doc|term",
        "What a process holds: some texts; or a range of features (default: doc; on a Ray cluster: term).",
    ),
    Param("max_volume", "SIZE", "Refuse the plan term above this, before sums (default: 10G).", size_of),
)
OfPairs = Annotated[list[Any] | None, KnownParams(FEATURES, BAND, PLANS, READING).option]


@explained(EPILOG)
def pairs(
    texts: Texts,
    features: FeatureKind = "words",
    threshold: Threshold = None,
    prefer: Prefer = "first",
    jobs: JobsOrHosts = None,
    work: WorkFolder = None,
    write_background: WriteBackground = None,
    param: OfPairs = None,
    proof: Proof = False,
    pairs: Pairs = None,
    table: Table = None,
    rows: Rows = "pairs",
    json: Json = False,
    quiet: arg.Quiet = False,
    force: arg.Force = False,
) -> int:
    """Find all texts that are nearly the same: pairs, clusters, and which text of each to keep."""
    from pmbf.alike.pairs.bands import Background, Band
    from pmbf.alike.pairs.features import Features
    from pmbf.alike.pairs.finding import Wanted, background_of, found_in
    from pmbf.alike.pairs.plans import Joining
    from pmbf.alike.pairs.results import COLUMNS
    from pmbf.alike.pairs.results import rows as rows_of
    from pmbf.cli.shown.canvas import View, wants_color
    from pmbf.cli.shown.near import near_text

    tables: Sequence[TableFile] = table or ()
    band = of(param, BAND)
    idf, background = band.get("idf"), band.get("background")
    require_tables(tables, json=json, quiet=quiet, force=force)
    _require_possible(tables, rows=rows, idf=idf, background=background)
    if write_background:
        require_own("--write-background", write_background, "background", hint="remove it first")
    made_of = Features(features, **of(param, FEATURES))
    others = Background.read(background, made_of) if background else None
    wanted = Wanted(made_of, Band(*idf or ()), others, prefer, proof)
    there = on_nodes(texts[0]) if len(texts) == 1 else None
    n_jobs, ray = counting(jobs, there)
    plan = {"plan": "term" if ray else "doc"} | given(threshold=threshold) | of(param, PLANS)
    if ray and plan["plan"] == "doc":
        raise ParameterError("plan is doc on a Ray cluster: its processes share files of this machine; leave it out")
    how = Joining(jobs=n_jobs or n_cores(), **plan)
    if not quiet:
        note_kernels()
    places = [("--work", work), ("--write-background", write_background), *(("--table", one.path) for one in tables)]
    with _opened(texts, there, limits(param), how, places, work, quiet=quiet) as (source, advance, kept):
        how = replace(how, advance=advance)
        if write_background:
            made = background_of(source, made_of, how, kept)
            made.write(write_background, made_of)
            return _told(made, source, write_background)
        if ray:
            found = on_hosts(
                ray,
                lambda made, n: found_in(
                    source, replace(how, jobs=n_jobs or n, executor=lambda _: made()), wanted, kept
                ),
            )
        else:
            found = found_in(source, how, wanted, kept)
    is_printed = write_tables(tables, COLUMNS[rows], lambda: rows_of(found, rows), found.problems)
    if not quiet and not is_printed:
        shown = given(n_pairs=pairs)
        view = View(colored=wants_color(sys.stdout))
        print_json(found.to_dict()) if json else print_text(near_text(found, view, **shown))
    return end_of_comparison(
        found=bool(found.n_pairs),
        problems=found.problems,
        n_compared=int((found.links.sizes > 0).sum()),
        told="it takes two texts with words; name their folder, or more files",
    )


def _told(made: Background, source: TextSource, file: str) -> int:
    """Say what a background is of, and return the exit code."""
    from pmbf.alike.pairs.bands import LEAST_TEXTS

    for problem in source.problems:
        note(problem)
    note(f"{file} has the frequencies of {len(made.hashes):,} features in {made.n_texts:,} texts")
    if made.n_texts < LEAST_TEXTS:
        note(f"a band needs {LEAST_TEXTS:,} texts, together with those that are compared")
    return FAILED if source.problems else DONE


def _require_possible(tables: Sequence[TableFile], *, rows: str, idf: object, background: str | None) -> None:
    """Refuse options that contradict each other, before a text is read."""
    if rows != "pairs" and not tables:
        raise ParameterError(f"--rows is {rows} without a table; add --table FILE.csv or FILE.jsonl")
    if background and idf is None:
        raise ParameterError("--param background is given without idf=LOW,HIGH, which says what is left out by it")


@contextmanager
def _opened(
    texts: Sequence[str],
    there: OnNodes | None,
    bounds: Limits,
    how: Joining,
    places: Sequence[tuple[str, str | None]],
    work: str | None,
    *,
    quiet: bool,
) -> Iterator[tuple[TextSource, Advance, Work | None]]:
    """Yield the texts that were named, what shows progress, and the work folder if one was named.

    Args:
        there: Where the collection is, if it is on many nodes.
        places: Options and where they write, which is not among the texts; None: the option is not given.
    """
    from pmbf.alike.pairs.texts import texts_of_archive, texts_of_collection, texts_of_files
    from pmbf.alike.pairs.work import work_folder
    from pmbf.cli.shown.progress import steps_progress
    from pmbf.collection import Collection

    paths = [there.depot] if there else [path for word in texts for path in expanded(word)]
    collections = [path for path in paths if is_collection(path)]
    if collections and len(paths) > 1:
        raise ParameterError(f"{collections[0]}: is a collection, expected it alone, or files and folders alone")
    require_elsewhere(places, paths, ())  # before nodes are asked
    with ExitStack() as stack:
        asked = stack.enter_context(open_on_nodes(there)) if there else None
        with ExitStack() as looked_at:
            opened = [asked] if asked else [looked_at.enter_context(Collection(folder)) for folder in collections]
            require_elsewhere(places, paths, opened, hint="")
        stack.enter_context(removed_on_signals())
        shown = stack.enter_context(steps_progress(shown=not quiet and sys.stderr.isatty()))
        advance = shown or how.advance
        folder = stack.enter_context(work_folder(work))
        if asked:
            source = texts_of_archive(asked.archive(), str(asked.path))
        elif collections:
            source = stack.enter_context(texts_of_collection(collections[0]))
        else:
            source = stack.enter_context(texts_of_files(paths, bounds, replace(how, advance=advance), folder))
        yield source, advance, folder if work else None
