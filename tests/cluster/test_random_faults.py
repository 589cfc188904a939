"""Random faults of nodes and loaders: no wrong answer, no lost commit, no two states. PMBF_FAULTS says how many."""

import os

from benchmarks import faults

N_FAULTS = int(os.environ.get("PMBF_FAULTS", "10"))


def test_no_answer_is_wrong_and_no_commit_is_lost():
    figures = faults.run(N_FAULTS, seed=7)
    for one in figures["results"]:
        assert (0, 0, 0) == (one["wrong"], one["lost"], one["parted"]), one
        assert 0 == one["incomplete"], one
        assert N_FAULTS // len(faults.FAULTS) == one["faults"]
        assert one["queries"]
    assert sum(one["commits"] for one in figures["results"])
    assert "two loaders" in faults.table(figures)
