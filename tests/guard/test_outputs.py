"""What a verdict becomes: a log of incidents, a baseline."""

import json
import os
import stat
import subprocess
import sys

import pytest

from pmbf.base.errors import UnsupportedError
from pmbf.guard.outputs import append_incidents
from tests.conftest import ROOT
from tests.guard.conftest import CLEAN, LEAK, finding, guard, verdict

# ---------------------------------------------------------------------- incidents


def test_an_incident_is_a_line_without_text(tmp_path, protected):
    (tmp_path / "leak.txt").write_text(LEAK)
    (tmp_path / "clean.txt").write_text(CLEAN)
    for name in ("leak.txt", "clean.txt", "leak.txt"):
        guard(name, "-c", protected, "--show", "--incidents", "log.jsonl", cwd=tmp_path)
    lines = [json.loads(line) for line in (tmp_path / "log.jsonl").read_text().splitlines()]
    assert [(one["action"], one["document_path"], one["channel"]) for one in lines] == [
        ("block", "plan.txt", "path")
    ] * 2
    assert lines[0]["id"] != lines[1]["id"]
    assert lines[0]["fingerprints"] == lines[1]["fingerprints"]
    assert LEAK[10:60] not in (tmp_path / "log.jsonl").read_text()
    assert stat.S_IMODE(os.stat(tmp_path / "log.jsonl").st_mode) == 0o600


def test_checks_that_run_at_the_same_time_do_not_mix_their_lines(tmp_path):
    script = (
        "from tests.guard.test_outputs import *\n"
        "for _ in range(40):\n"
        "    append_incidents('log.jsonl', verdict(*[finding() for _ in range(50)]), channel='x' * 500, collection='c')"
    )
    command = [sys.executable, "-c", script]
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    running = [subprocess.Popen(command, cwd=tmp_path, env=environment) for _ in range(3)]
    assert [process.wait(60) for process in running] == [0, 0, 0]
    times = [json.loads(line)["time"] for line in (tmp_path / "log.jsonl").read_text().splitlines()]
    assert len(times) == 3 * 40 * 50
    assert all(len(set(times[start : start + 50])) == 1 for start in range(0, len(times), 50))


def test_incidents_go_to_a_regular_file_only(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises((UnsupportedError, OSError)):
        append_incidents(tmp_path / "pipe", verdict(finding()), channel="path", collection="c")
    (tmp_path / "link").symlink_to("elsewhere")
    with pytest.raises(OSError):
        append_incidents(tmp_path / "link", verdict(finding()), channel="path", collection="c")


# ---------------------------------------------------------------------- baseline


def test_a_baseline_is_made_looked_through_and_renewed(tmp_path, protected):
    (tmp_path / "leak.txt").write_text(f"{CLEAN}\n{LEAK}\n")
    made = guard("baseline", "update", ".", "-c", protected, cwd=tmp_path)
    assert made.returncode == 0, made.stderr
    file = tmp_path / ".pmbf-baseline.json"
    [fingerprint] = json.loads(file.read_text())["allowed"]
    assert LEAK[10:60] not in file.read_text()
    assert guard("leak.txt", "-c", protected, "--baseline", file.name, cwd=tmp_path).returncode == 0
    again = guard("baseline", "update", ".", "-c", protected, cwd=tmp_path)
    assert again.returncode == 0 and "0 new, 0 gone, 1 kept" in again.stderr

    file.write_text(file.read_text().replace('": ""', '": "said in May"'))
    shown = guard("baseline", "audit", ".", "-c", protected, cwd=tmp_path).stdout
    assert f"{fingerprint}  allowed: said in May\n  leak.txt, lines 2-2, of plan.txt\n    | " in shown
    assert LEAK[10:60] in shown
    assert LEAK[10:60] not in guard("baseline", "audit", ".", "-c", protected, "--redact", cwd=tmp_path).stdout

    (tmp_path / "leak.txt").write_text(f"{CLEAN}\n{LEAK[:600]}\n")
    changed = json.loads(guard("baseline", "audit", ".", "-c", protected, "--json", cwd=tmp_path).stdout)
    assert [(one["is_allowed"], bool(one["places"])) for one in changed] == [(True, False), (False, True)]
    renewed = guard("baseline", "update", ".", "-c", protected, cwd=tmp_path)
    assert "1 new, 1 gone, 0 kept" in renewed.stderr
    assert fingerprint not in json.loads(file.read_text())["allowed"]


def test_a_baseline_of_less_than_everything_is_not_made(tmp_path, protected):
    (tmp_path / "leak.txt").write_text(LEAK)
    (tmp_path / "a.7z").write_bytes(b"7z\xbc\xaf\x27\x1c" + bytes(10))
    done = guard("baseline", "update", ".", "-c", protected, cwd=tmp_path)
    assert done.returncode == 3
    assert not (tmp_path / ".pmbf-baseline.json").exists()
