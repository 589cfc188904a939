"""What `pmbf guard` and its sub-commands take: each argument and option once, with its help."""

from __future__ import annotations

from typing import Annotated, Any

from pmbf.cli.arguments import FILES, LIMITS, OUTPUT, flag, names, option, parse_size
from pmbf.guard.config import from_text
from pmbf.guard.policy import KEYS

GIT = "What git is about to do"
POLICY = "The policy"


def _level(name: str) -> Any:
    def parse(text: str) -> Any:
        return from_text(name, text, "the command line")

    return parse


Words = Annotated[list[str] | None, names("PATH", "Files and folders, hidden ones too; - reads stdin.")]
Staged = Annotated[bool, flag("--staged", "What is staged in git's index (pre-commit).", GIT)]
Range = Annotated[str | None, option("--range", "A..B", "Every blob and message that these commits bring.", GIT)]
PrePush = Annotated[bool, flag("--pre-push", "What is about to be pushed; stdin has git's lines.", GIT)]
PreReceive = Annotated[bool, flag("--pre-receive", "What was received; stdin has git's lines.", GIT)]
Name = Annotated[str | None, option("--name", "NAME", "What to call stdin; its ending tells the format.", FILES)]
Include = Annotated[list[str] | None, option("--include", "GLOB", "Look only at paths that fit; repeatable.", FILES)]
Exclude = Annotated[list[str] | None, option("--exclude", "GLOB", "Leave out paths that fit; repeatable.", FILES)]
MaxBytes = Annotated[
    int | None,
    option("--max-bytes", "SIZE", "Larger files are incomplete: 20M, 1G (default: 256M).", LIMITS, parser=parse_size),
]
CollectionFolder = Annotated[
    str | None,
    option("--collection", "FOLDER", "The protected documents (else PMBF_COLLECTION).", POLICY, short="-c"),
]
Endpoint = Annotated[
    str | None,
    option("--endpoint", "FILE", "An endpoint filter (`pmbf export`) in the place of the collection.", POLICY),
]
KeyFile = Annotated[str | None, option("--key-file", "FILE", "The site key of the endpoint filter.", POLICY)]
OpaqueIds = Annotated[
    list[str],
    names("ID", "Opaque ids as findings show them, px-…; - takes all that stand in stdin, an incidents file."),
]
PolicyFile = Annotated[
    str | None, option("--policy", "FILE", "A central policy; may be locked (else PMBF_GUARD_POLICY).", POLICY)
]
ConfigFile = Annotated[
    str | None, option("--config", "FILE", "Read this instead of pyproject.toml and .pmbf.toml.", POLICY)
]
BlockChars = Annotated[
    Any,
    option(
        "--block-chars",
        "N|off",
        "Letters and digits of one document that block (default: 300).",
        POLICY,
        parser=_level("block_chars"),
    ),
]
WarnChars = Annotated[
    Any,
    option("--warn-chars", "N|off", "The same for a warning (default: 150).", POLICY, parser=_level("warn_chars")),
]
OnIncomplete = Annotated[
    str | None,
    option(
        "--on-incomplete",
        "block|warn",
        f"Of what cannot be read whole: {KEYS['on_incomplete'].expected} (default: block).",
        POLICY,
    ),
]
Baseline = Annotated[str | None, option("--baseline", "FILE", "Fingerprints of passages that may leave.", POLICY)]
Ignore = Annotated[
    list[str] | None,
    option("--ignore", "FILE", "What stands in FILE is public and does not count; repeatable.", POLICY),
]
Redact = Annotated[
    bool | None,
    flag("--redact/--show", "Whether passages are shown (default: shown, but not where CI is set).", OUTPUT),
]
Json = Annotated[bool, flag("--json", "Print the verdict as one line of JSON.", OUTPUT)]
Quiet = Annotated[bool, flag("--quiet", "Print no findings: only the line on stderr, and the exit code.", OUTPUT)]
Sarif = Annotated[
    str | None,
    option("--sarif", "FILE", "Write SARIF 2.1.0, without text; - is stdout, instead of findings.", OUTPUT),
]
Incidents = Annotated[
    str | None, option("--incidents", "FILE", "Append a line of JSON for each finding, never with text.", OUTPUT)
]
BaselineFile = Annotated[
    str | None,
    option("--file", "FILE", "The baseline (default: the policy's, else .pmbf-baseline.json at the top).", POLICY),
]
PreCommitHook = Annotated[bool, flag("--pre-commit", "The hook that checks what is staged.", GIT)]
PrePushHook = Annotated[bool, flag("--pre-push", "The hook that checks what is about to be pushed.", GIT)]
PreReceiveHook = Annotated[bool, flag("--pre-receive", "A server's hook that checks what was received.", GIT)]
