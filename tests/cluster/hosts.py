"""Hosts of a laboratory: network and process namespaces of this machine, on a switch without a way out. Needs root."""

import os
import shutil
import subprocess
import time
from pathlib import Path


def missing():
    """Return why no host can be made here; empty if one can."""
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
    """

    def __init__(self, n_hosts):
        self._name = f"pmbf-{os.getpid()}"
        self._net = f"10.89.{os.getpid() % 250}"
        self._n_hosts = n_hosts
        self._inits = {}

    def __enter__(self):
        self._ip("netns", "add", self._of("switch"))
        self._in_switch("link", "add", "bridge", "type", "bridge")
        self._in_switch("link", "set", "bridge", "up")
        for number in range(1, self._n_hosts + 1):
            self._make(f"h{number}", self.address(f"h{number}"))
        return self

    def __exit__(self, *exc):
        for host in list(self._inits):
            self.power_off(host)
        for one in ["switch", *(f"h{number}" for number in range(1, self._n_hosts + 1))]:
            subprocess.run(["ip", "netns", "delete", self._of(one)], capture_output=True)

    def address(self, host):
        """Return the address of a host."""
        return f"{self._net}.{host[1:]}"

    def start(self, host, *command, **more):
        """Start a process on a host."""
        [inside] = Path(f"/proc/{self._inits[host].pid}/task/{self._inits[host].pid}/children").read_text().split()
        entered = ["nsenter", "-t", inside, "--net", "--pid", "--mount", *map(str, command)]
        return subprocess.Popen(entered, text=True, **more)

    def cut(self, host):
        """Pull the cable of a host: packets vanish."""
        self._in_switch("link", "set", f"to-{host}", "down")

    def heal(self, host):
        """Plug the cable in again."""
        self._in_switch("link", "set", f"to-{host}", "up")

    def power_off(self, host):
        """Kill all processes of a host at once."""
        init = self._inits.pop(host)
        init.kill()
        init.wait()

    def _make(self, host, address):
        space = self._of(host)
        self._ip("netns", "add", space)
        ends = ["link", "add", "eth", "netns", space, "type", "veth", "peer", "name", f"to-{host}"]
        self._ip(*ends, "netns", self._of("switch"))
        self._in_switch("link", "set", f"to-{host}", "master", "bridge", "up")
        self._ip("-n", space, "address", "add", f"{address}/24", "dev", "eth")
        for device in ("eth", "lo"):
            self._ip("-n", space, "link", "set", device, "up")
        alone = ["unshare", "--pid", "--fork", "--kill-child", "--mount", "--mount-proc", "sleep", "infinity"]
        init = self._inits[host] = subprocess.Popen(["ip", "netns", "exec", space, *alone])
        while not Path(f"/proc/{init.pid}/task/{init.pid}/children").read_text().split():
            time.sleep(0.01)

    def _in_switch(self, *words):
        self._ip("-n", self._of("switch"), *words)

    def _ip(self, *words):
        subprocess.run(["ip", *words], check=True)

    def _of(self, host):
        return f"{self._name}-{host}"
