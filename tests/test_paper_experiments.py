"""The paper's experiments run, say what they measured, and measure what they say."""

from __future__ import annotations

import argparse
import importlib.util
import json
import random
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import words

from experiments.paper import chosen, command, copies, mistakes, similarity, size, thresholds, uniformity
from experiments.paper.texts import MadeUp, Stretches, edited, texts
from experiments.paper.windows import hits_of_rows, rows_by_hashes, windows
from measure.overlap import grams, word_hashes
from pmbf.base.errors import ParameterError, UnsupportedError
from pmbf.base.params import Params, words_per_row
from pmbf.base.thresholds import thresholds as limits
from pmbf.filter import PseudoMatrixBloomFilter, Tile

pytestmark = pytest.mark.slow

TINY: dict[str, Any] = {
    "uniformity": uniformity.Size(8, n_words=800),
    "size": size.Size(20, mean_words=2_000, row_capacities=(4_096, 8_192)),
    "similarity": similarity.Size(2, n_words=1_500),
    "mistakes": mistakes.Size(8, 1_500),
    "chosen": mistakes.Size(8, 1_500),
    "thresholds": thresholds.Size(8, 12, row_documents=4, n_words=1_000),
}


def own_words(number: int) -> str:
    return words(number, 500).replace("o", f"o{number:02}")


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Sixty documents of their own, the first of them twice."""
    folder = tmp_path_factory.mktemp("library")
    for number in range(60):
        (folder / f"{number:02}.txt").write_text(own_words(number), encoding="utf-8")
    (folder / "copy.txt").write_text(own_words(0), encoding="utf-8")
    return folder


def run(name: str, *options: str) -> str:
    parser = argparse.ArgumentParser()
    command.add_arguments(parser)
    return command.run(parser.parse_args([name, *options]))


@pytest.mark.parametrize("name", command.EXPERIMENTS)
def test_an_experiment_prints_its_table_and_writes_its_figures_and_its_curve(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(command.EXPERIMENTS[name], "SMALL", TINY[name])
    out, curve = tmp_path / "figures" / "out.json", tmp_path / "curve.svg"
    is_drawn = hasattr(command.EXPERIMENTS[name], "plot") and importlib.util.find_spec("matplotlib")
    printed = run(name, "--out", str(out), *(["--plot", str(curve)] if is_drawn else []))
    figures = json.loads(out.read_text(encoding="utf-8"))
    assert {"processor", "commit", "kernels"} <= figures["about"].keys()
    assert (name, "made up", 1) == (figures["experiment"], figures["corpus"], figures["seed"])
    assert figures["params"] and figures["published"] and figures["results"]
    widths = {line.count("|") for line in printed.split("\n\n")[-1].splitlines() if line.startswith("|")}
    assert len(widths) == 1 or name == "uniformity"
    assert not is_drawn or "<svg" in curve.read_text(encoding="utf-8")


def test_an_experiment_prints_the_same_each_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(size, "SMALL", TINY["size"])
    assert run("size") == run("size")


def test_a_curve_without_matplotlib_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(size, "SMALL", TINY["size"])
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    with pytest.raises(UnsupportedError, match=r"pip install 'pmbf\[bench\]'"):
        run("size", "--plot", str(tmp_path / "curve.svg"))


def test_no_run_of_six_words_is_given_out_twice(library: Path) -> None:
    source = texts(library, seed=3)
    taken = ["".join(source.take(n_words)) for n_words in (700, 900, 1_100)]
    assert [700, 900, 1_100] == [len(text.split()) for text in taken]
    runs = np.concatenate([grams(word_hashes(part)) for text in taken for part in text.split("\n\n")])
    assert len(runs) == len(np.unique(runs))


def test_a_corpus_that_is_used_up_says_so(library: Path) -> None:
    with pytest.raises(
        ValueError, match="has 30000 words that do not repeat, and more are needed; take a larger corpus"
    ):
        Stretches(library, seed=1).take(60 * 500 + 1)


def test_a_corpus_that_does_not_serve_is_named(library: Path) -> None:
    with pytest.raises(ParameterError, match=r"library.*: has .* and more are needed"):
        run("similarity", "--corpus", str(library))
    with pytest.raises(ParameterError, match="leave out --corpus"):
        run("size", "--corpus", str(library))


def test_one_word_in_twelve_of_an_edited_passage_changes() -> None:
    passage = MadeUp(5).take(4_000)
    changed = edited(passage, random.Random(1))
    kept = Counter(passage) & Counter(changed)
    assert 0.94 < kept.total() / len(passage) < 0.97
    assert 0.97 < len(changed) / len(passage) < 1.03


def test_places_that_crowd_together_are_not_even() -> None:
    places = (np.arange(300) + 0.5) / 300
    assert uniformity.is_even(places) and uniformity.is_spread(places)
    assert not uniformity.is_even(places**2) and not uniformity.is_spread(places**2)


def test_a_fair_test_of_uniformity_passes_nineteen_of_twenty() -> None:
    drawn = np.random.default_rng(6).random((1000, 200))
    assert 930 <= sum(map(uniformity.is_even, drawn)) <= 970
    assert 930 <= sum(map(uniformity.is_spread, drawn)) <= 970


def test_documents_of_both_scripts_are_even_by_kind_of_shingle() -> None:
    han = "".join(map(chr, random.Random(7).choices(range(0x4E00, 0x5200), k=4_000)))
    text = "".join(MadeUp(7).take(1_500)) + han
    found = uniformity.sample_places(text, Params(), by_kind=True)
    assert not uniformity.is_even(found["", "shingles"])
    assert uniformity.is_even(found[", at words", "shingles"]) and uniformity.is_even(found[", at letters", "shingles"])


@pytest.mark.parametrize("n_chars", [900, 65_536, 70_000, 81_920, 140_000])
def test_lengths_have_the_hashes_that_texts_of_that_length_have(n_chars: int) -> None:
    from pmbf.fingerprint import fingerprint

    text = "".join(MadeUp(8).take(40_000))[:n_chars]
    assert [len(part) for part in fingerprint(text, Params()).parts()] == size.part_sizes(n_chars, Params())


def test_packing_takes_fewer_bytes_and_asks_for_more_documents_as_rows_grow() -> None:
    figures = size.run(size.Size(60, 5_000, (4_096, 65_536)), corpus=None, seed=2)
    short, long = figures["results"]
    assert short["multi-row"]["others"] < long["multi-row"]["others"]
    assert figures["full_bytes"] <= long["multi-row"]["n_bytes"] < figures["matrix_bytes"] / 2


def test_similarity_is_the_inserted_share_and_a_tenth_is_found() -> None:
    figures = similarity.run(similarity.Size(3, 2_000), corpus=None, seed=2)
    for one in figures["results"]:
        assert abs(one["hashes"]["mean"] - one["share"]) < 0.04
        assert one["hashes"]["found"] == 1 or one["share"] < 0.1


def test_all_verbatim_copies_become_candidates_and_nothing_else(library: Path) -> None:
    figures = mistakes.run(mistakes.Size(12, 1_200), corpus=library, seed=2)
    shipped = next(one for one in figures["results"] if (one["name"], one["counted"]) == ("as shipped", "evidence"))
    assert figures["copies"] > 5
    assert not [kind for kind in shipped["candidates"]["missed"] if "verbatim" in kind]
    assert 0 == shipped["candidates"]["false_positives"] == shipped["proven"]["false_positives"]


def test_a_threshold_is_chosen_on_one_seed_and_shown_on_the_next(library: Path, tmp_path: Path) -> None:
    of = mistakes.Size(12, 600)
    figures = chosen.run(of, corpus=library, seed=1)
    assert {one["threshold"] for one in figures["results"] if one["counted"] == "evidence"} <= set(
        chosen.GRID["evidence"]
    )
    for one in figures["results"]:
        best = max(chosen.f1(some, figures["copies"]["chosen_on"]) for some in one["tried"].values())
        assert chosen.f1(one["chosen_on"], figures["copies"]["chosen_on"]) == best
    assert all(one["shown_on"]["found"] for one in figures["results"])
    assert figures["copies"]["shown_on"] == len(mistakes.planted(tmp_path, of, library, seed=2))


def test_precision_is_that_of_the_paper_too() -> None:
    figures = mistakes.run(mistakes.Size(4, 600), corpus=None, seed=2) | {"size": {"n_documents": 4}}
    lines = [line for line in mistakes.table(figures).splitlines() if "published" in line]
    assert ["0.32%", "9.22%"] == [line.split(" | ")[-1].removesuffix(" |") for line in lines]


def test_rows_above_chance_are_those_that_a_count_in_each_window_finds() -> None:
    random = np.random.default_rng(4)
    tile = Tile.new(words_per_row(400, n_hashes=3, fpr=0.05), n_hashes=3, fpr=0.05)
    rows = [random.integers(0, 2**32, 400, np.uint32) for _ in range(70)]
    for some in rows:
        tile.insert(tile.add_row(), some)
    tile.seal()
    query = random.integers(0, 2**32, 300, np.uint32)
    query[100:109], query[::6] = rows[3][:9], rows[66][:50]

    [(number, found)] = rows_by_hashes(PseudoMatrixBloomFilter({0: tile}), query, false_rows=0.5)

    hits, chance = hits_of_rows(tile, query), 0.5 / (len(windows(300)) * 70)
    expected = [
        row
        for row, rate in enumerate(tile.rates().tolist())
        if any(
            hits[start:stop, row].sum() >= min(stop - start, int(limits(stop - start, np.array([rate]), chance)[0]))
            for start, stop in windows(300).tolist()
        )
    ]
    assert (0, expected) == (number, found.tolist())
    assert {3, 66} <= set(expected) and len(expected) < 5


def test_what_hashes_find_at_equal_false_rows_is_told() -> None:
    figures = similarity.run(similarity.Size(3, 2_000), corpus=None, seed=2)
    equal = figures["equal"]
    assert equal["rows"] <= figures["unrelated_rows"]["bits"] or equal["allowed"] == min(similarity.STRICTER)
    assert equal["found"][-1] == 1
    lines = similarity.table(figures | {"size": {"n_sources": 3}}).splitlines()[-2:]
    assert ["| bits", "| hashes"] == [line.split(" | ")[0] for line in lines]


def test_copies_are_planted_as_planned(tmp_path: Path) -> None:
    lengths, sources = [1_000] * 6, [900] * 5
    planned = copies.planned(lengths, sources, seed=3)
    assert {0, 2, 4} >= {copy.pair[0] for copy in planned}
    assert len(planned) == len({copy.pair for copy in planned})
    copies.write(tmp_path, lengths[:5] + sources, planned[:0], MadeUp(1), seed=3)
    assert [1_000] * 5 == [len((tmp_path / "susp" / f"{n}.txt").read_text().split()) for n in range(5)]


def test_drawn_hashes_hit_as_often_as_the_binomial_says() -> None:
    figures = thresholds.run(thresholds.Size(64, 200, 4, 1_000), corpus=None, seed=2)
    drawn = [one for one in figures["results"] if one["texts"] == "drawn hashes"]
    for one in drawn:
        for measured, expected in zip(one["measured"], one["binomial"], strict=True):
            n = 64 * 200
            assert abs(measured - expected) < 5 * (expected / n) ** 0.5 + 1 / n + 0.05 * expected
        assert all(exact <= bound + 1e-12 for exact, bound in zip(one["binomial"][1:], one["weak"][1:], strict=True))


def test_no_more_false_rows_pass_than_are_allowed() -> None:
    figures = thresholds.run(thresholds.Size(64, 100, 4, 1_000), corpus=None, seed=2)
    assert all(one["hashes"] <= one["allowed"] for one in figures["false_rows"] if one["allowed"] >= 0.1)


@pytest.mark.parametrize("words", [[], *([name] for name in command.EXPERIMENTS)])
def test_help_is_printed(words, capsys):
    parser = argparse.ArgumentParser()
    command.add_arguments(parser)
    with pytest.raises(SystemExit) as stopped:
        parser.parse_args([*words, "--help"])
    assert stopped.value.code == 0
    assert "usage" in capsys.readouterr().out
