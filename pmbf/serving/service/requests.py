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
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Annotated, Any

from pmbf.base import __version__
from pmbf.base.errors import ParameterError
from pmbf.guard.baseline import Baseline
from pmbf.guard.policy import KEYS, Policy, is_address
from pmbf.guard.session import Session
from pmbf.guard.types import Payload, Where
from pmbf.report.as_json import made

MAX_HEADER_BYTES = 8 << 20
BATCH_BYTES = 512 << 10
"""Bytes of contents that a working process takes at a time: some ten milliseconds of work."""
BATCH_PAYLOADS = 32


def identity(folder: str | os.PathLike[str]) -> str:
    """Return an identity that differs between any two folders of this machine; an address is its own."""
    if is_address(folder):
        return os.fspath(folder)
    status = os.stat(folder)
    return f"{status.st_dev}:{status.st_ino}"


def request(session: Session, payloads: Sequence[Payload]) -> tuple[dict[str, Any], list[bytes]]:
    """Return the header and the pieces of the body of a request under a session, whose policy names the collection."""
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

    `ParameterError`: a field is wrong, or the body has another size. The message has no text of the payloads.
    """
    try:
        found: _Header = made(_Header, header)
    except (TypeError, ValueError) as error:
        raise ParameterError(f"the header is wrong: {error}") from None
    n_bytes = sum(size for _, size in found.ignore) + sum(size or 0 for *_, size in found.payloads)
    if n_bytes != n_body:
        raise ParameterError(f"the body has {n_body} bytes, expected {n_bytes} as the sizes in the header say")
    values: dict[str, Any] = header
    return values


_Size = Annotated[int, 2**63]


@dataclass(frozen=True, slots=True)
class _Header:
    """The header of a request, as JSON brings it."""

    version: str
    collection: str
    policy: dict[str, Any]
    key: str | None
    listed: tuple[str, ...]
    ignore: tuple[tuple[str, _Size], ...]
    payloads: tuple[tuple[str, tuple[str, ...], Where, str, str, str, _Size | None], ...]

    def require_consistent(self) -> None:
        """Refuse a key that is none, fingerprints without one, and payloads without a content or a problem."""
        if self.key is not None and not bytes.fromhex(self.key):
            raise ValueError("the key is empty")
        if self.listed and self.key is None:
            raise ValueError("fingerprints are listed without the key they are made under")
        if any(size is None and not problem for *_, problem, size in self.payloads):
            raise ValueError("a payload has neither a size nor a problem")


def policy_of(header: Mapping[str, Any]) -> Policy:
    """Return a request's policy; raise `ParameterError` if a key is unknown, or a value is wrong."""
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
