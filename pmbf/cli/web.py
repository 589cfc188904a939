"""`pmbf web`: the application for browsers and programs."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Annotated

from pmbf.base.contents import size_of
from pmbf.base.errors import DONE, ParameterError, UnsupportedError
from pmbf.cli import arguments as arg
from pmbf.cli.arguments import OUTPUT, flag, option
from pmbf.cli.inputs import given as only_given
from pmbf.cli.inputs import in_a_folder, n_cores, named_collection, open_collection
from pmbf.cli.outcome import note, note_kernels, print_text
from pmbf.cli.targets import require_outside
from pmbf.cli.words import explained

WHERE = "Where it listens"
LIMITS = "What clients may take"
USUAL_PORT = 8700
EPILOG = """Examples:
  pmbf web -c theses.pmbf                       then open the link that is shown
  pmbf web -c theses.pmbf --port 0 --keep 90
  pmbf web -c theses.pmbf --behind-proxy texts.example.org

Texts are uploaded or pasted, compared, and shown on their evidence page. The
history keeps figures, sources and decisions; a text only if its sender asks.
Other people and programs get tokens on the page Tokens: each has a role
(screen, review, admin). The link that is shown fills in a token for one session, once.

It listens on this machine alone. For others, put a proxy with TLS before it,
and name the proxy's host with --behind-proxy. SIGTERM finishes running
requests, then ends; SIGHUP starts new processes, for another collection in the
same place. docs/web.md has the REST interface.

Needs pip install 'pmbf\\[web]'.

Exit codes: 0 stopped by a signal; 2 wrong usage; 3 an error"""

Port = Annotated[int, option("--port", "PORT", "Port on 127.0.0.1; 0 takes a free one (default: 8700).", WHERE,
                             least=0, most=65535)]  # fmt: skip
BehindProxy = Annotated[
    str | None, option("--behind-proxy", "HOST", "The host under which a proxy with TLS shows the application.", WHERE)
]
State = Annotated[
    str | None,
    option("--state", "FOLDER", "Holds history and tokens (default: one for each collection, in your state folder)."),
]
Keep = Annotated[float | None, option("--keep", "DAYS", "Delete screenings that are older (default: never).", least=0)]
Workers = Annotated[int | None, option("--workers", "N", "Working processes (default: one a core).", LIMITS, least=1)]
MaxUpload = Annotated[
    int | None, option("--max-upload", "SIZE", "Refuse larger uploads: 20M, 1G (default: 272M).", LIMITS,
                       parser=size_of)
]  # fmt: skip
Log = Annotated[bool, flag("--log", "A line on stderr for each answer: sizes, time, outcome; no names.", OUTPUT)]


@explained(EPILOG)
def web(
    collection: arg.CollectionFolder = None,
    port: Port = USUAL_PORT,
    behind_proxy: BehindProxy = None,
    state: State = None,
    keep: Keep = None,
    workers: Workers = None,
    max_upload: MaxUpload = None,
    template: arg.Templates = None,
    log: Log = False,
) -> int:
    """Show the collection in a browser: upload, progress, evidence, history, decisions; and a REST interface."""
    try:
        from pmbf.serving.web import server
    except ImportError as error:
        raise UnsupportedError(f"{error.name} is not installed: pip install 'pmbf[web]'") from None
    from pmbf.screen.templates import offered
    from pmbf.serving.http.limits import ServiceLimits
    from pmbf.store import schema

    folder = in_a_folder(named_collection(collection))
    schema.require(Path(folder))  # before its state folder is made
    if state:
        with open_collection(folder) as opened:
            require_outside("--state", state, opened, hint="")
    if behind_proxy is not None and (not behind_proxy or set(behind_proxy) & set("/@ ")):
        raise ParameterError(f"--behind-proxy is {behind_proxy!r}, expected a host as it stands in the address bar")
    settings = server.WebSettings(
        folder,
        Path(state) if state else _usual_state(folder),
        ("127.0.0.1", port),
        workers or n_cores(),
        host=behind_proxy or "",
        kept_s=None if keep is None else keep * 86400,
        is_logged=log,
        limits=ServiceLimits(**only_given(request_bytes=max_upload)),
        templates=offered(template or ()),
    )

    def ready(address: str, link: str) -> None:
        note(f"serving {folder} at {address}")
        note("open this link within ten minutes; it works once:")
        print_text(f"{link}\n")
        sys.stdout.flush()  # a program that starts the application waits for the link

    note_kernels()
    server.run(settings, ready, note)
    return DONE


def _usual_state(collection: str) -> Path:
    """Return the default folder of a collection's history and tokens: in this user's state folder."""
    import hashlib

    home = os.environ.get("XDG_STATE_HOME") or os.path.join(os.path.expanduser("~"), ".local", "state")
    name = hashlib.sha256(os.fsencode(os.path.realpath(collection))).hexdigest()[:16]
    return Path(home, "pmbf", name)
