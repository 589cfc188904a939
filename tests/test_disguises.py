"""What a report says of each passage and of a disguised text, as JSON and on a terminal."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pmbf.report import Passage, Span
from pmbf.verify import edits
from tests.commands.conftest import run

EXAMPLES = Path(__file__).parent.parent / "examples"


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    """A collection of the examples."""
    folder = tmp_path_factory.mktemp("library") / "library.pmbf"
    assert run("load", EXAMPLES / "library", "-c", folder).exit_code == 0
    return folder


def screened(library: Path, name: str, *options: str) -> str:
    """Return what `pmbf screen` prints of a suspicious example."""
    result = run("screen", EXAMPLES / "suspicious" / name, "-c", library, *options)
    assert result.exit_code == 1, result.output
    return result.stdout


def test_a_disguised_text_is_flagged_as_json_and_on_the_terminal(library):
    told = json.loads(screened(library, "disguised.txt", "--json"))["query"]
    seen = " ".join(screened(library, "disguised.txt").split())

    text = (EXAMPLES / "suspicious" / "disguised.txt").read_text(encoding="utf-8")
    assert told["n_invisible"] == text.count("\u200b") > 0  # a soft hyphen is what it says, and no disguise
    assert told["n_mixed_tokens"] > 0
    assert f"{told['n_mixed_tokens']} words with letters of two alphabets that look alike" in seen
    assert f"{told['n_invisible']} invisible characters" in seen
    assert "it may have been altered to hide where it comes from" in seen


def test_an_undisguised_text_is_not_flagged(library):
    told = json.loads(screened(library, "edited.txt", "--json"))["query"]

    assert (told["n_mixed_tokens"], told["n_invisible"]) == (0, 0)
    assert "altered" not in screened(library, "edited.txt")


@pytest.mark.parametrize("name", ["edited.txt", "disguised.txt", "two-sources.md"])
def test_each_passage_has_its_kind_its_scores_and_both_spans(library, name):
    report = json.loads(screened(library, name, "--json"))
    query = (EXAMPLES / "suspicious" / name).read_text(encoding="utf-8")

    for match in report["matches"]:
        source = Path(match["document"]["paths"][0]).read_text(encoding="utf-8")
        for passage in match["passages"]:
            assert passage["kind"] in ("verbatim", "edited", "reworded", "summary")
            assert all(0 < passage["scores"][name] <= 1 for name in ("characters", "words", "sorted_words"))
            here, there = (Span(*passage[side]) for side in ("query", "source"))
            assert 0 <= here.start < here.stop <= len(query) and 0 <= there.start < there.stop <= len(source)
            changed = edits(query, source, Passage(here, there, passage["similarity"], passage["kind"]))
            assert (passage["kind"] == "verbatim") == (changed == [])
