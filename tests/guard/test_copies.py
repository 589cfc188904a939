"""A protected picture may not leave: an exact copy is a finding, as a whole document is."""

import json
import shutil

import pytest

from pmbf import Collection
from pmbf.guard.outputs import to_sarif
from pmbf.guard.policy import Policy
from tests.conftest import words
from tests.guard.conftest import guard
from tests.test_copies import png


@pytest.fixture
def pictures(git, tmp_path):
    """A collection with a picture and a text; a repository that holds a copy of the picture and another picture."""
    lib = tmp_path / "lib"
    lib.mkdir()
    (lib / "secret.png").write_bytes(png(3))
    (lib / "plan.txt").write_text(words(1), encoding="utf-8")
    with Collection(tmp_path / "p.pmbf", create=True) as made:
        made.load([lib])
    git.write("logo.png", png(3))
    git.write("other.png", png(5))
    git.commit()
    return tmp_path / "p.pmbf"


def checked(git, collection, *arguments, code):
    done = guard("logo.png", "other.png", "-c", collection, *arguments, cwd=git.folder)
    assert done.returncode == code, done.stderr
    return done


def test_an_exact_copy_of_a_protected_picture_blocks(git, pictures):
    told = checked(git, pictures, code=1)
    assert told.stdout.startswith("BLOCKED: logo.png is the same file as ")
    assert "by checksum: neither holds text, fingerprint " in told.stdout
    assert "2 files" in told.stderr and "2 not text: BLOCKED, 1 finding" in told.stderr


def test_a_copy_in_git_blocks_and_a_changed_picture_does_not(git, pictures):
    done = guard("--range", "HEAD", "-c", pictures, cwd=git.folder)
    assert (done.returncode, done.stdout.count("BLOCKED: logo.png")) == (1, 1)
    changed = bytearray(png(3))
    changed[60] ^= 1
    git.write("logo.png", bytes(changed))
    assert checked(git, pictures, code=0).stdout == ""


def test_the_finding_says_that_the_file_is_the_same(git, pictures):
    [finding] = json.loads(checked(git, pictures, "--json", code=1).stdout)["findings"]
    assert (finding["same_file"], finding["n_chars"], finding["share_of_document"]) == (True, 0, 1.0)
    [snippet] = finding["evidence"]
    checked(git, pictures, "--sarif", "found.sarif", code=1)
    [result] = json.loads((git.folder / "found.sarif").read_text())["runs"][0]["results"]
    assert result["message"]["text"].startswith("the same file as ")
    assert result["partialFingerprints"]["pmbfPassage/v1"] == snippet["fingerprint"]
    assert "region" not in result["locations"][0]["physicalLocation"]


def test_a_baseline_lets_the_picture_leave(git, pictures):
    made = guard("baseline", "update", "logo.png", "-c", pictures, cwd=git.folder)
    assert made.returncode == 0, made.stderr
    assert "1 allowed" in checked(git, pictures, "--baseline", ".pmbf-baseline.json", code=0).stderr
    git.write("logo.png", png(3) + b"\0")
    assert ", 1 allowed" not in checked(git, pictures, "--baseline", ".pmbf-baseline.json", code=0).stderr


def test_a_policy_says_what_a_copy_does(git, pictures, judge_with):
    levels = {f"block_{level}": None for level in ("chars", "document_share", "payload_share")}
    assert [one.action for one in judge_with(pictures, **levels).findings] == ["warn"]
    levels |= {f"warn_{level}": None for level in ("chars", "document_share", "payload_share")}
    assert judge_with(pictures, **levels).findings == ()
    assert to_sarif(judge_with(pictures), "1")["runs"][0]["results"][0]["level"] == "error"


@pytest.fixture
def judge_with(git):
    from pmbf.guard.allowing import Allowances
    from pmbf.guard.checker import CollectionChecker
    from pmbf.guard.sources import Plan
    from pmbf.guard.types import Payload
    from tests.guard.conftest import check

    def judged(folder, **levels):
        policy = Policy(collection=str(folder), **levels)
        with Collection(folder) as collection:
            checker = CollectionChecker.under(policy, collection)
            payload = Payload("logo.png", ("logo.png",), png(3), "path")
            return check(Plan("path", iter([payload]), 1), policy, checker, Allowances(checker.key))

    return judged


def test_pictures_do_not_change_what_texts_are_found(git, pictures, tmp_path):
    many = tmp_path / "many"
    many.mkdir()
    for number in range(300):
        (many / f"{number}.png").write_bytes(png(3) + number.to_bytes(4, "big"))
    shutil.copytree(pictures, tmp_path / "more.pmbf")
    with Collection(tmp_path / "more.pmbf") as made:
        made.load([many])
    git.write("note.txt", words(2) + words(1)[100:500] + words(4))
    few, more = (guard("note.txt", "-c", one, "--json", cwd=git.folder) for one in (pictures, tmp_path / "more.pmbf"))
    assert json.loads(few.stdout)["findings"] == json.loads(more.stdout)["findings"] != []
