"""`pmbf serve`: answers leak checks and screenings for programs on this machine."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

from pmbf.base.contents import size_of
from pmbf.base.errors import DONE, ParameterError
from pmbf.cli.arguments import OUTPUT, Templates, flag, option
from pmbf.cli.guard.arguments import taking
from pmbf.cli.guard.options import sorted_out
from pmbf.cli.inputs import n_cores
from pmbf.cli.outcome import note, note_kernels
from pmbf.cli.params import KnownParams, Param, of, real, yes_or_no
from pmbf.cli.words import explained

WHERE = "Where it listens"
LIMITS = "What clients may take"
EPILOG = """Examples:
  pmbf serve -c protected.pmbf &
  pmbf guard --staged -c protected.pmbf     now asks the service
  pmbf serve -c protected.pmbf --tcp 127.0.0.1:8765 --log
  curl --unix-socket /run/user/1000/pmbf/… --data-binary @offer.docx \\
      'http://pmbf/v1/check?name=offer.docx'

The socket is for you alone. A load counts from the next request on. SIGTERM
finishes running requests, then ends; SIGHUP starts new processes, for another
collection in the same place. No text is ever logged.

Exit codes: 0 stopped by a signal; 2 wrong usage or policy; 3 an error"""

Socket = Annotated[
    str | None,
    option(
        "--socket",
        "PATH",
        "The Unix socket (default: where `pmbf guard` looks for this collection's).",
        WHERE,
        envvar="PMBF_SOCKET",
    ),
]
Tcp = Annotated[str | None, option("--tcp", "127.0.0.1:PORT", "Listen there too, for programs with the token.", WHERE)]
Workers = Annotated[
    int | None, option("--workers", "N", "Working processes (default: one a core; 2 for a cluster).", LIMITS, least=1)
]
TAKES = (
    Param("request_bytes", "SIZE", "Refuse larger requests: 20M, 1G (default: 272M).", size_of),
    real("answer_s", "SECONDS", "The most time for an answer (default: 120)."),
)
TOKEN = (
    Param("token_file", "FILE", "Holds the token of --tcp; made if there is none (default: beside the socket).", str),
)
FETCHING = (
    yes_or_no("fetch_all", "Whether nodes fetch all volumes first; else one when it is asked for (default: no)."),
)
OfServing = Annotated[list[Any] | None, KnownParams(TAKES, TOKEN, FETCHING).option]
_CLUSTER_WORKERS = 2
"""Working processes for a cluster: the nodes do the work."""

Log = Annotated[bool, flag("--log", "A line on stderr for each answer: sizes, time, outcome.", OUTPUT)]


@explained(EPILOG)
@taking("collection", "policy_file", "config_file")
def serve(
    socket: Socket = None,
    tcp: Tcp = None,
    workers: Workers = None,
    template: Templates = None,
    param: OfServing = None,
    log: Log = False,
    **given: Any,
) -> int:
    """Keep a collection open and answer `pmbf guard`, and programs that speak HTTP, at once."""
    from pmbf.cli.guard.checks import NOTHING_PROTECTED
    from pmbf.guard.config import Chosen, policy_for
    from pmbf.screen.templates import offered
    from pmbf.serving.http.limits import ServiceLimits
    from pmbf.serving.http.listening import parse_address
    from pmbf.serving.service import server
    from pmbf.serving.service.place import usual_socket
    from pmbf.store import schema

    parts = sorted_out(given)
    made = policy_for(None, Chosen(**parts["chosen"], values=parts["policy"]))
    if made.endpoint or not made.protected:
        raise ParameterError(NOTHING_PROTECTED)
    token_file = of(param, TOKEN).get("token_file")
    if token_file and not tcp:
        raise ParameterError("--param token_file is given without --tcp; the socket needs no token")
    limits = ServiceLimits(**of(param, TAKES))
    place = Path(socket) if socket else usual_socket(made.protected)
    if not made.cluster:
        schema.require(Path(made.protected))  # before the folder of the socket is made
    address = parse_address(tcp) if tcp is not None else None
    file = Path(token_file) if token_file else place.with_suffix(".token")
    settings = server.ServiceSettings(
        made,
        place,
        workers or (_CLUSTER_WORKERS if made.cluster else n_cores()),
        address,
        file,
        is_logged=log,
        limits=limits,
        templates=offered(template or ()),
        **of(param, FETCHING),
    )
    note_kernels()
    server.run(settings, lambda what: note(f"serving {what}"), note)
    return DONE
