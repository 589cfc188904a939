"""`python -m experiments sites`: what the attacks and the comparison of united sites say of made-up texts."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest

from experiments.pages.page import DOCS, RESULTS
from experiments.sites import claims, private, reading, sparing, stolen, united
from measure import report
from pmbf.sites.sparing import MOST_QUESTIONS
from tests.sentences.texts import WORDS, text


def test_a_thief_without_the_key_learns_nothing(tmp_path: Path) -> None:
    for number in range(4):
        chance = random.Random(number)
        (tmp_path / f"{number}.txt").write_text(" ".join(chance.choices(WORDS, k=700 if number < 2 else 500)))
    stolen.run(tmp_path, seed=1, out=tmp_path / "out.json")
    figures = json.loads((tmp_path / "out.json").read_text())
    store, without, with_key, log = figures["thefts"]
    assert store["walked"] > 0 and store["confirmed"] == store["n_guesses"] and store["deceived"] == 0
    assert (without["walked"], without["confirmed"], without["deceived"]) == (0, 0, 0)
    assert with_key["confirmed"] == with_key["n_guesses"]
    assert (log["walked"], log["confirmed"], log["deceived"]) == (0, 0, 0)
    assert figures["linked"][0] == 0 and figures["words_in_log"] == 0


def test_united_sites_are_compared_with_one_collection(tmp_path: Path) -> None:
    folder = tmp_path / "set"
    folder.mkdir()
    for number in range(8):
        (folder / f"{number}.txt").write_text(text(*range(number, number + 8)))
    united.run([folder], n=2, out=tmp_path / "out.json")
    (figures,) = json.loads((tmp_path / "out.json").read_text())["sets"]
    assert (figures["equal"], figures["first"], figures["other_sentences"], figures["missing"]) == (2, 2, 0, 0)
    assert max(figures["alone"]) < figures["united"] == figures["one"] == sum(figures["alone"])
    assert figures["home_first"] == 2 and set(figures["causes"].values()) == {0}


@pytest.mark.parametrize("cause", ["copies", "counts", "most", "withheld"])
def test_each_cause_of_another_answer_is_named(cause: str, tmp_path: Path) -> None:
    """Sentences stand in 36 texts of three houses, or in 240; of `counts` every fourth word of them is edited."""
    n = {"copies": 6, "withheld": 6, "most": 240}.get(cause, 36)
    folder = tmp_path / "set"
    for name in ("src", "susp"):
        (folder / name).mkdir(parents=True)
    for number in range(n):
        common, own = text(*range(12)), text(*range(100 + 6 * number, 106 + 6 * number))
        words = {"copies": text(*range(12)), "withheld": f"{own} {text(20, 21, 22)}" + "\n\nx" * 400_000}
        content = words.get(cause, f"{common} {own}")
        (folder / "src" / f"{number:03}.txt").write_text(content)
    query = text(20, 21, 22) if cause == "withheld" else text(*range(12))
    if cause == "counts":
        query = " ".join("other" if at % 4 == 3 else word for at, word in enumerate(query.split(" ")))
    (folder / "susp" / "1.txt").write_text(query)
    united.run([folder], n=1, out=tmp_path / "out.json")
    (figures,) = json.loads((tmp_path / "out.json").read_text())["sets"]
    assert figures["equal"] == 0 and figures["causes"]["unexplained"] == 0, figures
    assert figures["causes"][cause] or (cause == "most" and figures["causes"]["counts and most"]), figures


def test_private_questions_are_measured(tmp_path: Path) -> None:
    pytest.importorskip("nacl", reason="needs the extra 'psi'")
    for name, first in (("src", 0), ("susp", 4)):
        (tmp_path / "pan" / name).mkdir(parents=True)
        (tmp_path / "pan" / name / "1.txt").write_text(text(*range(first, first + 500)))
    private.run(tmp_path / "pan", [], n=1, out=tmp_path / "out.json")
    figures = json.loads((tmp_path / "out.json").read_text())
    (row,) = figures["rows"]
    assert 0 < row["n_equal"] <= row["n_keys"] and 0 < row["n_both"] <= row["n_by_keys"]
    assert row["there"] > 32 * row["n_keys"] and row["back"] > 32 * row["n_keys"]
    assert figures["tags_bytes"] < 6 * figures["n_keys"] and len(figures["site_ms"]) == 1


def test_the_threshold_of_private_claims_is_chosen_on_one_half(tmp_path: Path) -> None:
    for name, first in (("src", 0), ("susp", 4)):
        (tmp_path / "pan" / name).mkdir(parents=True)
        (tmp_path / "pan" / name / "1.txt").write_text(text(*range(first, first + 1000)))
    claims.run(tmp_path / "pan", [], n=2, out=tmp_path / "out.json")
    figures = json.loads((tmp_path / "out.json").read_text())
    assert figures["chosen"] == claims.chosen(figures["halves"][0])
    for half in figures["halves"]:
        n_claimed, n_found, n_both = half["4"]
        assert 0 < n_both <= min(n_claimed, n_found)
        assert half["8"][0] <= half["2"][0]


def test_a_member_that_reads_by_yes_and_no_reads_more_where_nothing_is_blurred(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "texts").mkdir()
    for number in range(20):
        (tmp_path / "texts" / f"{number:02}.txt").write_text(text(*range(40 * number, 40 * number + 40)))
    monkeypatch.setattr(reading, "USUAL_UNITS_A_DAY", 1500)
    monkeypatch.setattr(reading, "READERS", {"letters": reading.Letters})
    reading.run(tmp_path / "texts", seed=1, out=tmp_path / "out.json", most_targets=8)
    spared, bare = json.loads((tmp_path / "out.json").read_text())["days"]
    assert 0 < spared["n_units"] <= 1500 and 0 < bare["n_units"] <= 1500
    assert spared["letters"] - spared["guessed"] < bare["letters"] - bare["guessed"]


def test_what_blurred_bars_and_few_questions_cost_is_measured(tmp_path: Path) -> None:
    """Of ten texts at the site each has sentences of two others, so that units are asked about several times."""
    for name in ("src", "susp"):
        (tmp_path / "pan" / name).mkdir(parents=True)
        for number in range(10):
            (tmp_path / "pan" / name / f"{number}.txt").write_text(text(*range(5 * number, 5 * number + 15)))
    sparing.run(tmp_path / "pan", seed=1, out=tmp_path / "out.json", units_a_day=40)
    figures = json.loads((tmp_path / "out.json").read_text())
    counts, limits = figures["counts"], figures["limits"]
    assert 1 < counts["texts"] < 10 and counts["units"] >= 40
    assert 0 < counts["both"] <= min(counts["exact"], counts["blurred"])
    assert limits["n_questions"] > limits["n_units"] > 0


def test_the_pages_say_what_was_measured() -> None:
    """Prose is written by hand; its figures are those of the files."""
    sites, privacy = (" ".join((DOCS / f"{name}.md").read_text().split()) for name in ("sites", "privacy"))
    figures = report.figures(RESULTS, ["sites-sparing", "sites-reading"])
    counts, limits = (figures["sites-sparing"][name] for name in ("counts", "limits"))
    kept, foreign = counts["both"] / counts["exact"], 1 - counts["both"] / counts["blurred"]
    assert f"In {counts['texts']} suspicious texts of PAN13 that finds {kept:.0%} of".replace("%", " %") in sites
    assert f"and {foreign:.0%} of what it finds `text` does not".replace("%", " %") in sites
    n_units, n_left_out = limits[str(MOST_QUESTIONS)]
    assert f"{n_units} of {limits['n_units']:,} are asked about more often" in sites
    assert f"{n_left_out / limits['n_questions']:.1%} of the questions".replace("%", " %") in sites
    days = [one for one in figures["sites-reading"]["days"] if one["measures"].startswith("blurred")]
    best = max(days, key=lambda one: int(one["letters"] - one["guessed"]))
    assert f"{best['letters'] - best['guessed']} letters of {best['n_targets']} sentences in a day" in privacy
    assert f"{max(one['most'] for one in days)} at most of one sentence. Of {best['wrong']} sentences" in privacy
