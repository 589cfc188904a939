"""A collection walks beside a dictionary: whatever is added, removed, compacted and reopened, every stored shingle is
found again, and what is removed is gone."""

import shutil
import tempfile

import numpy as np
from conftest import words
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, initialize, invariant, rule

from pmbf import Collection, Params, kernels
from pmbf.base.hashes import first_bits
from pmbf.fingerprint import fingerprint

NAMES = st.integers(0, 14).map("text-{}".format)
TEXTS = st.integers(0, 30).map(lambda seed: words(seed, 20 + 37 * seed))


def assert_in_its_segment(posted, document, hashes):
    """See that one segment has the document, with each of its hashes, and that its row of the filter lets them pass.

    The journal is a segment without a row.
    """
    assert sum(document in source.documents.tolist() for source in posted.sources()) == min(1, len(hashes))
    for serial in [serial for serial in posted.files if document in posted.of_file(serial).documents.tolist()]:
        passed = kernels.segments_having([posted.rows()[serial]], hashes)
        assert len(passed) == len(hashes)
    _, keys = posted.find(hashes, limit=1000)
    assert np.count_nonzero(keys >> np.uint64(32) == document) == len(hashes)


class CollectionBesideDictionary(RuleBasedStateMachine):
    names = Bundle("names")

    @initialize(
        index=st.sampled_from(["postings", "rows"]),
        placement=st.sampled_from(["single-row", "multi-row"]),
        row_capacity=st.sampled_from([64, 300, None]),
        hash_bits=st.sampled_from([32, 48]),
    )
    def create(self, index, placement, row_capacity, hash_bits):
        self.folder = tempfile.mkdtemp()
        form = {"index": index, "placement": placement, "row_capacity": row_capacity, "hash_bits": hash_bits}
        params = Params(**form, segment_chars=1024)
        self.collection = Collection(self.folder + "/c.pmbf", create=True, params=params)
        self.model = {}

    def teardown(self):
        if hasattr(self, "collection"):
            assert self.collection.check().problems == []
            self.collection.close()
            shutil.rmtree(self.folder)

    @rule(texts=st.dictionaries(NAMES, TEXTS, min_size=1, max_size=6))
    def add(self, texts):
        self.collection.add_many(list(texts.items()))
        self.model |= texts

    @rule(name=NAMES, text=st.one_of(TEXTS, st.just("")))
    def add_alone(self, name, text):
        self.collection.add(text, name=name)
        self.model[name] = text

    @rule(name=NAMES)
    def remove(self, name):
        if name in self.model:
            self.collection.remove(name)
            del self.model[name]

    @rule()
    def compact(self):
        self.collection.compact()
        assert self.collection.stats().n_removed == 0

    @rule()
    def reopen(self):
        path = self.collection.path
        self.collection.close()
        self.collection = Collection(path)

    @invariant()
    def the_same_documents_are_there(self):
        if hasattr(self, "model"):
            stored = {path: listed for listed in self.collection.documents() for path in listed.paths}
            assert stored.keys() == self.model.keys()
            assert len({listed.id for listed in stored.values()}) == len(set(self.model.values()))

    @invariant()
    def every_stored_shingle_is_found_again(self):
        if not hasattr(self, "model"):
            return
        store = self.collection._store
        holding = {listed.paths[0]: listed.id for listed in self.collection.documents()}
        for name, document in holding.items():
            hashes = fingerprint(self.model[name], self.collection.params).distinct()
            if self.collection.params.index == "postings":
                assert_in_its_segment(store.generation.posted, document, hashes)
                continue
            missing = np.ones(len(hashes), bool)
            for number, stored in store.generation.tiles():
                hits = stored.tile.hits(first_bits(hashes))
                rows = [row for tile, row in store.generation.rows.rows_of(document) if tile == number]
                for row in rows:
                    missing &= (hits[:, row // 64] >> np.uint64(row % 64) & np.uint64(1)) == 0
            assert not missing.any()


CollectionBesideDictionary.TestCase.settings = settings(max_examples=60, stateful_step_count=15, deadline=None)
TestCollection = CollectionBesideDictionary.TestCase
