"""The recall of candidates is measured as it says: by half, and beside unrelated texts."""

from __future__ import annotations

from pathlib import Path

import pytest
from conftest import words

from experiments import retrieval
from measure.corpora import PAN13_KINDS
from pmbf.base.errors import ParameterError
from pmbf.base.params import Params

CASES = {False: '<document><feature name="plagiarism" this_offset="0"/></document>', True: "<document/>"}


@pytest.fixture
def pan(tmp_path: Path) -> Path:
    """A corpus with an even and an odd suspicious document of each kind; all copy their source but the clean ones."""
    folder = tmp_path / "pan13_train"
    for name in ("src", "susp"):
        (folder / name).mkdir(parents=True)
    for number, kind in enumerate([retrieval.CLEAN, *PAN13_KINDS]):
        (folder / kind).mkdir()
        pairs = []
        for at in (2 * number, 2 * number + 1):
            source, suspicious = f"source-document{at:05}", f"suspicious-document{at:05}"
            (folder / "src" / f"{source}.txt").write_text(words(at, 300))
            text = words(100 + at, 300) if kind == retrieval.CLEAN else words(at, 300)
            (folder / "susp" / f"{suspicious}.txt").write_text(text)
            (folder / kind / f"{suspicious}-{source}.xml").write_text(CASES[kind == retrieval.CLEAN])
            pairs.append(f"{suspicious}.txt {source}.txt\n")
        (folder / kind / "pairs").write_text("".join(pairs))
    return folder


def test_the_figures_say_their_half_and_their_number_of_documents(pan: Path, tmp_path: Path) -> None:
    (tmp_path / "filler").mkdir()
    for number in range(7):
        (tmp_path / "filler" / f"{number}.txt").write_text(words(500 + number, 200))
    how = {"half": "second", "filler": tmp_path / "filler", "n_filler": 5}

    figures = retrieval.run(pan.parent, params=Params(), **how)

    assert (figures["half"], figures["size"]["n_documents"]) == ("second", 15)
    assert figures["sources"]["documents"] == 10 and figures["filler"]["documents"] == 7
    assert [(1, 0.0), (1, 1.0)] == sorted({(one["n_pairs"], one["recall"]) for one in figures["found"]})
    assert "15 documents, " in retrieval.table(figures)


@pytest.mark.parametrize("folder", [True, False])
def test_more_unrelated_texts_than_there_are_is_told(folder: bool, pan: Path) -> None:
    with pytest.raises(ParameterError, match="20 are wanted" if folder else "--filler FOLDER"):
        retrieval.run(pan.parent, params=Params(), filler=pan / "susp" if folder else None, n_filler=20)
