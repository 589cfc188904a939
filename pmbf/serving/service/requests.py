"""The request of a hook to the service, and of the service to its processes: payloads under a policy, as one frame.

    header   {"version": …, "collection": "device:inode", "policy": {…},
              "key": hexadecimal or null, "listed": [fingerprint, …], "ignore": [[name, size], …],
              "payloads": [[name, [path, …], where, blob, commit, problem, size or null], …]}
    body     the contents of the ignored files, then those of the payloads, one after another

The policy is the asker's: the service reads no file that it names. The frame holds the contents of the baseline and of
the ignored files.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import Any, get_args

from pmbf.base import __version__
from pmbf.base.errors import ParameterError
from pmbf.guard.baseline import Baseline
from pmbf.guard.policy import KEYS, Policy, is_address
from pmbf.guard.session import Session
from pmbf.guard.types import Payload, Where

MAX_HEADER_BYTES = 8 << 20
BATCH_BYTES = 512 << 10
"""Bytes of contents that a working process takes at a time: some ten milliseconds of work."""
BATCH_PAYLOADS = 32


def identity(folder: str | os.PathLike[str]) -> str:
    """Return an identity that differs between any two folders of this machine; an address is its own.

    Raises:
        OSError: The folder cannot be looked at.
    """
    if is_address(folder):
        return os.fspath(folder)
    status = os.stat(folder)
    return f"{status.st_dev}:{status.st_ino}"


def request(session: Session, payloads: Sequence[Payload]) -> tuple[dict[str, Any], list[bytes]]:
    """Return a request's header and the pieces of its body.

    Args:
        session: What blocks and what may leave; its policy names the collection.
        payloads: Payloads with their contents.
    """
    baseline, ignored = session.baseline, session.ignored
    header = {
        "version": __version__,
        "collection": identity(session.policy.protected),
        "policy": asdict(session.policy),
        "key": baseline.key.hex() if baseline else None,
        "listed": list(baseline.notes) if baseline else [],
        "ignore": [[name, len(content)] for name, content in ignored],
        "payloads": [_entry(payload) for payload in payloads],
    }
    contents = [content for _, content in ignored]
    return header, contents + [payload.content for payload in payloads if payload.content is not None]


def _entry(payload: Payload) -> list[Any]:
    size = None if payload.content is None else len(payload.content)
    return [payload.name, payload.paths, payload.where, payload.blob, payload.commit, payload.problem, size]


# ---------------------------------------------------------------------- the other side


def require_request(header: Any, n_body: int) -> dict[str, Any]:
    """Return a request's header after checking its fields and the size of the body.

    Raises:
        ParameterError: A field is wrong, or the body has another size. The message has no text of the payloads.
    """
    if not isinstance(header, dict):
        raise ParameterError(f"the header is {type(header).__name__}, expected an object of JSON")
    for name, fits, expected in _FIELDS:
        if name not in header or not fits(header[name]):
            raise ParameterError(f"{name!r} of the header is missing or wrong, expected {expected}")
    sizes = [one[1] for one in header["ignore"]] + [one[6] or 0 for one in header["payloads"]]
    if header["listed"] and header["key"] is None:
        raise ParameterError("fingerprints are listed without the key they are made under")
    if sum(sizes) != n_body:
        raise ParameterError(f"the body has {n_body} bytes, expected {sum(sizes)} as the sizes in the header say")
    return header


def policy_of(header: Mapping[str, Any]) -> Policy:
    """Return a request's policy.

    Raises:
        ParameterError: A key is unknown, or a value is wrong.
    """
    if unknown := sorted(header["policy"].keys() - KEYS.keys()):
        raise ParameterError(f"{unknown[0]!r} is no key of a policy: {', '.join(KEYS)}")
    values: dict[str, Any] = {
        name: tuple(value) if isinstance(value, list) else value for name, value in header["policy"].items()
    }
    return Policy(**values)


def session_of(header: Mapping[str, Any], body: bytes) -> tuple[Session, int]:
    """Return a request's session, and the start of the payloads' contents in the body.

    Raises:
        ParameterError: The policy is wrong.
    """
    ignored, start = [], 0
    for name, size in header["ignore"]:
        ignored.append((name, body[start : start + size]))
        start += size
    key = header["key"]
    baseline = None if key is None else Baseline(bytes.fromhex(key), dict.fromkeys(header["listed"], ""))
    return Session(policy_of(header), baseline, tuple(ignored)), start


def payloads_of(header: Mapping[str, Any], body: bytes, start: int) -> Iterator[Payload]:
    """Yield the payloads, whose contents begin at `start`."""
    for name, paths, where, blob, commit, problem, size in header["payloads"]:
        content = None if size is None else body[start : start + size]
        start += size or 0
        yield Payload(name, tuple(paths), content, where, blob, commit, problem)


def batches(header: dict[str, Any], body: bytes) -> Iterator[tuple[dict[str, Any], list[memoryview]]]:
    """Yield a request in pieces that can be answered apart, in order, each with the ignored files."""
    view, start = memoryview(body), sum(size for _, size in header["ignore"])
    ignored, stop = view[:start], start
    entries: list[Any] = []
    for entry in header["payloads"]:
        size = entry[6] or 0
        if entries and (len(entries) == BATCH_PAYLOADS or stop + size - start > BATCH_BYTES):
            yield header | {"payloads": entries}, [ignored, view[start:stop]]
            entries, start = [], stop
        entries.append(entry)
        stop += size
    if entries:
        yield header | {"payloads": entries}, [ignored, view[start:stop]]


def _is_size(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _is_texts(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(one, str) for one in value)


def _is_ignored(value: Any) -> bool:
    return isinstance(value, list) and len(value) == 2 and isinstance(value[0], str) and _is_size(value[1])


def _is_entry(value: Any) -> bool:
    if not isinstance(value, list) or len(value) != 7:
        return False
    name, paths, where, blob, commit, problem, size = value
    return (
        _is_texts([name, blob, commit, problem])
        and _is_texts(paths)
        and where in get_args(Where)
        and (_is_size(size) or (size is None and bool(problem)))
    )


def _is_key(value: Any) -> bool:
    try:
        return value is None or bool(bytes.fromhex(value))
    except (TypeError, ValueError):
        return False


_FIELDS: tuple[tuple[str, Callable[[Any], bool], str], ...] = (
    ("version", lambda value: isinstance(value, str), "a text"),
    ("collection", lambda value: isinstance(value, str), "a text"),
    ("policy", lambda value: isinstance(value, dict), "an object with the keys of a policy"),
    ("key", _is_key, "hexadecimal digits or null"),
    ("listed", _is_texts, "a list of fingerprints"),
    ("ignore", lambda value: isinstance(value, list) and all(map(_is_ignored, value)), "a list of [name, size]"),
    (
        "payloads",
        lambda value: isinstance(value, list) and all(map(_is_entry, value)),
        "a list of [name, [path], where, blob, commit, problem, size or null with a problem]",
    ),
)
