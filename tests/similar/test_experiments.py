"""The experiments of similarities, on a few texts."""

import numpy as np
from conftest import words

from experiments import similar
from experiments.pages import similar as page
from measure import report
from tests.alone import forked


def texts_in(folder, n):
    folder.mkdir()
    for number in range(n):
        shared = words(number // 4, 60)
        (folder / f"{number}.txt").write_text(f"{shared}\n\n{words(100 + number, 60)}\n\n{shared} end")
    return folder


def test_runs_are_measured_as_an_archive_grows_and_the_page_is_written(tmp_path, monkeypatch):
    monkeypatch.setattr("measure.process.alone", forked)
    folder = texts_in(tmp_path / "texts", 40)
    how = {"n_changed": 10, "rounds": 1, "jobs": 1, "seed": 1}
    figures = {"about": report.about()} | similar.run(folder, sizes=[20, 40], **how)
    small, large = figures["points"]
    assert (20, 40) == (small["full"]["n_documents"], large["full"]["n_documents"])
    assert [(8, 10)] == [(run["n_added"], run["n_removed"]) for run in large["incremental"]]
    text = page.PAGE.text({"similar-archive": figures})
    assert "| 40 |" in text and "1.2 million documents" in text


def test_a_projection_grows_as_the_largest_sizes_do():
    points = [
        {
            "full": {"n_documents": n, "processor_seconds": 3600 * n / 600_000},
            "incremental": [{"processor_seconds": 60 * (n / 600_000) ** 2}],
        }
        for n in (300_000, 600_000)
    ]
    found = similar.projection({"points": points})
    assert np.isclose(found["full_hours"], 2) and np.isclose(found["incremental_minutes"], 4)
    assert np.isclose(found["full_hours_exponent"], 1) and np.isclose(found["incremental_minutes_exponent"], 2)
