"""Plots can be read: no name covers another."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path

import pytest

from measure.plotting import label_points, plot
from pmbf.base.errors import ParameterError


def test_names_of_points_close_together_cover_neither_each_other_nor_a_point(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    points = [("the first of them", 0.5, 0.5), ("the second", 0.52, 0.5), ("the third", 0.51, 0.53), ("far", 0.9, 0.9)]

    with plot(tmp_path / "points.svg") as axes:
        axes.set(xlim=(0, 1), ylim=(0, 1))
        axes.plot([x for _, x, _ in points], [y for _, _, y in points], "o")
        label_points(axes, points)
        boxes = {label.get_text(): label.get_window_extent() for label in axes.texts}
        dots = [axes.transData.transform((x, y)) for _, x, y in points]

    assert {name for name, _, _ in points} == boxes.keys()
    assert not [pair for pair in combinations(boxes.values(), 2) if pair[0].overlaps(pair[1])]
    assert not [name for name, box in boxes.items() for dot in dots if box.contains(*dot)]


def test_a_name_without_a_place_is_told(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")

    with pytest.raises(ParameterError, match="covers another"), plot(tmp_path / "points.svg") as axes:
        axes.plot([0.5] * 9, [0.5] * 9, "o")
        label_points(axes, [(f"point {n}", 0.5, 0.5) for n in range(9)])
