"""Three hosts with networks of their own: one is cut off, comes back, is powered off, and no report is wrong."""

import importlib.util
import json
import os
import secrets
import subprocess
import sys
import tempfile
import time

import pytest

from tests.conftest import ROOT

from .hosts import Hosts, missing

REASON = "the extra 'ray' is not installed" if importlib.util.find_spec("ray") is None else missing()
pytestmark = pytest.mark.skipif(bool(REASON), reason=REASON or "all is here")

QUICKLY = {
    "RAY_health_check_initial_delay_ms": "2000",
    "RAY_health_check_period_ms": "1000",
    "RAY_health_check_timeout_ms": "1000",
    "RAY_health_check_failure_threshold": "3",
}


@pytest.fixture
def hosts(tmp_path):
    with Hosts(3) as made:
        token = {"RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN": secrets.token_hex(32), "RAY_USAGE_STATS_ENABLED": "0"}
        python = os.pathsep.join(filter(None, [str(ROOT), *sys.path]))
        made.environment = os.environ | QUICKLY | token | {"PYTHONPATH": python, "RAY_memory_monitor_refresh_ms": "0"}
        made.logs = tmp_path
        yield made


@pytest.fixture
def short():
    """A folder with a short name: sockets have names of at most 107 bytes."""
    with tempfile.TemporaryDirectory(prefix="r", dir="/tmp", ignore_cleanup_errors=True) as made:
        yield made


def ray(hosts, host, *words):
    """Start Ray on a host, and wait until it says that it runs."""
    command = [sys.executable, "-m", "ray.scripts.scripts", "start", *words, f"--node-ip-address={hosts.address(host)}"]
    more = ["--num-cpus=1", "--object-store-memory=80000000", "--disable-usage-stats", "--block"]
    with open(hosts.logs / f"{host}.log", "w") as log:
        process = hosts.start(host, *command, *more, env=hosts.environment, stdout=log, stderr=subprocess.STDOUT)
    end = time.monotonic() + 90
    while "Ray runtime started" not in (hosts.logs / f"{host}.log").read_text():
        assert process.poll() is None and time.monotonic() < end, (hosts.logs / f"{host}.log").read_text()
        time.sleep(0.1)


def test_no_report_is_wrong_whatever_happens_to_a_host(hosts, short, tmp_path):
    head = f"{hosts.address('h1')}:6379"
    ray(hosts, "h1", "--head", "--port=6379", "--include-dashboard=false", f"--temp-dir={short}")
    for host in ("h2", "h3"):
        ray(hosts, host, f"--address={head}")
    words = [sys.executable, "-m", "tests.cluster.asker", head, tmp_path / "depot", tmp_path / "shelf"]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "env": hosts.environment, "cwd": ROOT}
    with open(tmp_path / "asker.log", "w") as log:
        asker = hosts.start("h1", *words, stderr=log, **pipes)

    def told(line=""):
        asker.stdin.write(line)
        asker.stdin.flush()
        return json.loads(asker.stdout.readline() or "null") or pytest.fail((tmp_path / "asker.log").read_text())

    def assert_full(n, within_s):
        found = told(f"{n}\n")
        assert (n, 0, 0) == (found["full"], found["partial"], found["wrong"])
        assert found["longest_s"] < within_s

    started = told()
    assert 3 == started["n_nodes"]
    assert 3 < started["n_volumes"]
    assert_full(8, 60)
    hosts.cut("h3")
    assert_full(24, 30)
    hosts.heal("h3")
    assert_full(24, 30)
    hosts.power_off("h2")
    found = told("24\n")
    assert 0 == found["wrong"]  # h3 may not be back yet: then both copies of some volumes are gone
    asker.stdin.close()
    asker.wait()
