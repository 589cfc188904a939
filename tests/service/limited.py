"""A service with limits of its own: `python -m tests.service.limited COLLECTION SOCKET LIMITS`, the last as JSON."""

import json
import sys
from pathlib import Path

from pmbf.guard.policy import Policy
from pmbf.serving.http.limits import ServiceLimits
from pmbf.serving.service.server import ServiceSettings, run


def main(collection, place, limits):
    limits = json.loads(limits)
    tcp = ("127.0.0.1", 0) if limits.pop("tcp", False) else None
    settings = ServiceSettings(Policy(collection), Path(place), 1, tcp, is_logged=True, limits=ServiceLimits(**limits))
    run(settings, lambda what: print("serving", what, file=sys.stderr, flush=True), print)


if __name__ == "__main__":
    main(*sys.argv[1:])
