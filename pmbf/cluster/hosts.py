"""A machine as a host of a Ray cluster: started, and stopped again, with Ray's own commands and tested settings.

Ray runs as one process with children, apart from the terminal. It holds a lock file in the state folder as long as it
lives, so it is found again: `ray stop` would end every Ray cluster of the machine.

Nobody joins, and nobody asks, without the token. Ray listens on all addresses, whatever address it is given.
"""

from __future__ import annotations

import contextlib
import fcntl
import importlib.util
import os
import secrets
import signal
import stat
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from pmbf.base.errors import BusyError, IncompleteError, NotFoundError, ParameterError, UnsupportedError
from pmbf.cluster.encryption import encrypts, require_certificate_for
from pmbf.store.folders import make_folder

START_S = STOP_S = 60.0
"""Seconds that Ray has to start, and to stop."""

LEAST_TOKEN_CHARS = 32

_SETTINGS = {
    "RAY_AUTH_MODE": "token",
    "RAY_USAGE_STATS_ENABLED": "0",
    "RAY_health_check_initial_delay_ms": "2000",
    "RAY_health_check_period_ms": "1000",
    "RAY_health_check_timeout_ms": "1000",
    "RAY_health_check_failure_threshold": "3",
}
"""A host that was cut off counts as dead after some 6 s; with Ray's own times after 64 s. Values that are set stay."""

_WORDS = ["--num-cpus=1", "--object-store-memory=268435456", "--disable-usage-stats", "--block"]
_WORDS += ["--no-monitor", "--include-log-monitor=false"]
"""Holders need no processors of Ray's count. What nodes send waits in 256 MB at most. Nobody adds machines, and nobody
reads what holders print: without the processes for that, a start takes 4.3 s of processor time in place of 6.2 s."""

_RUNS = "Ray runtime started"


def token_path() -> Path:
    """Return the file with the token: `RAY_AUTH_TOKEN_PATH`, or the one that Ray reads by itself."""
    return Path(os.environ.get("RAY_AUTH_TOKEN_PATH") or "~/.ray/auth_token").expanduser()


def require_token(*, make: bool) -> None:
    """Do nothing if there is a token that others cannot read; `make` it if there is none.

    `NotFoundError`: there is none. `ParameterError`: it is short, others can read it, or the environment says that none
    is asked for.
    """
    if os.environ.get("RAY_AUTH_MODE", "token") != "token":
        raise ParameterError(
            f"RAY_AUTH_MODE is {os.environ['RAY_AUTH_MODE']!r}: whoever reaches the port could run code here; unset it"
        )
    if token := os.environ.get("RAY_AUTH_TOKEN"):
        _require_long(token, "RAY_AUTH_TOKEN")
        return
    path = token_path()
    if make and not path.exists():
        make_folder(path.parent, mode=0o700)
        with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="ascii") as file:
            file.write(secrets.token_hex(32))
    try:
        mode = path.stat().st_mode
        token = path.read_text(encoding="utf-8").strip()
    except FileNotFoundError:
        raise NotFoundError(f"{path}: no token there; copy the file from the first host") from None
    if stat.S_IMODE(mode) & 0o077:
        raise ParameterError(f"{path}: others can read the token; give `chmod 600 {path}`")
    _require_long(token, str(path))


def _require_long(token: str, where: str) -> None:
    if len(token) < LEAST_TOKEN_CHARS:
        raise ParameterError(f"{where}: the token has {len(token)} characters, expected at least {LEAST_TOKEN_CHARS}")


def require_ray() -> None:
    """Raise `UnsupportedError` if Ray is not installed: without it there are no hosts."""
    if not has_ray():
        raise UnsupportedError("hosts need the extra 'ray': pip install 'pmbf[ray]'", missing_extra="ray")


def require_head(head: str) -> None:
    """Raise `ParameterError` for what is no address of a first host, `HOST:PORT`."""
    host, _, port = head.rpartition(":")
    if not host or not (port.isascii() and port.isdecimal() and 0 < int(port) < 65536):
        raise ParameterError(f"{head!r:.80} is no address of a first host, expected HOST:PORT")


def start(words: Sequence[str], address: str | None, state: Path, *, block: bool) -> None:
    """Start Ray on this machine, and return once Ray runs.

    Or become Ray's process (`block`), for who watches over services.

    Args:
        words: What `ray start` is told beside the settings above.
        address: Where other hosts reach this one; None: Ray finds out.
        state: The folder of the lock and the log.

    Raises:
        BusyError: A host that was started with this folder runs.
        IncompleteError: Ray does not start.
        ParameterError: Ray is to encrypt, and other hosts would not believe this one's certificate.
        UnsupportedError: The extra is not installed.
    """
    require_ray()
    if encrypts():
        require_certificate_for(_reached_at(address))
    own = [f"--node-ip-address={address}"] if address else []
    command = [sys.executable, "-m", "ray.scripts.scripts", "start", *words, *own, *_WORDS]
    environment = {**_SETTINGS, **os.environ}
    make_folder(state, mode=0o700)
    with _lock(state) as lock:
        if not _is_free(lock):
            raise BusyError(f"{state}: a host runs already; end it with `pmbf cluster stop`")
        os.ftruncate(lock, 0)
        os.set_inheritable(lock, True)
        if block:
            os.write(lock, b"%d" % os.getpid())
            os.execve(sys.executable, command, environment)
        with open(state / "log", "wb") as log:
            process = subprocess.Popen(
                command,
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                pass_fds=[lock],
                start_new_session=True,
            )
        os.write(lock, b"%d" % process.pid)
    _wait_until_it_runs(process, state / "log")


def _reached_at(address: str | None) -> str:
    """Return the address that Ray will tell other hosts: never 127.0.0.1."""
    from ray._private import services

    return str(services.resolve_ip_for_localhost(address) if address else services.get_node_ip_address())


def _wait_until_it_runs(process: subprocess.Popen[bytes], log: Path) -> None:
    end = time.monotonic() + START_S
    while _RUNS not in log.read_text(encoding="utf-8", errors="replace"):
        if process.poll() is not None or time.monotonic() > end:
            process.terminate()
            raise IncompleteError(f"Ray does not start; {log} says why")
        time.sleep(0.05)


def stop(state: Path) -> None:
    """End the host that was started with this folder.

    `NotFoundError`: none runs; `IncompleteError`: it does not end.
    """
    with _lock(state) as lock:
        if _is_free(lock):
            raise NotFoundError(f"{state}: no host runs")
        process = int(os.read(lock, 32))
        os.kill(process, signal.SIGTERM)
        end = time.monotonic() + STOP_S
        while not _is_free(lock):
            if time.monotonic() > end:
                raise IncompleteError(f"process {process} does not end after {STOP_S:.0f} s; kill it")
            time.sleep(0.05)


@contextlib.contextmanager
def _lock(state: Path) -> Iterator[int]:
    try:
        descriptor = os.open(state / "host.lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    except FileNotFoundError:
        raise NotFoundError(f"{state}: no host was started there") from None
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def _is_free(lock: int) -> bool:
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def has_ray() -> bool:
    """Return whether the extra is installed, without importing it."""
    try:
        return importlib.util.find_spec("ray") is not None
    except ValueError:  # somebody has put something else in its place
        return False
