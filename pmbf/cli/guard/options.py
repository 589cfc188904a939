"""The options of `pmbf guard check`, each once. `arguments` gives them to typer; `plain` parses them without it.

Slow imports are left out: a hook starts with each commit.
"""
# Annotations are values here: if they are texts, then `typing` compiles those of a NamedTuple, which takes 1 ms.

from collections.abc import Mapping, Sequence
from typing import Any, Literal, NamedTuple

FILES = "Which files"
OUTPUT = "Output"
GIT = "What git is about to do"
POLICY = "The policy"

COMMANDS = ("baseline", "resolve", "install", "uninstall")
"""Other words than `check` that may follow `pmbf guard`."""


class Option(NamedTuple):
    """An option, or the words that belong to no option.

    Args:
        field: What the program calls it.
        part: `target`: what is checked; `chosen`: files of the policy; `policy`: a key of the policy; `output`: how the
            verdict is shown.
        names: The option as users write it; the second name of a switch turns it off; empty for the words.
        kind: `flag` and `switch` take no value; `word` takes one, `words` several.
        text: The help text.
        panel: The heading that the help text stands under.
        metavar: The name of the value in the help.
    """

    field: str
    part: Literal["target", "chosen", "policy", "output"]
    names: tuple[str, ...]
    kind: Literal["flag", "switch", "word", "words"]
    text: str
    panel: str
    metavar: str = ""


def _row(part: Any, panel: str, spelled: str, text: str, kind: Any = "", *, field: str = "") -> Option:
    """Return an option from its spelling: its names, then what its value is called; one without a value is a flag."""
    names = tuple(word for word in spelled.split() if word.startswith("-"))
    metavar = spelled.removeprefix(" ".join(names)).strip()
    field = field or (names[0].strip("-").replace("-", "_") if names else "words")
    return Option(field, part, names, kind or ("word" if metavar else "flag"), text, panel, metavar)


OPTIONS = (
    _row("target", FILES, "PATH", "Files and folders, hidden ones too; - reads stdin.", "words"),
    _row("target", GIT, "--staged", "What is staged in git's index (pre-commit)."),
    _row("target", GIT, "--range A..B", "Every blob and message that these commits bring.", field="revisions"),
    _row("target", GIT, "--pre-push", "What is about to be pushed; stdin has git's lines."),
    _row("target", GIT, "--pre-receive", "What was received; stdin has git's lines."),
    _row("target", GIT, "--commit-msg", "The message of a commit; PATH is git's file of it."),
    _row("target", FILES, "--name NAME", "What to call stdin; its ending tells the format."),
    _row("policy", FILES, "--include GLOB", "Look only at paths that fit; repeatable.", "words"),
    _row("policy", FILES, "--exclude GLOB", "Leave out paths that fit; repeatable.", "words"),
    _row(
        "policy",
        POLICY,
        "--collection -c FOLDER",
        "The protected documents (else PMBF_COLLECTION): a collection; its depot, or ray://HOST:PORT/DEPOT; "
        "or an endpoint filter (`pmbf export`).",
    ),
    _row(
        "chosen",
        POLICY,
        "--policy FILE",
        "A central policy; may be locked (else PMBF_GUARD_POLICY).",
        field="policy_file",
    ),
    _row("chosen", POLICY, "--config FILE", "Read this instead of pyproject.toml and .pmbf.toml.", field="config_file"),
    _row("policy", POLICY, "--baseline FILE", "Fingerprints of passages that may leave."),
    _row("policy", POLICY, "--ignore FILE", "Text of FILE is public and does not count; repeatable.", "words"),
    _row(
        "policy",
        POLICY,
        "--param KEY=VALUE",
        "Any key of a policy, such as block_chars=200, on_incomplete=warn or key_file=site.key; repeatable. "
        "docs/guard.md lists them.",
        "words",
    ),
    _row(
        "output",
        OUTPUT,
        "--redact --show",
        "Whether passages are shown (default: shown, but not where CI is set).",
        "switch",
    ),
    _row("output", OUTPUT, "--json", "Print the verdict as one line of JSON."),
    _row("output", OUTPUT, "--sarif FILE", "Write SARIF 2.1.0, without text; - is stdout, instead of findings."),
    _row("output", OUTPUT, "--incidents FILE", "Append a line of JSON for each finding, never with text."),
    _row("output", OUTPUT, "--quiet", "Print no findings and no way to allow them: only problems and totals."),
)
BY_FIELD = {one.field: one for one in OPTIONS}
OF_ADDING = tuple(
    one.field
    for one in OPTIONS
    if one.part != "output" and one.field not in ("pre_push", "pre_receive", "name", "baseline")
)
"""Fields of the options that `baseline add` shares with `check`: it takes the words of a check that has blocked."""
FLAGS = {
    name: (one.field, is_first)
    for one in OPTIONS
    if one.kind in ("flag", "switch")
    for name, is_first in zip(one.names, (True, False), strict=False)
}
WORDS = {name: one.field for one in OPTIONS if one.kind == "word" for name in one.names}
LISTS = {name: one.field for one in OPTIONS if one.kind == "words" for name in one.names}


def sorted_out(given: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """Return the values that were given, by part and field.

    >>> sorted_out({"staged": True, "baseline": None, "json": False})
    {'target': {'staged': True}, 'chosen': {}, 'policy': {}, 'output': {'json': False}}
    """
    parts: dict[str, dict[str, Any]] = {"target": {}, "chosen": {}, "policy": {}, "output": {}}
    for field, value in given.items():
        if value is not None:
            parts[BY_FIELD[field].part][field] = value
    return parts


def plain(arguments: Sequence[str]) -> dict[str, Any] | None:
    """Return the values by field of a command line that typer would understand in the same way; None of any other.

    Help, usage errors and the other commands of `pmbf guard` are left to typer.

    >>> plain(["a.txt", "--json", "-c", "b.pmbf"])
    {'words': ['a.txt'], 'json': True, 'collection': 'b.pmbf'}
    >>> plain(["--help"]), plain(["a.txt", "--new", "200"]), plain(["install"])
    (None, None, None)
    """
    words = list(arguments)
    if not words or words[0] in COMMANDS:
        return None
    if words[0] == "check":
        del words[0]
    read: dict[str, Any] = {"words": []}
    rest = iter(words)
    for word in rest:
        if word in FLAGS:
            name, value = FLAGS[word]
            read[name] = value
        elif word in WORDS or word in LISTS:
            given = next(rest, "")
            if not given or given.startswith("-"):
                return None
            if word in WORDS:
                read[WORDS[word]] = given
            else:
                read.setdefault(LISTS[word], []).append(given)
        elif word.startswith("-") and word != "-":
            return None
        else:
            read["words"].append(word)
    return read
