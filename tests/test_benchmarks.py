"""The benchmarks run and say what they measured; how fast, no test looks at."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from conftest import words

from benchmarks import (
    doubling,
    earlier_engine,
    growth,
    guard,
    headers,
    huge,
    larger,
    loading,
    memory,
    page,
    peers,
    reworded,
    selfjoin,
    spread,
    upkeep,
)
from benchmarks.__main__ import main
from benchmarks.peers import PEERS, installed, quality
from measure import report
from measure.planting import CLEAN, Planted, Query
from measure.process import FailedError, alone
from pmbf import UnsupportedError
from tests.alone import forked

pytestmark = pytest.mark.slow


@pytest.fixture(autouse=True)
def processes_are_forked(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (doubling, earlier_engine, growth, headers, huge, larger, loading, peers, selfjoin, upkeep):
        monkeypatch.setattr(module, "alone", forked)
    # building the earlier engine takes a minute: today's stands in its place, whose functions have the same names
    monkeypatch.setattr(earlier_engine, "own", forked)
    monkeypatch.setattr(earlier_engine, "ours", lambda name, **given: forked(f"benchmarks.either:{name}", **given))


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


def test_the_growth_benchmark_measures_real_and_made_up_documents(
    library: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(growth, "_REPEATS", 1)
    small = ["--clean", "5", "--planted", "4", "--words", "400", "--texts", str(tmp_path / "texts.json")]
    small += ["--corpus", "words drawn by chance"]
    sizes = ["--real", "20", "30", "1000", "--earlier", "20", "--synthetic", "300", "--jobs", "2"]
    main(["growth", str(library), *sizes, *small, "--json", str(tmp_path / "out.json")])
    figures = json.loads((tmp_path / "out.json").read_text(encoding="utf-8"))
    assert figures["corpus"] == "words drawn by chance"
    names = ["20 real", "30 real", "20 real, pmbf 761f868", "300 synthetic"]
    assert names == [one["name"] for one in figures["results"]]
    assert all(one["candidates_p50_s"] > 0 and one["disk_index_bytes"] > 0 for one in figures["results"])
    assert all(one["cli_screen_s"] > 0 for one in figures["results"] if one["kind"] == "real")
    assert all(one["held"]["200 words"]["worst_s"] > 0 for one in figures["results"] if "held" in one)
    assert (tmp_path / "texts.json").exists()
    printed = capsys.readouterr().out
    assert "| 300 synthetic | " in printed and "| 200 words, pmbf 761f868 | " in printed


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


def test_the_page_says_which_figures_are_of_an_earlier_engine_than_its_newest(monkeypatch: pytest.MonkeyPatch) -> None:
    figures = page.read()
    for some in figures.values():
        some["about"] |= {"code": {"screen": "1"}, "commit": "0a", "date": "2026-11-26"}
    written = page.text(figures)
    assert "an earlier engine.**" not in written
    figures["upkeep"]["about"] |= {"code": {"screen": "2"}, "commit": "0b", "date": "2026-11-26 01:30"}
    marked = page.text(figures)
    assert "upkeep.json).\n" in marked
    assert "guard.json). **Measured with an earlier engine.**" in marked
    monkeypatch.setattr(report, "code", lambda: {"screen": "3"})
    assert page.text(figures) == marked


def test_what_has_changed_since_figures_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(report, "code", lambda: {"screen": "1", "text": "2"})
    for name, code in {"new": {"screen": "1", "text": "2"}, "old": {"screen": "1", "text": "1"}, "older": "1"}.items():
        (tmp_path / f"{name}.json").write_text(json.dumps({"about": {"code": code}}), encoding="utf-8")
    where = tmp_path.parent.name
    told = f"{where}: text: changed since old\n{where}: all rooms: changed since older\n"
    assert told == report.ages(tmp_path, ["new", "old", "older"])
    assert "today's engine" in report.ages(tmp_path, ["new"])


def test_a_page_is_checked_and_not_written(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(page, "write", pytest.fail)
    main(["page", "--check"])
    assert capsys.readouterr().out.startswith("benchmarks: ")


def test_plots_show_every_peer_and_both_kinds_of_documents(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    from benchmarks import plots

    figures = page.read()
    plots.write(figures, tmp_path)
    shown = (tmp_path / "peers.svg").read_text(encoding="utf-8")
    assert all(one["name"] in shown for one in figures["peers-small"]["results"] if "failed" not in one)
    assert "hollow: synthetic" in (tmp_path / "growth-time.svg").read_text(encoding="utf-8")


def test_the_guard_benchmark_checks_in_process_and_through_the_service(
    tmp_path: Path, library: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(guard, "N_STAGED", 20)
    main(["guard", str(library), "--documents", "30", "--rounds", "1", "--json", str(tmp_path / "out.json")])
    figures = json.loads((tmp_path / "out.json").read_text(encoding="utf-8"))
    assert (figures["n_documents"], figures["staged_bytes"]) == (30, 20 * guard.STAGED_BYTES)
    assert [one["name"] for one in figures["checks"]] == ["python alone", *guard.TARGETS_S]
    assert "≤ 60 ms" in capsys.readouterr().out


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


def test_the_benchmark_of_headers_finds_each_document(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main(["headers", "--documents", "80", "--queries", "5", "--json", str(tmp_path / "out.json")])
    figures = json.loads((tmp_path / "out.json").read_text(encoding="utf-8"))
    [one] = figures["results"]
    assert {"plain": 0, "new": 5, "own": 5, "alone": 5} == {name: one[name]["n_found"] for name in headers.QUERIES}
    assert headers.table(figures) in capsys.readouterr().out


def test_the_upkeep_benchmark_prints_a_table_and_writes_its_figures(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    main(["upkeep", "--documents", "30", "--words", "12", "--json", str(tmp_path / "out.json")])
    printed = capsys.readouterr().out
    figures = json.loads((tmp_path / "out.json").read_text(encoding="utf-8"))
    assert [one["n_documents"] for one in figures["results"]] == [30]
    assert "| check | " in printed and "| | 30 texts of 12 words |" in printed
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
    assert "| pmbf, whole reports | " in printed and "| pmbf 761f868, whole reports, two jobs | " in printed
    assert selfjoin.table(figures) in printed


def test_the_benchmark_of_doubling_measures_each_number_of_texts(
    library: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    sizes = ["--compare", "10", "20", "--near-duplicates", "10", "20", "--similar", "20"]
    main(["doubling", str(library), *sizes, "--json", str(tmp_path / "out.json")])
    figures = json.loads((tmp_path / "out.json").read_text(encoding="utf-8"))
    names = ["compare of 10", "compare of 20", "near_duplicates of 10", "near_duplicates of 20", "similar of 20"]
    assert names == [one["name"] for one in figures["results"]]
    assert figures["results"][-1]["more_s"] > 0
    assert doubling.table(figures) in capsys.readouterr().out


def test_the_benchmark_of_a_huge_text_finds_it(
    library: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    sizes = ["--bytes", "60000", "--documents", "30", "--queries", "4"]
    main(["huge", str(library), *sizes, "--json", str(tmp_path / "out.json")])
    figures = json.loads((tmp_path / "out.json").read_text(encoding="utf-8"))
    assert (4, 4, 30) == tuple(figures[name] for name in ("n_extracts", "n_extracts_found", "n_documents"))
    assert figures["is_itself_found"]
    assert huge.table(figures) in capsys.readouterr().out


def test_the_benchmark_of_reworded_texts_asks_by_both_profiles(
    library: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for folder in ("src", "susp", *reworded.KINDS):
        (tmp_path / "pan13_train" / folder).mkdir(parents=True)
    for number, kind in enumerate(reworded.KINDS):
        for folder in ("src", "susp"):
            (tmp_path / "pan13_train" / folder / f"{number}.txt").write_text(words(100 + number, 200), encoding="utf-8")
        (tmp_path / "pan13_train" / kind / "pairs").write_text(f"{number}.txt {number}.txt\n", encoding="utf-8")
    given = [str(tmp_path), "--filler", str(library), "--filler-texts", "20", "--json", str(tmp_path / "out.json")]
    main(["reworded", *given])
    figures = json.loads((tmp_path / "out.json").read_text(encoding="utf-8"))
    asked = [(one["name"], one["n_documents"], one["n_asked"], one["n_matches"]) for one in figures["results"]]
    names = ("default", "obfuscation", f"default, pmbf {earlier_engine.COMMIT}")
    assert [(name, 25, 5, 5) for name in names] == asked
    assert reworded.table(figures) in capsys.readouterr().out


def test_an_earlier_engine_that_cannot_be_had_is_told(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(earlier_engine, "COMMIT", "0000000")
    monkeypatch.setattr(earlier_engine, "ROOT", tmp_path)
    with pytest.raises(FailedError, match="git archive 0000000: "):
        earlier_engine._built()
