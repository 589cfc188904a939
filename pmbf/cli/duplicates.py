"""`pmbf duplicates`: which of some texts are copies of each other, and which one of each group to keep."""

from __future__ import annotations

import json as json_
import os
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pmbf.base.errors import DONE, FAILED, FOUND, ParameterError, UnsupportedError
from pmbf.cli import arguments as arg
from pmbf.cli.inputs import expanded, given, limits
from pmbf.cli.outcome import note, note_kernels, print_bytes, print_json, print_text
from pmbf.cli.params import READING, KnownParams, Param, choice, count, of
from pmbf.cli.words import explained

if TYPE_CHECKING:
    from pmbf.alike.resultsets import Duplicates
    from pmbf.extract import Limits

EPILOG = """Examples:
  pmbf duplicates news/
  pmbf duplicates news/ --why
  pmbf duplicates *.txt --threshold 60% --prefer longest
  pmbf duplicates news/ --list hidden > copies.txt
  search tides --ids-and-texts | pmbf duplicates - --json

Standard input has names of files, one a line; or articles, one object of
JSON a line: {"id": "a-17", "text": "…"}. The order is the ranking.

Exit codes: 0 no duplicates; 1 duplicates; 2 wrong usage; 3 an error, or no
duplicates but not everything was read, or fewer than two texts with words"""

LIKE = "What counts as a duplicate"

Files = Annotated[list[str], arg.names("PATH", "Files and folders; - reads names or articles from stdin.")]
Threshold = Annotated[
    float | None,
    arg.option("--threshold", "SHARE", "Least similarity: 0.6, 60% (default: 0.4).", LIKE, parser=arg.parse_share),
]
Features = Annotated[
    Literal["words", "sentences"] | None,
    arg.option("--features", "words|sentences", "Compare by three words in a row, or by whole sentences.", LIKE),
]
HOW = (
    Param("stem", "LANGUAGE", "With sentences: all forms of a word are one: english, german, …", str),
    choice("measure", "jaccard|containment", "Of both texts, or of the shorter one: teasers are found."),
    choice("linkage", "star|connected", "Hide copies of what is kept, or copies of copies, too."),
    count("keep", "Compare at most N hashes of a text (default: 128)."),
)
OfDuplicates = Annotated[list[Any] | None, KnownParams(HOW, READING).option]
Prefer = Annotated[
    Literal["first", "longest"], arg.option("--prefer", "first|longest", "Which of a group to keep (default: first).")
]
Why = Annotated[bool, arg.flag("--why", "Show what a copy shares with the text that is kept.", arg.OUTPUT)]
Listed = Annotated[
    Literal["kept", "hidden"] | None,
    arg.option("--list", "kept|hidden", "Print the names of these texts alone, one a line.", arg.OUTPUT),
]


@dataclass(slots=True)
class Gathered:
    """The texts that were read, by ranking, and what was not read."""

    names: list[str] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)


@explained(EPILOG)
def duplicates(
    files: Files,
    threshold: Threshold = None,
    features: Features = None,
    prefer: Prefer = "first",
    param: OfDuplicates = None,
    why: Why = False,
    listed: Listed = None,
    json: arg.Json = False,
    quiet: arg.Quiet = False,
) -> int:
    """Find copies among some texts, such as the results of a search, and say which to keep."""
    from pmbf.alike.resultsets import ResultSets

    if json and listed:
        raise ParameterError("--json and --list are both given; choose one")
    if files.count("-") > 1:
        raise ParameterError("- is given twice, but stdin is read once; leave one out")
    how = given(threshold=threshold, features=features, **of(param, HOW))
    sets = ResultSets(**how)  # refused before files are read
    if not quiet:
        note_kernels()
    gathered = _gathered(files, limits(param))
    found = sets.duplicates(gathered.texts, prefer=prefer)
    for problem in gathered.problems:
        note(problem)
    was_read = bool(gathered.texts) or not gathered.problems
    if not quiet and (was_read or json):
        _print(found, gathered, why=why, listed=listed, json=json)
    if found.n_with_features < 2 and was_read:
        note(f"nothing was compared: give two texts with {features or 'words'}, a folder of them, or more files")
    if found.groups:
        return FOUND
    return FAILED if gathered.problems or found.n_with_features < 2 else DONE


def _gathered(words: Sequence[str], bounds: Limits) -> Gathered:
    gathered = Gathered()
    for word in words:
        if word == "-":
            _take_stdin(gathered, bounds)
        else:
            for path in expanded(word):
                _take_path(path, gathered, bounds)
    return gathered


def _take_path(root: str, gathered: Gathered, bounds: Limits) -> None:
    """Read a file, or all files of a folder. A file met in a folder that is no text is passed over."""
    from pmbf.intake.discovery import Problem, discover
    from pmbf.intake.texts import Origin, read_leniently

    for file in discover([root]):
        path = file.path if os.path.isabs(root) else os.path.relpath(file.path)
        if isinstance(file, Problem):
            gathered.problems.append(f"{path}: {file.reason}")
        else:
            read = read_leniently(Origin(path, path=path, streams=file.named, met=not file.named), bounds)
            if read.unread:
                gathered.problems += read.problems
            else:
                gathered.problems += [f"{path}: incomplete: {one}" for one in read.problems]
                gathered.names.append(path)
                gathered.texts.append(read.text)


def _take_stdin(gathered: Gathered, bounds: Limits) -> None:
    from pmbf.base.contents import read_stream

    content = read_stream("-", bounds.max_bytes)
    if content.lstrip()[:1] == b"{":
        for name, text in _articles(content):
            gathered.names.append(name)
            gathered.texts.append(text)
        return
    separator = b"\0" if b"\0" in content else b"\n"
    for line in content.split(separator):
        if name := os.fsdecode(line.rstrip(b"\r")):
            _take_path(name, gathered, bounds)


def _articles(content: bytes) -> Iterator[tuple[str, str]]:
    """Yield the id and the text of each line."""
    for number, line in enumerate(content.split(b"\n"), 1):
        if not line.strip():
            continue
        try:
            one = json_.loads(line)
        except (ValueError, RecursionError):
            raise ParameterError(f"line {number} of stdin is no JSON") from None
        text = one.get("text") if isinstance(one, dict) else None
        if not isinstance(text, str):
            raise ParameterError(f'line {number} of stdin is no object with a text: {{"id": …, "text": …}}')
        name = one.get("id", number)
        if isinstance(name, bool) or not isinstance(name, str | int):
            kind = type(name).__name__
            raise ParameterError(f"the id in line {number} of stdin is {kind}, expected a text or a number")
        yield str(name), text


# ---------------------------------------------------------------------- output


def _print(found: Duplicates, gathered: Gathered, *, why: bool, listed: str | None, json: bool) -> None:
    if json:
        print_json(_told(found, gathered, why=why))
    elif listed:
        kept = set(found.keep)
        wanted = [name for place, name in enumerate(gathered.names) if (place in kept) == (listed == "kept")]
        print_bytes(b"".join(map(_line, wanted)))
    else:
        from pmbf.cli.shown.duplicates import duplicates_text

        print_text(duplicates_text(found, gathered.names, why=why))


def _line(name: str) -> bytes:
    """Return a name as a line for other programs; one that is more than a line could be taken for another file."""
    try:
        line = os.fsencode(name)
    except UnicodeEncodeError:
        line = b"\n"
    if b"\n" in line:
        raise UnsupportedError(f"--list prints names one a line, but {name!r} is no line; use --json")
    return line + b"\n"


def _told(found: Duplicates, gathered: Gathered, *, why: bool) -> dict[str, Any]:
    names = gathered.names

    def member(shown: int, article: int, similarity: float, contained: float) -> dict[str, Any]:
        told = {"name": names[article], "similarity": similarity, "contained": contained}
        return told | ({"shared": [asdict(one) for one in found.why(shown, article)]} if why else {})

    groups = [
        {
            "representative": names[group.representative],
            "members": [member(group.representative, *one) for one in group.members],
        }
        for group in found.groups
    ]
    return {"keep": [names[place] for place in found.keep], "groups": groups, "problems": gathered.problems}
