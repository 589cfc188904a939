"""Edited passages are planted as they say, and found or not."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from experiments import edited
from pmbf.base.errors import ParameterError
from pmbf.base.params import Params
from pmbf.report import Span
from pmbf.verify import prepare

LATIN = "abcdefghijklmnop"
HAN = "".join(map(chr, range(0x4E00, 0x4E00 + 900)))


def written(seed: int, n: int, *, spaces: bool) -> str:
    """Return made-up words, or letters that are words of their own."""
    chance = random.Random(seed)
    if not spaces:
        return "".join(chance.choices(HAN, k=n))
    return " ".join("".join(chance.choices(LATIN, k=5)) for _ in range(n))


@pytest.mark.parametrize("spaces", [True, False])
def test_as_many_pairs_of_letters_stay_whole_as_words(spaces: bool) -> None:
    text, other = prepare(written(1, 4000, spaces=spaces)), prepare(written(2, 4000, spaces=spaces))

    copy = prepare(edited.edited(text, Span(0, text.n_tokens), 0.36, [other], random.Random(3)))

    kept = text.tokens.hashes == copy.tokens.hashes
    assert 0.61 < (kept if spaces else kept[1:] & kept[:-1]).mean() < 0.67


def test_nothing_replaced_is_the_text_itself() -> None:
    text = prepare("Ein Wort, 老渔夫: zwei.")

    assert edited.edited(text, Span(1, 6), 0.0, [], random.Random(1)) == "Wort, 老渔夫: zwei"


@pytest.mark.parametrize("spaces", [True, False])
def test_little_edited_passages_are_found_and_passages_of_other_words_are_not(
    spaces: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(edited, "SHARES", (0.05, 1.0))
    monkeypatch.setattr(edited, "N_OTHERS", 4)
    for number in range(6):
        (tmp_path / f"{number}.txt").write_text(written(number, 3000, spaces=spaces), encoding="utf-8")

    shown = edited.table(edited.run(tmp_path, params=Params(), n_texts=2, seed=1))

    assert "| 80 | 2, 2 of 2 | 0, 0 of 2 |" in shown
    assert "| 250 | 2, 2 of 2 | 0, 0 of 2 |" in shown
    with pytest.raises(ParameterError, match="has 6 texts that are long enough, 7 are needed"):
        edited.run(tmp_path, of=tmp_path, params=Params(), n_texts=3, seed=1)
