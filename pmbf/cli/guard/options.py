"""The options of `pmbf guard check`, each once. `arguments` gives them to typer; `plain` parses them without typer.

Slow imports are left out: a hook starts with each commit.
"""
# Annotations are values here: if they are texts, then `typing` compiles those of a NamedTuple, which takes 1 ms.

from collections.abc import Mapping
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


OPTIONS = (
    Option("words", "target", (), "words", "Files and folders, hidden ones too; - reads stdin.", FILES, "PATH"),
    Option("staged", "target", ("--staged",), "flag", "What is staged in git's index (pre-commit).", GIT),
    Option(
        "revisions", "target", ("--range",), "word", "Every blob and message that these commits bring.", GIT, "A..B"
    ),
    Option("pre_push", "target", ("--pre-push",), "flag", "What is about to be pushed; stdin has git's lines.", GIT),
    Option("pre_receive", "target", ("--pre-receive",), "flag", "What was received; stdin has git's lines.", GIT),
    Option(
        "commit_msg", "target", ("--commit-msg",), "flag", "The message of a commit; PATH is git's file of it.", GIT
    ),
    Option("name", "target", ("--name",), "word", "What to call stdin; its ending tells the format.", FILES, "NAME"),
    Option("include", "policy", ("--include",), "words", "Look only at paths that fit; repeatable.", FILES, "GLOB"),
    Option("exclude", "policy", ("--exclude",), "words", "Leave out paths that fit; repeatable.", FILES, "GLOB"),
    Option(
        "collection",
        "policy",
        ("--collection", "-c"),
        "word",
        "The protected documents (else PMBF_COLLECTION): a collection; its depot, or ray://HOST:PORT/DEPOT; or an "
        "endpoint filter (`pmbf export`).",
        POLICY,
        "FOLDER",
    ),
    Option(
        "policy_file",
        "chosen",
        ("--policy",),
        "word",
        "A central policy; may be locked (else PMBF_GUARD_POLICY).",
        POLICY,
        "FILE",
    ),
    Option(
        "config_file",
        "chosen",
        ("--config",),
        "word",
        "Read this instead of pyproject.toml and .pmbf.toml.",
        POLICY,
        "FILE",
    ),
    Option("baseline", "policy", ("--baseline",), "word", "Fingerprints of passages that may leave.", POLICY, "FILE"),
    Option(
        "ignore",
        "policy",
        ("--ignore",),
        "words",
        "Text of FILE is public and does not count; repeatable.",
        POLICY,
        "FILE",
    ),
    Option(
        "param",
        "policy",
        ("--param",),
        "words",
        "Any key of a policy, such as block_chars=200, on_incomplete=warn or key_file=site.key; repeatable. "
        "docs/guard.md lists them.",
        POLICY,
        "KEY=VALUE",
    ),
    Option(
        "redact",
        "output",
        ("--redact", "--show"),
        "switch",
        "Whether passages are shown (default: shown, but not where CI is set).",
        OUTPUT,
    ),
    Option("json", "output", ("--json",), "flag", "Print the verdict as one line of JSON.", OUTPUT),
    Option(
        "sarif",
        "output",
        ("--sarif",),
        "word",
        "Write SARIF 2.1.0, without text; - is stdout, instead of findings.",
        OUTPUT,
        "FILE",
    ),
    Option(
        "incidents",
        "output",
        ("--incidents",),
        "word",
        "Append a line of JSON for each finding, never with text.",
        OUTPUT,
        "FILE",
    ),
    Option(
        "quiet",
        "output",
        ("--quiet",),
        "flag",
        "Print no findings: only the lines on stderr, and the exit code.",
        OUTPUT,
    ),
)
BY_FIELD = {one.field: one for one in OPTIONS}
OF_ADDING = tuple(
    one.field
    for one in OPTIONS
    if one.part != "output" and one.field not in ("pre_push", "pre_receive", "name", "baseline")
)
"""Fields of the options that `baseline add` shares with `check`: it takes the words of a check that has blocked."""


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
