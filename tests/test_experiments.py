"""The experiments' command line: a mistake is told in a line before the work begins, never in a traceback."""

from __future__ import annotations

import argparse
import sys
from inspect import signature
from pathlib import Path
from types import ModuleType

import pytest

from benchmarks.__main__ import BENCHMARKS
from experiments import __main__ as experiments
from experiments.arguments import chosen
from pmbf.base.errors import ParameterError
from pmbf.base.params import Params
from pmbf.screen import Options
from pmbf.verify import Settings

pytestmark = pytest.mark.slow


def run(*words: object, monkeypatch: pytest.MonkeyPatch) -> int:
    """Return the exit code of `python -m experiments …`."""
    monkeypatch.setattr(sys, "argv", ["experiments", *map(str, words)])
    with pytest.raises(SystemExit) as end:
        experiments.main()
    assert isinstance(end.value.code, int)
    return end.value.code


COMMANDS = {
    "retrieval": ["FOLDER"],
    "growing": ["FOLDER", "--filler", "FOLDER"],
    "alignment": ["FOLDER"],
    "planted": ["FOLDER"],
    "edited": ["FOLDER"],
    "others": ["FOLDER"],
    "leaks": ["FOLDER", "--protected", "FOLDER"],
    "pan align": ["FOLDER", "--out", "OUT"],
    "pan retrieve": ["FOLDER", "--out", "OUT"],
    "pan score": ["FOLDER", "FOLDER"],
    "pan rivals": ["FOLDER"],
    "paper similarity": ["--corpus", "FOLDER"],
}
MEASURED = (experiments.EXPERIMENTS, experiments.NEAR, experiments.SENTENCES, BENCHMARKS)
OF_TEXTS = ("alignment", "planted", "edited", "leaks", "paper similarity")
"""Take a folder of texts."""


@pytest.mark.parametrize(
    "module", [module for some in MEASURED for module, _ in some.values()], ids=lambda module: module.__name__
)
def test_all_that_a_measurement_asks_for_can_be_given(module: ModuleType) -> None:
    parser = argparse.ArgumentParser()
    module.add_arguments(parser)
    given = {action.dest for action in parser._actions} | {"given"}
    assert set(signature(module.run).parameters) <= given | ({"params"} if "profile" in given else set())


def words_of(command: str, folder: Path, out: Path) -> list[object]:
    given = {"FOLDER": folder, "OUT": out}
    return [*command.split(), *(given.get(word, word) for word in COMMANDS[command])]


@pytest.fixture
def texts(tmp_path: Path) -> Path:
    (tmp_path / "texts").mkdir()
    (tmp_path / "texts" / "one.txt").write_text("some words")
    return tmp_path / "texts"


@pytest.mark.parametrize("command", COMMANDS)
def test_a_folder_that_is_not_there_is_told(
    command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(*words_of(command, tmp_path / "none", tmp_path / "out"), monkeypatch=monkeypatch) == 3
    assert f"error: {tmp_path / 'none'}: is no folder\n" == capsys.readouterr().err


@pytest.mark.parametrize("command", OF_TEXTS)
def test_a_folder_without_texts_is_told(
    command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(*words_of(command, tmp_path, tmp_path / "out"), monkeypatch=monkeypatch) == 3
    assert "no .txt file is in it" in capsys.readouterr().err


@pytest.mark.parametrize("command", [name for name in COMMANDS if "OUT" not in COMMANDS[name]])
def test_figures_that_cannot_be_written_are_told_before_the_work(
    command: str, texts: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for out in (texts, texts / "one.txt" / "out.json"):
        assert run(*words_of(command, texts, texts), "--out", out, monkeypatch=monkeypatch) == 3
        assert f"error: {out}: cannot be written" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("command", "more"),
    [
        ("pan score", ["--plot", "a.gif"]),
        ("retrieval", ["--set", "density=thick"]),
        ("retrieval", ["--set", "placement=nowhere"]),
        ("retrieval", ["--set", "sparsity=0.1"]),
    ],
)
def test_a_value_that_cannot_be_is_told(
    command: str, more: list[str], texts: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(*words_of(command, texts, texts), *more, monkeypatch=monkeypatch) == 3
    assert capsys.readouterr().err.startswith("error: ")


@pytest.mark.parametrize(
    ("command", "more"),
    [
        ("planted", ["--clean", "-1"]),
        ("others", ["--jobs", "many"]),
        ("pan rivals", ["--sample", "0"]),
        ("retrieval", ["--set", "density"]),
    ],
)
def test_wrong_usage_is_told(
    command: str, more: list[str], texts: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(*words_of(command, texts, texts), *more, monkeypatch=monkeypatch) == 2
    assert "usage: " in capsys.readouterr().err


def test_a_small_corpus_is_not_told_to_leave_out_what_was_not_given(
    texts: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("paper", "similarity", "--corpus", texts, monkeypatch=monkeypatch) == 3
    told = capsys.readouterr().err
    assert "take a larger corpus" in told
    assert "leave out" not in told


@pytest.mark.parametrize(
    ("kind", "given"),
    [
        (Settings, {"min_chars": "abc"}),
        (Settings, {"min_chars": 100.5}),
        (Settings, {"min_chars": True}),
        (Settings, {"rules": {}}),
        (Options, {"min_evidence": "much"}),
        (Options, {"apparatus": 1}),
        (Params, {"density": None}),
        (Params, {"docs_per_row": [1]}),
    ],
)
def test_a_value_of_another_type_is_refused(kind: type[object], given: dict[str, object]) -> None:
    with pytest.raises(ParameterError, match=f"{next(iter(given))} of {kind.__name__} is "):
        chosen(kind, given)


def test_values_are_chosen_over_what_is_usual() -> None:
    assert Settings(min_chars=70, threshold=1) == chosen(Settings, {"threshold": 1}, min_chars=70, threshold=0.5)
    assert Params(row_capacity=500) == chosen(Params, {"row_capacity": 500})
    assert Options(min_evidence=3) == chosen(Options, {"min_evidence": 3})
