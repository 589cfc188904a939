"""Collections with hashes of more than 32 bits: they answer as others do, and chance names are told apart."""

from __future__ import annotations

import dataclasses
import math
import shutil

import numpy as np
import pytest
from conftest import names, words
from hypothesis import given
from hypothesis import strategies as st

from pmbf import Collection, Params, repair
from pmbf.base.errors import ParameterError
from pmbf.base.hashes import ascending, first_bits
from pmbf.base.params import HASH_BITS
from pmbf.comparison.masking import common_hashes, common_parts
from pmbf.fingerprint import Fingerprint, fingerprint, query_sample
from pmbf.screen.candidates import candidates
from pmbf.store.catalog_tables import ListedPath
from pmbf.store.folder import Store
from pmbf.store.incoming import NewDocument, NewDocuments
from pmbf.store.writer import Writer

pytestmark = pytest.mark.slow

WIDE = HASH_BITS[1:]
FAR = 900
NOTICE = words(990, 60)


def text(seed: int) -> str:
    """Return a text with a notice that all texts have."""
    return f"{words(seed, FAR)} {NOTICE} {words(1000 + seed, 60)}"


@pytest.fixture(params=WIDE)
def wide(request, tmp_path):
    params = Params(hash_bits=request.param, segment_chars=1024, row_capacity=64)
    with Collection(tmp_path / "c.pmbf", create=True, params=params) as made:
        made.add_many([(f"text-{seed}", text(seed)) for seed in range(60)])
        yield made
        assert made.check().problems == []


def test_a_collection_of_wide_hashes_finds_what_one_of_narrow_hashes_finds(wide, tmp_path):
    with Collection(
        tmp_path / "narrow.pmbf", create=True, params=dataclasses.replace(wide.params, hash_bits=32)
    ) as other:
        other.add_many([(f"text-{seed}", text(seed)) for seed in range(60)])
    query = f"{words(7, FAR)[:600]} {words(2000)} {NOTICE}"
    found = []
    for folder in (wide.path, tmp_path / "narrow.pmbf"):
        with Collection(folder) as opened:
            report = opened.screen(query)
            found.append(report.matches)
            assert "text-7" in names(report)
    assert found[0] == found[1]


def test_documents_are_removed_and_rooms_given_back(wide):
    for seed in range(40):
        wide.remove(f"text-{seed}")
    wide.compact()
    assert wide.check().problems == []
    assert names(wide.screen(words(50, FAR)[:900])) == ["text-50"]
    assert names(wide.screen(words(7, FAR)[:900])) == []


def test_text_that_many_have_is_a_common_part(wide):
    common = common_hashes({text(seed): [seed] for seed in range(60)}, wide.params, 30)
    [part] = common_parts(text(7), common, wide.params)
    assert words(990, 60)[40:-40] in text(7)[part.start : part.stop]


@pytest.mark.parametrize("hash_bits", WIDE)
def test_an_empty_collection_answers(tmp_path, hash_bits):
    with Collection(tmp_path / "c.pmbf", create=True, params=Params(hash_bits=hash_bits)) as made:
        assert [names(report) for report in made.screen_many([text(1), text(2)])] == [[], []]
        assert names(made.screen(text(1))) == []


def test_many_texts_and_the_rows_give_the_same_at_each_width(wide, tmp_path):
    queries = [words(seed, FAR) for seed in (3, 11, 40)]
    alone = [wide.screen(query) for query in queries]
    assert [names(report) for report in alone] == [["text-3"], ["text-11"], ["text-40"]]
    together = wide.screen_many(queries)
    assert [report.matches for report in together] == [report.matches for report in alone]
    params = dataclasses.replace(wide.params, index="rows")
    with Collection(tmp_path / "rows.pmbf", create=True, params=params) as of_rows:
        of_rows.add_many([(f"text-{seed}", text(seed)) for seed in range(60)])
        for method in ("hashes", "popcount"):
            found = [names(of_rows.screen(query, method=method))[:1] for query in queries]
            assert found == [names(one) for one in alone]


@pytest.mark.parametrize("hash_bits", WIDE)
def test_tiles_and_fingerprints_are_repaired(tmp_path, hash_bits):
    path = tmp_path / "c.pmbf"
    with Collection(path, create=True, params=Params(hash_bits=hash_bits, segment_chars=1024)) as made:
        made.add_many([(f"text-{seed}", text(seed)) for seed in range(9)])
    for tile in (path / "tiles").iterdir():
        tile.write_bytes(b"rubbish")
    assert repair(path).ok
    shutil.rmtree(path / "texts")
    report = repair(path)
    assert (report.ok, report.lost) == (True, [])
    assert "fingerprint of document 1 made anew from the postings" in report.repaired
    with Collection(path) as made:
        assert made.check().problems == []
        assert names(made.screen(words(3, FAR)))[0] == "text-3"


@pytest.mark.parametrize("hash_bits", HASH_BITS)
def test_a_collection_without_texts_keeps_records_of_its_width(tmp_path, hash_bits):
    params = Params(hash_bits=hash_bits, store_text=False, segment_chars=1024)
    with Collection(tmp_path / "c.pmbf", create=True, params=params) as made:
        made.add_many([(f"text-{seed}", text(seed)) for seed in range(9)])
        stats = made.stats()
        assert made.check().problems == []
        assert names(made.screen(words(3, FAR)))[0] == "text-3"
        assert stats.params["hash_bits"] == hash_bits
        with_words = sum(len(fingerprint(text(seed), params).words) + 4 for seed in range(9))
        n_bytes = stats.fingerprint_bytes - with_words
        assert n_bytes / stats.n_hashes == pytest.approx(3.92 + (hash_bits - 32) / 8, abs=0.01)


def documents_sharing_first_bits(path, hash_bits: int) -> list[np.ndarray]:
    """Store 2,000 documents of 40 hashes each, whose hashes have 4,000 different first 32 bits; return their hashes."""
    random = np.random.default_rng(5)
    upper = random.choice(2**31, 4000, replace=False).astype(np.uint64)
    made = []
    Store.create(path, Params(hash_bits=hash_bits, store_text=False))
    with Store(path, writable=True) as store:
        writer = Writer(store)
        for number in range(2000):
            chosen = np.sort(random.choice(upper, 40, replace=False)) << np.uint64(32)
            whole = chosen | random.integers(0, 2**32, 40, np.uint64)
            made.append(whole & np.uint64(2**64 - 2 ** (64 - hash_bits)))
            hashes = first_bits(made[-1]) if hash_bits == 32 else made[-1]
            taken = Fingerprint(hashes, np.array([0, 40], np.uint32), 800, 120)
            [id_] = writer.add(NewDocuments.of([NewDocument("text", f"{number:064x}", b"", taken)]))
            writer.attach({f"text-{number}": ListedPath(f"text-{number}", id_, -1, -1)})
        writer.commit()
    return made


@pytest.mark.parametrize("hash_bits", HASH_BITS)
def test_hashes_that_differ_behind_their_first_bits_are_of_different_documents(tmp_path, hash_bits):
    """As with 32 bits and 10^8 documents: a name is shared by twenty documents by chance. Wider names are not."""
    made = documents_sharing_first_bits(tmp_path / "c.pmbf", hash_bits)
    with Store(tmp_path / "c.pmbf") as store:
        some = first_bits(made[7]) if hash_bits == 32 else made[7]
        having = store.generation.documents_having(some, limit=10**6)
        expected = [sum(int(value) in other for other in map(set, map(np.ndarray.tolist, made))) for value in made[7]]
        if hash_bits == 32:
            assert having.n_having.mean() == pytest.approx(20, abs=3)
        else:
            assert having.n_having.tolist() == expected
            assert having.n_having.mean() < 1.2
        asked = query_sample(words(1), store.params)
        sample = dataclasses.replace(asked, hashes=some, token=3 * np.arange(40, dtype=np.uint32), n_chars=800)
        best = candidates(store.generation, sample)[0]
        assert best.document == 8
        assert (
            (best.evidence < 80) if hash_bits == 32 else best.evidence == pytest.approx(16 * math.log(2000), rel=0.05)
        )


@given(st.lists(st.integers(0, 3) | st.integers(0, 2**64 - 1), max_size=60))
def test_hashes_ascend_and_equal_ones_stay_in_order(values):
    hashes = np.array(values, np.uint64)
    assert sorted(range(len(values)), key=values.__getitem__) == ascending(hashes).tolist()


@pytest.mark.parametrize("hash_bits", [0, 24, 33, 44, 72, 48.0])
def test_a_width_that_is_not_whole_bytes_is_refused(hash_bits):
    with pytest.raises(ParameterError, match=r"hash_bits is .*, expected 32, 40, 48, 56 or 64"):
        Params(hash_bits=hash_bits)
