"""What is found as a collection grows is measured as the experiment says: sources, characters, false ones."""

from __future__ import annotations

from pathlib import Path

import pytest
from conftest import words

from experiments import growing
from experiments.pan.candidates import SILVER
from experiments.retrieval import CLEAN
from measure.corpora import PAN13_KINDS
from pmbf.base.params import Params
from pmbf.screen.options import SENSITIVITIES

CASE = (
    '<document reference="{0}"><feature name="plagiarism" this_offset="0" this_length="{2}" source_reference="{1}" '
    'source_offset="0" source_length="{2}"/></document>'
)


@pytest.fixture
def pan(tmp_path: Path) -> Path:
    """A corpus with a suspicious document of each kind. Half of each text is copied; the clean one copies its source,
    too, although its pair has no case."""
    folder = tmp_path / "pan13_train"
    for name in ("src", "susp"):
        (folder / name).mkdir(parents=True)
    for at, kind in enumerate([CLEAN, *PAN13_KINDS]):
        (folder / kind).mkdir()
        source, suspicious, copied = f"source-document{at:05}", f"suspicious-document{at:05}", words(at, 200)
        (folder / "src" / f"{source}.txt").write_text(f"{copied} {words(50 + at, 200)}")
        (folder / "susp" / f"{suspicious}.txt").write_text(f"{copied} {words(100 + at, 200)}")
        case = CASE.format(f"{suspicious}.txt", f"{source}.txt", len(copied))
        (folder / kind / f"{suspicious}-{source}.xml").write_text("<document/>" if kind == CLEAN else case)
        (folder / kind / "pairs").write_text(f"{suspicious}.txt {source}.txt\n")
    (folder / SILVER).write_text("head\n")
    return folder


@pytest.fixture
def filler(tmp_path: Path) -> Path:
    (tmp_path / "filler").mkdir()
    for number in range(9):
        (tmp_path / "filler" / f"{number}.txt").write_text(words(500 + number, 200))
    return tmp_path / "filler"


def points(pan: Path, filler: Path) -> list[dict[str, object]]:
    figures = growing.run(pan.parent, params=Params(), filler=filler, sizes=[0, 9], n_screened=5)
    assert len(growing.table(figures).splitlines()) == 2 + len(figures["points"])
    return figures["points"]


def test_each_size_sensitivity_and_kind_has_its_figures(pan: Path, filler: Path) -> None:
    found = points(pan, filler)
    kinds = [CLEAN, *PAN13_KINDS]
    assert [(n, name, kind) for n in (5, 14) for name in SENSITIVITIES for kind in kinds] == [
        (one["n_documents"], one["sensitivity"], one["kind"]) for one in found
    ]
    cases = [one for one in found if one["kind"] != CLEAN]
    assert {(one["recall"], one["sources"], one["shown"], one["false"]) for one in cases} == {(1, 1, 1, 0)}


def test_a_clean_text_is_false_if_no_shared_run_explains_what_is_shown(pan: Path, filler: Path) -> None:
    (pan / CLEAN / "pairs").write_text("suspicious-document00000.txt source-document00001.txt\n")
    (pan / CLEAN / "suspicious-document00000-source-document00001.xml").write_text("<document/>")
    clean = [one for one in points(pan, filler) if one["kind"] == CLEAN]
    assert {one["false"] for one in clean} == {1}
    run = "suspicious-document00000.txt\t0\t9\tsource-document00000.txt\t0\t9\t20\tunlisted-pair\n"
    (pan / SILVER).write_text("head\n" + run)
    growing._sharing.cache_clear()
    clean = [one for one in points(pan, filler) if one["kind"] == CLEAN]
    assert {one["false"] for one in clean} == {0}
