"""Whole runs on a corpus of five made-up texts: every layout, killed and resumed runs, and how they are told."""

from __future__ import annotations

import json
import os
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest
from pan_layouts import COPIES, LAYOUTS, OF_PAIRS, SOURCES, SUSPICIOUS, WITHOUT, cases, text_alignment, write

from experiments import __main__ as experiments
from experiments.pan import command, running
from experiments.pan.aligning import align
from experiments.pan.annotations import detections_in, file_name, write_detections
from experiments.pan.corpus import Corpus
from experiments.pan.plagdet import Annotation
from experiments.pan.retrieving import COLLECTION, retrieve
from experiments.pan.running import Outcome
from pmbf import Collection
from pmbf.base.errors import IncompleteError, NotFoundError, ParameterError

ONE = {"precision": 1, "recall": 1, "granularity": 1, "plagdet": 1}


@pytest.fixture(params=list(LAYOUTS))
def corpus(request: pytest.FixtureRequest, tmp_path: Path) -> Corpus:
    return Corpus.at(write(tmp_path / "corpus", LAYOUTS[request.param]()))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write(tmp_path / "corpus", text_alignment())


def score(corpus: Corpus, found: Path) -> dict:
    return json.loads(json.dumps(command.score(corpus, found)))


def run(*arguments: object, monkeypatch: pytest.MonkeyPatch) -> int:
    """Return the exit code of `python -m experiments pan …`."""
    monkeypatch.setattr(sys, "argv", ["experiments", "pan", *map(str, arguments)])
    with pytest.raises(SystemExit) as end:
        experiments.main()
    return end.value.code


def test_copies_are_aligned_to_the_character_in_every_layout(corpus: Corpus, tmp_path: Path) -> None:
    done = align(corpus, tmp_path / "found")
    scores = score(corpus, tmp_path / "found")["scores"]["all"]

    assert done.problems == ()
    assert scores["cases"] == scores["detections"] == len(COPIES)
    assert scores["macro"]["recall"] == scores["macro"]["granularity"] == scores["documents"]["f1"] == 1
    assert scores["macro"]["precision"] > 0.99  # the full stop


def test_copies_are_found_in_a_collection_in_every_layout(corpus: Corpus, tmp_path: Path) -> None:
    done = retrieve(corpus, tmp_path / "found")
    figures = score(corpus, tmp_path / "found")

    assert (done.n_steps, done.problems) == (len(SUSPICIOUS), ())
    assert figures["scores"]["all"]["macro"]["recall"] == figures["scores"]["all"]["documents"]["f1"] == 1
    assert figures["scores"]["all"]["macro"]["precision"] > 0.99
    assert figures["candidates"]["recall"]["all"]["within"] == [2 / 3, 1, 1, 1, 1]
    with Collection(tmp_path / "found" / COLLECTION) as collection:
        assert collection.check().problems == []


def test_a_run_goes_on_where_it_was(folder: Path, tmp_path: Path) -> None:
    corpus, out = Corpus.at(folder), tmp_path / "found"
    assert align(corpus, out).n_steps == 4
    (out / file_name(COPIES[0])).unlink()
    untouched = (out / file_name(COPIES[1])).stat().st_mtime_ns

    assert align(corpus, out, jobs=2).n_steps == 2  # both sources of the same document
    assert align(corpus, out).n_steps == 0
    assert untouched == (out / file_name(COPIES[1])).stat().st_mtime_ns
    assert [4, 2] == [sitting["steps"] for sitting in running.of_run(out)["sittings"]]


def test_a_screening_goes_on_where_it_was(folder: Path, tmp_path: Path) -> None:
    corpus, out = Corpus.at(folder), tmp_path / "found"
    retrieve(corpus, out, jobs=2)
    (out / SUSPICIOUS[0].replace(".txt", ".xml")).unlink()

    assert retrieve(corpus, out).n_steps == 1
    assert len(COPIES) == score(corpus, out)["scores"]["all"]["detections"]


def test_a_run_with_other_parameters_is_refused_unless_it_begins_again(folder: Path, tmp_path: Path) -> None:
    corpus, out = Corpus.at(folder), tmp_path / "found"
    align(corpus, out)

    with pytest.raises(ParameterError, match=r"min_chars.*--redo"):
        align(corpus, out, settings={"min_chars": 100_000})
    with pytest.raises(ParameterError, match="step was 'align', now 'retrieve'"):
        retrieve(corpus, out)
    assert align(corpus, out, settings={"min_chars": 100_000}, redo=True).n_steps == 4
    assert score(corpus, out)["scores"]["all"]["detections"] == 0
    assert retrieve(corpus, out, redo=True).n_steps == 2
    assert retrieve(corpus, out, params={"density": 0.2}, redo=True).n_steps == 2


def test_another_commit_is_another_run(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    align(Corpus.at(folder), tmp_path)
    monkeypatch.setattr(running.report, "about", lambda: {"commit": "another"})

    with pytest.raises(ParameterError, match="commit was"):
        align(Corpus.at(folder), tmp_path)


def test_files_of_unknown_origin_are_not_taken_for_finished_pairs(folder: Path, tmp_path: Path) -> None:
    write_detections(tmp_path / file_name(COPIES[0]), COPIES[0][0], [])

    with pytest.raises(ParameterError, match="unknown origin"):
        align(Corpus.at(folder), tmp_path)
    (tmp_path / running.RUN).write_text("{")
    with pytest.raises(ParameterError, match="damaged"):
        align(Corpus.at(folder), tmp_path)


@dataclass(frozen=True)
class Fragile:
    """Writes a file for each unit; one kills its process, another fails."""

    out: Path

    def __call__(self, unit: str) -> Outcome:
        if unit == "kills":
            os._exit(9)
        if unit == "fails":
            raise ValueError("no good")
        (self.out / unit).write_text("done")
        return 1, ""


def test_what_was_finished_outlives_a_process_that_dies(tmp_path: Path) -> None:
    running.open_run(tmp_path, {})
    running.processed(tmp_path, Fragile(tmp_path), ["first"], n_steps=1, what="", jobs=1)

    with pytest.raises(IncompleteError, match="run it again"):
        running.processed(tmp_path, Fragile(tmp_path), ["second", "kills"], n_steps=2, what="", jobs=1 + 1)

    assert (tmp_path / "first").exists()
    assert running.of_run(tmp_path)["sittings"][0]["steps"] == 1


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_unit_that_fails_is_told_and_stops_no_other(jobs: int, tmp_path: Path) -> None:
    running.open_run(tmp_path, {})

    done = running.processed(tmp_path, Fragile(tmp_path), ["one", "fails", "two"], n_steps=3, what="", jobs=jobs)

    assert (3, ("fails: ValueError: no good",)) == (done.n_steps, done.problems)
    assert {"one", "two"} <= {path.name for path in tmp_path.iterdir()}


def test_empty_texts_are_compared_and_have_nothing(folder: Path, tmp_path: Path) -> None:
    (folder / "susp" / SUSPICIOUS[0]).write_bytes(b"")
    (folder / "src" / SOURCES[2]).write_bytes(b"\xef\xbb\xbf\r\n")

    for step in (align, retrieve):
        out = tmp_path / step.__name__
        assert step(Corpus.at(folder), out).problems == ()
        assert score(Corpus.at(folder), out)["scores"]["all"]["detections"] == 1


def test_a_missing_source_loses_its_pairs_alone(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "src" / SOURCES[0]).unlink()

    assert run("align", folder, "--out", tmp_path / "found", monkeypatch=monkeypatch) == 3
    assert SOURCES[0] in capsys.readouterr().err
    assert run("score", folder, tmp_path / "found", monkeypatch=monkeypatch) == 3
    assert "| all | 3 | 2 | " in capsys.readouterr().out


def test_the_score_of_an_unfinished_run_is_shown_and_told(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for step, name in (("align", file_name(COPIES[0])), ("retrieve", SUSPICIOUS[0].replace(".txt", ".xml"))):
        found = tmp_path / step
        assert run(step, folder, "--out", found, monkeypatch=monkeypatch) == 0
        assert run("score", folder, found, monkeypatch=monkeypatch) == 0
        (found / name).unlink()
        capsys.readouterr()

        assert run("score", folder, found, monkeypatch=monkeypatch) == 3
        told = capsys.readouterr()
        assert "| all | 3 | 2 | " in told.out
        assert f"have no file, {name} for one" in told.err
        assert f"the same `pan {step}` again" in told.err


def test_a_run_on_another_corpus_is_told(folder: Path, tmp_path: Path) -> None:
    align(Corpus.at(folder), tmp_path / "found")
    (folder / "src" / SOURCES[0]).unlink()

    problems = score(Corpus.at(folder), tmp_path / "found")["problems"]

    assert any("is of a run on 4 pairs, the corpus has 3" in told for told in problems)


def test_figures_name_the_commit_the_machine_and_the_parameters(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    found, out = tmp_path / "found", tmp_path / "new" / "scores.json"

    assert run("align", folder, "--out", found, "--set", "min_chars=120", monkeypatch=monkeypatch) == 0
    assert run("score", folder, found, "--out", out, monkeypatch=monkeypatch) == 0

    assert "4 pairs aligned" in capsys.readouterr().out
    figures = json.loads(out.read_text())
    assert figures["run"]["parameters"]["settings"]["min_chars"] == 120
    assert figures["run"]["parameters"]["commit"] == figures["about"]["commit"]
    assert figures["about"]["processor"]
    assert figures["scores"]["01-no-plagiarism"]["macro"] == ONE


def test_detections_of_another_program_are_scored(folder: Path, tmp_path: Path) -> None:
    for number, one in enumerate(cases()):
        (tmp_path / "found" / str(number)).mkdir(parents=True)
        write_detections(tmp_path / "found" / str(number) / "any name.xml", one.suspicious, [one])

    figures = score(Corpus.at(folder), tmp_path / "found")

    assert ONE == figures["scores"]["all"]["macro"] == figures["scores"]["all"]["normalised"]
    assert figures["run"] == {"parameters": {}}


def test_errors_are_a_line_and_an_exit_code(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("align", tmp_path / "none", "--out", tmp_path / "found", monkeypatch=monkeypatch) == 3
    assert run("score", folder, tmp_path / "none", monkeypatch=monkeypatch) == 3
    assert run("align", folder, "--out", tmp_path / "found", "--jobs", 0, monkeypatch=monkeypatch) == 3
    assert run("align", folder, "--out", tmp_path / "found", "--set", "nonsense", monkeypatch=monkeypatch) == 2
    assert run("align", folder, "--out", tmp_path / "other", "--set", "min_char=3", monkeypatch=monkeypatch) == 3
    assert run("align", folder, "--out", tmp_path / "other", "--set", "min_chars=abc", monkeypatch=monkeypatch) == 3
    assert run("align", folder, "--out", folder / "pairs", monkeypatch=monkeypatch) == 3
    assert run("align", folder, "--out", folder / "pairs" / "below", monkeypatch=monkeypatch) == 3
    told = capsys.readouterr().err
    assert "Traceback" not in told
    assert "min_char:" in told
    assert "min_chars of Settings is 'abc'" in told
    assert "pairs: is a file" in told
    with pytest.raises(NotFoundError, match="no XML files"):
        command.score(Corpus.at(folder), folder / "src")


def test_a_plot_needs_matplotlib_and_says_so(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    align(Corpus.at(folder), tmp_path / "found")
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)

    assert run("score", folder, tmp_path / "found", "--plot", tmp_path / "a.svg", monkeypatch=monkeypatch) == 3
    assert "pip install 'pmbf[bench]'" in capsys.readouterr().err


def test_scores_are_drawn(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("matplotlib")
    align(Corpus.at(folder), tmp_path / "found")

    assert run("score", folder, tmp_path / "found", "--plot", tmp_path / "a.svg", monkeypatch=monkeypatch) == 0
    drawn = (tmp_path / "a.svg").read_text()
    assert ">none<" in drawn and ">all<" in drawn
    assert "no-plagiarism" not in drawn  # no case, no score


def test_each_place_goes_to_one_source(folder: Path, tmp_path: Path) -> None:
    source = (folder / "src" / SOURCES[0]).read_bytes().decode()
    start = cases()[0].source_start
    worse = source[start : start + 200].replace("a", "e", 12) + source[start + 200 :]
    (folder / "src" / SOURCES[2]).write_bytes(worse.encode())

    align(Corpus.at(folder), tmp_path / "found")

    assert detections_in(tmp_path / "found" / file_name(WITHOUT), []) == []
    assert len(detections_in(tmp_path / "found" / file_name(COPIES[0]), [])) == 1


def test_a_text_under_two_names_is_found_under_both(folder: Path, tmp_path: Path) -> None:
    twin = "source-document00009.txt"
    (folder / "src" / twin).write_bytes((folder / "src" / SOURCES[0]).read_bytes())

    retrieve(Corpus.at(folder), tmp_path / "found")

    found = detections_in(tmp_path / "found" / SUSPICIOUS[0].replace(".txt", ".xml"), [])
    assert {one.source for one in found} == {SOURCES[0], twin}
    assert {one._replace(source="") for one in found} == {found[0]._replace(source="")}
    assert isinstance(found[0], Annotation)


@pytest.mark.parametrize("layout", OF_PAIRS[:1])
def test_every_pair_can_be_compared(layout: str, tmp_path: Path) -> None:
    corpus = Corpus.at(write(tmp_path / "corpus", LAYOUTS[layout]()))

    assert align(corpus, tmp_path / "found", every=True).n_steps == len(SUSPICIOUS) * len(SOURCES)
