"""What a leak check blocks and what it warns of: `Policy`; each key has a type, a range and a looser direction.

Levels count *letters and digits* after folding, so that no layout, case or disguise changes the count. The defaults are
strict: if a payload cannot be read whole, or is too large to be read, then it blocks.
"""

from __future__ import annotations

import fnmatch
import hashlib
import json
import operator
import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, fields
from typing import Any, Literal

from pmbf.base.errors import ParameterError

MIB = 1 << 20
Shows = Literal["never", "resolve", "always"]
"""How a protected document is named: not at all; by number or opaque id; by its path."""

TOLD_INLINE = "write `pmbf:allow FINGERPRINT` into the same text"
"""How a passage is allowed by a note."""


@dataclass(frozen=True, slots=True)
class Policy:
    """Which documents are protected, from which levels on a finding blocks or warns, and which payloads are checked.

    The fields are the keys of a policy; docs/guard.md says what each means. A level of None is off.

    Raises:
        ParameterError: A value has the wrong type or is outside its range, or more than one of a collection, a cluster
            and an endpoint filter is named.
    """

    collection: str = ""
    endpoint: str = ""
    cluster: str = ""
    ray: str = ""
    key_file: str = ""
    block_chars: int | None = 300
    warn_chars: int | None = 150
    block_document_share: float | None = 0.5
    warn_document_share: float | None = 0.25
    block_payload_share: float | None = 0.8
    warn_payload_share: float | None = 0.5
    block_total_chars: int | None = 600
    warn_total_chars: int | None = 300
    share_chars: int = 120
    min_chars: int = 65
    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    max_bytes: int = 256 * MIB
    timeout_s: float = 60.0
    on_incomplete: Literal["block", "warn"] = "block"
    on_not_text: Literal["pass", "warn", "block"] = "pass"
    on_error: Literal["block", "warn"] = "block"
    allow_inline: bool = True
    baseline: str = ""
    ignore: tuple[str, ...] = ()
    allow_licences: bool = True
    name: str = "default"
    message: str = ""
    show_source: Literal["never", "resolve", "local", "always"] = "local"

    def __post_init__(self) -> None:
        for one in fields(self):
            KEYS[one.name].require(one.name, getattr(self, one.name))
        named = [name for name in ("collection", "cluster", "endpoint") if getattr(self, name)]
        if len(named) > 1:
            places = " and ".join(f"{name} is {getattr(self, name)!r}" for name in named)
            raise ParameterError(f"{places}, expected one of them")

    @property
    def protected(self) -> str:
        """Where the protected documents are: a collection, a depot or an endpoint filter; empty if none is named."""
        return self.collection or self.cluster or self.endpoint

    def selects(self, path: str) -> bool:
        """Return whether a path is looked at.

        >>> policy = Policy(include=("docs", "*.md"), exclude=("docs/public/*",))
        >>> [policy.selects(path) for path in ("docs/a.txt", "README.md", "src/a.py", "docs/public/b.md")]
        [True, True, False, False]
        >>> [Policy(exclude=("./docs/",)).selects(path) for path in ("docs/a.txt", "src/docs/a.txt")]
        [False, True]
        """
        return (not self.include or _fits(path, self.include)) and not self.excludes(path)

    def excludes(self, path: str) -> bool:
        """Return whether a path is left out, and what stands below it."""
        return _fits(path, self.exclude)

    def shows(self, *, to_others: bool) -> Shows:
        """Return how a protected document is named to the user who checks on this machine, or to others."""
        if self.show_source == "local":
            return "resolve" if to_others else "always"
        return self.show_source

    def ways_to_allow(self) -> Iterator[str]:
        """Yield how a passage is allowed, to a reader who cannot change the policy."""
        if self.allow_inline:
            yield TOLD_INLINE
        if self.baseline:
            yield "ask for its fingerprint in the baseline that the policy names"

    def digest(self) -> str:
        """Return 12 hexadecimal digits that differ between any two policies."""
        return hashlib.sha256(json.dumps(asdict(self), sort_keys=True).encode()).hexdigest()[:12]


def _fits(path: str, patterns: Sequence[str]) -> bool:
    """Return whether a path fits a pattern.

    A pattern with a slash fits the whole path or a folder above it; any other pattern fits a part of the path. `./docs`
    is the folder at the top.
    """
    if not patterns:
        return False
    parts = path.split(os.sep)
    above = [os.sep.join(parts[:n]) for n in range(1, len(parts) + 1)]
    return any(
        fnmatch.fnmatchcase(one, pattern.rstrip("/").removeprefix("./"))
        for pattern in patterns
        for one in (above if "/" in pattern.rstrip("/") else parts)
    )


# ---------------------------------------------------------------------- keys

Loosens = Callable[[Any, Any], bool]
"""Whether a new value is looser than an old value."""


@dataclass(frozen=True, slots=True)
class Key:
    """The values that a key takes."""

    expected: str
    """These values in words."""
    fits: Callable[[Any], bool]
    kind: str
    """How a value is written as text: `number`, `count`, `words`, `flag`, `word`, `path`, `paths`."""
    loosens: Loosens
    optional: bool = False
    """Whether the value can be `off`."""

    def require(self, name: str, value: Any) -> None:
        """Raise ParameterError unless a value fits."""
        if not ((self.optional and value is None) or self.fits(value)):
            raise ParameterError(f"{name} is {value!r}, expected {self.expected}{' or off' if self.optional else ''}")


def is_address(place: str | os.PathLike[str]) -> bool:
    """Return whether a place is an address such as `s3://bucket/folder`, and no path."""
    return "://" in os.fspath(place)


def _is_count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 1


def _is_share(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 < value <= 1


def _is_time(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 < value <= 86_400


def _is_words(value: Any) -> bool:
    return isinstance(value, tuple) and all(isinstance(one, str) and one for one in value)


def _higher(new: Any, old: Any) -> bool:
    """Whether the new level is harder to reach; None, which is off, is never reached."""
    return (new is None and old is not None) or (new is not None and old is not None and new > old)


def _more(new: Any, old: Any) -> bool:
    return not set(new) <= set(old)


def _place(path: str) -> str:
    return os.path.realpath(path) if path and not is_address(path) else path


def _elsewhere(new: str, old: str) -> bool:
    """Whether a path leads to another place than an old path, however the two are written."""
    return _place(new) != _place(old)


def _choice(*strictest_first: str) -> Key:
    def looser(new: Any, old: Any) -> bool:
        return strictest_first.index(new) > strictest_first.index(old)

    return Key(" or ".join(map(repr, strictest_first)), strictest_first.__contains__, "word", looser)


def _words(kind: str, loosens: Loosens) -> Key:
    return Key("a list of texts", _is_words, kind, loosens)


def _text(kind: str, loosens: Loosens) -> Key:
    return Key("a text", lambda value: isinstance(value, str), kind, loosens)


_COUNT = "a whole number from 1", _is_count, "count"
_LEVEL = Key(*_COUNT, _higher, optional=True)
_SHARE = Key("a number above 0 up to 1", _is_share, "number", _higher, optional=True)
_FLAG = Key("true or false", lambda value: isinstance(value, bool), "flag", lambda new, old: new and not old)
_ONE_PLACE = _text("path", _elsewhere)

KEYS: dict[str, Key] = {
    "collection": _text("path", lambda new, old: bool(old) and _elsewhere(new, old)),
    "endpoint": _ONE_PLACE,
    "cluster": _ONE_PLACE,
    "ray": _text("word", operator.ne),
    "key_file": _ONE_PLACE,
    "block_chars": _LEVEL,
    "warn_chars": _LEVEL,
    "block_document_share": _SHARE,
    "warn_document_share": _SHARE,
    "block_payload_share": _SHARE,
    "warn_payload_share": _SHARE,
    "block_total_chars": _LEVEL,
    "warn_total_chars": _LEVEL,
    "share_chars": Key(*_COUNT, _higher),
    "min_chars": Key(*_COUNT, _higher),
    "include": _words("words", operator.ne),
    "exclude": _words("words", _more),
    "max_bytes": Key(*_COUNT, operator.lt),
    "timeout_s": Key("a number of seconds above 0, a day at most", _is_time, "number", operator.lt),
    "on_incomplete": _choice("block", "warn"),
    "on_not_text": _choice("block", "warn", "pass"),
    "on_error": _choice("block", "warn"),
    "allow_inline": _FLAG,
    "baseline": _ONE_PLACE,
    "ignore": _words("paths", lambda new, old: _more(map(_place, new), map(_place, old))),
    "allow_licences": _FLAG,
    "name": _text("word", operator.ne),
    "message": _text("word", lambda new, old: bool(old) and new != old),
    "show_source": _choice("never", "resolve", "local", "always"),
}
"""The values of each field of `Policy`, and which of two values is looser."""
