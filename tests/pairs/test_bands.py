"""Bands of document frequency, and the backgrounds they come from."""

import numpy as np
import pytest

from pmbf import CorruptError, NotFoundError, ParameterError
from pmbf.alike.pairs import bands
from pmbf.alike.pairs.bands import Background, Band, banded
from pmbf.alike.pairs.features import Features
from pmbf.kernels import Lists


def lists_of(*sets):
    return Lists.of([np.array(sorted(one), np.uint32) for one in sets])


def background(n_texts, **counts):
    hashes = sorted(int(name[1:]) for name in counts)
    return Background(n_texts, np.array(hashes, np.uint32), np.array([counts[f"f{one}"] for one in hashes], np.uint32))


def test_a_band_keeps_what_neither_too_many_nor_too_few_texts_have():
    others = background(999_997, f5=999_000, f6=999)
    kept = banded(lists_of({5, 6, 7, 8}, {5, 6, 7}, {5}), Band(0.1, 0.95), others)
    assert [[6, 7], [6, 7], []] == [one.tolist() for one in kept]  # 7: two of 10^6 texts are 0.95


def test_an_open_band_needs_no_background():
    lists = lists_of({1, 2}, {2})
    assert lists is banded(lists, Band(), None)


@pytest.mark.parametrize("band", [Band(0.1, 1), Band(0, 0.95)])
@pytest.mark.parametrize("others", [None, background(99_997)])
def test_a_band_of_few_texts_is_refused_with_the_reason(band, others):
    with pytest.raises(ParameterError, match=r"of (2|99,999) texts only.*just what copies share.*--param background"):
        banded(lists_of({1, 2}, {2}), band, others)


def test_a_set_that_is_large_enough_is_its_own_background(monkeypatch):
    monkeypatch.setattr(bands, "LEAST_TEXTS", 16)
    sets = [{1}] * 14 + [{1, 2, 3}, {1, 2, 4}]
    assert [[2], [2]] == [one.tolist() for one in list(banded(lists_of(*sets), Band(0.1, 0.9), None))[14:]]


def test_a_background_is_the_same_after_it_was_written_and_read(tmp_path):
    made = Background.of(lists_of({1, 2}, {2, 9}, {2, 9, 4}))
    made.write(tmp_path / "b", Features())
    read = Background.read(tmp_path / "b", Features())
    assert (3, [2, 9], [3, 2]) == (read.n_texts, read.hashes.tolist(), read.frequencies.tolist())
    assert [0, 3, 0, 2] == read.counted(np.array([1, 2, 4, 9], np.uint32)).tolist()


def test_a_background_of_other_features_is_refused(tmp_path):
    Background.of(lists_of({1}, {1})).write(tmp_path / "b", Features())
    for other in (Features(shingle_tokens=5), Features("spotsigs")):
        with pytest.raises(ParameterError, match="made of other features"):
            Background.read(tmp_path / "b", other)


def test_a_damaged_background_is_refused(tmp_path):
    path = tmp_path / "b"
    Background.of(lists_of({1}, {1})).write(path, Features())
    content = path.read_bytes()
    for damaged in (b"", content[:-1], content[:20] + b"x" + content[21:], b"sea" * 20):
        path.write_bytes(damaged)
        with pytest.raises(CorruptError, match="make it again"):
            Background.read(path, Features())
    with pytest.raises(NotFoundError):
        Background.read(tmp_path / "none", Features())


@pytest.mark.parametrize("wrong", [(-0.1, 1), (0.5, 0.5), (0.2, 1.1), (0.9, 0.1)])
def test_a_band_outside_0_to_1_is_refused(wrong):
    with pytest.raises(ParameterError, match="idf"):
        Band(*wrong)
