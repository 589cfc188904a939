"""`pmbf export`, `pmbf guard -c FILTER` and `pmbf guard resolve` as their users run them."""

import json
import os

import pytest

from pmbf import Collection
from tests import forked
from tests.conftest import words
from tests.endpoint.conftest import PLAN, TEXTS

CLEAN, LEAK = words(77), PLAN[200:900]


def pmbf(*arguments, cwd, given=None):
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("PMBF_", "CI"))}
    return forked.pmbf(*arguments, cwd=cwd, environment=environment, given=given)


@pytest.fixture(scope="module")
def desk(tmp_path_factory):
    """A folder with a collection, its filter and key, as the commands make them."""
    desk = tmp_path_factory.mktemp("desk")
    with Collection(desk / "c.pmbf", create=True) as made:
        made.add_many(TEXTS.items())
    done = pmbf("export", "out.pmbx", "-c", "c.pmbf", cwd=desk)
    assert done.returncode == 0
    assert done.stdout.splitlines() == [
        "out.pmbx: 3 documents in 64 rows, 51.3 kB",
        "1 document too short to be found: note-on-the-door.txt",
        "guard with both: pmbf guard PATH -c out.pmbx --param key_file=c.pmbf.key",
    ]
    assert "c.pmbf.key: a new site key" in done.stderr
    (desk / "clean.txt").write_text(CLEAN)
    (desk / "leak.txt").write_text(f"{CLEAN}\n\n{LEAK}\n")
    return desk


def endpoint(*arguments, cwd, given=None):
    return pmbf("guard", *arguments, "-c", "out.pmbx", "--param", "key_file=c.pmbf.key", cwd=cwd, given=given)


def test_a_leak_is_blocked_without_the_collection_and_named_with_it(desk):
    assert endpoint("clean.txt", cwd=desk).returncode == 0
    blocked = endpoint("leak.txt", "--json", cwd=desk)
    assert blocked.returncode == 1
    [finding] = json.loads(blocked.stdout)["findings"]
    assert LEAK[10:-10] in finding["evidence"][0]["text"]
    assert (finding["share_of_document"], finding["document_id"]) == (None, 0)
    for arguments, given in (((finding["document_path"],), None), (("-",), blocked.stdout)):
        resolved = pmbf("guard", "resolve", *arguments, "-c", "c.pmbf", cwd=desk, given=given)
        assert resolved.returncode == 0
        assert resolved.stdout.startswith(f"{finding['document_path']}  secret-plan-of-march.txt  characters ")


def test_the_text_answer_names_the_id_and_no_share_of_the_document(desk):
    shown = endpoint("leak.txt", cwd=desk).stdout
    assert "BLOCKED: leak.txt holds text of px-" in shown
    assert "of the file" in shown and "of the document" not in shown


def test_an_incidents_file_is_resolved(desk):
    assert endpoint("leak.txt", "--incidents", "incidents.jsonl", cwd=desk).returncode == 1
    incidents = (desk / "incidents.jsonl").read_text()
    assert json.loads(incidents)["collection"].endswith("out.pmbx")
    done = pmbf("guard", "resolve", "-", "-c", "c.pmbf", "--json", cwd=desk, given=incidents)
    assert json.loads(done.stdout)["path"] == "secret-plan-of-march.txt"


def test_an_unknown_id_is_a_problem(desk):
    done = pmbf("guard", "resolve", "px-0123456789abcdef", "-c", "c.pmbf", cwd=desk)
    assert (done.returncode, done.stdout) == (3, "")
    assert "c.pmbf has no export with this id" in done.stderr


def test_a_policy_names_filter_and_key(desk):
    (desk / "policy.toml").write_text('[guard]\nendpoint = "out.pmbx"\nkey_file = "c.pmbf.key"\n')
    assert pmbf("guard", "leak.txt", "--policy", "policy.toml", cwd=desk).returncode == 1


@pytest.mark.parametrize(("arguments", "message"), [
    (("-c", "out.pmbx"), "there is no key_file"),
    (("--param", "key_file=c.pmbf.key", "-c", "c.pmbf"), "there is no endpoint"),
    (("--param", "endpoint=out.pmbx", "--param", "key_file=c.pmbf.key", "-c", "c.pmbf"), "expected one of them"),
])  # fmt: skip
def test_half_an_endpoint_or_two_sources_are_wrong_usage(desk, arguments, message):
    done = pmbf("guard", "clean.txt", *arguments, cwd=desk)
    assert done.returncode == 2
    assert message in done.stderr


def test_a_locked_policy_cannot_be_led_to_another_filter(desk):
    (desk / "locked.toml").write_text('[guard]\nlocked = true\ncollection = "c.pmbf"\n')
    done = endpoint("leak.txt", "--policy", "locked.toml", cwd=desk)
    assert done.returncode == 2


def test_a_filter_that_others_may_change_is_not_believed(desk):
    (desk / "shared.pmbx").write_bytes((desk / "out.pmbx").read_bytes())
    (desk / "shared.pmbx").chmod(0o666)
    done = pmbf("guard", "clean.txt", "-c", "shared.pmbx", "--param", "key_file=c.pmbf.key", cwd=desk)
    assert done.returncode == 3
    assert "shared.pmbx: group or others may write to it; run `chmod go-w" in done.stderr


def test_a_key_that_others_may_read_is_refused_and_not_used(desk):
    (desk / "open.key").write_bytes((desk / "c.pmbf.key").read_bytes())
    (desk / "open.key").chmod(0o644)
    done = pmbf("guard", "clean.txt", "-c", "out.pmbx", "--param", "key_file=open.key", cwd=desk)
    assert done.returncode == 2
    assert "expected 0600" in done.stderr
    assert pmbf("export", "x.pmbx", "-c", "c.pmbf", "--key-file", "open.key", cwd=desk).returncode == 2
    assert not (desk / "x.pmbx").exists()


@pytest.mark.parametrize("out", ["c.pmbf.key", "leak.txt", "c.pmbf"])
def test_an_export_replaces_nothing_but_an_endpoint_filter(desk, out):
    before = (desk / out).read_bytes() if (desk / out).is_file() else b""
    assert pmbf("export", out, "-c", "c.pmbf", cwd=desk).returncode == 2
    assert before == ((desk / out).read_bytes() if before else b"")


def test_a_filter_that_would_protect_nothing_is_not_written(desk, tmp_path):
    with Collection(tmp_path / "few.pmbf", create=True) as made:
        for arguments in ([], ["note"]):
            for name in arguments:
                made.add("Back in five minutes.", name=name)
            done = pmbf("export", "few.pmbx", "-c", "few.pmbf", cwd=tmp_path)
            assert (done.returncode, (tmp_path / "few.pmbx").exists()) == (3, False)
            assert f"few.pmbf has {len(arguments)} documents, and none that is long enough" in done.stderr


def test_no_key_is_made_if_the_filter_is_refused(desk):
    done = pmbf("export", "leak.txt", "-c", "c.pmbf", "--key-file", "other.key", cwd=desk)
    assert (done.returncode, "a new site key" in done.stderr, (desk / "other.key").exists()) == (2, False, False)


def test_filter_and_key_are_two_files(desk):
    done = pmbf("export", "new", "-c", "c.pmbf", "--key-file", "new", cwd=desk)
    assert done.returncode == 2
    assert "new: is the key file, too" in done.stderr
    assert not (desk / "new").exists()
