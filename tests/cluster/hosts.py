"""Hosts of a laboratory: network and process namespaces of this machine, on a switch without a way out. Needs root."""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, Self

ROOT = Path(__file__).parents[2]


def missing() -> str:
    """Return why no host can be made here, or no Ray runs on one; empty if all is here."""
    if importlib.util.find_spec("ray") is None:
        return "the extra 'ray' is not installed"
    if os.geteuid():
        return "hosts in network namespaces need root"
    for tool in ("ip", "unshare", "nsenter"):
        if not shutil.which(tool):
            return f"hosts in network namespaces need the program {tool}"
    name = f"pmbf-{os.getpid()}-try"
    done = subprocess.run(["ip", "netns", "add", name], capture_output=True)
    subprocess.run(["ip", "netns", "delete", name], capture_output=True)
    return "network namespaces are not allowed here" if done.returncode else ""


class Hosts:
    """Hosts h1, h2, …, each with processes and a network of its own; they share the disk.

    To be used as a context: at its end all processes of the hosts are killed.

    Args:
        n_hosts: How many.
        state: The hosts' home folder.
    """

    def __init__(self, n_hosts: int, state: Path) -> None:
        self._name = f"pmbf-{os.getpid()}"
        self._net = f"10.89.{os.getpid() % 250}"
        self.names = [f"h{number}" for number in range(1, n_hosts + 1)]
        self._inits: dict[str, subprocess.Popen[bytes]] = {}
        self.state = state
        self._sockets = tempfile.mkdtemp(prefix="r", dir="/tmp")  # names of sockets have at most 107 bytes
        inherited = {name: value for name, value in os.environ.items() if not name.startswith("RAY_")}
        own = {"HOME": str(state), "RAY_TMPDIR": self._sockets, "RAY_memory_monitor_refresh_ms": "0"}
        self.environment = inherited | own | {"PYTHONPATH": os.pathsep.join(filter(None, [str(ROOT), *sys.path]))}

    def __enter__(self) -> Self:
        self._ip("netns", "add", self._of("switch"))
        self._in_switch("link", "add", "bridge", "type", "bridge")
        self._in_switch("link", "set", "bridge", "up")
        for host in self.names:
            self._wire(host)
            self.power_on(host)
        return self

    def __exit__(self, *exc: object) -> None:
        for host in list(self._inits):
            self.power_off(host)
        for one in ["switch", *self.names]:
            subprocess.run(["ip", "netns", "delete", self._of(one)], capture_output=True)
        shutil.rmtree(self._sockets, ignore_errors=True)

    @property
    def head(self) -> str:
        """The address of the cluster's first host."""
        return f"{self.address('h1')}:6379"

    def address(self, host: str) -> str:
        """Return the address of a host."""
        return f"{self._net}.{host[1:]}"

    def start(self, host: str, *command: Any, **more: Any) -> subprocess.Popen[str]:
        """Start a process on a host."""
        [inside] = self._children(host)
        entered = ["nsenter", "-t", inside, "--net", "--pid", "--mount", *map(str, command)]
        settings: dict[str, Any] = {"env": self.environment, "cwd": ROOT, "text": True} | more
        settings["env"] = settings["env"] | {"XDG_CACHE_HOME": str(self.state / host)}  # the state is there
        started: subprocess.Popen[str] = subprocess.Popen(entered, **settings)
        return started

    def pmbf(self, host: str, *words: Any, **more: str) -> tuple[int, str, str]:
        """Run `pmbf` on a host, with more in its environment; return its exit code, and what it said."""
        pipes: dict[str, Any] = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
        process = self.start(host, sys.executable, "-m", "pmbf", *words, env=self.environment | more, **pipes)
        out, err = process.communicate(timeout=180)
        return process.returncode, out, err

    def join(self, host: str, **more: str) -> None:
        """Start Ray on a host, with more in its environment: the first one starts the cluster, others join it.

        Raises:
            RuntimeError: It does not start.
        """
        told = ("start",) if host == "h1" else ("join", self.head)
        own = ("--address", self.address(host), "--name", host)
        code, _, err = self.pmbf(host, "cluster", *told, *own, **more)
        if code:
            raise RuntimeError(err)

    def ready(self) -> None:
        """Start Ray on the hosts on which it does not run: at first, and after tests that have ended it."""
        for host in self.names:
            if not self.processes(host, lambda command: "raylet" in command):
                if (self.state / host).exists():
                    self.pmbf(host, "cluster", "stop")  # what is left of a host that was drained
                self.join(host)

    def cut(self, host: str) -> None:
        """Pull the cable of a host: packets vanish."""
        self._in_switch("link", "set", f"to-{host}", "down")

    def heal(self, host: str) -> None:
        """Plug the cable in again."""
        self._in_switch("link", "set", f"to-{host}", "up")

    def power_off(self, host: str) -> None:
        """Kill all processes of a host at once."""
        init = self._inits.pop(host)
        init.kill()
        init.wait()

    def power_on(self, host: str) -> None:
        """Start a host that is off, without Ray."""
        alone = ["unshare", "--pid", "--fork", "--kill-child", "--mount", "--mount-proc", "sleep", "infinity"]
        self._inits[host] = subprocess.Popen(["ip", "netns", "exec", self._of(host), *alone])
        while not self._children(host):
            time.sleep(0.01)

    def processes(self, host: str, is_meant: Callable[[str], bool]) -> list[int]:
        """Return the processes of a host whose command is meant, as this machine numbers them."""
        [inside] = self._children(host)
        space, found = os.readlink(f"/proc/{inside}/ns/pid"), []
        for one in Path("/proc").glob("[0-9]*"):
            with suppress(OSError):
                if os.readlink(one / "ns/pid") == space and is_meant((one / "cmdline").read_text().replace("\0", " ")):
                    found.append(int(one.name))
        return found

    def _children(self, host: str) -> list[str]:
        number = self._inits[host].pid
        return Path(f"/proc/{number}/task/{number}/children").read_text().split()

    def _wire(self, host: str) -> None:
        space = self._of(host)
        self._ip("netns", "add", space)
        ends = ["link", "add", "eth", "netns", space, "type", "veth", "peer", "name", f"to-{host}"]
        self._ip(*ends, "netns", self._of("switch"))
        self._in_switch("link", "set", f"to-{host}", "master", "bridge", "up")
        self._ip("-n", space, "address", "add", f"{self.address(host)}/24", "dev", "eth")
        for device in ("eth", "lo"):
            self._ip("-n", space, "link", "set", device, "up")

    def _in_switch(self, *words: str) -> None:
        self._ip("-n", self._of("switch"), *words)

    def _ip(self, *words: str) -> None:
        subprocess.run(["ip", *words], check=True)

    def _of(self, host: str) -> str:
        return f"{self._name}-{host}"
