"""Houses for the experiments: collections with registries, sites as processes with real TLS, and counted bytes."""

from __future__ import annotations

import contextlib
import json
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from pmbf import Collection
from pmbf.sites import Partner, Registry, init

_PROGRAM = """
import json, sys
from pmbf.__main__ import main
from pmbf.sites import answering, sparing
answering.ASKS_A_MINUTE = 10**9
vars(sparing).update(json.loads(sys.argv.pop(1)))
sys.exit(main())
"""
"""pmbf, but a site answers more than 120 requests a minute: an experiment asks for hundreds of texts."""


class Relay:
    """Passes connections on to another port, and counts their bytes: those of TLS, too.

    Args:
        port: Where to.
    """

    def __init__(self, port: int) -> None:
        self._target = port
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.port = int(self._listening.getsockname()[1])
        self.there = self.back = 0
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        while True:
            with contextlib.suppress(OSError):
                ours, _ = self._listening.accept()
                theirs = socket.create_connection(("127.0.0.1", self._target))
                threading.Thread(target=self._pass, args=(ours, theirs, "there"), daemon=True).start()
                threading.Thread(target=self._pass, args=(theirs, ours, "back"), daemon=True).start()

    def _pass(self, source: socket.socket, target: socket.socket, way: str) -> None:
        with contextlib.suppress(OSError):
            while piece := source.recv(1 << 16):
                setattr(self, way, getattr(self, way) + len(piece))
                target.sendall(piece)
            target.shutdown(socket.SHUT_WR)


def made(folder: Path, name: str, key: Path | None) -> Registry:
    """Return a new registry with an address of its own."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    return init(folder / f"{name}.sites", name, address=f"127.0.0.1:{port}", key=key)


def acquainted(registries: list[Registry]) -> list[Registry]:
    """Return registries that all know each other, show whole texts and set no limit for a day."""
    known = []
    for one in registries:
        for other in registries:
            if other is not one:
                one = one.with_partner(Partner(other.own, units_a_day=10**9))
        known.append(replace(one, level="text").stored())
    return known


@contextlib.contextmanager
def served(registry: Registry, collection: Path, *options: str, **sparing: float) -> Iterator[Path]:
    """Serve a collection, with options of `pmbf site serve`; yield the file that has a line for each answer.

    Args:
        registry: The site's.
        collection: What it serves.
        options: Of the command.
        sparing: What is another number in `pmbf.sites.sparing`.
    """
    log = collection.with_suffix(".answers")
    command = [sys.executable, "-c", _PROGRAM, json.dumps(sparing), "site", "serve", "-c", str(collection), "--log"]
    command += options
    with (
        open(log, "wb") as out,
        subprocess.Popen([*command, "--registry", str(registry.folder)], stderr=out) as process,
    ):
        try:
            while b"serving" not in log.read_bytes():
                if process.poll() is not None:
                    raise ChildProcessError(log.read_text())
                threading.Event().wait(0.05)
            yield log
        finally:
            process.terminate()


def collected(folder: Path, texts: dict[str, str]) -> Path:
    """Return a new collection of texts, with sentences."""
    with Collection(folder, create=True) as collection:
        collection.add_many(texts.items())
        collection.build_sentences()
    return folder
