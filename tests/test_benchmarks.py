"""The benchmarks run and say what they measured; how fast, no test looks at."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from benchmarks import limit
from benchmarks.__main__ import main
from pmbf import kernels

TINY = limit.Size(n_rows=70, row_words=40, row_hashes=200, n_short=2, n_long=1)


@pytest.mark.skipif(kernels.NAME != "native", reason="only native kernels are measured")
def test_the_limit_benchmark_prints_a_table_and_writes_its_figures(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(limit, "SMALL", TINY)
    main(["limit", "--rounds", "1", "--json", str(tmp_path / "out.json")])
    printed = capsys.readouterr().out.splitlines()
    figures = json.loads((tmp_path / "out.json").read_text(encoding="utf-8"))
    assert "70 rows of 320 bytes, k = 3: 0 MB" == printed[1]
    assert len(figures["results"]) == len(printed) - 5
    assert all(one["seconds"] > 0 and one["ratio"] > 0 for one in figures["results"])
    assert {"processor", "commit", "kernels"} <= set(figures["about"])
