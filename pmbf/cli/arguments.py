"""The arguments and options of the command line, each once, with its help and its parser."""

from __future__ import annotations

import glob
import math
import os
import sys
from collections.abc import Callable, Sequence
from itertools import islice
from typing import Annotated, Any, Literal

from pmbf.base.errors import PmbfError
from pmbf.store.telling import is_collection, is_depot

NEW = "Parameters of a new collection; they cannot change later"
FILES = "Which files"
SEARCH = "What counts as found"
OUTPUT = "Output"
NUMBERS: dict[Any, str] = {int: "a whole number", float: "a number"}


class Argument:
    """An option as users write it, with its help; without names an argument that is no option.

    Args:
        names: The spellings; the first one stands in messages.
        metavar: What its value is called in the help; empty: it takes none.
        text, panel: The help, and the heading that it stands under.
        parser: Makes a value of a word, and raises a ValueError with what is expected.
        envvar: The variable that is read if no word is given.
    """

    def __init__(
        self,
        names: tuple[str, ...],
        metavar: str,
        text: str,
        panel: str | None = None,
        *,
        parser: Callable[[str], Any] | None = None,
        least: int | None = None,
        most: int | None = None,
        envvar: str | None = None,
        autocompletion: Callable[..., list[str]] | None = None,
    ) -> None:
        self.names, self.metavar, self.text, self.panel = names, metavar, text, panel
        self.parser, self.least, self.most = parser, least, most
        self.envvar, self.autocompletion = envvar, autocompletion


def flag(name: str, text: str, panel: str | None = None, *, short: str | None = None) -> Argument:
    """Return an option without a value."""
    return Argument((name, short) if short else (name,), "", text, panel)


def option(
    name: str, metavar: str, text: str, panel: str | None = None, *, short: str | None = None, **more: Any
) -> Argument:
    """Return an option that takes a value; its help says the default in words, since the code that has it is late."""
    return Argument((name, short) if short else (name,), metavar, text, panel, **more)


def names(metavar: str, text: str, **more: Any) -> Argument:
    """Return an argument that is no option."""
    return Argument((), metavar, text, **more)


def parse_share(text: str) -> float:
    """Return a share; 20% is 0.2."""
    number, unit = (text[:-1], 100) if text.endswith("%") else (text, 1)
    try:
        share = float(number) / unit
    except ValueError:
        share = math.nan
    if not 0 <= share <= 1:
        raise ValueError(f"{text!r} is no share, expected a number from 0 to 1, or from 0% to 100%")
    return share


def parse_count(text: str) -> int:
    """Return a number; for `all` the largest number."""
    if text != "all" and not text.isdecimal():
        raise ValueError(f"{text!r} is neither a number nor 'all'")
    return sys.maxsize if text == "all" else int(text)


def chosen(choices: Sequence[str], word: str) -> str:
    """Return a word if it is a choice."""
    if word not in choices:
        raise ValueError(f"{word!r} is not one of {', '.join(map(repr, choices))}")
    return word


def number(
    kind: Callable[[str], int | float], least: int | float | None, most: int | float | None, word: str
) -> int | float:
    """Return a number within bounds."""
    try:
        found = kind(word)
    except ValueError:
        found = math.nan
    if math.isnan(found) or (least is not None and found < least) or (most is not None and found > most):
        expected = NUMBERS[kind] + ("" if least is None else f", at least {least}")
        expected += "" if most is None else f", at most {most}"
        raise ValueError(f"{word!r}, expected {expected}")
    return found


# ---------------------------------------------------------------------- what a shell offers; if nothing, then files

_MOST_OFFERED = 200


def collections_offered(incomplete: str) -> list[str]:
    """Return the collections whose path begins with what was typed."""
    return sorted(one for one in glob.glob(glob.escape(incomplete) + "*") if is_collection(one) or is_depot(one))


def documents_offered(ctx: Any, incomplete: str) -> list[str]:
    """Return the paths of documents that begin with what was typed, below the current folder as relative paths."""
    from pmbf.collection import Collection

    try:
        with Collection(ctx.params.get("collection") or "") as opened:
            shown = (_as_typed(path, incomplete) for one in opened for path in one.paths)
            return sorted(islice((path for path in shown if path.startswith(incomplete)), _MOST_OFFERED))
    except (PmbfError, OSError):
        return []


def _as_typed(path: str, incomplete: str) -> str:
    below = os.path.join(os.getcwd(), "")
    return path.removeprefix(below) if not os.path.isabs(incomplete) else path


# ---------------------------------------------------------------------- arguments that several commands have

Version = Annotated[bool, flag("--version", "Print the version and exit.", short="-V")]


def _collection(text: str) -> Any:
    """Return the option `-c`."""
    more: dict[str, Any] = {"envvar": "PMBF_COLLECTION", "autocompletion": collections_offered}
    return option("--collection", "FOLDER", text, short="-c", **more)


CollectionFolder = Annotated[str | None, _collection("The collection.")]
AnyCollection = Annotated[
    str | None, _collection("The collection; or one on many nodes: its depot, or ray://HOST:PORT/DEPOT.")
]
Json = Annotated[bool, flag("--json", "Print one line of JSON instead of text.", OUTPUT)]
Ocr = Annotated[
    str | None, option("--ocr", "LANGUAGES", "Read scanned pages of a PDF with the program tesseract: eng, eng+deu.")
]

# load
Paths = Annotated[list[str] | None, names("PATH", "Files and folders; folders are walked through, except hidden ones.")]
Include = Annotated[
    list[str] | None,
    option("--include", "GLOB", "In folders, load only files whose name or path fits; repeatable.", FILES),
]
Exclude = Annotated[
    list[str] | None,
    option("--exclude", "GLOB", "Leave out files and folders whose name or path fits; repeatable.", FILES),
]
FilesFrom = Annotated[
    str | None, option("--files-from", "FILE", "Read paths from a file, one a line or NUL between; - is stdin.", FILES)
]
Prune = Annotated[bool, flag("--prune", "Remove documents below PATH whose file is gone.", FILES)]
LoadJobs = Annotated[
    int | None, option("--jobs", "N", "Files read at the same time (default: one a core, at most 4).", FILES, least=1)
]
Profile = Annotated[
    Literal["default", "obfuscation", "sentences"] | None,
    option(
        "--profile",
        "NAME",
        "What else to find: sentences copied into a long text (sentences; the index takes three times the disk space), "
        "sources reworded throughout (obfuscation; twice the disk space).",
        NEW,
    ),
]
Index = Annotated[
    Literal["postings", "rows"] | None,
    option(
        "--index",
        "postings|rows",
        "What finds documents: postings, or the paper's rows alone: smaller, for copies (default: postings).",
        NEW,
    ),
]
NoText = Annotated[bool, flag("--no-text", "Store no texts: files are read again to compare passages.", NEW)]
Verbose = Annotated[bool, flag("--verbose", "List the files that are skipped, and those without text.", OUTPUT)]
QuietLoad = Annotated[bool, flag("--quiet", "Print only problems.", OUTPUT)]

# screen
Files = Annotated[list[str], names("PATH", "Texts in any format and encoding, folders of them; - reads stdin.")]
Name = Annotated[str | None, option("--name", "NAME", "What to call the text; for stdin, its ending tells the format.")]
MinChars = Annotated[
    int | None, option("--min-chars", "N", "Shortest passage, in characters of the text (default: 65).", SEARCH)
]
Threshold = Annotated[
    float | None,
    option(
        "--threshold",
        "SHARE",
        "Leave out sources that cover less of the text: 0.2, 20% (default: 0).",
        SEARCH,
        parser=parse_share,
    ),
]
Sensitivity = Annotated[
    Literal["fast", "normal", "thorough"] | None,
    option(
        "--sensitivity",
        "fast|normal|thorough",
        "Documents looked at for faint traces of rewording: 32, 100 or 250 (default: normal).",
        SEARCH,
    ),
]
ScreenJobs = Annotated[
    int | None, option("--jobs", "N", "Processes (default: one a core for many files, 1 for a few).", least=1)
]
Ignore = Annotated[
    list[str] | None, option("--ignore", "FILE", "Text of FILE does not count: a template, a form; repeatable.", SEARCH)
]
TemplateName = Annotated[
    str | None,
    option(
        "--template",
        "NAME|FILE",
        "Cut the text into sections that are compared, skipped, or compared with the same section: thesis, proposal, "
        "contract, or a file in TOML.",
        SEARCH,
    ),
]
Templates = Annotated[
    list[str] | None,
    option(
        "--template",
        "FILE",
        "Clients may choose this template, too, by the name in the file; TOML; repeatable.",
        SEARCH,
    ),
]
Passages = Annotated[
    int | None,
    option(
        "--passages",
        "N|all",
        "Show the N longest passages of each source (default: 3; 0: none).",
        OUTPUT,
        parser=parse_count,
    ),
]
Sources = Annotated[
    int | None, option("--sources", "N|all", "Show the N best sources (default: 10).", OUTPUT, parser=parse_count)
]
Force = Annotated[bool, flag("--force", "Write over files that pmbf did not write, and among documents.", OUTPUT)]
JsonReports = Annotated[bool, flag("--json", "Print each report whole, as one line of JSON a file.", OUTPUT)]
Quiet = Annotated[bool, flag("--quiet", "Print nothing: the exit code is the answer.", OUTPUT)]

# list, remove, check
Patterns = Annotated[
    list[str] | None,
    names(
        "PATTERN",
        "Only documents with such a path, name or folder; globs are allowed.",
        autocompletion=documents_offered,
    ),
]
JsonDocuments = Annotated[bool, flag("--json", "Print one line of JSON for each document.", OUTPUT)]
Targets = Annotated[
    list[str] | None,
    names(
        "ID|PATH",
        "Ids, paths, names or globs, as `pmbf list` has them; digits are an id unless a path is so called.",
        autocompletion=documents_offered,
    ),
]
Repair = Annotated[bool, flag("--repair", "Rebuild damaged files from undamaged ones.")]
