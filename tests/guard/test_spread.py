"""A document that leaves in pieces: some letters in each of many payloads of one check, none of them too much alone."""

import json
from dataclasses import replace

import pytest

from pmbf.guard.policy import Policy
from pmbf.guard.session import together
from tests.conftest import words
from tests.guard.conftest import OTHER_SECRET, SECRET, SNIPPET, finding, guard

PIECE = 330
"""Characters, of which some 250 are letters and digits."""


def pieces(folder, secret=SECRET, n_pieces=5, length=PIECE, name="part"):
    for number in range(n_pieces):
        text = secret[number * length : (number + 1) * length]
        (folder / f"{name}-{number}.txt").write_text(
            f"{words(500 + number, 200)}\n\n{text}\n\n{words(600 + number, 200)}"
        )


def test_a_document_in_pieces_is_blocked_and_each_piece_shown(tmp_path, protected):
    pieces(tmp_path)
    done = guard(".", "-c", protected, "--json", cwd=tmp_path)
    found = json.loads(done.stdout)["findings"]
    assert (done.returncode, [one["action"] for one in found]) == (1, ["block"] * 5)
    assert all(one["n_chars"] < 300 for one in found)
    assert {one["n_chars_in_all"] for one in found} == {sum(one["n_chars"] for one in found)}
    shown = guard(".", "-c", protected, cwd=tmp_path).stdout
    assert f"all that is checked has {found[0]['n_chars_in_all']:,} letters and digits of this document" in shown


def test_pieces_that_would_not_even_be_told_count_too(tmp_path, protected):
    pieces(tmp_path, n_pieces=8, length=150)
    assert guard("part-0.txt", "-c", protected, cwd=tmp_path).stdout == ""
    assert guard(".", "-c", protected, cwd=tmp_path).returncode == 1


def test_fewer_are_warned_of_and_very_few_are_not(tmp_path, protected):
    pieces(tmp_path, n_pieces=4, length=150)
    found = json.loads(guard(".", "-c", protected, "--json", cwd=tmp_path).stdout)["findings"]
    assert {one["action"] for one in found} == {"warn"}
    few = json.loads(guard("part-0.txt", "part-1.txt", "-c", protected, "--json", cwd=tmp_path).stdout)["findings"]
    assert few == []


def test_pieces_of_different_documents_do_not_count_together(tmp_path, protected):
    pieces(tmp_path, n_pieces=2)
    pieces(tmp_path, OTHER_SECRET, n_pieces=2, name="other")
    assert guard(".", "-c", protected, cwd=tmp_path).returncode == 0


def test_the_same_piece_again_and_again_counts_once(tmp_path, protected):
    pieces(tmp_path, n_pieces=1)
    for number in range(9):
        (tmp_path / f"again-{number}.txt").write_text((tmp_path / "part-0.txt").read_text() + words(700 + number))
    assert guard(".", "-c", protected, cwd=tmp_path).returncode == 0


def test_what_a_baseline_allows_does_not_count(tmp_path, protected):
    pieces(tmp_path)
    made = guard("baseline", "update", "part-0.txt", "part-1.txt", "part-2.txt", "-c", protected, cwd=tmp_path)
    assert made.returncode == 0, made.stderr
    assert guard(".", "-c", protected, "--baseline", ".pmbf-baseline.json", cwd=tmp_path).returncode == 0


def test_pieces_in_a_commit_are_one_leak(protected, git):
    pieces(git.folder)
    git("add", ".")
    assert guard("--staged", "-c", protected, cwd=git.folder).returncode == 1
    git.commit()
    assert guard("--range", "HEAD", "-c", protected, cwd=git.folder).returncode == 1


def two(action="trace", n_chars=299):
    snippets = [replace(SNIPPET, n_chars=n_chars, fingerprint=letter * 20) for letter in "ab"]
    return [finding(paths=[f"{n}.txt"], snippets=[one], action=action) for n, one in enumerate(snippets)]


@pytest.mark.parametrize(("levels", "actions"), [
    ({}, ["warn", "warn"]),
    ({"block_total_chars": 598}, ["block", "block"]),
    ({"block_total_chars": 10, "block_chars": 599}, ["warn", "warn"]),
    ({"block_total_chars": 10, "block_chars": None}, ["warn", "warn"]),
    ({"warn_total_chars": 599}, []),
    ({"warn_total_chars": None}, []),
    ({"warn_chars": None}, []),
])  # fmt: skip
def test_all_together_take_no_fewer_than_one_alone(levels, actions):
    assert [one.action for one in together(two(), Policy(**levels))] == actions


def test_what_blocks_by_itself_does_not_raise_the_others():
    assert [one.action for one in together([*two("block", 900), *two(n_chars=140)], Policy())] == ["block", "block"]


def test_one_payload_alone_is_judged_alone():
    assert [one.action for one in together(two("warn", 5000)[:1], Policy())] == ["warn"]
