"""The benchmarks run and say what they measured; how fast, no test looks at."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from conftest import words

from benchmarks import (
    alignment,
    evidence,
    filter_methods,
    filters,
    growth,
    guard,
    largest,
    limit,
    loading,
    machine,
    memory,
    page,
    rebalancing,
    resultsets,
    sampling,
    scaling,
    selfjoin,
    spread,
    upkeep,
    web,
    widths,
)
from benchmarks.__main__ import main
from benchmarks.filter_methods import METHODS
from benchmarks.peer_methods import PEERS, installed
from benchmarks.peers import quality
from measure import report
from measure.planting import CLEAN, Planted, Query
from measure.process import FailedError, alone
from pmbf import ParameterError, ResultSets, UnsupportedError, kernels

pytestmark = pytest.mark.slow

TINY = limit.Size(n_rows=450, row_words=40, row_documents=2, row_hashes=200, n_short=20, n_long=1, text_bytes=20_000)


@pytest.mark.skipif(kernels.NAME != "native", reason="only native kernels are measured")
def test_the_limit_benchmark_prints_a_table_and_writes_its_figures(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(limit, "SMALL", TINY)
    main(["limit", "--rounds", "1", "--only", "tile", "--json", str(tmp_path / "out.json")])
    printed = capsys.readouterr().out.splitlines()
    figures = json.loads((tmp_path / "out.json").read_text(encoding="utf-8"))
    assert "450 rows of 320 bytes, k = 3: 0 MB; 0.09 M postings" == printed[1]
    assert len(figures["results"]) == len(printed) - 5
    assert all(one["seconds"] > 0 and one["ratio"] > 0 for one in figures["results"])
    assert ["≤ 1.4", "≤ 1.8"] == [line.split(" | ")[5] for line in printed if "≤" in line]
    assert {"processor", "commit", "kernels"} <= set(figures["about"])


@pytest.mark.skipif(kernels.NAME != "native", reason="only native kernels are measured")
def test_the_limit_benchmark_samples_texts_on_each_instruction_set_and_keeps_what_it_had(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(limit, "SMALL", TINY)
    (tmp_path / "texts").mkdir()
    (tmp_path / "texts" / "a.txt").write_text("Тихая вода точит камень. " * 30, encoding="utf-8")
    (tmp_path / "out.json").write_text(json.dumps({"kept": 7}), encoding="utf-8")
    out = ["--update", "--json", str(tmp_path / "out.json"), "--texts", f"ru={tmp_path / 'texts'}"]
    main(["limit", "--rounds", "1", "--only", "text", *out])
    figures, printed = json.loads((tmp_path / "out.json").read_text(encoding="utf-8")), capsys.readouterr().out
    rows = figures["text"]["rows"]
    levels = sampling.LEVELS[: len(rows) // 3][::-1]
    assert [(one["language"], one["level"]) for one in rows] == [
        (name, level) for name in sampling.NAMES for level in levels
    ]
    assert {one["language"] for one in rows if one["real"]} == {"ru"}
    assert all(one["seconds"] > 0 and one["read_s"] > 0 for one in rows) and figures["kept"] == 7
    assert "| Russian | portable |" in printed and "| Chinese, made up | portable |" in printed


def test_a_text_of_no_known_language_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["limit", "--texts", "xx=a.txt"])
    assert "expected for instance en=FILE" in capsys.readouterr().err


def test_the_limit_is_read_from_where_lines_of_the_cache_begin() -> None:
    octets = np.arange(1000, dtype=np.uint8)
    for first in range(0, 65, 13):
        lines = machine.lines_of(octets[first:])
        assert lines.ctypes.data % 64 == 0 and np.shares_memory(lines, octets)
        assert len(octets) - first - 126 <= lines.nbytes <= len(octets) - first
    places = np.zeros((1, 1), np.uint32)
    assert machine.read_lines(lines, places) == int(lines[:8].sum(dtype=np.uint64))
    with pytest.raises(ParameterError, match="after a line of the cache"):
        machine.read_lines(lines[1:9], places)


def test_the_benchmark_of_less_memory_asks_cold_and_warm(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = ["--json", str(tmp_path / "out.json"), "--keep", str(tmp_path / "made.pmbf")]
    main(["larger", "--documents", "40", "--queries", "3", *out])
    figures, printed = json.loads((tmp_path / "out.json").read_text(encoding="utf-8")), capsys.readouterr().out
    limits = [None, figures["index_bytes"] // 2, figures["index_bytes"] // 4]
    asked = [(one["limit_bytes"], one["is_filtered"]) for one in figures["results"]]
    assert asked == [(limit, is_filtered) for limit in limits for is_filtered in (True, False)]
    assert figures["results"][0]["warm_p50_s"] > 0 and figures["bytes"]["tiles"] > 40 * 11_400 * 4 // 8
    assert "40 documents of 11,400 hashes" in printed and "| all | " in printed
    assert (tmp_path / "made.pmbf" / "catalog.sqlite").exists()


def test_memory_is_limited_or_the_reason_said(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(memory, "_GROUPS", tmp_path)
    with pytest.raises(UnsupportedError, match="has no groups with a limit of memory"), memory.limited(1 << 20):
        raise AssertionError
    (tmp_path / "memory").mkdir()
    with memory.limited(1 << 20) as procs:
        assert "1048576" == (procs.parent / "memory.limit_in_bytes").read_text(encoding="ascii")
        (procs.parent / "memory.limit_in_bytes").unlink()  # a real group's files go with it
    assert [] == list((tmp_path / "memory").iterdir())


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Sixty documents of their own."""
    folder = tmp_path_factory.mktemp("library")
    for number in range(60):
        (folder / f"{number:02}.txt").write_text(words(number, 500), encoding="utf-8")
    return folder


@pytest.mark.parametrize("peer", PEERS)
def test_the_peers_benchmark_finds_a_fifth_of_a_text(
    library: Path, tmp_path: Path, peer: str, capsys: pytest.CaptureFixture[str]
) -> None:
    if not installed(peer):
        pytest.skip(f"{peer} is not installed")
    small = ["--clean", "5", "--planted", "4", "--words", "400", "--json", str(tmp_path / "out.json")]
    main(["peers", str(library), "--only", peer, *small])
    figures = json.loads((tmp_path / "out.json").read_text(encoding="utf-8"))
    assert 1 == len(figures["results"])
    found = figures["results"][0]
    assert {"first": 1.0, "named": 1.0} == found["found"]["cells"]["20 % verbatim"]
    assert found["load_mb_per_cpu_s"] > 0 and found["query_p50_s"] > 0
    assert f"| {peer} |" in capsys.readouterr().out


def test_what_is_named_is_the_source_or_holds_a_stretch_of_the_passage_or_is_wrong(tmp_path: Path) -> None:
    passage = words(1, 60)
    for name, text in (("source", passage), ("holder", " ".join(passage.split()[9:17])), ("other", words(2, 60))):
        (tmp_path / name).write_text(text, encoding="utf-8")
    holding, empty = (Query(passage, "1 %", source="source", stop=stop) for stop in (len(passage), 0))
    planted = Planted(str(tmp_path), ("source", "holder", "other"), (Query(words(3, 60), CLEAN), holding, empty))
    found = quality([[(2, 2.0)], [(0, 9.0), (1, 4.0), (2, 3.0)], [(1, 3.0), (0, 2.0)]], planted)
    assert (2.0, 1 / 4, 2 / 4) == (found["cut"], found["precision"], found["precision_stretch"])
    assert {"1 % verbatim": {"first": 0.5, "named": 0.5}} == found["cells"]


def test_a_peer_that_crashes_is_reported_and_stops_nobody(library: Path) -> None:
    with pytest.raises(FailedError, match="no such peer"):
        alone("benchmarks.peers:measure", name="no such peer", texts=str(library / "00.txt"))


@pytest.mark.skipif(kernels.NAME != "native", reason="only native kernels are measured")
def test_the_inverted_benchmark_counts_everyone_and_tells_each_planted_pair(
    library: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    main(["inverted", str(library), "--short", "120", "--rounds", "1", "--json", str(tmp_path / "out.json")])
    figures = json.loads((tmp_path / "out.json").read_text(encoding="utf-8"))
    some = figures["documents"]
    assert (60, 60 * 496) == (some["n_documents"], some["n_postings"])
    assert all(some[name] > 0 for name in ("chunks", "invert", "count", "highest", "peak_bytes"))
    assert (120, 6, 1.0) == tuple(figures["short"][name] for name in ("n_texts", "n_pairs", "recall"))
    assert "| inverted |" in capsys.readouterr().out


@pytest.mark.parametrize("method", METHODS)
def test_each_filter_finds_what_a_query_was_taken_from(method: str) -> None:
    size = filters.Size(n_documents=70, n_hashes=600, n_short=5, n_long=5)
    if not filter_methods.installed(method):
        pytest.skip(f"{method} is not installed")
    figures = filters.measured(method, size, n_rounds=1)
    assert (1.0, 1.0) == (figures["short_recall"], figures["long_recall"])
    assert figures["n_bytes"] > 0 and figures["short_s"] > 0


def test_the_filters_benchmark_prints_a_line_for_each(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(filters, "SMALL", filters.Size(n_documents=70, n_hashes=600, n_short=1, n_long=1))
    main(["filters", "--rounds", "1", "--only", "pmbf tile, rows", "inverted index, NumPy"])
    printed = capsys.readouterr().out
    assert "70 documents of 600 hashes" in printed
    assert "| pmbf tile, rows | " in printed and "| inverted index, NumPy | " in printed


def test_the_growth_benchmark_measures_real_and_made_up_documents(
    library: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(growth, "_REPEATS", 1)
    small = ["--clean", "5", "--planted", "4", "--words", "400", "--texts", str(tmp_path / "texts.json")]
    sizes = ["--real", "20", "40", "1000", "--synthetic", "300", "--small", "400", "--jobs", "2"]
    main(["growth", str(library), *sizes, *small, "--json", str(tmp_path / "out.json")])
    figures = json.loads((tmp_path / "out.json").read_text(encoding="utf-8"))
    assert ["20 real", "40 real", "400 small", "300 synthetic"] == [one["name"] for one in figures["results"]]
    assert all(one["candidates_p50_s"] > 0 and one["disk_index_bytes"] > 0 for one in figures["results"])
    assert all(one["cli_screen_s"] > 0 for one in figures["results"] if one["kind"] == "real")
    assert (tmp_path / "texts.json").exists()
    assert "| 300 synthetic | " in capsys.readouterr().out


def test_one_peer_is_measured_anew_beside_the_figures_of_others(library: Path, tmp_path: Path) -> None:
    out = ["--json", str(tmp_path / "out.json"), "--texts", str(tmp_path / "texts.json")]
    small = ["--clean", "5", "--planted", "4", "--words", "400", *out]
    main(["peers", str(library), "--only", "pmbf, whole screen", *small])
    main(["peers", str(library), "--only", "pmbf, candidates", "--update", *small])
    figures = json.loads((tmp_path / "out.json").read_text(encoding="utf-8"))
    assert ["pmbf, candidates", "pmbf, whole screen"] == [one["name"] for one in figures["results"]]
    (tmp_path / "texts.json").unlink()
    with pytest.raises(ValueError, match="the figures to update are of"):
        main(["peers", str(library), "--only", "pmbf, candidates", "--update", *small, "--planted", "3"])


def test_the_page_says_what_the_figures_say() -> None:
    assert page.text(page.read()) == page.PAGE.read_text(encoding="utf-8")


def test_the_page_refuses_figures_of_an_earlier_engine_or_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    figures = page.read()
    monkeypatch.setattr(report, "code", lambda: figures["limit"]["about"].get("code", "of an earlier engine"))
    figures["limit"]["about"]["code"] = report.code()
    for name, some in figures.items():
        (tmp_path / f"{name}.json").write_text(json.dumps(some), encoding="utf-8")
    with pytest.raises(ParameterError, match=r"figures of an earlier engine: .*peers-small"):
        page.write(tmp_path, tmp_path / "page.md")
    written = page.text(figures)
    assert "limit.json).\n" in written
    assert "peers-small.json). **Measured with an earlier engine.**" in written


def test_plots_show_every_peer_and_both_kinds_of_documents(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    from benchmarks import plots

    figures = page.read()
    plots.write(figures, tmp_path)
    shown = (tmp_path / "peers.svg").read_text(encoding="utf-8")
    assert all(one["name"] in shown for one in figures["peers-small"]["results"] if "failed" not in one)
    assert "hollow: synthetic" in (tmp_path / "growth-time.svg").read_text(encoding="utf-8")


def test_the_align_benchmark_finds_what_it_times(tmp_path: Path) -> None:
    for number in range(12):
        (tmp_path / f"{number}.txt").write_text(words(number, 800), encoding="utf-8")

    figures = alignment.run(tmp_path, n_rounds=1, sizes=((900, 700),), n_bytes=20_000)

    [row] = figures["rows"]
    assert all(row[name] > 0 for name in ("prepared", "whole", "difflib")) and figures["hostile"] > 0
    assert "| 900 | 700 |" in alignment.table(figures)


def test_the_benchmark_of_the_largest_files_makes_each_format_and_measures_its_check(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert all(len(make(0.0001)) > 1000 for make in largest.FILES.values())
    main(["largest", "--share", "0.001", "--only", "txt ASCII", "docx", "--json", str(tmp_path / "out.json")])
    figures = json.loads((tmp_path / "out.json").read_text(encoding="utf-8"))
    assert [one["code"] for one in figures["files"]] == [1, 1]  # each file holds a protected passage
    assert all(one["mib"] > 10 and "BLOCKED" in one["said"] for one in figures["files"])
    assert "| docx |" in capsys.readouterr().out
    [served] = largest.run(["txt ASCII"], share=0.001, command="serve")["files"]
    assert served["code"] == 1 and served["mib"] > figures["files"][0]["mib"]  # of two processes at least


def test_the_guard_benchmark_checks_in_process_and_through_the_service(
    tmp_path: Path, library: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(guard, "N_STAGED", 20)
    main(["guard", str(library), "--documents", "30", "--rounds", "1", "--json", str(tmp_path / "out.json")])
    figures = json.loads((tmp_path / "out.json").read_text(encoding="utf-8"))
    assert (figures["n_documents"], figures["staged_bytes"]) == (30, 20 * guard.STAGED_BYTES)
    assert [one["name"] for one in figures["checks"]] == ["python alone", *guard.TARGETS_S]
    assert "≤ 60 ms" in capsys.readouterr().out


def test_the_web_benchmark_tells_one_user_from_many(
    tmp_path: Path, library: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("starlette", reason="the application needs pmbf[web]")
    monkeypatch.setattr(web, "UPLOAD_BYTES", 2000)
    main(["web", str(library), "--documents", "30", "--users", "6", "--json", str(tmp_path / "out.json")])
    figures = json.loads((tmp_path / "out.json").read_text(encoding="utf-8"))
    assert [(1, 0), (6, 0)] == [(one["n_users"], one["n_not_done"]) for one in figures["users"]]
    assert figures["bytes_at_most"] >= figures["bytes_before"] > 0
    assert "30 documents; uploads of 2 kB." in capsys.readouterr().out


def test_the_evidence_benchmark_plants_what_its_table_names(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(evidence, "N_CHARS", 6000)
    monkeypatch.setattr(evidence, "N_PASSAGES", 3)
    monkeypatch.setattr(evidence, "N_SOURCES", 2)
    found = evidence.planted(tmp_path)
    assert (2, 3) == (len(found.matches), sum(len(match.passages) for match in found.matches))
    assert "source-0.txt" in found.to_html()


def test_the_benchmark_of_result_sets_prints_tables(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for number in range(resultsets.N_ARTICLES - resultsets.N_COPIES):
        (tmp_path / f"{number}.txt").write_text(words(number, 400), encoding="utf-8")
    monkeypatch.setattr(resultsets, "WAYS", {"words, 128 hashes": {}})
    monkeypatch.chdir(tmp_path)
    main(["resultsets", ".", "--rounds", "2", "--requests", "5", "--json", "out.json"])
    printed = capsys.readouterr().out
    figures = json.loads((tmp_path / "out.json").read_text(encoding="utf-8"))
    [one] = figures["ways"]
    assert one["n_pairs"] >= resultsets.N_COPIES and "| words, 128 hashes |" in printed
    assert figures["http"]["new_sets"]["median_s"] > 0 and "| the same set again |" in printed


def test_articles_just_below_the_threshold_are_no_duplicates() -> None:
    sets = ResultSets(0.5)
    made = resultsets.just_below(128, sets.prepare("").settings)
    assert sets.duplicates(made).keep == tuple(range(resultsets.N_ARTICLES))
    assert len(ResultSets(0.45).duplicates(made).keep) == 1


def test_the_spread_benchmark_finds_equal_reports(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(spread, "NODES", (1, 2))
    for number in range(12):
        (tmp_path / f"{number}.txt").write_text(words(number, 500), encoding="utf-8")
    main(["spread", str(tmp_path), "--queries", "6", "--json", str(tmp_path / "out.json")])
    figures = json.loads((tmp_path / "out.json").read_text(encoding="utf-8"))
    assert [(1, 0, 6), (2, 0, 6)] == [(one["n_nodes"], one["n_unlike"], one["n_found"]) for one in figures["results"]]
    assert spread.table(figures) in capsys.readouterr().out


def test_the_rebalancing_benchmark_tells_what_moves(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["--documents", "160", "--volumes", "8", "--hashes", "20", "--json", str(tmp_path / "out.json")]
    main(["rebalancing", *words])
    figures = json.loads((tmp_path / "out.json").read_text(encoding="utf-8"))
    assert [4, 5] == [one["n_nodes"] for one in figures["results"]]
    for one in figures["results"]:
        assert one["moved"] == pytest.approx(one["share"] * 2 * figures["n_bytes"])
    assert rebalancing.table(figures) in capsys.readouterr().out


def test_a_simulated_cluster_waits_longer_with_stragglers_and_less_with_hedging(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(scaling, "_QUERIES", 1000)
    main(["scaling", "--json", str(tmp_path / "out.json")])
    figures = json.loads((tmp_path / "out.json").read_text(encoding="utf-8"))
    for one in figures["results"]:
        assert one["p50"] < one["p99"] <= one["straggling_p99"]
        assert one["p50"] < one["hedged_p99"] < 1.02 * one["p99"]  # without stragglers little is gained
        assert one["straggling_hedged_p99"] < one["straggling_p99"]
        assert one["disk"] * one["n_hosts"] >= 2 * one["n_documents"] * figures["measured"]["text_bytes"]
    assert scaling.table(figures) in capsys.readouterr().out


def test_the_upkeep_benchmark_prints_a_table_and_writes_its_figures(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    main(["upkeep", "--documents", "30", "60", "--words", "12", "--json", str(tmp_path / "out.json")])
    printed = capsys.readouterr().out
    figures = json.loads((tmp_path / "out.json").read_text(encoding="utf-8"))
    assert [one["n_documents"] for one in figures["results"]] == [30, 60]
    assert "| check | " in printed and "| | 30 texts of 12 words | 60 texts of 12 words |" in printed
    assert upkeep.table(figures) in printed


def test_the_loading_benchmark_prints_a_table_and_writes_its_figures(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "texts").mkdir()
    for number in range(3):
        (tmp_path / "texts" / f"{number}.txt").write_text(" ".join(f"word{number}x{at}" for at in range(450)))
    given = [str(tmp_path / "texts"), "--texts", "5", "--rounds", "1", "--json", str(tmp_path / "out.json")]
    main(["loading", *given])
    figures = json.loads((tmp_path / "out.json").read_text(encoding="utf-8"))
    assert (figures["short"]["n_texts"], figures["whole"]["n_texts"]) == (5, 3)
    assert loading.table(figures) in capsys.readouterr().out


def test_the_selfjoin_benchmark_finds_each_text_and_prints_a_table(
    library: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    main(["selfjoin", str(library), "--texts", "12", "--rounds", "2", "--json", str(tmp_path / "out.json")])
    printed = capsys.readouterr().out
    figures = json.loads((tmp_path / "out.json").read_text(encoding="utf-8"))
    assert 1 <= figures["n_texts"] <= 12
    assert figures["pmbf"]["itself"] == 1
    assert "| pmbf, whole reports | " in printed
    assert selfjoin.table(figures) in printed


def test_wider_hashes_tell_documents_apart_that_share_names_by_chance(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    main(["widths", "--documents", "2000", "--json", str(tmp_path / "out.json")])
    figures = json.loads((tmp_path / "out.json").read_text(encoding="utf-8"))
    assert widths.table(figures) in capsys.readouterr().out
    narrow, *wide = figures["results"]
    assert narrow["n_others"] == pytest.approx(1.4, abs=0.3)
    assert all(one["n_others"] < 0.02 and one["evidence"] > narrow["evidence"] for one in wide)
    assert [one["record_bytes"] - narrow["record_bytes"] for one in wide] == [
        n * narrow["n_hashes"] for n in (1, 2, 3, 4)
    ]
