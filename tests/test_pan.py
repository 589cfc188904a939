"""The runner on a corpus of two pairs: both spellings of its folders, resumed runs, foreign detections."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from experiments import pan
from experiments.pan_corpus import Corpus, annotated, file_name, write_detections
from experiments.plagdet import Annotation
from pmbf.errors import NotFoundError, ParameterError

COPIED = (
    "The tide comes in twice a day, and twice a day it leaves the harbour dry; nobody has ever asked it why, and the "
    "boats lie on their sides until it is back, as patient as cows."
)
PAIR = ("suspicious-document00001.txt", "source-document00001.txt")
NONE = ("suspicious-document00001.txt", "source-document00002.txt")


@pytest.fixture(params=["-", "_"])
def folder(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    mark = request.param
    texts = {
        f"susp/{PAIR[0]}": f"A line\r\nof my own. {COPIED} And more of it.",
        f"src/{PAIR[1]}": f"Before.\r\n{COPIED}",
        f"src/{NONE[1]}": "Nothing of the kind is said here.",
        f"01{mark}no{mark}plagiarism/pairs": " ".join(NONE) + "\n",
        f"02{mark}no{mark}obfuscation/pairs": " ".join(PAIR) + "\n",
        f"02{mark}no{mark}obfuscation/{file_name(PAIR)}": (
            f'<document reference="{PAIR[0]}"><feature name="artificial-plagiarism" this_offset="19" '
            f'this_length="{len(COPIED)}" source_reference="{PAIR[1]}" source_offset="9" '
            f'source_length="{len(COPIED)}" /></document>'
        ),
    }
    for name, text in texts.items():
        path = tmp_path / "corpus" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8", newline="")
    return tmp_path / "corpus"


def test_a_planted_copy_scores_one(folder: Path, tmp_path: Path) -> None:
    out = tmp_path / "found"

    assert pan.align(folder, out).startswith("2 pairs aligned")
    table = pan.score(folder, out, out=tmp_path / "scores.json")

    assert "| all | 1 | 1 | 1.0000 | 1.0000 | 1.0000 | 1.0000 | 1.0000 |" in table.splitlines()
    scores = json.loads((tmp_path / "scores.json").read_text())
    assert scores["all"]["macro"] == {"precision": 1, "recall": 1, "granularity": 1, "plagdet": 1}
    assert len(list(out.iterdir())) == 2


def test_documents_with_all_their_detections_are_not_aligned_again(folder: Path, tmp_path: Path) -> None:
    pan.align(folder, tmp_path)
    (tmp_path / file_name(PAIR)).unlink()

    assert pan.align(folder, tmp_path, jobs=2).startswith("2 pairs aligned")
    assert pan.align(folder, tmp_path).startswith("0 pairs aligned")


def test_detections_of_documents_outside_the_pair_are_not_scored(folder: Path, tmp_path: Path) -> None:
    foreign = Annotation(PAIR[0], 0, 9, "source-document00002.txt", 0, 9)

    write_detections(tmp_path / file_name(PAIR), PAIR[0], [foreign])

    assert "| all | 1 | 0 | 0.0000 |" in pan.score(folder, tmp_path)


def test_a_name_with_marks_of_xml_comes_back(tmp_path: Path) -> None:
    found = [Annotation('<a> & "b"', 1, 2, "'c'", 3, 4)]

    write_detections(tmp_path / "a.xml", found[0].suspicious, found)

    assert list(annotated(tmp_path / "a.xml", "plagiarism")) == found


def test_a_folder_that_is_no_corpus_and_a_file_that_is_no_xml_are_named(tmp_path: Path) -> None:
    with pytest.raises(NotFoundError, match="pairs"):
        Corpus.at(tmp_path)
    (tmp_path / "bad.xml").write_text("<document")
    with pytest.raises(ParameterError, match=r"bad\.xml"):
        list(annotated(tmp_path / "bad.xml", "plagiarism"))
