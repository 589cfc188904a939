"""The experiment on the leak check: its figures are those of the texts it was given."""

from experiments import leaks
from tests.conftest import words


def test_planted_passages_are_counted_and_so_are_false_findings(tmp_path):
    for name, first in (("protected", 0), ("others", 100)):
        (tmp_path / name).mkdir()
        for number in range(6):
            (tmp_path / name / f"{number}.txt").write_text(words(first + number, 600))
    (tmp_path / "others" / "copy.txt").write_text(words(3, 600))
    figures = leaks.run([tmp_path / "protected"], tmp_path / "others", n_planted=4, seed=1)
    assert (figures["n_protected"], figures["n_files"], figures["planted"]) == (6, 7, 4)
    assert [one.split(" < ")[0] for one in figures["blocked"]] == ["copy.txt"]
    assert figures["warned"] == []
    assert figures["missed"] == dict.fromkeys(leaks.DISGUISES, 0)
    assert "7 files against 6 documents" in leaks.table(figures)
