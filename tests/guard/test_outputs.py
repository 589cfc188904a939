"""What a verdict becomes: SARIF, a log of incidents, a baseline."""

import json
import os
import stat
import subprocess
import sys
from dataclasses import replace

import pytest

from pmbf.errors import UnsupportedError
from pmbf.guard.incidents import append_incidents
from pmbf.guard.sarif import MOST_LOCATIONS, MOST_LOCATIONS_IN_ALL, MOST_RESULTS, to_sarif
from pmbf.guard.types import Counts, Evidence, Finding, Payload, Unread, Verdict
from pmbf.report import Span
from tests.conftest import ROOT, words
from tests.guard.conftest import LEAK, guard

CLEAN = words(77)
EVIDENCE = Evidence(Span(5, 400), (2, 9), 320, "a" * 20, "secret words")


def finding(paths=("d/a b.txt",), evidence=(EVIDENCE,), **more):
    payload = Payload(
        paths[0] if paths else "the message of commit x", tuple(paths), None, "commit", "b" * 40, "c" * 40
    )
    made = Finding(payload, True, 7, "plan.txt", tuple(evidence), 320, 0.5, 0.25, "block")
    return replace(made, **more)


def verdict(*findings, incomplete=()):
    return Verdict("block", findings, Counts(1, 2), (), incomplete, True, "default 0")


def results(log):
    [run] = log["runs"]
    return run["results"]


# ---------------------------------------------------------------------- SARIF


def test_a_passage_is_a_result_with_its_lines_and_fingerprint():
    log = to_sarif(verdict(finding()), "1.2.3")
    [result] = results(log)
    assert (log["version"], log["runs"][0]["tool"]["driver"]["version"]) == ("2.1.0", "1.2.3")
    assert result["level"] == "error"
    assert result["ruleId"] in [rule["id"] for rule in log["runs"][0]["tool"]["driver"]["rules"]]
    [location] = result["locations"]
    assert location["physicalLocation"] == {
        "artifactLocation": {"uri": "d/a%20b.txt", "uriBaseId": "%SRCROOT%"},
        "region": {"startLine": 2, "endLine": 9},
    }
    assert result["partialFingerprints"]["primaryLocationLineHash"] == f"{'a' * 20}:7"
    assert "secret words" not in json.dumps(log)


def test_lines_of_a_text_that_was_extracted_are_no_lines_of_the_file():
    [result] = results(to_sarif(verdict(finding(is_plain=False)), "1"))
    assert "region" not in result["locations"][0]["physicalLocation"]


def test_every_result_has_a_place_even_a_message_and_a_name_that_is_no_text():
    log = to_sarif(verdict(finding(paths=()), finding(paths=("caf\udce9",)), incomplete=(Unread("x", "y"),)), "1")
    uris = [one["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] for one in results(log)]
    assert uris == [f"commit/{'c' * 40}", "caf%E9", "x"]
    assert log["runs"][0]["invocations"][0]["executionSuccessful"] is False


def test_an_allowed_passage_is_a_suppressed_note():
    by = {"baseline": "external", "inline": "inSource"}
    for allowed_by, kind in by.items():
        one = replace(EVIDENCE, allowed_by=allowed_by)
        [result] = results(to_sarif(verdict(finding(evidence=[one], action="allowed")), "1"))
        assert (result["level"], result["suppressions"][0]["kind"]) == ("note", kind)


def test_what_code_hosts_take_is_not_exceeded():
    passages = finding(paths=["f"] * 9, evidence=[EVIDENCE] * (MOST_RESULTS + 1))
    log = to_sarif(verdict(passages), "1")
    assert len(results(log)) == MOST_RESULTS
    assert sum(len(one["locations"]) for one in results(log)) <= MOST_LOCATIONS_IN_ALL
    assert "25001 results" in log["runs"][0]["invocations"][0]["toolExecutionNotifications"][0]["message"]["text"]

    [result] = results(to_sarif(verdict(finding(paths=[f"f{n}" for n in range(MOST_LOCATIONS + 1)])), "1"))
    assert len(result["locations"]) == MOST_LOCATIONS


def test_sarif_goes_to_a_file_or_to_stdout(tmp_path, protected):
    (tmp_path / "leak.txt").write_text(LEAK)
    to_file = guard("leak.txt", "-c", protected, "--sarif", "out.sarif", cwd=tmp_path)
    to_stdout = guard("leak.txt", "-c", protected, "--sarif", "-", cwd=tmp_path)
    assert (to_file.returncode, to_stdout.returncode) == (1, 1)
    assert json.loads((tmp_path / "out.sarif").read_text()) == json.loads(to_stdout.stdout)
    assert "BLOCKED: leak.txt" in to_file.stdout


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
    made = guard("baseline", "create", ".", "-c", protected, cwd=tmp_path)
    assert made.returncode == 0, made.stderr
    file = tmp_path / ".pmbf-baseline.json"
    [fingerprint] = json.loads(file.read_text())["allowed"]
    assert LEAK[10:60] not in file.read_text()
    assert guard("leak.txt", "-c", protected, "--baseline", file.name, cwd=tmp_path).returncode == 0
    again = guard("baseline", "create", ".", "-c", protected, cwd=tmp_path)
    assert again.returncode == 2 and "is there already" in again.stderr

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
    done = guard("baseline", "create", ".", "-c", protected, cwd=tmp_path)
    assert done.returncode == 3
    assert not (tmp_path / ".pmbf-baseline.json").exists()
