"""Random faults of nodes and loaders: no wrong answer, no lost commit, no two states. PMBF_FAULTS says how many."""

import os

from tests.cluster import random_faults as faults

N_FAULTS = int(os.environ.get("PMBF_FAULTS", "5"))


def test_no_answer_is_wrong_and_no_commit_is_lost():
    results = faults.run(N_FAULTS, seed=7)
    for one in results:
        assert (0, 0, 0) == (one["wrong"], one["lost"], one["parted"]), one
        assert 0 == one["incomplete"], one
        assert N_FAULTS // len(faults.FAULTS) == one["faults"]
        assert one["queries"]
    assert sum(one["commits"] for one in results)
