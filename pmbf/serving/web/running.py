"""What the handlers of the application share: the working processes, the jobs, the history and the tokens."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from starlette.requests import Request

from pmbf.screen.templates import Offered, offered
from pmbf.serving.http.messages import HttpError
from pmbf.serving.service.pool import Pool
from pmbf.serving.web.access import Visitor, visitor_of
from pmbf.serving.web.forms import Spool
from pmbf.serving.web.history import History, Screening
from pmbf.serving.web.jobs import Jobs
from pmbf.serving.web.tokens import AccessTokens


@dataclass(slots=True)
class Parts:
    """The parts of the application that handlers use.

    Screenings are kept for `kept_s` seconds; None: until they are deleted.
    """

    collection: str
    pool: Pool
    jobs: Jobs
    history: History
    tokens: AccessTokens
    is_secure: bool
    templates: Offered = field(default_factory=offered)
    spool: Spool = field(default_factory=Spool)
    kept_s: float | None = None

    async def ask(self, ask: str, contents: Sequence[bytes] = (), **header: Any) -> dict[str, Any]:
        """Return a working process's answer; raise `HttpError` if it is an error."""
        return await self.pool.answered({"ask": ask} | header, contents, missing=404)

    def screening(self, request: Request) -> Screening:
        """Return the screening that a path names; raise `HttpError` if there is none, or it is another user's."""
        visitor = visitor_of(request)
        one = self.history.screening(request.path_params["number"])
        if not sees(visitor, one.user_id):
            raise HttpError(404, f"there is no screening {one.id!r}")
        return one


def parts_of(request: Request) -> Parts:
    """Return the parts of the application that a request came to."""
    found = request.app.state.parts
    assert isinstance(found, Parts)
    return found


def sees(visitor: Visitor, user: str) -> bool:
    """Whether a visitor may see what the token of an id screened: the visitor's own; with the role review, all."""
    return visitor.token.id == user or visitor.may("review")


def only(visitor: Visitor) -> str | None:
    """Return the id of the token whose screenings a visitor sees; None: all."""
    return None if visitor.may("review") else visitor.token.id
