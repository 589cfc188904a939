"""What may leave all the same: by baseline, by a note in the payload, and because it is public."""

import json

import pytest
from hypothesis import given as with_values
from hypothesis import strategies as st

from pmbf import Collection
from pmbf.base.errors import CorruptError, NotFoundError, UnsupportedError
from pmbf.guard.allowing import Allowances, passage_fingerprint
from pmbf.guard.baseline import Baseline, read_baseline, write_baseline
from pmbf.guard.checker import CollectionChecker
from pmbf.guard.policy import Policy
from pmbf.guard.sources import of_paths
from tests.guard.conftest import CLEAN, LEAK, SECRET, check, guard


def fingerprints(done):
    return [one["fingerprint"] for finding in json.loads(done.stdout)["findings"] for one in finding["evidence"]]


@pytest.fixture
def desk(tmp_path):
    (tmp_path / "leak.txt").write_text(f"{CLEAN}\n\n{LEAK}\n")
    return tmp_path


@with_values(st.lists(st.sampled_from([" ", "\n", "\t", " \n  ", "\r\n"]), min_size=9, max_size=9))
def test_a_fingerprint_does_not_change_with_layout_case_or_disguise(separators):
    chosen = LEAK.split()[:10]
    laid_out = chosen[0] + "".join(map("".join, zip(separators, chosen[1:], strict=True)))
    plain = passage_fingerprint(" ".join(chosen), b"k")
    assert passage_fingerprint(laid_out, b"k") == plain
    assert passage_fingerprint(laid_out.upper(), b"k") == plain
    assert passage_fingerprint("\u200b".join(laid_out), b"k") == plain


def test_a_fingerprint_changes_with_the_words_and_with_the_key():
    assert len({passage_fingerprint(text, key) for text in ("one two", "one three") for key in (b"a", b"b")}) == 4


@pytest.mark.parametrize("layout", ["{}", "{0}\n{0}", "    # {}"])
def test_a_passage_is_allowed_wherever_it_moves(desk, protected, layout):
    [fingerprint] = fingerprints(guard("leak.txt", "-c", protected, "--json", cwd=desk))
    write_baseline(desk / "b.json", Baseline(key_of(protected), {fingerprint: "said in public"}))
    (desk / "moved.txt").write_text(CLEAN[:100] + "\n" + layout.format(LEAK).replace(" sa", "\n   sa"))
    done = guard("moved.txt", "-c", protected, "--baseline", "b.json", "--json", cwd=desk)
    assert done.returncode == 0
    assert [one["action"] for one in json.loads(done.stdout)["findings"]] == ["allowed"]
    assert "1 allowed" in done.stderr


def test_more_of_an_allowed_passage_is_blocked(desk, protected):
    [fingerprint] = fingerprints(guard("leak.txt", "-c", protected, "--json", cwd=desk))
    write_baseline(desk / "b.json", Baseline(key_of(protected), {fingerprint: ""}))
    (desk / "leak.txt").write_text(f"{CLEAN}\n\n{SECRET[200:1000]}\n")
    assert guard("leak.txt", "-c", protected, "--baseline", "b.json", cwd=desk).returncode == 1


def key_of(protected):
    with Collection(protected) as collection:
        return CollectionChecker(collection).key


def test_a_payload_allows_its_own_passages_unless_the_policy_forbids_it(desk, protected):
    [fingerprint] = fingerprints(guard("leak.txt", "-c", protected, "--json", cwd=desk))
    (desk / "leak.txt").write_text(f"{CLEAN}\n# pmbf:allow {fingerprint}\n{LEAK}\n")
    assert guard("leak.txt", "-c", protected, cwd=desk).returncode == 0
    assert guard("leak.txt", "-c", protected, cwd=desk, PMBF_GUARD_ALLOW_INLINE="false").returncode == 1
    (desk / "leak.txt").write_text(f"{CLEAN}\n# pmbf:allow {'0' * 20}\n{LEAK}\n")
    assert guard("leak.txt", "-c", protected, cwd=desk).returncode == 1


def test_what_a_payload_allows_is_not_allowed_in_another(tmp_path, protected):
    with Collection(protected) as collection:
        checker = CollectionChecker(collection)
        fingerprint = passage_fingerprint(LEAK, checker.key)
        (tmp_path / "note.txt").write_text(f"pmbf:allow {fingerprint}")
        (tmp_path / "leak.txt").write_text(LEAK)
        plan = of_paths([str(tmp_path)], Policy(), tmp_path)
        assert check(plan, Policy(), checker, Allowances(checker.key)).action == "block"


# ---------------------------------------------------------------------- the file


def test_a_baseline_comes_back_as_it_was_written(tmp_path):
    baseline = Baseline(b"k" * 32, {"b" * 20: "why", "a" * 20: ""})
    write_baseline(tmp_path / "b.json", baseline)
    assert read_baseline(tmp_path / "b.json") == baseline
    lines = (tmp_path / "b.json").read_text().splitlines()
    assert [line.strip()[1:21] for line in lines if "a" * 20 in line or "b" * 20 in line] == ["a" * 20, "b" * 20]


@pytest.mark.parametrize(
    "text",
    ["", "[]", "{}", "[" * 100_000, '{"pmbf_baseline": 1}', '{"pmbf_baseline": 1, "key": "00", "allowed": {}}',
     f'{{"pmbf_baseline": 1, "key": "{"0" * 64}", "allowed": {{"a": ""}}}}',
     f'{{"pmbf_baseline": 1, "key": "{"0" * 64}", "allowed": {{"{"a" * 20}": 1}}}}'],
)  # fmt: skip
def test_what_is_no_baseline_is_refused(tmp_path, text):
    (tmp_path / "b.json").write_text(text)
    with pytest.raises(CorruptError, match="is no baseline"):
        read_baseline(tmp_path / "b.json")


def test_a_newer_baseline_and_a_missing_one_are_told_apart(tmp_path):
    with pytest.raises(NotFoundError):
        read_baseline(tmp_path / "b.json")
    (tmp_path / "b.json").write_text('{"pmbf_baseline": 2}')
    with pytest.raises(UnsupportedError):
        read_baseline(tmp_path / "b.json")
