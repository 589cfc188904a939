"""Tokens and sessions: who may ask what. Both are kept as SHA-256, so the state file opens no door."""

from __future__ import annotations

import hashlib
import re
import secrets
import sqlite3
import time
import unicodedata
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import asdict, dataclass, fields
from functools import cache
from typing import Any

from sqlite_utils import Database

from pmbf.base.errors import NotFoundError, ParameterError
from pmbf.kernels import alike
from pmbf.serving.web.sums import Sums

ROLES = ("screen", "review", "admin")
"""Each role may do what the ones before it may: screen texts; see all screenings and decide; change the collection."""
SESSION_S = 12 * 3600
TICKET_S = 600
OWNER = "owner"
"""Name of the token of the person who starts the application; no other token may be called so, or alike."""

MAX_NAME = 200
_UNSEEN = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0f\uffa0\U000e0100-\U000e01ef]"
)
"""Characters that Python calls printable and that no reader sees."""


@dataclass(frozen=True, slots=True)
class Token:
    """A token's id, name, role and times; the token itself is shown once and not kept.

    A user is the id. The name is for readers: of a token that was removed, another may have it later.
    """

    id: str
    name: str
    role: str
    created: float
    expires: float | None = None
    last_used: float | None = None


class AccessTokens:
    """The tokens and sessions of a state file. One thread uses it."""

    def __init__(self, state: Database) -> None:
        self._db, self._sums = state, Sums(state)
        self._tickets: dict[str, tuple[str, float]] = {}

    def add(self, name: str, role: str, *, days: float | None = None) -> tuple[str, Token]:
        """Make a token; return the token, which is kept nowhere, and its entry.

        `ParameterError`: the role is unknown, or the name is no name, or taken, or looks like one that is.
        """
        if role not in ROLES:
            raise ParameterError(f"role is {role!r}, expected one of {', '.join(ROLES)}")
        require_name(name)
        for taken in (OWNER, *(one.name for one in self.all())):
            if skeleton(taken) == skeleton(name):
                looks = "is taken" if taken == name else f"looks like {taken!r}, which is taken"
                raise ParameterError(f"the name {name!r} {looks}; take another, or remove that token first")
        return self._made(name, role, days)

    def _made(self, name: str, role: str, days: float | None = None) -> tuple[str, Token]:
        secret, now = secrets.token_urlsafe(32), time.time()
        made = Token(secrets.token_hex(8), name, role, now, now + days * 86400 if days else None)
        with self._db.conn:
            self._db.table("tokens").insert(asdict(made) | {"hash": hashed(secret)})
        return secret, made

    def all(self) -> list[Token]:
        """Return all tokens' entries, the oldest first. Raises `CorruptError` as all that follows does."""
        self._sums.require_all("tokens")
        return list(self._found("1", []))

    def remove(self, number: str) -> None:
        """Remove a token and its sessions. Raises `NotFoundError` if there is none."""
        with self._db.conn:
            if not self._db.execute("DELETE FROM tokens WHERE id = ?", [number]).rowcount:
                self._sums.require_none("tokens", number)
                raise NotFoundError(f"there is no token {number!r}")
            self._db.table("sessions").delete_where("token = ?", [number])

    def of(self, secret: str) -> Token | None:
        """Return the entry of a token that is shown; None if it is unknown or has expired."""
        found = next(self._found("hash = ?", [hashed(secret)]), None)
        if found is None:
            self._sums.require_all("tokens")
        return self._used(found)

    def own(self) -> Token:
        """Return the entry of the owner's token; it is made if there is none, with a secret nobody knows."""
        found = next((one for one in self.all() if (one.name, one.role) == (OWNER, ROLES[-1])), None)
        return found or self._made(OWNER, ROLES[-1])[1]

    def ticket(self, token: Token) -> str:
        """Return a secret that opens one session of a token, once, in the next ten minutes."""
        secret = secrets.token_urlsafe(24)
        self._tickets[hashed(secret)] = token.id, time.time() + TICKET_S
        return secret

    def of_ticket(self, secret: str) -> Token | None:
        """Return the entry of a ticket's token; None if the ticket is unknown, was used or has expired."""
        number, until = self._tickets.pop(hashed(secret), ("", 0.0))
        return self._of_id(number) if until > time.time() else None

    def open_session(self, token: Token) -> str:
        """Return the secret of a new session of a token."""
        secret, until = secrets.token_urlsafe(32), time.time() + SESSION_S
        with self._db.conn:
            self._db.table("sessions").delete_where("expires < ?", [time.time()])
            self._db.table("sessions").insert({"hash": hashed(secret), "token": token.id, "expires": until})
        return secret

    def of_session(self, secret: str) -> Token | None:
        """Return the entry of a session's token; None if the session is unknown or has expired."""
        found = self._sums.rows("sessions", "token, expires", "WHERE hash = ?", [hashed(secret)])
        if not found:
            self._sums.require_none("sessions", hashed(secret))
        return next((self._of_id(token) for token, expires in found if expires > time.time()), None)

    def close_session(self, secret: str) -> None:
        """End a session."""
        with self._db.conn:
            self._db.table("sessions").delete_where("hash = ?", [hashed(secret)])

    def _of_id(self, number: str) -> Token | None:
        found = next(self._found("id = ?", [number]), None)
        if found is None:
            self._sums.require_none("tokens", number)
        return self._used(found)

    def _found(self, where: str, values: list[Any]) -> Iterator[Token]:
        names = ", ".join(one.name for one in fields(Token))
        for row in self._sums.rows("tokens", names, f"WHERE {where} ORDER BY created", values):
            yield self._sums.made(Token, row)

    def _used(self, token: Token | None) -> Token | None:
        now = time.time()
        if token is None or (token.expires is not None and token.expires < now):
            return None
        if token.last_used is None or now - token.last_used > 60:
            with suppress(sqlite3.OperationalError), self._sums.told(), self._db.conn:  # a full disk shuts nobody out
                self._db.execute("UPDATE tokens SET last_used = ? WHERE id = ?", [now, token.id])
        return token


def hashed(secret: str) -> str:
    """Return what is kept of a secret of 32 random bytes: its SHA-256."""
    return hashlib.sha256(secret.encode()).hexdigest()


# ---------------------------------------------------------------------- names


def require_name(name: str) -> None:
    """Refuse a name that a reader cannot tell from another.

    `ParameterError`: it is empty or too long, or holds what cannot be seen, or a blank at an end, or two in a row.
    """
    if not name.strip() or len(name) > MAX_NAME or not name.isprintable() or _UNSEEN.search(name):
        raise ParameterError(f"name is {name!r}, expected 1 to {MAX_NAME} characters that can be seen")
    if name != " ".join(name.split()):
        raise ParameterError(f"name is {name!r}, expected no blank at its ends, and one at a time inside")


def skeleton(name: str) -> str:
    """Return what two names that look alike have in common, without forms, capitals, look-alike letters, blanks."""
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", name).casefold())
    return " ".join(_UNSEEN.sub("", folded).translate(_shapes()).split())


@cache
def _shapes() -> dict[int, str]:
    """Return the first letter of each group of letters that look alike; `I`, `l`, `1` are a group, so are O and 0."""
    firsts = {letter: group[0] for group in alike() for letter in group}
    same = {"i": "l", "\u0131": "l", "1": "l", "|": "l", "0": "o"}
    return {ord(letter): same.get(first, first) for letter, first in ({one: one for one in same} | firsts).items()}
