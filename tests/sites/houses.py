"""Houses for the tests: each has a collection and a registry, and may be a site: a process with real TLS."""

from __future__ import annotations

import contextlib
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from pmbf import Collection
from pmbf.intake.texts import Text
from pmbf.sentences import SentenceReport
from pmbf.sites import Partner, Registry, Sites, init, opened
from tests.conftest import ROOT
from tests.forked import started


@dataclass
class House:
    """A collection with a registry.

    Args:
        folder: Holds both.
        name: Of its site.
        process: Its server, if it is running.
    """

    folder: Path
    name: str
    process: subprocess.Popen[str] | None = None

    @property
    def collection(self) -> Path:
        return self.folder / "c.pmbf"

    @property
    def registry(self) -> Registry:
        return opened(self.folder / "registry")

    def start(self, lie: str = "", *options: str) -> None:
        """Start the site, or one that lies; return once it answers."""
        words = ["site", "--registry", str(self.folder / "registry"), "serve", *options, "-c", str(self.collection)]
        program: dict[str, Any] = {"stderr": subprocess.PIPE, "text": True, "cwd": ROOT}
        if lie:
            words, program["module"] = [lie, *words], "tests.sites.liar"
        self.process = started(*words, **program)
        told = self.process.stderr.readline() if self.process.stderr else ""
        assert "serving" in told, told

    def stop(self) -> None:
        if self.process:
            self.process.send_signal(signal.SIGCONT)
            self.process.terminate()
            self.process.communicate(timeout=30)
            self.process = None

    def knows(self, *others: House, **policy: object) -> None:
        """Add other houses to the registry."""
        registry = self.registry
        for other in others:
            registry = registry.with_partner(replace(Partner(other.registry.own), **policy))  # type: ignore[arg-type]
        registry.stored()

    def shows(self, to_all: str, **policy: object) -> None:
        """Let the house show all others a level, or change what it lets each of them do."""
        registry = replace(self.registry, level=to_all)  # type: ignore[arg-type]
        for one in registry.partners.values():
            registry = registry.with_partner(replace(one, **policy))  # type: ignore[arg-type]
        registry.stored()

    def asks(self, query: str, names: str = "all", **how: object) -> SentenceReport:
        """Screen a text at home, and ask sites."""
        registry = self.registry
        sites = Sites(registry, registry.named(names), **how)  # type: ignore[arg-type]
        with Collection(self.collection) as collection:
            return sites.ask(collection.screen_sentences(query), Text("", query))


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as bound:
        return int(bound.getsockname()[1])


def built(folder: Path, texts: Mapping[str, str]) -> Path:
    """Make a collection of texts, with sentences."""
    with Collection(folder, create=True) as collection:
        collection.add_many(texts.items())
        collection.build_sentences()
    return folder


@contextlib.contextmanager
def houses(
    folder: Path, texts: Mapping[str, Mapping[str, str]], *, served: Sequence[str]
) -> Iterator[dict[str, House]]:
    """Yield houses by name that all know each other; those that are named are served."""
    made: dict[str, House] = {}
    for name, documents in texts.items():
        house = House(folder / name, name)
        key = next((one.folder / "registry" / "federation.key" for one in made.values()), None)
        address = f"127.0.0.1:{free_port()}"
        init(house.folder / "registry", name, address=address, contact=f"library@{name}.example", key=key)
        built(house.collection, documents)
        made[name] = house
    for house in made.values():
        house.knows(*(one for one in made.values() if one is not house))
    with _serving(made, served):
        yield made


@contextlib.contextmanager
def copied(pattern: Mapping[str, House], folder: Path, *, served: Sequence[str]) -> Iterator[dict[str, House]]:
    """Yield copies of houses that are not served, in a folder of their own; those that are named are served."""
    made = {one.name: House(shutil.copytree(one.folder, folder / one.name), one.name) for one in pattern.values()}
    with _serving(made, served):
        yield made


@contextlib.contextmanager
def _serving(made: Mapping[str, House], served: Sequence[str]) -> Iterator[None]:
    """Serve some houses meanwhile. In the end all are stopped, and no collection has problems."""
    try:
        for name in served:
            made[name].start()
        yield
    finally:
        for house in made.values():
            house.stop()
            with Collection(house.collection) as collection:
                assert collection.check().problems == []


def until(condition: object, seconds: float = 20) -> None:
    """Wait until a function returns true."""
    end = time.monotonic() + seconds
    while not condition():  # type: ignore[operator]
        assert time.monotonic() < end
        time.sleep(0.02)
