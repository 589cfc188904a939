"""Options that commands had before, with the present spelling: users have scripts."""

from __future__ import annotations

from collections.abc import Container

_RAY = "-c ray://HOST:PORT/DEPOT, or the variable PMBF_RAY"
_HOSTS = "--jobs ray://HOST:PORT"
_FETCHED = "`pmbf cluster status --fetch-all DEPOT` before"
_WORDS = ("pre-commit", "commit-msg", "pre-push", "pre-receive")
_NOW = {
    "--cluster": "-c DEPOT",
    "pairs --cluster": "DEPOT, as a PATH",
    "--ray": _RAY,
    "pairs --ray": _HOSTS,
    "similar update --ray": _HOSTS,
    **{f"cluster {one} --ray": "ray://HOST:PORT/DEPOT" for one in ("status", "drain")},
    **{f"cluster {one} --state": "the variable XDG_CACHE_HOME" for one in ("start", "join", "stop")},
    "screen --fetch-all": _FETCHED,
    "serve --fetch-all": "--param fetch_all=yes",
    "--csv": "--table FILE.csv, on stdout --table csv:-",
    "--jsonl": "--table FILE.jsonl, on stdout --table jsonl:-",
    "--xlsx": "--table FILE.xlsx",
    "--format": "the form before the name, as in parquet:FILE",
    "--color": "the variable NO_COLOR=1 or FORCE_COLOR=1",
    "--where-not": "--where 'NAME!=VALUE'",
    "--label-pattern": "--labels REGEX",
    "--from": "--labels FILE.csv",
    "--exclude-quotations": "--exclude quotations",
    "--exclude-bibliography": "--exclude bibliography",
    "--exclude-self": "--exclude self",
    "--exclude-same": "--exclude same=NAME",
    "pairs --keep": "--prefer",
    "export --profile": "left out: there was one profile",
    "guard check --endpoint": "-c FILE",
    "guard baseline add --endpoint": "-c FILE",
    **{f"guard {one} --{word}": f"the word {word}" for one in ("install", "uninstall") for word in _WORDS},
    "screen --sentences": "`pmbf sentences screen`",
    "--sites": "`pmbf site ask`",
    "--share-matched": "`pmbf site ask --share-matched`",
    "--ask-whole": "`pmbf site ask --ask-whole`",
    "--private": "`pmbf site ask --private`",
    "--deadline": "`pmbf site ask --param seconds=SECONDS`",
    "--registry": "`pmbf site --registry FOLDER …`",
}
"""Spellings of today, by the former option, or by its command and it."""
_COMMANDS = {
    **{f"cluster {one}": f"`pmbf {one} -c DEPOT`" for one in ("load", "remove", "compact", "check")},
    "guard baseline create": "`pmbf guard baseline update`",
}
"""Commands of today, by the former command."""
_FIELDS = {
    "--any-order": "ordered",
    "--grace": "grace_h",
    "--max-request": "request_bytes",
    "--max-seconds": "answer_s",
    "--shingle": "shingle_tokens",
    "--timeout": "timeout_s",
    "--words": "n_words",
}
"""What `--param` sets today, by the former option, where the names differ by more than dashes."""


def moved(group: str, command: str) -> str:
    """Return the present spelling of a former command; empty if there was none.

    >>> moved("pmbf cluster", "load")
    '`pmbf load -c DEPOT`'
    """
    return _COMMANDS.get(f"{group.removeprefix('pmbf ')} {command}", "")


def renamed(command: str, option: str, settings: Container[str]) -> str:
    """Return the present spelling of a former option; empty if no command had it.

    Args:
        command: The command, as `pmbf screen`.
        option: The option.
        settings: What the command's `--param` sets.

    >>> renamed("pmbf screen", "--exclude-self", ()), renamed("pmbf load", "--n-hashes", ["n_hashes"])
    ('--exclude self', '--param n_hashes=VALUE')
    """
    name = _FIELDS.get(option, option.removeprefix("--").replace("-", "_"))
    named = f"{command.removeprefix('pmbf ')} {option}"
    return _NOW.get(named, _NOW.get(option, f"--param {name}=VALUE" if name in settings else ""))
